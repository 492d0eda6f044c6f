"""Arithmetic of floating point on the bits of values.

What goes in: the name of an operation, widths and bits: 16 are a half, 32 a float, 64 a double of IEEE 754. What comes
out: the bits of the result, rounded once to nearest, ties to even, denormals kept (LLVM's default environment), or
`UNDEF`. A result that is a NaN is undef, since LLVM leaves its sign and payload open; so is what LLVM makes poison, and
what it lets be rounded in two ways that differ. `fneg` and `fabs` are operations on bits, and keep a NaN.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import copysign, floor, inf, isfinite, isnan, nextafter, trunc
from typing import Final

from axmem.litmus.undef import POISONED, UNDEF, Value

FORMATS: Final = {"half": 16, "float": 32, "double": 64}
"""The types of floating point whose values are computed, with their widths."""
FLOATING: Final = {
    "fadd": 2, "fsub": 2, "fmul": 2, "fdiv": 2, "fneg": 1, "fabs": 1, "fma": 3, "fmuladd": 3,
    "fmax": 2, "fmin": 2, "fmaximum": 2, "fminimum": 2,
}  # fmt: skip
"""The operations on values of one type of floating point, with how many there are."""
FLOAT_UPDATES: Final = ("fadd", "fsub", "fmax", "fmin", "fmaximum", "fminimum")
"""What an atomicrmw may do to a number: maxnum and minnum, then maximum and minimum, of which a NaN is one."""
BRAIN_UPDATES: Final = {f"b{operation}": operation for operation in FLOAT_UPDATES}
"""The same of a bfloat, the upper half of a float, whose width a half has, too."""
IGNORING: Final = "amdgpu.ignore.denormal.mode"
"""The metadata by which an update may take denormals for zeros."""
FURTHER: Final = {"fmaxnum": 2, "fminnum": 2, "ffloor": 1, "ftrunc": 1, "fldexp": 2}
"""Operations that hardware has, by the names of SelectionDAG.

