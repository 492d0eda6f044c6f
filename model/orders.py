"""Sets of sets and of relations in models of other tools: what they are for is to say which orders there may be.

What goes in: trees of `try`, `match`, `++` and of the functions over orders. What comes out: their values. A set that
an execution has cannot be taken apart, since a model is read before any test; but the functions of herd's library that
take apart all coherence orders are recognized by their text up to the names in it, and mean what they compute.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Protocol

from axmem.front.records import names_of, replace
from axmem.front.source import Span
from axmem.model.builder import Builder
from axmem.model.cursor import Refusal
from axmem.model.primitives import FunctionPrimitive
from axmem.model.quantities import Cells, NameScope, OrderFamily, Quantity, QuantityKind, Several, Value, refused
from axmem.model.syntax import Application, Binding, Expression, Infix, Match, Name, Try
from axmem.model.terms import Doc, Op, Term


class CatInterpreter(Protocol):
    """Who reads expressions: `axmem.model.meaning.CatInterpreter`, which asks here for what orders there may be."""

    builder: Builder

    def value(self, tree: Expression, scope: NameScope) -> Value:
        """Return what an expression stands for."""

    def relation(self, tree: Expression, scope: NameScope, need: str) -> int:
        """Return the term of an expression that must be a relation; `need` says of what."""

    def set_(self, tree: Expression, scope: NameScope, need: str) -> int:
        """Return the term of an expression that must be a set; `need` says of what."""


_CO_LOCS = FunctionPrimitive("co_locs", ("r", "classes"), "the orders of each class that contain r")
_CROSS = FunctionPrimitive("cross", ("orders",), "the unions of one order of each set")

_KNOWN = {
    "070fbe1eac8999f8": _CO_LOCS,
    "2eb8a3c60e732b56": _CROSS,
}
"""Functions of herd's library over sets of sets, by the digests of their shapes."""


def value(reader: CatInterpreter, tree: Try | Match, scope: NameScope) -> Value:
    """Return what a `try` or a `match` stands for."""
    if isinstance(tree, Try):
        try:
            return reader.value(tree.body, scope)
        except Refusal:
            return reader.value(tree.otherwise, scope)
    matched = reader.value(tree.value, scope)
    items = _items(matched)
    if items is None:
        hint = "a model is read before any test, so that only what is listed can be taken apart"
        raise refused(scope, tree.value.span, "this `match` takes apart what an execution has", hint)
    if not items:
        return reader.value(tree.nothing, scope)
    return reader.value(tree.some, scope.extended({tree.first: items[0], tree.rest: Several(items[1:])}))


def _items(found: Value) -> tuple[Value, ...] | None:
    if isinstance(found, Several):
        return found.items
    return () if isinstance(found, Quantity) and found.kind is QuantityKind.EITHER else None


def added(reader: CatInterpreter, tree: Infix, scope: NameScope) -> Value:
    """Return the set at the right of `++` with what stands to its left."""
    *first, last = [reader.value(operand, scope) for operand in tree.operands]
    rest = _items(last)
    if rest is None:
        hint = "`++` adds to a set that is listed; `|` joins two sets"
        raise refused(scope, tree.operands[-1].span, "`++` is not supported for what an execution has", hint)
    return Several((*first, *rest))


def primitive(reader: CatInterpreter, name: str, tree: Application, scope: NameScope) -> Value:
    """Return what one of the functions over orders gives."""
    need = f"`{name}` needs"
    given = tree.arguments
    match name:
        case "linearisations":
            return OrderFamily(reader.relation(given[1], scope, need), reader.set_(given[0], scope, need))
        case "coherences":
            return OrderFamily(reader.relation(given[1], scope, need), reader.set_(given[0], scope, need), by_cell=True)
        case "partial-orders":
            return OrderFamily(reader.relation(given[1], scope, need), inside=reader.relation(given[0], scope, need))
        case "classes-loc":
            return Cells(reader.set_(given[0], scope, need))
        case "co_locs":
            classes = reader.value(given[1], scope)
            if isinstance(classes, Cells):
                base = reader.relation(given[0], scope, need)
                return OrderFamily(base, classes.members, by_cell=True, joined=False)
        case "cross":
            orders = reader.value(given[0], scope)
            if isinstance(orders, OrderFamily) and not orders.joined:
                return replace(orders, joined=True)
        case "tag2events":
            raise refused(scope, tree.span, "tags of bell files are not supported")
    raise refused(scope, tree.span, f"`{name}` is supported for the orders of the accesses of each cell alone")


