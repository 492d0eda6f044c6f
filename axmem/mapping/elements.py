"""A program of a verification without some of its waits, bits, invalidates and writebacks, whichever are left out.

What goes in: a verification. What comes out: of any set of its elements the outcomes of the program without them, the
registers that are then used too early, the loops that then wait for ever; of what else breaks a program the smallest
sets that do. Invariant: that something does not appear rests on complete searches, else the answer is `None`; and code
without an element is what `verify` makes of the text without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import TypeAlias

from axmem.codegen.assembly import mutants as assembly
from axmem.codegen.assembly.program import assembly_program
from axmem.codegen.assembly.text import read_listing
from axmem.codegen.machine.explore import explore
from axmem.codegen.machine.hangs import Hang
from axmem.codegen.machine.mutants import elements, idle, without
from axmem.codegen.machine.placements import WavePlacement
from axmem.codegen.machine.program import MachineProgram, ProgramElement, RegisterHazard, Wait
from axmem.codegen.machine.smt.constraints import ElementExclusion, Unsupported
from axmem.encoder.solve import Row
from axmem.encoder.solver import Session
from axmem.front.records import dataclass, replace
from axmem.mapping.verification import EndlessLoop, Verification, kept

Rows: TypeAlias = frozenset[Row]
Elements: TypeAlias = tuple[ProgramElement, ...]
EFFORT = 50_000_000
"""How many of its steps the solver may take for one question before the states are walked instead: some 20 seconds."""
GROUPS = 8
"""How many smallest sets are looked for at most."""
CUT = 12
"""After so many searches that were cut, which take longest, no further ones are made for groups."""


@dataclass(frozen=True, slots=True)
class SmallestSets:
    """Sets that break a program if all of one are left out, and not if one of it stays; `exact` if these are all."""

    sets: tuple[Elements, ...]
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Explorations:
    """The outcomes of a program, each with the first placement that has it, and the loops that wait for ever, by what
    is the same of them in all placements: all there are, if `complete`."""

    outcomes: dict[Row, WavePlacement]
    endless: dict[Hang, EndlessLoop]
    complete: bool


class Mutants:
    """A program without some of its elements, each set of them explored once.

    An element of assembly is a part of a line, in all of its executions: the first of them stands for it in `every`.
    """

    def __init__(self, found: Verification) -> None:
        self.found = found
        self.listing = read_listing(found.assembly, found.program.name) if found.assembly else None
        self.groups = self._groups()
        self.every = tuple(self.groups)
        self.programs: dict[frozenset[ProgramElement], MachineProgram] = {}
        self.known: dict[frozenset[ProgramElement], Explorations] = {}
        self.cut = 0
        """How many programs of which an outcome was asked had a search that was cut."""
        self.exclusion: ElementExclusion | None = None
        cut = any(not each.updates for each in found.program.beyond)
        self.solving = not cut and not (self.listing and any(_leaving(found.program)))
        """Whether the constraints are asked: of loops they have as many iterations as the program. How many known
        operations a wait of assembly leaves depends on the lines before it, unless it leaves none."""

    def _groups(self) -> dict[ProgramElement, frozenset[ProgramElement]]:
        alike: dict[object, list[ProgramElement]] = {}
        for element in elements(self.found.program):
            line = self.found.program.instruction(element).span.line
            alike.setdefault((line, element.part) if self.listing else element, []).append(element)
        return {some[0]: frozenset(some) for some in alike.values()}

    def program(self, left_out: Iterable[ProgramElement]) -> MachineProgram:
        """Return the program without some elements: of assembly, what the file without them is to the machine."""
        gone = frozenset(left_out)
        if gone not in self.programs:
            self.programs[gone] = self._made(gone)
        return self.programs[gone]

    def _made(self, gone: frozenset[ProgramElement]) -> MachineProgram:
        whole, target = self.found.program, self.found.target
        if self.listing is None or not gone:
            return without(whole, gone)
        lines: dict[int, set[str]] = {}
        for element in gone:
            lines.setdefault(whole.instruction(element).span.line, set()).add(element.part)
        rest = assembly.without(self.listing, lines, target.family)
        return assembly_program(self.found.test, target, rest)

    def hazards(self, left_out: Iterable[ProgramElement]) -> tuple[RegisterHazard, ...]:
        """Return what is too early for its registers without some elements, and is not so with them."""
        return tuple(h for h in self.found.standing(self.program(left_out)) if h not in self.found.hazards)

    def registers(self) -> tuple[ProgramElement, ...]:
        """Return elements with which alone nothing is too early for its registers: in order, what may go is gone."""
        if not self.hazards(self.every):
            return ()
        gone: tuple[ProgramElement, ...] = ()
        for element in self.every:
            gone = gone if self.hazards((*gone, element)) else (*gone, element)
        return tuple(e for e in self.every if e not in gone)

    def explored(self, left_out: Iterable[ProgramElement]) -> Explorations:
        """Return what the program does without some elements."""
        gone = frozenset(left_out)
        if gone not in self.known:
            self.known[gone] = self.exploring(self.program(gone))
        return self.known[gone]

    def single(self, element: ProgramElement) -> Elements:
        """Return an element to leave out; nothing if it is a wait for nothing, unless translations wait there."""
        replayed = self.found.hardware.switches["xnack_replay"] == "on"
        if not replayed and all(idle(self.found.program, each) for each in self.groups[element]):
            return ()
        return (element,)

    def exploring(self, program: MachineProgram) -> Explorations:
        """Run a program in every placement, up to the first in which the search is cut."""
        found = Explorations({}, {}, complete=True)
        for laid in self.found.hardware.laid_out(program):
            explored = explore(laid, limit=self.found.hardware.limit)
            for row in kept(explored, self.found.test, self.found.permitted):
                found.outcomes.setdefault(row, laid.placement)
            for hang in self.found.ending.endless(explored):
                found.endless.setdefault(hang._replace(node=""), EndlessLoop(hang, laid.placement))
            if explored.incomplete:
                return replace(found, complete=False)
        return found

    def appears(self, row: Row, left_out: Iterable[ProgramElement]) -> bool | None:
        """Say whether the program has an outcome without some elements; None if it was not found by a search that was
        cut, or such searches were too many."""
        gone = frozenset(left_out)
        if gone not in self.known and self.solving:
            try:
                return self.solved(row, gone)
            except Unsupported:
                self.solving = False
        if gone not in self.known:
            if self.cut == CUT:
                return None
            self.cut += not self.explored(gone).complete
        found = self.explored(gone)
        return True if row in found.outcomes else False if found.complete else None

    def solved(self, row: Row, gone: Iterable[ProgramElement]) -> bool:
        """Say the same by the constraints. Raises Unsupported if they do not have the machine, or give up."""
        if self.exclusion is None:
            laid = self.found.hardware.laid_out(self.found.program)
            self.exclusion = ElementExclusion(laid, Session(), effort=EFFORT)
        return not self.exclusion.excludes(row, [each for element in gone for each in self.groups[element]])


def smallest(universe: Sequence[ProgramElement], breaks: Callable[[Elements], bool | None]) -> SmallestSets:
    """Return the smallest sets of some elements that break a program if they are left out.

    A set that holds one that breaks is taken to break, too. Every smallest set meets each choice of what stays: while
    the rest beside such a choice breaks the program, it holds a further one.
    """
    found: list[Elements] = []
    exact, tried = True, set[frozenset[ProgramElement]]()
    while True:
        for staying in product(*found):
            rest = tuple(element for element in universe if element not in staying)
            if frozenset(rest) in tried:
                continue
            tried.add(frozenset(rest))
            broken = breaks(rest)
            exact &= broken is not None
            if broken:
                break
        else:
            return SmallestSets(tuple(found), exact)
        if len(found) == GROUPS:
            return SmallestSets(tuple(found), exact=False)
        for element in rest:
            fewer = tuple(other for other in rest if other != element)
            broken = breaks(fewer)
            exact &= broken is not None
            rest = fewer if broken else rest
        found.append(rest)


def _leaving(program: MachineProgram) -> Iterator[int]:
    """Yield how many operations each wait leaves on their way."""
    for stream in program.streams:
        for instruction in stream.instructions:
            if isinstance(instruction.operation, Wait):
                yield from (limit for _, limit in instruction.operation.limits)
