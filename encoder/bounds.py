"""Lower and upper bounds of every term of a model on one test.

What goes in: a model and the static facts of a test. What comes out: for each term the pairs (or events) that it may
have in some execution and those that it has in all. Everything outside the upper bound is never built.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from axmem.encoder.domains import sources_of
from axmem.encoder.openings import Openings
from axmem.encoder.statics import Statics
from axmem.encoder.termbounds import TermBounds, no_primitive
from axmem.events.graph import EventGraph, EventKind
from axmem.front.records import dataclass
from axmem.model import relation as rel
from axmem.model.evaluation import Value
from axmem.model.model import Model
from axmem.model.relation import Relation
from axmem.model.terms import AxiomKind, Op, Term


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
    graph: EventGraph,
    model: Model,
    statics: Statics,
    *,
    prune: bool = True,
    spare: bool = False,
    openings: Openings | None = None,
) -> Bounds:
    """Compute the bounds, then (to `prune`) once more without the reads-from pairs that an axiom rules out.

    With `spare` what nothing depends on is left empty: not where rules can be switched off. `openings` say what of the
    primitives the test leaves open.
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
    # What is pointwise is exact if the primitives are facts.
    exact = model.analyses.pointwise if openings is None else frozenset[int]()
    terms = TermBounds(model, size, exact, spare=spare, together=None if openings is None else statics.shape.together)
    given = statics.given(model, present, always)
    if openings is not None:
        given = openings.opened(given, model, statics, (present, always))
    needed = terms.give(given, spare=spare)
    fixed, dynamic = _orders(model, needed)
    terms.evaluate(fixed, no_primitive, certain=present == always)

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


@lru_cache(maxsize=1024)
def _orders(model: Model, needed: frozenset[int] | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the terms that a test fixes but for primitives, and the rest, of the needed ones."""
    stage = model.analyses.stages
    order = [i for i in model.analyses.order if needed is None or i in needed]
    fixed = (i for i in order if stage[i] == 0 and model.terms[i].op not in (Op.BASE, Op.TAGGED))
    return tuple(fixed), tuple(i for i in order if stage[i] > 0)


def within(may: Value, size: int) -> Relation:
    """Return the pairs that an order may have: of a set those of different events, of a relation those of its own."""
    pairs = rel.cross(may, may, size) if isinstance(may, int) else may
    return rel.difference(pairs, rel.identity((1 << size) - 1, size))


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
