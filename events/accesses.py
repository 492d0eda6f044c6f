"""The events of one memory access that goes to one place.

What goes in: a load, store, atomicrmw or cmpxchg, the place it goes to and the state of its thread. What comes out:
its events, appended to those of the walk, one per cell and half (a cmpxchg makes those of its success and those of its
failure), and the lanes of what it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from axmem.events.graph import Event, EventKind, Guard, Require
from axmem.events.values import DEPENDING, Apply, Constant, Expr, Pick, ReadOf, apply, reads_of
from axmem.front.records import dataclass, field, replace
from axmem.litmus import syntax as ast
from axmem.litmus.walk import Path
from axmem.litmus.words import Level, Ordering

Lanes: TypeAlias = tuple[Expr, ...]
CellKey: TypeAlias = tuple[int, int, int]
"""A location's index, the first byte and the size of a cell."""
AccessStatement: TypeAlias = ast.Load | ast.Store | ast.AtomicRmw | ast.CmpXchg

NO_READS: frozenset[int] = frozenset()


@dataclass(slots=True)
class State:
    """Where the walk through a thread is.

    `partly` has registers that some branch left without a value: what they hold, and the same with undef there.
    """

    thread: int
    path: Path = ()
    registers: dict[str, Lanes] = field(default_factory=dict)
    partly: dict[str, tuple[Lanes, Lanes]] = field(default_factory=dict)
    guard: Guard = ()
    guard_reads: frozenset[int] = NO_READS
    control_reads: frozenset[int] = NO_READS
    position: int = 0
    instance: int = -1
    within: Level | None = None

    def branched(self, choice: int, arm: int, reads: frozenset[int]) -> State:
        """Return the state at the begin of an arm of a branch, which values of these reads decide."""
        return replace(
            self,
            registers=dict(self.registers),
            partly=dict(self.partly),
            guard=(*self.guard, (choice, arm)),
            guard_reads=self.guard_reads | reads,
            control_reads=self.control_reads | reads,
        )

    def held(self, name: str) -> Lanes | None:
        """Return what a register holds; None if it has not been assigned."""
        return self.registers.get(name)

    def shown(self, name: str) -> Lanes | None:
        """Return what a register holds, undef where no branch has assigned it; None if none has."""
        lanes = self.registers.get(name)
        known = self.partly.get(name)
        # What has been assigned since is another object.
        return known[1] if known is not None and known[0] is lanes else lanes


@dataclass(frozen=True, slots=True)
class Target:
    """One place an access may go to, and the choice (if any) whose `arm` of `arms` sends it there."""

    location: int
    offset: int
    guard: Guard
    reads: frozenset[int]
    choice: int = -1
    arm: int | None = None
    arms: int = 0


class Walk(Protocol):
    """The walk over all threads, to which an access adds its events: what it needs of `events.unroll`."""

    test: ast.LitmusTest
    cell_index: dict[CellKey, int]
    events: list[Event]
    requires: list[Require]
    failing: dict[int, Expr]
    instructions: int
    accesses: int

    def choice(self, guard: Guard, expr: Expr | None, values: tuple[int | None, ...]) -> int:
        """Add a choice; return its index."""

    def lanes(self, expr: ast.Expr, type_: ast.Type | None, state: State) -> Lanes:
        """Return the lanes of an expression where a value of this type is wanted."""

    def footprint(self, location: int, offset: int, type_: ast.Type) -> list[CellKey]:
        """Return the cells that an access of this type covers, from the byte `offset` of a location."""


