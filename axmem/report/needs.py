"""What each allowed behaviour of a program needs: as a grid, in words, as a record, and what is lost without.

What goes in: a verification and its `Matrix`. What comes out: blocks, whose table has a row for each value of the flags
or, for a terminal, a column; what appears without an element, with its timeline; plain data for JSON. Values of flags
that need nothing are one row, and another those that never come; what needs progress alone is told by the value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from axmem.check.results import format_lanes
from axmem.codegen.instructions import InstructionKind
from axmem.codegen.machine.mutants import kind_of
from axmem.codegen.machine.program import MachineProgram, ProgramElement
from axmem.encoder.solve import Row
from axmem.events.values import Value
from axmem.front.records import dataclass
from axmem.front.source import did_you_mean, mistake
from axmem.mapping.matrix import ALLOWED, NEEDED, NOTHING, UNKNOWN, Matrix, NeedsCell, NeedsGroup, NeedsRow, matrix
from axmem.mapping.verification import EndlessLoop, Verification, Violation, state_text
from axmem.report.hazards import hang_record, hang_text, hazard_record, hazard_text
from axmem.report.pictures.grid_svg import as_svg
from axmem.report.printers.text import lines as text_lines
from axmem.report.printers.text import words
from axmem.report.timeline import execution
from axmem.report.tree import Block, Code, Line, Link, Paragraph, Program, Section, anchor_of, bullets, table

Elements: TypeAlias = tuple[ProgramElement, ...]
EVERY = "all"
"""What is written for all elements."""
CELLS = (
    "An outcome promises what the model does not permit beside its flags: the values of its atomic reads, and the last "
    "ones of memory that atomics alone access. Without an element of the code `needed`: an outcome appears that breaks "
    "the promise; `progress`: a loop, or a load repeated alone until it returns the flag, does not end; "
    "`v3 for line 124`: that line uses a register too early; `allowed`: what appears the model permits; `one of a`: "
    "one of that group has to stay; `–`: nothing."
)
"""What cells say."""
WIDE = 12
"""Of how many elements at most each has a column of its own where a page is printed."""
SHOWN = 4
"""How many outcomes that appear without an element are shown as timelines."""


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of the grid: the flags, the promise, what is said of each element."""

    flags: str
    promise: str
    cells: Mapping[ProgramElement, str]


@dataclass(frozen=True, slots=True)
class Needs:
    """A matrix that is to be shown: the names of the elements, the groups by their letters, the rows of the grid."""

    found: Verification
    matrix: Matrix
    names: Mapping[ProgramElement, str]
    groups: Mapping[str, NeedsGroup]
    rows: tuple[GridRow, ...]


def needs(found: Verification) -> Needs:
    """Return what a verified program needs, to be shown."""
    made = matrix(found)
    groups: dict[frozenset[ProgramElement], NeedsGroup] = {}
    for group in (group for row in made.rows for group in row.groups):
        same, old = frozenset(group.elements), groups.get(frozenset(group.elements), group)
        gained, endless = (*old.gained, *group.gained), (*old.endless, *group.endless)
        groups[same] = NeedsGroup(old.elements, tuple(dict.fromkeys(gained)), tuple(dict.fromkeys(endless)))
    lettered = {_letter(number): group for number, group in enumerate(groups.values())}
    return Needs(found, made, names(found.program, made.elements), lettered, tuple(_rows(found, made, lettered)))


