"""Which events execute where a read takes what is open: relations of models that depend on values.

What goes in: the events of a program, the words that are written. What comes out: for each write and event the literals
of `admits` and `excludes`. Of what other reads return nothing is known. Invariant: of numbers that are fixed this says
what `axmem.encoder.statics` says of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from axmem.encoder.circuit import FALSE, Circuit
from axmem.encoder.openings import Key, Openings
from axmem.encoder.words import ANYTHING, Word, Words, constant
from axmem.events.graph import Event, EventGraph, EventKind
from axmem.events.values import GIVEN, Apply, Constant, Expr, Pick, ReadOf, fold

ADMITS, EXCLUDES = (False, "admits"), (False, "excludes")
Pairs = dict[tuple[int, int], int]


class _Written(NamedTuple):
    read: int
    word: Word


def admitted(graph: EventGraph, openings: Openings) -> Iterator[tuple[Key, Pairs]]:
    """Yield the literals of both relations, of what depends on what is open."""
    admits: Pairs = {}
    excludes: Pairs = {}
    for e in graph.events:
        for r in sorted(e.guard_reads | e.address_reads):
            cell = graph.events[r].cell
            for write in graph.events:
                if write.cell != cell or write.kind not in (EventKind.WRITE, EventKind.INIT):
                    continue
                if write.index not in openings.written and not openings.given:
                    continue
                found = _Followed(graph, openings, e, r, write)
                first, may = found.permitted(found.there), found.may()
                pair, both, either = (write.index, e.index), openings.circuit.both, openings.circuit.either
                admits[pair] = either(both(first, may), admits.get(pair, FALSE))
                excludes[pair] = either(both(first, -may), excludes.get(pair, FALSE))
    yield ADMITS, admits
    yield EXCLUDES, excludes


class _Followed:
    """What is known where a read takes a write."""

    def __init__(self, graph: EventGraph, openings: Openings, e: Event, read: int, write: Event) -> None:
        self.graph, self.openings, self.guard = graph, openings, e.guard
        self.circuit: Circuit = openings.circuit
        self.words = Words(self.circuit, over=True, unknown=openings.unknown)
        self.there = dict(graph.events[read].guard)
        self.arms = self.there | dict(e.guard)
        self._known: dict[Expr, Word] = {}
        self._read: _Written | None = None
        word = openings.written.get(write.index)
        if word is None and write.value is not None:
            word = self._within(dict(write.guard), write.value)
        self._known = {}
        self._read = _Written(read, word or ANYTHING)

    def _within(self, arms: Mapping[int, int], expr: Expr) -> Word:
        """Return what is known of an expression where choices take some arms."""

        def value(part: Expr) -> Word:
            match part:
                case ReadOf(event):
                    return self._read.word if self._read is not None and event == self._read.read else ANYTHING
                case Constant(number):
                    return constant(number)
                case Pick(choice, parts):
                    return self._known[parts[arms[choice]]] if choice in arms else ANYTHING
                case Apply(operation, bits, arguments, parameters):
                    if operation == GIVEN:
                        return self.openings.given[parameters[0]]
                    found = self.words.apply(operation, bits, parameters, [self._known[a] for a in arguments])
                    return found if found.poison == FALSE else ANYTHING

        return fold(expr, value, self._known)

    def permitted(self, arms: Mapping[int, int]) -> int:
        """Return the literal that what is required may hold where choices take some arms."""
        facts = []
        for require in self.graph.requires:
            if arms.items() >= dict(require.guard).items():
                word = self._within(self.arms, require.expr)
                facts.append(self.circuit.either(self.words.any_free(word), -self.words.equals(word, 0)))
        return self.circuit.conjunction(facts)

    def may(self) -> int:
        """Return the literal that the event may execute."""
        facts = [self.permitted(self.arms)]
        for k, arm in self.guard:
            choice = self.graph.choices[k]
            if choice.expr is None:
                continue
            word, wanted = self._within(self.arms, choice.expr), choice.values[arm]
            if wanted is not None:
                facts.append(self.words.may_be(word, wanted))
            else:
                others = [self.words.equals(word, v) for v in choice.values if v is not None]
                surely = self.circuit.both(-self.words.any_free(word), self.circuit.disjunction(others))
                facts.append(-surely)
        return self.circuit.conjunction(facts)
