"""What expressions of cat stand for: sets and relations as terms, functions, words, orders, and the names of a scope.

What goes in: terms of a builder. What comes out: a `Value`, and for what is wrong with a use of one a `Refusal` at its
place.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, Source, Span
from axmem.model.cursor import Refusal
from axmem.model.primitives import FunctionPrimitive
from axmem.model.syntax import Binding


class QuantityKind(Enum):
    """What a value is; EITHER is the empty set and the empty relation at once."""

    SET = "a set"
    RELATION = "a relation"
    EITHER = "empty"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A set or a relation: the index of its term (that of the empty relation for EITHER)."""

    kind: QuantityKind
    term: int


@dataclass(frozen=True, slots=True)
class CatString:
    """A string given to a function."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class CatFunction:
    """A function of the model with the scope it was defined in; two are equal only if they are the same."""

    binding: Binding
    scope: NameScope


@dataclass(frozen=True, slots=True)
class Broken:
    """What a name stands for after its definition was refused: its uses are not reported again."""


@dataclass(frozen=True, slots=True)
class Several:
    """A set of sets or relations, known one by one."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Cells:
    """The accesses of a set, for each cell together."""

    members: int


@dataclass(frozen=True, slots=True)
class OrderFamily:
    """Orders, of which an execution chooses one: those that contain the relation `base`.

    They are total on the events of the set `members`, if `by_cell` on those of each cell alone; without members they
    are any orders inside the relation `inside`. Orders of cells that are not `joined` are a set for each cell.
    """

    base: int
    members: int = -1
    inside: int = -1
    by_cell: bool = False
    joined: bool = True


Value: TypeAlias = Quantity | CatString | CatFunction | FunctionPrimitive | Broken | Several | Cells | OrderFamily


@dataclass(frozen=True, slots=True, eq=False)
class NameScope:
    """The file in which a text stands, and what its names stand for (primitives are looked up after these)."""

    source: Source
    names: Mapping[str, Value]

    def extended(self, names: Mapping[str, Value]) -> NameScope:
        """Return this scope with more names, which shadow others."""
        return NameScope(self.source, {**self.names, **names})

    def of(self, source: Source) -> NameScope:
        """Return a scope with these names for a text in another file."""
        return self if source is self.source else NameScope(source, self.names)


def refused(scope: NameScope, span: Span, message: str, hint: str = "") -> Refusal:
    """Return the refusal of a text in a scope."""
    return Refusal(Diagnostic(scope.source, span, message, hint))
