"""The SAT solver and Z3 answer alike: random clauses under assumptions, and changes in every context.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from random import Random

import pytest

from axmem.encoder import sat
from axmem.encoder.limits import SAT, STEP_LIMIT, UNKNOWN, UNSAT
from axmem.encoder.solver import Query, Session
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.changed import Change
from axmem.refinement.everywhere import scene, sound_everywhere
from tests.drawn import some

VARIABLES = 12
Clause = tuple[int, ...]


def clauses(random: Random, count: int) -> list[Clause]:
    """Return random clauses of three literals."""
    return [tuple(random.choice((1, -1)) * x for x in random.sample(range(1, VARIABLES + 1), 3)) for _ in range(count)]


def holds(clause: Clause, truth: dict[int, bool]) -> bool:
    """Whether a clause holds in a solution."""
    return any(truth[abs(x)] == (x > 0) for x in clause)


@pytest.mark.parametrize("seed", range(20))
def test_both_solvers_answer_alike(seed: int) -> None:
    """A question that grows, under assumptions: the same answers, solutions that are some, cores that refute."""
    pytest.importorskip("pysolvers", reason="python-sat is not installed: Z3 answers everything")
    random, session = Random(seed), Session()
    one, other = Query(session, 1, []), sat.SatQuery(1, [])
    known: list[Clause] = []
    for _ in range(6):
        new = clauses(random, 10)
        known += new
        assumed = [random.choice((1, -1)) * x for x in random.sample(range(1, VARIABLES + 1), 3)]
        for query in (one, other):
            query.add(VARIABLES, new)
        answer = other.check(assumed)
        assert answer == one.check(assumed)
        if answer == SAT:
            truth = other.solution(range(1, VARIABLES + 1))
            assert all(holds(clause, truth) for clause in (*known, *((x,) for x in assumed)))
        else:
            core = other.refuting()
            assert answer == UNSAT and core <= set(assumed)
            assert one.check(sorted(core)) == UNSAT


def test_a_limit_of_steps_is_met_and_lifted() -> None:
    """Eight pigeons do not fit into seven holes, which takes more conflicts than one step is worth."""
    pytest.importorskip("pysolvers", reason="python-sat is not installed: Z3 answers everything")
    size = 7
    places = [[p * size + h + 1 for h in range(size)] for p in range(size + 1)]
    found = [tuple(row) for row in places]
    found += [(-a[h], -b[h]) for h in range(size) for i, a in enumerate(places) for b in places[:i]]
    query = sat.SatQuery(size * (size + 1), found)
    query.limit_steps(1)
    assert query.check() == UNKNOWN and query.why == STEP_LIMIT
    query.limit_steps(0)
    assert query.check() == UNSAT


def test_long_propagations_are_limited_too() -> None:
    """A chain of implications has no conflict, but takes a propagation for each."""
    pytest.importorskip("pysolvers", reason="python-sat is not installed: Z3 answers everything")
    length = 10 * sat.PROPAGATIONS_OF_A_STEP
    query = sat.SatQuery(length, [(-k, k + 1) for k in range(1, length)])
    query.limit_steps(1)
    assert query.check([1]) == UNKNOWN and query.why == STEP_LIMIT
    query.limit_steps(0)
    assert query.check([1]) == SAT


CHANGES = (
    ("r0 = load atomic x acquire\nr1 = load y", "r1 = load y\nr0 = load atomic x acquire"),
    ("r0 = load x\nr1 = load y", "r1 = load y\nr0 = load x"),
    ("r0 = atomicrmw add x, 0 monotonic", "r0 = load atomic x monotonic"),
    ("store 1, x\nr0 = load x", "store 1, x\nr0 = 1"),
)


@pytest.mark.parametrize("change", some(CHANGES, of=3))
def test_changes_are_judged_alike(change: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A change is sound or not, whichever solver is asked, and a counterexample is of as many operations."""
    pytest.importorskip("pysolvers", reason="python-sat is not installed: Z3 answers everything")
    head = "litmus t\nglobal x = 0, y = 0\nthread P {\n"
    before, after = (parse(f"{head}{body}\n}}\n", "pair") for body in change)
    found = []
    for there in (True, False):
        monkeypatch.setattr(sat, "installed", lambda there=there: there)
        answer = sound_everywhere(scene(Change(before, after), ModelChoice("llvm")), 2)
        found.append((answer.status, answer.events))
    assert found[0] == found[1]
