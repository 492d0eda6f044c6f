"""How a function of LLVM IR uses its values: as addresses, before they are defined, as variables of its own."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from axmem.formats.ir.bodies import FunctionComments
from axmem.formats.ir.intrinsics import has_no_effect
from axmem.formats.ir.syntax import Function
from axmem.formats.ir.types import value_type
from axmem.litmus.syntax import Register
from axmem.litmus.words import Ordering

ADDRESS = {"load": 0, "store": 1, "atomicrmw": 0, "cmpxchg": 0, "getelementptr": 0, "addrspacecast": 0, "bitcast": 0}
"""Which operand of an instruction only says where memory is."""


def escaping(function: Function) -> set[str]:
    """Return the names of pointers that are used otherwise than to address memory."""
    found: set[str] = set()
    for block in function.blocks:
        for instruction in block.instructions:
            where = ADDRESS.get(instruction.operation)
            for index, operand in enumerate(instruction.operands):
                if isinstance(operand.value, Register) and index != where:
                    found.add(operand.value.name)
    return found


def used_early(function: Function, known: Iterable[str]) -> set[str]:
    """Return the results that are used before the text defines them, as phis of loops do; `known` are no results."""
    seen = set(known)
    results = {each.result for block in function.blocks for each in block.instructions}
    found = set()
    for block in function.blocks:
        for instruction in block.instructions:
            named = {o.value.name for o in instruction.operands if isinstance(o.value, Register)}
            found |= {name for name in named - seen if name in results}
            seen.add(instruction.result)
    return found


def promoted(function: Function) -> list[str]:
    """Return the allocas that are variables of the thread alone: stored and loaded as a whole, never named else."""
    allocas = [e for block in function.blocks for e in block.instructions if e.operation == "alloca"]
    types = {each.result: value_type(each.type) for each in allocas}
    found = {name for name, type_ in types.items() if type_ is not None and not type_.lanes}
    for block in function.blocks:
        for each in block.instructions:
            for index, operand in enumerate(each.operands):
                name = operand.value.name if isinstance(operand.value, Register) else ""
                if name in found and not has_no_effect(each.callee):
                    accessed = each.type if each.operation == "load" else each.operands[0].type
                    whole = each.operation in ("load", "store") and index == ADDRESS[each.operation]
                    plain = each.mode.ordering is Ordering.NOT_ATOMIC and not each.mode.volatile
                    if not (whole and plain and value_type(accessed) == types[name]):
                        found.discard(name)
    return [name for name in types if name in found]


def named_bits(function: Function, said: FunctionComments) -> dict[str, str]:
    """Return the registers that have the bits of numbers that updates return, by the temporary names of these."""
    found = {}
    for block in function.blocks:
        for update, cast in pairwise(block.instructions):
            if update.operation == "atomicrmw" and cast.operation == "bitcast" and said.is_temporary(update.result):
                value = cast.operands[0].value
                if isinstance(value, Register) and value.name == update.result:
                    found[update.result] = cast.result
    return found
