"""Lower and upper bounds of every term of a model on one test.

What goes in: a model and the static facts of a test. What comes out: for each term the pairs (or events) that it may
have in some execution and those that it has in all. Everything outside the upper bound is never built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from axmem.encoder.domains import sources_of
from axmem.encoder.events import EventGraph, EventKind
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
    """Compute the bounds, then (to `prune`) once more without the reads-from pairs that an axiom rules out.

    A set is an integer with bit i for event i, a relation a row of such integers, one for each event.
    """
    size = len(graph.events)
    present = sum(1 << e.index for e in graph.events if e.kind is not EventKind.FINAL or "Fin" in model.base_names)
    always = sum(1 << e.index for e in graph.events if not e.guard) & present
    rows = [0] * size
    for r, writes in sources_of(graph).items():
        for w in writes:
            rows[w] |= 1 << r
    rf = rel.restrict(present, rel.relation(rows), present)
    co, co_must = _coherence(graph, statics, always)
    terms = TermBounds(model, size, pointwise(model))
    stage, order = stages(model), order_of(model)
    fixed = partial(_static, statics, present, always)
    terms.evaluate([i for i in order if stage[i] == 0], fixed, certain=present == always)
    dynamic = [i for i in order if stage[i] > 0]

    def chosen(term: Term) -> tuple[Value, Value]:
        return (rf, rel.EMPTY) if term.name == "rf" else (co, co_must)

    terms.evaluate(dynamic, chosen)
    pruned = _prune(model, terms.may, rf) if prune else rf
    if pruned != rf:
        rf = pruned
        terms.evaluate(dynamic, chosen)
    return Bounds(terms.may, terms.must, rf, co, always, present)


def _static(statics: Statics, present: int, always: int, term: Term) -> tuple[Value, Value]:
    """Return what a primitive may be and must be: its facts about the events that may and that do execute."""
    value = statics.value(term)
    if isinstance(value, int):
        return value & present, value & always
    may = rel.restrict(present, value, present)
    return may, may if present == always else rel.restrict(always, may, always)


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


class TermBounds:
    """Evaluates a model's terms as pairs of bounds, `may` and `must`.

    `exact` are terms of which what may hold does hold where its events execute (those that are pointwise, if the
    primitives are facts of the test).
    """

    def __init__(self, model: Model, size: int, exact: frozenset[int] = frozenset()) -> None:
        self.model = model
        self.size = size
        self.pointwise = exact
        self.may: Values = [0] * len(model.terms)
        self.must: Values = [0] * len(model.terms)

    def evaluate(
        self, order: Iterable[int], base: Callable[[Term], tuple[Value, Value]], *, certain: bool = False
    ) -> None:
        """Set the bounds of terms, given those of primitives; where everything is `certain` the two bounds are one."""
        may, must, size = self.may, self.must, self.size
        terms, how = self.model.terms, applications(self.model)
        done: set[int] = set()
        for index in order:
            function, arguments = how[index]
            op = terms[index].op
            if op is Op.BASE or op is Op.TAGGED:
                may[index], must[index] = base(terms[index])
            elif op is Op.FIX:
                self._fixed(terms[index], index, done)
            elif certain:
                may[index] = must[index] = function(may, arguments, size)
            else:
                self._derived(index, op, function, arguments)

    def _derived(self, index: int, op: Op, function: Operator, arguments: tuple[int, ...]) -> None:
        """Monotone operators go bound by bound; a difference takes the other bound of what it removes.

        What is pointwise and may hold does hold where its events execute, so that it is removed whole. What is
        nowhere possible is nowhere certain.
        """
        may, must = self.may, self.must
        if op is Op.DIFFERENCE:
            a, b = arguments
            may[index] = _minus(may[a], may[b] if b in self.pointwise else must[b])
            must[index] = _minus(must[a], may[b])
            return
        may[index] = must[index] = function(may, arguments, self.size)
        if may[index]:
            must[index] = rel.EMPTY if op is Op.THROUGH else function(must, arguments, self.size)

    def _fixed(self, term: Term, index: int, done: set[int]) -> None:
        """Set the bounds of the value of a recursive definition; `done` are the fixpoints that have been computed."""
        if term.fixpoint not in done:
            done.add(term.fixpoint)
            self._fixpoint(term.fixpoint)
        body = self.model.fixpoints[term.fixpoint].bodies[term.position]
        self.may[index], self.must[index] = self.may[body], self.must[body]

    def _fixpoint(self, number: int) -> None:
        """Iterate from the empty relations; a round visits the members that depend on what the last one changed."""
        fixpoint, terms, may, must = self.model.fixpoints[number], self.model.terms, self.may, self.must
        for v in fixpoint.variables:
            may[v] = must[v] = 0 if terms[v].is_set else rel.EMPTY
        how = applications(self.model)
        members = [(m, terms[m].op, *how[m]) for m in fixpoint.members if terms[m].op is not Op.RECVAR]
        new = set(fixpoint.members)
        while True:
            for member, op, function, arguments in members:
                if member in new or not new.isdisjoint(arguments):
                    before = may[member], must[member]
                    self._derived(member, op, function, arguments)
                    if (may[member], must[member]) != before:
                        new.add(member)
            new = set()
            for v, b in zip(fixpoint.variables, fixpoint.bodies, strict=True):
                if may[v] != may[b] or must[v] != must[b]:
                    new.add(v)
                    may[v], must[v] = may[b], must[b]
            if not new:
                return


def _minus(a: Value, b: Value) -> Value:
    if isinstance(a, int):
        assert isinstance(b, int)
        return a & ~b
    assert isinstance(b, tuple)
    return rel.difference(a, b)
