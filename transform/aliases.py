"""Checks at run time that accesses of a loop are apart.

What goes in: pairs of accesses of a loop that might meet because nothing is known of two pointers. What comes out: an
expression over what stands before the loop that is true only if no two of them meet in any of its iterations; or
nothing, if there is none. Invariant: an expression is true only then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from axmem.litmus.blocks import ControlFlow
from axmem.litmus.spelling import pointer_to
from axmem.litmus.syntax import I1, I32, AddressOf, Expr, IntegerOperation, Kernel, Number, Register, Type
from axmem.transform.body import known_types, turns
from axmem.transform.constants import operation
from axmem.transform.dependence import AccessPlace
from axmem.transform.linear import Iteration, Start, Unchanging
from axmem.transform.loops import Loop


def apart(
    pairs: Iterable[tuple[AccessPlace | None, AccessPlace | None]],
    flow: ControlFlow,
    loop: Loop,
    kernel: Kernel,
    *,
    once_more: bool = False,
) -> Expr | None:
    """Return the condition that the places of each pair are apart in all iterations of a loop.

    There is none of two places whose distance is known, or where it is not known how often the loop goes round; that is
    `once_more` than its latch is executed for what stands before the test.
    """
    count = turns(flow, loop)
    if count is None:
        return None
    count = operation("add", count, 1) if once_more else count
    header, types = loop.header, known_types(flow, kernel)
    conditions: dict[Expr, None] = {}
    for first, second in pairs:
        if first is None or second is None or first.space is not second.space:
            return None
        if all(isinstance(term, Iteration) for term in second.address.plus(first.address, -1).terms):
            return None
        one, other = (_range(place, header, count, types) for place in (first, second))
        if one is None or other is None:
            return None
        before = IntegerOperation("ule", (one[1], other[0]), I1)
        behind = IntegerOperation("ule", (other[1], one[0]), I1)
        conditions[IntegerOperation("or", (before, behind), I1)] = None
    return reduce(lambda a, b: IntegerOperation("and", (a, b), I1), conditions) if conditions else None


def _range(place: AccessPlace, header: str, count: Expr, types: Mapping[str, Type]) -> tuple[Expr, Expr] | None:
    """Return the first address that a place has in any of so many iterations, at least one, and the one behind all."""
    moves = place.address.terms.get(Iteration(header), 0)
    first = _address(place, types, header)
    if first is None or first.type is None:
        return None
    wide = Type(first.type.bits)
    last = IntegerOperation("sub", (_as(count, wide), Number(1, wide)), wide)
    way = IntegerOperation("mul", (last, Number(moves, wide)), wide)
    far = _beyond(first, way) if moves else first
    low, high = (far, first) if moves < 0 else (first, far)
    return low, _beyond(high, Number(place.size, wide))


def _address(place: AccessPlace, types: Mapping[str, Type], header: str) -> Expr | None:
    """Return the address of a place in the first iteration; None if it is not one pointer and what is added to it."""
    pointer = pointer_to(place.space)
    base: Expr | None = None
    wide = Type(pointer.bits)
    added: Expr = Number(place.address.constant, wide)
    for term, factor in sorted(place.address.terms.items(), key=lambda pair: str(pair[0])):
        if term == Iteration(header):
            continue
        if isinstance(term, Iteration):
            return None
        type_ = pointer if isinstance(term, Start) else types.get(term.register)
        if type_ is None or type_.lanes:
            return None
        if type_.pointer is not None:
            if base is not None or factor != 1:
                return None
            base = AddressOf(term.location, type_) if isinstance(term, Start) else Register(term.register, type_)
            continue
        assert isinstance(term, Unchanging)
        scaled = IntegerOperation(
            "mul", (_as(Register(term.register, type_), wide, "sext"), Number(factor, wide)), wide
        )
        added = IntegerOperation("add", (added, scaled), wide)
    return None if base is None else _beyond(base, added)


def _beyond(address: Expr, offset: Expr) -> Expr:
    """Return the address so many bytes behind another."""
    if isinstance(offset, Number) and not offset.value:
        return address
    return IntegerOperation("add", (address, offset), address.type)


def _as(expr: Expr, wide: Type, how: str = "zext") -> Expr:
    """Return an integer in another width."""
    bits = (expr.type or I32).bits
    if bits == wide.bits:
        return expr
    return IntegerOperation(how if bits < wide.bits else "trunc", (expr,), wide)
