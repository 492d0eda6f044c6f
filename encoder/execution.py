"""The literals of a candidate execution: which arms are taken, what is read from where, in which order, which values.

What goes in: the events of a test and their bounds. What comes out: the circuit of all candidate executions, before
any axiom of a model (`Execution`). In one whose outcomes are enumerated a value is one-hot: for each value it may be, a
literal (`Candidate`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod

from axmem.encoder.bounds import Bounds
from axmem.encoder.branching import goes
from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.domains import Domains, domains
from axmem.events.graph import Choice, EventGraph, EventKind, Guard, Noticed
from axmem.events.values import (
    DEPENDING,
    UNDEF,
    WHOLE,
    Apply,
    Constant,
    Expr,
    Pick,
    ReadOf,
    Value,
    apply_operation,
    evaluate,
    fold,
)
from axmem.front.records import dataclass
from axmem.litmus.undef import POISONED, order_of
from axmem.model.relation import bits

OneHot = dict[Value, int]


@dataclass(frozen=True, slots=True)
class EncodingSettings:
    """What a model leaves to the encoding: final values (those of the co-last writes), values out of thin air."""

    finals_by_co: bool
    thin_air: bool


def reads_of(graph: EventGraph, found: Bounds) -> list[int]:
    """Return the reads and final reads of which the model speaks, in the order of the events."""
    kinds = (EventKind.READ, EventKind.FINAL)
    return [e.index for e in graph.events if e.kind in kinds and found.present >> e.index & 1]


class Execution:
    """The free choices of an execution as literals of a circuit, but for values; `undef` are the reads that may return
    undef unread.

    `executed[e]`: event e executes. `sources[r]`: for each write r may read from, the literal.
    """

    def __init__(
        self, graph: EventGraph, found: Bounds, circuit: Circuit, undef: frozenset[int], settings: EncodingSettings
    ) -> None:
        self.graph = graph
        self.circuit = circuit
        self.undef = undef
        self.thin_air = settings.thin_air
        self.arms = self._choices()
        self.executed = [self.guard(e.guard) for e in graph.events]
        self.orders: dict[tuple[int, int], int] = {}
        self.ordered: dict[int, set[int]] = {}
        self.sources: dict[int, dict[int, int]] = {r: {} for r in reads_of(graph, found)}
        self._read_from(found)
        self._co_finals: frozenset[int] = frozenset()
        if settings.finals_by_co:
            self._final_sources()

    # ------------------------------------------------------------ control

    def _read_from(self, found: Bounds) -> None:
        """Each read may read from the writes that the bounds leave it."""
        for w, row in enumerate(found.rf):
            for r in bits(row):
                self.sources[r][w] = self.circuit.variable()

    def _choices(self) -> list[list[int]]:
        """Return the literals of the arms of each choice."""
        return [self._arms_of(choice) for choice in self.graph.choices]

    def _arms_of(self, choice: Choice) -> list[int]:
        """A choice takes exactly one of its arms."""
        if len(choice.values) == 2:
            taken = self.circuit.switch()
            return [-taken, taken]
        literals = [self.circuit.variable() for _ in choice.values]
        self.circuit.add(*literals)
        self.circuit.choose(literals, total=True)
        return literals

    def guard(self, guard: Guard) -> int:
        """Return the literal that a guard holds."""
        return self.circuit.conjunction([self.arms[choice][arm] for choice, arm in guard])

    # ------------------------------------------------------------ reads-from and coherence

    def constrain_reads(self, undef: dict[int, int]) -> None:
        """Every read that executes takes its value from exactly one write, or is undef; both ends execute."""
        for r, sources in self.sources.items():
            if r in self._co_finals:
                continue
            literals = list(sources.values())
            nothing = undef.get(r, FALSE)
            self.circuit.add(-self.executed[r], nothing, *literals)
            for w, literal in sources.items():
                self.circuit.add(-literal, self.executed[w])
                self.circuit.add(-literal, self.executed[r])
                self.circuit.add(-literal, -nothing)
            self.circuit.choose(literals, total=self.executed[r] == TRUE and nothing == FALSE)

    def _final_sources(self) -> None:
        """Where the model leaves final values to us, the final value is that of the co-last write; undef of none."""
        events = self.graph.events
        finals = [e for e in events if e.kind is EventKind.FINAL]
        for final in finals:
            self.sources[final.index] = self.last(final.cell)
            if all(events[w].kind is not EventKind.INIT for w in self.sources[final.index]):
                self.undef |= {final.index}
        self._co_finals = frozenset(e.index for e in finals)

    def last(self, cell: int) -> dict[int, int]:
        """Return for each write of a cell the literal that it executes and that no other one comes after it in `co`."""
        writes = [e.index for e in self.graph.events if e.cell == cell and e.kind in (EventKind.WRITE, EventKind.INIT)]
        either, executed = self.circuit.either, self.executed
        return {
            w: self.circuit.conjunction(
                [executed[w], *(either(-executed[x], self.order(x, w)) for x in writes if x != w)]
            )
            for w in writes
        }

    def source(self, w: int, r: int) -> int:
        """Return the literal of rf(w, r)."""
        return self.sources[r].get(w, FALSE)

    def coherence(self, a: int, b: int) -> int:
        """Return the literal of co(a, b)."""
        return self.circuit.conjunction((self.executed[a], self.executed[b], self.order(a, b)))

    def order(self, a: int, b: int) -> int:
        """Return the literal that write a comes before write b in their cell's total order."""
        events = self.graph.events
        if events[a].kind is EventKind.INIT or events[b].kind is EventKind.INIT:
            return TRUE if events[a].kind is EventKind.INIT else FALSE
        self.ordered.setdefault(events[a].cell, set()).update((a, b))
        return self._orientation(a, b)

    def _orientation(self, a: int, b: int) -> int:
        """One variable for two accesses with the same footprint, whatever the cell."""
        events = self.graph.events
        same = events[a].footprint == events[b].footprint
        key = (events[a].access, events[b].access) if same else (-1 - a, -1 - b)
        if key > key[::-1]:
            return -self._orientation(b, a)
        if key not in self.orders:
            self.orders[key] = self.circuit.switch()
        return self.orders[key]

    def order_all_writes(self) -> None:
        """Ask about the order of every two writes to a cell, so that a solution has a whole coherence order."""
        writes = [e for e in self.graph.events if e.kind is EventKind.WRITE]
        for i, a in enumerate(writes):
            for b in writes[i + 1 :]:
                if a.cell == b.cell:
                    self.order(a.index, b.index)

    def constrain_orders(self) -> None:
        """The coherence order of the writes that were asked about is transitive."""
        done: set[tuple[int, ...]] = set()
        for writes in self.ordered.values():
            members = sorted(writes)
            for i, a in enumerate(members):
                for j, b in enumerate(members[i + 1 :], i + 1):
                    for c in members[j + 1 :]:
                        ab, bc, ac = self._orientation(a, b), self._orientation(b, c), self._orientation(a, c)
                        if (ab, bc, ac) not in done:
                            done.add((ab, bc, ac))
                            self.circuit.add(-ab, -bc, ac)
                            self.circuit.add(ab, bc, -ac)


