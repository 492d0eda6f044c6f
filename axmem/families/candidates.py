"""Executions of a symbolic program, and the literal that a model permits one.

What goes in: a symbolic program. What comes out: variables of an execution (what each read returns, in which order
writes to a location come) and, for a model, that the execution is consistent. As every write has a value of its own,
what the reads return, final reads included, is the outcome; only the order of writes is left open by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.constraints import assert_axiom, truth_of
from axmem.families.attributes import Attributes
from axmem.families.bound import Bound
from axmem.families.enumeration import Shape
from axmem.families.layout import READING, WRITING, Role, SlotEvent, layout
from axmem.families.literals import Choices, SymbolicLiterals, Tables
from axmem.families.vocabulary import Vocabulary
from axmem.model.terms import Model

Order = Sequence[int]
"""Events that may be writes, in an order."""


class SymbolicExecution:
    """A symbolic program with one execution; built twice in the same way, it has the same variables.

    `sources[r][w]`: read r returns the value of write w; `undef[r]`: it returns undef.
    """

    def __init__(self, bound: Bound, shape: Shape) -> None:
        self.circuit = Circuit()
        self.attributes = Attributes(self.circuit, bound, shape)
        self.events = layout(bound, shape)
        self.vocabulary = Vocabulary(self.attributes, self.events)
        self.tables = Tables()
        self.writes = [e for e in self.events if e.role is not Role.FINAL and (e.kinds & WRITING or e.slot < 0)]
        self.movable = [e.index for e in self.writes if e.slot >= 0 and self.write(e) != FALSE]
        self.reads = [e for e in self.events if e.role is Role.FINAL or (e.role is Role.SLOT and e.kinds & READING)]
        self.undef = {e.index: self.circuit.variable() for e in self.reads}
        self.sources = {e.index: self._sources(e) for e in self.reads}
        self.before = {pair: self.circuit.variable() for pair in combinations(self.movable, 2)}
        self._constrain()
        self.unproved = False

    def write(self, e: SlotEvent) -> int:
        """Return the literal that an event is a write."""
        return self.vocabulary._member("W", e)

    def read(self, e: SlotEvent) -> int:
        """Return the literal that an event reads, final reads included."""
        return TRUE if e.role is Role.FINAL else self.vocabulary._member("R", e)

    def _sources(self, r: SlotEvent) -> dict[int, int]:
        """Return a literal for each write that a read may return the value of."""
        found = {}
        for w in self.writes:
            apart = w.slot != r.slot or w.slot < 0
            if apart and self.vocabulary.same_location(w, r) != FALSE and self.write(w) != FALSE:
                found[w.index] = self.circuit.variable()
        return found

    def _constrain(self) -> None:
        circuit, events = self.circuit, self.events
        for r in self.reads:
            reads, sources, undef = self.read(r), self.sources[r.index], self.undef[r.index]
            # A read returns the value of one write, or undef.
            circuit.add(-reads, undef, *sources.values())
            circuit.at_most_one([undef, *sources.values()])
            circuit.add(-undef, reads)
            for w, literal in sources.items():
                # What it reads from is a write, to its location.
                circuit.add(-literal, reads)
                circuit.add(-literal, self.write(events[w]))
                circuit.add(-literal, self.vocabulary.same_location(events[w], r))
        for a, b, c in combinations(self.movable, 3):
            # Writes stand in one order: no three go round.
            circuit.add(-self.before[a, b], -self.before[b, c], self.before[a, c])
            circuit.add(self.before[a, b], self.before[b, c], -self.before[a, c])

    # ------------------------------------------------------------ reads-from and coherence

    def first(self, a: int, b: int, order: Mapping[int, int] | None) -> int:
        """Return the literal that slot write a stands before b, in a fixed order or in the one of the execution."""
        if order is not None:
            return TRUE if order[a] < order[b] else FALSE
        return self.before[a, b] if a < b else -self.before[b, a]

    def choices(self, lost: frozenset[int], order: Mapping[int, int] | None) -> Choices:
        """Return reads-from and coherence: without the reads that are `lost` to undef, in an order if one is given."""

        def rf(w: int, r: int) -> int:
            return FALSE if r in lost else self.sources.get(r, {}).get(w, FALSE)

        def co(a: int, b: int) -> int:
            one, other = self.events[a], self.events[b]
            if a == b or Role.FINAL in (one.role, other.role) or other.role is Role.INITIAL:
                return FALSE
            if other.index not in positions or (one.slot >= 0 and one.index not in positions):
                return FALSE
            ordered = TRUE if one.role is Role.INITIAL else self.first(a, b, order)
            place = self.vocabulary.same_location(one, other)
            return self.circuit.conjunction((self.write(one), self.write(other), place, ordered))

        positions = set(self.movable)
        key = None if order is None else tuple(order.items())
        return Choices(rf, co, ("rf", lost), ("co", key))

    # ------------------------------------------------------------ models

    def consistent(
        self, model: Model, lost: frozenset[int] = frozenset(), order: Mapping[int, int] | None = None
    ) -> int:
        """Return the literal that a model permits the execution, once the reads in `lost` are undef instead."""
        literals = SymbolicLiterals(model, self.vocabulary, self.choices(lost, order), self.tables)
        facts = [truth_of(literals, axiom) for axiom in model.axioms if not axiom.flag]
        facts += [self._agrees(literals, r, lost) for r in self.reads if self._concerns(model, r)]
        if "Fin" not in model.base_names:
            facts += [x for r in self.reads if r.role is Role.FINAL for x in self._last(r, literals.choices, lost)]
        self.unproved |= literals.unproved
        return self.circuit.conjunction(facts)

    def permit(self, model: Model) -> None:
        """Assert that a model permits the execution."""
        literals = SymbolicLiterals(model, self.vocabulary, self.choices(frozenset(), None), self.tables)
        for axiom in model.axioms:
            if not axiom.flag:
                assert_axiom(literals, axiom)
        for r in self.reads:
            if self._concerns(model, r):
                self.circuit.add(self._agrees(literals, r, frozenset()))
            elif r.role is Role.FINAL:
                for literal in self._last(r, literals.choices, frozenset()):
                    self.circuit.add(literal)
        self.unproved |= literals.unproved

    def _concerns(self, model: Model, r: SlotEvent) -> bool:
        """Tell whether a read is one of which the model speaks: final reads only if it names them."""
        return r.role is not Role.FINAL or "Fin" in model.base_names

    def _agrees(self, literals: SymbolicLiterals, r: SlotEvent, lost: frozenset[int]) -> int:
        """Return the literal that a read is undef just if a rule of the model says so."""
        circuit, i = self.circuit, r.index
        named = circuit.disjunction([literals.member(rule.term, i) for rule in literals.model.undefs])
        undef = self.read(r) if i in lost else self.undef[i]
        return circuit.both(circuit.either(-undef, named), circuit.either(undef, -named))

    def _last(self, r: SlotEvent, choices: Choices, lost: frozenset[int]) -> list[int]:
        """Return literals that a final read of which the model says nothing returns the last write to its location."""
        if r.index in lost:
            return [FALSE]
        circuit = self.circuit
        found = [-self.undef[r.index]]
        for w, literal in self.sources[r.index].items():
            for other in self.sources[r.index]:
                if other != w:
                    there = circuit.both(self.write(self.events[other]), self._at(other, r))
                    found.append(circuit.disjunction((-literal, -there, choices.co(other, w))))
        return found

    def _at(self, w: int, r: SlotEvent) -> int:
        return self.vocabulary.same_location(self.events[w], r)
