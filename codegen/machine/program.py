"""Machine programs: what the machine executes.

What comes out of `codegen.machine.build` (a lowered test) or of a reader of assembly, and goes to every form of the
machine: streams of instructions over groups of cells, with values as expressions over what reads return. Invariant:
every instruction says all that the machine has to know of it; whoever makes a program refuses, with a place, what has
no such meaning. The package says what each instruction does.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from axmem.codegen.instructions import InstructionKind
from axmem.events.graph import Cell, Choice, Guard, Require
from axmem.events.values import Expr, Value
from axmem.front.records import dataclass, field, replace
from axmem.front.source import NOWHERE, Span
from axmem.litmus.walk import Path as StatementPath


class Action(Enum):
    """What an access does to its cells."""

    LOAD = "load"
    STORE = "store"
    RMW = "rmw"


class Path(Enum):
    """Which way an access takes to memory; a FLAT one goes where its address lies."""

    VECTOR = "vector"
    SCALAR = "scalar"
    LDS = "lds"
    FLAT = "flat"


@dataclass(frozen=True, slots=True)
class ProgramElement:
    """The identity of what may be left out: an instruction (`part` empty), or a counter or bit of it.

    `instruction` counts the instructions of the thread in the program as it was made, and stays the same in mutants.
    """

    thread: int
    instruction: int
    part: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """A cell that is read, and the reads (as in `ReadOf`) that thereby get their value."""

    cell: int
    reads: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Write:
    """A cell that is written; only if `when` (over reads, those of the access too) is not 0, where it is given."""

    cell: int
    value: Expr
    when: Expr | None = None


@dataclass(frozen=True, slots=True)
class Footprint:
    """What an access does at one address, one group of cells; `guard` selects among the addresses that it may have."""

    group: int
    reads: tuple[Read, ...] = ()
    writes: tuple[Write, ...] = ()
    guard: Guard = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What hardware decides by itself where an access is issued: a `read` has one of so many `values`, from 0 on."""

    read: int
    values: int