class AccessEvents:
    """Makes the events of one access to one target."""

    def __init__(self, unroller: Walk, statement: AccessStatement, target: Target, state: State) -> None:
        self.unroller = unroller
        self.statement = statement
        self.target = target
        self.state = state
        assert statement.type is not None
        self.type: ast.Type = statement.type
        self.keys = unroller.footprint(target.location, target.offset, self.type)

    def make(self) -> Lanes:
        """Append the events; return the lanes of the result (for a cmpxchg the old value and the success bit)."""
        match self.statement:
            case ast.Load():
                return self._read(self.target.guard, self.statement.mode.ordering)
            case ast.Store(value=value):
                self.write(self.unroller.lanes(value, self.type, self.state))
                return ()
            case ast.AtomicRmw(value=value, operation=operation):
                old = self._read(self.target.guard, self.statement.mode.ordering)
                operand = self.unroller.lanes(value, self.type, self.state)
                self._write(self.target.guard, self._updated(operation, old, operand), NO_READS)
                return old
            case ast.CmpXchg():
                return self._cmpxchg(self.statement)

    def write(self, lanes: Lanes) -> None:
        """Append the events of a write of this value."""
        self._write(self.target.guard, lanes, NO_READS)

    def _updated(self, operation: str, old: Lanes, operand: Lanes) -> Lanes:
        if operation == "xchg":
            return operand
        return tuple(apply(operation, self.type.bits, a, b) for a, b in zip(old, operand, strict=True))

    def _cmpxchg(self, statement: ast.CmpXchg) -> Lanes:
        """Fork into success (read and write) and failure (a single atomic load with the failure ordering)."""
        unroller, bits = self.unroller, self.type.bits
        expected = unroller.lanes(statement.expected, self.type, self.state)[0]
        desired = unroller.lanes(statement.desired, self.type, self.state)
        choice = unroller.choice(self.target.guard, None, (0, 1))
        fails, succeeds = (*self.target.guard, (choice, 0)), (*self.target.guard, (choice, 1))
        failed = self._read(fails, statement.failure, statement.mode.ordering)[0]
        differs = apply("ne", 1, failed, expected)
        if statement.weak:
            unroller.failing.update(dict.fromkeys(reads_of(failed), differs))
        else:
            unroller.requires.append(Require(fails, differs))
        old = self._read(succeeds, statement.mode.ordering)[0]
        unroller.requires.append(Require(succeeds, apply("eq", 1, old, expected)))
        self._write(succeeds, desired, reads_of(old) | reads_of(expected))
        value = Pick(choice, (failed, old))
        success = Apply(DEPENDING, 1, (Pick(choice, (Constant(0), Constant(1))), value, expected))
        return (Apply(DEPENDING, bits, (value, expected)), success)

    def _read(self, guard: Guard, ordering: Ordering, cas: Ordering | None = None) -> Lanes:
        reads: dict[CellKey, int] = {}
        for group in self._groups():
            self.unroller.accesses += 1
            for key in group:
                reads[key] = self._event(EventKind.READ, key, group, guard, ordering, cas=cas)
        return lanes_of_cells(reads, self.target.offset, self.type)

    def _write(self, guard: Guard, lanes: Lanes, deciding: frozenset[int]) -> None:
        for group in self._groups():
            self.unroller.accesses += 1
            for key in group:
                value = bytes_of(lanes, self.type.bits, key[1] - self.target.offset, key[2])
                ordering = self.statement.mode.ordering
                self._event(EventKind.WRITE, key, group, guard, ordering, value=value, deciding=deciding)

    def _groups(self) -> list[list[CellKey]]:
        """Return the cells that are accessed in one piece: all, or those of each lane if elementwise."""
        if not self.statement.mode.elementwise:
            return [self.keys]
        size = self.type.element.size
        lanes: dict[int, list[CellKey]] = {}
        for key in self.keys:
            lanes.setdefault((key[1] - self.target.offset) // size, []).append(key)
        return list(lanes.values())

    def _event(
        self,
        kind: EventKind,
        key: CellKey,
        group: Sequence[CellKey],
        guard: Guard,
        ordering: Ordering,
        *,
        cas: Ordering | None = None,
        value: Expr | None = None,
        deciding: frozenset[int] = NO_READS,
    ) -> int:
        unroller, statement, state, mode = self.unroller, self.statement, self.state, self.statement.mode
        index = len(unroller.events)
        unroller.events.append(
            Event(
                index=index,
                thread=state.thread,
                kind=kind,
                position=state.position,
                instruction=unroller.instructions,
                access=unroller.accesses,
                cell=unroller.cell_index.get(key, -1),
                footprint=frozenset(unroller.cell_index.get(k, -1) for k in group),
                space=unroller.test.locations[self.target.location].space,
                ordering=ordering,
                scope=mode.scope.level,
                one_as=mode.scope.one_as,
                volatile=mode.volatile,
                nontemporal=mode.nontemporal,
                av=mode.av,
                rmw=isinstance(statement, ast.AtomicRmw | ast.CmpXchg) and cas is None,
                cas=cas,
                tags=mode.tags,
                guard=guard,
                value=value,
                address_reads=self.target.reads,
                guard_reads=state.guard_reads | deciding,
                control_reads=state.control_reads | deciding,
                within=state.within,
                label=statement.label,
                path=state.path,
                instance=state.instance,
                span=statement.span,
            )
        )
        return index


def lanes_of_cells(reads: dict[CellKey, int], offset: int, type_: ast.Type) -> Lanes:
    """Return the lanes of a value read cell by cell from byte `offset`; `reads` gives each cell's read event.

    Cells at either end may reach beyond a lane (a final value may be asked of less than a cell).
    """
    lanes: list[Expr] = []
    size = type_.element.size
    for i in range(max(1, type_.lanes)):
        low, high = offset + i * size, offset + (i + 1) * size
        parts = sorted((k, e) for k, e in reads.items() if low < k[1] + k[2] and k[1] < high)
        whole: Expr = ReadOf(parts[0][1])
        widths = tuple(k[2] * 8 for k, _ in parts)
        if len(parts) > 1:
            whole = Apply("concat", sum(widths), tuple(ReadOf(e) for _, e in parts), widths)
        if sum(widths) != size * 8:
            whole = Apply("slice", size * 8, (whole,), ((low - parts[0][0][1]) * 8,))
        lanes.append(whole)
    return tuple(lanes)


def bytes_of(lanes: Lanes, bits: int, start: int, size: int) -> Expr:
    """Return `size` bytes from byte `start` of a value given as lanes of `bits` bits."""
    first, last = start * 8 // bits, ((start + size) * 8 - 1) // bits
    whole = lanes[first]
    if last > first:
        count = last - first + 1
        whole = apply("concat", count * bits, *lanes[first : last + 1], parameters=(bits,) * count)
    if (last - first + 1) * bits == size * 8:
        return whole
    return apply("slice", size * 8, whole, parameters=(start * 8 - first * bits,))
