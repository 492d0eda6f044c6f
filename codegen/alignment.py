"""How accesses are aligned.

What goes in: an access of a well-formed test. What comes out: bytes, a power of two.
"""

from __future__ import annotations

from axmem.litmus.layout import natural_alignment, offset_of
from axmem.litmus.syntax import I32, AccessStatement, Ordering


def access_alignment(statement: AccessStatement) -> int:
    """Return how an access is aligned: as stated, or what its place has for certain; an atomic to its size."""
    type_, mode = statement.type or I32, statement.mode
    whole = natural_alignment(type_.size)
    if mode.align or mode.ordering is not Ordering.NOT_ATOMIC:
        return mode.align or whole
    offset = offset_of(statement.address, type_.size)
    if offset is None:
        return min(whole, type_.element.size)
    return min(whole, offset & -offset) if offset else whole
