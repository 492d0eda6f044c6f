"""Programs of one shape that tell two models apart, found by counterexamples.

What goes in: a bound, the lengths of the threads, two models. What comes out: programs with an outcome that the first
model permits and the second does not match, even where its outcome has undef in more places; none is missing, up to
symmetry. Two solvers play: one proposes a program, an execution that the first model permits, and so an outcome; the
other looks for an execution of that program under the second model whose outcome covers it. What the other finds (which
reads become undef, in which order the writes come) is excluded for all programs at once, so few rounds are needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.limits import TIME_LIMIT
from axmem.encoder.solve import Deadline
from axmem.encoder.solver import SAT, UNKNOWN, Session
from axmem.families.bound import Bound
from axmem.families.candidates import SymbolicExecution
from axmem.families.enumeration import Shape
from axmem.families.loading import GrowingQuery
from axmem.families.operations import Program
from axmem.families.renaming import forms
from axmem.model.terms import Model


class Unfinished(Exception):
    """A limit was reached; the message says which."""


@dataclass(slots=True)
class Effort:
    """What a search has cost: variables and clauses of the proposing solver, rounds of counterexamples."""

    variables: int = 0
    clauses: int = 0
    rounds: int = 0


class Search:
    """The search over one shape."""

    def __init__(
        self, bound: Bound, shape: Shape, permitting: Model, refusing: Model, session: Session, deadline: Deadline
    ) -> None:
        self.refusing = refusing
        self.deadline = deadline
        self.proposed = SymbolicExecution(bound, shape)
        self.answered = SymbolicExecution(bound, shape)
        self.effort = Effort()
        self.proposed.permit(permitting)
        self._exclude(frozenset(), None)
        self.answered.permit(refusing)
        if self.answered.unproved:
            self.answered.circuit.cut_cycles()
        self.proposer = GrowingQuery(self.proposed.circuit, session)
        self.answerer = GrowingQuery(self.answered.circuit, session)

    def forget(self, programs: Iterable[Program]) -> None:
        """Leave out programs, in all their forms."""
        for program in programs:
            for clause in self.proposed.attributes.block(program):
                self.proposed.circuit.add(*clause)

    def programs(self) -> Iterator[Program]:
        """Yield the programs that tell the models apart, each form of this shape once; raise Unfinished at a limit."""
        while (program := self._next([])) is not None:
            self.forget([program])
            yield program

    def tells_apart(self, program: Program) -> bool:
        """Tell whether one program, of this shape, is among those that tell the models apart."""
        for form in dict.fromkeys(forms(program, self.proposed.attributes.bound.tags)):
            if tuple(map(len, form.threads)) == self.proposed.attributes.shape:
                literals = self.proposed.attributes.literals(form)
                if FALSE not in literals and self._next([x for x in literals if x != TRUE]) is not None:
                    return True
        return False

    def _next(self, assumptions: list[int]) -> Program | None:
        """Return a program that tells the models apart and meets the assumptions."""
        while (truth := self._proposal(assumptions)) is not None:
            found = self._counterexample(truth)
            if found is None:
                return self.proposed.attributes.program(lambda x: truth.get(abs(x), x > 0) is (x > 0))
            self._exclude(*found)
        return None

    def _exclude(self, lost: frozenset[int], order: dict[int, int] | None) -> None:
        """The second model permits no execution with these reads undef and this order of writes."""
        execution = self.proposed
        execution.circuit.add(-execution.consistent(self.refusing, lost, order))
        if execution.unproved:
            execution.circuit.cut_cycles()
        self.effort.rounds += 1

    def _proposal(self, assumptions: list[int]) -> dict[int, bool] | None:
        """Return the truth of the variables of a program and an execution that are not excluded."""
        answer = self.proposer.check(assumptions, self._time())
        self.effort.variables = self.proposed.circuit.variables
        self.effort.clauses = self.proposer.clauses
        if answer == UNKNOWN:
            raise Unfinished(self.proposer.query.why)
        if answer != SAT:
            return None
        return self.proposer.query.solution(self._variables())

    def _variables(self) -> list[int]:
        execution = self.proposed
        executions = [*execution.undef.values(), *execution.before.values()]
        executions += [x for sources in execution.sources.values() for x in sources.values()]
        return [*range(1, execution.attributes.last + 1), *executions]

    def _counterexample(self, truth: dict[int, bool]) -> tuple[frozenset[int], dict[int, int] | None] | None:
        """Return the undef reads and the order of an execution of the second model that covers the outcome.

        The order is None if that of the proposed execution does.
        """
        execution = self.answered
        program = [x if truth[x] else -x for x in range(2, execution.attributes.last + 1)]
        outcome = []
        for r, sources in execution.sources.items():
            outcome += [-x for x in sources.values() if not truth[x]]
            if truth[execution.undef[r]]:
                outcome.append(execution.undef[r])
        same_order = [x if truth[x] else -x for x in execution.before.values()]
        if self._permits([*program, *outcome, *same_order]):
            return self._lost(truth), None
        if self._permits([*program, *outcome]):
            return self._lost(truth), self._order()
        return None

    def _permits(self, assumptions: list[int]) -> bool:
        answer = self.answerer.check(assumptions, self._time())
        if answer == UNKNOWN:
            raise Unfinished(self.answerer.query.why)
        return answer == SAT

    def _lost(self, truth: dict[int, bool]) -> frozenset[int]:
        """Return the reads that return undef in the execution found, and a value in the proposed one."""
        undef = self.answered.undef
        found = self.answerer.query.solution(undef.values())
        return frozenset(r for r, x in undef.items() if found[x] and not truth[x])

    def _order(self) -> dict[int, int]:
        """Return the place of every write in the execution found."""
        before = self.answered.before
        found = self.answerer.query.solution(before.values())
        places = dict.fromkeys(self.answered.movable, 0)
        for a, b in combinations(self.answered.movable, 2):
            places[b if found[before[a, b]] else a] += 1
        return places

    def _time(self) -> int:
        if self.deadline.passed():
            raise Unfinished(TIME_LIMIT)
        return self.deadline.milliseconds()
