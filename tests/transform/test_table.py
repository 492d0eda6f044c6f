"""The table of transformations and bodies: a sample of it, found again, with mutants that kill its verdicts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from axmem.refinement.bodies import BODIES, DEEDS
from axmem.refinement.contexts import HOLDS, REFUTED, Finding
from axmem.refinement.inclusion import SOUND, UNSOUND
from axmem.refinement.soundness import FAMILIES, SAME
from axmem.refinement.transforms import Cell, Question, cell, killers

SOUND_AND_KILLED = {
    # A body that may be transformed, and the one that side conditions keep apart from it.
    "distribute": ("data, then flag", "flag, then data"),
    "interchange": ("plain data", "acquire fence last"),
    "LICM": ("plain data", "data, then acquire"),
}


@pytest.mark.parametrize("deed", SOUND_AND_KILLED)
def test_a_sound_change_of_order_is_unsound_without_its_side_condition(deed: str) -> None:
    good, bad = (cell(Question(deed, body, "llvm", wide=2, small=2)) for body in SOUND_AND_KILLED[deed])
    assert (good.refused, good.verdict, good.how) == ((), SOUND, FAMILIES)
    # Two operations are needed: one alone cannot tell an order.
    assert bad.refused and (bad.verdict, bad.finding.events) == (UNSOUND, 2)
    assert bad.finding.counterexample is not None and not bad.finding.reasons, "both engines say so"
    assert killers([good, bad]) == {good.question: bad}
    assert killers([good]) == {good.question: None}


@pytest.mark.parametrize("body", ["compare-exchange", "barrier", "spin"])
def test_unrolled_kernels_have_the_same_events(body: str) -> None:
    """They are not straight, and no context need be tried."""
    found = cell(Question("unroll", body, "amdgpu"))
    assert (found.refused, found.verdict, found.how) == ((), SOUND, SAME)


def test_whom_a_mutant_kills() -> None:
    """The body that stands against another comes first; what is refused, or changes no order, needs none."""
    names = {body.name: body.against for body in BODIES}
    assert set(names.values()) <= set(names)
    bad = [Cell(Question("distribute", b, "llvm"), ("why",), finding=Finding(REFUTED, 2)) for b in list(names)[1:3]]
    good = Cell(Question("distribute", "acquire, then data", "llvm"), finding=Finding(HOLDS, 2))
    assert killers([*bad, good]) == {good.question: bad[1]}
    refused = replace(good, refused=("why",))
    unrolled = replace(good, question=replace(good.question, deed="unroll"))
    assert killers([*bad, refused, unrolled]) == {}
    assert [deed.name for deed in DEEDS if not deed.reorders] == ["unroll"]
