"""Numbers of registers as expressions over what loads return.

What goes in: expressions of `axmem.events.values`. What comes out: expressions, simplified so that an address that
does not depend on memory is a constant, and a 64-bit value that was loaded and never changed is one read again.

Addresses are numbers: a location's is `events.graph.address_of`, so that pointers read from memory mean the same in a
test and in its assembly; other memory lies where no location can.
"""

from __future__ import annotations

from collections.abc import Callable

from axmem.events.values import BITWISE, Apply, Constant, Expr, ReadOf, Value, apply, fold

OUT, ARGUMENTS, OFFSETS, LDS_APERTURE, PRIVATE_APERTURE = (n << 40 for n in (1, 2, 3, 4, 5))
"""Where the result buffer, the kernel's arguments, the global offset table and the apertures of flat accesses lie.

An aperture is a number of the upper half of an address.
"""
PACKET, CODE = 7 << 40, 8 << 40
"""Where the packet of a launch, and code that is called, lie; the program counter lies before (`symbols.COUNTER`)."""
REGION = 1 << 40


LANE = 52
"""From which bit on gfx1250 has the number of a lane in flat addresses of private memory."""


def without_lane(address: int, lane: int) -> int:
    """Return an address in private memory of a lane without the lane's number in it; any other as it is."""
    rest = address - (lane << LANE)
    return rest if rest // REGION * REGION == PRIVATE_APERTURE else address


def number(expr: Expr) -> int | None:
    """Return the number an expression is, or None if it depends on memory."""
    value: Value | None = expr.value if isinstance(expr, Constant) else None
    return value if isinstance(value, int) else None


def width_of(expr: Expr, widths: dict[int, int]) -> int:
    """Return how many bits an expression has: a read's are those of its access; of a constant, 0."""
    if isinstance(expr, ReadOf):
        return widths.get(expr.event, 32)
    return expr.bits if isinstance(expr, Apply) else 0


def sliced(expr: Expr, low: int, bits: int, widths: dict[int, int]) -> Expr:
    """Return some bits of a value; they depend on no others where an operation has none cross."""
    if isinstance(expr, ReadOf) and low == 0 and widths.get(expr.event, 32) == bits:
        return expr
    if isinstance(expr, Apply):
        if low == 0 and expr.bits == bits and expr.operation != "concat":
            return expr
        if low == 0 and expr.bits < bits:
            return expr
        if expr.operation == "slice":
            return sliced(expr.arguments[0], low + expr.parameters[0], bits, widths)
        if expr.operation == "zext" and low >= width_of(expr.arguments[0], widths) > 0:
            return Constant(0)
        if expr.operation == "zext" and low + bits <= width_of(expr.arguments[0], widths):
            return sliced(expr.arguments[0], low, bits, widths)
        by = number(expr.arguments[1]) if expr.operation in ("shl", "lshr") else None
        if by is not None and expr.operation == "shl" and low + bits <= expr.bits and not low < by < low + bits:
            return sliced(expr.arguments[0], low - by, bits, widths) if by <= low else Constant(0)
        if by is not None and expr.operation == "lshr" and low + by + bits <= expr.bits:
            return sliced(expr.arguments[0], low + by, bits, widths)
        if expr.operation in BITWISE and low + bits <= expr.bits:
            return computed(expr.operation, bits, *(sliced(part, low, bits, widths) for part in expr.arguments))
        if expr.operation == "concat":
            start = 0
            for part, size in zip(expr.arguments, expr.parameters, strict=True):
                if start <= low and low + bits <= start + size:
                    return sliced(part, low - start, bits, widths)
                start += size
    return apply("slice", bits, expr, parameters=(low,))


def joined(parts: tuple[Expr, ...], sizes: tuple[int, ...], widths: dict[int, int]) -> Expr:
    """Return values side by side, the lowest first; neighbours that were cut apart are one again."""
    merged: list[tuple[Expr, int]] = []
    for part, size in zip(parts, sizes, strict=True):
        if merged:
            whole = _one(*merged[-1], part, size)
            if whole is not None:
                merged[-1] = (whole, merged[-1][1] + size)
                continue
        merged.append((part, size))
    merged = [(_whole(part, size, widths), size) for part, size in merged]
    if len(merged) == 1:
        return merged[0][0]
    if len(merged) == 2 and merged[1][0] == Constant(0) and number(merged[0][0]) is None:
        return apply("zext", merged[0][1] + merged[1][1], merged[0][0])
    return apply("concat", sum(s for _, s in merged), *(p for p, _ in merged), parameters=tuple(s for _, s in merged))


def _one(low: Expr, size: int, high: Expr, more: int) -> Expr | None:
    """Return two values side by side as one, if they are constants or neighbouring bits of one value."""
    first, second = number(low), number(high)
    if first is not None and second is not None:
        return Constant(first | second << size)
    if _is_slice(low) and _is_slice(high):
        assert isinstance(low, Apply) and isinstance(high, Apply)
        if low.arguments == high.arguments and low.parameters[0] + size == high.parameters[0]:
            return Apply("slice", size + more, low.arguments, low.parameters)
    return None


