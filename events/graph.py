"""The events of a test and what is fixed about them before any execution is chosen.

What comes out of `axmem.events.unroll` and goes to both engines. An access is split into one event per cell (a cell
is a run of bytes that every access of the test covers whole or not at all), so that reads-from is a function and every
"same address" is "same cell". Events that may be left out carry a guard; events whose guards disagree never meet.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from axmem.events.values import Expr
from axmem.front.records import dataclass
from axmem.front.source import NOWHERE, Span
from axmem.litmus.syntax import Observable, Placement, Type
from axmem.litmus.walk import Path
from axmem.litmus.words import AddressSpace, Hierarchy, Level, Ordering, Scope, Tag

Guard: TypeAlias = tuple[tuple[int, int], ...]
"""A conjunction: each pair is a choice and the arm that it must take."""


class EventKind(Enum):
    """What an event does. INIT writes a cell before the program, FINAL reads it after.

    INITIATE starts a DMA operation, whose first event is ENTRY; WAIT is where a thread waits for some.
    """

    __hash__ = object.__hash__  # Members are compared by identity; the hash of their names is slow.

    READ = "R"
    WRITE = "W"
    FENCE = "F"
    MAKE_AVAILABLE = "MA"
    MAKE_VISIBLE = "MV"
    BARRIER = "BAR"
    INITIATE = "DMA"
    ENTRY = "in"
    WAIT = "wait"
    INIT = "I"
    FINAL = "Fin"


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `thread` is -1 for INIT and FINAL; `position` counts the instructions of a thread in program order.

    `instruction` is shared by everything one instruction does, `access` by the cells of one half of it (its read half
    or its write half; of one element if elementwise), by all initial writes of a location, and by all its final reads.
    `footprint` is the set of cells of that half, of an initial write or a final read its own. `value` is what a
    write writes to its cell. `phase` is a barrier's (object, count); `arrives` and `waits` say whether it does the one,
    the other, or both. `covers` are the cells of a make.ptr operation.
    `cas` is of the read of a failed cmpxchg the ordering that its success would have had. `within` is of an event of a
    DMA operation the level to whose instance it belongs, `after` what an ENTRY is initiated by and the last events of
    the DMA operations that are completed at a WAIT or a barrier. `path` is the statement that does it, `span` where
    that stands in a text (if it does). `instance` is one number for the converged instances of a statement in the
    lanes of a kernel, -1 outside kernels.
    """

    index: int
    thread: int
    kind: EventKind
    position: int
    instruction: int
    access: int
    cell: int = -1
    footprint: frozenset[int] = frozenset()
    space: AddressSpace | None = None
    ordering: Ordering = Ordering.NOT_ATOMIC
    scope: Level = Scope.SYSTEM
    one_as: bool = False
    volatile: bool = False
    nontemporal: bool = False
    av: bool = False
    rmw: bool = False
    cas: Ordering | None = None
    tags: frozenset[Tag] = frozenset()
    guard: Guard = ()
    value: Expr | None = None
    address_reads: frozenset[int] = frozenset()
    guard_reads: frozenset[int] = frozenset()
    control_reads: frozenset[int] = frozenset()
    phase: tuple[str, int] | None = None
    arrives: bool = True
    waits: bool = True
    covers: frozenset[int] | None = None
    within: Level | None = None
    after: frozenset[int] = frozenset()
    label: str = ""
    path: Path = ()
    span: Span = NOWHERE
    instance: int = -1


@dataclass(frozen=True, slots=True)
class Choice:
    """A fork in a thread: arm k is taken if `expr` has the value `values[k]` (None: any value not listed).

    With `expr` None, or where it is undef, every arm may be taken. The choice arises only where `guard` holds.
    """

    index: int
    guard: Guard
    expr: Expr | None
    values: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Require:
    """Where `guard` holds, only executions in which `expr` is not 0 count (undef passes)."""

    guard: Guard
    expr: Expr


@dataclass(frozen=True, slots=True)
class Noticed:
    """Somebody reads, or writes (`event`), between two writes of a cell what is not the same without them.

    It is noticed where `guard` holds and `expr` is not 0. A read is between them if what it reads from is the first, or
    comes after it and before the last.
    """

    first: int
    last: int
    event: int
    guard: Guard
    expr: Expr


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Where `guard` holds, only executions count in which `expr` is not 0, or somebody notices (`events/taken_back`).

    Those in which some of the events `unless` execute count, too. Who does not know this looks at more executions.
    """

    guard: Guard
    expr: Expr
    noticed: tuple[Noticed, ...]
    unless: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Undefined:
    """Where `guard` holds and `expr` is undef (or is None), the behaviour is undefined, for the given reason.

    With `promise` that is so because a promise of the program is broken, whatever values there are.
    """

    guard: Guard
    expr: Expr | None
    reason: str
    span: Span
    promise: bool = False


@dataclass(frozen=True, slots=True)
class Beyond:
    """Where `guard` holds, a loop goes on beyond the bound: the execution is not represented whole."""

    guard: Guard
    reason: str
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Stuck:
    """Where `guard` holds, a thread waits for ever in the loop of a header.

    `reads` are those of an iteration; with the read of a weak cmpxchg that fails stands what is 0 if it fails without
    reason.
    """

    thread: int
    guard: Guard
    reads: tuple[tuple[int, Expr | None], ...]
    header: str


@dataclass(frozen=True, slots=True)
class Cell:
    """Bytes `offset` to `offset + size` of a location."""

    location: str
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Observed:
    """Something outcomes show: its lanes as expressions, lowest first."""

    observable: Observable
    name: str
    type: Type
    lanes: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class EventGraph:
    """All events of a test with the choices and constraints between them.

    `beyond` is where loops go on beyond their bound, `across` whether lanes take values from each other, `stuck` where
    threads wait for ever, if that was asked (`axmem.events.unroll.Conventions`).
    `placements` has one entry per thread; each DMA operation is one, after those of the test. `locations` lists names
    in the order of their addresses (see `address_of`).
    """

    test: str
    threads: tuple[str, ...]
    placements: tuple[Placement, ...]
    levels: Hierarchy
    locations: tuple[str, ...]
    cells: tuple[Cell, ...]
    events: tuple[Event, ...]
    choices: tuple[Choice, ...]
    requires: tuple[Require, ...]
    undefined: tuple[Undefined, ...]
    observed: tuple[Observed, ...]
    constants: frozenset[int]
    beyond: tuple[Beyond, ...] = ()
    across: bool = False
    stuck: tuple[Stuck, ...] = ()
    taken_back: tuple[TakenBack, ...] = ()


ADDRESS_SHIFT = 16


def address_of(location_index: int, offset: int = 0) -> int:
    """Return the number that stands for an address: locations lie 64 KiB apart, none at 0."""
    return ((location_index + 1) << ADDRESS_SHIFT) + offset


def location_at(address: int) -> tuple[int, int]:
    """Return the index of a location (maybe out of range) and the offset into it that an address stands for."""
    index, offset = divmod(address, 1 << ADDRESS_SHIFT)
    return index - 1, offset


def compatible(a: Guard, b: Guard) -> bool:
    """Tell whether two guards can hold together."""
    arms = dict(a)
    return all(arms.get(choice, arm) == arm for choice, arm in b)
