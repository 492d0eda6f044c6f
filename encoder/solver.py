"""Z3 behind a thin wrapper: clauses in, solutions of a few literals out.

Clauses are loaded in one piece as DIMACS; blocking clauses, assumptions and the few clauses that are added later are
made through Z3's C interface, which costs microseconds where the Python classes cost tens of them. Z3's finite-domain
solver answers. No Z3 object leaves this module.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import CFUNCTYPE, c_bool, c_void_p, cast
from typing import Any, Protocol

import z3
from z3 import z3core

from axmem.encoder.limits import MEMORY_LIMIT, STEP_LIMIT, TIME_LIMIT, UNKNOWN, Reason, solver_stopped
from axmem.front.clock import held
from axmem.front.records import dataclass, field

IN_TIME = 0.9
"""The share of a limit of time after which a check that was cancelled is taken to have met it."""
NO_TIMEOUT = 0xFFFFFFFF
"""Z3's word for no limit, in milliseconds."""
FINAL = CFUNCTYPE(c_bool, c_void_p, c_void_p)
"""The callback of a solution as Z3's library calls it, which reads a truth value that Z3's header and its Python leave
out. Where functions are called by their types, in WebAssembly, the type that they declare ends the process."""
FEW = 40
"""As many variables cost as much in a text as one clause does as a term."""


def solver_version() -> str:
    """Return the version of Z3 that answers."""
    return str(z3.get_version_string())


class Propagator(Protocol):
    """What a solver's search tells a query; `depth` is how many levels the search has opened."""

    depth: int

    def pop(self, count: int) -> None:
        """Say that the search has closed levels."""

    def fixed(self, variable: int, value: bool) -> None:
        """Say that the search has fixed a variable."""

    def final(self, callback: int) -> None:
        """Say that the search has a solution."""

    def fail(self, error: BaseException) -> None:
        """Say that one of these has raised an exception."""


def _address(term: Any) -> int:
    return int(term.value if hasattr(term, "value") else term)


class _Context(z3.Context):  # type: ignore[misc]
    """A context that says nothing when an interrupt leaves it half made."""

    owner = False


@dataclass(slots=True)
class _Line:
    """What the callbacks of a session need: the query that hears, and the variables that Z3's terms stand for.

    They do not refer to the session, which refers to them: it is let go, with all of Z3's memory, when nobody uses it,
    and not when a collector comes by that knows nothing of that memory.
    """

    variables: dict[int, int] = field(default_factory=dict)
    active: Propagator | None = None


class Session:
    """A Z3 context that a worker keeps for many queries, with the constants that stand for DIMACS variables."""

    @held()
    def __init__(self) -> None:
        self.context = _Context()
        self.ref = self.context.ref()
        self._sort = z3core.Z3_mk_bool_sort(self.ref)
        self.false = z3core.Z3_mk_false(self.ref)
        z3core.Z3_inc_ref(self.ref, self.false)
        self._positive: dict[int, Any] = {}
        self._negative: dict[int, Any] = {}
        self._line = _Line()
        self._spare: z3.Solver | None = None
        self._search = z3.ParamsRef(self.context)
        self._search.set("relevancy", 0)
        self._search.set("phase_selection", 1)
        self._callbacks = _callbacks(self._line, _address(z3core.Z3_mk_true(self.ref)))

    @held()
    def propagating_solver(self) -> z3.Solver:
        """Return a solver without clauses that reports to the query named by `propagating`.

        To make one takes longer than most queries, so that one which `give_back` brings is used again.
        """
        solver, self._spare = self._spare or self._made_solver(), None
        solver.push()
        return solver

    @held()
    def give_back(self, solver: z3.Solver) -> None:
        """Take back a solver whose query has ended well: no limit, no interrupt."""
        solver.pop()
        solver.set("timeout", NO_TIMEOUT)
        self._spare = solver

    def _made_solver(self) -> z3.Solver:
        solver = z3.SimpleSolver(ctx=self.context)
        z3core.Z3_solver_set_params(self.ref, solver.solver, self._search.params)
        z3core.Z3_solver_propagate_init(self.ref, solver.solver, None, *self._callbacks[:3])
        z3core.Z3_solver_propagate_fixed(self.ref, solver.solver, self._callbacks[3])
        z3core.Z3_solver_propagate_final(self.ref, solver.solver, self._callbacks[4])
        solver.callbacks = self._callbacks  # They are there as long as the solver, whoever is let go first.
        return solver

    @contextmanager
    def propagating(self, query: Propagator) -> Iterator[None]:
        """Let a query hear of its solver's search for a while."""
        line = self._line
        line.active, before = query, line.active
        try:
            yield
        finally:
            line.active = before

    def literal(self, literal: int) -> Any:
        """Return Z3's term for a literal. DIMACS variables are integer symbols."""
        table = self._positive if literal > 0 else self._negative
        if literal not in table:
            if literal > 0:
                symbol = z3core.Z3_mk_int_symbol(self.ref, literal)
                term = z3core.Z3_mk_const(self.ref, symbol, self._sort)
                self._line.variables[_address(term)] = literal
            else:
                term = z3core.Z3_mk_not(self.ref, self.literal(-literal))
            z3core.Z3_inc_ref(self.ref, term)
            table[literal] = term
        return table[literal]


