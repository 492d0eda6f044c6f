"""What proofs assume of the primitives, held against the engines: every fact holds in every execution."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.encoder.oracle import enumerate_outcomes
from axmem.encoder.solve import Limits, solve
from axmem.encoder.solver import Session
from axmem.front.source import Source
from axmem.litmus.words import AMDGPU
from axmem.model.facts import PREMISES, Fact, as_cat, facts
from axmem.model.library import load, load_text
from axmem.model.model import Model
from tests.corpus import corpus_graph
from tests.differential.programs import Size, drawn
from tests.drawn import parts, some
from tests.paths import CORPUS_TESTS, ROOT

SESSION = Session()
SMALL = Size(candidates=60, orders=6)
FAST = Limits(seconds=20)


def flagged(some: tuple[Fact, ...], base: str = "") -> Model:
    """Return a model that allows what another does, and raises a flag where a fact fails."""
    text = as_cat("facts", some, check="flag ~empty").text.split("\n", 1)[1]
    return load_text(Source("facts.cat", f'"facts"\n{base}\n{text}'))


ANY = flagged(facts())
CONSISTENT = flagged(facts(), 'include "amdgpu.cat"')
NAMES = {fact.name for fact in facts()}


@pytest.mark.parametrize("path", some(CORPUS_TESTS), ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_facts_hold_in_the_executions_of_the_corpus(path: Path) -> None:
    graph = corpus_graph(path, CONSISTENT)
    if graph.levels == AMDGPU:
        assert not NAMES & set(solve(graph, CONSISTENT, FAST, SESSION).flags)


@pytest.mark.parametrize("number", parts(6))
def test_facts_hold_in_all_candidate_executions_of_random_programs(number: int) -> None:
    for seed in range(number * 50, number * 50 + 50):
        made = drawn(seed, SMALL)
        assert not enumerate_outcomes(made.graph, ANY).flags, made.text


def test_a_fact_that_is_false_is_found() -> None:
    wrong = flagged((Fact("wrong", "po", "loc"),))
    assert any(enumerate_outcomes(drawn(seed, SMALL).graph, wrong).flags for seed in range(20))


def test_names_are_used_once_and_no_fact_says_nothing() -> None:
    every = [*facts(), *(f for p in PREMISES.values() for f in p.facts)]
    assert len({f.name for f in facts()}) == len(facts())
    assert not {f.name for f in facts()} & {f.name for p in PREMISES.values() for f in p.facts}
    assert all(f.smaller != f.larger for f in every)


def test_facts_of_other_levels() -> None:
    """A model with levels of its own has facts of these, which its tests meet."""
    model = load(str(ROOT / "tests" / "models" / "ptx.cat"))
    names = {f.name for f in facts(model.levels)}
    assert all(f"same-{level.word}-transitive" in names for level in model.levels)
    assert load_text(as_cat("facts", facts(model.levels), model.levels)).levels == model.levels
