"""Circuits over times: an order has a solution just if some integers have it; counting counts."""

from __future__ import annotations

from itertools import product

import pytest

from axmem.encoder.limits import SAT, STEP_LIMIT, UNKNOWN, UNSAT
from axmem.encoder.solver import Session
from axmem.encoder.timing import TimedCircuit, TimedQuery

SESSION = Session()
PAIRS = [(0, 1), (1, 2), (2, 0)]


@pytest.mark.parametrize("asked", list(product(("before", "at_once", "not_after"), repeat=len(PAIRS))), ids="-".join)
def test_orders_are_those_of_integers(asked: tuple[str, ...]) -> None:
    """Each truth of three statements about three times is possible just if numbers have it."""
    circuit = TimedCircuit()
    times = [circuit.time() for _ in PAIRS]
    literals = [getattr(circuit, word)(times[a], times[b]) for word, (a, b) in zip(asked, PAIRS, strict=True)]
    query = TimedQuery(SESSION, circuit, literals)
    means = {"before": int.__lt__, "at_once": int.__eq__, "not_after": int.__le__}
    possible = {
        tuple(means[word](numbers[a], numbers[b]) for word, (a, b) in zip(asked, PAIRS, strict=True))
        for numbers in product(range(3), repeat=3)
    }
    for truth in product((False, True), repeat=len(PAIRS)):
        answer = query.check([x if true else -x for x, true in zip(literals, truth, strict=True)])
        assert answer == (SAT if truth in possible else UNSAT)


def test_implications_and_agreement() -> None:
    circuit = TimedCircuit()
    given, other, a, b = (circuit.variable() for _ in range(4))
    circuit.imply((given, other), a, b)
    circuit.agree((given,), a, b)
    query = TimedQuery(SESSION, circuit, [])
    for truth in product((False, True), repeat=4):
        g, o, x, y = truth
        answer = query.check([v if true else -v for v, true in zip((given, other, a, b), truth, strict=True)])
        assert answer == (SAT if (not (g and o) or x or y) and (not g or x == y) else UNSAT)


def test_the_core_names_assumptions_that_were_used() -> None:
    circuit = TimedCircuit()
    first, second, third = (circuit.time() for _ in range(3))
    circle = [circuit.before(first, second), circuit.before(second, third), circuit.before(third, first)]
    idle = circuit.variable()
    query = TimedQuery(SESSION, circuit, [*circle, idle])
    assert query.check([*circle, idle]) == UNSAT
    assert query.core([*circle, idle]) == tuple(circle)


def test_effort_is_a_limit() -> None:
    """So many times in a row, each pair of them apart, less room than they need."""
    circuit = TimedCircuit()
    first, last, *times = (circuit.time() for _ in range(14))
    for k, a in enumerate(times):
        circuit.add(circuit.before(first, a))
        circuit.add(circuit.before(a, last))
        for b in times[:k]:
            circuit.add(-circuit.at_once(a, b))
    circuit.add(-circuit.at_least(1, [circuit.before(a, b) for k, a in enumerate(times) for b in times[:k]]))
    query = TimedQuery(SESSION, circuit, [], effort=1)
    assert (query.check(), query.why) == (UNKNOWN, STEP_LIMIT)
    assert TimedQuery(SESSION, circuit, []).check() == SAT


@pytest.mark.parametrize("count", range(6))
def test_at_least(count: int) -> None:
    circuit = TimedCircuit()
    inputs = [circuit.variable() for _ in range(4)]
    literal = circuit.at_least(count, inputs)
    query = TimedQuery(SESSION, circuit, [literal])
    for truth in product((False, True), repeat=4):
        assumed = [x if true else -x for x, true in zip(inputs, truth, strict=True)]
        assert query.check([*assumed, literal]) == (SAT if sum(truth) >= count else UNSAT)
        assert query.check([*assumed, -literal]) == (SAT if sum(truth) < count else UNSAT)
