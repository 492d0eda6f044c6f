"""What each wait, bit, invalidate and writeback of a lowered test does for its outcomes.

What goes in: a verification. What comes out: `Ablation`: for each element the outcomes that appear and disappear
without it, or the registers that are then used too early; for each outcome of the machine what it depends on; for each
that the elements keep out a minimal set that does. Invariant: an answer rests on complete searches, else it is `None`
or marked; and code without an element is what `verify` makes of the text without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from typing import TypeAlias

from axmem.check.compare import unmatched
from axmem.codegen.assembly import mutants as assembly
from axmem.codegen.assembly.program import assembly_program
from axmem.codegen.assembly.text import read_listing
from axmem.codegen.machine.explore import explore
from axmem.codegen.machine.hangs import Hang
from axmem.codegen.machine.mutants import elements, idle, without
from axmem.codegen.machine.program import MachineProgram, ProgramElement, RegisterHazard, Wait
from axmem.codegen.machine.smt.constraints import ElementExclusion, Unsupported
from axmem.encoder.solve import Row
from axmem.encoder.solver import Session
from axmem.front.records import dataclass
from axmem.mapping.verification import RACE, Verification, kept, state_text

Rows: TypeAlias = frozenset[Row]
EFFORT = 50_000_000
"""How many of its steps the solver may take for one question before the states are walked instead: some 20 seconds."""
COMBINED = 16
"""How many outcomes that the machine never has are listed at most."""


@dataclass(frozen=True, slots=True)
class ElementEffect:
    """What an element does: outcomes that only the program without it has, and that only the program with it has.

    Both are None if a search was cut. Where registers are then used too early (`hazards`) the program may do anything,
    and nobody asks for its outcomes. `endless` are the loops that wait for ever then, and do not so with it.
    """

    element: ProgramElement
    gained: tuple[str, ...] | None
    lost: tuple[str, ...] | None
    hazards: tuple[RegisterHazard, ...] = ()
    endless: tuple[Hang, ...] = ()


@dataclass(frozen=True, slots=True)
class OutcomeDependence:
    """An outcome of the machine, the elements without any one of which it is gone, and whether the program without
    all of them has it (None if that search was cut)."""

    state: str
    elements: tuple[ProgramElement, ...]
    bare: bool | None


@dataclass(frozen=True, slots=True)
class Core:
    """An outcome that the machine does not have, and a set of elements that keeps it out.

    The set is minimal, unless a search was cut (`exact` is false). An instruction of which a part is in the set is in
    it, too. An empty set says that the machine does not have the outcome even without all elements. `permitted` says
    that the model has it nevertheless.
    """

    state: str
    elements: tuple[ProgramElement, ...]
    exact: bool
    permitted: bool


@dataclass(frozen=True, slots=True)
class Ablation:
    """What leaving out shows. `cores` is None if a search was cut. It has the outcomes of the program without its
    elements, and what else can be put together from the values that they show, if that is not too much.

    `registers` are elements that registers wait for: with them alone none is used too early. They stay where sets are
    left out. Code that uses registers too early as it is has no outcomes, and no cores.
    """

    effects: tuple[ElementEffect, ...]
    depends: tuple[OutcomeDependence, ...]
    cores: tuple[Core, ...] | None
    registers: tuple[ProgramElement, ...] = ()


def ablation(found: Verification) -> Ablation:
    """Leave out each element of a test alone, then sets of them."""
    machine = Mutants(found)
    if found.hazards:
        return Ablation(tuple(machine.effect(e, None) for e in machine.every), (), None)
    registers = machine.registers()
    free = tuple(e for e in machine.every if e not in registers)
    whole, bare = machine.rows(()), machine.rows(free)
    effects = tuple(machine.effect(e, whole) for e in machine.every)
    depends = tuple(
        OutcomeDependence(
            state_text(row, found.permitted),
            tuple(e.element for e in effects if e.lost is not None and state_text(row, found.permitted) in e.lost),
            None if bare is None else row in bare,
        )
        for row in machine.ordered(whole or ())
    )
    if whole is None or bare is None:
        return Ablation(effects, depends, None, registers)
    cores = [machine.core(row, free) for row in machine.ordered(bare - whole)]
    cores += [machine.core(row, ()) for row in machine.ordered(_combined(whole | bare))]
    return Ablation(effects, depends, tuple(cores), registers)


def _combined(rows: Rows) -> Rows:
    """Return what else could be put together from the values of some outcomes; nothing if it is more than COMBINED."""
    columns = [set(values) for values in zip(*rows, strict=True)]
    if not rows or prod(map(len, columns)) - len(rows) > COMBINED:
        return frozenset()
    return frozenset(product(*columns)) - rows


class Mutants:
    """The outcomes of a program without some of its elements, each set of them explored once.

    An element of assembly is a part of a line, in all of its executions: the first of them stands for it in `every`.
    """

    def __init__(self, found: Verification) -> None:
        self.found = found
        self.listing = read_listing(found.assembly, found.program.name) if found.assembly else None
        self.groups = self._groups()
        self.every = tuple(self.groups)
        self.programs: dict[frozenset[ProgramElement], MachineProgram] = {}
        self.known: dict[frozenset[ProgramElement], Rows | None] = {}
        self.waiting: dict[frozenset[ProgramElement], dict[Hang, Hang]] = {}
        """The loops that wait for ever, by what is the same of them in all placements."""
        self.exclusion: ElementExclusion | None = None

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

    def rows(self, left_out: Iterable[ProgramElement]) -> Rows | None:
        """Return the outcomes over all placements, or None if a search was cut."""
        gone = frozenset(left_out)
        if gone not in self.known:
            self.known[gone] = self._explored(self.program(gone), self.waiting.setdefault(gone, {}))
        return self.known[gone]

    def single(self, element: ProgramElement) -> Rows | None:
        """Return the outcomes without one element. A wait for nothing changes none, unless translations wait there."""
        replayed = self.found.hardware.switches["xnack_replay"] == "on"
        if not replayed and all(idle(self.found.program, each) for each in self.groups[element]):
            return self.rows(())
        return self.rows((element,))

    def endless(self, element: ProgramElement) -> tuple[Hang, ...]:
        """Return the loops that wait for ever without an element, whose outcomes are known, and do not so with it."""
        if RACE in self.found.permitted.flags:
            return ()
        before, after = (self.waiting.get(frozenset(gone), {}) for gone in ((), (element,)))
        return tuple(hang for same, hang in after.items() if same not in before)

    def _explored(self, program: MachineProgram, waiting: dict[Hang, Hang]) -> Rows | None:
        rows: set[Row] = set()
        for laid in self.found.hardware.laid_out(program):
            explored = explore(laid, limit=self.found.hardware.limit)
            if explored.incomplete:
                return None
            rows |= kept(explored, self.found.test, self.found.permitted)
            for hang in sorted(explored.hangs):
                waiting.setdefault(hang._replace(node=""), hang)
        return frozenset(rows)

    def effect(self, element: ProgramElement, whole: Rows | None) -> ElementEffect:
        """Return what an element does, where the program has the outcomes `whole`; None if it has none."""
        hazards = self.hazards((element,))
        if hazards or self.found.hazards:
            return ElementEffect(element, (), (), hazards)
        rows = self.single(element)
        if whole is None or rows is None:
            return ElementEffect(element, None, None)
        gained, lost = self._states(rows - whole), self._states(whole - rows)
        return ElementEffect(element, gained, lost, endless=self.endless(element))

    def core(self, row: Row, every: tuple[ProgramElement, ...]) -> Core:
        """Return a set that keeps an outcome out: element after element is left out for good if it still is."""
        solved = self._solved(row, every)
        kept_in, exact = (solved, True) if solved is not None else self.walked(row, every)
        parts = {(e.thread, e.instruction) for e in kept_in if e.part}
        needed = tuple(e for e in kept_in if e.part or (e.thread, e.instruction) not in parts)
        permitted = self.found.permitted
        has = bool(permitted.undefined) or not list(unmatched([row], permitted.outcomes))
        return Core(state_text(row, permitted), needed, exact, has)

    def _solved(self, row: Row, every: tuple[ProgramElement, ...]) -> tuple[ProgramElement, ...] | None:
        """Return the set that is left by the constraints; None if they do not have the machine, or give up.

        How many known operations a wait of assembly leaves depends on the lines before it, unless it leaves none.
        """
        found = self.found
        if self.listing and any(_leaving(found.program)):
            return None
        try:
            if self.exclusion is None:
                self.exclusion = ElementExclusion(found.hardware.laid_out(found.program), Session(), effort=EFFORT)
            return self.exclusion.core(row, {element: self.groups[element] for element in every})
        except Unsupported:
            return None

    def walked(self, row: Row, every: tuple[ProgramElement, ...]) -> tuple[tuple[ProgramElement, ...], bool]:
        """Return the set that is left by walking the states, and whether no search was cut."""
        left_out: list[ProgramElement] = []
        exact = True
        for element in every:
            rows = self.rows((*left_out, element))
            exact &= rows is not None
            if rows is not None and row not in rows:
                left_out.append(element)
        return tuple(e for e in every if e not in left_out), exact

    def ordered(self, rows: Iterable[Row]) -> list[Row]:
        """Return outcomes in the order in which they are shown."""
        return sorted(rows, key=repr)

    def _states(self, rows: Rows) -> tuple[str, ...]:
        return tuple(state_text(row, self.found.permitted) for row in self.ordered(rows))


def _leaving(program: MachineProgram) -> Iterator[int]:
    """Yield how many operations each wait leaves on their way."""
    for stream in program.streams:
        for instruction in stream.instructions:
            if isinstance(instruction.operation, Wait):
                yield from (limit for _, limit in instruction.operation.limits)
