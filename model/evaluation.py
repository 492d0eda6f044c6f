"""Evaluate a model on concrete sets and relations.

What goes in: a `Model` and the value of each primitive. What comes out: the value of every term that some axiom
needs. Fixpoints are computed by rounds from the empty relation, so they are the least ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial, reduce
from operator import and_, or_
from typing import Any

from axmem.model import relation as rel
from axmem.model.analyses import Kind, Selection
from axmem.model.model import Model
from axmem.model.relation import Relation
from axmem.model.terms import AxiomKind, Op, Term

Value = int | Relation
Values = list[Value]


def evaluate(model: Model, base: Callable[[Term], Value], size: int) -> Values:
    """Return the value of every term of the model (terms that no axiom needs are left at 0).

    `base` gives the value of BASE and TAGGED terms: an integer for a set, a relation otherwise. `size` is the number
    of events.
    """
    values: Values = [0] * len(model.terms)
    evaluate_terms(model, model.analyses.order, values, base, size)
    return values


def evaluate_terms(
    model: Model, order: Iterable[int], values: Values, base: Callable[[Term], Value], size: int
) -> None:
    """Set the values of the terms in `order`, whose arguments are known or come earlier in it."""
    done: set[int] = set()
    how = applications(model, size)
    terms = model.terms
    for index in order:
        term = terms[index]
        op = term.op
        if op is Op.BASE or op is Op.TAGGED or op is Op.ORDER:
            values[index] = base(term)
        elif op is Op.FIX:
            if term.fixpoint not in done:
                run_fixpoint(model, term.fixpoint, values, size)
                done.add(term.fixpoint)
            values[index] = values[model.fixpoints[term.fixpoint].bodies[term.position]]
        else:
            function, arguments = how[index]
            values[index] = function(*[values[a] for a in arguments])


def run_fixpoint(model: Model, number: int, values: Values, size: int) -> None:
    """Iterate a fixpoint's members from empty variables until nothing changes."""
    fixpoint = model.fixpoints[number]
    for variable in fixpoint.variables:
        values[variable] = 0 if model.terms[variable].is_set else rel.EMPTY
    how = applications(model, size)
    members = [(m, *how[m]) for m in fixpoint.members if model.terms[m].op is not Op.RECVAR]
    while True:
        for member, function, arguments in members:
            values[member] = function(*[values[a] for a in arguments])
        # All bodies are read before a variable is set: a round is simultaneous, as in the definition of the fixpoint.
        new = [values[b] for b in fixpoint.bodies]
        if all(values[v] == n for v, n in zip(fixpoint.variables, new, strict=True)):
            return
        for variable, value in zip(fixpoint.variables, new, strict=True):
            values[variable] = value


Function = Callable[..., Any]
"""An operator on the values of its arguments.

Elaboration has checked which arguments are sets and which are relations; a list of both has no better type than Any.
"""
Operators = Mapping[Op | Selection, Function]
"""What operators do with relations in some form; those of sets are `SETS`."""
Application = tuple[Function, tuple[int, ...]]


def _minus(s: int, t: int) -> int:
    return s & ~t


SETS: Operators = {Op.EMPTY: int, Op.UNION: or_, Op.INTERSECTION: and_, Op.DIFFERENCE: _minus}


def on_rows(size: int) -> Operators:
    """Return the operators on relations over so many events, as rows."""
    return {
        Op.EMPTY: tuple,
        Op.UNION: rel.union,
        Op.INTERSECTION: rel.intersection,
        Op.DIFFERENCE: rel.difference,
        Op.SEQUENCE: rel.compose,
        Op.INVERSE: rel.inverse,
        Op.PLUS: rel.closure,
        Op.IDENTITY: lambda members: rel.identity(members, size),
        Op.CROSS: lambda left, right: rel.cross(left, right, size),
        Op.THROUGH: rel.through,
        Op.DOMAIN: rel.domain,
        Op.RANGE: rel.range_of,
        "rows": rel.rows_of,
        "columns": rel.columns_of,
    }


@lru_cache(maxsize=256)
def applications(model: Model, size: int) -> tuple[Application, ...]:
    """Return for every term how its value comes from those of its arguments, relations as rows."""
    return applied(model, on_rows(size))


def applied(model: Model, operators: Operators) -> tuple[Application, ...]:
    """Return for every term how its value comes from those of its arguments (for a primitive: empty)."""
    functions = functions_of(model, operators)
    return tuple([(functions[number], arguments) for number, arguments in model.analyses.numbers])


def functions_of(model: Model, operators: Operators) -> list[Function]:
    """Return the functions that a model's terms are values of, by the numbers of `Analyses.numbers`."""
    return [_function(kind, operators) for kind in model.analyses.kinds]


def _function(kind: Kind, operators: Operators) -> Function:
    """Return what makes values of one kind."""
    is_set, operator, folded = kind
    function = (SETS if is_set and operator in SETS else operators).get(operator, operators[Op.EMPTY])
    return partial(_folded, function) if folded else function


def _folded(function: Function, *values: Any) -> Any:
    return reduce(function, values)


def holds(kind: AxiomKind, value: Value) -> bool:
    """Tell whether `acyclic`, `irreflexive` or `empty` holds of a value."""
    if isinstance(value, int):
        return value == 0
    if kind is AxiomKind.ACYCLIC:
        return rel.is_acyclic(value)
    if kind is AxiomKind.IRREFLEXIVE:
        return rel.is_irreflexive(value)
    return not any(value)