class Candidate(Execution):
    """An execution with the values that it computes.

    `beyond`: some value lies outside the finite domains, so that the execution is not represented. `untried`: values
    form a cycle, and are none of those that were tried.
    """

    def __init__(
        self, graph: EventGraph, found: Bounds, circuit: Circuit, undef: frozenset[int], settings: EncodingSettings
    ) -> None:
        super().__init__(graph, found, circuit, undef, settings)
        self.domains: Domains = domains(graph, self.sources, undef, thin_air=settings.thin_air)
        self.beyond = FALSE
        self.untried = FALSE
        self._values: dict[Expr, OneHot] = {}
        self._joints: dict[frozenset[int], tuple[tuple[int, dict[int, Value], dict[Expr, Value]], ...]] = {}
        self._reads: dict[int, OneHot] = {}

    # ------------------------------------------------------------ control

    def constrain_control(self) -> None:
        """A choice goes a way that its value may; a requirement's value is not 0."""
        circuit, graph = self.circuit, self.graph
        for choice in graph.choices:
            if choice.expr is None:
                continue
            arises = self.guard(choice.guard)
            for value, literal in self.value(choice.expr).items():
                for arm in range(len(choice.values)):
                    if not goes(choice, arm, value):
                        circuit.add(-arises, -literal, -self.arms[choice.index][arm])
        for require in graph.requires:
            circuit.add(-self.guard(require.guard), -self.value(require.expr).get(0, FALSE))
        for each in graph.taken_back:
            noticed = [self._noticed(some) for some in each.noticed] + [self.executed[e] for e in each.unless]
            circuit.add(-self.guard(each.guard), -self.value(each.expr).get(0, FALSE), *noticed)

    def _noticed(self, noticed: Noticed) -> int:
        """Return the literal that an event notices what happens between two writes."""
        first, last, event = noticed.first, noticed.last, noticed.event
        sources = self.sources.get(event, {event: self.executed[event]})
        # A read is between two writes if its source is the first, or comes after it, and before the last.
        between = [
            self.circuit.conjunction([literal, TRUE if w == first else self.order(first, w), self.order(w, last)])
            for w, literal in sources.items()
            if w != last
        ]
        there = self.circuit.conjunction([self.guard(noticed.guard), -self.value(noticed.expr).get(0, FALSE)])
        return self.circuit.both(self.circuit.disjunction(between), there)

    def undefined_behaviour(self) -> dict[str, int]:
        """Return, for each reason of undefined behaviour, the literal that it occurs."""
        reasons: dict[str, list[int]] = {}
        for u in self.graph.undefined:
            happens = TRUE if u.expr is None else self.undefined(u.expr)
            reasons.setdefault(u.reason, []).append(self.circuit.both(self.guard(u.guard), happens))
        return {reason: self.circuit.disjunction(literals) for reason, literals in reasons.items()}

    # ------------------------------------------------------------ values

    def value(self, expr: Expr) -> OneHot:
        """Return the literals of an expression's values; one holds where everything it depends on executes."""
        known = self._values.get(expr)
        return known if known is not None else fold(expr, self._computed, self._values)

    def undefined(self, expr: Expr) -> int:
        """Return the literal that an expression is no number."""
        return self.no_number(self.value(expr))

    def no_number(self, values: OneHot) -> int:
        """Return the literal that something of these values is no number."""
        return self.circuit.disjunction([x for value, x in values.items() if not isinstance(value, int)])

    def _computed(self, expr: Expr) -> OneHot:
        if isinstance(expr, ReadOf):
            return self.read(expr.event)
        if isinstance(expr, Apply) and not expr.choices and expr.operation not in (DEPENDING, WHOLE):
            combinations = prod(len(self.value(a)) for a in expr.arguments)
            if combinations > prod(len(self.read(r)) for r in expr.reads):
                found: dict[Value, list[int]] = {}
                for literal, values, known in self._joint(expr.reads):
                    value = evaluate(expr, values.__getitem__, lambda _: None, known)
                    found.setdefault(value, []).append(literal)
                return self._joined(found)
        return self.combined(expr, self.value)

    def combined(self, expr: Expr, value_of: Callable[[Expr], OneHot]) -> OneHot:
        """Return the values of what is no read from those of its operands."""
        found: dict[Value, list[int]] = {}
        match expr:
            case Constant(value):
                return {value: TRUE}
            case Pick(choice, arms):
                for arm, part in zip(self.arms[choice], arms, strict=True):
                    for value, literal in value_of(part).items():
                        found.setdefault(value, []).append(self.circuit.both(arm, literal))
            case Apply("depending", _, (part, *_)):
                return value_of(part)
            case Apply("whole", _, (part, *others)):
                undef = self.circuit.disjunction([value_of(other).get(POISONED, FALSE) for other in others])
                found = {value: [self.circuit.both(literal, -undef)] for value, literal in value_of(part).items()}
                found.setdefault(POISONED, []).append(undef)
            case Apply(operation, bits_, arguments, parameters):
                for combination in product(*(value_of(a).items() for a in arguments)):
                    value = apply_operation(operation, bits_, parameters, tuple([v for v, _ in combination]))
                    found.setdefault(value, []).append(self.circuit.conjunction([x for _, x in combination]))
        return self._joined(found)

    def _joint(self, reads: frozenset[int]) -> tuple[tuple[int, dict[int, Value], dict[Expr, Value]], ...]:
        """Return every combination of what reads return: its literal, and the values of expressions under it."""
        if reads not in self._joints:
            combinations = [tuple(zip(*c, strict=True)) for c in product(*(self.read(r).items() for r in reads))]
            self._joints[reads] = tuple(
                (self.circuit.conjunction(literals), dict(zip(reads, values, strict=True)), {})
                for values, literals in combinations
            )
        return self._joints[reads]

    def _joined(self, found: dict[Value, list[int]]) -> OneHot:
        joined = {value: self.circuit.disjunction(literals) for value, literals in found.items()}
        return {value: literal for value, literal in joined.items() if literal != FALSE}

    def read(self, r: int) -> OneHot:
        """Return the literals of what a read returns.

        Where its value may depend on itself, they are variables tied to the sources afterwards (`constrain_values`).
        """
        if r not in self._reads:
            if r in self.domains.looping:
                self._reads[r] = {value: self.circuit.variable() for value in self.looping_domain(r)}
            else:
                self._reads[r] = self._from_sources(r)
        return self._reads[r]

    def looping_domain(self, r: int) -> list[Value]:
        """Return the values of a read, always in one order."""
        return sorted(self.domains.reads[r], key=order_of)

    def _from_sources(self, r: int) -> OneHot:
        found: dict[Value, list[int]] = {}
        for w, literal in self.sources[r].items():
            expr = self.graph.events[w].value
            assert expr is not None
            for value, condition in self.value(expr).items():
                found.setdefault(value, []).append(self.circuit.both(literal, condition))
        if r in self.undef:
            unread = self.circuit.conjunction([self.executed[r], *[-x for x in self.sources[r].values()]])
            found.setdefault(UNDEF, []).append(unread)
        return self._joined(found)
