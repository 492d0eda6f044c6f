"""Programs of one shape that tell two models apart, found by counterexamples.

What goes in: a bound, the lengths of the threads, two models. What comes out: programs with an outcome that the first
model permits and the second does not match, even where its outcome has undef in more places; none is missing, up to
symmetry. Two solvers play: one proposes a program, an execution that the first model permits, and so an outcome; the
other looks for an execution of that program under the second model whose outcome covers it. What the other finds (which
reads become undef, in which order the writes come) is excluded for all programs at once, so few rounds are needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from axmem.bounded.attributes import free_attributes, well_formed
from axmem.bounded.bound import Bound
from axmem.bounded.decoding import chosen_program, literals_of_program
from axmem.bounded.execution import FamilyCandidate, candidate
from axmem.bounded.operations import BoundedProgram
from axmem.bounded.query import CircuitQuery, Unanswered
from axmem.bounded.renaming import forms
from axmem.bounded.skeleton import Skeleton, ThreadSizes
from axmem.bounded.symmetry import without_renamings
from axmem.bounded.vocabulary import Compatibility, SymbolicProgram
from axmem.encoder.circuit import TRUE, Circuit
from axmem.encoder.limits import TIME_LIMIT
from axmem.encoder.solve import Deadline
from axmem.encoder.solver import Session
from axmem.front.records import dataclass
from axmem.model.model import Model


@dataclass(slots=True)
class Effort:
    """What a search has cost: variables and clauses of the proposing solver, rounds of counterexamples."""

    variables: int = 0
    clauses: int = 0
    rounds: int = 0


class ShapeSearch:
    """The search over one shape."""

    def __init__(
        self, bound: Bound, shape: ThreadSizes, permitting: Model, refusing: Model, session: Session, deadline: Deadline
    ) -> None:
        self.refusing = refusing
        self.deadline = deadline
        self.proposed, self.last = open_family(bound, shape)
        self.answered, _ = open_family(bound, shape)
        self.effort = Effort()
        self.proposed.permit(permitting)
        self._exclude(frozenset(), None)
        self.answered.permit(refusing)
        if self.answered.unproved:
            self.answered.program.circuit.cut_cycles()
        self.proposer = CircuitQuery(self.proposed.program.circuit, session, whole=False)
        self.answerer = CircuitQuery(self.answered.program.circuit, session, whole=False)

    def forget(self, programs: Iterable[BoundedProgram]) -> None:
        """Leave out programs, in all their forms."""
        for program in programs:
            for form in self.forms_of(program):
                self.proposed.program.circuit.add(*[-x for x in form])

    def programs(self) -> Iterator[BoundedProgram]:
        """Yield the programs that tell the models apart, each form of this shape once; raise Unanswered at a limit."""
        while (program := self.solution([])) is not None:
            self.forget([program])
            yield program

    def forms_of(self, program: BoundedProgram) -> Iterator[list[int]]:
        """Yield for each form of a program that has this shape the literals that say that it is this one."""
        skeleton = self.proposed.skeleton
        for form in dict.fromkeys(forms(program, skeleton.bound.tags)):
            if tuple(map(len, form.threads)) == skeleton.threads:
                yield [x for x in literals_of_program(self.proposed.program, form) if x != TRUE]

    def solution(self, assumptions: list[int]) -> BoundedProgram | None:
        """Return a program that tells the models apart and meets the assumptions; raise Unanswered at a limit."""
        while (truth := self._proposal(assumptions)) is not None:
            found = self._counterexample(truth)
            if found is None:
                return chosen_program(self.proposed.program, lambda x: truth.get(abs(x), x > 0) is (x > 0))
            self._exclude(*found)
        return None

    def _exclude(self, lost: frozenset[int], order: dict[int, int] | None) -> None:
        """The second model permits no execution with these reads undef and this order of writes."""
        proposed, circuit = self.proposed, self.proposed.program.circuit
        circuit.add(-proposed.permitted(self.refusing, lost, order))
        if proposed.unproved:
            circuit.cut_cycles()
        self.effort.rounds += 1

    def _proposal(self, assumptions: list[int]) -> dict[int, bool] | None:
        """Return the truth of the variables of a program and an execution that are not excluded."""
        found = self.proposer.check(assumptions, self._time())
        self.effort.variables = self.proposed.program.circuit.variables
        self.effort.clauses = self.proposer.clauses
        if not found:
            return None
        proposed = self.proposed
        executions = [*proposed.undef.values(), *proposed.skeleton.before.values()]
        executions += [x for sources in proposed.sources.values() for x in sources.values()]
        return self.proposer.query.solution([*range(1, self.last + 1), *executions])

    def _counterexample(self, truth: dict[int, bool]) -> tuple[frozenset[int], dict[int, int] | None] | None:
        """Return the undef reads and the order of an execution of the second model that covers the outcome.

        The order is None if that of the proposed execution does.
        """
        execution = self.answered
        program = [x if truth[x] else -x for x in range(2, self.last + 1)]
        outcome = []
        for r, sources in execution.sources.items():
            outcome += [-x for x in sources.values() if not truth[x]]
            if truth[execution.undef[r]]:
                outcome.append(execution.undef[r])
        same_order = [x if truth[x] else -x for x in execution.skeleton.before.values()]
        if self.answerer.check([*program, *outcome, *same_order], self._time()):
            return self._lost(truth), None
        if self.answerer.check([*program, *outcome], self._time()):
            return self._lost(truth), self._order()
        return None

    def _lost(self, truth: dict[int, bool]) -> frozenset[int]:
        """Return the reads that return undef in the execution found, and a value in the proposed one."""
        undef = self.answered.undef
        found = self.answerer.query.solution(undef.values())
        return frozenset(r for r, x in undef.items() if found[x] and not truth[x])

    def _order(self) -> dict[int, int]:
        """Return the place of every write in the execution found."""
        before = self.answered.skeleton.before
        found = self.answerer.query.solution(before.values())
        places = dict.fromkeys(self.answered.skeleton.movable, 0)
        for a, b in before:
            places[b if found[before[a, b]] else a] += 1
        return places

    def _time(self) -> int:
        if self.deadline.passed():
            raise Unanswered(TIME_LIMIT)
        return self.deadline.milliseconds()


def open_family(bound: Bound, shape: ThreadSizes) -> tuple[FamilyCandidate, int]:
    """Return any program of a bound and shape with any execution, and the last variable of the program.

    Built twice in the same way, it has the same variables.
    """
    skeleton = Skeleton(bound, shape, Circuit())
    slots = free_attributes(skeleton, range(len(skeleton.slots)), first_use=True)
    _ = skeleton.together
    for a in slots:
        well_formed(skeleton, a)
    without_renamings(skeleton, slots)
    last = skeleton.circuit.variables
    return candidate(SymbolicProgram(skeleton, slots, Compatibility(skeleton))), last
