"""The clauses of a circuit that grows, handed to a solver as they come.

What goes in: a circuit. What comes out: a query that knows the clauses asserted so far and the definitions of the gates
in them, each once, each in the direction in which it is used.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.encoder.circuit import Circuit
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
        new = circuit.all_clauses(whole=False, since=self.loaded, written=self.defined)
        self.loaded = len(circuit.clauses)
        self.clauses += len(new)
        if new:
            self.query.add(circuit.variables, new)
