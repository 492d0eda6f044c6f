"""Programs from which something is left out.

What goes in: a machine program, and which of its elements to leave out: an instruction, a counter of a wait, a bit.
What comes out: the program without them. Numbers of instructions stay what they are, so elements name the same thing
in all mutants of a program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from axmem.codegen.instructions import InstructionKind
from axmem.codegen.machine.build import maintenance
from axmem.codegen.machine.families import machine_of
from axmem.codegen.machine.program import Access, MachineInstruction, MachineProgram, ProgramElement, Wait
from axmem.front.records import replace

KINDS = ("wait", "bit", "invalidate", "writeback")
"""What kinds of elements there are."""


def kind_of(program: MachineProgram, element: ProgramElement) -> str:
    """Return which of KINDS an element is."""
    kind = program.instruction(element).kind
    return "bit" if kind is InstructionKind.ACCESS else kind.value


def elements(program: MachineProgram) -> Iterator[ProgramElement]:
    """Yield what may be left out alone, in the order of the program.

    Of a wait each counter, of an invalidate or writeback the whole and each bit without which it does something else,
    of an access each bit that says how far it goes.
    """
    for thread, stream in enumerate(program.streams):
        for instruction in stream.instructions:
            whole = instruction.kind in (InstructionKind.INVALIDATE, InstructionKind.WRITEBACK)
            if whole:
                yield ProgramElement(thread, instruction.number)
            for part in instruction.parts:
                if len(instruction.parts) > 1 or not whole:
                    yield ProgramElement(thread, instruction.number, part)


def without(program: MachineProgram, left_out: Iterable[ProgramElement]) -> MachineProgram:
    """Return the program without some elements. Raises ValueError for one whose absence has no meaning."""
    gone: dict[tuple[int, int], set[str]] = {}
    for element in left_out:
        gone.setdefault((element.thread, element.instruction), set()).add(element.part)
    streams = []
    for thread, stream in enumerate(program.streams):
        kept = []
        for instruction in stream.instructions:
            parts = gone.get((thread, instruction.number), set())
            rest = _without_parts(program, instruction, parts) if parts else instruction
            if rest is not None:
                kept.append(rest)
        streams.append(replace(stream, instructions=tuple(kept)))
    return program.with_streams(tuple(streams))


def _without_parts(
    program: MachineProgram, instruction: MachineInstruction, parts: set[str]
) -> MachineInstruction | None:
    """Return an instruction without some parts, or None if nothing of it is left."""
    if "" in parts:
        return None
    operation, machine = instruction.operation, machine_of(program.family)
    bits = tuple(bit for bit in instruction.bits if bit not in parts)
    text = " ".join(word for word in instruction.text.split() if word not in parts)
    rest = tuple(part for part in instruction.parts if part not in parts)
    if isinstance(operation, Wait):
        limits = tuple(limit for limit in operation.limits if limit[0] not in parts)
        text = " ".join(w for w in instruction.text.split() if w.split("(")[0] not in parts)
        return replace(instruction, operation=Wait(limits), parts=rest, text=text) if limits else None
    if isinstance(operation, Access):
        scope = machine.scope(operation.action.value, bits)
        if scope is None:
            raise ValueError(f"'{text}' has no meaning")
        return replace(instruction, operation=replace(operation, scope=scope), parts=rest, bits=bits, text=text)
    changed = maintenance(machine, " ".join((instruction.mnemonic, *bits)))
    if changed is None:
        raise ValueError(f"'{text}' has no meaning")
    return replace(instruction, operation=changed, parts=rest, bits=bits, text=text)


def idle(program: MachineProgram, element: ProgramElement) -> bool:
    """Tell whether an element is a wait for nothing: no earlier instruction of the wave is counted there."""
    instruction = program.instruction(element)
    if not isinstance(instruction.operation, Wait) or not element.part:
        return False
    wave = program.streams[element.thread].wave
    return not any(
        element.part in other.counters
        for thread, stream in enumerate(program.streams)
        if stream.wave == wave
        for other in stream.instructions
        if thread != element.thread or other.number < element.instruction
    )
