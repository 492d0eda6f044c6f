"""Names that mean one thing in our dialect and another in that of another tradition.

What goes in: a name, or the text of a model. What comes out: what the name stands for here and elsewhere. Two meanings
are one if their terms are, whatever their texts; a function is its text.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, Source, Span
from axmem.model.builder import Builder
from axmem.model.dialects import TRADITIONS, Dialect, families, vocabulary
from axmem.model.dialects.bindings import BoundName, defined, used
from axmem.model.dialects.hints import OWN_NAMES
from axmem.model.elaborate import Elaborator
from axmem.model.files import Finder
from axmem.model.parser import parse
from axmem.model.primitives import ALIASES, FUNCTIONS, PRIMITIVES
from axmem.model.quantities import CatFunction, NameScope, Quantity
from axmem.model.syntax import Name
from axmem.model.terms import Op

_EMPTY = Source("empty.cat", "")


@dataclass(frozen=True, slots=True)
class Apart:
    """A name, what it stands for in ours, and each other meaning with the dialects that give it."""

    here: BoundName
    elsewhere: tuple[tuple[BoundName, tuple[str, ...]], ...]


def apart(source: Source, include: Finder, family: str = "") -> tuple[Apart, ...]:
    """Return the names of a model in our dialect that mean something else in others, in the order of its text.

    `family` is the machine or language that the model is about, empty if it is about none in particular.
    """
    names = dict.fromkeys(name.text for _, name in used(source, include))
    return tuple(found for name in names if (found := _apart(name, family)) is not None)


def doubts(source: Source, include: Finder, family: str) -> tuple[Diagnostic, ...]:
    """Return a warning for a file of which nothing says that it is ours, and whose names may mean something else.

    `family` is the machine or language that it is about, whose models in other dialects bind these names otherwise.
    """
    found: dict[str, tuple[Span, Apart]] = {}
    for file, name in used(source, include):
        other = _apart(name.text, family) if family and file == source and name.text not in found else None
        if other is not None:
            found[name.text] = name.span, other
    if not found:
        return ()
    shown = ", ".join(f"`{name}`" for name in found)
    labels = " and ".join(
        sorted({label for _, other in found.values() for _, those in other.elsewhere for label in those})
    )
    means = f"{shown} {'mean' if len(found) > 1 else 'means'} something else in models of {labels}"
    hint = "say which is meant: (* axmem: dialect axmem *), or another; `axmem check` shows what they stand for in each"
    first = next(iter(found.values()))[0]
    return (Diagnostic(source, first, f"read in the dialect axmem, but {means}", hint, severity="warning"),)


def _apart(name: str, family: str) -> Apart | None:
    """Return a name's meanings, if another dialect in which a file of this family may be meant gives it one."""
    here = _meaning(None, name)
    if here is None:
        return None
    found: dict[Hashable, tuple[BoundName, list[str]]] = {}
    for dialect in _doubtful(name, family):
        there = _meaning(dialect, name)
        if there != here:
            texts = defined(vocabulary(dialect))
            found.setdefault(there, (texts.get(name) or texts["universe"], []))[1].append(dialect.label)
    if not found:
        return None
    return Apart(_ours(name), tuple((bound, tuple(labels)) for bound, labels in found.values()))


@lru_cache(maxsize=1024)
def _doubtful(name: str, family: str) -> tuple[Dialect, ...]:
    """Return the dialects of other traditions for a family that have a name, for no family failing that for any."""
    found: list[Dialect] = []
    for tradition in TRADITIONS[1:]:
        asked = (family,) if family else families(tradition)
        known = [d for each in asked if _meaning(d := Dialect(tradition, each), name) is not None]
        found += known[:1] if known and not known[0].family else known
    return tuple(found)


def _ours(name: str) -> BoundName:
    """Return what a name of ours stands for."""
    prelude = defined(OWN_NAMES)
    if name in prelude:
        return prelude[name]
    return BoundName(
        name, PRIMITIVES[ALIASES.get(name, name)].text if name not in FUNCTIONS else FUNCTIONS[name].text, ""
    )


@lru_cache(maxsize=1024)
def _meaning(dialect: Dialect | None, name: str) -> Hashable | None:
    """Return what a name means in a dialect, or in ours, so that equal meanings are equal; None if it has none."""
    if dialect is not None and dialect.family not in families(dialect.tradition):
        return None
    elaborator = _elaborated(dialect)
    if name not in elaborator.names and not elaborator.reader.knows(name):
        return None
    value = elaborator.reader.value(Name(name, Span(1, 1, len(name))), NameScope(_EMPTY, elaborator.names))
    if isinstance(value, Quantity):
        return value.kind, _shape(elaborator.builder, value.term)
    return value.binding if isinstance(value, CatFunction) else value


@lru_cache(maxsize=64)
def _elaborated(dialect: Dialect | None) -> Elaborator:
    """Return a dialect's names with their terms, or ours."""
    elaborator = Elaborator({}, lambda _name, _file: None)
    elaborator.whole(_EMPTY, parse(_EMPTY), None if dialect is None else vocabulary(dialect))
    return elaborator


def _shape(builder: Builder, index: int) -> Hashable:
    """Return a term as something that is equal for equal terms of other builders."""
    term = builder.terms[index]
    parts = [_shape(builder, a) for a in term.arguments]
    if term.op in (Op.UNION, Op.INTERSECTION):
        # A part that a definition names stays whole there: here its name does not matter.
        parts = sorted({p for part in parts for p in _inside(term.op, part)}, key=repr)
    return term.op, term.name, term.is_set, term.fixpoint, tuple(parts)


def _inside(op: Op, shape: Hashable) -> tuple[Hashable, ...]:
    assert isinstance(shape, tuple)
    return shape[-1] if shape[0] is op else (shape,)
