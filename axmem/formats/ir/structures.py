"""Structures as values: their fields, each a value of its own.

What goes in: insertvalue and extractvalue of structures of scalars, what a cmpxchg gives, and what a function returns.
What comes out: the fields as expressions; a structure that is returned is a vector of its fields, each of as many bits
as the widest. No memory of a test holds a structure: what else is done with one is an error at its place.
"""

from __future__ import annotations

from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.syntax import ConstantExpression, Instruction, Operand
from axmem.formats.ir.values import Values, type_of
from axmem.litmus.syntax import Element, Expr, IntegerOperation, Register, Type, UndefValue, VectorOf


class Structures:
    """The structures of one function, by the names of the values."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.fields: dict[str, tuple[Expr, ...]] = {}
        self.pairs: set[str] = set()

    def of(self, operand: Operand) -> tuple[Expr, ...]:
        """Return the fields of a structure. Raises `Unspeakable`."""
        value, count = operand.value, len(operand.type.fields)
        if isinstance(value, UndefValue):
            return (UndefValue(span=value.span),) * count
        if isinstance(value, ConstantExpression) and value.operation == "aggregate":
            return tuple(map(self.values.expr, value.operands))
        if isinstance(value, Register) and value.name in self.fields:
            return self.fields[value.name]
        if isinstance(value, Register) and value.name in self.pairs:
            pair = self.values.expr(operand)
            return tuple(Element(pair, index, span=operand.span) for index in range(count))
        raise Unspeakable(operand.span, "this structure has no meaning in a test", "only those of scalars that are set")

    def insert(self, instruction: Instruction) -> None:
        """Note what an insertvalue gives."""
        whole, part = instruction.operands
        if whole.type.kind != "struct" or len(instruction.indices) != 1:
            hint = "structures of structures, and arrays, are no values of a test"
            raise Unspeakable(instruction.span, "'insertvalue' has no meaning in a test", hint)
        found = list(self.of(whole))
        found[instruction.indices[0]] = self.values.expr(part)
        self.fields[instruction.result] = tuple(found)

    def extract(self, instruction: Instruction) -> Expr:
        """Return a field."""
        (whole,) = instruction.operands
        if whole.type.kind != "struct" or len(instruction.indices) != 1:
            hint = "structures of structures, and arrays, are no values of a test"
            raise Unspeakable(instruction.span, "'extractvalue' has no meaning in a test", hint)
        return self.of(whole)[instruction.indices[0]]

    def returned(self, operand: Operand) -> Expr:
        """Return a structure as a vector."""
        types = [type_of(each, operand.span) for each in operand.type.fields]
        if any(each.lanes or each.pointer is not None for each in types):
            raise Unspeakable(operand.span, f"a function of a test returns no {operand.type}", "scalars and vectors")
        widest = Type(max((each.bits for each in types), default=32))
        pairs = zip(self.of(operand), types, strict=True)
        return VectorOf(tuple(_widened(each, type_, widest) for each, type_ in pairs), span=operand.span)


def _widened(value: Expr, type_: Type, wide: Type) -> Expr:
    if isinstance(value, UndefValue):
        return UndefValue(wide, span=value.span)
    if type_ == wide:
        return value
    return IntegerOperation("zext", (value,), wide, value.span)
