"""What leaving out the elements of a lowered test shows, as text and as a record.

What goes in: a verification and its `Ablation`. What comes out: lines in the order of the test, or plain data for JSON.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.codegen.machine.mutants import kind_of
from axmem.codegen.machine.program import MachineProgram, ProgramElement
from axmem.mapping.elements import Ablation, Core, ElementEffect, OutcomeDependence
from axmem.mapping.verification import Verification
from axmem.report.hazards import hang_record, hang_text, hazard_record, hazard_text


def lines(found: Verification, shown: Ablation) -> Iterator[str]:
    """Yield the report of an ablation."""
    wrong = {violation.state for violation in found.violations}
    if not found.hazards:
        yield "  its outcomes, and what each depends on:"
    yield from (_dependence(found.program, outcome, wrong) for outcome in shown.depends)
    yield "  without one of its waits, bits, invalidates or writebacks:"
    for effect in shown.effects:
        yield from _effect(found.program, effect)
    if found.hazards:
        yield "  its outcomes are not asked for: it uses registers too early"
        return
    if shown.registers:
        yield "  what its registers wait for, which stays in what follows:"
    yield from (f"    {element_text(found.program, e)}" for e in shown.registers)
    yield "  what keeps an outcome out, as little as will do:"
    if shown.cores is None:
        yield "    unknown, the search was cut"
    elif not shown.cores:
        yield "    every outcome happens"
    for core in shown.cores or ():
        yield from _core(found.program, core)


def _dependence(program: MachineProgram, outcome: OutcomeDependence, wrong: set[str]) -> str:
    on = ", ".join(element_text(program, e) for e in outcome.elements)
    bare = {True: "nothing: it is there without any of them", False: "no single one of them", None: "unknown"}
    mark = " (not permitted)" if outcome.state in wrong else ""
    return f"    {outcome.state}{mark}: {on or bare[outcome.bare]}"


def _effect(program: MachineProgram, effect: ElementEffect) -> Iterator[str]:
    text = element_text(program, effect.element)
    if effect.gained is None or effect.lost is None:
        yield f"    {text}: unknown, the search was cut"
        return
    said = [*(f"+ {state}" for state in effect.gained), *(f"- {state}" for state in effect.lost)]
    said += [f"register hazard: {hazard_text(hazard)}" for hazard in effect.hazards]
    said += [f"does not end: {hang_text(hang)}" for hang in effect.endless]
    yield f"    {text}: {'nothing changes' if not said else ''}".rstrip()
    yield from (f"      {state}" for state in said)


def _core(program: MachineProgram, core: Core) -> Iterator[str]:
    nothing = "" if core.elements else ": nothing has to, it does not happen without any of them"
    less = "" if core.exact else " (less may do: a search was cut)"
    yield f"    {core.state}{nothing}{less}" + (" (the model permits it)" if core.permitted else "")
    yield from (f"      {element_text(program, e)}" for e in core.elements)


def record(program: MachineProgram, shown: Ablation) -> dict[str, object]:
    """Return an ablation as plain data."""
    return {
        "elements": [
            {"element": element_text(program, e.element), "kind": kind_of(program, e.element),
             "gained": e.gained, "lost": e.lost, "hazards": [hazard_record(h) for h in e.hazards],
             "endless": [hang_record(h) for h in e.endless]}
            for e in shown.effects
        ],
        "outcomes": [
            {"outcome": d.state, "depends": [element_text(program, e) for e in d.elements], "bare": d.bare}
            for d in shown.depends
        ],
        "registers": [element_text(program, e) for e in shown.registers],
        "kept_out": None
        if shown.cores is None
        else [
            {"outcome": c.state, "by": [element_text(program, e) for e in c.elements],
             "exact": c.exact, "permitted": c.permitted}
            for c in shown.cores
        ],
    }  # fmt: skip


def element_text(program: MachineProgram, element: ProgramElement) -> str:
    """Return an element as reports name it: the thread, the instruction with its line, and the part.

    Of several that read the same it says which one it is, in the order of the thread. An element of assembly is one in
    all executions of its line, of which others may be in other threads.
    """
    instruction = program.instruction(element)
    line = f":{instruction.span.line}" if instruction.span.line else ""
    part = f", {element.part}" if element.part else ""
    alike = [
        (thread, i.number)
        for thread, stream in enumerate(program.streams)
        for i in stream.instructions
        if (i.text, i.span.line) == (instruction.text, instruction.span.line)
        and (not element.part or element.part in i.parts)
    ]
    which, others = "", len({thread for thread, _ in alike}) - 1
    if instruction.statement:
        mine = [number for thread, number in alike if thread == element.thread]
        which = f" ({mine.index(element.instruction) + 1} of {len(mine)})" if mine[1:] else ""
        others = 0
    thread = program.streams[element.thread].thread + (f" and {others} more" if others else "")
    return f"{thread}{line} {instruction.text}{part}{which}"
