"""Bounds of terms: the same in both forms of relations, and what is spared decides nothing."""

from __future__ import annotations

import pytest

from axmem.encoder import outlines, termbounds
from axmem.encoder.bounds import bounds
from axmem.encoder.statics import statics
from axmem.events.unroll import events_under
from axmem.model.evaluation import Value
from axmem.model.library import load
from tests.corpus import corpus_test
from tests.paths import CORPUS, CORPUS_TESTS

TESTS = [corpus_test(path) for path in (*sorted(CORPUS.rglob("MP*.litmus"))[:6], *CORPUS_TESTS[::60])]

Found = list[tuple[Value, Value]]


def found(name: str, terms: list[int] | None = None, *, spare: bool = False) -> list[Found]:
    """Return the bounds of terms (None: of all) on each test."""
    model = load(name)
    result = []
    for test in TESTS:
        graph = events_under(test, model)
        made = bounds(graph, model, statics(graph), spare=spare)
        result.append([(made.may[t], made.must[t]) for t in (range(len(model.terms)) if terms is None else terms)])
    return result


@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
def test_bounds_are_the_same_on_rows(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = found(model)
    for module in (termbounds, outlines):
        monkeypatch.setattr(module, "LARGEST", 0)
    termbounds._steps.cache_clear()
    try:
        assert found(model) == packed
    finally:
        termbounds._steps.cache_clear()


@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
def test_what_is_spared_decides_nothing(model: str) -> None:
    terms = [a.term for a in load(model).axioms] + [u.term for u in load(model).undefs]
    assert found(model, terms, spare=True) == found(model, terms)


def test_what_makes_an_undef_read_happen_is_asked_only_where_a_read_may_be_undef() -> None:
    model = load("llvm")
    names = {d.term: d.name for d in model.definitions}
    conditions = model.analyses.emptiness.conditions
    assert [None if term is None else names[term] for term in conditions] == [None, "suspect-sees"]
    terms = [d.term for d in model.definitions if d.name == "grounded"]
    assert found("llvm", terms, spare=True) != found("llvm", terms)
