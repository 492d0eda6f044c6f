"""Vectors some lanes of which may be poison, and comparisons of vectors, one lane after the other.

What goes in: a function. What comes out: the function with an operation of each lane in the place of those of vectors
whose flags (`nsw`, `exact`, …) make poison, of comparisons, and of selections by several conditions. Invariant: a lane
is poison if its own operation makes it so.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.formats.ir.mnemonics import BINARY, CASTS
from axmem.formats.ir.syntax import Block, ConstantExpression, Function, Instruction, Operand, Value
from axmem.formats.ir.types import VOID, integer
from axmem.front.records import replace
from axmem.litmus.poison import POISONING
from axmem.litmus.syntax import Number, Register, UndefValue


def lanewise(function: Function) -> Function:
    """Return a function in which no operation makes poison of some lanes of a vector, or compares vectors."""
    if not any(_apart(each) for block in function.blocks for each in block.instructions):
        return function
    blocks = (
        Block(b.name, tuple(made for each in b.instructions for made in _lanes(each)), b.span) for b in function.blocks
    )
    return replace(function, blocks=tuple(blocks))


def _apart(each: Instruction) -> bool:
    if each.operation in ("icmp", "fcmp", "select"):
        return each.operands[0].type.kind == "vector"
    known = each.operation in BINARY or each.operation in CASTS
    return known and each.type.kind == "vector" and not POISONING.isdisjoint(each.words)


def _lanes(each: Instruction) -> Iterator[Instruction]:
    """Yield what an instruction is, lane by lane if need be."""
    if not _apart(each):
        yield each
        return
    whole = Operand(each.type, UndefValue(), each.span)
    for lane in range(each.type.count):
        operands = []
        for number, operand in enumerate(each.operands):
            type_ = operand.type.element or VOID
            if isinstance(operand.value, Register):
                name = f"{each.result}.lane{lane}.{number}"
                at = Operand(integer(64), Number(lane), each.span)
                yield Instruction("extractelement", name, type_, (operand, at), span=each.span)
                operands.append(Operand(type_, Register(name), each.span))
            else:
                value: Value = operand.value
                if isinstance(value, ConstantExpression) and value.operation == "aggregate":
                    value = value.operands[lane].value
                operands.append(Operand(type_, value, each.span))
        name, type_ = f"{each.result}.lane{lane}", each.type.element or VOID
        yield replace(each, result=name, type=type_, operands=tuple(operands))
        result = each.result if lane == each.type.count - 1 else f"{name}.whole"
        by = (whole, Operand(type_, Register(name), each.span), Operand(integer(64), Number(lane), each.span))
        yield Instruction("insertelement", result, each.type, by, span=each.span)
        whole = Operand(each.type, Register(result), each.span)
