"""A function whose parameters have values: what follows from these is computed.

What goes in: a function, and numbers for parameters. What comes out: the function with numbers in the place of these
parameters and of what integer instructions make of numbers alone; branches on them go one way. Invariant: a result
that is poison or undef is not computed, so that it stays what it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from axmem.formats.ir.flow import FunctionFlow, address
from axmem.formats.ir.inlining import executed
from axmem.formats.ir.mnemonics import DIVISIONS
from axmem.formats.ir.syntax import Block, ConstantExpression, Function, Instruction, Operand, Value
from axmem.formats.ir.types import VOID, integer
from axmem.front.records import replace
from axmem.litmus.arithmetic import apply_operation, told
from axmem.litmus.spelling import ARITHMETIC, COMPARISONS
from axmem.litmus.syntax import AddressOf, Number, Register, UndefValue
from axmem.litmus.undef import UNDEF

_CASTS = ("zext", "sext", "trunc")
_PURE = ARITHMETIC | {*_CASTS, "icmp", "select", "getelementptr", "freeze"}
_FLAGS = {"icmp": 1}
"""Behind how many words of an instruction its flags stand."""
FROZEN = 1
"""What undef is that was frozen."""


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


def thawed(function: Function, given: Mapping[str, int]) -> Function:
    """Return a function without `freeze` of what is no undef: of parameters that have numbers, or of addresses.

    A parameter without a number is undef; frozen, it is one number on both sides of a change.
    """
    undef = {p.name for p in function.parameters if p.type.kind != "ptr" and p.name not in given}
    made = {i.result: i for block in function.blocks for i in block.instructions if i.result}

    def settled(value: Value) -> bool:
        if isinstance(value, Register):
            each = made.get(value.name)
            if each is None:
                return value.name not in undef
            flags = each.words[_FLAGS.get(each.operation, 0) :]
            return not flags and each.operation in _PURE and all(settled(o.value) for o in each.operands)
        return isinstance(value, Number | AddressOf)

    def change(each: Instruction) -> Instruction:
        if each.operation != "freeze":
            return each
        (operand,) = each.operands
        if isinstance(operand.value, Register) and operand.value.name in undef and operand.type.kind == "int":
            return replace(each, operation="bitcast", operands=(replace(operand, value=Number(FROZEN)),))
        return replace(each, operation="bitcast") if settled(operand.value) else each

    return replace(
        function, blocks=tuple(replace(b, instructions=tuple(map(change, b.instructions))) for b in function.blocks)
    )


def severed(function: Function, null: Collection[str]) -> Function:
    """Return a function whose behaviour is undefined where it accesses memory through parameters that are null."""
    if not null:
        return function
    flow = FunctionFlow(function)
    blocks = []
    for block in function.blocks:
        accesses = (_through(each, flow) for each in block.instructions)
        cut = next((k for k, names in enumerate(accesses) if names and names <= {*null}), None)
        if cut is None:
            blocks.append(block)
            continue
        # A branch on undef is undefined behaviour; one of its arms returns, so that the function has a result.
        span, ends = block.instructions[cut].span, (f"{block.name}.ub", f"{block.name}.end")
        branch = Instruction("br", operands=(Operand(integer(1), UndefValue()),), targets=ends, span=span)
        value = () if function.result == VOID else (Operand(function.result, UndefValue()),)
        result = Instruction("ret", type=function.result, operands=value, span=span)
        blocks += [
            replace(block, instructions=(*block.instructions[:cut], branch)),
            Block(ends[0], (Instruction("unreachable", span=span),)), Block(ends[1], (result,)),
        ]  # fmt: skip
    leads = {block.name: block.instructions[-1].targets for block in blocks}
    return executed(replace(function, blocks=tuple(_entered(block, leads) for block in blocks)))


def _through(each: Instruction, flow: FunctionFlow) -> set[str]:
    """Return the values through which an instruction accesses memory."""
    return {root.name for root in flow.accessed(each)} if address(each) is not None else set()


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
    if isinstance(value, ConstantExpression) and value.operands:
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
