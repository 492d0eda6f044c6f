"""What a function says beyond what a test can, taken away where that is one case of it.

What goes in: a function. What comes out: the function with atomic accesses aligned to their size, and with memory of
address spaces that a test does not know in global memory, and with the answers to which address space the pointers of
parameters are into; and what was taken for granted. Invariant: the result does
what the function does in one of the cases that it has: pointers may be aligned, and address spaces of a target that
nothing is known of hold memory as any other.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.formats.ir.flow import FunctionFlow
from axmem.formats.ir.syntax import ConstantExpression, Function, Instruction, Operand, Value
from axmem.formats.ir.types import IRType, size
from axmem.front.records import replace
from axmem.litmus.spelling import NUMBERED_SPACES
from axmem.litmus.syntax import Number, Ordering

GLOBAL = 1
SPACES = {"llvm.amdgcn.is.private": 5, "llvm.amdgcn.is.shared": 3}
"""Intrinsics that ask whether a generic pointer is into an address space, and into which."""


def plain(function: Function) -> tuple[Function, tuple[str, ...]]:
    """Return a function that a test can say more of, and what was taken for granted of it."""
    work = _Plain()
    function = _asked_spaces(function)
    parameters = tuple(replace(each, type=work.type(each.type)) for each in function.parameters)
    blocks = tuple(
        replace(block, instructions=tuple(map(work.instruction, block.instructions))) for block in function.blocks
    )
    found = replace(function, parameters=parameters, blocks=blocks, result=work.type(function.result))
    return found, tuple(dict.fromkeys(work.assumed))


def _asked_spaces(function: Function) -> Function:
    """Return a function in which `is.private` and `is.shared` of pointers from a known address space are constants."""
    flow = FunctionFlow(function)
    spaces = {each.name: each.type.space for each in function.parameters}

    def known(each: Instruction) -> Instruction:
        asked = SPACES.get(each.callee)
        if asked is None:
            return each
        found = {0 if root.variable else spaces.get(root.name, 0) for root in flow.roots(each.operands[0].value)}
        if len(found) != 1 or found == {0}:
            return each
        truth = Operand(each.type, Number(int(found == {asked})))
        return replace(each, operation="bitcast", callee="", operands=(truth,))

    if not any(each.callee in SPACES for each in flow.instructions):
        return function
    blocks = (replace(block, instructions=tuple(map(known, block.instructions))) for block in function.blocks)
    return replace(function, blocks=tuple(blocks))


class _Plain:
    def __init__(self) -> None:
        self.assumed: list[str] = []

    def instruction(self, each: Instruction) -> Instruction:
        """Return an instruction whose types a test knows, and whose alignment it can say."""
        operands = tuple(map(self.operand, each.operands))
        indices = tuple(self.space(n) for n in each.indices) if each.operation == "alloca" else each.indices
        return replace(
            each, operands=operands, type=self.type(each.type), mode=self.aligned(each).mode, indices=indices
        )

    def aligned(self, each: Instruction) -> Instruction:
        """Return an atomic access that is aligned to its size."""
        accessed = each.operands[0 if each.operation == "store" else 1].type if len(each.operands) > 1 else each.type
        atomic = each.mode.ordering is not Ordering.NOT_ATOMIC
        if each.mode.align is None or not atomic or not accessed.sized or each.mode.align >= size(accessed):
            return each
        self.assumed.append("pointers are aligned to the atomic accesses through them")
        return replace(each, mode=replace(each.mode, align=None))

    def operand(self, operand: Operand) -> Operand:
        """Return an operand whose type a test knows."""
        return replace(operand, type=self.type(operand.type), value=self.value(operand.value))

    def value(self, value: Value) -> Value:
        """Return a value whose types a test knows."""
        if not isinstance(value, ConstantExpression):
            return value
        type_ = None if value.type is None else self.type(value.type)
        return replace(value, type=type_, operands=tuple(map(self.operand, value.operands)))

    def type(self, type_: IRType) -> IRType:
        """Return a type without address spaces that a test does not know."""
        if type_.kind == "ptr":
            return replace(type_, space=self.space(type_.space))
        element = None if type_.element is None else self.type(type_.element)
        return replace(type_, element=element, fields=tuple(self.types(type_.fields)))

    def types(self, types: Iterable[IRType]) -> Iterable[IRType]:
        """Return types without address spaces that a test does not know."""
        return map(self.type, types)

    def space(self, number: int) -> int:
        """Return an address space that a test knows."""
        if number in NUMBERED_SPACES:
            return number
        self.assumed.append(f"memory in address space {number} is as that in global memory")
        return GLOBAL
