"""Memory as bytes.

What goes in: the bytes of a location and the type of an access. What comes out: the value read, or the bytes after a
write. Invariant: an integer with an undefined byte is undefined as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from axmem.events.values import UNDEF, Value
from axmem.litmus.syntax import Type

Bytes: TypeAlias = tuple[int | None, ...]
"""The bytes of one location, lowest first; None is an undefined one."""
Values: TypeAlias = tuple[Value, ...]
"""The value of a register or an access: one for each element of a vector."""


def value_at(content: Bytes, offset: int, type_: Type) -> Values:
    """Return the value of a type at an offset."""
    size = type_.element.size
    found: list[Value] = []
    for start in range(offset, offset + type_.size, size):
        known = [byte for byte in content[start : start + size] if byte is not None]
        found.append(int.from_bytes(bytes(known), "little") if len(known) == size else UNDEF)
    return tuple(found)


def bytes_of(values: Sequence[Value], type_: Type) -> Bytes:
    """Return the bytes of a value; one number fills every element of a vector."""
    size = type_.element.size
    found: list[int | None] = []
    for value in tuple(values) * (max(1, type_.lanes) if len(values) == 1 else 1):
        found += list(value.to_bytes(size, "little")) if isinstance(value, int) else [None] * size
    return tuple(found)


def written(content: Bytes, offset: int, values: Sequence[Value], type_: Type) -> Bytes:
    """Return the bytes of a location after a write of a value."""
    return content[:offset] + bytes_of(values, type_) + content[offset + type_.size :]
