"""Circuits over times: Boolean gates, some of whose variables say which of two times is the earlier.

What goes in: a circuit with times and what is asserted about their order. What comes out: whether there are integers
for the times that fit, and the truth of literals. Invariant: a time is a name, its integer never leaves the solver, so
nothing but order can be asked of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NewType

import z3
from z3 import z3core

from axmem.encoder.circuit import TRUE, Circuit
from axmem.encoder.solver import Query, Session
from axmem.front.clock import held
from axmem.front.typing import override

Time = NewType("Time", int)


class TimedCircuit(Circuit):
    """A circuit with times; `orders` has the variable that says that the first time is not after the second."""

    def __init__(self) -> None:
        super().__init__()
        self.times = 0
        self.orders: dict[tuple[Time, Time], int] = {}

    def time(self) -> Time:
        """Return a new time."""
        self.times += 1
        return Time(self.times)

    def not_after(self, a: Time, b: Time) -> int:
        """Return the literal of a ≤ b."""
        if a == b:
            return TRUE
        return self.orders.get((a, b)) or self.orders.setdefault((a, b), self.variable())

    def before(self, a: Time, b: Time) -> int:
        """Return the literal of a < b."""
        return -self.not_after(b, a)

    def at_once(self, a: Time, b: Time) -> int:
        """Return the literal of a = b."""
        return self.both(self.not_after(a, b), self.not_after(b, a))

    # ------------------------------------------------------------ assertions

    def imply(self, given: Iterable[int], *then: int) -> None:
        """Assert that one of `then` holds if all of `given` do."""
        self.add(*[-x for x in given], *then)

    def agree(self, given: Sequence[int], a: int, b: int) -> None:
        """Assert that two literals are equal if all of `given` hold."""
        self.imply((*given, a), b)
        self.imply((*given, b), a)


class TimedQuery(Query):
    """The solutions of a circuit with times. `asked` are literals that are assumed or whose truth is wanted.

    `effort` limits each question, in the solver's own count of its steps (0: no limit), so that what is answered does
    not depend on the load of a machine.
    """

    @held()
    def __init__(self, session: Session, circuit: TimedCircuit, asked: Sequence[int], *, effort: int = 0) -> None:
        clauses = circuit.all_clauses(asked)
        super().__init__(session, circuit.variables, clauses)
        if effort:
            self.limit_steps(effort)
        self._relate(circuit, {abs(x) for clause in [*clauses, asked] for x in clause})

    @override
    def _solver(self) -> z3.Solver:
        """Return Z3's solver for differences of integers."""
        solver = z3.SolverFor("QF_LIA", ctx=self.session.context)
        solver.push()
        return solver

    def _relate(self, circuit: TimedCircuit, used: set[int]) -> None:
        """Say of each variable for an order in use that it is true just if its times are in this order."""
        ref = self.session.ref
        integers = z3core.Z3_mk_int_sort(ref)
        constants: dict[Time, Any] = {}
        for pair, variable in circuit.orders.items():
            if variable not in used:
                continue
            for time in pair:
                if time not in constants:
                    symbol = z3core.Z3_mk_int_symbol(ref, circuit.variables + time)
                    constants[time] = z3core.Z3_mk_const(ref, symbol, integers)
                    z3core.Z3_inc_ref(ref, constants[time])
            literal = self.session.literal(variable)
            order = z3core.Z3_mk_le(ref, constants[pair[0]], constants[pair[1]])
            z3core.Z3_solver_assert(ref, self.solver.solver, z3core.Z3_mk_iff(ref, literal, order))
        for constant in constants.values():
            z3core.Z3_dec_ref(ref, constant)

    @held()
    def core(self, assumptions: Sequence[int]) -> tuple[int, ...]:
        """Return which of the assumptions were used in the last refutation."""
        session = self.session
        vector = z3core.Z3_solver_get_unsat_core(session.ref, self.solver.solver)
        z3core.Z3_ast_vector_inc_ref(session.ref, vector)
        try:
            count = z3core.Z3_ast_vector_size(session.ref, vector)
            used = {_address(z3core.Z3_ast_vector_get(session.ref, vector, k)) for k in range(count)}
        finally:
            z3core.Z3_ast_vector_dec_ref(session.ref, vector)
        return tuple(x for x in assumptions if _address(session.literal(x)) in used)


def _address(term: Any) -> int:
    return int(term.value)
