"""Which names a tree of cat leaves to its surroundings.

What goes in: a statement. What comes out: its names that nothing inside it binds, in the order of the text. What stands
behind `try` may be unknown, and is left out unless it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.front.records import names_of
from axmem.front.source import Span
from axmem.model.syntax import Binding, Lambda, Let, Local, Match, Name, Procedure, Try
from axmem.model.terms import Doc


def free_names(tree: object, bound: frozenset[str] = frozenset(), *, tried: bool = False) -> Iterator[Name]:
    """Yield the names of a tree that are not bound inside it, nor among `bound`; if `tried`, those behind `try` too."""

    def free(tree: object, bound: frozenset[str]) -> Iterator[Name]:
        match tree:
            case Name():
                if tree.text not in bound:
                    yield tree
            case tuple():
                for part in tree:
                    yield from free(part, bound)
            case Try():
                yield from free((tree.body, tree.otherwise) if tried else tree.otherwise, bound)
            case Match():
                yield from free((tree.value, tree.nothing), bound)
                yield from free(tree.some, bound | {tree.first, tree.rest})
            case Binding():
                yield from free(tree.body, bound.union(tree.parameters or ()))
            case Let() | Local():
                inside = bound.union(b.name for b in tree.bindings)
                yield from free(tree.bindings, inside if tree.recursive else bound)
                yield from free(tree.body if isinstance(tree, Local) else tree.when, inside)
            case Procedure():
                yield from free(tree.body, bound.union(tree.parameters))
            case Lambda():
                yield from free(tree.binding, bound)
            case Span() | Doc():
                pass
            case _:
                for name in names_of(tree):
                    yield from free(getattr(tree, name), bound)

    return free(tree, bound)
