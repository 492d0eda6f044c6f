"""Changes of rows in every context: by families of programs, and one context after the other."""

from __future__ import annotations

import pytest

from axmem.families.bound import Bound
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import OperationKind, Ordering
from axmem.refinement.changed import Change
from axmem.refinement.contexts import HOLDS, REFUTED
from axmem.refinement.pairs import refine
from axmem.refinement.rows import Winding
from axmem.refinement.rules import CORE
from axmem.refinement.transformed import paired_rows, sound_in_contexts, sound_in_families
from tests.transform.verdicts import VERDICTS, Verdict, alone

SMALL = Bound(
    kinds=(OperationKind.LOAD, OperationKind.STORE, OperationKind.FENCE),
    orderings=(Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.RELEASE),
    apart=True,
    finals=False,
)
LLVM, AMDGPU = ModelChoice("llvm"), ModelChoice("amdgpu")

STRAIGHT = tuple(v for v in VERDICTS if "if " not in v.before and "assume" not in v.before)
OTHER_OBSERVERS = {
    # A fence that goes up over the flag of an iteration before it takes that flag out of what it releases: who reads
    # the second flag need not see the first. The observers of the verdict do not look at both.
    "distribute: data and fence, then flag",
    "distribute: data, then flag, one fence after all data",
}


def change(case: Verdict) -> Change:
    """Return what a case does to its one thread, with nobody beside it."""
    return Change(parse(alone(case, "before"), "before"), parse(alone(case, "after"), "after"))


def test_most_bodies_are_straight() -> None:
    assert len(STRAIGHT) == 22
    for case in set(VERDICTS) - set(STRAIGHT):
        with pytest.raises(Winding):
            paired_rows(change(case))


@pytest.mark.parametrize("case", STRAIGHT, ids=lambda v: v.name)
def test_what_an_observer_refutes_is_refuted_in_some_context(case: Verdict) -> None:
    """Every observer of the verdicts has a context of two operations that does as well."""
    found = sound_in_families(paired_rows(change(case)), LLVM, 2, CORE)
    assert found.status == (HOLDS if case.sound and case.name not in OTHER_OBSERVERS else REFUTED), found.reasons
    if found.counterexample is not None:
        shown = found.counterexample
        assert refine(shown.before, shown.after, LLVM, explained=False).verdict == "unsound"
        # Two operations are needed: one alone cannot tell an order.
        assert found.events == 2


@pytest.mark.parametrize("case", STRAIGHT[::4], ids=lambda v: v.name)
def test_families_and_contexts_agree(case: Verdict) -> None:
    """Both ways find a context of one operation, or none; `tests.long` has those of two, of every body."""
    both = paired_rows(change(case))
    here = sound_in_families(both, AMDGPU, 1, SMALL)
    there = sound_in_contexts(change(case), AMDGPU, 1, SMALL)
    assert (here.status, here.events) == (there.status, there.events)


def test_they_agree_on_two_operations() -> None:
    (case,) = (v for v in STRAIGHT if v.name == "LICM: relaxed load over an acquire fence")
    here = sound_in_families(paired_rows(change(case)), LLVM, 2, SMALL)
    there = sound_in_contexts(change(case), LLVM, 2, SMALL)
    assert here.status == there.status == REFUTED
