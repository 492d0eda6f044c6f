"""A function whose parameters have values: what follows from these is computed.

What goes in: a function, and numbers for parameters. What comes out: the function with numbers in the place of these
parameters and of what integer instructions make of numbers alone; branches on them go one way. Invariant: a result
that is poison or undef is not computed, so that it stays what it is.
"""

from __future__ import annotations

from collections.abc import Mapping

from axmem.formats.ir.inlining import executed
from axmem.formats.ir.instructions import DIVISIONS
from axmem.formats.ir.syntax import Block, Constant, Function, Instruction, Operand, Value
from axmem.front.records import replace
from axmem.litmus.arithmetic import apply_operation, told
from axmem.litmus.spelling import ARITHMETIC, COMPARISONS
from axmem.litmus.syntax import Number, Register
from axmem.litmus.undef import UNDEF

_CASTS = ("zext", "sext", "trunc")


def folded(function: Function, given: Mapping[str, int]) -> Function:
    """Return a function with numbers for some of its parameters, without what is then never executed."""
    known: dict[str, Value] = {name: Number(value) for name, value in given.items()}
    while True:
        before = len(known)
        blocks = tuple(_block(block, known) for block in function.blocks)
        leads = {block.name: block.instructions[-1].targets for block in blocks}
        function = executed(replace(function, blocks=tuple(_entered(block, leads) for block in blocks)))
        if len(known) == before:
            return function


def _block(block: Block, known: dict[str, Value]) -> Block:
    kept = []
    for instruction in block.instructions:
        each = replace(instruction, operands=tuple(_operand(o, known) for o in instruction.operands))
        value = _value(each)
        if value is not None and each.result:
            known[each.result] = value
        else:
            kept.append(_terminator(each))
    return replace(block, instructions=tuple(kept))


def _entered(block: Block, leads: Mapping[str, tuple[str, ...]]) -> Block:
    """Return a block whose phis have values only from blocks that lead to it."""
    kept = []
    for each in block.instructions:
        if each.operation == "phi":
            pairs = [p for p in zip(each.operands, each.targets, strict=True) if block.name in leads.get(p[1], ())]
            each = replace(each, operands=tuple(o for o, _ in pairs), targets=tuple(t for _, t in pairs))
        kept.append(each)
    return replace(block, instructions=tuple(kept))


def _operand(operand: Operand, known: Mapping[str, Value]) -> Operand:
    value = operand.value
    if isinstance(value, Register) and value.name in known:
        return replace(operand, value=known[value.name])
    if isinstance(value, Constant) and value.operands:
        return replace(operand, value=replace(value, operands=tuple(_operand(o, known) for o in value.operands)))
    return operand


def _value(instruction: Instruction) -> Value | None:
    """Return what an instruction computes of numbers alone."""
    operation, operands = instruction.operation, instruction.operands
    if operation == "phi" and operands:
        first = operands[0].value
        return first if isinstance(first, Number) and all(each.value == first for each in operands) else None
    if any(each.type.kind != "int" for each in operands) or instruction.words[1:]:
        return None
    if operation == "select" and isinstance(operands[0].value, Number):
        return operands[1 if operands[0].value.value & 1 else 2].value
    numbers = [each.value.value for each in operands if isinstance(each.value, Number)]
    if not numbers or len(numbers) != len(operands) or operation in DIVISIONS:
        return None
    if operation == "freeze":
        return operands[0].value
    bits = operands[0].type.bits
    numbers = [number & (1 << bits) - 1 for number in numbers]
    if operation == "icmp" and instruction.words[0] in COMPARISONS:
        operation = instruction.words[0]
    elif instruction.words or not (operation in ARITHMETIC or operation in _CASTS):
        return None
    width = instruction.type.bits
    found = apply_operation(operation, width, told(operation, bits), tuple(numbers))
    return None if found is UNDEF else Number(int(found))


def _terminator(instruction: Instruction) -> Instruction:
    """Return a branch on a number as one without a condition."""
    operands = instruction.operands
    if instruction.operation not in ("br", "switch") or not operands or not isinstance(operands[0].value, Number):
        return instruction
    chosen = operands[0].value.value & (1 << operands[0].type.bits) - 1
    target = instruction.targets[0 if instruction.operation == "switch" or chosen else 1]
    for case, where in zip(operands[1:], instruction.targets[1:], strict=False):
        if isinstance(case.value, Number) and case.value.value & (1 << operands[0].type.bits) - 1 == chosen:
            target = where
    loop = instruction.loop
    return Instruction("br", targets=(target,), loop=loop, span=instruction.span)
