"""Lower and upper bounds of every term of a model on one test.

What goes in: a model and the static facts of a test. What comes out: for each term the pairs (or events) that it may
have in some execution and those that it has in all. Everything outside the upper bound is never built.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from axmem.encoder.domains import sources_of
from axmem.encoder.events import EventGraph, EventKind
from axmem.encoder.statics import Statics
from axmem.encoder.termbounds import TermBounds
from axmem.front.records import dataclass
from axmem.model import relation as rel
from axmem.model.evaluation import Value, order_of, pointwise, stages
from axmem.model.relation import Relation
from axmem.model.terms import AxiomKind, Model, Op, Term


@dataclass(frozen=True, slots=True)
class Bounds:
    """`may[t]` and `must[t]` for every term t, and the reads-from and coherence pairs that are possible.

    `always` is the set of events that execute in every execution, `present` of those that the model talks about.
    """

    may: Sequence[Value]
    must: Sequence[Value]
    rf: Relation
    co: Relation
    always: int
    present: int


def bounds(
    graph: EventGraph, model: Model, statics: Statics, *, prune: bool = True, spare: bool = False
) -> Bounds:
    """Compute the bounds, then (to `prune`) once more without the reads-from pairs that an axiom rules out.

    With `spare` recursive definitions on which nothing depends are left empty: not where rules can be switched off.
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
    terms = TermBounds(model, size, pointwise(model), spare=spare)
    stage, order = stages(model), order_of(model)
    fixed = partial(_static, statics, present, always)
    terms.evaluate([i for i in order if stage[i] == 0], fixed, certain=present == always)
    dynamic = [i for i in order if stage[i] > 0]

    def chosen(term: Term) -> tuple[Value, Value]:
        if term.op is Op.ORDER:
            return within(terms.may[term.arguments[0]], size), rel.EMPTY
        return (rf, rel.EMPTY) if term.name == "rf" else (co, co_must)

    terms.evaluate(dynamic, chosen)
    pruned = _prune(model, terms.may, rf) if prune else rf
    if pruned != rf:
        rf = pruned
        terms.evaluate(dynamic, chosen)
    return Bounds(terms.may, terms.must, rf, co, always, present)


def within(may: Value, size: int) -> Relation:
    """Return the pairs that an order may have: of a set those of different events, of a relation those of its own."""
    pairs = rel.cross(may, may, size) if isinstance(may, int) else may
    return rel.difference(pairs, rel.identity((1 << size) - 1, size))


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


def _prune(model: Model, may: Sequence[Value], rf: Relation) -> Relation:
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
