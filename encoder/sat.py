"""A SAT solver that answers for Z3 where questions are clauses alone.

What goes in: clauses and assumptions. What comes out: what `axmem.encoder.solver.Query` gives. Refutations take about
half of Z3's time, and solutions are read in a tenth of it. The package python-sat is wanted (`pip install axmem[sat]`);
without it Z3 answers, and says the same of every question: which solution is found may differ.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any
from weakref import finalize

from axmem.encoder.limits import SAT, STEP_LIMIT, TIME_LIMIT, UNKNOWN, UNSAT, Reason
from axmem.encoder.solver import Query, Session

NAME = "minisat22"
"""The solver of the package: of those that can be stopped the fastest on the questions of contexts."""
SLICE = 5_000
"""After so many conflicts, less than a second, the time is looked at; Python hears of an interrupt then."""
STEPS_OF_A_CONFLICT = 500
"""About so many of Z3's steps a conflict is worth."""
PROPAGATIONS_OF_A_STEP = 20
"""So many propagations a step may take at most: of large circuits a conflict takes tens of thousands."""


@cache
def installed() -> bool:
    """Tell whether the package is there, by its library: another package has the name pysat."""
    return find_spec("pysolvers") is not None


class SatQuery:
    """One set of clauses and the solutions of it; answers as `Query` does."""

    def __init__(self, variables: int, clauses: Sequence[tuple[int, ...]]) -> None:
        from pysat.solvers import Solver  # noqa: PLC0415 -- need not be installed

        self.solver: Any = Solver(name=NAME)
        finalize(self, self.solver.delete)  # At exit the package would delete it when its own modules are gone.
        self.checks = 0
        self.why: Reason | None = None
        self.steps = 0
        self._model: Sequence[int] = ()
        self.add(variables, clauses)

    def add(self, variables: int, clauses: Sequence[tuple[int, ...]]) -> None:
        """Assert clauses over variables up to a number."""
        self.solver.append_formula(clauses)

    def hurry(self) -> None:
        """Do nothing: this solver has no other mode, and tries first what is false."""

    def check(self, assumptions: Sequence[int] = (), timeout_ms: int = 0) -> int:
        """Return SAT, UNSAT or UNKNOWN (then `why` says which limit was reached)."""
        self.checks += 1
        end = time.process_time() + timeout_ms / 1000 if timeout_ms else None
        conflicts = max(1, self.steps // STEPS_OF_A_CONFLICT) if self.steps else SLICE
        self.solver.prop_budget(self.steps * PROPAGATIONS_OF_A_STEP or -1)
        while True:
            self.solver.conf_budget(conflicts)
            found = self.solver.solve_limited(assumptions=list(assumptions), expect_interrupt=True)
            if found is not None:
                self._model = self.solver.get_model() if found else ()
                return SAT if found else UNSAT
            if self.steps:
                self.why = STEP_LIMIT
                return UNKNOWN
            if end is not None and time.process_time() > end:
                self.why = TIME_LIMIT
                return UNKNOWN

    def refuting(self) -> frozenset[int]:
        """Return assumptions of the last check under which it found that there is no solution."""
        return frozenset(self.solver.get_core() or ())

    def limit_steps(self, steps: int) -> None:
        """Let each check from now on take about so many of Z3's steps; 0: no limit."""
        self.steps = steps

    def solution(self, literals: Iterable[int]) -> dict[int, bool]:
        """Return the truth of literals in the last solution; a variable it leaves open counts as false."""
        model, size = self._model, len(self._model)
        return {x: (model[abs(x) - 1] > 0 if abs(x) <= size else False) == (x > 0) for x in literals}

    def block(self, literals: Sequence[int]) -> None:
        """Assert that not all of the literals hold again."""
        self.solver.add_clause([-x for x in literals])


def shared() -> Session | None:
    """Return a session of Z3 for many questions, if it is Z3 that answers."""
    return None if installed() else Session()


def empty_question(session: Session | None) -> Query | SatQuery:
    """Return a question without clauses, for the SAT solver if there is one."""
    return SatQuery(1, []) if installed() else Query(session or Session(), 1, [])
