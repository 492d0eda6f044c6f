"""What a function promises beside what it does: metadata of its instructions, attributes of it and of its calls.

What goes in: a function with its module. What comes out: `Promise`s, each with what it is of: a parameter, an
instruction whatever its registers are called, or the memory of an access.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.formats.ir.attributes import by_attributes
from axmem.formats.ir.carried import carried
from axmem.formats.ir.flow import ADDRESSED, FunctionFlow
from axmem.formats.ir.folding import without_slots
from axmem.formats.ir.opaque import value_text
from axmem.formats.ir.syntax import Function, Instruction, Module, Promise
from axmem.formats.ir.transfers import is_transfer
from axmem.litmus.syntax import Register

PARAMETER = "parameter"
"""What a promise of a parameter is of, before its index."""
_ACCESSED = ("nonnull", "align 1")
"""What is so of each pointer through which something is accessed."""
_OF_MEMORY = frozenset({"!amdgpu.no.fine.grained.memory", "!amdgpu.no.remote.memory", "!noalias.addrspace"})
"""Metadata of an access that promises something of the memory alone."""


def promises(module: Module, function: Function) -> Iterator[Promise]:
    """Yield what a function of a module promises."""
    for index, parameter in enumerate(function.parameters):
        for each in by_attributes(parameter.attributes):
            yield each._replace(of=(PARAMETER, str(index)))
    yield from by_attributes((*function.words, *function.attributes))
    of_memory = False
    for instruction in (i for block in function.blocks for i in block.instructions):
        groups = [word for name in instruction.words for word in module.groups.get(name, ())]
        for each in (*instruction.promises, *by_attributes(groups)):
            if each.shown in _ACCESSED and is_transfer(instruction.callee):
                continue
            if each.shown in _OF_MEMORY and instruction.operation in ADDRESSED:
                of_memory = True
            else:
                yield each._replace(of=what(instruction))
    if of_memory:
        yield from dict.fromkeys(_of_memory(function))


def _of_memory(function: Function) -> Iterator[Promise]:
    """Yield what accesses promise of the memory that they are of, whatever they do there.

    Pointers that memory of its own hands on are what they are.
    """
    flow = FunctionFlow(without_slots(carried(function)))
    positions = {parameter.name: at for at, parameter in enumerate(function.parameters)}
    for access in (i for i in flow.instructions if i.operation in ADDRESSED):
        roots = flow.accessed(access)
        there = sorted(r.name if r.variable else str(positions.get(r.name, access.operation)) for r in roots)
        for each in access.promises:
            if each.shown in _OF_MEMORY:
                yield each._replace(of=tuple(there))


def what(each: Instruction) -> tuple[str, ...]:
    """Return what an instruction is, whatever its registers are called."""
    fixed = (value_text(o.value) for o in each.operands if not isinstance(o.value, Register))
    return (each.operation, str(each.type), each.callee, *fixed)
