"""What the threads of a test do, each as a row of operations.

What goes in: a test whose threads and lanes are straight once unrolled: every branch follows from constants, every
access is of one known scalar, what is stored is constant. What comes out: `Rows`: for each thread its operations with
the instance of a register that each returns into. Where a test is not straight, `Winding` says why. Instances are of
single assignments: a register, and in which iteration of each loop around it, counted from 0, outermost first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from axmem.encoder.events import Event, EventGraph, EventKind
from axmem.encoder.instances import Noting
from axmem.encoder.unroll import Unroller, unrolled
from axmem.encoder.values import Constant, Expr, ReadOf, Value
from axmem.families.operations import Operation
from axmem.front.records import dataclass
from axmem.litmus import syntax as ast
from axmem.litmus.walk import located
from axmem.litmus.words import OperationKind, Ordering, Scope


class Winding(Exception):
    """A test is not straight; the message says what in it is not."""


class Instance(NamedTuple):
    """A register of a thread in one iteration of the loops around it."""

    thread: str
    register: str
    iterations: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """What the register is called where every instance has one of its own."""
        return "_".join((self.register, *map(str, self.iterations)))

    def stands_for(self, other: Instance) -> bool:
        """Whether it is another, or stands outside of a loop for every iteration of it."""
        same = self[:2] == other[:2]
        return same and other.iterations[: len(self.iterations)] == self.iterations


class Place(NamedTuple):
    """A scalar of memory: its location, and where in it."""

    location: str
    offset: int
    size: int
    space: ast.AddressSpace
    initial: Value | None

    @property
    def name(self) -> str:
        """What it is called as a location of its own."""
        return self.location if not self.offset else f"{self.location}.{self.offset}"

    @property
    def type(self) -> ast.Type:
        """The type of what it holds, a number."""
        return ast.Type(8 * self.size)


@dataclass(frozen=True, slots=True)
class Step:
    """An operation of a row; its location is the number of a place, `value` what it writes, `read` its read event.

    `instance` is the register that it returns into, or None.
    """

    operation: Operation
    value: Value | None = None
    read: int = -1
    instance: Instance | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """The threads of a test: their names, places in the hierarchy and operations; and what instances hold at last."""

    threads: tuple[str, ...]
    placements: tuple[ast.Placement, ...]
    places: tuple[Place, ...]
    steps: tuple[tuple[Step, ...], ...]
    values: Mapping[Instance, Expr]


def rows(test: ast.LitmusTest, noting: Noting | None = None) -> Rows:
    """Return the rows of a test; raise Winding if it is not straight, InputError for what is wrong with it."""
    noting = noting or Noting()
    if test.filter is not None:
        raise Winding("it has a filter")
    walk = unrolled(test, noting=noting)
    graph = walk.graph()
    _straight(graph)
    places = scalars(graph)
    number = {(p.location, p.offset): k for k, p in enumerate(places)}
    values = {Instance(n.lane, n.register, n.iterations): n.values[0] for n in noting.noted if len(n.values) == 1}
    held: dict[int, Instance] = {}
    for instance, value in values.items():
        if isinstance(value, ReadOf):
            held.setdefault(value.event, instance)
    values |= _of_threads(walk, test, graph, held)
    statements = dict(located(test))
    steps: list[list[Step]] = [[] for _ in graph.threads]
    for events in _instructions(graph).values():
        first = events[0]
        statement = statements.get(first.path)
        cell = graph.cells[first.cell] if first.cell >= 0 else None
        where = number[cell.location, cell.offset] if cell else -1
        steps[first.thread].append(_step(events, statement, where, held))
    return Rows(graph.threads, graph.placements, places, tuple(map(tuple, steps)), values)


def _straight(graph: EventGraph) -> None:
    """Raise Winding if something depends on what is read, or is no operation of rows."""
    if graph.beyond:
        raise Winding(graph.beyond[0].reason)
    if graph.choices or graph.requires or any(e.guard for e in graph.events):
        raise Winding("a branch, an address or a compare-exchange depends on what is read")
    if graph.undefined:
        raise Winding(f"it may have undefined behaviour: {graph.undefined[0].reason}")
    known = {EventKind.INIT, EventKind.FINAL, EventKind.READ, EventKind.WRITE, EventKind.FENCE}
    known |= {EventKind.MAKE_AVAILABLE, EventKind.MAKE_VISIBLE}
    for event in graph.events:
        if event.kind not in known:
            raise Winding(f"rows have no {_STRANGE.get(event.kind, event.kind.name.lower())}")
        if event.one_as or event.nontemporal or event.covers is not None or not isinstance(event.scope, Scope):
            raise Winding("it has an access or fence that families of programs do not have")
        if event.space is ast.AddressSpace.PRIVATE:
            raise Winding("it has private memory")


_STRANGE = {EventKind.BARRIER: "barriers", EventKind.INITIATE: "DMA operations"}


def scalars(graph: EventGraph) -> tuple[Place, ...]:
    """Return the scalars that are accessed, in the order of locations; raise Winding if an access is of no such one."""
    used = {e.cell: e for e in graph.events if e.thread >= 0 and e.cell >= 0}
    for event in graph.events:
        if event.thread >= 0 and event.cell >= 0 and event.footprint != {event.cell}:
            raise Winding("an access is of several scalars, or of a part of one")
    initial = {e.cell: e.value for e in graph.events if e.kind is EventKind.INIT}
    found = []
    for cell, event in sorted(used.items()):
        value, at = initial.get(cell), graph.cells[cell]
        assert event.space is not None
        known = value.value if isinstance(value, Constant) else None
        found.append(Place(at.location, at.offset, at.size, event.space, known))
    return tuple(found)


def _instructions(graph: EventGraph) -> dict[int, list[Event]]:
    """Return the events of threads by their instructions, in program order."""
    found: dict[int, list[Event]] = {}
    for event in graph.events:
        if event.thread >= 0:
            found.setdefault(event.instruction, []).append(event)
    return found


def _of_threads(
    walk: Unroller, test: ast.LitmusTest, graph: EventGraph, held: dict[int, Instance]
) -> dict[Instance, Expr]:
    """Return what the registers of straight threads hold at last, and note which reads they are of."""
    names = {thread.name for thread in test.threads}
    found = {Instance(t, r): lanes[0] for (t, r), lanes in walk.registers.items() if t in names and len(lanes) == 1}
    for instance, value in found.items():
        if isinstance(value, ReadOf):
            held.setdefault(value.event, instance)
    return found


def _step(events: list[Event], statement: ast.Statement | None, location: int, held: Mapping[int, Instance]) -> Step:
    """Return the operation that some events are of."""
    first, last = events[0], events[-1]
    read = next((e.index for e in events if e.kind is EventKind.READ), -1)
    value: Value | None = None
    if last.kind is EventKind.WRITE:
        if not isinstance(last.value, Constant):
            raise Winding("what is stored depends on what is read")
        value = last.value.value
    if first.rmw and not (isinstance(statement, ast.AtomicRmw) and statement.operation == "xchg"):
        raise Winding("an atomic operation depends on what it reads")
    kinds = {
        EventKind.READ: OperationKind.LOAD,
        EventKind.WRITE: OperationKind.STORE,
        EventKind.FENCE: OperationKind.FENCE,
        EventKind.MAKE_AVAILABLE: OperationKind.MAKE_AVAILABLE,
        EventKind.MAKE_VISIBLE: OperationKind.MAKE_VISIBLE,
    }
    assert isinstance(first.scope, Scope)
    plain = first.ordering is Ordering.NOT_ATOMIC and not first.av and first.cell >= 0
    operation = Operation(
        kind=OperationKind.RMW if first.rmw else kinds[first.kind],
        location=location,
        ordering=first.ordering,
        scope=Scope.SYSTEM if plain else first.scope,
        av=first.av,
        volatile=first.volatile,
        tags=first.tags,
    )
    return Step(operation, value, read, held.get(read))
