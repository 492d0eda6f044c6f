"""Executions whose values are words.

What goes in: an execution's choices, the words of what is open. What comes out: the words of what reads return and of
what is computed, the control that follows from them, undefined behaviour. An execution that is proposed reads undef as
at least what it may be (`Proposal`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from axmem.encoder.bounds import Bounds
from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.domains import self_dependent
from axmem.encoder.execution import EncodingSettings, Execution
from axmem.encoder.openings import Openings
from axmem.encoder.words import NOTHING, Word, Words, constant
from axmem.events.graph import Choice, EventGraph
from axmem.events.values import GIVEN, Apply, Constant, Expr, Pick, ReadOf, fold, operands
from axmem.front.typing import override

Known: TypeAlias = dict[Expr, Word]


class ValuedExecution(Execution):
    """An execution with the words of what it computes."""

    over: bool

    def __init__(
        self,
        graph: EventGraph,
        found: Bounds,
        circuit: Circuit,
        undef: frozenset[int],
        settings: EncodingSettings,
        openings: Openings,
    ) -> None:
        super().__init__(graph, found, circuit, undef, settings)
        self.written: Mapping[int, Word] = openings.written
        self.given: Mapping[int, Word] = openings.given
        self.words = Words(circuit, over=self.over, unknown=openings.unknown)
        values = tuple(None if e.index in self.written else e.value for e in graph.events)
        self.looping = self_dependent(values, self.sources)
        """The reads whose values may depend on themselves."""
        self._values: Known = {}
        self._reads: dict[int, Word] = {}

    # ------------------------------------------------------------ words

    def value(self, expr: Expr) -> Word:
        """Return the word of an expression; it is there where everything that it depends on executes."""
        known = self._values.get(expr)
        return known if known is not None else fold(expr, self._computed, self._values)

    def _computed(self, expr: Expr) -> Word:
        match expr:
            case ReadOf(event):
                return self.read(event)
            case Constant(value):
                return constant(value)
            case Pick(choice, arms):
                return self.words.one_of([(x, self.value(arm)) for x, arm in zip(self.arms[choice], arms, strict=True)])
            case Apply(operation, bits, arguments, parameters):
                if operation == GIVEN:
                    return self.given[parameters[0]]
                words = [self.value(a) for a in arguments]
                if operation == "select" and words[0].undef(0) != FALSE:
                    words[0] = self._decided(expr, arguments[0], words[0])
                return self.words.apply(operation, bits, parameters, words)

    def _decided(self, expr: Expr, test: Expr, word: Word) -> Word:
        """Return the truth value by which a select goes, which may be undef."""
        return word

    def value_of_write(self, w: int) -> Word:
        """Return the word that a write writes."""
        found = self.written.get(w)
        if found is not None:
            return found
        expr = self.graph.events[w].value
        assert expr is not None
        return self.value(expr).within(self.width(w))

    def width(self, e: int) -> int:
        """Return how many bits a read returns, or a write writes."""
        return 8 * self.graph.cells[self.graph.events[e].cell].size

    def read(self, r: int) -> Word:
        """Return the word that a read returns."""
        if r not in self._reads:
            self._reads[r] = self._returned(r)
        return self._reads[r]

    def _returned(self, r: int) -> Word:
        return self._from_sources(r)

    def unread(self, r: int) -> int:
        """Return the literal that a read returns undef without a source."""
        if r not in self.undef:
            return FALSE
        return self.circuit.conjunction([self.executed[r], *[-x for x in self.sources[r].values()]])

    def _from_sources(self, r: int) -> Word:
        ways = [(x, self.value_of_write(w)._replace(there=TRUE)) for w, x in self.sources[r].items()]
        if (nothing := self.unread(r)) != FALSE:
            ways.append((nothing, Word((), (TRUE,) * self.width(r))))
        return self.words.one_of(ways)._replace(there=self.executed[r])

    # ------------------------------------------------------------ control

    def _arm(self, choice: Choice, arm: int, word: Word) -> int:
        """Return the literal that a word takes an arm."""
        wanted = choice.values[arm]
        if wanted is not None:
            return self.words.equals(word, wanted)
        return self.circuit.conjunction([-self.words.equals(word, v) for v in choice.values if v is not None])

    def passes(self, expr: Expr) -> int:
        """Return the literal that a requirement is met."""
        word = self.value(expr)
        return self.circuit.disjunction([-word.there, self.words.undefined(word), -self.words.equals(word, 0)])

    def undefined_behaviour(self) -> dict[str, int]:
        """Return, for each reason of undefined behaviour, the literal that it occurs."""
        reasons: dict[str, list[int]] = {}
        for u in self.graph.undefined:
            happens = TRUE
            if u.expr is not None:
                word = self.value(u.expr)
                happens = self.circuit.both(word.there, self.words.undefined(word))
            reasons.setdefault(u.reason, []).append(self.circuit.both(self.guard(u.guard), happens))
        return {reason: self.circuit.disjunction(literals) for reason, literals in reasons.items()}


def used_once(graph: EventGraph) -> frozenset[Expr]:
    """Return the selects that one use of what is compared alone depends on, so that undef is one number to them."""
    elsewhere = [e.value for e in graph.events if e.value is not None]
    elsewhere += [choice.expr for choice in graph.choices if choice.expr is not None]
    elsewhere += [require.expr for require in graph.requires]
    elsewhere += [each.expr for each in graph.undefined if each.expr is not None]
    counts: dict[Expr, int] = {}
    ahead: list[tuple[Expr, int]] = [(lane, 1) for observed in graph.observed for lane in observed.lanes]
    ahead += [(expr, 2) for expr in elsewhere]
    while ahead:
        expr, uses = ahead.pop()
        if counts.get(expr, 0) < 2:
            counts[expr] = counts.get(expr, 0) + uses
            ahead += [(operand, uses) for operand in operands(expr)]
    return frozenset(e for e, n in counts.items() if n == 1 and isinstance(e, Apply) and e.operation == "select")


class Proposal(ValuedExecution):
    """An execution of which a solver chooses: what undef may be is at least what it can be."""

    over = True

    def __init__(
        self, graph: EventGraph, found: Bounds, undef: frozenset[int], settings: EncodingSettings, openings: Openings
    ) -> None:
        super().__init__(graph, found, openings.circuit, undef, settings, openings)
        self.picks: dict[Expr, int] = {}
        """By the truth values of selects that are used once, the literals that they take the first arm of undef."""
        self._once = used_once(graph)
        self.surely = _Surely(self)

    @override
    def _decided(self, expr: Expr, test: Expr, word: Word) -> Word:
        if expr not in self._once or test in self.picks:
            return word
        pick = self.picks[test] = self.circuit.variable()
        return word._replace(bits=(self.words.mux(word.undef(0), pick, word.bit(0)),), free=())

    @override
    def _returned(self, r: int) -> Word:
        """Return what a read returns: where that may depend on itself, variables that `tie` ties to the sources."""
        if r not in self.looping:
            return self._from_sources(r)
        bits, free = (tuple(self.circuit.variable() for _ in range(self.width(r))) for _ in range(2))
        return Word(bits, free, self.circuit.variable(), self.executed[r])

    def tie(self) -> None:
        """Assert that reads whose values may depend on themselves return those of their sources."""
        circuit = self.circuit
        for r in sorted(self.looping & self.sources.keys()):
            mine, source = self.read(r), self._from_sources(r)
            pairs = [(mine.poison, source.poison)]
            for i in range(self.width(r)):
                pairs += [(mine.bit(i), source.bit(i)), (mine.undef(i), source.undef(i))]
            for a, b in pairs:
                circuit.add(-self.executed[r], -a, b)
                circuit.add(-self.executed[r], a, -b)

    def constrain_control(self) -> None:
        """A choice goes the way its value says, unless that is undef; a requirement's value is not 0."""
        circuit = self.circuit
        for choice in self.graph.choices:
            if choice.expr is None:
                continue
            word = self.value(choice.expr)
            arises, undef = circuit.both(self.guard(choice.guard), word.there), self.words.undefined(word)
            for arm in range(len(choice.values)):
                circuit.add(-arises, undef, -self.arms[choice.index][arm], self._arm(choice, arm, word))
        for require in self.graph.requires:
            circuit.add(-self.guard(require.guard), self.passes(require.expr))


