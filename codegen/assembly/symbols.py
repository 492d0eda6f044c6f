"""Addresses of symbols in code: relative to the program counter, directly or through the global offset table.

What goes in: an operand such as `x@rel32@lo+4`, and how far its instruction is from the `s_getpc_b64` before it. What
comes out: the number that makes the sum the address. The linker fills in S + A - P, where P is where the literal lies;
so S + A - distance is what the code adds up to, and A differs from the distance where an offset was folded in.
"""

from __future__ import annotations

import re

from axmem.codegen.assembly.calls import place_of
from axmem.codegen.assembly.places import TestMemory
from axmem.codegen.assembly.registers import OperandError, integer
from axmem.codegen.assembly.text import AssemblyKernel, AssemblyLine
from axmem.codegen.assembly.values import OFFSETS
from axmem.events.graph import location_at
from axmem.events.values import Constant
from axmem.front.records import dataclass, replace

COUNTER = 6 << 40
"""The value of the program counter after every s_getpc_b64."""
FUNCTIONS = 1 << 32
"""From where on in the global offset table the addresses of functions stand."""
_SYMBOL = re.compile(r"([A-Za-z_.$][\w.$]*)@((?:rel32|gotpcrel32|abs32)@(?:lo|hi)|rel64|gotpcrel|abs64)([+-]\d+)?$")
_INLINE = re.compile(r"-?(0x[0-9a-fA-F]+|\d+)$")


@dataclass(slots=True)
class ProgramCounter:
    """How far the program is: bytes since the last s_getpc_b64, None where the size of an instruction is not known."""

    since: int | None = None

    def copy(self) -> ProgramCounter:
        """Return the same place."""
        return ProgramCounter(self.since)

    def step(self, line: AssemblyLine, kernel: AssemblyKernel) -> int | None:
        """Go on by an instruction; return where its literal lies, counted from the last s_getpc_b64."""
        here = self.since
        if here is not None:
            size = _size(line)
            self.since = None if size is None else here + size
        return None if here is None else here + 4

    def counter(self) -> Constant:
        """Return what s_getpc_b64 gives, and count from there."""
        self.since = 0
        return Constant(COUNTER)


def _size(line: AssemblyLine) -> int | None:
    """Return how long a scalar instruction is, in bytes; None for others."""
    if not line.mnemonic.startswith("s_") or line.mnemonic.startswith(("s_load", "s_dcache")):
        return None
    wide = any("@rel64" in o or "@gotpcrel+" in o for o in (*line.operands, line.relocation))
    literal = any(_literal(o) for o in line.operands) or line.relocation
    if line.mnemonic.startswith(("s_wait", "s_nop", "s_delay", "s_clause")):
        return 4
    return 12 if wide else 8 if literal else 4


def _literal(operand: str) -> bool:
    match = _INLINE.match(operand)
    return "@" in operand or operand.startswith("lit") or bool(match and not -16 <= integer(operand) <= 64)


def relocated(
    line: AssemblyLine, where: int | None, places: TestMemory, kernel: AssemblyKernel
) -> tuple[str, int] | None:
    """Return the operand that names a symbol, with the number it stands for; None if there is none."""
    operand = line.relocation or next((o for o in line.operands if "@" in o), "")
    if not operand:
        return None
    match = _SYMBOL.match(operand)
    if not match:
        raise OperandError(f"unknown relocation '{operand}'")
    name, kind, addend = match[1], match[2], int(match[3] or 0)
    address, line_of = places.address(name), kernel.labels.get(name)
    if address is None and line_of is None:
        raise OperandError(f"'{name}' is no location of the test")
    if address is None:
        assert line_of is not None
        address = OFFSETS + FUNCTIONS + 8 * line_of if kind.startswith("gotpcrel") else place_of(line_of)
    elif kind.startswith("gotpcrel"):
        address = OFFSETS + 8 * location_at(address)[0]
    if not kind.startswith("abs"):
        if where is None:
            raise OperandError("how far this is from s_getpc_b64 is not known")
        address -= COUNTER + where
    value = address + addend
    if kind.endswith("lo"):
        value &= 0xFFFFFFFF
    elif kind.endswith("hi"):
        value = value >> 32 & 0xFFFFFFFF
    return operand, value


def substituted(line: AssemblyLine, relocation: tuple[str, int] | None) -> AssemblyLine:
    """Return the line with the number in place of the symbol; a disassembly has lit(0x0) there."""
    if relocation is None:
        return line
    operand, value = relocation
    shown = line.operands[-1] if line.relocation else operand
    return replace(line, operands=tuple(str(value) if o == shown else o for o in line.operands))
