"""What searches ask of executions: loads that a change makes undefined refute it, whatever stands for a load that is
gone; and what any axiom forbids is no execution."""

from __future__ import annotations

import pytest

from axmem.front.source import Source
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded_check import HOLDS, REFUTED, check, rule_claim
from axmem.refinement.claims import property_claim
from axmem.refinement.fragments import parse_rule
from axmem.refinement.rules import CORE
from tests.drawn import some

ATOMIC, PLAIN = "$r = load atomic $x monotonic", "$r = load $x"
GONE = "$s = load {}\n  $r = $s"


def checked(before: str, after: str) -> tuple[str, str]:
    """Return what is said of a rule in contexts of one operation, and the outcome that refutes it."""
    text = f"rule changed\nbefore {{\n  {before}\n}}\nafter {{\n  {after}\n}}\n"
    found = check(rule_claim(parse_rule(Source("changed.rule", text)), ModelChoice("llvm")), 1)
    return found.status, found.counterexample.outcome if found.counterexample else ""


@pytest.mark.parametrize(("before", "after"), some([
    (ATOMIC, PLAIN),
    (f"{ATOMIC}\n  $s = load $x", GONE.format("$x")),
], of=2))  # fmt: skip
def test_a_load_that_races_where_none_did_refutes_a_rule(before: str, after: str) -> None:
    """Its own load becomes plain; and a plain load stands for an atomic one."""
    status, outcome = checked(before, after)
    assert status == REFUTED
    assert "P0:r0=undef" in outcome


@pytest.mark.parametrize(("before", "after"), some([
    (PLAIN, ATOMIC),
    (f"{PLAIN}\n  $s = load atomic $x monotonic", GONE.format("atomic $x monotonic")),
], of=2))  # fmt: skip
def test_a_load_that_no_longer_races_refutes_nothing(before: str, after: str) -> None:
    assert checked(before, after) == (HOLDS, "")


def test_what_an_axiom_forbids_is_no_execution() -> None:
    """The axiom is no order that the model names, which is what is asked for first."""
    claim = property_claim("~empty (rf \\ may-see) as denied", ModelChoice("llvm"), CORE)
    assert check(claim, 2).status == HOLDS
