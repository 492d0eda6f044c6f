"""Expressions of constants.

What goes in: typed scalar expressions. What comes out: the number that one is, or the expression with its constant
parts computed. Invariant: no answer where something is undef or not known.
"""

from __future__ import annotations

from collections.abc import Callable

from axmem.litmus.arithmetic import apply_operation, told
from axmem.litmus.registers import substituted
from axmem.litmus.spelling import COMPARISONS
from axmem.litmus.syntax import I1, I32, Expr, IntegerOperation, Number, Register, Type

Known = Callable[[str], Expr | None]
"""What stands for a register; None: the register itself."""


def number_of(expr: Expr) -> int | None:
    """Return the number that an expression is, wrapped to its width; None if it is not known."""
    match expr:
        case Number(value=value, type=type_) if type_ is None or not type_.lanes:
            return int(value) % (1 << (type_ or I32).bits)
        case IntegerOperation(name=name, operands=operands, type=type_) if not (type_ or I32).lanes:
            numbers = [number_of(operand) for operand in operands]
            known = tuple(number for number in numbers if number is not None)
            if len(known) < len(numbers):
                return None
            parameters = told(name, (operands[0].type or I32).bits)
            found = apply_operation(name, (type_ or I32).bits, parameters, known)
            return found if isinstance(found, int) else None
    return None


def folded(expr: Expr, known: Known = lambda _: None) -> Expr:
    """Return an expression in which what is known stands for registers, and numbers for what constants decide."""

    def stands(register: Register) -> Expr:
        found = known(register.name)
        return register if found is None else found

    new = substituted(expr, stands)
    return _folded(new)


def _folded(expr: Expr) -> Expr:
    if not isinstance(expr, IntegerOperation):
        return expr
    new = IntegerOperation(expr.name, tuple(map(_folded, expr.operands)), expr.type, expr.span)
    number = number_of(new)
    if number is not None:
        return Number(number, expr.type or I32)
    if new.name == "select" and (taken := number_of(new.operands[0])) is not None:
        return new.operands[1 if taken else 2]
    if new.name in ("add", "sub") and number_of(new.operands[1]) == 0:
        return new.operands[0]
    return new


def operation(name: str, left: Expr, right: Expr | int) -> Expr:
    """Return a binary operation on scalars of the left one's type, with its constant parts computed."""
    type_ = left.type or I32
    other = Number(right % (1 << type_.bits), type_) if isinstance(right, int) else right
    return _folded(IntegerOperation(name, (left, other), I1 if name in COMPARISONS else type_))


def constant(value: int, type_: Type | None = None) -> Number:
    """Return a number, wrapped to its type (i32)."""
    shown = type_ or I32
    return Number(value % (1 << shown.bits), shown)