def _letter(number: int) -> str:
    return chr(ord("a") + number % 26) + (str(number // 26) if number >= 26 else "")


# ---------------------------------------------------------------- names


def names(program: MachineProgram, elements: Iterable[ProgramElement]) -> dict[ProgramElement, str]:
    """Return a name for each element: thread, what it is, line; of several alike also which of them it is."""
    plain = {element: _name(program, element) for element in elements}
    alike = list(plain.values())
    seen: dict[str, int] = {}
    named = {}
    for element, name in plain.items():
        seen[name] = seen.get(name, 0) + 1
        named[element] = f"{name}#{seen[name]}" if alike.count(name) > 1 else name
    return named


_SHORT = {InstructionKind.INVALIDATE: "inv", InstructionKind.WRITEBACK: "wb"}


def _name(program: MachineProgram, element: ProgramElement) -> str:
    instruction = program.instruction(element)
    what = ".".join(filter(None, (_SHORT.get(instruction.kind, ""), element.part)))
    line = instruction.span.line or f"i{instruction.number}"
    return f"{program.streams[element.thread].thread}:{what}@{line}"


# ---------------------------------------------------------------- the grid


def _rows(found: Verification, made: Matrix, groups: Mapping[str, NeedsGroup]) -> Iterator[GridRow]:
    """Yield the rows of the grid."""
    own = bool(made.own_loops.alone or made.own_loops.groups)
    plain = [row for row in made.rows if not (own or row.forbidden or _changes(row))]
    waiting = [row for row in plain if any(at in made.polls for at in zip(made.flags, row.flags, strict=True))]
    idle = [row for row in plain if row not in waiting]
    never = [row for row in made.rows if row.forbidden and not (row.happens or row.permitted or row.groups)]
    never = [row for row in never if not _changes(row)]
    apart = [row for rows in (waiting, idle, never) if len(rows) > 1 for row in rows]
    for row in made.rows:
        if row not in apart:
            yield GridRow(_flags(found, made.flags, row.flags), promise(found, made, row), _said(row, groups))
    for (place, value), waits in made.polls.items() if len(waiting) > 1 else ():
        if any(row.flags[made.flags.index(place)] == value for row in waiting):
            cells = {e: NeedsCell(c.gained, c.allowed, c.hazards) for e, c in waiting[0].cells.items()}
            for element, loop in waits.alone.items():
                cells[element] = NeedsCell(hazards=cells[element].hazards, endless=(loop,))
            one = NeedsRow((), happens=True, broken=False, forbidden=(), permitted=(), cells=cells, groups=waits.groups)
            yield GridRow(f"{_flags(found, (place,), (value,))} …", "is read some time", _said(one, groups))
    if len(idle) > 1:
        yield GridRow("other outcomes", "none", _said(idle[0], groups))
    if len(never) > 1:
        yield GridRow("other values", promise(found, made, never[0]), _said(never[0], groups))


def _changes(row: NeedsRow) -> bool:
    """Say whether some cell of a row says more than that a loop does not end, or a register is not waited for."""
    return any({NEEDED, ALLOWED, UNKNOWN} & set(cell.words) for cell in row.cells.values()) or not row.exact


def _said(row: NeedsRow, groups: Mapping[str, NeedsGroup]) -> dict[ProgramElement, str]:
    """Return what the cells of a row say."""
    own = {frozenset(group.elements) for group in row.groups}
    lettered = [(letter, group.elements) for letter, group in groups.items() if frozenset(group.elements) in own]
    said = {}
    for element, cell in row.cells.items():
        told = [word for word in cell.words if word != NOTHING]
        if cell.hazards:
            told = [f"{', '.join(h.registers)} for line {h.span.line}" for h in cell.hazards[:1]]
        told += [f"one of {letter}" for letter, elements in lettered if element in elements]
        said[element] = ", ".join(told) or NOTHING
    return said


def _flags(found: Verification, places: Sequence[int], values: Sequence[tuple[Value, ...]]) -> str:
    """Return values of flags as outcomes show them."""
    said = [f"{_column(found, k)}={_value(found, k, value)}" for k, value in zip(places, values, strict=True)]
    return "  ".join(said) or ("not asked for" if found.hazards else "every outcome")


def _column(found: Verification, place: int) -> str:
    return found.permitted.columns[place].name


def _value(found: Verification, place: int, value: tuple[Value, ...]) -> str:
    return format_lanes(value, found.permitted.columns[place].type, found.permitted.locations)


def promise(found: Verification, made: Matrix, row: NeedsRow) -> str:
    """Return what cannot change while flags stay: `P1:r1 is not 0`."""
    if found.permitted.incomplete:
        return "unknown"
    if not row.forbidden:
        return "none"
    broken = " (broken)" * row.broken
    if not row.permitted:
        return f"does not happen{broken}"
    left, said = list(row.forbidden), []
    for place in (k for k in range(len(found.permitted.columns)) if k not in made.flags):
        possible = {other[place] for other in row.permitted}
        never = sorted({other[place] for other in row.forbidden} - possible, key=repr)
        left = [other for other in left if other[place] not in never]
        if never:
            values = " or ".join(_value(found, place, value) for value in never)
            said.append(f"{_column(found, place)} is not {values}")
    for other in left:
        rest = (k for k in range(len(other)) if k not in made.flags)
        said.append(f"not {' and '.join(f'{_column(found, k)}={_value(found, k, other[k])}' for k in rest)}")
    return ", ".join(said) + broken


# ---------------------------------------------------------------- blocks


def blocks(shown: Needs, *, why: Sequence[str] = (), turned: bool = False) -> Iterator[Block]:
    """Yield the table, its groups, and what is lost without some elements. `turned` it has a row for each element.

    Raises InputError for the name of an element that there is not.
    """
    if shown.matrix.cut:
        yield Paragraph("unknown, the search was cut")
        return
    lost = list(losses(shown, why))
    led = {name for name, _ in lost}
    if turned or len(shown.names) > WIDE:
        heads, *rows = _turned(shown, led)
        yield table(heads, rows, row_heads=2)
    else:
        yield from _upright(shown, led)
    groups = [_group(shown, letter, group) for letter, group in shown.groups.items()]
    if groups:
        yield bullets(groups)
    if any(not row.exact for row in shown.matrix.rows):
        yield Paragraph("there may be more groups, or smaller ones: a search was cut")
    yield from (section for _, section in lost)


def lines(shown: Needs, why: Sequence[str]) -> Iterator[str]:
    """Yield the report for a terminal. Raises InputError for the name of an element that there is not."""
    yield "  what its outcomes need:"
    yield from (f"    {line}".rstrip() for line in text_lines(blocks(shown, why=why, turned=True)))


def picture(shown: Needs) -> str | None:
    """Return the table as SVG, or None if there is none."""
    if shown.matrix.cut:
        return None
    title = f"What outcomes of {shown.found.test.name} need on {shown.found.target.label}"
    return as_svg([[words(cell) for cell in row] for row in _turned(shown)], title, (NOTHING, "none", ""))


def _upright(shown: Needs, led: Collection[str]) -> Iterator[Block]:
    """Yield the table with a row for each value of the flags, and what its heads stand for."""
    program = shown.found.program
    rows: list[list[Line]] = [[Code(row.flags), row.promise, *_cells(shown, row, led)] for row in shown.rows]
    yield table(["Outcomes", "Promise", *map(Code, shown.names.values())], rows, row_heads=1)
    legend: list[list[Line]] = [
        [Code(name), Code(instruction_text(program, e)), str(program.instruction(e).span.line or "")]
        for e, name in shown.names.items()
    ]
    yield table(["Element", "Instruction", "Line"], legend, row_heads=1)


def _turned(shown: Needs, led: Collection[str] = ()) -> list[list[Line]]:
    """Return the table with its heads, a row for each element."""
    columns: list[list[Line]] = [[Code(r.flags), r.promise, *_cells(shown, r, led)] for r in shown.rows]
    heads: list[list[Line]] = [["", ""], ["promise", ""]]
    program = shown.found.program
    texts: list[list[Line]] = [[Code(name), Code(instruction_text(program, e))] for e, name in shown.names.items()]
    return [[*head, *cells] for head, cells in zip([*heads, *texts], zip(*columns, strict=True), strict=True)]


def _cells(shown: Needs, row: GridRow, led: Collection[str]) -> Iterator[Line]:
    """Yield what a row says of each element; what is shown of it in a section leads there."""
    for element, name in shown.names.items():
        said = row.cells[element]
        yield Link(said, f"#{_anchor(shown, name)}") if name in led and said != NOTHING else said


def _group(shown: Needs, letter: str, group: NeedsGroup) -> str:
    has_to = f"{letter}: one of {', '.join(shown.names[e] for e in group.elements)} has to stay"
    lost = [f"this appears: {'; '.join(state_text(row, shown.found.permitted) for row in group.gained)}"]
    return ", or ".join([has_to, *lost * bool(group.gained), *["a loop does not end"] * bool(group.endless)])


def instruction_text(program: MachineProgram, element: ProgramElement) -> str:
    """Return the instruction of an element; of assembly also in how many threads it is."""
    instruction = program.instruction(element)
    threads = {
        thread
        for thread, stream in enumerate(program.streams)
        for i in stream.instructions
        if not instruction.statement and (i.text, i.span.line) == (instruction.text, instruction.span.line)
    }
    others = f" (in {len(threads)} threads)" if len(threads) > 1 else ""
    return instruction.text + others


# ---------------------------------------------------------------- what is lost


def losses(shown: Needs, wanted: Sequence[str]) -> Iterator[tuple[str, Section]]:
    """Yield what is lost without some elements and groups, by their names. Raises InputError for one that is none."""
    every: dict[str, Elements] = {name: (element,) for element, name in shown.names.items()}
    every |= {letter: group.elements for letter, group in shown.groups.items()}
    for name in every if EVERY in wanted else dict.fromkeys(wanted):
        if name not in every:
            hint = did_you_mean(name, every) or f"known: {EVERY}, {', '.join(every)}"
            raise mistake("--why", f"{shown.found.test.name} has no element '{name}'", hint, text=name)
        gone = every[name]
        title = f"without {', '.join(f'{shown.names[e]} ({instruction_text(shown.found.program, e)})' for e in gone)}"
        lost = list(_lost(shown, name, gone)) or [Paragraph("nothing changes")]
        if EVERY not in wanted or lost[0] != Paragraph("nothing changes"):
            yield name, Section(title, tuple(lost), _anchor(shown, name))


def _anchor(shown: Needs, name: str) -> str:
    return anchor_of(f"{shown.found.test.name} {shown.found.target.label} without {name}")


def _lost(shown: Needs, name: str, gone: Elements) -> Iterator[Block]:
    """Yield what is lost without some elements: registers, progress, and the outcomes that appear."""
    rows = shown.matrix.rows
    group = shown.groups.get(name)
    some: list[NeedsCell | NeedsGroup] = [row.cells[gone[0]] for row in rows] if group is None else [group]
    hazards = {h: None for each in some if isinstance(each, NeedsCell) for h in each.hazards}
    yield from (Paragraph(f"register hazard: {hazard_text(hazard)}") for hazard in hazards)
    for loop in dict.fromkeys(loop for each in some for loop in each.endless):
        yield Paragraph(f"does not end: {_endless(shown, loop)}, in placement {loop.placement.text}")
    appearing = [(row, "not permitted") for each in some for row in each.gained]
    appearing += [(row, "the model permits it, too") for e in some if isinstance(e, NeedsCell) for row in e.allowed]
    for row, standing in appearing[:SHOWN]:
        yield from _appearing(shown, gone, row, standing)
    if len(appearing) > SHOWN:
        yield Paragraph(f"and {len(appearing) - SHOWN} more outcomes")


def _endless(shown: Needs, loop: EndlessLoop) -> str:
    own = {each.span for each in shown.found.program.waits}
    return hang_text(loop.hang, repeated=loop.hang.loop not in own)


def _appearing(shown: Needs, gone: Elements, row: Row, standing: str) -> Iterator[Block]:
    """Yield an outcome that appears without some elements, with an execution."""
    mutants = shown.matrix.mutants
    state, placement = state_text(row, shown.found.permitted), mutants.explored(gone).outcomes.get(row)
    if placement is None:
        yield Paragraph(f"{state}, {standing}")
        return
    yield Paragraph(f"{state}, {standing}, in placement {placement.text}:")
    lines = execution(mutants.program(gone), Violation(row, state, placement), shown.found.hardware.switches)
    yield Program("\n".join(lines))


# ---------------------------------------------------------------- the record


def record(shown: Needs) -> dict[str, Any]:
    """Return what a program needs as plain data."""
    found, made, program = shown.found, shown.matrix, shown.found.program

    def states(rows: Iterable[Row]) -> list[str]:
        return [state_text(row, found.permitted) for row in rows]

    def loops(some: Iterable[EndlessLoop]) -> list[dict[str, object]]:
        return [{**hang_record(loop.hang), "placement": loop.placement.text} for loop in some]

    def cell(of: NeedsCell) -> dict[str, Any]:
        return {
            "says": list(of.words), "gained": states(of.gained), "allowed": states(of.allowed),
            "hazards": [hazard_record(h) for h in of.hazards], "endless": loops(of.endless),
        }  # fmt: skip

    def group(of: NeedsGroup) -> dict[str, Any]:
        named = [shown.names[e] for e in of.elements]
        return {"one_of": named, "gained": states(of.gained), "endless": loops(of.endless)}

    return {
        "elements": [
            {"name": name, "thread": program.streams[e.thread].thread, "line": program.instruction(e).span.line or None,
             "instruction": program.instruction(e).text, "part": e.part or None, "kind": kind_of(program, e)}
            for e, name in shown.names.items()
        ],
        "rows": [
            {"flags": {_column(found, k): _value(found, k, v) for k, v in zip(made.flags, row.flags, strict=False)},
             "happens": row.happens, "promise": promise(found, made, row), "forbidden": states(row.forbidden),
             "cells": {shown.names[e]: cell(of) for e, of in row.cells.items() if of.words != (NOTHING,)},
             "groups": list(map(group, row.groups)), "exact": row.exact}
            for row in made.rows
        ],
        "registers": [shown.names[e] for e in made.registers],
        "cut": made.cut,
    }  # fmt: skip
