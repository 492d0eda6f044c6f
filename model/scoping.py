"""Which names a tree of cat leaves to its surroundings.

What goes in: a statement. What comes out: its names that nothing inside it binds, in the order of the text. What stands
behind `try` may be unknown, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.front.records import names_of
from axmem.front.source import Span
from axmem.model.syntax import Binding, Lambda, Let, Local, Match, Name, Procedure, Try
from axmem.model.terms import Doc


def free_names(tree: object, bound: frozenset[str] = frozenset()) -> Iterator[Name]:
    """Yield the names of a tree that are not bound inside it, nor among `bound`."""
    match tree:
        case Name():
            if tree.text not in bound:
                yield tree
        case tuple():
            for part in tree:
                yield from free_names(part, bound)
        case Try():
            yield from free_names(tree.otherwise, bound)
        case Match():
            yield from free_names((tree.value, tree.nothing), bound)
            yield from free_names(tree.some, bound | {tree.first, tree.rest})
        case Binding():
            yield from free_names(tree.body, bound.union(tree.parameters or ()))
        case Let() | Local():
            inside = bound.union(b.name for b in tree.bindings)
            yield from free_names(tree.bindings, inside if tree.recursive else bound)
            yield from free_names(tree.body if isinstance(tree, Local) else tree.when, inside)
        case Procedure():
            yield from free_names(tree.body, bound.union(tree.parameters))
        case Lambda():
            yield from free_names(tree.binding, bound)
        case Span() | Doc():
            pass
        case _:
            for name in names_of(tree):
                yield from free_names(getattr(tree, name), bound)
