"""The propagator's enumeration against blocking clauses, and questions without all outcomes against those with them.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import gc
from functools import cache
from pathlib import Path
from weakref import ref

import pytest

from axmem.check.decide import decide
from axmem.check.results import result_of
from axmem.encoder.engines import Engine
from axmem.encoder.limits import SAT, UNSAT
from axmem.encoder.search import BlockingEnumerator, Enumerator
from axmem.encoder.solve import Limits, Solved, solve
from axmem.encoder.solver import Session
from axmem.events.unroll import event_graph
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.model.library import load
from tests.corpus import FAR, corpus_graph, corpus_test
from tests.drawn import WHOLE, some
from tests.paths import CORPUS_TESTS

WRITERS = "global x = 0\n" + "".join(f"thread W{i} {{ store atomic {i}, x monotonic }}\n" for i in range(1, 5))
COHERENCE = f"litmus CO\n{WRITERS}thread R {{\n r1 = load atomic x monotonic\n r2 = load atomic x monotonic\n}}\n"


SESSION = Session()


@cache
def solved(path: Path, model: str) -> Solved:
    """Return all outcomes of a test of the corpus, found by the engine that is fit."""
    return solve(corpus_graph(path, load(model)), load(model), session=SESSION)


@pytest.mark.parametrize("model", ["sc", "llvm", "amdgpu"])
def test_enumerations_agree_on_the_corpus(model: str) -> None:
    """Those inside one call of the solver, by repeated calls, and in tables: of every 144th test, or of every third.

    `test_differential` holds the first and the last against brute force on every test that it reaches; here are those,
    too, that it does not reach.
    """
    loaded, session = load(model), Session()
    for number, path in enumerate(CORPUS_TESTS):
        if number % (3 if WHOLE else 144) == 0 or path.stem in FAR:
            graph, fit = corpus_graph(path, loaded), solved(path, model)
            inside, outside = (
                solve(graph, loaded, session=session, engine=Engine.Z3, blocking=blocking) for blocking in (False, True)
            )
            assert (inside.outcomes, inside.flags) == (outside.outcomes, outside.flags), path.name
            assert len(inside.rows) == len(outside.rows) == len(fit.rows) == len(inside.outcomes), path.name
            found = inside.outcomes, inside.flags, inside.undefined
            assert (fit.outcomes, fit.flags, fit.undefined) == found, path.name


@pytest.mark.parametrize("method", [Enumerator, BlockingEnumerator])
def test_all_solutions_of_clauses(method: type[Enumerator]) -> None:
    """Variables 2, 3, 4 with 2 or 3: six solutions, of which the groups (2, -2), (3, -3) show three."""
    query = method(Session(), 4, [(1,), (2, 3), (4, -4)], [(2, -2), (3, -3)])
    found: list[tuple[int, ...]] = []

    def note(chosen: tuple[int, ...]) -> bool:
        found.append(chosen)
        return True

    assert query.enumerate(note, [], 0) == UNSAT
    assert sorted(found) == [(-2, 3), (2, -3), (2, 3)]


@pytest.mark.parametrize("method", [Enumerator, BlockingEnumerator])
def test_enumeration_under_an_assumption_leaves_the_rest(method: type[Enumerator]) -> None:
    query = method(Session(), 3, [(1,), (2, 3)], [(2, -2), (3, -3)])
    found: list[tuple[int, ...]] = []

    def note(chosen: tuple[int, ...]) -> bool:
        found.append(chosen)
        return True

    assert query.enumerate(note, [-2], 0) == UNSAT
    assert found == [(-2, 3)]
    assert query.check([2]) == SAT


def test_an_exception_while_noting_comes_out() -> None:
    query = Enumerator(Session(), 3, [(1,), (2, 3)], [(2, -2), (3, -3)])

    def fail(chosen: tuple[int, ...]) -> bool:
        raise ValueError(chosen)

    with pytest.raises(ValueError, match="2"):
        query.enumerate(fail, [], 0)


@pytest.mark.parametrize("blocking", [False, True])
def test_the_limit_of_outcomes_is_kept_and_named(blocking: bool) -> None:
    model = load("llvm")
    solved = solve(event_graph(parse(COHERENCE)), model, Limits(outcomes=5), engine=Engine.Z3, blocking=blocking)
    assert len(solved.outcomes) == 5
    assert tuple(map(str, solved.incomplete)) == ("the limit of 5 outcomes was reached",)
    whole = solve(event_graph(parse(COHERENCE)), model, engine=Engine.Z3, blocking=blocking)
    assert len(whole.outcomes) == 4 * 4 + 4 + 1


def test_what_a_limit_of_outcomes_leaves_does_not_depend_on_earlier_queries() -> None:
    model, session = load("llvm"), Session()
    for path in some(CORPUS_TESTS[::8]):
        graph, limits = corpus_graph(path, model), Limits(outcomes=2)
        for engine in (Engine.AUTO, Engine.Z3):
            first = solve(graph, model, limits, session, engine)
            assert first.outcomes == solve(graph, model, limits, Session(), engine).outcomes, path
        solve(graph, model, session=session, engine=Engine.Z3)


def test_the_limit_of_time_is_named() -> None:
    solved = solve(event_graph(parse(COHERENCE)), load("llvm"), Limits(seconds=0.0))
    assert tuple(map(str, solved.incomplete)) == ("the time limit was reached",)


@pytest.mark.parametrize("undef", some(["wild", "literal"], of=2))
@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
def test_the_condition_alone_has_the_verdict_of_all_outcomes(model: str, undef: str) -> None:
    """The setting is about what is said of outcomes, so that these are those of the model without it.

    Two of 48 tests are asked, each under one setting; `make test-long` asks all under both.
    """
    session, chosen = Session(), f"{model}[undef.exists={undef}]"
    plain, setting = load(model), load(model, {"undef.exists": undef})
    assert (setting.terms, setting.axioms, setting.undefs) == (plain.terms, plain.axioms, plain.undefs)
    for number, path in enumerate(CORPUS_TESTS):
        if not WHOLE and number % 48 != (undef == "wild"):
            continue
        test = corpus_test(path)
        whole = result_of(test, setting, corpus_graph(path, setting), solved(path, model), 0.0)
        names = [c.name for c in whole.columns[:1]]
        for engine in (Engine.AUTO, Engine.Z3)[: 1 + (number % 4 < 2)]:
            asked = decide(test, chosen, columns=names, session=session, engine=engine)
            assert (asked.verdict, asked.undefined, asked.flags) == (whole.verdict, whole.undefined, whole.flags), path
            if names:
                assert {row[0] for row in asked.outcomes} == {row[0] for row in whole.outcomes}, path.name


def test_an_unknown_column_is_an_input_error() -> None:
    with pytest.raises(InputError, match="did you mean 'R:r1'"):
        decide(parse(COHERENCE), "llvm", columns=["R:r11"])


def test_freeze_needs_all_outcomes() -> None:
    with pytest.raises(InputError, match=r"undef\.exists=freeze needs all outcomes"):
        decide(COHERENCE, "llvm[undef.exists=freeze]")


def test_what_nobody_looks_at_is_found_where_it_is_little_or_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two reads of five values each, of which the second does not go back to what was before all writes."""
    assert len(decide(COHERENCE, "llvm", columns=None).outcomes) == 5 * 5 - 4
    monkeypatch.setattr("axmem.check.decide.MANY", 24)
    assert decide(COHERENCE, "llvm", columns=None).outcomes == ()
    assert len(decide(COHERENCE, "llvm[undef.exists=freeze]", columns=None).outcomes) == 5 * 5 - 4


@pytest.mark.parametrize("callback", ["pop", "fixed", "final"])
def test_an_exception_in_a_callback_is_neither_lost_nor_an_answer(
    callback: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError(callback)

    graph = event_graph(parse(COHERENCE))
    monkeypatch.setattr(Enumerator, callback, fail)
    with pytest.raises(MemoryError, match=callback):
        solve(graph, load("llvm"), engine=Engine.Z3)


def test_a_session_is_let_go_when_nobody_uses_it() -> None:
    session = Session()
    graph = event_graph(parse(COHERENCE))
    assert solve(graph, load("llvm"), session=session, engine=Engine.Z3).outcomes
    query = Enumerator(session, 1, [], [])
    gone = ref(session)
    del session
    gc.disable()
    try:
        assert gone() is not None
        del query
        assert gone() is None
    finally:
        gc.enable()
