"""Large memory of a function as memory of which as much is there as the function reaches.

What goes in: a function whose calls are messages already. What comes out: the function with variables in the place of
allocas that no location could hold. Invariant: what nobody has stored there is undef, as in an alloca; the initial
value has the type of the alloca, beyond which nothing is accessed; what is allocated more than once stays an alloca.
"""

from __future__ import annotations

from axmem.formats.ir.folding import substituted
from axmem.formats.ir.memory import Unspeakable, memory_type, space_of
from axmem.formats.ir.opaque import Opened
from axmem.formats.ir.syntax import Global, Instruction, Operand
from axmem.formats.ir.types import VOID
from axmem.front.records import replace
from axmem.litmus.syntax import AddressOf, AddressSpace, UndefValue

ROOMY = ".room"
"""How the name of a variable ends that stands for a large alloca."""


def roomy(found: Opened) -> Opened:
    """Return a function without allocas that no location could hold."""
    memory, given = dict(found.memory), dict[str, AddressOf]()
    for each in found.function.blocks[0].instructions:
        if each.operation == "alloca" and each.type.sized and not _fits(each):
            name = f"{each.result}{ROOMY}"
            memory[name] = Global(name, VOID, 0, Operand(each.type, UndefValue()), (), each.span)
            given[each.result] = AddressOf(name, span=each.span)
    if not given:
        return found
    blocks = (
        replace(b, instructions=tuple(i for i in b.instructions if i.result not in given))
        for b in found.function.blocks
    )
    function = replace(found.function, blocks=tuple(substituted(block, given) for block in blocks))
    return replace(found, function=function, memory=memory)


def _fits(alloca: Instruction) -> bool:
    """Say whether a location can hold what is allocated, or none of a test can."""
    if space_of(alloca.indices[0], alloca.span) is AddressSpace.PRIVATE:
        return True
    try:
        memory_type(alloca.type, alloca.span)
    except Unspeakable:
        return False
    return True
