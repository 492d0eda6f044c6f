"""Functions of LLVM IR with other names, and with values in the place of names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from axmem.formats.ir.flow import used
from axmem.formats.ir.syntax import Block, ConstantExpression, Function, Instruction, Operand, Value
from axmem.front.records import replace
from axmem.litmus.syntax import Register


def renamed(function: Function, names: Mapping[str, str]) -> Function:
    """Return a function whose values and blocks have other names."""
    if all(old == new for old, new in names.items()):
        return function
    return rewritten(function, lambda name: names.get(name, name), {})


def rewritten(function: Function, name: Callable[[str], str], given: Mapping[str, Value]) -> Function:
    """Return a function whose values and blocks have other names, and with values in the place of some names."""

    def instruction(old: Instruction) -> Instruction:
        return replace(
            old, result=old.result and name(old.result), targets=tuple(map(name, old.targets)),
            operands=tuple(_operand(each, given, name) for each in old.operands), token=old.token and name(old.token),
            bundles=tuple(f"%{name(word[1:])}" if word[0] == "%" else word for word in old.bundles),
        )  # fmt: skip

    blocks = tuple(
        Block(name(block.name), tuple(map(instruction, block.instructions)), block.span) for block in function.blocks
    )
    return replace(function, blocks=blocks)


def with_values(each: Instruction, known: Mapping[str, Value]) -> Instruction:
    """Return an instruction with values in the place of some names."""
    if not any(name in known for name in used(each)):
        return each
    return replace(each, operands=tuple([_operand(o, known) for o in each.operands]))


def _operand(operand: Operand, known: Mapping[str, Value], name: Callable[[str], str] | None = None) -> Operand:
    value = operand.value
    if isinstance(value, Register):
        if value.name in known:
            return replace(operand, value=known[value.name])
        return replace(operand, value=replace(value, name=name(value.name))) if name else operand
    if isinstance(value, ConstantExpression) and value.operands:
        return replace(operand, value=replace(value, operands=tuple(_operand(o, known, name) for o in value.operands)))
    return operand
