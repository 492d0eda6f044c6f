"""Ends of blocks that no test has, for questions that need no values: calls that may unwind, and branches that any
value decides.

What goes in: a function as it stands. What comes out: the function with a call and a branch that nobody knows in the
place of `invoke` and `callbr`, and a switch in that of `indirectbr` and `catchswitch`; what leaves the function by
unwinding returns. Invariant: the blocks and the edges between them are the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.syntax import Function, Instruction, Operand
from axmem.formats.ir.types import integer
from axmem.formats.ir.uses import repeats
from axmem.front.records import replace
from axmem.litmus.syntax import Number, Register, UndefValue

_CALLS = ("invoke", "callbr")
_LEAVING = ("resume", "cleanupret", "catchret")
_PADS = ("landingpad", "catchpad", "cleanuppad")
_BRANCHING = (*_CALLS, *_LEAVING, "catchswitch", "indirectbr")


def without_unwinding(function: Function) -> Function:
    """Return a function whose blocks end as those of a test. Raises `Unspeakable` for a loop of `indirectbr`."""
    everything = [each for block in function.blocks for each in block.instructions]
    if not any(each.operation in (*_BRANCHING, *_PADS) for each in everything):
        return function
    blocks = []
    for block in function.blocks:
        last = block.instructions[-1]
        if last.operation == "indirectbr" and any(repeats(function, each) for each in (block.name, *last.targets)):
            message = "a loop in which 'indirectbr' stands, or into which it goes, is not followed"
            raise Unspeakable(last.span, message, "LLVM transforms no such loop: leave it out")
        inside = tuple(each for each in block.instructions if each.operation not in (*_BRANCHING, *_PADS))
        if last.operation in _BRANCHING:
            inside += tuple(_meant(last, block.name))
        blocks.append(replace(block, instructions=inside))
    return replace(function, blocks=tuple(blocks))


def _meant(last: Instruction, block: str) -> Iterator[Instruction]:
    """Yield what stands for the end of a block."""
    if last.operation in _CALLS:
        yield replace(last, operation="call", targets=())
    if not last.targets:
        yield Instruction("ret", span=last.span)
    elif len(last.targets) == 1:
        yield Instruction("br", targets=last.targets, span=last.span)
    else:
        name, type_ = f"{block}.goes", integer(1 if len(last.targets) == 2 else 32)
        yield Instruction("freeze", name, type_, (Operand(type_, UndefValue()),), span=last.span)
        chosen = Operand(type_, Register(name), last.span)
        numbers = tuple(Operand(type_, Number(n), last.span) for n in range(1, len(last.targets)))
        two = len(last.targets) == 2
        operands = (chosen,) if two else (chosen, *numbers)
        yield Instruction("br" if two else "switch", operands=operands, targets=last.targets, span=last.span)
