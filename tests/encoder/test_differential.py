"""The solver and the brute-force engine agree on random tests and on the whole corpus, under every model.

The random tests are fixed by their seeds: `make test` tries the first, `make test-long` all, and
`python -m tests.differential` goes on where these stop.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

from axmem.encoder.constraints import encode
from axmem.encoder.oracle import enumerate_outcomes
from axmem.encoder.solve import Limits, Solved, answer, solve
from axmem.encoder.solver import Session
from axmem.events.graph import EventGraph
from axmem.events.unroll import event_graph
from axmem.formats.reading import parse
from axmem.litmus import syntax as ast
from axmem.litmus.printer import print_test
from axmem.litmus.shrinking import shrunk
from axmem.model.library import load
from axmem.model.model import Model
from tests.corpus import FAR, corpus_graph, corpus_test, judging
from tests.differential import compare as comparing
from tests.differential.compare import Subject, compare, random_variants
from tests.differential.kinds import WRITERS
from tests.differential.programs import Drawn, Size, candidates, drawn, program
from tests.differential.search import Finding, search
from tests.drawn import WHOLE, parts, some
from tests.paths import CORPUS_TESTS

CHUNK = 9
CHUNKS = 50
VARIED_CHUNKS = 33
SESSION = Session()

FOREIGN = {"aarch64", "rc11", "tso", "vulkan"}
"""Models that the corpus was not written for."""
FEASIBLE = 3000
"""The most reads-from maps that a corpus test may have, so that both engines can be asked."""


def chunk(number: int, first: int = 0) -> range:
    return range(first + number * CHUNK, first + (number + 1) * CHUNK)


@pytest.mark.parametrize("number", parts(CHUNKS, of=CHUNKS))
def test_engines_agree_on_random_programs(number: int) -> None:
    found, incomplete = search(chunk(number), judging(), Size(), vary=False)
    assert not found, "\n".join(f.report() for f in found)
    assert not incomplete


@pytest.mark.parametrize("number", parts(VARIED_CHUNKS, of=VARIED_CHUNKS))
def test_engines_agree_under_random_variants(number: int) -> None:
    found, _ = search(chunk(number, 1_000_000), judging(), Size(), vary=True)
    assert not found, "\n".join(f.report() for f in found)


@pytest.mark.parametrize("number", parts(18, of=18))
@pytest.mark.parametrize("kind", WRITERS)
def test_engines_agree_on_tests_of_every_kind(kind: str, number: int) -> None:
    """Kernels, DMA operations, floating point, addresses that are values; the longer trial is `make fuzz`."""
    seeds, models = range(4 * number, 4 * number + 4), ("llvm", "amdgpu-next")
    found, incomplete = search(seeds, models, Size(), vary=False, kinds=(kind,))
    assert not found, "\n".join(f.report() for f in found)
    assert not incomplete


@pytest.mark.parametrize(
    "path", some([p for p in CORPUS_TESTS if p.stem not in FAR], of=50), ids=lambda p: f"{p.parent.name}/{p.stem}"
)
def test_engines_agree_on_the_corpus(path: Path) -> None:
    """Under the models of other machines and languages every third test; `make test-long` takes all of them."""
    subject = Subject(corpus_test(path))
    foreign = WHOLE or CORPUS_TESTS.index(path) % 3 == 0
    for name in judging() if foreign else sorted(set(judging()) - FOREIGN):
        model = load(name)
        comparison = compare(subject, model, SESSION)
        assert comparison.agree, f"{name}: {comparison.lines}"
        assert comparison.complete or subject.graph(model).beyond


def test_every_other_corpus_test_is_within_reach_of_brute_force() -> None:
    beyond = {path.stem for path in CORPUS_TESTS if candidates(corpus_graph(path)) > FEASIBLE}
    assert beyond == FAR


# ---------------------------------------------------------------- the comparison itself


def without_axiom(model: Model, name: str) -> Model:
    weaker = tuple(a for a in model.axioms if a.name != name)
    assert len(weaker) < len(model.axioms)
    return replace(model, axioms=weaker)


@pytest.mark.parametrize(
    ("model", "axiom", "first"),
    [
        ("sc", "sequential-consistency", 0),
        ("llvm", "reads-from-may-see", 0),
        ("llvm", "coherence-rr", 0),
        ("llvm", "atomicity", 0),
        ("llvm", "no-tearing", 60),
        ("llvm", "sequential-consistency", 55),
        ("llvm", "no-thin-air", 428),
        ("amdgpu", "reads-from-may-see", 0),
    ],
)
def test_a_solver_without_an_axiom_is_found_out(
    model: str, axiom: str, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hundred programs from a seed on are enough for each; few have values out of thin air."""

    monkeypatch.setattr(comparing, "encode", lambda graph, full: encode(graph, without_axiom(full, axiom)))
    loaded = load(model)
    programs = map(drawn, range(first, first + 200))
    assert any(not compare(Subject(d.test, d.graph), loaded, SESSION).agree for d in programs)


