"""Which bits of a value depend on what is not known.

What goes in: an expression, and which reads are of what nobody put anywhere. What comes out: the expression with 0 for
those reads, where the bits that are asked for are the same whatever they are; else the expression as it is. Compilers
leave the upper half of a register alone, shift it out, mask it, and store the rest.

Invariant: a bit that is said to depend on nothing unknown has the same value for all values of the unknown reads;
`tests/codegen/test_bits.py` holds it against all values of small ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from axmem.codegen.assembly.values import number
from axmem.events.values import DEPENDING, Apply, Constant, Expr, Pick, ReadOf, apply, fold, operands, reads_of


class Bits(NamedTuple):
    """Of the bits of a value those that may depend on something unknown, and those that are 0, or 1, whatever it is."""

    unknown: int
    zeros: int
    ones: int


def settled(expr: Expr, bits: int, widths: Mapping[int, int]) -> Expr:
    """Return a value with 0 for its unknown reads, the negative ones, if the lowest `bits` depend on none.

    `widths` are the bits of reads.
    """
    if all(read >= 0 for read in reads_of(expr)):
        return expr
    known: dict[Expr, Bits] = {}
    if fold(expr, lambda part: _bits(part, known, widths), known).unknown & _ones(bits):
        return expr
    replaced: dict[Expr, Expr] = {}

    def value(part: Expr) -> Expr:
        if isinstance(part, ReadOf) and part.event < 0:
            return Constant(0)
        if isinstance(part, Pick):
            return Pick(part.choice, tuple(replaced[arm] for arm in part.arms))
        if isinstance(part, Apply):
            arguments = (replaced[argument] for argument in part.arguments)
            return apply(part.operation, part.bits, *arguments, parameters=part.parameters)
        return part

    return fold(expr, value, replaced)


def _ones(bits: int) -> int:
    return (1 << bits) - 1


def _from(mask: int, bits: int) -> int:
    """Return the lowest bit of a mask and all above it."""
    return -(mask & -mask) & _ones(bits)


def _bits(expr: Expr, known: Mapping[Expr, Bits], widths: Mapping[int, int]) -> Bits:
    if isinstance(expr, Constant):
        value = number(expr)
        return Bits(0, 0, 0) if value is None else Bits(0, ~value, value)
    if isinstance(expr, ReadOf):
        return Bits(_ones(widths.get(expr.event, 32)) if expr.event < 0 else 0, 0, 0)
    parts = [known[part] for part in operands(expr)]
    if isinstance(expr, Pick):
        return _either(parts)
    every = _ones(expr.bits)
    unknown, zeros, ones = _operation(expr, parts)
    return Bits(unknown & every, zeros & every & ~unknown | ~every, ones & every & ~unknown)


def _either(parts: list[Bits]) -> Bits:
    """Return what holds of a value that is one of several, by something that is known."""
    unknown, zeros, ones = parts[0]
    for part in parts[1:]:
        unknown, zeros, ones = unknown | part.unknown, zeros & part.zeros, ones & part.ones
    return Bits(unknown, zeros, ones)


def _operation(expr: Apply, parts: list[Bits]) -> Bits:
    """Return what holds of an operation's bits; of one that is not told apart all are unknown if anything is."""
    match expr.operation, parts:
        case "and", [a, b]:
            return Bits(a.unknown & ~b.zeros | b.unknown & ~a.zeros, a.zeros | b.zeros, a.ones & b.ones)
        case "or", [a, b]:
            return Bits(a.unknown & ~b.ones | b.unknown & ~a.ones, a.zeros & b.zeros, a.ones | b.ones)
        case (("xor" | "not"), _):
            return Bits(_any(parts), 0, 0)
        case (("add" | "sub" | "mul"), _):
            return Bits(_from(_any(parts), expr.bits), 0, 0)
        case (("zext" | "trunc"), [a]):
            return a
        case "slice", [a]:
            return Bits(*(mask >> expr.parameters[0] for mask in a))
        case "sext", [a]:
            return _extended(a, expr.parameters[0])
        case (("shl" | "lshr" | "ashr"), [a, amount]) if not amount.unknown:
            return _shifted(expr, a)
        case "concat", _:
            return _joined(expr.parameters, parts)
        case "select", [condition, *arms] if not condition.unknown:
            return _either(arms)
        case name, [a, *others] if name == DEPENDING and not _any(others):
            return a
    return Bits(-1 if _any(parts) else 0, 0, 0)


def _any(parts: list[Bits]) -> int:
    unknown = 0
    for part in parts:
        unknown |= part.unknown
    return unknown


def _extended(value: Bits, width: int) -> Bits:
    """Return what holds where the highest bit is repeated."""
    return Bits(*(mask & _ones(width) | (-1 << width if mask >> width - 1 & 1 else 0) for mask in value))


def _shifted(expr: Apply, value: Bits) -> Bits:
    """Return what holds after a shift by what is known, though perhaps not here."""
    by = number(expr.arguments[1])
    if expr.operation == "shl":
        if by is None:
            return Bits(_from(value.unknown, expr.bits), 0, 0)
        return Bits(value.unknown << by, value.zeros << by | _ones(by), value.ones << by)
    if by is None:
        return Bits(_ones((value.unknown & _ones(expr.bits)).bit_length()), 0, 0)
    if expr.operation == "ashr":
        value = _extended(value, expr.bits)
        return Bits(*(mask >> by for mask in value))
    kept = _ones(expr.bits)
    return Bits((value.unknown & kept) >> by, ~(~value.zeros & kept) >> by, (value.ones & kept) >> by)


def _joined(sizes: tuple[int, ...], parts: list[Bits]) -> Bits:
    unknown = zeros = ones = start = 0
    for size, part in zip(sizes, parts, strict=True):
        unknown, zeros, ones = (
            mask | (more & _ones(size)) << start for mask, more in zip((unknown, zeros, ones), part, strict=True)
        )
        start += size
    return Bits(unknown, zeros, ones)