def _is_slice(expr: Expr) -> bool:
    return isinstance(expr, Apply) and expr.operation == "slice"


def _whole(expr: Expr, size: int, widths: dict[int, int]) -> Expr:
    """Return the value itself where a slice takes all of it."""
    if isinstance(expr, Apply) and expr.operation == "slice" and expr.parameters == (0,):
        inner = expr.arguments[0]
        if width_of(inner, widths) == size:
            return inner
    return expr


def computed(operation: str, bits: int, *arguments: Expr, parameters: tuple[int, ...] = ()) -> Expr:
    """Return an operation, simplified where one side is neutral."""
    if len(arguments) == 2:
        a, b = arguments
        x, y = number(a), number(b)
        if operation in ("add", "or", "xor", "shl", "lshr", "ashr", "sub") and y == 0:
            return a
        if operation in ("add", "or", "xor") and x == 0:
            return b
        if operation in ("and", "mul", "shl", "lshr") and 0 in (x, y) and (x == 0 or operation in ("and", "mul")):
            return Constant(0)
        if operation == "and" and y == (1 << bits) - 1:
            return a
        if operation == "and" and x == (1 << bits) - 1:
            return b
        if operation == "mul" and y == 1:
            return a
        if operation in ("and", "or") and y is None and x is not None:
            return computed(operation, bits, b, a)
        if operation in ("and", "or") and y is not None and isinstance(a, Apply):
            masked = _masked(operation, bits, a, y)
            if masked is not None:
                return masked
        if operation in ("xor", "sub") and a == b:
            return Constant(0)
        if operation in ("and", "or") and a == b:
            return a
        if operation == "add" and isinstance(a, Apply) and a.operation == "add" and y is not None:
            inner = number(a.arguments[1])
            if inner is not None and a.bits == bits:
                return computed("add", bits, a.arguments[0], Constant(inner + y & (1 << bits) - 1))
        if operation in ("eq", "ne") and x is not None and y is None:
            return computed(operation, bits, b, a)
        if operation == "xor" and bits == 1 and isinstance(a, Apply) and y == 1:
            return _truth("eq", a, 0)
        if operation in ("eq", "ne") and isinstance(a, Apply) and a.bits == 1 and y is not None:
            return _truth(operation, a, y)
        if operation in ("eq", "ne") and isinstance(a, Apply) and a.operation == "zext" and y is not None:
            inner_expr = a.arguments[0]
            if isinstance(inner_expr, Apply) and inner_expr.bits == 1:
                return _truth(operation, inner_expr, y)
    if operation == "select" and number(arguments[0]) is not None:
        return arguments[1] if number(arguments[0]) else arguments[2]
    return apply(operation, bits, *arguments, parameters=parameters)


def _masked(operation: str, bits: int, value: Apply, mask: int) -> Expr | None:
    """Return a value whose bits were set or cleared before, after more are; None if nothing becomes simpler."""
    before = number(value.arguments[1]) if value.operation in ("and", "or") and len(value.arguments) == 2 else None
    if before is None or value.bits != bits:
        return None
    if value.operation == operation:
        both = before & mask if operation == "and" else before | mask
        return computed(operation, bits, value.arguments[0], Constant(both))
    apart = before & mask == 0 if operation == "and" else before | mask == (1 << bits) - 1
    return computed(operation, bits, value.arguments[0], Constant(mask)) if apart else None


def signed(value: Expr, bits: int, *, negated: bool, absolute: bool) -> Expr:
    """Return the bits of a number of floating point with another sign: none if it is absolute, then the opposite."""
    if absolute:
        value = computed("and", bits, value, Constant((1 << bits - 1) - 1))
    return computed("xor", bits, value, Constant(1 << bits - 1)) if negated else value


def with_truths(expr: Expr, known: Callable[[Expr], int | None]) -> Expr:
    """Return a value with numbers for the truth values in it that are known."""
    done: dict[Expr, Expr] = {}

    def value(part: Expr) -> Expr:
        if not isinstance(part, Apply):
            return part
        truth = known(part) if part.bits == 1 else None
        if truth is not None:
            return Constant(truth)
        arguments = tuple(done[argument] for argument in part.arguments)
        if arguments == part.arguments:
            return part
        if part.operation == "concat":
            return joined(arguments, part.parameters, {})
        return computed(part.operation, part.bits, *arguments, parameters=part.parameters)

    return fold(expr, value, done)


_OPPOSITE = {"eq": "ne", "ne": "eq", "ult": "uge", "uge": "ult", "ule": "ugt", "ugt": "ule",
             "slt": "sge", "sge": "slt", "sle": "sgt", "sgt": "sle"}  # fmt: skip


def _truth(operation: str, truth: Apply, wanted: int) -> Expr:
    """Return a comparison of a truth value with 0 or 1, as that truth value or its opposite."""
    if wanted > 1:
        return Constant(int(operation == "ne"))
    if (operation == "eq") == bool(wanted):
        return truth
    opposite = _OPPOSITE.get(truth.operation)
    if opposite:
        return Apply(opposite, 1, truth.arguments, truth.parameters)
    return apply("xor", 1, truth, Constant(1))
