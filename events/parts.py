"""Parts of values: some bits of an expression, made of what they depend on.

What goes in: an expression, and which of its bits are wanted. What comes out: an expression of these bits alone, where
that depends on the values of fewer reads; of the others only whether they are undef as a whole is left, which makes the
part so. So what a loop writes to one byte of a word is no function of all four, each of which it may have
written before. Invariant: it has the value of the slice for all values of reads; `tests/events/test_parts.py` holds it
against all values of small ones. (`axmem.codegen.assembly.values.sliced` is of machines, which have no undef.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from axmem.events.values import (
    BITWISE,
    DEPENDING,
    NONE,
    STRICT,
    WHOLE,
    ZERO,
    Apply,
    Constant,
    Expr,
    Pick,
    ReadOf,
    apply,
    fold,
    folded,
    operands,
    reads_of,
)
from axmem.litmus.undef import POISONED

Leaves = tuple[Expr, ...]
"""Expressions, each once."""


def part_of(expr: Expr, low: int, bits: int) -> Expr:
    """Return `bits` bits of a value from bit `low`."""
    if len(reads_of(expr)) > 1:
        taken = _Taken()
        part = taken.whole(_Part(expr, low, bits))
        if deciding_reads(part) < deciding_reads(expr):
            return part
    return apply("slice", bits, expr, parameters=(low,))


def compared(name: str, value: Expr, other: Expr) -> Expr:
    """Return whether a value equals another ("eq"), or differs from it ("ne"): each part of it by itself."""
    if not (isinstance(value, Apply) and value.operation == "concat"):
        return apply(name, 1, value, other)
    found: list[Expr] = []
    low = 0
    for part, bits in zip(value.arguments, value.parameters, strict=True):
        here = apply(name, 1, part, part_of(other, low, bits))
        found = [apply("and" if name == "eq" else "or", 1, *found, here) if found else here]
        low += bits
    return found[0]


def deciding_reads(expr: Expr) -> frozenset[int]:
    """Return the reads on whose values an expression depends, but for those that only make it undef as a whole."""
    known: dict[Expr, frozenset[int]] = {}

    def deciding(part: Expr) -> frozenset[int]:
        return reads_of(part) if isinstance(part, ReadOf) else NONE.union(*(known[each] for each in _decided(part)))

    return fold(expr, deciding, known, _decided)


class _Part(NamedTuple):
    """Some bits of an expression."""

    expr: Expr
    low: int
    bits: int


class _Found(NamedTuple):
    """What bits are: an expression, but undef as a whole where one of the `others` is."""

    expr: Expr
    others: Leaves = ()


class _Taken:
    """The parts of expressions that were taken, and what is known of these."""

    def __init__(self) -> None:
        self.parts: dict[_Part, _Found] = {}
        self._leaves: dict[Expr, Leaves] = {}

    def whole(self, part: _Part) -> Expr:
        """Return bits as one expression."""
        expr, others = folded(part, self._found, self.parts, _needs)
        own = self.leaves(expr)
        left = tuple([leaf for leaf in others if leaf not in own])
        return expr if not left else Apply(WHOLE, part.bits, (expr, *left))

    def leaves(self, expr: Expr) -> Leaves:
        """Return of what an expression is undef as a whole: exactly where one of these is."""
        return fold(expr, self._leaves_of, self._leaves, _strict)

    def _leaves_of(self, expr: Expr) -> Leaves:
        if isinstance(expr, Constant) and expr.value is not POISONED:
            return ()
        inner = _strict(expr)
        return _once(map(self._leaves.__getitem__, inner)) if inner else (expr,)

    def _found(self, part: _Part) -> _Found:
        """Return what bits are, from those of operands."""
        expr, low, bits = part
        needs = _needs(part)
        match expr:
            case Constant():
                return _Found(apply("slice", bits, expr, parameters=(low,)))
            case Pick(choice):
                return _Found(Pick(choice, tuple([self.whole(need) for need in needs])))
            case Apply("depending", _, (_, *others)):
                return _Found(Apply(DEPENDING, bits, (self.whole(needs[0]), *others)))
        found = [self.parts[need] for need in needs]
        match expr:
            case Apply("concat", _, arguments, widths):
                return self._side_by_side(arguments, widths, part, found)
            case Apply("slice" | "zext" | "trunc" | "shl" | "lshr") if needs:
                return found[0]
            case Apply("zext", width, (first,), (own,)) if own <= low and low + bits <= width:
                return _Found(ZERO, self.leaves(first))
            case Apply("shl", width, (first, Constant(int(by)))) if low + bits <= by < width:
                return _Found(ZERO, self.leaves(first))
            case Apply("add" | "sub" | "mul" as operation) if needs:
                narrow = apply(operation, low + bits, *[each.expr for each in found])
                return _Found(apply("slice", bits, narrow, parameters=(low,)) if low else narrow, _others(found))
            case Apply(operation) if needs:
                return self._bitwise(operation, bits, found)
        return _Found(apply("slice", bits, expr, parameters=(low,)))

    def _side_by_side(
        self, arguments: Sequence[Expr], widths: tuple[int, ...], part: _Part, found: list[_Found]
    ) -> _Found:
        """Return bits of values side by side: those that are left out make them undef as a whole."""
        cuts = _cuts(widths, part.low, part.low + part.bits)
        kept = dict(zip([k for k, _ in cuts], found, strict=True))
        left_out = [self.leaves(a) for k, a in enumerate(arguments) if k not in kept]
        sizes = tuple([bits for _, (_, bits) in cuts])
        exprs = [arguments[k] if widths[k] == bits else kept[k].expr for k, (_, bits) in cuts]
        expr = exprs[0] if len(exprs) == 1 else apply("concat", part.bits, *exprs, parameters=sizes) if exprs else ZERO
        return _Found(expr, _once((_others(found), *left_out)))

    def _bitwise(self, operation: str, bits: int, found: list[_Found]) -> _Found:
        """Return an operation without what it does not change, and of what decides it alone."""
        ones, others = Constant((1 << bits) - 1), _others(found)
        if len(found) == 2:
            a, b = (each.expr for each in found)
            neutral, deciding = (ones, ZERO) if operation == "and" else (ZERO, ones if operation == "or" else None)
            if deciding is not None and deciding in (a, b) and operation in ("and", "or"):
                return _Found(deciding, _once((others, self.leaves(a), self.leaves(b))))
            if neutral in (a, b) and operation in ("and", "or", "xor"):
                return _Found(b if a == neutral else a, others)
        return _Found(apply(operation, bits, *[each.expr for each in found]), others)


def _once(leaves: Iterable[Leaves]) -> Leaves:
    return tuple(dict.fromkeys(chain.from_iterable(leaves)))


def _others(found: list[_Found]) -> Leaves:
    return _once(each.others for each in found)


def _strict(expr: Expr) -> tuple[Expr, ...]:
    """Return the operands of an operation that is undef as a whole exactly where one of them is."""
    if not isinstance(expr, Apply):
        return ()
    if expr.operation in STRICT:
        return expr.arguments
    match expr:
        case Apply("shl" | "lshr" | "ashr", bits, (_, Constant(int(by)))) if by < bits:
            return expr.arguments
    return ()


def _decided(expr: Expr) -> tuple[Expr, ...]:
    """Return the operands whose values decide that of an expression."""
    return operands(expr)[:1] if isinstance(expr, Apply) and expr.operation in (WHOLE, DEPENDING) else operands(expr)


def _needs(part: _Part) -> tuple[_Part, ...]:
    """Return the bits of operands that bits are made of; none where they are not taken apart."""
    expr, low, bits = part
    high = low + bits
    match expr:
        case Pick(_, arms):
            return tuple([_Part(arm, low, bits) for arm in arms])
        case Apply("depending", _, (first, *_)):
            return (_Part(first, low, bits),)
        case Apply("concat", _, arguments, widths):
            return tuple([_Part(arguments[k], *cut) for k, cut in _cuts(widths, low, high)])
        case Apply("slice", width, (first,), (start,)) if high <= width:
            return (_Part(first, low + start, bits),)
        case Apply("zext", _, (first,), (own,)) if high <= own:
            return (_Part(first, low, bits),)
        case Apply("trunc", width, (first,)) if high <= width:
            return (_Part(first, low, bits),)
        case Apply("shl", width, (first, Constant(int(by)))) if by <= low and high <= width:
            return (_Part(first, low - by, bits),)
        case Apply("lshr", width, (first, Constant(int(by)))) if high + by <= width:
            return (_Part(first, low + by, bits),)
        case Apply("add" | "sub" | "mul", width, arguments) if high < width:
            return tuple([_Part(argument, 0, high) for argument in arguments])
        case Apply(operation, width, arguments) if operation in BITWISE and high <= width:
            return tuple([_Part(argument, low, bits) for argument in arguments])
    return ()


def _cuts(widths: tuple[int, ...], low: int, high: int) -> list[tuple[int, tuple[int, int]]]:
    """Return which of values side by side have bits of a range, each with the lowest of its own and their number."""
    found, start = [], 0
    for k, width in enumerate(widths):
        first, last = max(low, start), min(high, start + width)
        if first < last:
            found.append((k, (first - start, last - first)))
        start += width
    return found
