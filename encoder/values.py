"""Values and the expressions that compute them from what reads return.

A value is an integer, already wrapped to its width, or `UNDEF`. Expressions are scalar (a vector register is a tuple
of them) and refer to memory only through `ReadOf` one cell event, so both engines evaluate them alike. Arithmetic on
undef gives undef; an integer with any undefined byte is undefined as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, TypeAlias

from axmem.front.typing import override


class Undef(Enum):
    """The type of `UNDEF`, the one value that is not a number."""

    UNDEF = "undef"

    @override
    def __repr__(self) -> str:
        return "undef"


UNDEF: Final = Undef.UNDEF
Value: TypeAlias = int | Undef


@dataclass(frozen=True, slots=True)
class Constant:
    """A known value."""

    value: Value


@dataclass(frozen=True, slots=True)
class ReadOf:
    """What the read event with this index returns for its cell."""

    event: int


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation of `bits` result bits; `parameters` are as `apply_operation` says."""

    operation: str
    bits: int
    arguments: tuple[Expr, ...]
    parameters: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Pick:
    """The value of the arm that a choice takes (a register merged after a branch)."""

    choice: int
    arms: tuple[Expr, ...]


Expr: TypeAlias = Constant | ReadOf | Apply | Pick

ZERO = Constant(0)
DEPENDING = "depending"
"""The operation that returns its first argument and depends on the others (what decided a branch or a cmpxchg)."""


def signed(value: int, bits: int) -> int:
    """Read a wrapped value as a two's complement number."""
    return value - (1 << bits) if bits and value >> (bits - 1) & 1 else value


def _uinc_wrap(a: int, b: int) -> int:
    return 0 if a >= b else a + 1


def _udec_wrap(a: int, b: int) -> int:
    return b if a == 0 or a > b else a - 1


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


def apply_operation(operation: str, bits: int, parameters: tuple[int, ...], arguments: tuple[Value, ...]) -> Value:
    """Return the value of an operation.

    Shifts by the width or more give undef (LLVM: poison). `parameters`: for `concat` the widths of the arguments,
    lowest first; for `slice` the lowest bit taken; for `sext` and the signed comparisons the width of the operands.
    """
    if operation == "select":
        condition, yes, no = arguments
        return UNDEF if condition is UNDEF else yes if condition else no
    if operation == DEPENDING:
        return arguments[0]
    numbers = [a for a in arguments if a is not UNDEF]
    if len(numbers) != len(arguments):
        return UNDEF
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
    return _shift(operation, bits, numbers[0], numbers[1])


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


def apply(operation: str, bits: int, *arguments: Expr, parameters: tuple[int, ...] = ()) -> Expr:
    """Return the expression of an operation on `bits`-bit values, folded when every argument is known."""
    known = tuple([a.value for a in arguments if isinstance(a, Constant)])
    if len(known) == len(arguments):
        return Constant(apply_operation(operation, bits, parameters, known))
    return Apply(operation, bits, arguments, parameters)


def evaluate(expr: Expr, read: Callable[[int], Value], arm: Callable[[int], int | None]) -> Value:
    """Return the value of an expression, unsigned or UNDEF, from what reads return and which arm each choice takes.

    What depends on an arm that is not known (None) is undef.
    """
    match expr:
        case Constant(value):
            return value
        case ReadOf(event):
            return read(event)
        case Pick(choice, arms):
            taken = arm(choice)
            return UNDEF if taken is None else evaluate(arms[taken], read, arm)
        case Apply(operation, bits, arguments, parameters):
            values = tuple([evaluate(a, read, arm) for a in arguments])
            return apply_operation(operation, bits, parameters, values)


@lru_cache(maxsize=4096)
def reads_of(expr: Expr) -> frozenset[int]:
    """Return the read events on whose values the expression depends through its operands."""
    match expr:
        case ReadOf(event):
            return frozenset((event,))
        case Apply(arguments=parts) | Pick(arms=parts):
            return frozenset().union(*map(reads_of, parts))
    return frozenset()


def choices_of(expr: Expr) -> Iterator[int]:
    """Yield the choices that a `Pick` inside the expression asks for."""
    match expr:
        case Apply(arguments=parts):
            for part in parts:
                yield from choices_of(part)
        case Pick(choice, arms):
            yield choice
            for part in arms:
                yield from choices_of(part)


def possible_values(expr: Expr) -> frozenset[int] | None:
    """Return every number the expression can be (undef aside) whatever reads return, or None if that is not known.

    Enough to see through false dependencies (`r ^ r`), masks and comparisons in addresses.
    """
    match expr:
        case Constant(value):
            return frozenset() if value is UNDEF else frozenset((value,))
        case ReadOf():
            return None
        case Pick(arms=parts):
            return _union_of([possible_values(p) for p in parts])
        case Apply("depending", _, arguments):
            return possible_values(arguments[0])
        case Apply("select", _, (_, yes, no)):
            return _union_of([possible_values(yes), possible_values(no)])
        case Apply("xor" | "sub", _, (a, b)) if a == b:
            return frozenset((0,))
        case Apply("eq" | "ne" | "ult" | "ule" | "ugt" | "uge" | "slt" | "sle" | "sgt" | "sge"):
            return frozenset((0, 1))
        case Apply("and" | "mul", _, (a, b)) if ZERO in (a, b):
            return frozenset((0,))
        case Apply(operation, bits, arguments, parameters):
            sets = [possible_values(a) for a in arguments]
            return _combine(operation, bits, parameters, sets)
    return None


def _union_of(sets: list[frozenset[int] | None]) -> frozenset[int] | None:
    known = [s for s in sets if s is not None]
    return frozenset().union(*known) if len(known) == len(sets) else None


def _combine(
    operation: str, bits: int, parameters: tuple[int, ...], sets: list[frozenset[int] | None]
) -> frozenset[int] | None:
    """Apply an operation to sets of values; a mask of few bits bounds even an unknown operand."""
    known = [s for s in sets if s is not None]
    if operation == "and" and len(known) == 1 and all(m.bit_count() <= 4 for m in known[0]):
        return frozenset(sub for m in known[0] for sub in _submasks(m))
    if len(known) != len(sets):
        return None
    tuples: list[tuple[Value, ...]] = [()]
    for s in known:
        tuples = [(*t, v) for t in tuples for v in s]
        if len(tuples) > 256:
            return None
    values = (apply_operation(operation, bits, parameters, t) for t in tuples)
    return frozenset(v for v in values if v is not UNDEF)


def _submasks(mask: int) -> Iterator[int]:
    sub = mask
    while True:
        yield sub
        if not sub:
            return
        sub = (sub - 1) & mask
