"""What a LoopID says: its attributes by name, as LLVM looks them up.

What goes in: the attributes of a loop. What comes out: whether one is set, its number, the followups that it lists.
Invariant: of several attributes of one name the first counts; a boolean one without a value is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from axmem.litmus.loops import Attribute, LoopID

PREFIX = "llvm.loop."

DISABLE_NONFORCED = "llvm.loop.disable_nonforced"
UNROLL_DISABLE = "llvm.loop.unroll.disable"
RUNTIME_DISABLE = "llvm.loop.unroll.runtime.disable"
IS_VECTORIZED = "llvm.loop.isvectorized"
IS_DISTRIBUTED = "llvm.loop.isdistributed"
WIDTH = "llvm.loop.vectorize.width"
INTERLEAVE = "llvm.loop.interleave.count"
SCALABLE = "llvm.loop.vectorize.scalable.enable"
PREDICATE = "llvm.loop.vectorize.predicate.enable"


def attributes_of(identity: LoopID | None) -> tuple[Attribute, ...]:
    """Return the attributes of a loop; none if it has no LoopID."""
    return () if identity is None else identity.attributes


def find(attributes: Iterable[Attribute], name: str) -> Attribute | None:
    """Return the first attribute of a name."""
    return next((each for each in attributes if each.name == name), None)


def is_set(attributes: Iterable[Attribute], name: str) -> bool | None:
    """Return what a boolean attribute says: without a value it is true, with 0 false; None if it is not there."""
    found = find(attributes, name)
    return None if found is None else found.value is None or bool(found.value.value)


def number(attributes: Iterable[Attribute], name: str) -> int | None:
    """Return the number of an attribute; None if it is not there, or has none."""
    found = find(attributes, name)
    return None if found is None or found.value is None else found.value.value


def followups(attributes: Sequence[Attribute], names: Iterable[str]) -> tuple[Attribute, ...] | None:
    """Return what the followup lists of these names give, one after the other; None if there is none of them.

    An empty list counts as given. A LoopID in a list is carried, as an attribute without a name, and has no effect.
    """
    lists = [found for name in names if (found := find(attributes, name)) is not None]
    if not lists:
        return None
    return tuple(
        each
        for found in lists
        for each in (*found.attributes, *(Attribute("", loop_ids=(one,)) for one in found.loop_ids))
    )


def short(name: str) -> str:
    """Return the name of an attribute without what all have in common."""
    return name.removeprefix(PREFIX)
