"""Calls of functions that a module defines, put in place of the calls.

What goes in: a function. What comes out: a function without such calls: the blocks of what is called stand where the
call was, with names of their own (`callee.x`, a second time `callee.2.x`). A function that calls itself is an error at
the call.
"""

from __future__ import annotations

from collections.abc import Container

from axmem.formats.ir.blocks import reached, successors
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.renaming import rewritten
from axmem.formats.ir.syntax import Block, Function, Instruction, Module, Parameter
from axmem.formats.ir.types import VOID
from axmem.front.output import counted
from axmem.front.records import replace

MOST_INSTRUCTIONS = 100_000
"""A function that grows beyond this is no test."""
CHANGING = ("byval", "inalloca", "preallocated")
"""Attributes of parameters that change what a call passes."""


def inlined(module: Module, function: Function) -> Function:
    """Return a function in which no call of a defined function is left. Raises `Unspeakable`."""
    return _Inlining(module).function(function, ())


def called(module: Module) -> set[str]:
    """Return the names of the functions that some function of a module calls."""
    return {i.callee for f in module.functions.values() for b in f.blocks for i in b.instructions if i.callee}


class _Inlining:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.times: dict[str, int] = {}
        self.done: dict[str, Function] = {}
        self.count = 0

    def function(self, function: Function, within: tuple[str, ...]) -> Function:
        if function.name in self.done:
            return self.done[function.name]
        blocks: list[Block] = []
        renamed: dict[str, str] = {}
        for block in function.blocks:
            name, inside = block.name, []
            for instruction in block.instructions:
                callee = self.module.functions.get(instruction.callee)
                if callee is None or not callee.blocks:
                    inside.append(instruction)
                    continue
                body = self.callee(instruction, callee, (*within, function.name))
                name, inside = self.splice(blocks, Block(name, tuple(inside), block.span), instruction, body)
            blocks.append(Block(name, tuple(inside), block.span))
            if name != block.name:
                renamed[block.name] = name
        found = replace(function, blocks=tuple(_with_sources(block, renamed) for block in blocks))
        self.done[function.name] = found
        return found

    def callee(self, call: Instruction, callee: Function, within: tuple[str, ...]) -> Function:
        """Return what a call executes, with names of its own and the arguments in place of the parameters."""
        if callee.name in within:
            hint = "a test has no recursion: its threads have loops"
            raise Unspeakable(call.span, f"'@{callee.name}' calls itself", hint)
        if len(call.operands) != len(callee.parameters):
            message = f"'@{callee.name}' takes {counted(len(callee.parameters), 'argument')}, not {len(call.operands)}"
            raise Unspeakable(call.span, message)
        for parameter in callee.parameters:
            refuse_changing(parameter)
        body = self.function(callee, within)
        self.count += sum(len(block.instructions) for block in body.blocks)
        if self.count > MOST_INSTRUCTIONS:
            raise Unspeakable(call.span, f"the calls grow to more than {MOST_INSTRUCTIONS} instructions")
        times = self.times[callee.name] = self.times.get(callee.name, 0) + 1
        prefix = f"{callee.name}." if times == 1 else f"{callee.name}.{times}."
        given = {p.name: o.value for p, o in zip(callee.parameters, call.operands, strict=True)}
        return replace(rewritten(body, lambda name: prefix + name, given), name=prefix.rstrip("."))

    def splice(
        self, blocks: list[Block], before: Block, call: Instruction, body: Function
    ) -> tuple[str, list[Instruction]]:
        """Add a body behind what stands before a call; return the block that goes on, and what it begins with."""
        returns = [(b.name, b.instructions[-1]) for b in body.blocks if b.instructions[-1].operation == "ret"]
        if len(body.blocks) == 1 and returns:
            inside = [*before.instructions, *body.blocks[0].instructions[:-1]]
            return before.name, inside + _result(call, returns)
        first = Instruction("br", targets=(body.blocks[0].name,), span=call.span)
        blocks.append(replace(before, instructions=(*before.instructions, first)))
        end, taken = f"{body.name}.end", {block.name for block in body.blocks}
        while end in taken:
            end += "_"
        for block in body.blocks:
            last = block.instructions[-1]
            if last.operation == "ret":
                last = Instruction("br", targets=(end,), span=last.span)
            blocks.append(replace(block, instructions=(*block.instructions[:-1], last)))
        return end, _result(call, returns)


def executed(function: Function) -> Function:
    """Return a function without the blocks to which no branch leads, and phis without what would come from them."""
    leads = successors(function)
    kept = reached(leads, [function.blocks[0].name]) & leads.keys()
    if len(kept) == len(leads):
        return function
    blocks = tuple(
        replace(block, instructions=tuple(coming_from(each, kept) for each in block.instructions))
        for block in function.blocks
        if block.name in kept
    )
    return replace(function, blocks=blocks)


def coming_from(instruction: Instruction, blocks: Container[str]) -> Instruction:
    """Return an instruction, if it is a phi with those of its values alone that come from some blocks."""
    if instruction.operation != "phi":
        return instruction
    pairs = zip(instruction.operands, instruction.targets, strict=True)
    kept = [(operand, target) for operand, target in pairs if target in blocks]
    return replace(instruction, operands=tuple(o for o, _ in kept), targets=tuple(t for _, t in kept))


def refuse_changing(parameter: Parameter) -> None:
    """Raise `Unspeakable` for a parameter that is no plain value."""
    for word in CHANGING:
        if word in parameter.attributes:
            raise Unspeakable(parameter.span, f"a parameter with '{word}' has no meaning in a test")


def _result(call: Instruction, returns: list[tuple[str, Instruction]]) -> list[Instruction]:
    """Return the instruction that gives a call's result a name."""
    if not call.result or call.type == VOID:
        return []
    operands = tuple(each.operands[0] for _, each in returns if each.operands)
    if len(operands) == 1:
        return [Instruction("bitcast", call.result, call.type, operands, span=call.span)]
    return [Instruction("phi", call.result, call.type, operands, targets=tuple(n for n, _ in returns), span=call.span)]


def _with_sources(block: Block, renamed: dict[str, str]) -> Block:
    """Return a block whose phis name the blocks that now come before it."""
    if not renamed:
        return block
    found = tuple(
        replace(each, targets=tuple(renamed.get(t, t) for t in each.targets)) if each.operation == "phi" else each
        for each in block.instructions
    )
    return replace(block, instructions=found)
