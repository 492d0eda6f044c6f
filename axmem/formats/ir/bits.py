"""The low bits of addresses, which code looks at that updates a part of a word.

What goes in: a function, and how many bytes behind an aligned address its pointers lead. What comes out: the function
with a getelementptr in the place of `llvm.ptrmask`, and a number in that of `and` of such an address and a small mask;
for functions with the same parameters, all that their low bits may be if it makes a difference. Invariant: only the
bits of such a mask are computed; an address is no number here otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from axmem.formats.ir.memory import constant_offset
from axmem.formats.ir.reach import ALIGNED
from axmem.formats.ir.syntax import Block, Function, Instruction, Operand, Value
from axmem.formats.ir.transfers import said_alignment
from axmem.formats.ir.types import integer
from axmem.front.records import replace
from axmem.litmus.syntax import Number, Register

BYTE, WIDE = integer(8), integer(64)


def aligned_bits(function: Function, behind: Mapping[str, int]) -> Function:
    """Return a function without bits of addresses; `behind` says how far pointers are behind an aligned address."""
    work = _Bits(behind)
    blocks = tuple(work.block(block) for block in function.blocks)
    if not work.asked:
        return function
    used = {o.value.name for b in blocks for i in b.instructions for o in i.operands if isinstance(o.value, Register)}
    kept = tuple(
        replace(b, instructions=tuple(i for i in b.instructions if i.operation != "ptrtoint" or i.result in used))
        for b in blocks
    )
    return replace(function, blocks=kept)


class LowBits(NamedTuple):
    """What the bits of an address are that are worth less than `unit`: so far it is behind a multiple of that."""

    number: int
    unit: int


def low_bits(functions: Sequence[Function]) -> Iterator[dict[int, LowBits]]:
    """Yield what the low bits of pointers may be, by the positions of these among the parameters.

    That are those alone whose low bits a function looks at, up to the highest of these bits, at the alignment that
    their attribute says. The first one is 0 for all.
    """
    unit: dict[int, int] = {}
    for function in functions:
        names = [each.name for each in function.parameters]
        work = _Bits({each.name: 0 for each in function.parameters if each.type.kind == "ptr"})
        for block in function.blocks:
            work.block(block)
        for name, mask in work.asked.items():
            index = names.index(name)
            unit[index] = max(unit.get(index, 1), 1 << mask.bit_length())
    said = {i: said_alignment(functions[0].parameters[i].attributes) for i in unit}
    for some in product(*(range(0, unit[i], said[i]) for i in unit)):
        yield {i: LowBits(number, unit[i]) for i, number in zip(unit, some, strict=True)}


class _Bits:
    def __init__(self, behind: Mapping[str, int]) -> None:
        self.places: dict[str, tuple[Operand | None, str, int]] = {n: (None, n, offset) for n, offset in behind.items()}
        self.addresses: dict[str, tuple[str, int]] = {}
        self.behind = behind
        self.asked: dict[str, int] = {}
        """Which bits of a pointer are looked at."""

    def block(self, block: Block) -> Block:
        """Return a block without bits of addresses."""
        return replace(block, instructions=tuple(map(self.instruction, block.instructions)))

    def instruction(self, each: Instruction) -> Instruction:
        """Return an instruction, or what it is of an address whose low bits are known."""
        first = each.operands[0] if each.operands else None
        name = _name(first.value) if first is not None else ""
        if each.operation == "getelementptr" and name in self.places:
            numbers = [o.value.value for o in each.operands[1:] if isinstance(o.value, Number)]
            if len(numbers) == len(each.operands) - 1 and numbers and first is not None:
                base, root, offset = self.places[name]
                self.places[each.result] = base or first, root, offset + constant_offset(each.type, numbers)
        elif each.operation == "ptrtoint" and name in self.places:
            self.addresses[each.result] = self.places[name][1:]
        elif each.operation == "and" and name in self.addresses and (mask := _small(each.operands[1])):
            root, offset = self.addresses[name]
            self.asked[root] = self.asked.get(root, 0) | mask
            zero = Operand(each.type, Number(0), each.span)
            value = Operand(each.type, Number(offset & mask), each.span)
            return Instruction("or", each.result, each.type, (value, zero), span=each.span)
        elif each.callee.startswith("llvm.ptrmask.") and name in self.places and first is not None:
            high = each.operands[1].value
            if isinstance(high, Number) and -ALIGNED <= high.value < 0:
                base, root, offset = self.places[name]
                self.asked[root] = self.asked.get(root, 0) | ~high.value
                self.places[each.result] = base or first, root, offset & high.value
                by = Operand(WIDE, Number((offset & high.value) - self.behind[root]), each.span)
                return Instruction("getelementptr", each.result, BYTE, (base or first, by), span=each.span)
        return each


def _name(value: Value) -> str:
    return value.name if isinstance(value, Register) else ""


def _small(operand: Operand) -> int:
    """Return a mask of few bits, or none."""
    value = operand.value
    return value.value if isinstance(value, Number) and 0 < value.value < ALIGNED else 0
