"""Calls that stop a program: what is asserted did not hold.

What goes in: a function without calls of defined functions. What comes out: the function with `unreachable` in the
place of such calls, so that to come there is a fault at their line. Invariant: nothing behind such a call is executed.
"""

from __future__ import annotations

from axmem.formats.ir.inlining import coming_from, executed
from axmem.formats.ir.syntax import Block, Function, Instruction
from axmem.front.records import replace

TRAPS = frozenset(
    {"llvm.trap", "llvm.ubsantrap", "abort", "__assert_fail", "__assertfail", "_ZSt9terminatev", "__cxa_pure_virtual"}
)
"""What is called where an assertion fails, by C's libraries, CUDA's and clang."""


def with_traps(function: Function) -> Function:
    """Return a function that stops where it says so."""
    found = {b.name: at for b in function.blocks for at, i in enumerate(b.instructions) if i.callee in TRAPS}
    if not found:
        return function
    blocks = tuple(_stopped(block) for block in function.blocks)
    left = {(b.name, target) for b in function.blocks if b.name in found for target in b.instructions[-1].targets}
    return executed(replace(function, blocks=tuple(_without(block, left) for block in blocks)))


def _stopped(block: Block) -> Block:
    """Return a block up to the first call that stops."""
    for at, each in enumerate(block.instructions):
        if each.callee in TRAPS:
            end = Instruction("unreachable", span=each.span)
            return replace(block, instructions=(*block.instructions[:at], end))
    return block


def _without(block: Block, left: set[tuple[str, str]]) -> Block:
    """Return a block whose phis take nothing from edges that are gone."""

    instructions = (
        coming_from(each, {name for name in each.targets if (name, block.name) not in left})
        for each in block.instructions
    )
    return replace(block, instructions=tuple(instructions))
