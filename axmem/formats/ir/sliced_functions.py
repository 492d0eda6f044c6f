"""A function with what a slice keeps of it.

What goes in: a function of a module and the slice that says which of its instructions and blocks stay, and what is
guessed for values that do not. What comes out: the function with these alone, its blocks joined where nothing parts
them, and in `places` a variable for each pointer that came from what was left out.
"""

from __future__ import annotations

from axmem.formats.ir.flow import EXIT
from axmem.formats.ir.slicing import Guess, Slice
from axmem.formats.ir.syntax import (
    Block,
    ConstantExpression,
    Function,
    Global,
    Instruction,
    Module,
    Operand,
    Parameter,
    Value,
)
from axmem.formats.ir.types import VOID, IRType
from axmem.front.records import replace
from axmem.front.source import Span
from axmem.litmus.syntax import AddressOf, Number, Register


class Rewriting:
    """A function with what a slice keeps of it."""

    def __init__(self, module: Module, places: dict[str, Global], part: Slice) -> None:
        """`places` gets the variables that stand for unknown pointers, by their names."""
        self.module = module
        self.places = places
        self.part = part
        self.flow = part.flow
        self.parameters = {p.name: p for p in part.flow.function.parameters if p.name in part.given}
        self.end = "exit"
        while self.end in self.flow.successors:
            self.end += "_"
        self.ends = False

    def function(self) -> Function:
        """Return the function."""
        blocks = [self.block(b) for b in self.flow.function.blocks if b.name in self.part.blocks]
        if self.ends:
            blocks.append(Block(self.end, (Instruction("ret", span=self.flow.function.span),)))
        parameters = tuple(self.parameters.values())
        blocks = blocks if self.part.converges else _merged(blocks)
        return replace(self.flow.function, result=VOID, parameters=parameters, blocks=tuple(blocks))

    def block(self, block: Block) -> Block:
        """Return a block with what is kept of it."""
        kept = [e for e in block.instructions[:-1] if self.part.position[id(e)] in self.part.kept]
        return replace(block, instructions=(*map(self.instruction, kept), self.terminator(block.instructions[-1])))

    def terminator(self, last: Instruction) -> Instruction:
        """Return the end of a block, which leads to the next block that is kept."""
        if last.operation == "unreachable" and self.part.block_of[id(last)] in self.part.blocks:
            return last
        if last.operation == "ret" and self.part.position[id(last)] in self.part.kept:
            return self.instruction(last)
        targets = [self.part.next(target) for target in last.targets]
        if len(set(targets)) > 1:
            self.ends |= EXIT in targets
            return replace(self.instruction(last), targets=tuple(t or self.end for t in targets))
        if not targets or targets[0] == EXIT:
            return Instruction("ret", span=last.span)
        return Instruction("br", targets=(targets[0],), loop=last.loop, span=last.span)

    def instruction(self, each: Instruction) -> Instruction:
        """Return an instruction with its guessed operands."""
        operands = enumerate(each.operands)
        return replace(each, operands=tuple(replace(o, value=self.value(o.value, o, each, k)) for k, o in operands))

    def value(self, value: Value, operand: Operand, user: Instruction, position: int) -> Value:
        """Return a value, or what is guessed for it."""
        if isinstance(value, ConstantExpression):
            return replace(value, operands=tuple(
                replace(o, value=self.value(o.value, o, user, position)) for o in value.operands))  # fmt: skip
        if not isinstance(value, Register):
            return value
        guess = self.part.guess(value.name, operand.type, user, position)
        if (value.name, guess) not in self.part.guesses:
            return value
        match guess:
            case Guess.LOCATION:
                return AddressOf(self.location(value.name, operand.type, operand.span), span=value.span)
            case Guess.INDEX:
                return Number(0, span=value.span)
            case Guess.NUMBER:
                return Number(1, span=value.span)
        self.parameters[value.name] = Parameter(value.name, operand.type, (), operand.span)
        return value

    def location(self, name: str, type_: IRType, span: Span) -> str:
        """Return the variable that a pointer of this name points to; parameters of one name point to the same."""
        made = name in self.flow.results
        found = f"{self.flow.function.name}.{name}" if made else f"arg{name}" if name.isdecimal() else name
        if found in self.module.globals:
            found += ".arg"
        zero = Operand(VOID, Number(0, span=span))
        self.places.setdefault(found, Global(found, VOID, type_.space, zero, (), span))
        return found


def _merged(blocks: list[Block]) -> list[Block]:
    """Return blocks in which none that only one other leads to, and that is all it leads to, stands alone."""
    while True:
        leads = [target for block in blocks for target in block.instructions[-1].targets]
        for block in blocks:
            last = block.instructions[-1]
            after = next((b for b in blocks if last.targets == (b.name,) and b is not block), None)
            if after is None or leads.count(after.name) > 1 or after.instructions[0].operation == "phi":
                continue
            if after is blocks[0]:
                continue
            joined = replace(block, instructions=(*block.instructions[:-1], *after.instructions))
            blocks = [_renamed(joined if b is block else b, after.name, block.name) for b in blocks if b is not after]
            break
        else:
            return blocks


def _renamed(block: Block, old: str, new: str) -> Block:
    """Return a block whose phis name a block by its new name."""
    found = (
        replace(each, targets=tuple(new if t == old else t for t in each.targets)) if each.operation == "phi" else each
        for each in block.instructions
    )
    return replace(block, instructions=tuple(found))