def _callbacks(line: _Line, true: int) -> tuple[Any, ...]:
    """Return the callbacks, made once because Z3 keeps their addresses: push, pop, fresh, fixed, final.

    The last is what `final` is an address of.

    An exception (an interrupt may come at any time) must neither unwind through Z3 nor get lost: the query keeps it and
    stops the search. `true` is the address of the term that is true.
    """

    def push(_: object, __: object) -> None:
        # Called many times for each of the others: as short as it can be.
        query = line.active
        if query is not None:
            try:
                query.depth += 1
            except BaseException as error:
                query.fail(error)

    def guarded(report: Callable[..., None]) -> Callable[..., None]:
        def callback(_: object, *arguments: Any) -> None:
            query = line.active
            if query is None:
                return
            try:
                report(query, *arguments)
            except BaseException as error:
                query.fail(error)

        return callback

    final = guarded(lambda query, callback: query.final(callback))

    def done(context: object, callback: int) -> bool:
        final(context, callback)
        return True

    kept = FINAL(done)
    return (
        z3core.Z3_push_eh(push),
        z3core.Z3_pop_eh(guarded(lambda query, _, count: query.pop(count))),
        z3core.Z3_fresh_eh(lambda _, __: None),
        z3core.Z3_fixed_eh(guarded(lambda query, _, term, value: query.fixed(line.variables[term], value == true))),
        cast(kept, z3core.Z3_final_eh),
        kept,
    )


class Query:
    """One set of clauses and the solutions of it."""

    @held()
    def __init__(self, session: Session, variables: int, clauses: Sequence[tuple[int, ...]]) -> None:
        self.session = session
        self.solver = self._solver()
        self.add(variables, clauses)
        self.checks = 0
        self.assumed: Sequence[int] = ()
        self.why: Reason | None = None
        self.steps = 0

    @held()
    def add(self, variables: int, clauses: Sequence[tuple[int, ...]]) -> None:
        """Assert clauses over variables up to a number.

        Z3 reads a text with a constant for every variable up to the last, so that few clauses are made as terms.
        """
        if len(clauses) * FEW < variables:
            for clause in clauses:
                self._assert(clause)
            return
        lines = [f"p cnf {variables} {len(clauses)}"]
        lines += [" ".join(map(str, clause)) + " 0" for clause in clauses]
        self.solver.from_string("\n".join(lines) + "\n")

    def _solver(self) -> z3.Solver:
        """Return Z3's solver for finite domains."""
        return z3.SolverFor("QF_FD", ctx=self.session.context)

    @held()
    def hurry(self) -> None:
        """Leave out what pays off in long searches alone: most searches of many small ones spend their time there.

        What is false is tried first: most facts of an execution are.
        """
        for name in ("probing", "asymm_branch", "elim_vars", "subsumption"):
            self.solver.set(name, False)
        self.solver.set("phase", "always_false")

    @held()
    def check(self, assumptions: Sequence[int] = (), timeout_ms: int = 0) -> int:
        """Return SAT, UNSAT or UNKNOWN (then `why` says which limit was reached); pass a keyboard interrupt on."""
        if timeout_ms:
            self.solver.set("timeout", timeout_ms)
        self.checks += 1
        session = self.session
        terms = (z3.Ast * len(assumptions))(*[session.literal(a) for a in assumptions])
        self.assumed = assumptions
        started = time.monotonic()
        try:
            answer = z3core.Z3_solver_check_assumptions(session.ref, self.solver.solver, len(assumptions), terms)
        except z3.Z3Exception as error:
            self.why = solver_stopped(error)
            return UNKNOWN
        if answer == UNKNOWN:
            reason = str(self.solver.reason_unknown())
            # Z3 hears an interrupt from the keyboard itself, and calls it what it calls a limit.
            limited = self.steps or (timeout_ms and (time.monotonic() - started) * 1000 > timeout_ms * IN_TIME)
            if "interrupted" in reason or ("cancel" in reason and not limited):
                raise KeyboardInterrupt
            self.why = MEMORY_LIMIT if "mem" in reason else STEP_LIMIT if self.steps else TIME_LIMIT
        return int(answer)

    @held()
    def refuting(self) -> frozenset[int]:
        """Return assumptions of the last check under which it found that there is no solution."""
        named = {self.session.literal(a).value: a for a in self.assumed}
        return frozenset(named[term.as_ast().value] for term in self.solver.unsat_core())

    @held()
    def limit_steps(self, steps: int) -> None:
        """Let each check from now on take so many of Z3's steps, which no load of the machine changes; 0: no limit."""
        self.steps = steps
        self.solver.set("rlimit", steps)

    @held()
    def solution(self, literals: Iterable[int]) -> dict[int, bool]:
        """Return the truth of literals in the last solution; a variable it leaves open counts as false."""
        session = self.session
        model = z3core.Z3_solver_get_model(session.ref, self.solver.solver)
        z3core.Z3_model_inc_ref(session.ref, model)
        try:
            return {x: self._truth(model, x) for x in literals}
        finally:
            z3core.Z3_model_dec_ref(session.ref, model)

    def _truth(self, model: c_void_p, literal: int) -> bool:
        session = self.session
        declaration = z3core.Z3_get_app_decl(session.ref, z3core.Z3_to_app(session.ref, session.literal(abs(literal))))
        value = z3core.Z3_model_get_const_interp(session.ref, model, declaration)
        positive = value is not None and bool(value) and z3core.Z3_get_bool_value(session.ref, value) == 1
        return positive if literal > 0 else not positive

    @held()
    def block(self, literals: Sequence[int]) -> None:
        """Assert that not all of the literals hold again."""
        self._assert([-x for x in literals])

    def _assert(self, clause: Sequence[int]) -> None:
        session = self.session
        if clause:
            terms = (z3.Ast * len(clause))(*map(session.literal, clause))
            term = z3core.Z3_mk_or(session.ref, len(clause), terms)
        else:
            term = session.false
        z3core.Z3_solver_assert(session.ref, self.solver.solver, term)
