"""Evaluate a model on concrete sets and relations.

What goes in: a `Model` and the value of each primitive. What comes out: the value of every term that some axiom
needs. Fixpoints are computed by rounds from the empty relation, so they are the least ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache, partial, reduce
from operator import and_, or_
from typing import Any, Literal

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


@lru_cache(maxsize=256)
def order_of(model: Model) -> tuple[int, ...]:
    """Return the needed terms in an order of evaluation; members of a fixpoint come with its first FIX."""
    # A member of a fixpoint has no value of its own before the iteration; `run_fixpoint` leaves that of the last round.
    inner = {m for f in model.fixpoints for m in (*f.members, *f.variables)}
    return tuple(i for i in sorted(model.reached) if i not in inner)


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


@lru_cache(maxsize=256)
def stages(model: Model) -> tuple[int, ...]:
    """Return for every term what it depends on: 0 the test alone, 1 also `rf`, 2 also `co` or another order."""
    stage = [0] * len(model.terms)
    for index, term in enumerate(model.terms):
        if term.op is Op.BASE:
            stage[index] = {"rf": 1, "co": 2}.get(term.name, 0)
        elif term.op is Op.ORDER:
            stage[index] = 2
        elif term.op is Op.FIX:
            # A variable counts as 0, and so may members; they are evaluated with the FIX, which counts them all.
            fixpoint = model.fixpoints[term.fixpoint]
            stage[index] = max(stage[m] for m in (*fixpoint.members, *fixpoint.bodies))
        else:
            stage[index] = max((stage[a] for a in term.arguments), default=0)
    return tuple(stage)


@lru_cache(maxsize=256)
def conditions(model: Model) -> tuple[int | None, ...]:
    """Return for every fixpoint a term that stands before it without which nobody needs it: where that is empty.

    What is intersected or composed with an empty relation, or taken from one, may be anything. Of several such terms
    the last counts, which is the narrowest; None where there is none.
    """
    uses: dict[int, list[int]] = {}
    for index in model.reached:
        for argument in model.terms[index].arguments:
            uses.setdefault(argument, []).append(index)
    roots = {a.term for a in model.axioms} | {u.term for u in model.undefs}
    inner = {m for f in model.fixpoints for m in (*f.members, *f.variables, *f.bodies)}

    @cache
    def emptied(index: int) -> int:
        """The terms that are empty only if this one is, as bits."""
        term, own = model.terms[index], 1 << index
        if index in inner or term.op is Op.FIX:
            return own
        below = [emptied(a) for a in term.arguments]
        if term.op is Op.UNION:
            return reduce(and_, below) | own
        if term.op is Op.DIFFERENCE:
            return below[0] | own
        return reduce(or_, below, own) if term.op in _STRICT else own

    @cache
    def spared(index: int) -> int:
        """The terms where this one is not needed if one of them is empty."""
        if index in roots or index in inner:
            return 0
        found = []
        for use in uses.get(index, ()):
            term = model.terms[use]
            others = [a for a in term.arguments if a != index]
            if term.op is Op.DIFFERENCE:
                others = others if term.arguments[0] != index else []
            elif term.op not in _STRICT:
                others = []
            found.append(reduce(or_, map(emptied, others), spared(use)))
        return reduce(and_, found) if found else 0

    place = {term: number for number, term in enumerate(order_of(model))}
    result: list[int | None] = []
    for number in range(len(model.fixpoints)):
        values = [i for i in place if model.terms[i].op is Op.FIX and model.terms[i].fixpoint == number]
        common = reduce(and_, map(spared, values)) if values else 0
        before = [t for t in rel.bits(common) if t in place and place[t] < min(place[v] for v in values)]
        result.append(max(before, key=place.__getitem__, default=None))
    return tuple(result)


@lru_cache(maxsize=1024)
def needed_without(model: Model, empty: frozenset[int]) -> frozenset[int]:
    """Return the terms that matter where these primitives are empty: not those that are empty with them, nor beside."""
    nothing = emptied(model, empty, order_of(model))
    needed: set[int] = set()
    parts = _parts(model)
    stack = [a.term for a in model.axioms] + [u.term for u in model.undefs]
    while stack:
        index = stack.pop()
        if index not in needed and not nothing >> index & 1:
            needed.add(index)
            stack += parts[index]
    return frozenset(needed)


def emptied(model: Model, empty: Iterable[int], terms: Iterable[int]) -> int:
    """Return which of some terms are empty, as bits, because primitives are; terms come after what they are made of.

    This is the one derivation of emptiness, of tests and of families of programs alike.
    """
    rules, nothing = _emptiness(model), sum(1 << index for index in empty)
    for index in terms:
        if model.terms[index].op is Op.FIX:
            nothing = _empty_members(model, model.terms[index].fixpoint, nothing)
        if _vanishes(rules[index], nothing):
            nothing |= 1 << index
    return nothing


@lru_cache(maxsize=256)
def _parts(model: Model) -> tuple[tuple[int, ...], ...]:
    """Return for every term what is needed where it is."""
    conditioned = zip(model.fixpoints, conditions(model), strict=True)
    fixed = [(*f.bodies, *f.variables, *(() if c is None else (c,))) for f, c in conditioned]
    recursive = (Op.FIX, Op.RECVAR)
    return tuple([(*t.arguments, *(fixed[t.fixpoint] if t.op in recursive else ())) for t in model.terms])


_Rule = tuple[bool, int]
"""A term is empty whatever the rest is where some, or (if so) all, of the terms with these bits are."""


@lru_cache(maxsize=256)
def _emptiness(model: Model) -> tuple[_Rule, ...]:
    """Return for every term when it is empty because others are."""
    masks = [sum({1 << other for other in _emptying(model, index)}) for index in range(len(model.terms))]
    return tuple([(term.op in (Op.UNION, Op.EMPTY), mask) for term, mask in zip(model.terms, masks, strict=True)])


def _emptying(model: Model, index: int) -> tuple[int, ...]:
    """Return the terms that make a term empty, of a union together."""
    term = model.terms[index]
    if term.op is Op.FIX:
        return (model.fixpoints[term.fixpoint].bodies[term.position],)
    if term.op is Op.THROUGH:  # There is no chain without a link, without a station, or without what stations are in.
        return term.arguments[1:]
    if term.op in (Op.DIFFERENCE, Op.ORDER):
        return term.arguments[:1]
    return term.arguments if term.op in _STRICT or term.op in (Op.UNION, Op.EMPTY) else (index,)


def _vanishes(rule: _Rule, nothing: int) -> bool:
    """Say whether a term is empty because others are, whatever the rest is."""
    together, others = rule
    return not others & ~nothing if together else bool(others & nothing)


def _empty_members(model: Model, number: int, nothing: int) -> int:
    """Add the members of a fixpoint that are empty where others are: its variables begin so, and some stay."""
    fixpoint, rules = model.fixpoints[number], _emptiness(model)
    variables = dict(zip(fixpoint.variables, fixpoint.bodies, strict=True))
    while True:
        found = nothing | sum(1 << variable for variable in variables)
        for member in fixpoint.members:
            if _vanishes(rules[member], found):
                found |= 1 << member
        left = {variable: body for variable, body in variables.items() if found >> body & 1}
        if left == variables:
            return found
        variables = left


_STRICT = (Op.INTERSECTION, Op.SEQUENCE, Op.CROSS, Op.INVERSE, Op.PLUS, Op.IDENTITY, Op.DOMAIN, Op.RANGE)
_POINTWISE = (Op.UNION, Op.INTERSECTION, Op.DIFFERENCE, Op.CROSS, Op.IDENTITY, Op.INVERSE)


@lru_cache(maxsize=256)
def pointwise(model: Model) -> frozenset[int]:
    """Return the terms whose facts are fixed by the test and about the related events alone.

    Such a fact holds in every execution in which its events execute. A composition is not of this kind (it also asks
    that the event in the middle executes), unless it only selects, as `[S] ; r`.
    """
    found: set[int] = set()
    for index, term in enumerate(model.terms):
        fixed = term.op in (Op.TAGGED, Op.EMPTY) or (term.op is Op.BASE and term.name not in ("rf", "co"))
        selects = term.op is Op.SEQUENCE and any(model.terms[a].op is Op.IDENTITY for a in term.arguments)
        if fixed or ((term.op in _POINTWISE or selects) and found.issuperset(term.arguments)):
            found.add(index)
    return frozenset(found)


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


Selection = Literal["rows", "columns"]
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
    return tuple([(functions[number], arguments) for number, arguments in _numbered(model)[1]])


def functions_of(model: Model, operators: Operators) -> list[Function]:
    """Return the functions that a model's terms are values of, those of `operator_numbers`."""
    return [_function(kind, operators) for kind in _numbered(model)[0]]


