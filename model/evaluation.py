"""Evaluate a model on concrete sets and relations.

What goes in: a `Model` and the value of each primitive. What comes out: the value of every term that some axiom
needs. Fixpoints are computed by rounds from the empty relation, so they are the least ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from axmem.model import relation as rel
from axmem.model.relation import Relation
from axmem.model.terms import AxiomKind, Model, Op, Term

Value = int | Relation
Values = list[Value]


def evaluate(model: Model, base: Callable[[Term], Value], size: int) -> Values:
    """Return the value of every term of the model (terms that no axiom needs are left at 0).

    `base` gives the value of BASE and TAGGED terms: an integer for a set, a relation otherwise. `size` is the number
    of events.
    """
    values: Values = [0] * len(model.terms)
    evaluate_terms(model, order_of(model), values, base, size)
    return values


def order_of(model: Model) -> list[int]:
    """Return the needed terms in an order of evaluation; members of a fixpoint come with its first FIX."""
    inner = {m for f in model.fixpoints for m in (*f.members, *f.variables)}
    return [i for i in sorted(model.reached) if i not in inner]


def evaluate_terms(
    model: Model, order: Iterable[int], values: Values, base: Callable[[Term], Value], size: int
) -> None:
    """Set the values of the terms in `order`, whose arguments are known or come earlier in it."""
    done: set[int] = set()
    for index in order:
        term = model.terms[index]
        if term.op is Op.BASE or term.op is Op.TAGGED:
            values[index] = base(term)
        elif term.op is Op.FIX:
            if term.fixpoint not in done:
                run_fixpoint(model, term.fixpoint, values, size)
                done.add(term.fixpoint)
            values[index] = values[model.fixpoints[term.fixpoint].bodies[term.position]]
        else:
            values[index] = apply(term, values, size)


def stages(model: Model) -> list[int]:
    """Return for every term what it depends on: 0 the test alone, 1 also `rf`, 2 also `co`."""
    stage = [0] * len(model.terms)
    for index, term in enumerate(model.terms):
        if term.op is Op.BASE:
            stage[index] = {"rf": 1, "co": 2}.get(term.name, 0)
        elif term.op is Op.FIX:
            fixpoint = model.fixpoints[term.fixpoint]
            stage[index] = max(stage[m] for m in (*fixpoint.members, *fixpoint.bodies))
        else:
            stage[index] = max((stage[a] for a in term.arguments), default=0)
    return stage


def run_fixpoint(model: Model, number: int, values: Values, size: int) -> None:
    """Iterate a fixpoint's members from empty variables until nothing changes."""
    fixpoint = model.fixpoints[number]
    for variable in fixpoint.variables:
        values[variable] = 0 if model.terms[variable].is_set else rel.EMPTY
    while True:
        for member in fixpoint.members:
            term = model.terms[member]
            if term.op is not Op.RECVAR:
                values[member] = apply(term, values, size)
        new = [values[b] for b in fixpoint.bodies]
        if all(values[v] == n for v, n in zip(fixpoint.variables, new, strict=True)):
            return
        for variable, value in zip(fixpoint.variables, new, strict=True):
            values[variable] = value


def apply(term: Term, values: Values, size: int) -> Value:
    """Return the value of a term from those of its arguments."""
    arguments = [values[a] for a in term.arguments]
    if term.is_set:
        return _apply_set(term.op, arguments)
    return _apply_relation(term.op, arguments, size)


def _apply_set(op: Op, arguments: list[Value]) -> int:
    match op, arguments:
        case Op.EMPTY, _:
            return 0
        case Op.DOMAIN, [tuple(a)]:
            return rel.domain(a)
        case Op.RANGE, [tuple(a)]:
            return rel.range_of(a)
        case Op.DIFFERENCE, [int(s), int(t)]:
            return s & ~t
        case Op.UNION, _:
            out = 0
            for a in _sets(arguments):
                out |= a
            return out
        case Op.INTERSECTION, _:
            out = -1
            for a in _sets(arguments):
                out &= a
            return out
    raise AssertionError(f"no set has operator {op}")


def _apply_relation(op: Op, arguments: list[Value], size: int) -> Relation:
    match op, arguments:
        case Op.EMPTY, _:
            return rel.EMPTY
        case Op.SEQUENCE, [tuple(a), tuple(b)]:
            return rel.compose(a, b)
        case Op.INVERSE, [tuple(a)]:
            return rel.inverse(a)
        case Op.PLUS, [tuple(a)]:
            return rel.closure(a)
        case Op.IDENTITY, [int(s)]:
            return rel.identity(s, size)
        case Op.CROSS, [int(s), int(t)]:
            return rel.cross(s, t, size)
        case Op.DIFFERENCE, [tuple(a), tuple(b)]:
            return rel.difference(a, b)
        case Op.THROUGH, [tuple(a), tuple(b), int(s), tuple(c)]:
            return rel.through(a, b, s, c)
        case Op.UNION | Op.INTERSECTION, [tuple(first), *rest]:
            combine = rel.union if op is Op.UNION else rel.intersection
            for other in rest:
                assert isinstance(other, tuple)
                first = combine(first, other)
            return first
    raise AssertionError(f"no relation has operator {op}")


def _sets(arguments: Iterable[Value]) -> Iterable[int]:
    for a in arguments:
        assert isinstance(a, int)
        yield a


def holds(kind: AxiomKind, value: Value) -> bool:
    """Tell whether `acyclic`, `irreflexive` or `empty` holds of a value."""
    if isinstance(value, int):
        return value == 0
    if kind is AxiomKind.ACYCLIC:
        return rel.is_acyclic(value)
    if kind is AxiomKind.IRREFLEXIVE:
        return rel.is_irreflexive(value)
    return not any(value)