def chosen(reader: CatInterpreter, name: str, orders: OrderFamily) -> tuple[int, int]:
    """Return the order that an execution chooses for a name, and what is missing in it of what it must contain.

    The order of all writes of each cell, or of a part of them, is `co`; any other is one of its own.
    """
    builder = reader.builder
    if orders.members < 0:
        within = orders.inside
        order = builder.add(Term(Op.ORDER, (within,), name))
        return order, builder.difference(builder.intersection((orders.base, within)), order)
    if builder.is_empty(orders.members):
        return builder.empty_relation, builder.empty_relation
    members = builder.cross(orders.members, orders.members)
    base = builder.intersection((orders.base, members))
    if not orders.by_cell:
        order = builder.add(Term(Op.ORDER, (orders.members,), name))
        return order, builder.difference(base, order)
    loc = builder.base("loc", is_set=False)
    writes = builder.base("W", is_set=True)
    term = builder.terms[orders.members]
    if orders.members == writes:
        order = builder.base("co", is_set=False)
    elif term.op is Op.INTERSECTION and writes in term.arguments:
        order = builder.intersection((builder.base("co", is_set=False), members))
    else:
        order = builder.intersection((builder.add(Term(Op.ORDER, (orders.members,), name)), loc))
    return order, builder.difference(builder.intersection((base, loc)), order)


def recognized(binding: Binding) -> FunctionPrimitive | None:
    """Return the function of herd's library that a definition is, whatever names it uses; None if it is none."""
    if not _has_match(binding.body):
        return None
    return _KNOWN.get(digest(binding))


def digest(binding: Binding) -> str:
    """Return the digest of a definition's shape: its tree, with names that it binds counted instead of spelled."""
    return hashlib.sha256(_shape(binding, {}).encode()).hexdigest()[:16]


def _has_match(tree: object) -> bool:
    if isinstance(tree, Match):
        return True
    if isinstance(tree, (Span, Doc)):
        return False
    if isinstance(tree, tuple):
        return any(map(_has_match, tree))
    return any(_has_match(getattr(tree, name)) for name in names_of(tree))


def _shape(tree: object, bound: dict[str, int]) -> str:
    """Return a text of a tree that is the same for trees alike up to the names they bind and their places."""
    if isinstance(tree, Name):
        return str(bound.get(tree.text, tree.text))
    if isinstance(tree, (Span, Doc)):  # A span is a tuple, too.
        return ""
    if isinstance(tree, tuple):
        return f"[{' '.join(_shape(part, bound) for part in tree)}]"
    names = names_of(tree)
    if not names:
        return str(tree)
    if isinstance(tree, Binding):
        return f"({_shape(tree.body, _binding(bound, tree.parameters or ()))})"
    if isinstance(tree, Match):
        outer = f"{_shape(tree.value, bound)} {_shape(tree.nothing, bound)}"
        return f"(match {outer} {_shape(tree.some, _binding(bound, (tree.first, tree.rest)))})"
    inner = _binding(bound, [b.name for b in getattr(tree, "bindings", ())])
    parts = [_shape(getattr(tree, name), inner) for name in names]
    return f"({type(tree).__name__} {' '.join(parts)})"


def _binding(bound: dict[str, int], names: Iterable[str]) -> dict[str, int]:
    """Return what names stand for inside of what binds some more: numbers, of which none comes twice."""
    inner = dict(bound)
    for name in names:
        inner[""] = inner[name] = inner.get("", 0) + 1
    return inner
