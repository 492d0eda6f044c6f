"""All solutions of some literals in one solver call.

What goes in: clauses, and groups of literals of which one each holds in every solution. What comes out: every
combination that some solution has. A user propagator of Z3 notes the combination whenever the search has a solution
and refutes it, so that the search goes on where it stands. `BlockingEnumerator` gives the same answer with blocking
clauses over repeated calls, and is kept as the check on the propagator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import c_void_p

import z3
from z3 import z3core

from axmem.encoder.circuit import TRUE
from axmem.encoder.limits import SAT
from axmem.encoder.solver import Query, Session
from axmem.encoder.tables import Group
from axmem.front.clock import held
from axmem.front.typing import override

KEPT = 20_000
"""Clauses of the largest query whose solver is used again: a larger one would hold its memory."""


class Enumerator(Query):
    """A query whose solutions can be enumerated by the combination of literals that they make true.

    While `found` is None the propagator accepts every solution, so that `check` answers as usual.
    """

    @held()
    def __init__(
        self, session: Session, variables: int, clauses: Sequence[tuple[int, ...]], groups: Sequence[Group]
    ) -> None:
        super().__init__(session, variables, clauses)
        self.clauses = len(clauses)
        self.groups = [list(group) for group in groups if TRUE not in group]
        self.found: Callable[[tuple[int, ...]], bool] | None = None
        self.noted: set[tuple[int, ...]] = set()
        self.failure: BaseException | None = None
        self.values: dict[int, bool] = {}
        self.depth = 0
        self.trail: list[tuple[int, int]] = []
        self._attach()

    @override
    def check(self, assumptions: Sequence[int] = (), timeout_ms: int = 0) -> int:
        """Return SAT, UNSAT or UNKNOWN, as `Query.check`; raise what a callback has raised."""
        try:
            with self.session.propagating(self):
                answer = super().check(assumptions, timeout_ms)
        except KeyboardInterrupt:
            if self.failure is None:
                raise
        if self.failure is not None:
            raise self.failure
        return answer

    def enumerate(self, found: Callable[[tuple[int, ...]], bool], assumptions: Sequence[int], timeout_ms: int) -> int:
        """Call `found` with each combination once, until it returns False; return the answer of the last check.

        A combination has one literal for each group that is not decided. UNSAT says that there are no more.
        """
        self.found = found
        try:
            return self.check(assumptions, timeout_ms)
        finally:
            self.found = None
            self.noted.clear()

    # ------------------------------------------------------------ the propagator

    @override
    def _solver(self) -> z3.Solver:
        return self.session.propagating_solver()

    def close(self) -> None:
        """End the query; nothing is asked of it any more."""
        if self.failure is None and not self.why and self.clauses <= KEPT:
            with self.session.propagating(self):
                self.session.give_back(self.solver)

    def _attach(self) -> None:
        """Register the literals that the propagator is to be told of."""
        ref, solver = self.session.ref, self.solver.solver
        with self.session.propagating(self):
            for group in self.groups:
                for literal in group:
                    z3core.Z3_solver_propagate_register(ref, solver, self.session.literal(abs(literal)))

    def pop(self, count: int) -> None:
        """Forget what was fixed in the last `count` levels."""
        self.depth -= count
        while self.trail and self.trail[-1][0] > self.depth:
            del self.values[self.trail.pop()[1]]

    def fixed(self, variable: int, value: bool) -> None:
        """Note that the search has fixed a variable."""
        if variable not in self.values:
            self.values[variable] = value
            self.trail.append((self.depth, variable))

    def final(self, callback: int) -> None:
        """Note the combination of a solution and refute it; if told to stop, refute everything.

        Z3 may come to a solution once more before it goes on.
        """
        if self.found is not None:
            chosen = tuple([self._holding(group) for group in self.groups])
            going = chosen in self.noted or self.found(chosen)
            self.noted.add(chosen)
            self._refute(callback, chosen if going else ())

    def fail(self, error: BaseException) -> None:
        """Keep the first exception of a callback, to be raised after the check, and stop the search."""
        if self.failure is None:
            self.failure = error
        z3core.Z3_solver_interrupt(self.session.ref, self.solver.solver)

    def _holding(self, group: Group) -> int:
        for literal in group:
            if self.values.get(abs(literal)) is (literal > 0):
                return literal
        raise RuntimeError("a solution left an outcome open")

    def _refute(self, callback: int, literals: tuple[int, ...]) -> None:
        session = self.session
        terms = (z3.Ast * len(literals))(*[session.literal(abs(x)) for x in literals])
        nothing = (z3.Ast * 0)()
        z3core.Z3_solver_propagate_consequence(
            session.ref, c_void_p(callback), len(literals), terms, 0, nothing, nothing, session.false
        )


class BlockingEnumerator(Enumerator):
    """The same by repeated calls, each combination excluded by a clause."""

    @override
    def _solver(self) -> z3.Solver:
        return Query._solver(self)

    @override
    def _attach(self) -> None:
        """Nothing is propagated."""

    @override
    def close(self) -> None:
        """End the query; its solver holds blocking clauses."""

    @override
    def enumerate(self, found: Callable[[tuple[int, ...]], bool], assumptions: Sequence[int], timeout_ms: int) -> int:
        """Call `found` with each combination once, until it returns False; return the answer of the last check."""
        while True:
            answer = self.check(assumptions, timeout_ms)
            if answer != SAT:
                return answer
            truth = self.solution([x for group in self.groups for x in group])
            chosen = tuple([next(x for x in group if truth[x]) for group in self.groups])
            if not found(chosen):
                return answer
            self.block(chosen)
