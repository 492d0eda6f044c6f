"""Which registers of two programs are compared: by names, by data flow, and by what can be seen from outside."""

from __future__ import annotations

import pytest

from axmem.formats.reading import parse
from axmem.front.source import InputError
from axmem.litmus import walk
from axmem.refinement.corresponding import Correspondence, corresponding

HEAD = "litmus t\nglobal x = 0, y = 0\nthread P0 {{\n{}\n}}\nexists (true)\n"


def text(body: str) -> str:
    return HEAD.format(body.replace("; ", "\n"))


def of(before: str, after: str, *entries: str) -> Correspondence:
    return corresponding(parse(text(before), "before"), parse(text(after), "after"), entries)


def registers(found: Correspondence) -> list[str]:
    """Return what the program after the change assigns, in its order, under the names that it was given."""
    return [name for _, statement in walk.located(found.after) for name in walk.results(statement)]


def test_names_count_where_they_are_names() -> None:
    found = of("flag = load x; data = load y", "data = load x; flag = load y")
    assert registers(found) == ["data", "flag"] and not found.guessed


def test_numbers_do_not_count_where_the_data_flow_says_more() -> None:
    found = of("r0 = load x; r1 = load y", "r0 = load y; r1 = load x")
    assert registers(found) == ["r1", "r0"]
    assert {(g.before, g.after, g.why) for g in found.guessed} == {
        ("P0:r0", "P0:r1", "both load x"),
        ("P0:r1", "P0:r0", "both load y"),
    }


def test_what_is_computed_of_the_same_corresponds() -> None:
    found = of("r0 = load x; r1 = r0 + 1; r2 = r0 + 2", "r5 = load x; r6 = r5 + 2; r7 = r5 + 1")
    assert registers(found) == ["r0", "r2", "r1"] and not found.left_out


def test_uses_tell_two_loads_of_one_location_apart() -> None:
    found = of("r0 = load x; r1 = load x; store r1, y", "r2 = load x; store r2, y; r3 = load x")
    assert registers(found) == ["r1", "r0"]


def test_a_number_is_the_last_resort_and_is_said() -> None:
    """A load that became a number."""
    found = of("r0 = load x", "r0 = 0")
    assert [(g.before, g.after, g.why) for g in found.guessed] == [("P0:r0", "P0:r0", "the same name")]


def test_what_corresponds_to_nothing_has_a_name_of_its_own() -> None:
    found = of("a = load x; r1 = load y", "a = load x; r1 = load x; b = load x", "P0:a=P0:b")
    assert found.compared[0] == ("P0:a", "P0:b") and registers(found)[2] == "a"
    assert registers(found)[0] not in ("a", "r1")


def test_a_register_of_which_the_program_speaks_is_compared() -> None:
    before, after = (
        parse(text(f"{name} = load {place}").replace("true", f"P0:{name}=0"), name)
        for name, place in (("a", "x"), ("b", "y"))
    )
    with pytest.raises(InputError, match="nothing in 't' stands for P0:a, which this test observes"):
        corresponding(before, after)


def test_threads_of_one_side_alone_are_an_error() -> None:
    before = parse(text("a = load x"), "before")
    after = parse(text("a = load x").replace("thread P0", "thread Q"), "after")
    with pytest.raises(InputError, match="there is no thread 'P0' in 't'"):
        corresponding(before, after)
    assert corresponding(before, after, ["P0=Q"]).compared == (("P0:a", "Q:a"),)


FUNCTION = """; axmem: thread P0 = @f()
@x = global i32 0, align 4
define i32 @f() {{
  %a = load atomic i32, ptr @x monotonic, align 4
  {}
  ret i32 %b
}}
"""


def test_nobody_outside_a_function_sees_its_registers() -> None:
    before, after = (parse(FUNCTION.format(f"%b = add i32 %a, {number}"), "f.ll") for number in (1, 2))
    found = corresponding(before, after)
    assert found.compared == (("P0:return", "P0:return"),) and not found.left_out
    assert not {"a", "b"} & {name for name in registers(found) if name != "return"}
    asked = parse(FUNCTION.format("%b = add i32 %a, 1") + "; axmem: observe @f:%a\n", "f.ll")
    assert ("P0:a", "P0:a") in corresponding(asked, asked).compared
