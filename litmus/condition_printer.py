"""Conditions and what they ask about, as text."""

from __future__ import annotations

from axmem.litmus.syntax import (
    AddressOf,
    Both,
    Condition,
    Either,
    FinalValue,
    IntegerOperation,
    Not,
    Observable,
    Operand,
    RegisterOf,
    Truth,
    UndefValue,
    ValueComparison,
    VectorOf,
)
from axmem.litmus.values import natural, register_text, value_text


def observable_text(observable: Observable) -> str:
    """Return `P0:r0[1]` or `x[1]`."""
    index = "" if observable.index is None else f"[{observable.index}]"
    if isinstance(observable, RegisterOf):
        return f"{observable.thread}:{register_text(observable.register)}{index}"
    return f"{observable.location}{index}"


def operand_text(operand: Operand) -> str:
    """Return what a condition compares: an observable or a value, without types."""
    if isinstance(operand, RegisterOf | FinalValue):
        return observable_text(operand)
    if isinstance(operand, VectorOf):
        return f"{{{','.join(operand_text(e) for e in operand.elements)}}}"  # type: ignore[arg-type]
    if isinstance(operand, IntegerOperation):
        base, offset = operand.operands
        assert isinstance(base, AddressOf)
        return f"&{base.location}+{value_text(offset, offset.type)}"
    assert natural(operand) is not None or operand.type is not None
    if operand.type is not None and operand.type.pointer is not None and not isinstance(operand, AddressOf):
        return "undef" if isinstance(operand, UndefValue) else "0"
    return value_text(operand, operand.type).replace(" ", "")


_LEVEL = {Either: 0, Both: 1, Not: 2, Truth: 3, ValueComparison: 3}


def condition_text(condition: Condition, outer: int = 0) -> str:
    """Return a condition as text, in parentheses if it binds more loosely than `outer` asks for."""
    level = _LEVEL[type(condition)]
    match condition:
        case Truth(value=value):
            text = "true" if value else "false"
        case Not(condition=inner):
            text = f"~{condition_text(inner, 2)}"
        case Both(left=left, right=right):
            text = f"{condition_text(left, 1)} /\\ {condition_text(right, 2)}"
        case Either(left=left, right=right):
            text = f"{condition_text(left, 0)} \\/ {condition_text(right, 1)}"
        case ValueComparison(op=op, left=one, right=other):
            sign = op if op in ("=", "!=") else f" {op} "
            lanes = f"{condition.lanes.value} " if condition.lanes is not None else ""
            text = f"{lanes}{operand_text(one)}{sign}{operand_text(other)}"
    return f"({text})" if level < outer else text
