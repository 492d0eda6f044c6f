"""What each allowed behaviour of a program needs: a row for each value of its flags, a column for each element.

What goes in: a verification. What comes out: a `Matrix`. The flags are what atomic reads alone return, and what memory
that atomics alone access holds at the end, which is all that kernels show of what they read. An outcome promises what
cannot change while its flags stay: what the model does not permit beside them. It needs an element (a wait, a bit, an
invalidate, a writeback) for its promise, if code without it has an outcome with the same flags that the model does not
permit; for progress, if a loop then waits for ever; for registers, if one is then used too early. Of several of which
one is enough none is needed alone: they are groups. Invariant: a cell is what `verify` says of the code without the
element; where a search that was cut has found nothing that is lost, it is `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, product
from math import prod
from typing import TypeAlias

from axmem.check.compare import unmatched
from axmem.check.results import format_lanes
from axmem.codegen.machine.hangs import Hang
from axmem.codegen.machine.mutants import kind_of
from axmem.codegen.machine.polls import poll_of, polled, waits_for_nothing
from axmem.codegen.machine.program import Access, ProgramElement, RegisterHazard
from axmem.encoder.solve import Row
from axmem.events.conventions import Conventions
from axmem.events.graph import Event, EventGraph, EventKind
from axmem.events.unroll import event_graph
from axmem.events.values import Expr, Value, choices_of, reads_of
from axmem.front.records import dataclass, field
from axmem.litmus.words import Ordering
from axmem.mapping.elements import Elements, Explorations, Mutants, Rows, SmallestSets, smallest
from axmem.mapping.loops import LoopNeeds, loop_needs
from axmem.mapping.loops import NeedsGroup as NeedsGroup
from axmem.mapping.verification import RACE, EndlessLoop, Verification

NEEDED, PROGRESS, REGISTER, ALLOWED, UNKNOWN, NOTHING = "needed", "progress", "register", "allowed", "unknown", "–"
"""What a cell says. Without the element: an outcome appears that the model does not permit; a loop does not end; a
register is used too early; only outcomes appear that the model permits, too; a search was cut; nothing changes."""
COMBINED = 16
"""How many values of the flags are told at most that nothing shows."""
VALUES = 64
"""How many values may stand beside the flags, if all their combinations are to be asked about."""
Flags: TypeAlias = tuple[tuple[Value, ...], ...]
"""The values of the flags, in the order of their columns."""


@dataclass(frozen=True, slots=True)
class NeedsCell:
    """What appears without an element beside some flags: outcomes that the model does not permit (`gained`) or does
    (`allowed`), registers that are used too early, loops that wait for ever."""

    gained: tuple[Row, ...] = ()
    allowed: tuple[Row, ...] = ()
    hazards: tuple[RegisterHazard, ...] = ()
    endless: tuple[EndlessLoop, ...] = ()
    cut: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """What it says, the strongest first."""
        if self.hazards:
            return (REGISTER,)
        said = [word for word, has in ((NEEDED, self.gained), (PROGRESS, self.endless)) if has]
        return tuple(said or [UNKNOWN if self.cut else ALLOWED if self.allowed else NOTHING])


@dataclass(frozen=True, slots=True)
class NeedsRow:
    """Values of the flags: whether some outcome has them, what the model does not permit beside them (and whether that
    happens all the same) and what it does, and what that needs. `groups` are all there are, if `exact`.
    """

    flags: Flags
    happens: bool
    broken: bool
    forbidden: tuple[Row, ...]
    permitted: tuple[Row, ...]
    cells: Mapping[ProgramElement, NeedsCell]
    groups: tuple[NeedsGroup, ...] = ()
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Matrix:
    """What the outcomes of a program need. `flags` are the places of the flags among what it shows.

    `registers` are elements that registers wait for: with them alone none is used too early. They stay where sets are
    left out. Of code that uses registers too early as it is there are no outcomes: it has one row, without flags.
    `polls` are what reads need that are repeated, by the place of a flag and its value; `own_loops` is what the
    program's loops need. `mutants` has what was found of the program without elements.
    """

    elements: Elements
    flags: tuple[int, ...]
    rows: tuple[NeedsRow, ...]
    mutants: Mutants
    registers: Elements = ()
    polls: Mapping[tuple[int, tuple[Value, ...]], LoopNeeds] = field(default_factory=dict)
    own_loops: LoopNeeds = LoopNeeds()
    cut: bool = False


def matrix(found: Verification, among: Elements | None = None) -> Matrix:
    """Return what the outcomes of a verified program need, of all its elements or of some."""
    return _Asked(found, among).matrix()


def waiting(found: Verification) -> dict[ProgramElement, str]:
    """Return the elements without which a load that is repeated waits for ever, with what it waits for."""
    asked, said = _Asked(found), dict[ProgramElement, str]()
    for place in asked.places:
        column = found.permitted.columns[place]
        for value in sorted({row[place] for row in found.permitted.outcomes}, key=repr):
            flag = f"{column.name}={format_lanes(value, column.type, found.permitted.locations)}"
            for element in asked.polled(place, value).alone:
                said.setdefault(element, flag)
    return said


def flag_places(graph: EventGraph, names: Iterable[str]) -> tuple[int, ...]:
    """Return which of some things shown are flags: what depends on reads, all of them atomic, or last values of memory
    that atomics alone access."""
    lanes = {observed.name: observed.lanes for observed in graph.observed}
    return tuple(k for k, name in enumerate(names) if _atomic(graph, lanes[name]))


def _atomic(graph: EventGraph, lanes: Iterable[Expr]) -> bool:
    reads, pending, known = set[int](), list(lanes), set[int]()
    while pending:
        expr = pending.pop()
        reads |= reads_of(expr)
        for choice in choices_of(expr) - known:
            known.add(choice)
            decided = graph.choices[choice].expr
            pending += [] if decided is None else [decided]
    return bool(reads) and all(_by_atomics(graph, graph.events[read]) for read in reads)


def _by_atomics(graph: EventGraph, read: Event) -> bool:
    """Say whether a read is atomic; of a final one, whether all that accesses what it reads is."""
    if read.kind is not EventKind.FINAL:
        return read.ordering is not Ordering.NOT_ATOMIC
    accesses = [event for event in graph.events if event.thread >= 0 and event.cell == read.cell]
    return bool(accesses) and all(event.ordering is not Ordering.NOT_ATOMIC for event in accesses)


class _Asked:
    def __init__(self, found: Verification, among: Elements | None = None) -> None:
        self.found = found
        self.permitted = found.permitted
        self.mutants = Mutants(found)
        self.every = tuple(e for e in self.mutants.every if among is None or e in among)
        graph = event_graph(found.test, Conventions())
        self.places = flag_places(graph, (column.name for column in self.permitted.columns))

    def matrix(self) -> Matrix:
        """Leave out each element alone, then sets of them."""
        if self.found.hazards:
            cells = {element: NeedsCell(hazards=self.hazards[element]) for element in self.every}
            row = NeedsRow((), happens=False, broken=True, forbidden=(), permitted=(), cells=cells)
            return Matrix(self.every, (), (row,), mutants=self.mutants)
        rows = tuple(map(self.row, self.flags)) if self.whole.complete else ()
        polls = {at: needs for at, needs in self._polls.items() if needs.alone or needs.groups}
        return Matrix(
            self.every, self.places, rows, self.mutants, self.registers, polls, self.own_loops, not self.whole.complete
        )

    # ------------------------------------------------------------ what is left out

    @cached_property
    def hazards(self) -> dict[ProgramElement, tuple[RegisterHazard, ...]]:
        return {element: self.mutants.hazards((element,)) for element in self.every}

    @cached_property
    def registers(self) -> Elements:
        return self.mutants.registers()

    @cached_property
    def free(self) -> Elements:
        return tuple(element for element in self.every if element not in self.registers)

    @cached_property
    def whole(self) -> Explorations:
        return self.mutants.explored(())

    @cached_property
    def bare(self) -> Explorations:
        return self.mutants.explored(self.free)

    @cached_property
    def singles(self) -> dict[ProgramElement, Explorations]:
        """What the program does without each element whose registers are waited for without it, too."""
        return {e: self.mutants.explored(self.mutants.single(e)) for e in self.every if not self.hazards[e]}

    # ------------------------------------------------------------ flags

    def flags_of(self, row: Row) -> Flags:
        return tuple(row[k] for k in self.places)

    @cached_property
    def seen(self) -> Rows:
        """Every outcome that was found, whatever was left out."""
        return frozenset(chain(*(found.outcomes for found in (self.whole, self.bare, *self.singles.values()))))

    @cached_property
    def happening(self) -> frozenset[Flags]:
        """The values of the flags that some outcome has."""
        return frozenset(map(self.flags_of, self.whole.outcomes))

    @cached_property
    def flags(self) -> list[Flags]:
        """The values of the flags: first those that happen, then those that do not; and of those that nothing shows
        the ones that the model does not permit, if these are few."""
        happening = self.happening
        shown = {self.flags_of(row) for row in self.seen}
        columns = [set(values) for values in zip(*shown, strict=True)]
        others: set[Flags] = set()
        if shown and self.found.test.filter is None and prod(map(len, columns)) - len(shown) <= COMBINED:
            others = {flags for flags in set(product(*columns)) - shown if not self.beside(flags)[1]}
        return [*sorted(happening, key=repr), *sorted((shown - happening) | others, key=repr)]

    @cached_property
    def plain(self) -> frozenset[tuple[tuple[Value, ...], ...]]:
        """What may stand beside the flags: every combination of what is shown there, unless these are many."""
        at = [k for k in range(len(self.permitted.columns)) if k not in self.places]
        shown = {tuple(row[k] for k in at) for row in self.seen}
        columns = [set(values) for values in zip(*shown, strict=True)]
        if self.found.test.filter is not None or prod(map(len, columns)) > VALUES:
            return frozenset(shown)
        return frozenset(product(*columns)) if shown else frozenset()

    def beside(self, flags: Flags) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
        """Return what the model does not permit beside some flags, and what it permits."""
        given = dict(zip(self.places, flags, strict=True))
        every = []
        for plain in self.plain:
            rest = iter(plain)
            every.append(tuple(given[k] if k in given else next(rest) for k in range(len(self.permitted.columns))))
        every.sort(key=repr)
        forbidden = self.forbidden(every)
        return tuple(forbidden), tuple(row for row in every if row not in set(forbidden))

    def forbidden(self, rows: Iterable[Row]) -> list[Row]:
        """Return the outcomes that the model does not permit."""
        if self.permitted.undefined or self.permitted.incomplete:
            return []
        return unmatched(rows, self.permitted.outcomes)

    # ------------------------------------------------------------ rows and cells

    def row(self, flags: Flags) -> NeedsRow:
        forbidden, permitted = self.beside(flags)
        cells = {element: self.cell(element, flags) for element in self.every}
        groups, exact = self.groups(flags, cells)
        broken = any(row in self.whole.outcomes for row in forbidden)
        return NeedsRow(flags, flags in self.happening, broken, forbidden, permitted, cells, groups, exact)

    def cell(self, element: ProgramElement, flags: Flags) -> NeedsCell:
        """Return what an element does beside some flags."""
        if self.hazards[element]:
            return NeedsCell(hazards=self.hazards[element])
        found = self.singles[element]
        gained = self.gained(found, flags)
        forbidden = self.forbidden(gained)
        allowed = tuple(row for row in gained if row not in forbidden)
        loops = [needs.alone[element] for needs in self.loops(flags) if element in needs.alone]
        cut = not found.complete or bool(gained and self.permitted.incomplete)
        cut |= any(element in needs.cut for needs in self.loops(flags))
        return NeedsCell(tuple(forbidden), allowed, endless=tuple(loops), cut=cut)

    def gained(self, found: Explorations, flags: Flags) -> list[Row]:
        """Return the outcomes with some flags that the whole program does not have, in order."""
        new = found.outcomes.keys() - self.whole.outcomes.keys()
        return sorted((row for row in new if self.flags_of(row) == flags), key=repr)

    @cached_property
    def own_loops(self) -> LoopNeeds:
        """What the program's own loops need. Where accesses race nobody promises an end."""
        if RACE in self.permitted.flags:
            return LoopNeeds()

        def loops(gone: Elements) -> dict[Hang, EndlessLoop] | None:
            found = self.mutants.explored(self.mutants.single(gone[0]) if len(gone) == 1 else gone)
            return found.endless if found.complete else None

        return loop_needs(tuple(self.singles), self.free, loops)

    # ------------------------------------------------------------ reads that are repeated

    def loops(self, flags: Flags) -> Iterator[LoopNeeds]:
        """Yield what the program's loops need, and each read if it is repeated until it returns what is in some flags;
        nothing for flags that do not happen."""
        if flags not in self.happening:
            return
        yield self.own_loops
        for place, value in zip(self.places, flags, strict=True):
            if (place, value) not in self._polls:
                self._polls[place, value] = self.polled(place, value)
            yield self._polls[place, value]

    @cached_property
    def _polls(self) -> dict[tuple[int, tuple[Value, ...]], LoopNeeds]:
        return {}

    def polled(self, place: int, value: tuple[Value, ...]) -> LoopNeeds:
        """Return what a read needs that is repeated until it returns a value, which the model has it return some time.

        What it returns in the end depends on where its own line stays, and on where what is written does: on bits of
        its own and of what writes there, and on writebacks.
        """
        (wanted, *more) = value
        program = self.found.program
        poll = poll_of(program, place)
        promised = any(row[place] == value for row in self.permitted.outcomes) and not self.permitted.undefined
        if more or not isinstance(wanted, int) or poll is None or not promised:
            return LoopNeeds()
        if waits_for_nothing(program, place, wanted):
            return LoopNeeds()

        def bears(element: ProgramElement) -> bool:
            instruction = program.instruction(element)
            if kind_of(program, element) != "bit" or not isinstance(instruction.operation, Access):
                return kind_of(program, element) == "writeback"
            own = element.thread == poll.stream and element.instruction in poll.numbers
            return own or any(f.writes and f.group in poll.groups for f in instruction.operation.footprints)

        asked = tuple(e for e in self.free if any(map(bears, self.mutants.groups[e])))
        stream = program.streams[poll.stream].thread

        def waiting(gone: Elements) -> dict[Hang, EndlessLoop] | None:
            repeated = polled(self.mutants.program(gone), place, wanted)
            if repeated is None:
                return {}
            explored, loop = self.mutants.exploring(repeated), repeated.waits[-1].span
            if not explored.complete:
                return None
            return {h: e for h, e in explored.endless.items() if h.thread == stream and h.loop == loop and not h.locked}

        return loop_needs(asked, asked, waiting)

    # ------------------------------------------------------------ groups

    def groups(self, flags: Flags, cells: Mapping[ProgramElement, NeedsCell]) -> tuple[tuple[NeedsGroup, ...], bool]:
        """Return the groups of which one element has to stay, and whether these are all."""
        found: dict[frozenset[ProgramElement], NeedsGroup] = {}
        exact = self.bare.complete
        alone = {e for e, cell in cells.items() if cell.gained}
        for row in self.forbidden(self.gained(self.bare, flags)):
            sets = self.broken(row)
            exact &= sets.exact
            for some in sets.sets:
                if not alone & set(some):
                    old = found.get(frozenset(some), NeedsGroup(some))
                    found[frozenset(some)] = NeedsGroup(some, (*old.gained, row))
        every = list(found.values())
        for needs in self.loops(flags):
            every += needs.groups
            exact &= needs.exact
        smaller = [set(group.elements) for group in every]
        kept = [g for g in every if not any(less < set(g.elements) for less in smaller)]
        return tuple(kept), exact

    def broken(self, row: Row) -> SmallestSets:
        """Return the smallest sets of several elements without which an outcome appears."""
        if row not in self._broken:
            universe = [e for e in self.free if e in self.singles and row not in self.singles[e].outcomes]
            self._broken[row] = smallest(universe, lambda gone: self.mutants.appears(row, gone))
        return self._broken[row]

    @cached_property
    def _broken(self) -> dict[Row, SmallestSets]:
        return {}
