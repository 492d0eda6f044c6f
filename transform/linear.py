"""Linear forms: integers as sums of the numbers of iterations and of registers that do not change.

What goes in: an expression, and what its registers are. What comes out: its linear form, or nothing where it has none.
Invariant: a form is equal to its expression as long as nothing wraps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from axmem.front.records import dataclass, field
from axmem.litmus.arithmetic import signed
from axmem.litmus.poison import unguarded
from axmem.litmus.syntax import I32, AddressOf, Expr, IntegerOperation, Register
from axmem.transform.constants import number_of

NARROW = 32
"""Arithmetic of fewer bits may wrap in a kernel that is not undefined, so it has no linear form."""


@dataclass(frozen=True, slots=True, order=True)
class Iteration:
    """The number of the iteration of a loop, which its header names; the first has 0."""

    header: str


@dataclass(frozen=True, slots=True, order=True)
class Unchanging:
    """A register that does not change."""

    register: str


@dataclass(frozen=True, slots=True, order=True)
class Start:
    """The address of a location."""

    location: str


Term: TypeAlias = Iteration | Unchanging | Start


@dataclass(frozen=True, slots=True)
class Linear:
    """`constant` plus each term times its coefficient, none of which is 0."""

    constant: int = 0
    terms: Mapping[Term, int] = field(default_factory=dict)

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """Return this form plus another times a factor."""
        terms = dict(self.terms)
        for term, coefficient in other.terms.items():
            terms[term] = terms.get(term, 0) + factor * coefficient
        kept = {term: coefficient for term, coefficient in terms.items() if coefficient}
        return Linear(self.constant + factor * other.constant, kept)

    def times(self, factor: int) -> Linear:
        """Return this form times a number."""
        return Linear().plus(self, factor)


Known = Callable[[str], Linear | None]
"""What a register is; None if that has no linear form."""


def linear(expr: Expr, known: Known) -> Linear | None:
    """Return the linear form of an integer or address."""
    if expr.type is not None and (expr.type.bits < NARROW or expr.type.lanes):
        return None
    expr = unguarded(expr)
    number = number_of(expr)
    if number is not None:
        return Linear(_signed(number, expr))
    match expr:
        case Register(name=name):
            return known(name)
        case AddressOf(location=location):
            return Linear(0, {Start(location): 1})
        case IntegerOperation(name="add" | "sub" as name, operands=(left, right)):
            a, b = linear(left, known), linear(right, known)
            return None if a is None or b is None else a.plus(b, 1 if name == "add" else -1)
        case IntegerOperation(name="mul" | "shl" as name, operands=(left, right)):
            return _scaled(name, left, right, known)
        case IntegerOperation(name="sext" | "zext", operands=(inner,)):
            return linear(inner, known)
    return None


def _scaled(name: str, left: Expr, right: Expr, known: Known) -> Linear | None:
    """Return the form of a product with a constant; of a shift the constant is the right operand."""
    if number_of(right) is None and name == "mul":
        left, right = right, left
    factor, form = number_of(right), linear(left, known)
    if factor is None or form is None:
        return None
    return form.times(1 << factor if name == "shl" else _signed(factor, right))


def _signed(number: int, expr: Expr) -> int:
    """Return a number as the signed one that it stands for."""
    return signed(number, (expr.type or I32).bits)
