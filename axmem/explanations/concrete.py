"""A model evaluated on one execution, with plain sets and relations.

What goes in: an `Execution` and a model. What comes out: a `ModelView` of it: the value of every named definition,
and the rules that the execution breaks, each with the events that break it; and what the model's text says of its
definitions for explanations. Nothing here asks the solver: what an explanation says rests on this evaluation, which
is the oracle's.
"""

from __future__ import annotations

from functools import cached_property

from axmem.encoder.constraints import DEFINED, ModelRule
from axmem.encoder.statics import Statics, check_meanings
from axmem.encoder.witness import Execution
from axmem.events.graph import EventGraph, EventKind
from axmem.front.records import dataclass
from axmem.model import relation as rel
from axmem.model.evaluation import Value, Values, evaluate_terms
from axmem.model.files import PRELUDE_SOURCE
from axmem.model.model import Model
from axmem.model.primitives import CHOSEN, PICTURED, primitives
from axmem.model.relation import Relation, bits
from axmem.model.terms import Axiom, AxiomKind, Definition, Op, Remark, Term, UndefRule

Fact = tuple[int, ...]
"""One event of a set, or two events of a relation."""


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A rule that an execution breaks, and where.

    `facts` are the events or pairs that ought not to be (for `acyclic` the edges of one shortest cycle), the reads that
    ought to be undef, or for `DEFINED` the reads that are undef without a reason.
    """

    rule: ModelRule
    part: Axiom | UndefRule | None
    facts: tuple[Fact, ...]

    @property
    def part_is_cycle(self) -> bool:
        """Whether the facts are the edges of a cycle."""
        return isinstance(self.part, Axiom) and self.part.kind is AxiomKind.ACYCLIC


@dataclass(frozen=True, slots=True)
class CitedRemark:
    """A remark of the model's text, and the definition that it speaks of."""

    definition: Definition
    remark: Remark

    @property
    def term(self) -> int:
        """The term of the definition."""
        return self.definition.term

    @property
    def text(self) -> str:
        """The first string of the remark."""
        return self.remark.texts[0]


