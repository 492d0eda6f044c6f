"""What an instruction does with a register too early, and what a loop waits for in vain, as text and as plain data.

What goes in: a `RegisterHazard`, or a `Hang`. What comes out: a sentence, or a record for JSON.
"""

from __future__ import annotations

from axmem.codegen.machine.hangs import Hang
from axmem.codegen.machine.program import HazardKind, RegisterHazard

_EARLY = {
    HazardKind.USED: ("uses", "returned"),
    HazardKind.OVERWRITTEN: ("overwrites", "returned"),
    HazardKind.SOURCE: ("overwrites", "read"),
}
"""What an instruction does with a register, and what has not happened before."""


def hazard_text(hazard: RegisterHazard) -> str:
    """Return what an instruction does with a register too early."""
    registers, pronoun = ", ".join(hazard.registers), "them" if hazard.registers[1:] else "it"
    does, undone = _EARLY[hazard.kind]
    here = f"{hazard.kernel}: '{hazard.instruction}' (line {hazard.span.line})"
    there = f"'{hazard.awaited}' (line {hazard.awaited_span.line})"
    early = f"{does} {registers} before {there} has {undone} {pronoun}"
    return f"{here} {early}: no wait for {hazard.counter}"


def hazard_record(hazard: RegisterHazard) -> dict[str, object]:
    """Return what an instruction does with a register too early, as plain data."""
    return {
        "kernel": hazard.kernel,
        "kind": hazard.kind.value,
        "registers": list(hazard.registers),
        "counter": hazard.counter,
        "line": hazard.span.line,
        "instruction": hazard.instruction,
        "awaited_line": hazard.awaited_span.line,
        "awaited": hazard.awaited,
    }


def hang_text(hang: Hang, *, repeated: bool = False) -> str:
    """Return why a loop does not end; why a read does not see some value if it is `repeated`, which it is not."""
    where = "if it repeats its read" if repeated else f"in the loop at line {hang.loop.line}"
    loop = f"{hang.thread}, {where}: '{hang.poll}' (line {hang.span.line}) of {hang.group}"
    if hang.kept:
        return f"{loop} is answered from {hang.node}, which keeps what it read first: nothing drops it, or passes there"
    return f"{loop} does not see what was written: that stays in {hang.node}, and nothing writes it back"


def hang_record(hang: Hang) -> dict[str, object]:
    """Return why a loop does not end, as plain data."""
    return {
        "thread": hang.thread,
        "loop": hang.loop.line,
        "line": hang.span.line,
        "poll": hang.poll,
        "location": hang.group,
        "cache": hang.node,
        "kept": hang.kept,
    }