def operator_numbers(model: Model) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return for every term which of `functions_of` gives its value, and from those of which terms."""
    return _numbered(model)[1]


_Kind = tuple[bool, Op | Selection, bool]
"""Whether a term is a set, its operator, and whether that is applied to other than two arguments."""


@lru_cache(maxsize=256)
def _numbered(model: Model) -> tuple[tuple[_Kind, ...], tuple[tuple[int, tuple[int, ...]], ...]]:
    """Return the kinds of operations of a model, and for every term the number of its kind with its arguments."""
    kinds: dict[_Kind, int] = {}
    found = []
    for term, (operator, arguments) in zip(model.terms, operations(model), strict=True):
        kind = term.is_set, operator, operator in (Op.UNION, Op.INTERSECTION) and len(arguments) != 2
        found.append((kinds.setdefault(kind, len(kinds)), arguments))
    return tuple(kinds), tuple(found)


@lru_cache(maxsize=256)
def operations(model: Model) -> tuple[tuple[Op | Selection, tuple[int, ...]], ...]:
    """Return for every term what is done with the values of which terms."""
    return tuple(_selection(model, term) or (term.op, term.arguments) for term in model.terms)


def _function(kind: _Kind, operators: Operators) -> Function:
    """Return what makes values of one kind."""
    is_set, operator, folded = kind
    function = (SETS if is_set and operator in SETS else operators).get(operator, operators[Op.EMPTY])
    return partial(_folded, function) if folded else function


def _selection(model: Model, term: Term) -> tuple[Selection, tuple[int, ...]] | None:
    """Tell whether a term is `[S] ; r` or `r ; [S]`, which selects rows or columns by the set itself.

    With the arguments of the selection, in their order.
    """
    if term.op is Op.SEQUENCE:
        left, right = (model.terms[a] for a in term.arguments)
        if left.op is Op.IDENTITY:
            return "rows", (*left.arguments, term.arguments[1])
        if right.op is Op.IDENTITY:
            return "columns", (term.arguments[0], *right.arguments)
    return None


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
