"""The verdicts on transformations of loops that were worked out on paper, as pairs of litmus tests."""

from __future__ import annotations

import pytest

from axmem.check.results import outcomes
from axmem.check.selection import loaded
from axmem.litmus.parser import parse
from axmem.refinement.pairs import refine
from tests.transform.verdicts import VERDICTS, Verdict


def test_there_are_15_sound_and_11_unsound_ones() -> None:
    assert [sum(v.sound is sound for v in VERDICTS) for sound in (True, False)] == [15, 11]


@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
@pytest.mark.parametrize("case", VERDICTS, ids=lambda v: v.name)
def test_verdicts(case: Verdict, model: str) -> None:
    found = refine(case.text("before"), case.text("after"), model, explained=False)
    assert found.verdict == ("sound" if case.sound else "unsound"), (case.why, found.new)
    if case.counts:
        sides = [outcomes(parse(case.text(side), side), loaded(model)) for side in ("before", "after")]
        assert tuple(len(side.outcomes) for side in sides) == case.counts
