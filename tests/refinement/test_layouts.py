"""Where pointers may lead: nowhere, into each other's memory and into variables, at every distance that matters.

A sample of `python -m tests.refinement.layouts` is asked, and its layouts find what is wrong.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.formats.ir.choices import choices
from axmem.formats.ir.pairs import function_pairs
from axmem.front.source import Source
from axmem.refinement.inclusion import HELD, UNSOUND
from tests.drawn import some
from tests.refinement.layouts.__main__ import asked as tried
from tests.refinement.test_functions import SOUND, UNKNOWN, asked, pair
from tests.refinement.test_functions import UNSOUND as WRONG

STORES = "@g = global i32 0\n"
"""Memory of which a branch stores 1 before the change, and 2 after it."""


def guarded(conditions: str, parameters: str) -> str:
    """Return functions that store different numbers if a condition `%c` holds."""
    body = f"{conditions}; br i1 %c, label %x, label %y; x:; store i32 {{}}, ptr @g; br label %y; y:; ret void"
    return STORES + pair(body.format(1), body.format(2), parameters=parameters, result="void")


@pytest.mark.parametrize(
    ("conditions", "parameters", "said"),
    [
        ("%a = icmp eq ptr %p, null; %b = icmp eq ptr %q, null; %c = and i1 %a, %b", "ptr %p, ptr %q", "%p = null"),
        (
            "%a = icmp eq ptr %p, null; %b = icmp eq ptr %q, %r; %c = and i1 %a, %b",
            "ptr %p, ptr %q, ptr %r",
            "%p = null",
        ),
        ("%a = getelementptr i8, ptr %p, i64 4; %c = icmp eq ptr %a, @g", "ptr %p", "%p = &g - 4"),
        ("%a = load i8, ptr %p; %b = getelementptr i8, ptr %p, i64 1; %c = icmp eq ptr %b, %q", "ptr %p, ptr %q", "%q"),
    ],
    ids=["both null", "null and the same", "before a variable", "behind what is accessed"],
)
def test_every_place_a_pointer_may_lead_to_is_asked_about(
    conditions: str, parameters: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(tmp_path, guarded(conditions, parameters), "--context", "0") == WRONG
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "after", "argument", "code"),
    [
        ("ret i1 false", "{}; %c = xor i1 %a, %b; ret i1 %c", "ptr %p", WRONG),
        ("ret i1 false", "{}; %c = xor i1 %a, %b; ret i1 %c", "ptr noundef %p", SOUND),
        ("{}; %c = xor i1 %a, %b; ret i1 %c", "ret i1 false", "ptr %p", SOUND),
        ("ret i1 false", "%a = icmp eq ptr %p, null; ret i1 %a", "ptr nonnull %p", UNKNOWN),
        ("ret i1 false", "%a = icmp eq ptr %p, null; ret i1 %a", "ptr dereferenceable(4) %p", SOUND),
        ("%v = load i8, ptr %p; ret i1 false", "%a = icmp eq ptr %p, null; ret i1 %a", "ptr %p", SOUND),
    ],
)
def test_a_pointer_may_be_undef_and_null_unless_it_is_promised(
    before: str, after: str, argument: str, code: int, tmp_path: Path
) -> None:
    twice = "%a = icmp eq ptr %p, null; %b = icmp eq ptr %p, null"
    text = pair(before.format(twice), after.format(twice), parameters=argument, result="i1")
    assert asked(tmp_path, text, "--context", "0") == code


@pytest.mark.parametrize(
    ("body", "parameters", "expected", "everything"),
    [
        ("store i32 1, ptr %p; store i16 1, ptr %q; ret void", "ptr %p, ptr %q", 3, True),
        ("store i32 1, ptr %p; store i32 1, ptr %q; ret void", "ptr %p, ptr %q", 2, True),
        ("store i32 1, ptr %p; store i32 1, ptr %q; ret void", "ptr noalias %p, ptr %q", 1, True),
        ("%a = load i32, ptr %p; %b = load i32, ptr %q; ret void", "ptr %p, ptr %q", 1, True),
        ("store i32 1, ptr %p; store i32 1, ptr %q; store i32 1, ptr %r; ret void", "ptr %p, ptr %q, ptr %r", 5, True),
        ("%a = getelementptr i32, ptr %p, i64 %i; store i32 1, ptr %a; ret void", "ptr %p, i64 %i", 2, True),
        (
            "%a = getelementptr i32, ptr %p, i64 %i; store i32 1, ptr %a; %b = getelementptr i32, ptr %p, i64 %j; "
            "store i32 2, ptr %b; ret void", "ptr %p, i64 %i, i64 %j", 5, True,
        ),
        *(
            (f"call void @llvm.{name}(ptr {to} %p, ptr {of} %q, i64 4, {last}); ret void", "ptr %p, ptr %q", n, True)
            for name, to, of, last, n in [
                ("memmove.p0.p0.i64", "", "align 8", "i1 false", 11),
                ("memmove.p0.p0.i64", "align 2", "align(4)", "i1 false", 7),
                ("memcpy.element.unordered.atomic.p0.p0.i64", "align 4", "align 4", "i32 4", 5),
            ]
        ),
        (
            "%n = load i64, ptr %q; %a = getelementptr i32, ptr %p, i64 %n; store i32 1, ptr %a; ret void",
            "ptr %p, ptr %q", 2, False,
        ),
    ],
)  # fmt: skip
def test_so_many_layouts_make_a_difference(body: str, parameters: str, expected: int, everything: bool) -> None:
    text = pair(body, body.replace("ret void", "fence seq_cst; ret void"), parameters=parameters, result="void")
    (each,) = function_pairs(Source("layouts", text))
    found, rest = choices([each.before.function, each.after.function], {})
    assert (len(found), not rest) == (expected, everything)


SAMPLE = some(range(7000, 7040))


def test_random_layouts_refute_nothing_that_is_called_sound() -> None:
    found = [tried(seed, layouts=200) for seed in SAMPLE]
    assert not [each for each in found if each.verdict in HELD and each.refuted is not None]
    wrong = [each for each in found if each.verdict == UNSOUND]
    assert any(each.verdict in HELD for each in found)
    assert sum(each.refuted is not None for each in wrong) * 10 >= len(wrong) * 8


def test_functions_with_branches_have_tests_where_pointers_lead_into_variables() -> None:
    assert "has no test" not in tried(11121, 5).why


@pytest.mark.parametrize("name", ["p", "g"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("%c = icmp eq ptr %p, null; store i32 1, ptr @{0}; ret i1 %c",
         "%c = icmp eq ptr %p, null; store i32 2, ptr @{0}; ret i1 %c"),
        ("%c = icmp eq ptr %p, @h; store i64 1, ptr @{0}; store i32 4, ptr %p; ret i1 %c",
         "%c = icmp eq ptr %p, @h; %v = select i1 %c, i64 2, i64 1; store i64 %v, ptr @{0}; store i32 4, ptr %p; "
         "ret i1 %c"),
    ],
    ids=["leads nowhere", "leads into a smaller variable"],
)  # fmt: skip
def test_a_variable_may_have_the_name_of_a_pointer(
    name: str, before: str, after: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    variables = f"@{name} = global i64 0\n@h = global i32 0\n"
    text = pair(before.format(name), after.format(name), parameters="ptr noundef %p", result="i1")
    assert asked(tmp_path, variables + text) == WRONG


COPY = "call void @llvm.{}.p0.p0.i64(ptr {}, ptr %q, i64 8, i1 false); ret void"
COPIES = "".join(f"declare void @llvm.{name}.p0.p0.i64(ptr, ptr, i64, i1)\n" for name in ("memcpy", "memmove"))


@pytest.mark.parametrize(
    ("before", "after", "parameters", "expected"),
    [
        (COPY.format("memmove", "%p"), COPY.format("memcpy", "%p"), "ptr %p, ptr %q", WRONG),
        (COPY.format("memcpy", "%p"), COPY.format("memmove", "%p"), "ptr %p, ptr %q", SOUND),
        (COPY.format("memmove", "%p"), COPY.format("memcpy", "%p"), "ptr noalias %p, ptr %q", SOUND),
        # One place may be copied to itself.
        (COPY.format("memmove", "%q"), COPY.format("memcpy", "%q"), "ptr %q", SOUND),
        (
            "%a = getelementptr i8, ptr %q, i64 4; " + COPY.format("memmove", "%a"),
            "%a = getelementptr i8, ptr %q, i64 4; " + COPY.format("memcpy", "%a"),
            "ptr %q",
            WRONG,
        ),
        (
            "%a = getelementptr i8, ptr %q, i64 8; " + COPY.format("memmove", "%a"),
            "%a = getelementptr i8, ptr %q, i64 8; " + COPY.format("memcpy", "%a"),
            "ptr %q",
            SOUND,
        ),
        # Where a loaded pointer leads nobody says.
        (
            "%a = load ptr, ptr @g; " + COPY.format("memmove", "%a"),
            "%a = load ptr, ptr @g; " + COPY.format("memcpy", "%a"),
            "ptr %q",
            UNKNOWN,
        ),
    ],
)
def test_memcpy_is_undefined_between_places_that_overlap(
    before: str, after: str, parameters: str, expected: int, tmp_path: Path
) -> None:
    text = COPIES + "@g = global ptr null\n" + pair(before, after, parameters=parameters, result="void")
    assert asked(tmp_path, text, "--context", "0") == expected


LOW = "%a = ptrtoint ptr %p to i64; %r = and i64 %a, {}; ret i64 %r"


@pytest.mark.parametrize(
    ("before", "after", "parameters", "expected"),
    [
        (LOW.format(3), LOW.format(7), "ptr align 4 %p", WRONG),
        (LOW.format(3), LOW.format(7), "ptr align 8 %p", SOUND),
        (LOW.format(3), "ret i64 0", "ptr %p", WRONG),
        (LOW.format(3), "ret i64 0", "ptr align 4 %p", SOUND),
        (LOW.format(3), "ret i64 0", "ptr align(4) %p", SOUND),
        (LOW.format(1), LOW.format(1).replace("%p", "%q"), "ptr %p, ptr %q", WRONG),
    ],
)
def test_low_bits_of_a_pointer_are_open_but_for_its_alignment(
    before: str, after: str, parameters: str, expected: int, tmp_path: Path
) -> None:
    text = pair(before, after, parameters=parameters, result="i64")
    assert asked(tmp_path, text, "--context", "0") == expected


AT = "%a = getelementptr i32, ptr {}, i64 {}; %v = load i32, ptr %a; ret i32 %v"
TABLE = "@t = internal constant [4 x i32] [i32 1, i32 1, i32 1, i32 2]\n"


@pytest.mark.parametrize(
    ("before", "after", "parameters", "expected"),
    [
        (AT.format("@t", "%i"), "ret i32 1", "i64 %i", WRONG),
        (
            AT.format("@t", "%i"),
            "%c = icmp eq i64 %i, 3; %r = select i1 %c, i32 2, i32 1; ret i32 %r",
            "i64 %i",
            UNKNOWN,
        ),
        (
            "%e = zext i32 %i to i64; " + AT.format("%p", "%e"),
            "%e = sext i32 %i to i64; " + AT.format("%p", "%e"),
            "ptr %p, i32 %i",
            UNKNOWN,
        ),
        (
            "%j = add i32 %i, 1; %e = sext i32 %j to i64; " + AT.format("%p", "%e"),
            "%e = sext i32 %i to i64; %j = add i64 %e, 1; " + AT.format("%p", "%j"),
            "ptr %p, i32 %i",
            UNKNOWN,
        ),
    ],
    ids=["table", "guarded table", "negative", "wraps"],
)
def test_indices_are_not_sampled_where_another_one_matters(
    before: str, after: str, parameters: str, expected: int, tmp_path: Path
) -> None:
    assert asked(tmp_path, TABLE + pair(before, after, parameters=parameters), "--context", "0") == expected


def index(mask: str, offset: int = 0) -> str:
    step = f"%o = getelementptr i8, ptr %p, i64 {offset}; " if offset else "%o = getelementptr i8, ptr %p, i64 0; "
    masked = f"%m = {mask}; " if mask else "%m = add i64 %h, 0; "
    return (
        "%h = load atomic i64, ptr %q monotonic, align 8; "
        f"{masked}{step}%s = getelementptr i32, ptr %o, i64 %m; %v = load i32, ptr %s, align 4; ret i32 %v"
    )


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        # There is as much memory as an index may lead to, and where it may lead to any, more than to others.
        (index("and i64 %h, 7"), index("and i64 %h, 3"), WRONG),
        (index("and i64 %h, 3", 16), index("and i64 %h, 1", 16), WRONG),
        (index(""), index("and i64 %h, 3"), WRONG),
        (index("urem i64 %h, 6"), index("urem i64 %h, 5"), WRONG),
        (index("lshr i64 %h, 61"), index("lshr i64 %h, 62"), WRONG),
        (index("and i64 %h, 7"), index("urem i64 %h, 8"), SOUND),
        # What counts from behind leads to memory before the pointer.
        (index("sub i64 %h, 1"), index("call i64 @llvm.usub.sat.i64(i64 %h, i64 1)"), WRONG),
        (index("or i64 %h, -2"), index("or i64 %h, -1"), WRONG),
        (index("lshr i64 %h, 63"), index("lshr i64 %h, 63"), SOUND),
    ],
)
def test_an_index_that_is_read_leads_to_memory(before: str, after: str, code: int, tmp_path: Path) -> None:
    text = pair(before, after, parameters="ptr %p, ptr %q") + "declare i64 @llvm.usub.sat.i64(i64, i64)\n"
    assert asked(tmp_path, text, "--model", "llvm") == code


def test_how_far_an_index_leads_at_most_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = pair(index(""), index("").replace("monotonic", "acquire"), parameters="ptr %p, ptr %q")
    assert asked(tmp_path, text, "--model", "llvm") == SOUND
    assert "assumed: %p leads to 20 bytes" in capsys.readouterr().out
    text = pair(index("and i64 %h, 8191"), index("and i64 %h, 4095"), parameters="ptr %p, ptr %q")
    asked(tmp_path, text, "--model", "llvm", "--context", "0")
    assert "no counterexample in contexts of up to 0 operations" in capsys.readouterr().out
