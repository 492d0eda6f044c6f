"""Orders besides `co` that an execution chooses because its model asks for them (`Op.ORDER`).

What goes in: a model, its bounds on a test, the circuit of its candidate executions. What comes out: on demand the
literal that such an order relates two events, and the clauses that make it an order: of a set of events a total one,
inside a relation any that is transitive. Only events that were asked about are ordered, since what orders them can be
made an order of all. `every` yields the orders of given events one by one, without a circuit.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from axmem.encoder.bounds import Bounds, within
from axmem.encoder.circuit import FALSE, Circuit
from axmem.model import relation as rel
from axmem.model.evaluation import Value
from axmem.model.model import Model
from axmem.model.relation import Relation, bits


class Orders:
    """The literals of the orders that a model asks for."""

    def __init__(self, model: Model, found: Bounds, circuit: Circuit, executed: list[int]) -> None:
        self.model = model
        self.circuit = circuit
        self.executed = executed
        self._may = found.may
        self._total = {i: model.terms[model.terms[i].arguments[0]].is_set for i in model.analyses.chosen_orders}
        self._pairs: dict[tuple[int, int, int], int] = {}
        self._asked: dict[int, set[int]] = {}

    def literal(self, term: int, a: int, b: int) -> int:
        """Return the literal that the order of a term relates event a to event b."""
        return self.circuit.conjunction((self.executed[a], self.executed[b], self._variable(term, a, b)))

    def ask_all(self) -> None:
        """Ask about every two events, so that a solution has whole orders."""
        for term in self._total:
            for a, b in self._possible(term):
                self._variable(term, a, b)

    def variables(self) -> Iterator[int]:
        """Yield the variables whose truth fixes the orders of the events that were asked about."""
        yield from dict.fromkeys(map(abs, self._pairs.values()))

    def chosen(self, holds: dict[int, bool], executed: int) -> dict[int, Relation]:
        """Return the order of each term, given the truth of `variables`, on the events that execute."""
        found = {}
        for term in self._total:
            rows = [0] * len(self.executed)
            for a, b in self._possible(term):
                x = self._variable(term, a, b)
                if executed >> a & 1 and executed >> b & 1 and (holds[x] if x > 0 else not holds[-x]):
                    rows[a] |= 1 << b
            found[term] = rel.relation(rows)
        return found

    def constrain(self) -> None:
        """Each order is transitive on the events that were asked about."""
        for term, asked in self._asked.items():
            possible = {(a, b) for a, b in self._possible(term) if a in asked and b in asked}
            for a, b in sorted(possible):
                for c in sorted(asked):
                    if (b, c) in possible and c != a:
                        first, second = self._variable(term, a, b), self._variable(term, b, c)
                        third = self._variable(term, a, c) if (a, c) in possible else FALSE
                        self.circuit.add(-first, -second, third)

    def _possible(self, term: int) -> Iterator[tuple[int, int]]:
        may = self._may[term]
        assert isinstance(may, tuple)
        for a, row in enumerate(may):
            for b in bits(row):
                yield a, b

    def _variable(self, term: int, a: int, b: int) -> int:
        key = (term, a, b)
        if key not in self._pairs:
            self._asked.setdefault(term, set()).update((a, b))
            back = (term, b, a)
            if self._total[term]:
                # "Of two events one comes before the other."
                self._pairs[key] = self.circuit.switch()
                self._pairs[back] = -self._pairs[key]
            else:
                # "Of two events at most one comes before the other."
                self._pairs[key], self._pairs[back] = self.circuit.variable(), self.circuit.variable()
                self.circuit.choose((self._pairs[key], self._pairs[back]), total=False)
        return self._pairs[key]


def every(given: Value, size: int) -> Iterator[Relation]:
    """Yield each order of a set of events that is total, or each inside a relation."""
    if isinstance(given, int):
        for events in permutations(bits(given)):
            rows, after = [0] * size, 0
            for e in reversed(events):
                rows[e] = after
                after |= 1 << e
            yield rel.relation(rows)
        return
    pairs = within(given, size)
    unordered = [(a, b) for a, row in enumerate(pairs) for b in bits(row) if a < b or not pairs[b] >> a & 1]
    yield from _partial(pairs, unordered, [0] * size)


def _partial(pairs: Relation, left: list[tuple[int, int]], rows: list[int]) -> Iterator[Relation]:
    """Yield the transitive relations that go on from `rows` with one or none of the directions of the pairs left."""
    if not left:
        found = rel.relation(rows)
        if not rel.difference(rel.compose(found, found), found):
            yield found
        return
    (a, b), rest = left[0], left[1:]
    yield from _partial(pairs, rest, rows)
    for x, y in ((a, b), (b, a)):
        if pairs[x] >> y & 1:
            more = list(rows)
            more[x] |= 1 << y
            yield from _partial(pairs, rest, more)
