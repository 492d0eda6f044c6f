"""One execution with an outcome, or the reasons why there is none.

What goes in: a test's events, a model, and a question: a literal such as "the condition holds". What comes out: an
`Execution` that answers it under some of the model's rules, a minimal set of rules that leave none, and the fewest
rules that have to be broken for one. The executions are plain facts; nothing of the solver is left in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.constraints import Encoding, ModelRule, encode
from axmem.encoder.cores import minimal
from axmem.encoder.execution import Candidate
from axmem.encoder.limits import SAT, TIME_LIMIT, UNKNOWN
from axmem.encoder.solve import Deadline, Row
from axmem.encoder.solver import Query, Session
from axmem.events.graph import Event, EventGraph, EventKind
from axmem.events.values import UNDEF, Expr, Value, evaluate
from axmem.front.records import dataclass, field, replace
from axmem.litmus.undef import shown
from axmem.model.model import Model
from axmem.model.relation import Relation, relation


@dataclass(frozen=True, slots=True)
class Execution:
    """A candidate execution: the choices, and the values that follow from them.

    `arms` has the arm of every choice. `executed` are the events that execute, as bits; final reads are among them.
    `rf` gives for each read that executes the write it reads from, or None if it is undef unread. `co` orders all
    writes of a cell. `values` are what reads return and writes write. `undefined` names the undefined behaviour.
    `orders` gives what else the model has an execution choose, by its terms.
    """

    arms: tuple[int, ...]
    executed: int
    rf: Mapping[int, int | None]
    co: Relation
    values: Mapping[int, Value]
    outcome: Row
    undefined: tuple[str, ...]
    orders: Mapping[int, Relation] = field(default_factory=dict)


class Unanswered(Exception):
    """A limit was reached before the solver knew; the message says which."""


class Witnesses:
    """The executions of a test under a model, each rule of which may be switched off.

    `ask` makes the literal of a question from the encoding before the clauses are written. Every method raises
    `Unanswered` where a limit is reached.
    """

    def __init__(
        self,
        graph: EventGraph,
        model: Model,
        ask: Callable[[Encoding], Sequence[int]],
        session: Session,
        deadline: Deadline,
    ) -> None:
        self.graph = graph
        self.deadline = deadline
        encoding = encode(graph, model, selectable=True, expired=deadline.passed)
        if encoding is None:
            raise Unanswered(TIME_LIMIT)
        self.limits = encoding.limits
        self.beyond = encoding.beyond
        self.rules = encoding.rules
        self.questions = tuple(ask(encoding))
        self.undefined = tuple(encoding.undefined.values())
        self.flags = encoding.flags
        self.lanes = encoding.lanes
        self.candidate = encoding.candidate
        self.orders = encoding.orders
        self._free = [*_free_literals(self.candidate), *self.orders.variables()]
        known = [*self.questions, *self.undefined, *self.flags.values(), *self.rules.values(), *self._free, self.beyond]
        clauses = encoding.circuit.all_clauses([x for x in known if abs(x) != TRUE])
        self.query = Query(session, encoding.circuit.variables, clauses)

    def possible(self, wanted: Sequence[int], rules: Iterable[ModelRule]) -> bool:
        """Tell whether some execution that these rules permit has all that is wanted."""
        return self._check([*wanted, -self.beyond, *[self.rules[r] for r in rules]])

    def lies_beyond(self) -> bool:
        """Tell whether the finite domains leave something out."""
        return bool(self.limits) or self._check([self.beyond, *self.rules.values()])

    def core(self, wanted: Sequence[int], given: Sequence[ModelRule] = ()) -> tuple[ModelRule, ...]:
        """Return a minimal set of rules that exclude what is wanted: without any one of them it is possible.

        What is given holds in any case. Empty if the program itself cannot have it. It must not be possible under all
        rules.
        """
        return self._shrunk(wanted, list(self.rules), given)

    def _shrunk(
        self, wanted: Sequence[int], rules: Sequence[ModelRule], given: Sequence[ModelRule]
    ) -> tuple[ModelRule, ...]:
        return minimal(rules, given, lambda some: not self.possible(wanted, some))

    def nearest(self, wanted: Sequence[int], keeping: Iterable[ModelRule] = ()) -> tuple[ModelRule, ...] | None:
        """Return the fewest rules to break for what is wanted; None if it is impossible without any rule.

        Rules to be kept are not broken. Each core that is found must be hit by the rules broken, and the smallest set
        that hits all is tried until it is enough.
        """
        kept = list(keeping)
        if not self.possible(wanted, kept):
            return None
        cores: list[tuple[ModelRule, ...]] = []
        while True:
            broken = _smallest_hit(cores, list(self.rules))
            others = [r for r in self.rules if r not in broken]
            if self.possible(wanted, others):
                return broken
            cores.append(self._shrunk(wanted, others, kept))

    def execution(self, wanted: Sequence[int], rules: Iterable[ModelRule]) -> Execution:
        """Return the first execution, in a fixed order of all, that these rules permit and that has what is wanted.

        There must be one. The order prefers the first arm of a choice, then the first write to read from (the initial
        one before others), then the order of the text for coherence.
        """
        fixed = [*wanted, -self.beyond, *[self.rules[r] for r in rules]]
        if not self._check(fixed):
            raise ValueError("there is no such execution")
        solution = self.query.solution([x for x in self._free if abs(x) != TRUE])
        for literal in self._free:
            if literal in (TRUE, FALSE):
                continue
            if solution[literal] or self._check([*fixed, literal]):
                if not solution[literal]:
                    solution = self.query.solution([x for x in self._free if abs(x) != TRUE])
                fixed.append(literal)
            else:
                fixed.append(-literal)
        chosen = {TRUE: True, FALSE: False, **{x: x in fixed for x in self._free}}
        found = _execution(self.graph, self.candidate, chosen)
        return replace(found, orders=self.orders.chosen(chosen, found.executed))

    def _check(self, assumptions: list[int]) -> bool:
        if FALSE in assumptions:
            return False
        if self.deadline.passed():
            raise Unanswered(TIME_LIMIT)
        answer = self.query.check([x for x in assumptions if x != TRUE], self.deadline.milliseconds())
        if answer == UNKNOWN:
            raise Unanswered(self.query.why)
        return answer == SAT


def _smallest_hit(cores: list[tuple[ModelRule, ...]], rules: list[ModelRule]) -> tuple[ModelRule, ...]:
    """Return a smallest set of rules that shares one with each core, the first in the order of the rules."""
    involved = [r for r in rules if any(r in core for core in cores)]
    for size in range(len(involved) + 1):
        for chosen in combinations(involved, size):
            if all(any(r in core for r in chosen) for core in cores):
                return chosen
    raise AssertionError("a core without rules is never hit")


def _free_literals(candidate: Candidate) -> Iterator[int]:
    """Yield the literals whose truth fixes an execution, those to prefer first."""
    for arms in candidate.arms:
        yield from arms
    for sources in candidate.sources.values():
        yield from sources.values()
    yield from candidate.orders.values()
    for r in sorted(candidate.domains.looping & candidate.sources.keys()):
        yield from candidate.read(r).values()


def _execution(graph: EventGraph, candidate: Candidate, chosen: Mapping[int, bool]) -> Execution:
    """Read an execution off the truth of the free literals."""
    arms = tuple(next(k for k, x in enumerate(literals) if chosen[x]) for literals in candidate.arms)
    executed = sum(1 << e.index for e in graph.events if all(arms[c] == a for c, a in e.guard))
    rf: dict[int, int | None] = {
        r: next((w for w, x in sources.items() if chosen[x]), None)
        for r, sources in candidate.sources.items()
        if executed >> r & 1
    }
    guessed = {
        r: next(value for value, x in candidate.read(r).items() if chosen[x])
        for r in candidate.domains.looping & rf.keys()
    }
    co = _coherence(graph, candidate, executed, chosen)
    values = _Values(graph, arms, rf, guessed)
    known = {e.index: v for e in graph.events if executed >> e.index & 1 and (v := values.of(e)) is not None}
    outcome = tuple(tuple(shown(values.computed(lane)) for lane in o.lanes) for o in graph.observed)
    undefined = dict.fromkeys(
        u.reason
        for u in graph.undefined
        if all(arms[c] == a for c, a in u.guard) and (u.expr is None or not isinstance(values.computed(u.expr), int))
    )
    return Execution(
        arms=arms,
        executed=executed,
        rf=rf,
        co=co,
        values=known,
        outcome=outcome,
        undefined=tuple(undefined),
    )


def _coherence(graph: EventGraph, candidate: Candidate, executed: int, chosen: Mapping[int, bool]) -> Relation:
    writes = [e for e in graph.events if e.kind in (EventKind.INIT, EventKind.WRITE) and executed >> e.index & 1]

    def before(a: Event, b: Event) -> bool:
        literal = candidate.order(a.index, b.index)
        return chosen[literal] if literal in chosen else not chosen[-literal]

    rows = [0] * len(graph.events)
    for a in writes:
        for b in writes:
            if a is not b and a.cell == b.cell and before(a, b):
                rows[a.index] |= 1 << b.index
    return relation(rows)


class _Values:
    """What the reads of an execution return, computed when asked for; `guessed` where a value depends on itself."""

    def __init__(
        self, graph: EventGraph, arms: Sequence[int], rf: Mapping[int, int | None], guessed: Mapping[int, Value]
    ) -> None:
        self.graph = graph
        self.arms = arms
        self.rf = rf
        self.known: dict[int, Value] = dict(guessed)

    def of(self, event: Event) -> Value | None:
        """Return what an event reads or writes, or None."""
        if event.index in self.rf:
            return self.read(event.index)
        return None if event.value is None else self.computed(event.value)

    def read(self, r: int) -> Value:
        if r not in self.known:
            w = self.rf[r]
            expr = None if w is None else self.graph.events[w].value
            self.known[r] = UNDEF if expr is None else self.computed(expr)
        return self.known[r]

    def computed(self, expr: Expr) -> Value:
        return evaluate(expr, self.read, self.arms.__getitem__)
