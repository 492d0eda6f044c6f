"""A program in which a read is repeated until it has a value, as a loop that only waits would do.

What goes in: a program, one of the values that it shows, and what that is to be. What comes out: the program in which
the loads that the value comes from are the loop's one iteration, and what follows in their stream happens behind it; so
that `hangs.py` finds whether the loop waits for ever. Nothing, where the value does not come from loads alone, or where
the program itself waits for it in a loop. Invariant: nothing but the loads is repeated, least of all an invalidate.
"""

from __future__ import annotations

from axmem.codegen.machine.program import (
    Access,
    Action,
    Footprint,
    MachineInstruction,
    MachineProgram,
    Operation,
    WaitingLoop,
)
from axmem.events.graph import Choice, Require
from axmem.events.values import Constant, ReadOf, choices_of, reads_of
from axmem.front.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Poll:
    """The loads that a value comes from, by their stream and their numbers, and the groups that they read."""

    stream: int
    numbers: frozenset[int]
    groups: frozenset[int]


def poll_of(program: MachineProgram, shown: int) -> Poll | None:
    """Return the loads that the value shown at a place comes from, None if they cannot be repeated alone."""
    lanes = program.observed[shown]
    if len(lanes) != 1 or choices_of(lanes[0]) or not reads_of(lanes[0]):
        return None
    wanted = reads_of(lanes[0])
    found = [
        (stream, instruction, {f.group for f in access.footprints})
        for stream, row in enumerate(program.streams)
        for instruction in row.instructions
        if isinstance(access := instruction.operation, Access) and wanted & _reads(access)
    ]
    streams = {stream for stream, _, _ in found}
    if len(streams) != 1 or wanted - {read for _, i, _ in found for read in _reads(i.operation)}:
        return None
    (stream,), numbers = streams, frozenset(i.number for _, i, _ in found)
    if any(loop.stream == stream and loop.numbers & numbers for loop in program.waits):
        return None
    if any(i.operation.action is not Action.LOAD for _, i, _ in found if isinstance(i.operation, Access)):
        return None
    return Poll(stream, numbers, frozenset().union(*(groups for _, _, groups in found)))


def _footprints(operation: Operation) -> tuple[Footprint, ...]:
    return operation.footprints if isinstance(operation, Access) else ()


def _reads(operation: Operation) -> frozenset[int]:
    return frozenset(index for f in _footprints(operation) for read in f.reads for index in read.reads)


def waits_for_nothing(program: MachineProgram, shown: int, value: int) -> bool:
    """Say whether a value that is shown is what memory holds at first, and nobody writes it: a loop has it at once, or
    sees that something else is newer."""
    lane = program.observed[shown][0]
    if not isinstance(lane, ReadOf):
        return False
    every = [f for s in program.streams for i in s.instructions for f in _footprints(i.operation)]
    cells = {read.cell for f in every for read in f.reads if lane.event in read.reads}
    written = [write.value for f in every for write in f.writes if write.cell in cells]
    first = all(program.initial[cell] == value for cell in cells)
    return first and all(isinstance(each, Constant) and each.value != value for each in written)


def polled(program: MachineProgram, shown: int, value: int) -> MachineProgram | None:
    """Return a program whose loads for what is shown at a place are repeated until it has a value."""
    poll = poll_of(program, shown)
    if poll is None:
        return None
    row = program.streams[poll.stream].instructions
    loads = [i for i in row if i.number in poll.numbers]
    again, last = len(program.choices), max(poll.numbers)
    choice = Choice(again, loads[0].guard, program.observed[shown][0], (value, None))

    def behind(instruction: MachineInstruction) -> MachineInstruction:
        if instruction.number <= last:
            return instruction
        return replace(instruction, guard=(*instruction.guard, (again, 0)))

    streams = list(program.streams)
    streams[poll.stream] = replace(streams[poll.stream], instructions=tuple(map(behind, row)))
    loop = WaitingLoop(poll.stream, (*loads[0].guard, (again, 1)), poll.numbers, loads[0].span)
    return replace(
        program, streams=tuple(streams), choices=(*program.choices, choice), waits=(*program.waits, loop),
        requires=(Require(loop.guard, Constant(0)), *program.requires),
    )  # fmt: skip
