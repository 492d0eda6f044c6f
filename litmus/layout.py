"""Which location an address names, and where in it.

What goes in: an address and the types of the locations. What comes out: the location, the byte offset where it is
constant, and the type an access has that states none. Names are resolved already; types may still be missing.
"""

from __future__ import annotations

from collections.abc import Mapping

from axmem.litmus.arithmetic import signed
from axmem.litmus.syntax import Address, AddressOf, Expr, IntegerOperation, Number, Transfer, Type

ADDRESSES = 1 << 64
"""Addresses are numbers modulo this one."""


def natural_alignment(size: int) -> int:
    """Return how an object of `size` bytes is aligned: to the power of two that holds it, at most to 16 bytes."""
    return min(16, int(1 << max(0, size - 1).bit_length()))


def _pointer(base: Expr) -> tuple[str, int | None] | None:
    if isinstance(base, AddressOf):
        return base.location, 0
    if isinstance(base, IntegerOperation) and base.name == "add" and len(base.operands) == 2:
        left, right = base.operands
        if isinstance(right, AddressOf) or _pointer(left) is None:
            left, right = right, left
        place = _pointer(left)
        if place is not None:
            name, offset = place
            if offset is None or not isinstance(right, Number):
                return name, None
            return name, signed((offset + right.value) % ADDRESSES, 64)
    return None


def location_of(address: Address) -> str | None:
    """Return the location an address names directly, as `x`, `x[i]` or `x + e`; None through a register."""
    place = _pointer(address.base)
    return None if place is None else place[0]


def offset_of(address: Address, size: int) -> int | None:
    """Return the constant byte offset of an access of `size` bytes in its location, or None if it is not constant."""
    place = _pointer(address.base)
    if place is None or place[1] is None:
        return None
    if address.index is None:
        return place[1]
    return place[1] + address.index.value * size if isinstance(address.index, Number) else None


def implied_type(address: Address, types: Mapping[str, Type]) -> Type | None:
    """Return the type of an access that states none: of the location, or of its element if the address is indexed.

    None if the address goes through a register or the location's type is not known.
    """
    name = location_of(address)
    type_ = types.get(name) if name is not None else None
    if type_ is None:
        return None
    return type_ if isinstance(address.base, AddressOf) and address.index is None else type_.element


def transferred_type(statement: Transfer, types: Mapping[str, Type]) -> Type | None:
    """Return the type of a DMA operation that states none: what its access to memory implies, else that to LDS."""
    return implied_type(statement.memory, types) or implied_type(statement.lds, types)
