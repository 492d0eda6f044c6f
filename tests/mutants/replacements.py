"""A memory model with one use of a name, or one operator, replaced by a neighbour of it.

What goes in: the syntax tree of a cat file. What comes out: `Mutation`s in the order of the text, each a whole tree in
which one use of a name is another name, whose meaning lies beside it (`NEIGHBOURS`), or in which two relations that
were composed are intersected, or the other way round. Deleting and emptying what a definition says is `mutations.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from typing import Any

from axmem.model.syntax import Binding, Check, Expression, File, Infix, Let, Name, Prefix, Statement, Undef
from tests.mutants.mutations import Change, Mutation, Place, places

_LEVELS = ("singlethread", "wavefront", "workgroup", "cluster", "agent", "system")


def _chains(*chains: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for chain in chains:
        for near, far in pairwise(chain):
            yield near, far
            yield far, near


ALL = "all pairs"
"""All pairs of events, as the neighbour of a relation that restricts."""

_PAIRS = (
    *_chains(
        ("po", "cpo"),
        ("po", "sc-po"),
        ("hb", "ahb", "hbv"),
        ("hb", "strongly-hb"),
        ("loc", "perf"),
        ("loc", "same-bytes"),
        ("Mono", "Atomic"),
        ("strong-reads", "reads"),
        ("mo", "smo"),
        ("rf", "src"),
        ("rf-atomic", "rf-included"),
        ("compat-as-written", "compat-with-data", "compat-of-data"),
        ("compat-as-written", "compat"),
        ("sync-tags", "sc-tags"),
        ("rf-atomic", "rf"),
        ("Rel", "REL"),
        ("Acq", "ACQ"),
        ("SCa", "SC"),
        ("SCf", "SC"),
        ("av-follows", "av"),
        ("lo", "hb-loc"),
        ("candidates", "may-see"),
        ("asked", "may-see"),
        (*(f"{level}-or-wider" for level in _LEVELS[:-1]), "system"),
        tuple(f"store-available-{level}" for level in _LEVELS),
        tuple(f"vis-{level}" for level in _LEVELS),
        tuple(f"same-{level}" for level in _LEVELS),
        _LEVELS,
    ),
    ("inclusive", ALL),
    ("inclusive", "inst"),
    ("inst", "inclusive"),
    ("as-compat", ALL),
    ("ext", ALL),
    ("si", "id"),
)
NEIGHBOURS: Mapping[str, tuple[str, ...]] = {
    name: tuple(dict.fromkeys(other for one, other in _PAIRS if one == name))
    for name in dict.fromkeys(one for one, _ in _PAIRS)
}
"""What each name is replaced by, where that is defined."""


def replacements(tree: File) -> Iterator[Mutation]:
    """Yield every replacement in a file. Its action says which use it is of, counted within the definition."""
    found = list(places(tree))
    later = Counter(_bound(place.statement for place in found))
    for place in found:
        here = _bound((place.statement,))
        recursive = isinstance(place.statement, Let) and place.statement.recursive
        for name, (action, _, new), changed, change in _of(place):
            if not later[new] or (recursive and new in here):
                yield Mutation(place.name(name), action, place.put((changed,)), change)
        later.subtract(here)


def _bound(statements: Iterable[Statement]) -> list[str]:
    return [binding.name for statement in statements if isinstance(statement, Let) for binding in statement.bindings]


_Said = tuple[str, str, str]
"""What is done, the name or operator that is replaced, and what by."""


def _of(place: Place) -> Iterator[tuple[str, _Said, Let | Check | Undef, Change | None]]:
    match place.statement:
        case Check(expression=body) | Undef(expression=body) as rule:
            for said, changed in _numbered(body):
                yield rule.name, said, replace(rule, expression=changed), place.change(body, changed)
        case Let(bindings) as statement:
            for index, binding in enumerate(bindings):
                for said, body in _numbered(binding.body):
                    others = (*bindings[:index], replace(binding, body=body), *bindings[index + 1 :])
                    change = place.change(binding.body, body)
                    yield binding.name, said, replace(statement, bindings=others), change


def _numbered(body: Expression) -> Iterator[tuple[_Said, Expression]]:
    """Yield what becomes of an expression, with the use that was replaced, where there are several with its number."""
    found = list(_replaced(body))
    often = Counter((old, new) for old, new, _ in found)
    seen = Counter[tuple[str, str]]()
    for old, new, changed in found:
        seen[old, new] += 1
        number = f" {seen[old, new]}" if often[old, new] > 1 else ""
        yield (f"{old}{number} is {new}", old, new), changed


def _replaced(node: Any) -> Iterator[tuple[str, str, Any]]:
    match node:
        case Name(text):
            for other in NEIGHBOURS.get(text, ()):
                yield text, other, _named(other, node)
            return
        case Infix(";" | "&" as operator, operands):
            yield from _operators(node, operator, operands)
    for field in fields(node):
        inner = getattr(node, field.name)
        for change in _inside(inner):
            yield change[0], change[1], replace(node, **{field.name: change[2]})


def _inside(inner: Any) -> Iterator[tuple[str, str, Any]]:
    if isinstance(inner, tuple):
        for index, element in enumerate(inner):
            for old, new, changed in _inside(element):
                yield old, new, (*inner[:index], changed, *inner[index + 1 :])
    elif isinstance(inner, Binding):
        for old, new, changed in _replaced(inner.body):
            yield old, new, replace(inner, body=changed)
    elif is_dataclass(inner) and type(inner).__module__ == Name.__module__:
        yield from _replaced(inner)


def _named(text: str, at: Name) -> Expression:
    if text == ALL:
        every = Infix("|", (Name("_", at.span), Name("Fin", at.span)), at.span)
        return Infix("*", (every, every), at.span)
    return Name(text, at.span)


def _operators(node: Infix, operator: str, operands: tuple[Expression, ...]) -> Iterator[tuple[str, str, Expression]]:
    """Yield the expression with two neighbours joined otherwise; what restricts a relation to a set is left alone."""
    other = "&" if operator == ";" else ";"
    for index, (left, right) in enumerate(pairwise(operands)):
        if any(isinstance(side, Prefix) and side.operator == "[]" for side in (left, right)):
            continue
        joined = Infix(other, (left, right), node.span)
        rest = (*operands[:index], joined, *operands[index + 2 :])
        yield operator, other, joined if len(rest) == 1 else replace(node, operands=rest)
