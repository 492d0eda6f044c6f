"""The low bits of addresses, which code looks at that updates a part of a word.

What goes in: a function, and which of its values are addresses of memory that is aligned. What comes out: the function
with a getelementptr in the place of `llvm.ptrmask`, and a number in that of `and` of such an address and a small mask.
Invariant: only the bits that the alignment says are computed; an address is no number here otherwise.
"""

from __future__ import annotations

from collections.abc import Collection

from axmem.formats.ir.memory import constant_offset
from axmem.formats.ir.syntax import Block, Function, Instruction, Operand, Value
from axmem.formats.ir.types import integer
from axmem.front.records import replace
from axmem.litmus.syntax import Number, Register

BYTE, WIDE = integer(8), integer(64)


def aligned_bits(function: Function, aligned: Collection[str], alignment: int) -> tuple[Function, bool]:
    """Return a function without bits of addresses, and whether there were any; `aligned` are names of pointers."""
    work = _Bits(aligned, alignment)
    blocks = tuple(work.block(block) for block in function.blocks)
    if not work.changed:
        return function, False
    used = {o.value.name for b in blocks for i in b.instructions for o in i.operands if isinstance(o.value, Register)}
    kept = tuple(
        replace(b, instructions=tuple(i for i in b.instructions if i.operation != "ptrtoint" or i.result in used))
        for b in blocks
    )
    return replace(function, blocks=kept), True


class _Bits:
    def __init__(self, aligned: Collection[str], alignment: int) -> None:
        self.places: dict[str, tuple[Operand | None, int]] = dict.fromkeys(aligned, (None, 0))
        self.addresses: dict[str, int] = {}
        self.alignment = alignment
        self.changed = False

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
                base, offset = self.places[name]
                self.places[each.result] = base or first, offset + constant_offset(each.type, numbers)
        elif each.operation == "ptrtoint" and name in self.places:
            self.addresses[each.result] = self.places[name][1]
        elif each.operation == "and" and name in self.addresses and (mask := _small(each.operands[1], self.alignment)):
            self.changed = True
            zero = Operand(each.type, Number(0), each.span)
            value = Operand(each.type, Number(self.addresses[name] & mask), each.span)
            return Instruction("or", each.result, each.type, (value, zero), span=each.span)
        elif each.callee.startswith("llvm.ptrmask.") and name in self.places and first is not None:
            high = each.operands[1].value
            if isinstance(high, Number) and -self.alignment <= high.value < 0:
                self.changed = True
                base, offset = self.places[name]
                self.places[each.result] = base or first, offset & high.value
                by = Operand(WIDE, Number(offset & high.value), each.span)
                return Instruction("getelementptr", each.result, BYTE, (base or first, by), span=each.span)
        return each


def _name(value: Value) -> str:
    return value.name if isinstance(value, Register) else ""


def _small(operand: Operand, alignment: int) -> int:
    """Return a mask of bits that an alignment says, or none."""
    value = operand.value
    return value.value if isinstance(value, Number) and 0 < value.value < alignment else 0
