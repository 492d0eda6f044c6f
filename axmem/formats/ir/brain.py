"""Arithmetic of bfloats, which is that of floats whose lower half is zero.

What goes in: an operation on bfloats, and expressions of its operands, integers of 16 bits. What comes out: an
expression of the test language. Invariant: results are rounded once. A float has more than twice the digits of a
bfloat, and two more, so that rounding the float that a sum, product or quotient is gives the nearest bfloat.
"""

from __future__ import annotations

from axmem.formats.ir.syntax import Instruction
from axmem.formats.ir.types import IRType, value_type
from axmem.litmus.floats import FLOAT_UPDATES, FORMATS
from axmem.litmus.syntax import Element, Expr, IntegerOperation, Number, Type, UndefValue, VectorOf

NAME = "bfloat"
HALF = 16
"""So many bits a bfloat has, the upper ones of a float."""


def is_brain(type_: IRType) -> bool:
    """Say whether a type is bfloat or a vector of them."""
    return (type_.element or type_).name == NAME if type_.kind == "vector" else type_.name == NAME


def computed(instruction: Instruction, operation: str, operands: tuple[Expr, ...]) -> Expr | None:
    """Return the result of an operation of which an operand or the result is a bfloat; None if that is not known."""
    own, result = instruction.operands[0].type, instruction.type
    wide, narrow = Type(2 * HALF, own.count if own.kind == "vector" else 0), value_type(result)
    span = instruction.span
    if operation in ("fneg", "fabs") and is_brain(own):
        word, mask = ("xor", 1 << HALF - 1) if operation == "fneg" else ("and", (1 << HALF - 1) - 1)
        return IntegerOperation(word, (operands[0], _number(mask, Type(HALF, wide.lanes))), span=span)
    if is_brain(own):
        operands = tuple(_widened(each, wide) for each in operands)
    if operation == "fpext" and narrow is not None and not is_brain(result):
        return operands[0] if narrow.bits == wide.bits else IntegerOperation(operation, operands, narrow, span)
    if operation.startswith("fcmp "):
        return IntegerOperation(operation, operands, span=span)
    if operation == "fptrunc":
        return _narrowed(operands[0], wide) if _lane_bits(own) == FORMATS["float"] else None
    if operation in ("fadd", "fsub", "fmul", "fdiv", *FLOAT_UPDATES):
        return _narrowed(IntegerOperation(operation, operands, span=span), wide)
    return None


def _lane_bits(type_: IRType) -> int:
    return (type_.element or type_).bits if type_.kind == "vector" else type_.bits


def _number(value: int, type_: Type) -> Expr:
    number = Number(value, type_.element)
    return VectorOf((number,) * type_.lanes) if type_.lanes else number


def _widened(value: Expr, wide: Type) -> Expr:
    """Return a bfloat as the float that it is."""
    return IntegerOperation("shl", (IntegerOperation("zext", (value,), wide), _number(HALF, wide)))


def _narrowed(value: Expr, wide: Type) -> Expr:
    """Return the bfloat that is nearest to a float, ties to even; of a NaN undef. A condition has no lanes."""
    if wide.lanes:
        return VectorOf(tuple(_narrowed(Element(value, index), wide.element) for index in range(wide.lanes)))
    upper = IntegerOperation("lshr", (value, _number(HALF, wide)))
    half = IntegerOperation(
        "add", (_number((1 << HALF - 1) - 1, wide), IntegerOperation("and", (upper, _number(1, wide))))
    )
    rounded = IntegerOperation("lshr", (IntegerOperation("add", (value, half)), _number(HALF, wide)))
    found = IntegerOperation("trunc", (rounded,), Type(HALF))
    return IntegerOperation("select", (IntegerOperation("fcmp uno", (value, value)), UndefValue(), found))
