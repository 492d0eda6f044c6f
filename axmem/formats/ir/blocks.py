"""The blocks of one function, as its lines are read.

What goes in: labels and instructions in their order. What comes out: blocks, each with a terminator at its end and
nowhere else, whose terminators and phis name blocks of the function. An instruction behind a terminator begins another
block, which has the next number as its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from axmem.formats.ir.mnemonics import ENDING
from axmem.formats.ir.syntax import Block, Function, Instruction
from axmem.front.source import Span, did_you_mean
from axmem.litmus.cursor import Cursor
from axmem.litmus.lexer import Token


def successors(function: Function) -> dict[str, tuple[str, ...]]:
    """Return the blocks that may follow each block of a function."""
    return {block.name: block.instructions[-1].targets for block in function.blocks}


def reached(after: Mapping[str, tuple[str, ...]], starts: Iterable[str]) -> set[str]:
    """Return the blocks that may be executed from the starts of some on, those among them."""
    seen = set(starts)
    ahead = list(seen)
    while ahead:
        new = set(after.get(ahead.pop(), ())) - seen
        seen |= new
        ahead += new
    return seen


class Blocks:
    """What has been read of a function; `taken` are the names of its parameters."""

    def __init__(self, cursor: Cursor, taken: Sequence[str] = ()) -> None:
        self.cursor = cursor
        self.taken = list(taken)
        self.found: list[Block] = []
        self.name = ""
        self.start = cursor.peek().span
        self.inside: list[Instruction] = []

    def label(self, token: Token) -> None:
        """Begin the block of a label."""
        if self.name:
            self.close()
        self.begin(token.value, token.span)

    def begin(self, name: str, span: Span) -> None:
        """Begin a block."""
        self.name, self.start = name, span
        self.taken.append(name)

    def add(self, instructions: Sequence[Instruction], span: Span) -> None:
        """Add what a line has, which stands there."""
        if not instructions and not self.cursor.broken:
            return
        if not self.name:
            numbers = [int(name) for name in self.taken if name.isdecimal()]
            self.begin(str(max(numbers, default=-1) + 1), span)
        self.inside += instructions
        self.taken += [each.result for each in instructions]
        if self.inside and self.inside[-1].operation in ENDING:
            self.close()

    def close(self) -> None:
        """End the block that is open, which ends with a terminator."""
        last = self.inside[-1] if self.inside else None
        if (last is None or last.operation not in ENDING) and not self.cursor.broken:
            hint = "a block ends with br, switch, ret or unreachable"
            self.cursor.error(last.span if last else self.start, f"the block '{self.name}' has no terminator", hint)
        self.found.append(Block(self.name, tuple(self.inside), self.start))
        self.name, self.inside = "", []

    def end(self) -> tuple[Block, ...]:
        """Return the blocks of the function that ends here."""
        if self.name or not self.found:
            self.name = self.name or "0"
            self.close()
        names = {block.name for block in self.found}
        everything = [each for block in self.found for each in block.instructions]
        for each in everything if not self.cursor.broken else ():
            for target in each.targets:
                if target not in names:
                    self.cursor.error(each.span, f"no block is named '%{target}'", did_you_mean(target, names))
        return tuple(self.found)
