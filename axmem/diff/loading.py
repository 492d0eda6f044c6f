"""The clauses of a circuit that grows, handed to a solver as they come.

What goes in: a circuit. What comes out: a query that knows the clauses asserted so far and the definitions of the gates
in them, each once, each in the direction in which it is used.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.encoder.circuit import AND, Circuit
from axmem.encoder.solver import Query, Session


class GrowingQuery:
    """A solver's view of a circuit; `check` and `solution` are the query's."""

    def __init__(self, circuit: Circuit, session: Session) -> None:
        self.circuit = circuit
        self.loaded = 0
        self.defined: set[int] = set()
        self.clauses = 0
        self.query = Query(session, 1, [])

    def check(self, assumptions: Sequence[int], timeout_ms: int) -> int:
        """Return the solver's answer about all that has been asserted."""
        self._load()
        return self.query.check(assumptions, timeout_ms)

    def _load(self) -> None:
        """Load the clauses that are new, and the gates that they need."""
        circuit = self.circuit
        new = list(circuit.clauses[self.loaded :])
        self.loaded = len(circuit.clauses)
        stack = [x for clause in new for x in clause]
        while stack:
            literal = stack.pop()
            gate = circuit.gates.get(abs(literal))
            if gate is None or literal in self.defined:
                continue
            self.defined.add(literal)
            kind, inputs = gate
            sign = 1 if literal > 0 else -1
            stack += [sign * x for x in inputs]
            if (literal > 0) is (kind is AND):
                # A conjunction implies each input, the negation of a disjunction that of each.
                new += [(-literal, sign * x) for x in inputs]
            else:
                new.append((-literal, *[sign * x for x in inputs]))
        self.clauses += len(new)
        if new:
            self.query.add(circuit.variables, new)