class _Surely:
    """What is surely undef of what a proposed execution computes."""

    def __init__(self, whole: Proposal) -> None:
        self.whole = whole
        self.words = Words(whole.circuit, over=False, unknown=whole.words.unknown)
        self._values: Known = {}
        self._reads: dict[int, Word] = {}

    def read(self, r: int) -> Word:
        """Return the word of a read whose mask says at most what is undef."""
        if r not in self._reads:
            whole = self.whole
            if r in whole.looping:
                self._reads[r] = whole.read(r)._replace(free=())
            else:
                ways = [(x, self._written(w)._replace(there=TRUE)) for w, x in whole.sources[r].items()]
                if (nothing := whole.unread(r)) != FALSE:
                    ways.append((nothing, Word((), (TRUE,) * whole.width(r))))
                self._reads[r] = self.words.one_of(ways)._replace(there=whole.executed[r])
        return self._reads[r]

    def _written(self, w: int) -> Word:
        found = self.whole.written.get(w)
        expr = self.whole.graph.events[w].value
        if found is not None or expr is None:
            return found or NOTHING
        return fold(expr, self._computed, self._values).within(self.whole.width(w))

    def _computed(self, expr: Expr) -> Word:
        match expr:
            case ReadOf(event):
                return self.read(event)
            case Pick(choice, arms):
                return self.words.one_of(
                    [(x, self._values[a]) for x, a in zip(self.whole.arms[choice], arms, strict=True)]
                )
            case Apply(operation, bits, arguments, parameters) if operation != GIVEN:
                return self.words.apply(operation, bits, parameters, [self._values[a] for a in arguments])
        return self.whole.value(expr)
