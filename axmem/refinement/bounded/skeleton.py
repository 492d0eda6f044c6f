"""What all programs of a family share: how many operations each thread has, and which events those may become.

What goes in: a `Bound` and the lengths of the threads. What comes out: a `Skeleton`: events, with a literal for every
fact about places, locations and the order of writes that is left open. An operation is a slot; its event is one, or two
where it may be a read-modify-write: the second is for what writes. Locations have an initial write, which may be
absent, and a final read if outcomes show final values. Nothing here is about orderings, scopes or tags
(`axmem.refinement.bounded.attributes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cached_property
from itertools import combinations

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.front.records import dataclass
from axmem.litmus.words import PLACED, OperationKind, Scope
from axmem.refinement.bounded.bound import Bound

ThreadSizes = tuple[int, ...]
"""The lengths of the threads, longest first."""

READING = frozenset({OperationKind.LOAD, OperationKind.RMW})
WRITING = frozenset({OperationKind.STORE, OperationKind.RMW})


class EventRole(Enum):
    """Where an event comes from."""

    INITIAL = "the initial write of a location"
    FIRST = "an operation, or the read half of a read-modify-write"
    SECOND = "a write, or the write half of a read-modify-write"
    FINAL = "the final read of a location"


@dataclass(frozen=True, slots=True)
class SymbolicEvent:
    """An event that a program may have: of a slot if the operation is of one of `kinds`, or of a location."""

    index: int
    role: EventRole
    thread: int = -1
    slot: int = -1
    kinds: frozenset[OperationKind] = frozenset()
    location: int = -1

    @property
    def may_read(self) -> bool:
        """Whether it reads in some program."""
        return self.role is EventRole.FINAL or (self.role is EventRole.FIRST and bool(self.kinds & READING))

    @property
    def may_write(self) -> bool:
        """Whether it writes in some program."""
        return self.role is EventRole.INITIAL or bool(self.kinds & WRITING)


def halves(a: SymbolicEvent, b: SymbolicEvent) -> bool:
    """Whether two events are the halves of one read-modify-write, if the operation is one."""
    return a.slot == b.slot >= 0 and (a.role, b.role) == (EventRole.FIRST, EventRole.SECOND)


@dataclass(frozen=True, slots=True)
class Slot:
    """An operation: its thread, and its place in program order."""

    thread: int
    position: int


class Skeleton:
    """The events of a family of programs, with literals for what is open about threads and locations.

    The literals of places and of the order of writes are made when they are first asked for. Where the locations are
    given, `memory` says of each whether it is in LDS, and whether it is initialised.
    """

    def __init__(
        self, bound: Bound, threads: ThreadSizes, circuit: Circuit, memory: Sequence[tuple[bool, bool]] | None = None
    ) -> None:
        self.bound = bound
        self.threads = threads
        self.circuit = circuit
        self.slots = tuple(Slot(t, p) for t, size in enumerate(threads) for p in range(size))
        self.locations = range(min(bound.locations, len(self.slots)) if memory is None else len(memory))
        self.events = tuple(self._events())
        self.size = len(self.events)
        self.writes = tuple(e for e in self.events if e.may_write)
        self.reads = tuple(e for e in self.events if e.may_read)
        self.movable = tuple(e.index for e in self.writes if e.slot >= 0)
        if memory is None:
            self.lds = tuple(circuit.variable() if bound.lds else FALSE for _ in self.locations)
            self.initialised = tuple(circuit.variable() if bound.uninitialised else TRUE for _ in self.locations)
        else:
            self.lds = tuple(TRUE if local else FALSE for local, _ in memory)
            self.initialised = tuple(TRUE if written else FALSE for _, written in memory)

    def _events(self) -> Iterator[SymbolicEvent]:
        kinds = frozenset(self.bound.kinds)
        rows: list[tuple[EventRole, int, int, frozenset[OperationKind], int]] = []
        rows += [(EventRole.INITIAL, -1, -1, frozenset(), x) for x in self.locations]
        for number, slot in enumerate(self.slots):
            if OperationKind.RMW in kinds:
                rows.append((EventRole.FIRST, slot.thread, number, kinds - {OperationKind.STORE}, -1))
                rows.append((EventRole.SECOND, slot.thread, number, kinds & WRITING, -1))
            else:
                rows.append((EventRole.FIRST, slot.thread, number, kinds, -1))
        rows += [(EventRole.FINAL, -1, -1, frozenset(), x) for x in self.locations if self.bound.finals]
        return (SymbolicEvent(index, *row) for index, row in enumerate(rows))

    def reading(self, slot: int) -> int:
        """Return the event of a slot that reads, if the operation does."""
        return next(e.index for e in self.events if e.slot == slot and e.role is EventRole.FIRST)

    def writing(self, slot: int) -> int:
        """Return the event of a slot that writes, if the operation does."""
        return next(e.index for e in reversed(self.events) if e.slot == slot)

    # ------------------------------------------------------------ the hierarchy

    @cached_property
    def together(self) -> dict[Scope, dict[tuple[int, int], int]]:
        """The literals that two threads lie in one instance of a level; instances nest, and are equivalences."""
        circuit, bound = self.circuit, self.bound
        pairs = list(combinations(range(len(self.threads)), 2))
        table = {Scope.SYSTEM: dict.fromkeys(pairs, TRUE), Scope.SINGLETHREAD: dict.fromkeys(pairs, FALSE)}
        above = table[Scope.SYSTEM]
        for level in PLACED:
            if level in bound.levels:
                table[level] = here = {pair: circuit.variable() for pair in pairs}
                self._equivalence(here)
                for pair in pairs:
                    circuit.add(-here[pair], above[pair])
                above = here
            elif bound.shared(level):
                table[level] = above
        for level in reversed(PLACED):
            # What is not varied and not shared is as the level inside it.
            table.setdefault(level, table[Scope(level - 1)])
        return table

    def _equivalence(self, same: dict[tuple[int, int], int]) -> None:
        """Who is together with a second, and that with a third, is together with the third."""
        for a, b, c in combinations(range(len(self.threads)), 3):
            for one, two, three in (((a, b), (b, c), (a, c)), ((a, b), (a, c), (b, c)), ((a, c), (b, c), (a, b))):
                self.circuit.add(-same[one], -same[two], same[three])

    def same(self, level: Scope, a: int, b: int) -> int:
        """Return the literal that two threads lie in one instance of a level; what has no thread is in the system."""
        if level is Scope.SYSTEM:
            return TRUE
        if a < 0 or b < 0:
            return FALSE
        return TRUE if a == b else self.together[level][min(a, b), max(a, b)]

    def in_one_wave(self) -> None:
        """Assert that threads of one workgroup are of one wavefront."""
        for t, u in combinations(range(len(self.threads)), 2):
            self.circuit.add(-self.same(Scope.WORKGROUP, t, u), self.same(Scope.WAVEFRONT, t, u))

    # ------------------------------------------------------------ the order of writes

    @cached_property
    def before(self) -> dict[tuple[int, int], int]:
        """The literals of one total order of all writes; coherence is what it says of the writes to each location."""
        table = {pair: self.circuit.variable() for pair in combinations(self.movable, 2)}
        for a, b, c in combinations(self.movable, 3):
            # No three go round.
            self.circuit.add(-table[a, b], -table[b, c], table[a, c])
            self.circuit.add(table[a, b], table[b, c], -table[a, c])
        return table

    def first(self, a: int, b: int) -> int:
        """Return the literal that one write stands before another; initial writes come first."""
        if self.events[b].role is EventRole.INITIAL or a == b:
            return FALSE
        if self.events[a].role is EventRole.INITIAL:
            return TRUE
        return self.before[a, b] if a < b else -self.before[b, a]


def shapes(events: int, threads: int | None = None) -> Iterator[ThreadSizes]:
    """Yield the ways to share so many operations among at most so many threads, fewer threads first."""
    for count in range(1, min(events, threads or events) + 1):
        yield from _parts(events, count, events)


def _parts(total: int, count: int, most: int) -> Iterator[ThreadSizes]:
    if count == 1:
        if 1 <= total <= most:
            yield (total,)
        return
    for first in range(min(most, total - count + 1), 0, -1):
        for rest in _parts(total - first, count - 1, first):
            yield (first, *rest)
