"""What an instruction does with a register too early, and what a loop waits for in vain, as text and as plain data.

What goes in: a `RegisterHazard`, a `Hang`, or all that was found of a file. What comes out: sentences, or a record for
JSON, or problems for SARIF.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from axmem.codegen.machine.hangs import Hang
from axmem.codegen.machine.program import HazardKind, RegisterHazard
from axmem.front.output import counted
from axmem.front.source import NOWHERE, Span
from axmem.mapping.waits import JudgedCode
from axmem.report.problems import Problem, ProblemKind

_EARLY = {
    HazardKind.USED: ("uses", "returned"),
    HazardKind.OVERWRITTEN: ("overwrites", "returned"),
    HazardKind.SOURCE: ("overwrites", "read"),
    HazardKind.COPIED: ("reads", "written"),
    HazardKind.SCRATCH: ("gives up", "written"),
    HazardKind.RETURNED: ("returns", "returned"),
}
"""What an instruction does with a register, and what has not happened before."""


def hazard_text(hazard: RegisterHazard) -> str:
    """Return what an instruction does with a register too early."""
    registers, pronoun = ", ".join(hazard.registers), "them" if hazard.registers[1:] else "it"
    does, undone = _EARLY[hazard.kind]
    here = f"{hazard.kernel}: '{hazard.instruction}' (line {hazard.span.line})"
    there = f"'{hazard.awaited}' (line {hazard.awaited_span.line})"
    early = " ".join(filter(None, (does, registers, "before", there, "has", undone, registers and pronoun)))
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
    if hang.locked:
        promised = "the program ends where every lane has its turn"
        return f"{loop} returns the newest value, which nothing changes any more; {promised}"
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
        "locked": hang.locked,
    }


SHOWN = 20
"""How many hazards of a function a text has."""


def code_text(code: JudgedCode) -> str:
    """Return what was found of a file: hazards, then what was not judged, and what was assumed."""
    lines = [f"lines are those of '{code.read}'"] if code.read and _says_places(code) else []
    for function in code.functions:
        lines += (hazard_text(hazard) for hazard in function.hazards[:SHOWN])
        if function.hazards[SHOWN:]:
            lines.append(f"{function.name}: and {len(function.hazards[SHOWN:])} more: --format json has all")
        lines += (f"{function.name}: not judged{_behind(span, reason)}" for span, reason in function.unknown[:1])
        if function.passed:
            at = f"line {function.passed[0].line}"
            several = f"{len(function.passed)} reads, the first at {at}" if function.passed[1:] else f"a read at {at}"
            lines.append(f"{function.name}: LDS is not judged: {several}, of what may be on its way there")
    if any(function.assumed for function in code.functions):
        lines.append("assumed: functions wait for everything when they are entered and before returning, as LLVM's do")
    return "".join(f"{code.name}: {line}\n" for line in lines)


def _behind(span: Span, reason: str) -> str:
    return f" behind line {span.line}: {reason}"


def _says_places(code: JudgedCode) -> bool:
    return any(function.hazards or function.unknown or function.passed for function in code.functions)


def summary_text(codes: Sequence[JudgedCode]) -> str:
    """Return how many functions of all files were judged, and how."""
    functions = [function for code in codes for function in code.functions]
    hazards = sum(len(function.hazards) for function in functions)
    unknown = sum(bool(function.unknown) for function in functions)
    instructions = sum(function.instructions for function in functions)
    if not functions:
        return "0 functions: nothing judged\n"
    said = [counted(hazards, "register hazard") if hazards else "no register hazard"]
    said += [f"{unknown} not judged to the end"] if unknown else []
    return f"{counted(len(functions), 'function')}, {counted(instructions, 'instruction')}: {', '.join(said)}\n"


def code_record(code: JudgedCode) -> dict[str, object]:
    """Return what was found of a file, as plain data."""
    return {
        "file": code.name,
        "target": code.target,
        "read": code.read,
        "functions": [
            {
                "function": function.name,
                "instructions": function.instructions,
                "hazards": [hazard_record(hazard) for hazard in function.hazards],
                "not_judged": [{"line": span.line, "reason": reason} for span, reason in function.unknown],
                "lds_not_judged": [span.line for span in function.passed],
                "assumed": function.assumed,
            }
            for function in code.functions
        ],
    }


def code_problems(code: JudgedCode) -> Iterator[Problem]:
    """Yield what was found of a file as problems at its lines; of a disassembly at no line of the file."""
    for function in code.functions:
        for hazard in function.hazards:
            span = NOWHERE if code.read and not hazard.span.line else hazard.span
            yield Problem(ProblemKind.HAZARD, hazard_text(hazard), code.name, span)
        for span, reason in function.unknown[:1]:
            yield Problem(ProblemKind.UNKNOWN, f"{function.name}: not judged{_behind(span, reason)}", code.name, span)
