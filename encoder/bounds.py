"""Lower and upper bounds of every term of a model on one test.

What goes in: a model and the static facts of a test. What comes out: for each term the pairs (or events) that it may
have in some execution and those that it has in all. Everything outside the upper bound is never built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from axmem.encoder.domains import sources_of
from axmem.encoder.events import EventGraph, Kind
from axmem.encoder.statics import Statics
from axmem.model import relation as rel
from axmem.model.evaluation import Operator, Value, Values, applications, order_of, pointwise, stages
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


def bounds(graph: EventGraph, model: Model, statics: Statics, *, prune: bool = True) -> Bounds:
    """Compute the bounds, then (to `prune`) once more without the reads-from pairs that an axiom rules out."""
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
    pruned = _prune(model, may, rf) if prune else rf
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


def _prune(model: Model, may: Values, rf: Relation) -> Relation:
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
    """Evaluates a model's terms as pairs of bounds; what depends on the test alone is evaluated once."""

    def __init__(self, model: Model, statics: Statics, size: int, present: int, always: int) -> None:
        self.model = model
        self.size = size
        self.present = present
        self.always = always
        self.statics = statics
        self.certain = present == always
        self.pointwise = pointwise(model)
        self.may: Values = [0] * len(model.terms)
        self.must: Values = [0] * len(model.terms)
        stage = stages(model)
        order = order_of(model)
        self._evaluate([i for i in order if stage[i] == 0], self._static, certain=self.certain)
        self.dynamic = [i for i in order if stage[i] > 0]

    def run(self, rf: Relation, co: Relation, co_must: Relation) -> tuple[Values, Values]:
        """Return the bounds, given those of reads-from and coherence."""
        chosen: dict[str, tuple[Value, Value]] = {"rf": (rf, rel.EMPTY), "co": (co, co_must)}
        self._evaluate(self.dynamic, lambda term: chosen[term.name], certain=False)
        return self.may, self.must

    def _evaluate(self, order: list[int], base: Callable[[Term], tuple[Value, Value]], *, certain: bool) -> None:
        """Set the bounds of terms; where everything is `certain` the two bounds are one."""
        model, may, must, size = self.model, self.may, self.must, self.size
        how = applications(model)
        done: set[int] = set()
        for index in order:
            term = model.terms[index]
            op = term.op
            if op is Op.BASE or op is Op.TAGGED:
                may[index], must[index] = base(term)
            elif op is Op.FIX:
                if term.fixpoint not in done:
                    done.add(term.fixpoint)
                    self._fixpoint(term.fixpoint)
                body = model.fixpoints[term.fixpoint].bodies[term.position]
                may[index], must[index] = may[body], must[body]
            elif certain:
                function, arguments = how[index]
                may[index] = must[index] = function(may, arguments, size)
            else:
                self._derived(index, op, *how[index])

    def _static(self, term: Term) -> tuple[Value, Value]:
        value = self.statics.value(term)
        if isinstance(value, int):
            return value & self.present, value & self.always
        may = rel.restrict(self.present, value, self.present)
        return may, may if self.certain else rel.restrict(self.always, may, self.always)

    def _derived(self, index: int, op: Op, function: Operator, arguments: tuple[int, ...]) -> None:
        """Monotone operators go bound by bound; a difference takes the other bound of what it removes.

        What is pointwise and may hold does hold where its events execute, so that it is removed whole.
        """
        may, must, size = self.may, self.must, self.size
        if op is Op.DIFFERENCE:
            a, b = arguments
            may[index] = _minus(may[a], may[b] if b in self.pointwise else must[b])
            must[index] = _minus(must[a], may[b])
        else:
            may[index] = function(may, arguments, size)
            must[index] = rel.EMPTY if op is Op.THROUGH else function(must, arguments, size)

    def _fixpoint(self, number: int) -> None:
        fixpoint, terms, may, must = self.model.fixpoints[number], self.model.terms, self.may, self.must
        for v in fixpoint.variables:
            may[v] = must[v] = 0 if terms[v].is_set else rel.EMPTY
        how = applications(self.model)
        members = [(m, terms[m].op, *how[m]) for m in fixpoint.members if terms[m].op is not Op.RECVAR]
        changed = True
        while changed:
            for member, op, function, arguments in members:
                self._derived(member, op, function, arguments)
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
