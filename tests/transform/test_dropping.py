"""Metadata may be deleted: on the corpus no outcome is new without tags, and none is another without LoopIDs.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.litmus.syntax import ModelChoice
from axmem.refinement.pairs import refine
from tests.corpus import corpus_test
from tests.drawn import WHOLE
from tests.paths import CORPUS_TESTS, ROOT
from tests.transform.dropping import loop_ids, tagged, without_loop_ids, without_tags

MODELS = (ModelChoice("llvm"), ModelChoice("amdgpu"))
EXPLICIT = tuple(ModelChoice(each.model, (("mmra.vulkan", "explicit"),)) for each in MODELS)
TAGGED = [path for path in CORPUS_TESTS if tagged(corpus_test(path))]
LOOPS = [
    p for p in (*CORPUS_TESTS, *sorted((ROOT / "litmus" / "examples").glob("*.litmus"))) if loop_ids(corpus_test(p))
]


def verdicts(path: Path, *, everything: bool) -> list[str]:
    """Return where a test without tags does what it did not."""
    test = corpus_test(path)
    found = []
    for what, after, becomes_nonprivate in without_tags(test):
        if everything or what == "all":
            asked = EXPLICIT if becomes_nonprivate else MODELS
            verdict = {model.label: refine(test, after, model).verdict for model in asked}
            found += [f"{path.stem}, {what}, {label}: {v}" for label, v in verdict.items() if v != "sound"]
    return found


@pytest.mark.parametrize("part", range(4))
def test_dropping_all_tags_of_a_test_adds_no_outcome(part: int) -> None:
    """[MMRA] "Consequences"; `python -m tests.long.dropping` also takes the tags of each statement alone."""
    assert len(TAGGED) > 100
    assert [word for path in TAGGED[part :: 8 if WHOLE else 32] for word in verdicts(path, everything=False)] == []


def test_an_atomic_that_loses_private_is_the_one_exception() -> None:
    """docs/references.md; with `mmra.vulkan=explicit` it is none."""
    (path,) = [path for path in TAGGED if path.stem == "Vulkan+private-atomic"]
    assert verdicts(path, everything=True) == []
    test = corpus_test(path)
    found = {what: (after, private) for what, after, private in without_tags(test) if what != "all"}
    weaker = {what for what, (after, _) in found.items() if refine(test, after, MODELS[0]).verdict == "unsound"}
    assert weaker == {what for what, (_, private) in found.items() if private} == {"(0, 1)", "(1, 0)"}


def test_dropping_loop_metadata_changes_nothing() -> None:
    """Section "Overview": without such metadata a program means the same, both ways, under both models."""
    assert LOOPS
    for path in LOOPS:
        test = corpus_test(path)
        after = without_loop_ids(test)
        for model in MODELS:
            assert refine(test, after, model).verdict == refine(after, test, model).verdict == "sound"
