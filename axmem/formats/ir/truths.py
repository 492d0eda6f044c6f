"""Truth values in memory: bytes.

What goes in: a load or a store of an i1. What comes out: the access of a byte, with the conversion: of a byte that is
neither 0 nor 1 what is loaded is undef.
"""

from __future__ import annotations

from axmem.formats.ir.syntax import Instruction, Operand
from axmem.formats.ir.types import integer
from axmem.front.records import replace
from axmem.litmus.syntax import Register

TRUTH, BYTE = integer(1), integer(8)


def is_truth(access: Instruction) -> bool:
    """Say whether a load or a store is of a truth value."""
    return (access.type if access.operation == "load" else access.operands[0].type) == TRUTH


def as_byte(access: Instruction, name: str) -> tuple[Instruction, Instruction]:
    """Return a load or a store of a truth value as two instructions; `name` is that of the byte."""
    byte = Operand(BYTE, Register(name), access.span)
    if access.operation == "load":
        loaded = replace(access, result=name, type=BYTE)
        return loaded, Instruction("trunc", access.result, TRUTH, (byte,), ("nuw",), span=access.span)
    widened = Instruction("zext", name, BYTE, access.operands[:1], span=access.span)
    return widened, replace(access, operands=(byte, access.operands[1]))
