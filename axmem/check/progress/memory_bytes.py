"""Memory as bytes.

What goes in: the bytes of a location and the type of an access. What comes out: the value read, or the bytes after a
write. A byte may have undef bits, as a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from axmem.events.values import Value, apply_operation
from axmem.litmus.syntax import Type

Bytes: TypeAlias = tuple[Value, ...]
"""The bytes of one location, lowest first."""
Values: TypeAlias = tuple[Value, ...]
"""The value of a register or an access: one for each element of a vector."""


def value_at(content: Bytes, offset: int, type_: Type) -> Values:
    """Return the value of a type at an offset."""
    size = type_.element.size
    parts = (content[start : start + size] for start in range(offset, offset + type_.size, size))
    return tuple([apply_operation("concat", 8 * size, (8,) * size, part) for part in parts])


def bytes_of(values: Sequence[Value], type_: Type) -> Bytes:
    """Return the bytes of a value; one number fills every element of a vector."""
    size = type_.element.size
    found: list[Value] = []
    for value in tuple(values) * (max(1, type_.lanes) if len(values) == 1 else 1):
        if isinstance(value, int):
            found += value.to_bytes(size, "little")
        else:
            found += [apply_operation("slice", 8, (8 * at,), (value,)) for at in range(size)]
    return tuple(found)


def bytes_after(content: Bytes, offset: int, values: Sequence[Value], type_: Type) -> Bytes:
    """Return the bytes of a location after a write of a value."""
    return content[:offset] + bytes_of(values, type_) + content[offset + type_.size :]