The last has an i32, too. `fmaxnum` and `fminnum` are `fmax` and `fmin` as AMD's manuals have them: -0.0 is less than
0.0, and of two quiet NaNs it is the second.
"""
PREDICATES: Final = ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")
FLOAT_COMPARISONS: Final = frozenset(f"fcmp {predicate}" for predicate in PREDICATES)
TO_INTEGER: Final = frozenset({"fptosi", "fptoui", "fptosi.sat", "fptoui.sat"})
FROM_INTEGER: Final = frozenset({"sitofp", "uitofp"})
BETWEEN: Final = frozenset({"fpext", "fptrunc"})
FLOAT_CASTS: Final = TO_INTEGER | FROM_INTEGER | BETWEEN
INTRINSICS: Final = {
    "fabs": "fabs", "fma": "fma", "fmuladd": "fmuladd", "fptosi.sat": "fptosi.sat", "fptoui.sat": "fptoui.sat",
    "fmax": "maxnum", "fmin": "minnum", "fmaximum": "maximum", "fminimum": "minimum",
}  # fmt: skip
"""The operations that LLVM has as intrinsics, with what these are called after `llvm.`."""
SIZED: Final = FLOAT_COMPARISONS | FLOAT_CASTS
"""The operations whose operand has another width than the result, and is told it."""
_EXTREMES: Final = (*FLOAT_UPDATES[2:], "fmaxnum", "fminnum")
_QUIET: Final = {16: 9, 32: 22, 64: 51}
"""The bit that quiet NaNs have."""
_LETTERS: Final = {16: "e", 32: "f", 64: "d"}


def number_at(bits: int, width: int) -> float:
    """Return the number that has these bits; every half and float is a double."""
    found: float = struct.unpack(f"<{_LETTERS[width]}", bits.to_bytes(width // 8, "little"))[0]
    return found


def bits_of(number: float, width: int) -> int:
    """Return the bits of a number, rounded to the width; what is too large is infinite."""
    try:
        packed = struct.pack(f"<{_LETTERS[width]}", number)
    except OverflowError:
        packed = struct.pack(f"<{_LETTERS[width]}", copysign(inf, number))
    return int.from_bytes(packed, "little")


def float_bits(text: str, width: int) -> int:
    """Return the bits of a decimal fraction, rounded once; a large one is infinite."""
    return _rounded(Fraction(text), 0.0, width)


def float_text(bits: int, width: int) -> str:
    """Return the shortest decimal fraction that is read as these bits, or else the bits in hexadecimal."""
    number = number_at(bits, width)
    if not bits or 1e-4 <= abs(number) < 1e9:
        for digits in range(1, 18):
            shortest = float(f"{number:.{digits}g}")
            if bits_of(shortest, width) == bits:
                return repr(shortest)
    return f"0x{bits:0{width // 4}X}"


def apply_floating(operation: str, bits: int, parameters: tuple[int, ...], arguments: list[int]) -> Value:
    """Return the value of an operation of `FLOATING`, `FURTHER`, `BRAIN_UPDATES` or `SIZED` on numbers.

    Of the last, `parameters` is the width of the operands.
    """
    if operation in BRAIN_UPDATES:
        # A float has more than twice the digits, and two more: rounding its result again is rounding once.
        found = apply_floating(BRAIN_UPDATES[operation], 32, (), [argument << 16 for argument in arguments])
        return UNDEF if not isinstance(found, int) else found + 0x7FFF + (found >> 16 & 1) >> 16
    if operation == "fneg":
        return arguments[0] ^ 1 << bits - 1
    if operation == "fabs":
        return arguments[0] & (1 << bits - 1) - 1
    if operation in FROM_INTEGER:
        integer = arguments[0]
        if operation == "sitofp" and integer >> parameters[0] - 1:
            integer -= 1 << parameters[0]
        return _rounded(Fraction(integer), 0.0, bits)
    if operation == "fldexp":
        return _scaled(number_at(arguments[0], bits), arguments[1] - (arguments[1] >> 31 << 32), bits)
    width = parameters[0] if operation in SIZED else bits
    numbers = [number_at(argument, width) for argument in arguments]
    if operation in FLOAT_COMPARISONS:
        return int(_compared(operation[5:], *numbers))
    if operation in TO_INTEGER:
        return _integer(operation, numbers[0], bits)
    if operation in _EXTREMES:
        return _extreme(operation, bits, arguments, numbers)
    if any(map(isnan, numbers)):
        return UNDEF
    if operation in BETWEEN:
        return bits_of(numbers[0], bits)
    if operation == "fmuladd":
        fused = apply_floating("fma", bits, (), arguments)
        product = apply_floating("fmul", bits, (), arguments[:2])
        apart = UNDEF if not isinstance(product, int) else apply_floating("fadd", bits, (), [product, arguments[2]])
        return fused if fused == apart else UNDEF
    return _COMPUTED[operation](*numbers, bits)


def _rounded(exact: Fraction, zero: float, width: int) -> int:
    """Return the bits of an exact number; `zero` is what a result of zero is, with its sign.

    A double is rounded to odd first, so that it can be rounded once more (Boldo and Melquiond 2008).
    """
    if not exact:
        return bits_of(zero, width)
    try:
        near = float(exact)
    except OverflowError:
        return bits_of(inf if exact > 0 else -inf, width)
    if width < 64 and Fraction(near) != exact and not bits_of(near, 64) & 1:
        near = nextafter(near, inf if Fraction(near) < exact else -inf)
    return bits_of(near, width)


def _bits(number: float, width: int) -> Value:
    """Return the bits of a result that is not finite, or computed without rounding."""
    return UNDEF if isnan(number) else bits_of(number, width)


def _sum(a: float, b: float, width: int) -> Value:
    if isfinite(a) and isfinite(b):
        return _rounded(Fraction(a) + Fraction(b), a + b, width)
    return _bits(a + b, width)


def _product(a: float, b: float, width: int) -> Value:
    if isfinite(a) and isfinite(b):
        return _rounded(Fraction(a) * Fraction(b), a * b, width)
    return _bits(a * b, width)


def _quotient(a: float, b: float, width: int) -> Value:
    sign = copysign(1.0, a) * copysign(1.0, b)
    if not b:
        return UNDEF if not a else bits_of(sign * inf, width)
    if isfinite(a) and isfinite(b):
        return _rounded(Fraction(a) / Fraction(b), sign * 0.0, width)
    return _bits(a / b, width)


def _fused(a: float, b: float, c: float, width: int) -> Value:
    if isfinite(a) and isfinite(b):
        if not isfinite(c):
            return bits_of(c, width)
        return _rounded(Fraction(a) * Fraction(b) + Fraction(c), 0.0 if a and b else a * b + c, width)
    return _bits(a * b + c, width)


def _extreme(operation: str, width: int, bits: list[int], numbers: list[float]) -> Value:
    """Return the greater or the lesser of two numbers.

    A quiet NaN beside a number gives the number, but for `fmaximum` and `fminimum`. What documents and their editions
    differ in is undef: what comes of a signaling NaN, and which zero `fmax` and `fmin` return.
    """
    least, open_ = "min" in operation, operation in ("fmax", "fmin")
    nans = [isnan(number) for number in numbers]
    if any(nans):
        signaling = any(nan and not each >> _QUIET[width] & 1 for nan, each in zip(nans, bits, strict=True))
        if signaling or operation in ("fmaximum", "fminimum") or (all(nans) and open_):
            return UNDEF
        return bits[nans[0]]
    if not any(numbers) and bits[0] != bits[1]:
        return UNDEF if open_ else int(least) << width - 1
    return bits[(numbers[0] > numbers[1]) == least]


def _whole(rounded: Callable[[float], int], number: float, width: int) -> int:
    """Return a number without its fraction, with its sign where that is all that is left."""
    return bits_of(copysign(rounded(number), number) if isfinite(number) else number, width)


def _scaled(number: float, exponent: int, width: int) -> Value:
    """Return a number times a power of 2; undef where that has to be rounded, of which it is not said how."""
    if isnan(number) or not isfinite(number) or not number:
        return _bits(number, width)
    exact = Fraction(number) * Fraction(2) ** max(min(exponent, 5000), -5000)
    found = _rounded(exact, number, width)
    scaled = number_at(found, width)
    return found if not isfinite(scaled) or Fraction(scaled) == exact else UNDEF


_COMPUTED: Final[dict[str, Callable[..., Value]]] = {
    "fadd": _sum, "fsub": lambda a, b, width: _sum(a, -b, width), "fmul": _product, "fdiv": _quotient, "fma": _fused,
    "ffloor": partial(_whole, floor), "ftrunc": partial(_whole, trunc),
}  # fmt: skip


def _compared(predicate: str, a: float, b: float) -> bool:
    """Compare two numbers; the first letter says whether a NaN makes it true, the others which orders do."""
    if isnan(a) or isnan(b):
        return predicate[0] == "u"
    if predicate in ("ord", "uno"):
        return predicate == "ord"
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[predicate[1:]]


def _integer(operation: str, number: float, bits: int) -> Value:
    """Return a number without its fraction; one that does not fit is poison, or with `.sat` the nearest that does."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if operation[4] == "s" else (0, (1 << bits) - 1)
    saturating = operation.endswith(".sat")
    if isnan(number):
        return 0 if saturating else POISONED
    whole = trunc(number) if isfinite(number) else high + 1 if number > 0 else low - 1
    if not low <= whole <= high:
        if not saturating:
            return POISONED
        whole = min(max(whole, low), high)
    return whole & (1 << bits) - 1
