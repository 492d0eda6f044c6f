"""What lanes of a wave do to one another's registers: moves to and from scalar registers, and from lane to lane.

What goes in: registers, a line, the lanes that execute. What comes out: writes as (lane, place, value, bits), a lane of
None for a scalar register; None if the mnemonic is no such instruction. Invariant: a lane that is asked for is known as
a number, else the line is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from axmem.codegen.assembly.registers import OperandError, Registers, dwords, integer
from axmem.codegen.assembly.text import AssemblyLine
from axmem.codegen.assembly.values import computed, number
from axmem.events.values import Constant, Expr

Moved = tuple[int | None, str, Expr, int]
"""The lane whose register changes, the operand, its value, its bits."""
_SWIZZLED = re.compile(r"offset:swizzle\((.*)\)")
WAVE = 64
"""A lane that is asked for by a number is one of so many."""
CROSSING = re.compile(r"v_readlane_b32|v_writelane_b32|v_readfirstlane_b32|ds_bpermute_b32|ds_permute_b32|v_permlane\w*"
                      r"|ds_swizzle_b32|v_\w+_dpp8?|v_\w+_e64_dpp8?")  # fmt: skip
"""Mnemonics of instructions that cross lanes."""


def crossed(registers: Registers, line: AssemblyLine, active: Sequence[int]) -> list[Moved] | None:
    """Return what an instruction moves between lanes. Raises OperandError."""
    name = re.sub(r"_e(32|64)$", "", line.mnemonic)
    if not CROSSING.fullmatch(name):
        return None
    operands = line.operands
    try:
        match name:
            case "v_readfirstlane_b32":
                return [(None, operands[0], _of(registers, operands[1], active[0] if active else 0), 32)]
            case "v_readlane_b32":
                lane = _lane(registers, operands[2])
                return [(None, operands[0], _of(registers, operands[1], lane), 32)]
            case "v_writelane_b32":
                return [(_lane(registers, operands[2]), operands[0], registers.value(operands[1]), 32)]
            case "ds_bpermute_b32":
                return [_permuted(registers, line, lane, active) for lane in active]
            case "ds_swizzle_b32":
                return [_swizzled(registers, line, lane, active) for lane in active]
    except IndexError:
        raise OperandError(f"'{line.mnemonic}' has too few operands") from None
    raise OperandError(f"unknown instruction '{line.mnemonic}'")


def _of(registers: Registers, operand: str, lane: int) -> Expr:
    """Return the value that a lane has of an operand. Lanes that execute nothing have registers, too."""
    registers.lane = lane
    try:
        return registers.value(operand)
    finally:
        registers.lane = 0


def _lane(registers: Registers, operand: str) -> int:
    """Return the lane that an operand names."""
    return _told(registers, operand, registers.value(operand)) % WAVE


def _told(registers: Registers, operand: str, lane: Expr) -> int:
    """Return what tells a lane as a number."""
    found = number(lane)
    if found is None:
        what = registers.unknown_in(lane) or "memory"
        raise OperandError(f"which lane '{operand}' names depends on {what}")
    return found


def _permuted(registers: Registers, line: AssemblyLine, lane: int, active: Sequence[int]) -> Moved:
    """ds_bpermute_b32 d, a, v: the value of the lane whose number is a / 4; 0 of one that does not execute."""
    place, address, data = line.operands
    offset = next((integer(bit.partition(":")[2]) for bit in line.bits if bit.startswith("offset:")), 0)
    other = _told(registers, address, computed("add", 32, _of(registers, address, lane), Constant(offset))) // 4 % WAVE
    return lane, place, _of(registers, data, other) if other in active else Constant(0), 32


def _swizzled(registers: Registers, line: AssemblyLine, lane: int, active: Sequence[int]) -> Moved:
    """ds_swizzle_b32 d, v offset:swizzle(SWAP,n), (REVERSE,n), (BROADCAST,n,k), (QUAD_PERM,a,b,c,d), or a number: AND,
    OR and XOR masks for the numbers of lanes."""
    place, data = line.operands
    found = next((match for bit in line.bits if (match := _SWIZZLED.fullmatch(bit))), None)
    raw = next(
        (integer(bit[len("offset:") :]) for bit in line.bits if re.fullmatch(r"offset:(0x)?[0-9a-f]+", bit)), None
    )
    if raw is not None and not raw & 0x8000:
        other = (lane & raw & 31 | raw >> 5 & 31) ^ raw >> 10 & 31
    elif raw is not None and raw & 0xFF00 == 0x8000:
        other = lane & ~3 | raw >> 2 * (lane & 3) & 3
    elif found is not None:
        other = _spelled(found[1].replace(" ", "").split(","), lane)
    else:
        raise OperandError(f"the pattern of '{line.text}' is not known")
    return lane, place, _of(registers, data, other) if other in active else Constant(0), 32


def _spelled(words: list[str], lane: int) -> int:
    """Return the lane that a pattern with a name gives to a lane."""
    kind, numbers = words[0], [integer(word) for word in words[1:] if re.fullmatch(r"\d+", word)]
    match kind, numbers:
        case "SWAP", [size]:
            return lane ^ size
        case "REVERSE", [size]:
            return lane ^ (size - 1)
        case "BROADCAST", [size, one]:
            return lane & ~(size - 1) | one
        case "QUAD_PERM", [_, _, _, _]:
            return lane & ~3 | numbers[lane & 3]
    raise OperandError(f"the pattern '{','.join(words)}' is not known")


def with_others(registers: Registers, line: AssemblyLine) -> None:
    """Copy what lanes that execute nothing keep for scalar registers, where a whole register is moved; where another
    value comes into it, they keep nothing."""
    if not registers.whole or not line.mnemonic.startswith("v_") or line.operands[0][:1] not in ("v", "a"):
        return
    place, source = line.operands[0], line.operands[-1]
    written = dwords(place) if place[-1].isdecimal() or place[-1] == "]" else ()
    moved = re.match(r"v_accvgpr_(read|write)|v_mov_b32", line.mnemonic)
    for name, value in list(registers.values.items()):
        register, _, lane = name.partition(" of lane ")
        if not lane or int(lane) < registers.lanes:
            continue
        if moved and register == source:
            registers.values[f"{place} of lane {lane}"] = value
        elif register in written and not (moved and f"{source} of lane {lane}" in registers.values):
            del registers.values[name]


def counted_below(registers: Registers, operand: str, first: int) -> Expr:
    """Return how many ones a mask of 32 bits has below the lane, its lowest bit being lane `first`'s."""
    mask, total = registers.value(operand), Constant(0)
    count: Expr = total
    known = number(mask)
    below = max(0, min(32, registers.lane - first))
    if known is not None:
        return Constant((known & (1 << below) - 1).bit_count())
    truths = registers.masks(operand) if below else []
    for truth in truths[:below]:
        count = computed("add", 32, count, computed("zext", 32, truth))
    return count
