"""The values of a test, and its arithmetic.

What goes in: the name of an operation of `axmem.litmus.terms.IntegerOperation`, widths and values. What comes out:
its value, an integer already wrapped to its width, or `UNDEF`. Arithmetic on undef gives undef.
"""

from __future__ import annotations

from collections.abc import Callable

from axmem.litmus.floats import BRAIN_UPDATES, FLOAT_CASTS, FLOAT_COMPARISONS, FLOATING, FURTHER, apply_floating
from axmem.litmus.undef import UNDEF as UNDEF
from axmem.litmus.undef import Undef as Undef
from axmem.litmus.undef import Value as Value

DEPENDING = "depending"
"""The operation that returns its first argument and depends on the others (what decided a branch or a cmpxchg)."""

GIVEN, POISON = "given", "poison"
"""The operations, of no arguments, that return a parameter of which nothing is known, and what is undef as a whole."""

DEFINED, DIFFERS = "defined", "differs"
"""The operations that return the first argument that is not undef, and whether two numbers differ: undef from none."""


def signed(value: int, bits: int) -> int:
    """Read a wrapped value as a two's complement number."""
    return value - (1 << bits) if bits and value >> (bits - 1) & 1 else value


def _uinc_wrap(a: int, b: int) -> int:
    return 0 if a >= b else a + 1


def _udec_wrap(a: int, b: int) -> int:
    return b if a == 0 or a > b else a - 1


def _quotient(a: int, b: int) -> int:
    """Return what a division gives, towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_DIVIDING: dict[str, Callable[[int, int], int]] = {
    "udiv": lambda a, b: a // b,
    "urem": lambda a, b: a % b,
    "sdiv": _quotient,
    "srem": lambda a, b: a - _quotient(a, b) * b,
}

DIVISIONS = frozenset(_DIVIDING)
"""The divisions: by zero, and of the least number by -1, they give undef (LLVM: undefined behaviour)."""

_BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "nand": lambda a, b: ~(a & b),
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "umax": max,
    "umin": min,
    "uinc_wrap": _uinc_wrap,
    "udec_wrap": _udec_wrap,
    "usub_cond": lambda a, b: a - b if a >= b else a,
    "usub_sat": lambda a, b: max(a - b, 0),
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "ult": lambda a, b: int(a < b),
    "ule": lambda a, b: int(a <= b),
    "ugt": lambda a, b: int(a > b),
    "uge": lambda a, b: int(a >= b),
}

_SIGNED: dict[str, Callable[[int, int], int]] = {
    "max": max,
    "min": min,
    "slt": lambda a, b: int(a < b),
    "sle": lambda a, b: int(a <= b),
    "sgt": lambda a, b: int(a > b),
    "sge": lambda a, b: int(a >= b),
}

WHOLE = "whole"
"""The operation that returns its first argument if no other one is undef."""

BITWISE = frozenset({"and", "nand", "or", "xor", "not"})
"""The operations whose every bit depends on that bit of the arguments alone."""

STRICT = frozenset({*_BINARY, *_SIGNED, WHOLE, "concat", "slice", "zext", "trunc", "sext", "not"})
"""The operations that return undef of undef, and of nothing else."""

_TOLD = frozenset({"sext", "slt", "sle", "sgt", "sge"}) | FLOAT_COMPARISONS | FLOAT_CASTS
_FLOATS = FLOATING.keys() | FURTHER.keys() | BRAIN_UPDATES.keys() | FLOAT_COMPARISONS | FLOAT_CASTS


def told(operation: str, width: int) -> tuple[int, ...]:
    """Return the parameters of an operation of the language whose operands have this width."""
    return (width,) if operation in _TOLD else ()


def apply_operation(operation: str, bits: int, parameters: tuple[int, ...], arguments: tuple[Value, ...]) -> Value:
    """Return the value of an operation.

    Shifts by the width or more give undef (LLVM: poison), and so do divisions that are none. `parameters`: for
    `concat` the widths of the arguments, lowest first; for `slice` the lowest bit taken; for `sext`, the signed
    comparisons, and comparisons and conversions of floating point (`axmem.litmus.floats`) the width of the operands.
    """
    if operation == "select":
        condition, yes, no = arguments
        return UNDEF if condition is UNDEF else yes if condition else no
    if operation == DEPENDING:
        return arguments[0]
    if operation in (GIVEN, POISON):
        return UNDEF
    if operation == DEFINED:
        return next((a for a in arguments if a is not UNDEF), UNDEF)
    if operation == DIFFERS:
        return int(UNDEF not in arguments and arguments[0] != arguments[1])
    numbers = [a for a in arguments if a is not UNDEF]
    if len(numbers) != len(arguments):
        return UNDEF
    if operation == WHOLE:
        return numbers[0]
    mask = (1 << bits) - 1
    if operation == "concat":
        out = shift = 0
        for number, width in zip(numbers, parameters, strict=True):
            out |= number << shift
            shift += width
        return out
    if operation == "slice":
        return numbers[0] >> parameters[0] & mask
    if operation in _BINARY:
        return _BINARY[operation](numbers[0], numbers[1]) & mask
    if operation in _SIGNED:
        width = parameters[0] if parameters else bits
        return _SIGNED[operation](signed(numbers[0], width), signed(numbers[1], width)) & mask
    if operation in ("zext", "trunc"):
        return numbers[0] & mask
    if operation == "sext":
        return signed(numbers[0], parameters[0]) & mask
    if operation == "not":
        return ~numbers[0] & mask
    if operation in _FLOATS:
        return apply_floating(operation, bits, parameters, numbers)
    if operation in _DIVIDING:
        return _divided(operation, bits, numbers[0], numbers[1])
    return _shift(operation, bits, numbers[0], numbers[1])


def _divided(operation: str, bits: int, value: int, by: int) -> Value:
    if operation[0] == "s":
        value, by = signed(value, bits), signed(by, bits)
    if not by or (operation[0] == "s" and by == -1 and value == -1 << bits - 1):
        return UNDEF
    return _DIVIDING[operation](value, by) & (1 << bits) - 1


def _shift(operation: str, bits: int, value: int, amount: int) -> Value:
    if amount >= bits:
        return UNDEF
    mask = (1 << bits) - 1
    if operation == "shl":
        return value << amount & mask
    if operation == "lshr":
        return value >> amount
    if operation == "ashr":
        return signed(value, bits) >> amount & mask
    raise AssertionError(f"no operation {operation}")
