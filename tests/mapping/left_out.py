"""Elements of assembly left out twice: by the matrix of `axmem verify --needs`, and by hand from the text.

What goes in: a test, its assembly, a target. What comes out: for each element, and each group of which one has to stay,
what the matrix says of it, and what `verify` says of the text without it. Neither knows of the other: the text is
edited here, and a read that the matrix repeats is put into a loop of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random

from axmem.codegen.machine.explore import explore
from axmem.codegen.machine.mutants import kind_of
from axmem.codegen.machine.polls import poll_of
from axmem.codegen.machine.program import ProgramElement, RegisterHazard
from axmem.codegen.targets import Target
from axmem.encoder.solve import Row
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.compiled import assembled
from axmem.mapping.elements import Mutants
from axmem.mapping.loops import LoopNeeds
from axmem.mapping.matrix import Matrix, NeedsCell, matrix
from axmem.mapping.verification import Exploration, Verification, verify_program
from axmem.model.library import load

STATES = 20_000
"""States of the machine in each placement; a program with more is not compared."""
Hazards = frozenset[tuple[int, str, tuple[str, ...], str, int]]
States = frozenset[Row]
Place = tuple[int, str]
"""A line, and what of it is left out; all, if that is empty."""


@dataclass(frozen=True)
class Said:
    """What is lost without something: registers, outcomes that appear (forbidden or permitted), the end of a loop."""

    hazards: Hazards = frozenset()
    forbidden: States = frozenset()
    allowed: States = frozenset()
    endless: bool = False


@dataclass(frozen=True)
class Compared:
    """What is said of an element, by the matrix and by `verify` of the text without it."""

    test: str
    target: str
    element: str
    said: Said
    verified: Said
    kind: str = ""
    """What the element is; nothing of a set."""

    @property
    def equal(self) -> bool:
        """Whether both say the same."""
        return self.said == self.verified


def verified(test: LitmusTest, text: str, where: Target) -> Verification:
    """Return what verify says of a text."""
    exploration = Exploration(robust=False, limit=STATES)
    found = verify_program(assembled(test, where, text, "left-out.s"), test, where, load("amdgpu"), exploration)
    return replace(found, assembly=text)


def compared(test: LitmusTest, text: str, where: Target, most: int | None = None) -> Iterator[Compared]:
    """Yield the comparison of each element, or of so many that are drawn, each group among them, and each read that is
    repeated; nothing if a search is cut."""
    whole = verified(test, text, where)
    if whole.incomplete:
        return
    every = Mutants(whole).every
    drawn = None if most is None else Random(f"{test.name} {where.name}").sample(every, min(most, len(every)))
    made = matrix(whole, None if drawn is None else tuple(drawn))
    for element in made.elements:
        cells = [row.cells[element] for row in made.rows]
        if not any(cell.cut for cell in cells):
            at = place(whole, element)
            other = _new(whole, verified(test, without(text, [at]), where))
            said = _of(cells, made.own_loops, element)
            name, kind = "{}: {}".format(*at), kind_of(whole.program, element)
            yield Compared(test.name, where.name, name, said, other, kind)
    yield from _sets(whole, made)
    yield from _repeated(whole, made)


def _of(cells: Iterable[NeedsCell], loops: LoopNeeds, element: ProgramElement) -> Said:
    """Return what the cells of an element say."""
    known = list(cells)
    hazards = _hazards(hazard for cell in known for hazard in cell.hazards)
    if hazards:
        return Said(hazards)
    forbidden = frozenset(state for cell in known for state in cell.gained)
    allowed = frozenset(state for cell in known for state in cell.allowed)
    return Said(hazards, forbidden, allowed, element in loops.alone)


def _new(whole: Verification, other: Verification) -> Said:
    """Return what verify says of the text without something, and not of the text with it."""
    hazards = [hazard for hazard in other.hazards if hazard not in whole.hazards]
    if hazards or other.hazards:
        return Said(_hazards(hazards))
    wrong = frozenset(violation.row for violation in other.violations)
    appearing = frozenset(other.found) - frozenset(whole.found)
    known = {each.hang._replace(node="") for each in whole.endless}
    endless = any(each.hang._replace(node="") not in known for each in other.endless)
    return Said(frozenset(), appearing & wrong, appearing - wrong, endless)


def _sets(whole: Verification, made: Matrix) -> Iterator[Compared]:
    """Yield of each group whether the text without it is broken so, and, where groups are known to be the smallest,
    without all but one of it is not; and whether registers are too early with nothing but what they wait for."""
    every = {element: place(whole, element) for element in made.elements}

    def left_out(elements: Iterable[ProgramElement]) -> Said:
        text = without(whole.assembly, [every[element] for element in elements])
        return _new(whole, verified(whole.test, text, whole.target))

    own = {frozenset(group.elements) for group in made.own_loops.groups}
    smallest = {group: row.exact for row in made.rows for group in row.groups}
    for group in smallest:
        waits = frozenset(group.elements) in own
        if not group.gained and not waits:
            continue
        for stays in (None, *(group.elements if smallest[group] else ())):
            gone = [element for element in group.elements if element != stays]
            other, name = left_out(gone), f"{[every[e] for e in gone]}, of a group"
            said = Said(forbidden=frozenset(group.gained), endless=waits) if stays is None else Said()
            has = Said(forbidden=other.forbidden & frozenset(group.gained), endless=waits and other.endless)
            yield Compared(whole.test.name, whole.target.name, name, said, has)
    if not whole.hazards:
        free = [element for element in made.elements if element not in made.registers]
        found = Said(left_out(free).hazards)
        yield Compared(whole.test.name, whole.target.name, "all that registers do not wait for", Said(), found)


def _repeated(whole: Verification, made: Matrix) -> Iterator[Compared]:
    """Yield of each read that the matrix repeats whether the text in which a loop does so ends, and without what it
    needs does not. Verify says nothing of it: other accesses race where the message is missed, which no loop does."""
    for (shown, value), needs in made.polls.items():
        at = poll_of(whole.program, shown)
        if at is None or not isinstance(value[0], int):
            continue
        lines = {i.span.line for i in whole.program.streams[at.stream].instructions if i.number in at.numbers}
        for element in (None, *needs.alone):
            gone = [] if element is None else [place(whole, element)]
            text = in_loop(without(whole.assembly, gone), min(lines), value[0])
            found = assembled(whole.test, whole.target, text, "repeated.s")
            some = (explore(laid, limit=STATES) for laid in whole.hardware.laid_out(found))
            hung = any(hang.loop.line == min(lines) + 1 for explored in some for hang in explored.hangs)
            name = f"{gone} of the read at line {min(lines)} for {value[0]}"
            said = Said(endless=element is not None)
            yield Compared(whole.test.name, whole.target.name, name, said, Said(endless=hung))


def in_loop(text: str, line: int, value: int) -> str:
    """Return assembly in which a load is repeated until it returns a value; a label stands where it stood."""
    lines = text.split("\n")
    load = lines[line - 1].partition(";")[0].strip()
    register = load.split()[1].rstrip(",")
    wait = "s_wait_loadcnt 0x0" if "s_wait_" in text else "s_waitcnt vmcnt(0)"
    again = [f"v_readfirstlane_b32 s30, {register}", f"s_cmp_lg_u32 s30, {value}", "s_cbranch_scc1 .Lrepeated"]
    lines[line - 1] = "\n\t".join([".Lrepeated:", load, wait, *again])
    return "\n".join(lines)


def place(whole: Verification, element: ProgramElement) -> Place:
    """Return the line of an element, and its part."""
    return whole.program.instruction(element).span.line, element.part


def _hazards(hazards: Iterable[RegisterHazard]) -> Hazards:
    return frozenset((h.span.line, h.kind.value, h.registers, h.counter, h.awaited_span.line) for h in hazards)


def without(text: str, gone: Iterable[Place]) -> str:
    """Return assembly without some parts of its lines; without all of a line if a part is empty."""
    lines = text.split("\n")
    for number, part in sorted(gone, reverse=True):
        lines[number - 1] = _line(lines[number - 1], part)
    return "\n".join(lines)


def _line(line: str, part: str) -> str:
    """Return a line without a counter or bit: `s_wait_loadcnt_dscnt 0x0` without loadcnt is `s_wait_dscnt 0x0`."""
    code = line.partition(";")[0].rstrip()
    wait = re.fullmatch(r"\s*s_wait_([a-z]+cnt)(?:_(dscnt))?\s+(\w+)", code)
    if not part or (wait and not wait[2]) or re.match(r"\s*s_waitcnt_\w+", code):
        return ""
    if wait:
        other, shift = (wait[2], 0) if part == wait[1] else (wait[1], 8)
        return f"\ts_wait_{other} {int(wait[3], 16) >> shift & 0x3F:#x}"
    if code.strip().startswith("s_waitcnt"):
        rest = re.sub(rf"\b{part}\(\d+\)", "", code)
        return rest if "(" in rest else ""
    words = code.split(" ")
    last = len(words) - 1 - words[::-1].index(part)
    return " ".join(words[:last] + words[last + 1 :])
