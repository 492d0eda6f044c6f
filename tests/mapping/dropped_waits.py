"""Waits dropped from assembly, one at a time: whether each is missed, and if not why.

What goes in: a test, its assembly, a target. What comes out: for every wait what became of the verdict without it. A
wait that nothing misses is *idle* (no operation that it counts is on its way), *subsumed* by another wait, which is
named (without both something is wrong that is right without the other alone), or *unneeded*: it orders memory, and the
machine was walked to the end in every placement without an outcome that the model forbids. `used_at_once` finds by the
text alone what must be a register hazard: a wait that is sound to drop there was overlooked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from axmem.check.compare import unmatched
from axmem.codegen.machine.mutants import elements, idle
from axmem.codegen.machine.program import MachineProgram
from axmem.codegen.targets import Target
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.compiled import assembled
from axmem.mapping.verification import Exploration, MachineVerdict, Verification, judge, verify_program
from axmem.model.library import load

STATES = 50_000
"""States of the machine in each placement."""
_WAIT = re.compile(r"^\s+s_wait(?!cnt_depctr|_alu|_event)\w*")
_LOAD = re.compile(r"^\s+(global_load|flat_load|buffer_load|ds_read|ds_load|s_load|(?:global|flat)_atomic\w+(?= v\S+, v.*(?:glc|sc0|TH_ATOMIC_RETURN)))\w*\s+([^\s,]+)")  # noqa: E501
_BLOCK = re.compile(r"^\s+s_c?branch|^\S+:|^\s+s_endpgm")
_HALF = re.compile(r"_load_\w*d16(_hi)?_")
_REGISTER = re.compile(r"\b([vs])(?:\[(\d+):(\d+)\]|(\d+))")


@dataclass(frozen=True)
class Dropped:
    """What became of the verdict without the wait at a line: how it is missed, or why not, and by which other wait."""

    test: str
    target: str
    line: int
    wait: str
    why: str
    by: str = ""


def dropped(test: LitmusTest, text: str, where: Target) -> Iterator[Dropped]:
    """Yield what becomes of each wait; nothing if the assembly is not sound as it is."""
    model = load("amdgpu")
    lines = text.split("\n")
    bounded = Exploration(robust=False, limit=STATES)
    whole = verify_program(assembled(test, where, text, "whole.s"), test, where, model, bounded)
    if whole.verdict != "sound" or whole.permitted.undefined:
        return
    waits = [number for number, line in enumerate(lines) if _WAIT.match(line)]
    trial = _Trial(test, where, lines, whole)
    alone = {number: trial.without(number) for number in waits}
    for number in waits:
        why, by = _reason(trial, alone, number)
        said = lines[by].strip() if by is not None else ""
        by_line = f"{(by or 0) + 1}: {said}" if said else ""
        yield Dropped(test.name, where.name, number + 1, lines[number].strip(), why, by_line)


class _Trial:
    def __init__(self, test: LitmusTest, where: Target, lines: list[str], whole: Verification) -> None:
        self.test, self.where, self.lines, self.whole = test, where, lines, whole

    def program(self, *gone: int) -> MachineProgram:
        text = "\n".join("" if number in gone else line for number, line in enumerate(self.lines))
        return assembled(self.test, self.where, text, "dropped.s")

    def without(self, *gone: int) -> tuple[MachineProgram, MachineVerdict]:
        program = self.program(*gone)
        whole = self.whole
        return program, judge(program, self.test, whole.permitted, whole.hardware, ending=whole.ending)


def _reason(
    trial: _Trial, alone: dict[int, tuple[MachineProgram, MachineVerdict]], number: int
) -> tuple[str, int | None]:
    """Return what becomes of a wait, and the other one that does the same."""
    program, judged = alone[number]
    if program.hazards:
        return "register", None
    if judged.verdict != "sound":
        return {"unsound": "memory"}.get(judged.verdict, "unknown"), None
    if used_at_once(trial.lines, number):
        return "overlooked", None
    if _idle(trial.whole.program, number + 1):
        return "idle", None
    for other in sorted(alone, key=lambda k: (abs(k - number), k)):
        if other == number:
            continue
        both, more = trial.without(number, other)
        if set(both.hazards) - set(alone[other][0].hazards):
            return "subsumed", other
        rows = set(unmatched(sorted(more.found, key=repr), trial.whole.permitted.outcomes))
        if not both.hazards and rows - set(alone[other][1].found):
            return "subsumed", other
    return "unneeded", None


def _idle(program: MachineProgram, line: int) -> bool:
    """Say whether nothing of the test's memory is on its way at a wait."""
    at = {(thread, i.number) for thread, s in enumerate(program.streams) for i in s.instructions if i.span.line == line}
    return all(idle(program, e) for e in elements(program) if (e.thread, e.instruction) in at)


def used_at_once(lines: list[str], gone: int) -> bool:
    """Say by the text alone whether a result is used in its block with no wait at all since its load."""
    for start in range(gone - 1, -1, -1):
        if _BLOCK.match(lines[start]) or _WAIT.match(lines[start]):
            return False
        loaded = _LOAD.match(lines[start])
        if not loaded:
            continue
        mine = registers(loaded[2])
        for number in range(start + 1, len(lines)):
            if _BLOCK.match(lines[number]) or (number != gone and _WAIT.match(lines[number])):
                break
            if number > gone and mine & registers(_beside(loaded[0], lines[number].split(";")[0])):
                return True
    return False


def _beside(load: str, line: str) -> str:
    """Return what of a line may touch what a load returns: not the register of which it loads the other half."""
    halves = [_HALF.search(each) for each in (load, line)]
    both = [half[1] for half in halves if half]
    return line.partition(",")[2] if len({*both}) == 2 else line


def registers(text: str) -> set[str]:
    """Return the registers that a text names."""
    found = set()
    for kind, first, last, single in _REGISTER.findall(text):
        start, end = (int(single), int(single)) if single else (int(first), int(last))
        found |= {f"{kind}{number}" for number in range(start, end + 1)}
    return found
