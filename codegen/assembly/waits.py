"""Waits, invalidates, writebacks, barriers and what does nothing to memory, as the assembler spells them.

What goes in: a line and the family of the target. What comes out: an `EmittedInstruction` of
`axmem.codegen.instructions`, with the counters or bits as its parts; None if the line is no such instruction.
Counters have the names of the family's table; how many operations may be left is in the part's text.
"""

from __future__ import annotations

import re

from axmem.codegen.assembly.registers import OperandError, integer
from axmem.codegen.assembly.text import AssemblyLine
from axmem.codegen.instructions import EmittedInstruction, InstructionKind, InstructionPart, counted_as
from axmem.codegen.machine.families import machine_of
from axmem.codegen.tables import TargetFamily

HARMLESS = re.compile(
    r"s_(nop|clause|delay_alu|sleep|setprio|inst_prefetch|set_inst_prefetch_distance|code_end|icache_inv|version"
    r"|ttracedata|setprio_inc_wg|set_gpr_idx_off|waitcnt_expcnt|wait_expcnt|wait_event|monitor_sleep|set_vgpr_msb)"
    r"|v_nop(_e32)?$|s_prefetch_inst(_pc_rel)?$|global_prefetch_b8"
)
"""Instructions that neither wait for memory nor change what a program computes here."""
EXPORTS = "expcnt"
"""The counter of registers that are not read yet: the machine does not have it, but registers may wait for it."""
_MAINTENANCE = {
    **dict.fromkeys(("buffer_wbinvl1", "buffer_wbinvl1_vol", "buffer_wbinvl1_sc", "buffer_invl2", "buffer_gl0_inv",
                     "buffer_gl1_inv", "buffer_inv", "global_inv", "s_dcache_inv", "s_dcache_inv_vol"),
                    InstructionKind.INVALIDATE),
    **dict.fromkeys(("buffer_wbl2", "global_wb", "s_dcache_wb"), InstructionKind.WRITEBACK),
}  # fmt: skip
_BARRIERS = {"s_barrier": "s_barrier", "s_barrier_signal": "s_barrier_signal -1", "s_barrier_wait": "s_barrier_wait -1"}


def synchronization(line: AssemblyLine, family: TargetFamily) -> EmittedInstruction | None:
    """Return the wait, cache maintenance or barrier that a line is, or None. Raises OperandError."""
    name = line.mnemonic
    if name.startswith("s_wait") and not HARMLESS.match(name):
        return _wait(line, family)
    if name in _MAINTENANCE:
        bits = (*line.operands, *line.bits)
        return EmittedInstruction(_MAINTENANCE[name], name, tuple(InstructionPart(bit, bit, "", "") for bit in bits))
    if name in _BARRIERS:
        if line.rest not in ("", "-1", "0xffff"):
            raise OperandError(f"a barrier other than the workgroup's: '{line.text}'")
        return EmittedInstruction(InstructionKind.BARRIER, name, (), "", "") if not line.rest else _signal(name)
    return None


def maintenance_kind(line: AssemblyLine) -> str:
    """Return as what counters count a line of cache maintenance: `invalidate`, `writeback`, `scalar`; else nothing."""
    kind = _MAINTENANCE.get(line.mnemonic)
    return counted_as(line.mnemonic, kind) if kind else ""


def _signal(name: str) -> EmittedInstruction:
    return EmittedInstruction(InstructionKind.BARRIER, name, (InstructionPart("-1", "-1", "", ""),))


def limit_of(part: InstructionPart) -> int:
    """Return how many operations a counter of a wait leaves on their way."""
    return int(part.text.rpartition(" ")[2])


def _wait(line: AssemblyLine, family: TargetFamily) -> EmittedInstruction | None:
    limits = limits_of(line, family)
    if EXPORTS not in machine_of(family.name).locks:
        limits.pop(EXPORTS, None)
    for counter in limits:
        if counter not in family.counters and counter != EXPORTS:
            raise OperandError(f"there is no counter '{counter}' on {family.title}")
    parts = tuple(InstructionPart(counter, f"{counter} {limit}", "", "") for counter, limit in limits.items())
    return EmittedInstruction(InstructionKind.WAIT, line.mnemonic, parts)


def limits_of(line: AssemblyLine, family: TargetFamily) -> dict[str, int]:
    """Return how many operations a line leaves to each counter, expcnt too; nothing if it waits for none."""
    return {counter: limit for counter, limit in _written(line, family).items() if counter not in line.left_out}


def _written(line: AssemblyLine, family: TargetFamily) -> dict[str, int]:
    name = line.mnemonic
    if not name.startswith("s_wait") or name in ("s_waitcnt_depctr", "s_wait_alu", "s_wait_event"):
        return {}
    if name == "s_waitcnt":
        return _fields(line.rest, family)
    if name == "s_wait_idle":
        return dict.fromkeys((*family.counters, EXPORTS), 0)
    if name.startswith("s_waitcnt_"):
        return {name.removeprefix("s_waitcnt_"): integer(line.operands[-1])}
    return _named(name.removeprefix("s_wait_").split("_"), line)


def _named(counters: list[str], line: AssemblyLine) -> dict[str, int]:
    """s_wait_loadcnt 0x0; s_wait_loadcnt_dscnt 0x101 has six bits for each, the second counter's lowest."""
    value = integer(line.operands[0] if line.operands else "")
    if len(counters) == 1:
        return {counters[0]: value}
    if len(counters) != 2 or counters[1] != "dscnt":
        raise OperandError(f"unknown wait '{line.mnemonic}'")
    limits = {counters[0]: value >> 8 & 0x3F, "dscnt": value & 0x3F}
    return {counter: limit for counter, limit in limits.items() if limit < 0x3F}


def _fields(rest: str, family: TargetFamily) -> dict[str, int]:
    """Return the limits of s_waitcnt, which names counters or has bits."""
    named = re.findall(r"(\w+)\((\d+)\)", rest)
    if named and re.fullmatch(r"(\s*&?\s*\w+\(\d+\))+", rest):
        return {counter: int(limit) for counter, limit in named}
    count = integer(rest)
    if not family.waitcnt:
        raise OperandError(f"there is no s_waitcnt on {family.title}")
    return {counter: limit for counter, of in family.waitcnt.items() if (limit := _field(count, of)) is not None}


def _field(count: int, pieces: tuple[tuple[int, int], ...]) -> int | None:
    """Return the number in the fields of a counter, the lowest first; None if all of its bits are set: no limit."""
    value = width = 0
    for low, bits in pieces:
        value |= (count >> low & (1 << bits) - 1) << width
        width += bits
    return value if value + 1 < 1 << width else None
