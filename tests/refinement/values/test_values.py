"""A sample of the pairs of `make values`: none that is called sound is refuted, and wrong ones are found."""

from __future__ import annotations

import shutil

import pytest

from axmem.refinement.inclusion import SOUND, UNSOUND
from tests.refinement.values.attacks import attacked
from tests.refinement.values.pairs import drawn
from tests.refinement.values.sequential import differing

SAMPLE = range(9005, 9013)


@pytest.fixture(scope="module")
def verdicts() -> dict[int, str]:
    found = [attacked(seed, attacks=3, size=0) for seed in SAMPLE]
    assert not [each.refuted for each in found if each.refuted and each.verdict != UNSOUND]
    assert any(each.refuted for each in found)
    return {each.seed: each.verdict for each in found}


def test_answers_are_not_refuted(verdicts: dict[int, str]) -> None:
    assert {SOUND, UNSOUND} <= set(verdicts.values()) and "refused" not in verdicts.values()


@pytest.mark.skipif(shutil.which("lli-22") is None, reason="needs lli-22")
def test_the_interpreter_agrees(verdicts: dict[int, str]) -> None:
    """And it is able to disagree: most pairs that are unsound by themselves differ there, too."""
    assert not differing([drawn(seed) for seed, verdict in verdicts.items() if verdict == SOUND])
    assert differing([drawn(seed) for seed, verdict in verdicts.items() if verdict == UNSOUND])


@pytest.mark.skipif(shutil.which("lli-22") is None, reason="needs lli-22")
def test_a_weak_compare_exchange_may_fail_where_that_of_lli_does_not() -> None:
    """After the change fewer numbers lead to it: before it may have failed for the others, as it is sound."""
    assert "cmpxchg weak" in drawn(98035).text
    assert not differing([drawn(98035)])