class ModelView:
    """An execution as a model sees it."""

    def __init__(self, graph: EventGraph, model: Model, execution: Execution) -> None:
        self.graph = graph
        self.model = model
        self.execution = execution
        self.size = len(graph.events)
        check_meanings(model, "axmem run --why", graph.levels)
        self.statics = Statics(graph)
        final = "Fin" in model.base_names
        self.present = sum(
            1 << e.index
            for e in graph.events
            if execution.executed >> e.index & 1 and (final or e.kind is not EventKind.FINAL)
        )
        self.rf = self._reads_from()
        self.values = self._values()

    def _reads_from(self) -> Relation:
        rows = [0] * self.size
        for r, w in self.execution.rf.items():
            if w is not None and self.present >> r & 1:
                rows[w] |= 1 << r
        return rel.relation(rows)

    def _values(self) -> Values:
        inner = {m for f in self.model.fixpoints for m in (*f.members, *f.variables)}
        values: Values = [0] * len(self.model.terms)
        order = [i for i in range(len(self.model.terms)) if i not in inner]
        evaluate_terms(self.model, order, values, self.base, self.size)
        return values

    def base(self, term: Term) -> Value:
        """Return the value of a primitive in this execution."""
        if term.op is Op.BASE and term.name in CHOSEN:
            return self.rf if term.name == "rf" else self.execution.co
        if term.op is Op.ORDER:
            return self._orders.get(term, rel.EMPTY)
        value = self.statics.value(term)
        if isinstance(value, int):
            return value & self.present
        return rel.restrict(self.present, value, self.present)

    @cached_property
    def _orders(self) -> dict[Term, Relation]:
        """What else the execution chooses; a term that no rule needs has none."""
        return {self.model.terms[index]: order for index, order in self.execution.orders.items()}

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """The definitions of the model by name; the last of a name counts."""
        return {d.name: d for d in self.model.definitions}

    def defined(self, index: int) -> list[Definition]:
        """Return the definitions of a term, those with a reference first; a recursive variable has the fixpoint's."""
        return self._definitions_of.get(self._meant(index), [])

    @cached_property
    def _definitions_of(self) -> dict[tuple[int, int], list[Definition]]:
        found: dict[tuple[int, int], list[Definition]] = {}
        for definition in sorted(self.model.definitions, key=lambda d: not d.doc.key):
            found.setdefault(self._meant(definition.term), []).append(definition)
        return found

    def _meant(self, index: int) -> tuple[int, int]:
        term = self.model.terms[index]
        return (-1 - term.fixpoint, term.position) if term.op in (Op.FIX, Op.RECVAR) else (index, 0)

    def said(self, index: int, word: str) -> CitedRemark | None:
        """Return the first remark with this word in the definitions of a term."""
        return next((CitedRemark(d, r) for d in self.defined(index) if (r := d.remark(word)) is not None), None)

    def saying(self, word: str) -> list[CitedRemark]:
        """Return the remarks with this word, in the order of the text."""
        return [CitedRemark(d, r) for d in self.definitions.values() if (r := d.remark(word)) is not None]

    def order_name(self, order: CitedRemark) -> str:
        """Return under which name an `@order` stands in pictures: its path, that of the first part of a union that has
        one, or what the definition is called."""
        term = self.model.terms[order.term]
        parts = (order.term, *(term.arguments if term.op is Op.UNION else ()))
        return next((said.text for part in parts if (said := self.said(part, "path"))), order.definition.name)

    def value(self, name: str) -> Value:
        """Return a set or relation by its name in the model, or else in the vocabulary; empty if neither knows it."""
        if name in self.definitions:
            return self.values[self.definitions[name].term]
        known = primitives(self.model.levels).get(name)
        return self.base(Term(Op.BASE, name=name, is_set=known.is_set)) if known is not None else rel.EMPTY

    def drawn(self, label: str) -> Relation:
        """Return the relation that a picture shows under a label.

        That is what the model or the vocabulary calls so; else what the model's text gives this `@path`; else what the
        prelude calls so, or the vocabulary by another name: of these the first that relates anything.
        """
        own = [d for d in self.model.definitions if d.source != PRELUDE_SOURCE]
        named = [d.name for d in own if d.name == label] + [label] * (label in primitives(self.model.levels))
        pathed = [d.name for d in own if (r := d.remark("path")) is not None and r.texts == (label,)]
        aliased = [name for name, shown in PICTURED.items() if shown == label]
        found = (self.value(name) for name in (*named, *pathed[:1], label, *aliased))
        return next((value for value in found if value and isinstance(value, tuple)), rel.EMPTY)

    def relation_of(self, term: int) -> Relation:
        """Return the value of a term that is a relation."""
        value = self.values[term]
        assert isinstance(value, tuple)
        return value

    def has(self, term: int, fact: Fact) -> bool:
        """Tell whether a fact is in a term's value."""
        value = self.values[term]
        if isinstance(value, int):
            return bool(value >> fact[0] & 1)
        return bool(value) and bool(value[fact[0]] >> fact[1] & 1)

    def facts(self, term: int) -> tuple[Fact, ...]:
        """Return the events or pairs of a term's value, in order."""
        value = self.values[term]
        if isinstance(value, int):
            return tuple((i,) for i in bits(value))
        return tuple(pairs(value))

    @cached_property
    def violations(self) -> tuple[BrokenRule, ...]:
        """The rules that the execution breaks, in the model's order; none if it is consistent."""
        found = [self._undef(rule) for rule in self.model.undefs]
        if self.model.undefs:
            found.append(self._defined())
        found += [self._broken(axiom) for axiom in self.model.axioms if not axiom.flag]
        return tuple(v for v in found if v is not None)

    def _undef(self, rule: UndefRule) -> BrokenRule | None:
        facts = tuple(f for f in self.facts(rule.term) if self.execution.rf.get(f[0]) is not None)
        return BrokenRule(ModelRule(rule.name, rule.doc), rule, facts) if facts else None

    def _defined(self) -> BrokenRule | None:
        named = {f for rule in self.model.undefs for f in self.facts(rule.term)}
        unread = [(r,) for r in sorted(self.execution.rf) if self.execution.rf[r] is None and self.present >> r & 1]
        facts = tuple(f for f in unread if f not in named)
        return BrokenRule(DEFINED, None, facts) if facts else None

    def _broken(self, axiom: Axiom) -> BrokenRule | None:
        rule = ModelRule(axiom.name, axiom.doc)
        facts = self._offending(axiom)
        if axiom.negated:
            return None if facts else BrokenRule(rule, axiom, ())
        return BrokenRule(rule, axiom, facts) if facts else None

    def _offending(self, axiom: Axiom) -> tuple[Fact, ...]:
        facts = self.facts(axiom.term)
        value = self.values[axiom.term]
        if isinstance(value, int) or axiom.kind is AxiomKind.EMPTY:
            return facts
        if axiom.kind is AxiomKind.IRREFLEXIVE:
            return tuple(f for f in facts if f[0] == f[1])
        return shortest_cycle(value)

    def undef_reasons(self, read: int) -> tuple[UndefRule, ...]:
        """Return the undef rules that name a read."""
        return tuple(rule for rule in self.model.undefs if self.has(rule.term, (read,)))


def pairs(value: Relation) -> list[Fact]:
    """Return the pairs of a relation, in order."""
    return [(i, j) for i, row in enumerate(value) for j in bits(row)]


def in_order(value: Relation) -> list[int]:
    """Return the events that an acyclic relation relates, each after those before it, else in their own order."""
    left = rel.domain(value) | rel.range_of(value)
    found: list[int] = []
    while left:
        first = next(i for i in bits(left) if not any(value[j] >> i & 1 for j in bits(left)))
        found.append(first)
        left &= ~(1 << first)
    return found


def shortest_cycle(value: Relation) -> tuple[Fact, ...]:
    """Return the edges of a shortest cycle, the first in the order of the events; empty if there is none."""
    best: list[int] = []
    for start in range(len(value)):
        path = _path_back(value, start)
        if path and (not best or len(path) < len(best)):
            best = path
    return tuple(zip(best, best[1:] + best[:1], strict=True))


def _path_back(value: Relation, start: int) -> list[int]:
    """Return the events of a shortest cycle through an event, from it; empty if there is none."""
    came_from: dict[int, int] = {}
    level = [start]
    while level:
        following = []
        for i in level:
            for j in bits(value[i]):
                if j == start:
                    path = [i]
                    while path[-1] != start:
                        path.append(came_from[path[-1]])
                    return path[::-1]
                if j not in came_from:
                    came_from[j] = i
                    following.append(j)
        level = following
    return []