@dataclass(frozen=True, slots=True)
class Access:
    """An access: its scope is the level it must reach. `result` says that the wave waits for a value of it.

    What several lanes do to one place at once are so many accesses, of which the first `decides` whose each is.
    """

    action: Action
    path: Path
    scope: int
    footprints: tuple[Footprint, ...]
    result: bool = False
    decides: Decision | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait until at most `limits[c]` of the wave's operations that c counts are on their way, for each counter c.

    `untranslated` is how many accesses it leaves whose addresses may not be translated, the last ones; None: as many as
    of any counter.
    """

    limits: tuple[tuple[str, int], ...]
    untranslated: int | None = None


@dataclass(frozen=True, slots=True)
class Invalidate:
    """Drop lines of the nodes whose level is at least `low` and less than `high`, of the vector or `scalar` path."""

    low: int
    high: int
    scalar: bool = False


@dataclass(frozen=True, slots=True)
class Writeback:
    """Write dirty lines back from the nodes whose level is less than `scope`, and reach that level."""

    scope: int


@dataclass(frozen=True, slots=True)
class BarrierStep:
    """Arrive at a barrier object, pass on when all participants have arrived as often, or both."""

    name: str
    arrive: bool
    passing: bool


Operation: TypeAlias = Access | Wait | Invalidate | Writeback | BarrierStep


@dataclass(frozen=True, slots=True)
class MachineInstruction:
    """One instruction of a stream, executed where its guard holds.

    `counters` are those that count it. `parts` are the names of what may be left out of it alone: counters that a wait
    waits for, or some of the cache policy `bits` of the others. `text` is for reports and begins with the mnemonic,
    `statement` is which statement of the test it comes from (of assembly: none), `span` that or its line in a text.
    """

    number: int
    kind: InstructionKind
    text: str
    operation: Operation
    counters: tuple[str, ...] = ()
    guard: Guard = ()
    parts: tuple[str, ...] = ()
    bits: tuple[str, ...] = ()
    statement: StatementPath = ()
    span: Span = NOWHERE

    @property
    def mnemonic(self) -> str:
        """The first word of the text."""
        return self.text.split()[0]


@dataclass(frozen=True, slots=True)
class Stream:
    """The instructions of a thread and the wave that runs it (an index into `MachineProgram.waves`)."""

    thread: str
    wave: int
    instructions: tuple[MachineInstruction, ...]


@dataclass(frozen=True, slots=True)
class Wave:
    """A wave: which workgroup, cluster and agent it belongs to (numbers, equal where they are the same)."""

    agent: int
    cluster: int
    workgroup: int


@dataclass(frozen=True, slots=True)
class Group:
    """Cells that lie in one line; `lds` says that they lie in LDS. `name` is for reports.

    `system` says that some atomic or av operation of system scope accesses them, so that they must be in memory where
    such operations work.
    """

    name: str
    cells: tuple[int, ...]
    lds: bool = False
    system: bool = False


@dataclass(frozen=True, slots=True)
class Unfollowed:
    """Executions that are not represented from some point on: those in which a guard holds, and why they are not.

    Those with `updates`, instructions of a stream that write what they have read, are represented by others where these
    change nothing (`silence.py`).
    """

    guard: Guard
    reason: str
    stream: int = 0
    updates: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class WaitingLoop:
    """A loop of a stream that only waits, of which one iteration is executed: the numbers of its instructions.

    `guard` holds where it goes round once more, `span` is its first line.
    """

    stream: int
    guard: Guard
    numbers: frozenset[int]
    span: Span


@dataclass(frozen=True, slots=True)
class LoopArrival:
    """Where a stream comes to the head of a loop: in its how-manieth iteration, a level, and with which instruction.

    `live` is what its iterations leave different, in the same order for all arrivals at a `header`; None is nothing. If
    `more`, another iteration is in the program behind this one.
    """

    stream: int
    header: Span
    level: int
    number: int
    guard: Guard
    live: tuple[Expr | None, ...]
    more: bool


class HazardKind(Enum):
    """What an instruction does too early.

    It uses or overwrites a result, or overwrites a source that is still to be read; reads what is copied into LDS,
    gives up private memory that is written, or returns from a function while results are on their way.
    """

    USED = "used"
    OVERWRITTEN = "overwritten"
    SOURCE = "source"
    COPIED = "copied"
    SCRATCH = "scratch"
    RETURNED = "returned"


@dataclass(frozen=True, slots=True)
class RegisterHazard:
    """An `instruction` that does not wait for the instruction `awaited`, as `counter` would let it.

    Of a `kernel`; `registers` are the 32-bit registers that this is about, the spans the lines of both.
    """

    kernel: str
    kind: HazardKind
    registers: tuple[str, ...]
    counter: str
    instruction: str
    span: Span
    awaited: str
    awaited_span: Span

    def stands(self, switches: Mapping[str, str]) -> bool:
        """Say whether it is one on a machine with these switches: what translations lock rests on replays."""
        return self.counter != "xcnt" or switches["xnack_replay"] == "on"


@dataclass(frozen=True, slots=True)
class MachineProgram:
    """A program: what runs, on what memory, and what is observed.

    `initial` has a value for each cell. `choices` all have an expression: whoever made the program has resolved those
    of cmpxchg. `finals` maps a read to the cell whose final value it is. `observed` are the lanes of an outcome.
    `family` and `mode` select the topology; `barriers` says which streams take part in each barrier object.
    `beyond` says which executions are not represented; there may be none of them. `waits` are the loops that only wait,
    `arrivals` are at the heads of all whose iterations are copies of each other.
    `hazards` are what assembly does with registers too early: the streams are as if it waited. `unseen` says why code
    does not show what the test observes and `observed` lacks, by its name.
    """

    name: str
    family: str
    mode: str
    streams: tuple[Stream, ...]
    waves: tuple[Wave, ...]
    cells: tuple[Cell, ...]
    groups: tuple[Group, ...]
    initial: tuple[Value, ...]
    choices: tuple[Choice, ...]
    requires: tuple[Require, ...]
    finals: Mapping[int, int]
    observed: tuple[tuple[Expr, ...], ...]
    barriers: Mapping[str, tuple[int, ...]]
    beyond: tuple[Unfollowed, ...] = ()
    waits: tuple[WaitingLoop, ...] = ()
    arrivals: tuple[LoopArrival, ...] = ()
    hazards: tuple[RegisterHazard, ...] = ()
    unseen: Mapping[str, str] = field(default_factory=dict)

    def instruction(self, element: ProgramElement) -> MachineInstruction:
        """Return the instruction that an element belongs to. Raises KeyError if the program does not have it."""
        for found in self.streams[element.thread].instructions:
            if found.number == element.instruction:
                return found
        raise KeyError(element)

    def with_streams(self, streams: tuple[Stream, ...]) -> MachineProgram:
        """Return the program with other streams."""
        return replace(self, streams=streams)


def together(before: Guard, path: Guard) -> bool:
    """Say whether what is executed under one guard is one of a path: what decided for it decided for that, too."""
    return before == path[: len(before)]
