"""Single tests know undef bit by bit: what is packed has the verdict that the parts have."""

from __future__ import annotations

import pytest

from axmem.check.results import outcomes
from axmem.encoder.engines import Engine
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test

TEST = """litmus packed
global i32 f = 0
global i32 x = 0
global i64 y = 0

thread P0 @ agent 0, workgroup 0 {{
  store i32 1, x
  store atomic i32 1, f release
}}
thread P1 @ agent 1, workgroup 0 {{
  a = load atomic i32, f acquire
  b = load i32, x
  {}
}}
exists ({})
"""
ENGINES = [Engine.TABLE, Engine.Z3, Engine.ORACLE]


def shown(body: str, condition: str, engine: Engine, *, name: str = "r") -> tuple[set[str], str]:
    """Return what a register is in the outcomes, and the verdict on the condition."""
    found = outcomes(parse(TEST.format(body, condition)), "llvm", engine=engine)
    assert found.complete
    column = [c.name for c in found.columns].index(f"P1:{name}")
    return {row[column] for row in found.texts}, found.verdict


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("h = b << 8\n  r = a | h", {"0xuuuuuu00", "257"}),
        ("r = b & 0", {"0"}),
        ("r = b & 255", {"0xuu", "1"}),
        ("z = b & 1\n  r = z << 4", {"0bu0000", "16"}),
        ("r = zext i32 b to i64", {"0xuuuuuuuu", "1"}),
        ("c = trunc i32 b to i8\n  r = zext i8 c to i32", {"0xuu", "1"}),
        ("c = b | 1\n  d = c & 1\n  r = d == 1", {"1"}),
        ("c = b << 4\n  r = c + 3", {"0xuuuuuuu3", "19"}),
        ("r = b ^ b", {"undef", "0"}),
        ("c = b << a\n  r = c & 0", {"0"}),
        ("c = a << b\n  r = c & 0", {"undef", "0"}),
    ],
)
def test_bits_that_are_known_stay_known(body: str, values: set[str], engine: Engine) -> None:
    """A shift by undef may go too far, which is poison: nothing is known of what is computed from it."""
    assert shown(body, "P1:r=0", engine)[0] == values


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        (r"P1:r=0 /\ P1:a=0", "sometimes"), (r"P1:r=512 /\ P1:a=0", "sometimes"), (r"P1:r=1 /\ P1:a=0", "never"),
        (r"P1:r=undef", "sometimes"), ("P1:r=0xuuuuuu00", "sometimes"), ("P1:r=0xuuuuuu01", "never"),
        (r"P1:a=1 /\ ~(P1:r=257)", "never"), (r"P1:r=0 \/ ~(P1:r=0)", "always"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("freezing", [False, True])
def test_conditions_ask_what_the_bits_allow(condition: str, verdict: str, freezing: bool, engine: Engine) -> None:
    if freezing and "u" in condition:
        return
    if verdict == "always" and not freezing:
        verdict = "sometimes"  # Each occurrence is another number.
    found = outcomes(
        parse(TEST.format("h = b << 8\n  r = a | h", condition)),
        "llvm[undef.exists=freeze]" if freezing else "llvm",
        engine=engine,
    )
    assert found.verdict == verdict


@pytest.mark.parametrize("engine", ENGINES)
def test_a_branch_that_known_bits_decide_is_defined(engine: Engine) -> None:
    branch = "c = b | {}\n  d = c & 1\n  if d {{ store i32 1, y }}"
    for number, verdict in ((1, "always"), (2, "undefined")):
        test = parse(TEST.format(branch.format(number), "y=1"))
        assert outcomes(test, "llvm", engine=engine).verdict == verdict


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_stored_in_part_is_loaded_in_part(engine: Engine) -> None:
    body = "store i64 0x0102, y\n  c = trunc i32 b to i8\n  store i8 c, y[1]\n  r = load i64, y"
    assert shown(body.replace("y[1]", "y+1"), "P1:r=0", engine)[0] == {"0xuu02", "258"}


def test_undef_bits_are_printed_as_they_are_read() -> None:
    test = parse(TEST.format("r = b & 255", r"P1:r=0xuu \/ P1:r=0b1u0"))
    text = print_test(test)
    assert "0xuu" in text and "0b1u0" in text
    assert parse(text).condition == test.condition
    with pytest.raises(InputError, match="malformed number '0xuug'"):
        parse(TEST.format("r = b & 255", "P1:r=0xuug"))