def test_a_solver_that_loses_an_outcome_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def poor(*question: Any) -> Solved:
        solved = answer(*question)
        return replace(solved, rows=(*sorted(solved.rows, key=str)[1:],))

    monkeypatch.setattr(comparing, "answer", poor)
    comparison = compare(parse(program(1)), load("llvm"), SESSION)
    assert [line.startswith("only the oracle has outcome") for line in comparison.lines] == [True]


def test_an_engine_that_fails_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Solved:
        raise KeyError("lost")

    monkeypatch.setattr(comparing, "answer", broken)
    assert compare(parse(program(1)), load("sc"), SESSION).lines == ("the solver fails: KeyError: 'lost'",)


def test_a_finding_is_shrunk_and_replayable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver without the order of sequential consistency is caught, with a few plain statements."""

    def weak(graph: EventGraph, full: Model) -> object:
        return encode(graph, without_axiom(full, "sequential-consistency"))

    monkeypatch.setattr(comparing, "encode", weak)
    found: list[Finding] = []
    seed = 0
    while not found:
        found, _ = search(range(seed, seed + 1), ("sc",), Size(), vary=False)
        seed += 1
    again = parse(found[0].text)
    assert not compare(again, load("sc"), SESSION).agree
    assert sum(len(t.body) for t in again.threads) <= 6
    assert not any(word in found[0].text for word in ("syncscope", "#", "<", "atomic", "if", "fence", "exists (P"))
    assert f"; seed {seed - 1}, sc" in found[0].report()


# ---------------------------------------------------------------- shrinking


def outcomes_differ(test: ast.LitmusTest) -> bool:
    return differs(event_graph(test))


def differs(graph: EventGraph) -> bool:
    return (
        solve(graph, load("llvm"), Limits(), SESSION).outcomes
        != solve(graph, load("amdgpu"), Limits(), SESSION).outcomes
    )


def test_shrinking_ends_at_a_minimal_test() -> None:
    """What two models disagree about is shrunk until every single step loses the disagreement."""
    test = next(d.test for d in map(drawn, range(2000)) if differs(d.graph))
    small = shrunk(test, outcomes_differ)
    assert outcomes_differ(small)
    assert len(print_test(small)) < len(print_test(test))
    assert shrunk(small, outcomes_differ) == small


# ---------------------------------------------------------------- the programs


def statements(test: ast.LitmusTest) -> list[ast.Statement]:
    out: list[ast.Statement] = []
    todo = [s for t in test.threads for s in t.body]
    while todo:
        statement = todo.pop()
        out.append(statement)
        if isinstance(statement, ast.If):
            todo += [*statement.then, *statement.otherwise]
    return out


IN_THREADS = {t for t in get_args(ast.Statement) if t.__module__ != "axmem.litmus.kernels"} - {
    ast.For, ast.While, ast.Transfer, ast.Track
}  # fmt: skip
"""The statements of threads, but DMA operations, which few models speak of; kernels have programs of their own."""


@pytest.fixture(scope="module")
def sample() -> list[Drawn]:
    return [drawn(seed) for seed in range(1000 if WHOLE else 400)]


def test_programs_are_the_same_for_the_same_seed() -> None:
    assert [program(s) for s in range(30)] == [program(s) for s in range(30)]
    assert len({program(s).split("\n", 1)[1] for s in range(30)}) == 30


def test_programs_use_the_whole_language(sample: list[Drawn]) -> None:
    found = [s for d in sample for s in statements(d.test)]
    assert {type(s) for s in found} == IN_THREADS
    modes = [s.mode for s in found if isinstance(s, ast.Load | ast.Store | ast.AtomicRmw | ast.CmpXchg | ast.Fence)]
    assert {m.scope for m in modes} == {ast.SyncScope(s, o) for s in ast.Scope for o in (False, True)}

    def orderings(kind: type[Any]) -> set[ast.Ordering]:
        return {s.mode.ordering for s in found if isinstance(s, kind)}

    assert orderings(ast.Load) == set(ast.Ordering) - {ast.Ordering.RELEASE, ast.Ordering.ACQ_REL}
    assert orderings(ast.Store) == set(ast.Ordering) - {ast.Ordering.ACQUIRE, ast.Ordering.ACQ_REL}
    assert len(orderings(ast.AtomicRmw)) == len(orderings(ast.CmpXchg)) == 5
    assert len(orderings(ast.Fence)) == 4
    assert {s.failure for s in found if isinstance(s, ast.CmpXchg)} == {
        ast.Ordering.MONOTONIC, ast.Ordering.ACQUIRE, ast.Ordering.SEQ_CST
    }  # fmt: skip
    assert len({s.operation for s in found if isinstance(s, ast.AtomicRmw)}) == 15
    assert all(any(getattr(m, flag) for m in modes) for flag in ("volatile", "elementwise", "av"))
    assert {len(m.tags) for m in modes} >= {0, 1, 2}
    makes = [s for s in found if isinstance(s, ast.Make)]
    assert {(s.visible, s.address is None) for s in makes} == {(v, a) for v in (False, True) for a in (False, True)}
    types = {s.type for s in found if isinstance(s, ast.Load)}
    assert {ast.Type(b) for b in (8, 16, 32, 64, 128)} <= types
    assert any(t is not None and t.lanes for t in types)
    assert any(t is not None and t.pointer is not None for t in types)


def test_programs_use_all_of_memory_and_of_the_machine(sample: list[Drawn]) -> None:
    locations = [x for d in sample for x in d.test.locations]
    assert {x.space for x in locations} == {
        ast.AddressSpace.GLOBAL, ast.AddressSpace.LDS, ast.AddressSpace.PRIVATE
    }  # fmt: skip
    assert any(x.initial is None for x in locations)
    assert any(isinstance(x.initial, ast.UndefValue) for x in locations)
    for level in list(ast.Scope)[:-1]:
        assert {t.placement[level] for d in sample for t in d.test.threads} >= {0, 1}
    graphs = [d.graph for d in sample]
    assert any(len(c.values) > 2 for g in graphs for c in g.choices)
    assert any(e.address_reads for g in graphs for e in g.events)
    assert any(e.control_reads for g in graphs for e in g.events)
    assert any(g.undefined for g in graphs)
    assert any(len(e.footprint) > 1 and e.cell % 2 for g in graphs for e in g.events)
    assert any(isinstance(o.observable, ast.FinalValue) for g in graphs for o in g.observed)


def test_programs_tell_models_apart(sample: list[Drawn]) -> None:
    """A sample in which nothing synchronizes would compare nothing: many tests must depend on the model."""
    assert sum(differs(d.graph) for d in sample[:100]) >= 3
    defined = [enumerate_outcomes(d.graph, load("llvm")) for d in sample[:50]]
    assert sum(bool(e.flags) for e in defined) >= 10
    assert sum(not e.flags for e in defined) >= 10


def test_random_variants_are_choices_that_models_have() -> None:
    chosen = [random_variants(Random(s), "amdgpu") for s in range(400)]
    assert {name for c in chosen for name in c} == {v.name for v in load("amdgpu").variants}
    assert all(load("amdgpu", c).choice[name] == value for c in chosen[:20] for name, value in c.items())
