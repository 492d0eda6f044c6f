"""Lower and upper bounds of every term of a model on one test.

What goes in: a model and the static facts of a test. What comes out: for each term the pairs (or events) that it may
have in some execution and those that it has in all. Everything outside the upper bound is never built.
"""

from __future__ import annotations

from dataclasses import dataclass

from axmem.encoder.domains import sources_of
from axmem.encoder.events import EventGraph, Kind
from axmem.encoder.statics import Statics
from axmem.model import relation as rel
from axmem.model.evaluation import Value, Values, apply, order_of
from axmem.model.relation import Relation
from axmem.model.terms import AxiomKind, Model, Op, Term


@dataclass(frozen=True, slots=True)
class Bounds:
    """`may[t]` and `must[t]` for every term t, and the reads-from and coherence pairs that are possible.

    `always` is the set of events that execute in every execution, `present` of those that the model talks about.
    """

    may: Values
    must: Values
    rf: Relation
    co: Relation
    always: int
    present: int


def bounds(graph: EventGraph, model: Model, statics: Statics) -> Bounds:
    """Compute the bounds, then once more with the reads-from pairs that the first round has ruled out removed."""
    size = len(graph.events)
    present = sum(1 << e.index for e in graph.events if e.kind is not Kind.FINAL or "Fin" in model.base_names)
    always = sum(1 << e.index for e in graph.events if not e.guard) & present
    rows = [0] * size
    for r, writes in sources_of(graph).items():
        for w in writes:
            rows[w] |= 1 << r
    rf = rel.restrict(present, rel.relation(rows), present)
    co, co_must = _coherence(graph, statics, always)
    first = _Pass(model, statics, size, present, always)
    may, must = first.run(rf, co, co_must)
    pruned = _prune(model, may, must, rf)
    if pruned != rf:
        may, must = first.run(pruned, co, co_must)
    return Bounds(may, must, pruned, co, always, present)


def _coherence(graph: EventGraph, statics: Statics, always: int) -> tuple[Relation, Relation]:
    """Return the possible and the certain coherence pairs: initial writes come first."""
    writes, first = statics.set_of("W"), statics.set_of("IW")
    size = len(graph.events)
    same_cell = rel.difference(statics.relation_of("loc"), statics.relation_of("id"))
    may = rel.restrict(writes, same_cell, writes & ~first)
    return may, rel.intersection(may, rel.cross(first & always, always, size))


def _prune(model: Model, may: Values, must: Values, rf: Relation) -> Relation:
    r"""Drop the reads-from pairs that an axiom `empty rf \ S` or the coherence of rf itself makes impossible."""
    for axiom in model.axioms:
        term = model.terms[axiom.term]
        if axiom.flag or axiom.negated or axiom.kind is not AxiomKind.EMPTY or term.op is not Op.DIFFERENCE:
            continue
        left = model.terms[term.arguments[0]]
        if left.op is Op.BASE and left.name == "rf":
            allowed = may[term.arguments[1]]
            assert isinstance(allowed, tuple)
            rf = rel.intersection(rf, allowed)
    return rf


class _Pass:
    """Evaluates a model's terms as pairs of bounds."""

    def __init__(self, model: Model, statics: Statics, size: int, present: int, always: int) -> None:
        self.model = model
        self.size = size
        self.present = present
        self.always = always
        self.statics = statics
        self.order = order_of(model)
        self.fixed: dict[int, tuple[Value, Value]] = {}

    def run(self, rf: Relation, co: Relation, co_must: Relation) -> tuple[Values, Values]:
        model = self.model
        may: Values = [0] * len(model.terms)
        must: Values = [0] * len(model.terms)
        done: set[int] = set()
        for index in self.order:
            term = model.terms[index]
            if term.op is Op.BASE or term.op is Op.TAGGED:
                if term.name == "rf":
                    may[index], must[index] = rf, rel.EMPTY
                elif term.name == "co":
                    may[index], must[index] = co, co_must
                else:
                    may[index], must[index] = self._static(index, term)
            elif term.op is Op.FIX:
                if term.fixpoint not in done:
                    done.add(term.fixpoint)
                    self._fixpoint(term.fixpoint, may, must)
                body = model.fixpoints[term.fixpoint].bodies[term.position]
                may[index], must[index] = may[body], must[body]
            else:
                self._derived(index, term, may, must)
        return may, must

    def _static(self, index: int, term: Term) -> tuple[Value, Value]:
        if index not in self.fixed:
            value = self.statics.value(term)
            if isinstance(value, int):
                self.fixed[index] = (value & self.present, value & self.always)
            else:
                may = rel.restrict(self.present, value, self.present)
                self.fixed[index] = (may, rel.restrict(self.always, may, self.always))
        return self.fixed[index]

    def _derived(self, index: int, term: Term, may: Values, must: Values) -> None:
        """Monotone operators go bound by bound; a difference takes the other bound of what it removes."""
        size = self.size
        if term.op is Op.DIFFERENCE:
            a, b = term.arguments
            may[index] = _minus(may[a], must[b])
            must[index] = _minus(must[a], may[b])
        elif term.op is Op.THROUGH:
            may[index] = apply(term, may, size)
            must[index] = rel.EMPTY
        else:
            may[index] = apply(term, may, size)
            must[index] = apply(term, must, size)

    def _fixpoint(self, number: int, may: Values, must: Values) -> None:
        fixpoint = self.model.fixpoints[number]
        terms = self.model.terms
        for v in fixpoint.variables:
            may[v] = must[v] = 0 if terms[v].is_set else rel.EMPTY
        changed = True
        while changed:
            for member in fixpoint.members:
                if terms[member].op is not Op.RECVAR:
                    self._derived(member, terms[member], may, must)
            changed = False
            for v, b in zip(fixpoint.variables, fixpoint.bodies, strict=True):
                if may[v] != may[b] or must[v] != must[b]:
                    changed = True
                    may[v], must[v] = may[b], must[b]


def _minus(a: Value, b: Value) -> Value:
    if isinstance(a, int):
        assert isinstance(b, int)
        return a & ~b
    assert isinstance(b, tuple)
    return rel.difference(a, b)
