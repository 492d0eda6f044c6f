"""Values and the expressions that compute them from what reads return.

A value is an integer, already wrapped to its width, or `UNDEF`. Expressions are scalar (a vector register is a tuple
of them) and refer to memory only through `ReadOf` one cell event, so both engines evaluate them alike. Arithmetic on
undef gives undef; an integer with any undefined byte is undefined as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeAlias

from axmem.front.records import dataclass
from axmem.litmus.arithmetic import DEPENDING as DEPENDING
from axmem.litmus.arithmetic import UNDEF as UNDEF
from axmem.litmus.arithmetic import Undef as Undef
from axmem.litmus.arithmetic import Value as Value
from axmem.litmus.arithmetic import apply_operation as apply_operation
from axmem.litmus.arithmetic import signed as signed


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
