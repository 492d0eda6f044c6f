"""The values of a test, and its arithmetic.

What goes in: the name of an operation of `axmem.litmus.terms.IntegerOperation`, widths and values. What comes out:
its value, an integer already wrapped to its width, or one with undef bits (`axmem.litmus.undef`). Bits are moved and
combined one by one; of arithmetic on undef it is known which of the lowest bits undef does not reach. Invariant: the
value may be all that the operation gives of the numbers that its arguments may be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from axmem.litmus.floats import BRAIN_UPDATES, FLOAT_CASTS, FLOAT_COMPARISONS, FLOATING, FURTHER, apply_floating
from axmem.litmus.undef import POISONED, free_bits, known_bits, partial
from axmem.litmus.undef import UNDEF as UNDEF
from axmem.litmus.undef import Undef as Undef
from axmem.litmus.undef import Value as Value

DEPENDING = "depending"
"""The operation that returns its first argument and depends on the others (what decided a branch or a cmpxchg)."""

GIVEN, POISON = "given", "poison"
"""The operations, of no arguments, that return a parameter of which nothing is known, and what is undef as a whole."""

DEFINED, DIFFERS = "defined", "differs"
"""The operations that return the first argument that is a number, and whether two numbers differ: undef from none."""

FROZEN = "frozen"
"""The operation that returns its first argument with bits of the second for those that are undef: of poison for all."""


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
"""The operation that returns its first argument if no other one is undef as a whole."""

BITWISE = frozenset({"and", "nand", "or", "xor", "not"})
"""The operations whose every bit depends on that bit of the arguments alone."""

STRICT = frozenset({*_BINARY, *_SIGNED, WHOLE, "concat", "slice", "zext", "trunc", "sext", "not"})
"""The operations that are undef as a whole where an argument is, and nowhere else."""

_TOLD = frozenset({"zext", "sext", "slt", "sle", "sgt", "sge"}) | FLOAT_COMPARISONS | FLOAT_CASTS
_ORDERS = frozenset({"ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"})
FLOATS = FLOATING.keys() | FURTHER.keys() | BRAIN_UPDATES.keys() | FLOAT_COMPARISONS | FLOAT_CASTS
"""Operations of floating point."""


def told(operation: str, width: int) -> tuple[int, ...]:
    """Return the parameters of an operation of the language whose operands have this width."""
    return (width,) if operation in _TOLD else ()


def apply_operation(operation: str, bits: int, parameters: tuple[int, ...], arguments: tuple[Value, ...]) -> Value:
    """Return the value of an operation.

    Shifts by the width or more are undef as a whole (LLVM: poison), and so are divisions that are none. `parameters`:
    for `concat` the widths of the arguments, lowest first; for `slice` the lowest bit taken; for `zext`, `sext`, the
    signed comparisons, and comparisons and conversions of floating point (`axmem.litmus.floats`) the width of the
    operands.
    """
    if operation == "select":
        return _selected(bits, *arguments)
    if operation == DEPENDING:
        return arguments[0]
    if operation == GIVEN:
        return UNDEF
    if operation == DEFINED:
        return next((a for a in arguments if isinstance(a, int)), UNDEF)
    if operation == FROZEN:
        value, number = arguments
        whole = (1 << bits) - 1
        return (known_bits(value) | number & free_bits(value)) & whole if isinstance(number, int) else UNDEF
    numbers = [a for a in arguments if isinstance(a, int)]
    if operation == DIFFERS:
        return int(len(numbers) == 2 and numbers[0] != numbers[1])
    if operation == POISON or POISONED in arguments:
        return POISONED
    if operation == WHOLE:
        return arguments[0]
    if len(numbers) != len(arguments):
        return _partly(operation, bits, parameters, arguments)
    mask = (1 << bits) - 1
    if operation == "concat":
        return _side_by_side(numbers, parameters)
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
    if operation in FLOATS:
        return apply_floating(operation, bits, parameters, numbers)
    if operation in _DIVIDING:
        return _divided(operation, bits, numbers[0], numbers[1])
    return _shift(operation, bits, numbers[0], numbers[1])


def _divided(operation: str, bits: int, value: int, by: int) -> Value:
    if operation[0] == "s":
        value, by = signed(value, bits), signed(by, bits)
    if not by or (operation[0] == "s" and by == -1 and value == -1 << bits - 1):
        return POISONED
    return _DIVIDING[operation](value, by) & (1 << bits) - 1


def _selected(bits: int, condition: Value, yes: Value, no: Value) -> Value:
    """Return one value or the other; of an undef condition what either may be, bit by bit."""
    if isinstance(condition, int):
        return yes if condition else no
    if POISONED in (condition, yes, no):
        return POISONED
    free = free_bits(yes) | free_bits(no) | (known_bits(yes) ^ known_bits(no))
    return partial(known_bits(yes), free, bits)


def _partly(operation: str, bits: int, parameters: tuple[int, ...], arguments: tuple[Value, ...]) -> Value:
    """Return the value of an operation on what is not undef as a whole, but has undef bits."""
    known, free = [known_bits(a) for a in arguments], [free_bits(a) for a in arguments]
    if operation in BITWISE:
        return _bit_by_bit(operation, bits, known, free)
    if operation == "concat":
        return partial(_side_by_side(known, parameters), _side_by_side(free, parameters), bits)
    if operation == "slice":
        return partial(known[0] >> parameters[0], free[0] >> parameters[0], bits)
    if operation == "trunc":
        return partial(known[0], free[0], bits)
    if operation == "zext":
        return partial(known[0], free[0] & (1 << (parameters[0] if parameters else bits)) - 1, bits)
    if operation == "sext":
        inner, width = (1 << parameters[0]) - 1, parameters[0]
        return partial(signed(known[0], width), signed(free[0] & inner, width), bits)
    if operation in ("shl", "lshr", "ashr"):
        return _shifted(operation, bits, known[0], free[0], arguments[1])
    if operation in ("eq", "ne"):
        differ = (known[0] ^ known[1]) & ~(free[0] | free[1])
        return int(operation == "ne") if differ else UNDEF
    if operation in _ORDERS:
        return _ordered(operation, parameters, arguments)
    if operation in DIVISIONS and free[1]:
        return POISONED
    if operation in ("add", "sub", "mul"):
        # A bit of the result rests on no higher ones of the arguments, and of a factor only as far as the other goes.
        reach = [_lowest(each) for each in free]
        if operation == "mul":
            reach = [each + min(_lowest(known[1 - k]), reach[1 - k]) for k, each in enumerate(reach)]
        return partial(_BINARY[operation](*known), -1 << min(bits, *reach), bits)
    return UNDEF


def _side_by_side(numbers: Sequence[int], widths: Sequence[int]) -> int:
    out = shift = 0
    for number, width in zip(numbers, widths, strict=True):
        out |= (number & (1 << width) - 1 if number < 0 else number) << shift
        shift += width
    return out


def _lowest(number: int) -> int:
    """Return the place of the lowest bit that is 1, of 0 one that no number has."""
    return (number & -number).bit_length() - 1 if number else 1 << 10


def _bit_by_bit(operation: str, bits: int, known: list[int], free: list[int]) -> Value:
    if operation == "not":
        return partial(~known[0], free[0], bits)
    (x, y), (f, g) = known, free
    if operation == "xor":
        return partial(x ^ y, f | g, bits)
    if operation == "or":
        return partial(x | y, (f | g) & ~(x | y), bits)
    least, most = x & y, (x | f) & (y | g)
    return partial(least if operation == "and" else ~least, most & ~least, bits)


def _shifted(operation: str, bits: int, known: int, free: int, amount: Value) -> Value:
    """Return a value with undef bits shifted; by an amount with some it may be shifted too far."""
    if not isinstance(amount, int) or amount >= bits:
        return POISONED
    if operation == "shl":
        return partial(known << amount, free << amount, bits)
    whole = (1 << bits) - 1
    turned = [signed(each & whole, bits) if operation == "ashr" else each & whole for each in (known, free)]
    return partial(turned[0] >> amount, turned[1] >> amount, bits)


def _ordered(operation: str, parameters: tuple[int, ...], arguments: tuple[Value, ...]) -> Value:
    """Return the order of two values where what may be least and greatest of them decides it."""
    if UNDEF in arguments:
        return UNDEF
    sign = 1 << parameters[0] - 1 if operation in _SIGNED else 0
    ends = [(known_bits(a) ^ sign & ~free_bits(a), free_bits(a)) for a in arguments]
    compare = _BINARY["u" + operation[1:]]
    (a, f), (b, g) = ends
    found = {compare(a, b | g), compare(a | f, b)}
    return found.pop() if len(found) == 1 else UNDEF


def _shift(operation: str, bits: int, value: int, amount: int) -> Value:
    if amount >= bits:
        return POISONED
    mask = (1 << bits) - 1
    if operation == "shl":
        return value << amount & mask
    if operation == "lshr":
        return value >> amount
    if operation == "ashr":
        return signed(value, bits) >> amount & mask
    raise AssertionError(f"no operation {operation}")
