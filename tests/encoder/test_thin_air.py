"""Values out of thin air are decided: is there a consistent execution in which values form a cycle?

Expected outcomes are derived by hand: a cycle of values that a model permits has the values that the program's
operations leave it, all of them if they leave any. Both engines say the same.
"""

from __future__ import annotations

import pytest

import axmem
from axmem.encoder.engines import Engine
from axmem.front.source import Source
from axmem.litmus.syntax import LitmusTest
from axmem.model.library import load_text

WEAK = "llvm[ota=any]"
"""A model that permits cycles of values."""
UNTRIED = "values out of thin air were tried from the constants of the test only"


def load_buffering(first: str, second: str, condition: str) -> LitmusTest:
    """Return load buffering in which each thread writes what is given of the register r0 that it read."""
    threads = "\n".join(
        f"thread P{n} {{\n  r0 = load atomic {a} monotonic\n  {write.format(b)}\n}}"
        for n, (a, b, write) in enumerate((("x", "y", first), ("y", "x", second)))
    )
    return axmem.parse(f"litmus LB\nglobal x = 0, y = 0\n{threads}\n{condition}\n", "LB")


def copying(value: str = "r0") -> str:
    return f"store atomic {value}, {{}} monotonic"


CASES = {
    # Nothing bounds what is copied round; a value that the condition asks about is tried, so that the verdict is known.
    "copied": (load_buffering(copying(), copying(), "exists (P0:r0=42)"), "sometimes", UNTRIED),
    "copied-negative": (load_buffering(copying(), copying(), "exists (P0:r0=-7)"), "sometimes", UNTRIED),
    # One thread leaves one bit: the cycle has 0 or 1.
    "masked": (load_buffering(copying(), copying("r0 & 1"), "exists (P0:r0=1)"), "sometimes", ""),
    "masked-else": (load_buffering(copying(), copying("r0 & 1"), "exists (P0:r0=2)"), "never", ""),
    "compared": (load_buffering(copying("zext i1 (icmp eq r0, 3) to i32"), copying(), "exists (P1:r0=1)"), "never", ""),
    # There is no cycle of values where one thread writes a constant, whatever it read.
    "one-way": (load_buffering(copying(), copying("1"), r"exists (P0:r0=1 /\ P1:r0=1)"), "sometimes", ""),
    "false-dependency": (load_buffering(copying("r0 ^ r0"), copying(), "exists (P0:r0=1)"), "never", ""),
    # No value is its own successor: tried values do not fit, and the others are not known.
    "increment": (load_buffering(copying(), copying("r0 + 1"), "exists (P0:r0=42)"), "unknown", UNTRIED),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("engine", [Engine.AUTO, Engine.ORACLE])
def test_a_cycle_of_values_is_decided(case: str, engine: Engine) -> None:
    test, verdict, why = CASES[case]
    found = axmem.outcomes(test, WEAK, engine=engine)
    assert str(found.verdict) == verdict
    assert (why in map(str, found.incomplete)) == bool(why)


@pytest.mark.parametrize("case", CASES)
def test_a_model_that_forbids_cycles_of_values_knows_all(case: str) -> None:
    test, _, _ = CASES[case]
    assert not axmem.outcomes(test, "llvm").incomplete


def test_a_model_need_not_say_plainly_that_it_forbids_them() -> None:
    """What is asked is whether there is an execution, not how the rule is written."""
    cat = "let step = rf | (rf ; rmw)\nacyclic (step & (_ * _)) | (po & (_ * _))\nacyclic po-loc | rf | co | fr"
    model = load_text(Source("indirect.cat", cat))
    assert not model.analyses.recursion.forbids_thin_air()
    for engine in (Engine.AUTO, Engine.ORACLE):
        found = axmem.outcomes(CASES["copied"][0], model, engine=engine)
        assert (str(found.verdict), found.incomplete) == ("never", ())


ROUND = """litmus Round
global x = 0, y = 0, z = 0
thread P0 @ workgroup 0 {{
  r0 = load atomic x monotonic
  store atomic r0, y monotonic
  {own}
}}
thread P1 @ workgroup 1 {{
  r0 = load atomic y monotonic
  store atomic r0, z monotonic
}}
thread P2 @ workgroup 0 {{
  r0 = load atomic z monotonic
  store atomic r0, x monotonic
}}
{other}
exists (true)
"""


@pytest.mark.parametrize("engine", [Engine.TABLE, Engine.Z3, Engine.ORACLE])
@pytest.mark.parametrize(
    ("own", "other", "undefined"),
    [
        # The plain store comes after the load of x in its own thread: the load may not see it, and all that it may see
        # is atomic. If it returns undef, then only because it does.
        ("if r0 == 2 { } else { store 2, x }", "", False),
        # The load may see a plain store with which it races: it is undef, and hands it on, round and round.
        ("", "thread P3 @ workgroup 2 { store 2, x }", True),
    ],
    ids=["from-nowhere", "from-a-race"],
)
def test_undef_that_goes_round_began_somewhere(own: str, other: str, undefined: bool, engine: Engine) -> None:
    test = axmem.parse(ROUND.format(own=own, other=other), "Round")
    states = {tuple(state.split()) for state in axmem.outcomes(test, "amdgpu[ota=any]", engine=engine).states()}
    assert (tuple(f"P{n}:r0=undef" for n in range(3)) in states) == undefined
    assert ("P1:r0=0", "P2:r0=0") in {state[1:] for state in states}
