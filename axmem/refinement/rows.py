"""What the threads of a test do, each as a row of operations.

What goes in: a test whose threads and lanes are straight once unrolled: every branch follows from constants, every
access is of one known scalar, what is stored is constant. What comes out: `Rows`: for each thread its operations with
the instance of a register that each returns into. Where a test is not straight, `Winding` says why. Instances are of
single assignments: a register, and in which iteration of each loop around it, counted from 0, outermost first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from axmem.encoder.branching import Arms, taken
from axmem.encoder.events import Event, EventGraph, EventKind
from axmem.encoder.instances import Noting
from axmem.encoder.unroll import Unroller, unrolled
from axmem.encoder.values import Apply, Constant, Expr, Pick, ReadOf, Undef, Value
from axmem.families.operations import Operation
from axmem.front.records import dataclass, replace
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


class Phase(NamedTuple):
    """A phase of a barrier: the number of its object, and how often its threads have met there before."""

    object: int
    number: int


@dataclass(frozen=True, slots=True)
class Step:
    """An operation of a row; its location is the number of a place, `value` what it writes, `read` its read event.

    `instance` is the register that it returns into, or None; `phase` of a barrier its object, and which time it is.
    `guarded`: what it reads decides whether it writes.
    """

    operation: Operation
    value: Value | None = None
    read: int = -1
    instance: Instance | None = None
    phase: Phase | None = None
    guarded: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """The threads of a test: their names, places in the hierarchy and operations; and what instances hold at last."""

    threads: tuple[str, ...]
    placements: tuple[ast.Placement, ...]
    places: tuple[Place, ...]
    steps: tuple[tuple[Step, ...], ...]
    values: Mapping[Instance, Expr]


def rows(test: ast.LitmusTest, noting: Noting | None = None, arms: Arms | None = None) -> Rows:
    """Return the rows of a test; raise Winding if it is not straight, InputError for what is wrong with it.

    With `arms` they are those of the path on which choices take these arms, whatever is read on it.
    """
    noting = noting or Noting()
    if test.filter is not None:
        raise Winding("it has a filter")
    walk = unrolled(test, noting=noting)
    graph = walk.graph() if arms is None else _on_path(walk.graph(), arms)
    _straight(graph)
    places = scalars(graph)
    number = {(p.location, p.offset): k for k, p in enumerate(places)}
    values = {key: _taken(value, arms or {}) for key, value in instances_of(walk, noting, test).items()}
    held: dict[int, Instance] = {}
    for instance, value in values.items():
        if isinstance(value, ReadOf):
            held.setdefault(value.event, instance)
    statements = dict(located(test))
    phases = _phases(graph)
    steps: list[list[Step]] = [[] for _ in graph.threads]
    for events in _instructions(graph).values():
        first = events[0]
        statement = statements.get(first.path)
        cell = graph.cells[first.cell] if first.cell >= 0 else None
        where = number[cell.location, cell.offset] if cell else -1
        step = _step(events, statement, where, held)
        steps[first.thread].append(replace(step, phase=phases.get(first.index)))
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
    known |= {EventKind.MAKE_AVAILABLE, EventKind.MAKE_VISIBLE, EventKind.BARRIER}
    for event in graph.events:
        if event.kind not in known:
            raise Winding(f"rows have no {_STRANGE.get(event.kind, event.kind.name.lower())}")
        if event.one_as or event.nontemporal or event.covers is not None or not isinstance(event.scope, Scope):
            raise Winding("it has an access or fence that families of programs do not have")
        if event.space is ast.AddressSpace.PRIVATE:
            raise Winding("it has private memory")


_STRANGE = {EventKind.INITIATE: "DMA operations"}


def _phases(graph: EventGraph) -> dict[int, Phase]:
    """Return the phases of barriers; raise Winding unless threads that meet at one meet at all of theirs, in order."""
    met: dict[int, list[Event]] = {}
    for event in graph.events:
        if event.kind is EventKind.BARRIER:
            if not (event.arrives and event.waits):
                raise Winding("rows have no halves of barriers")
            met.setdefault(event.thread, []).append(event)
    objects: dict[tuple[tuple[str, int] | None, ...], int] = {}
    found: dict[int, Phase] = {}
    for events in met.values():
        row = tuple(event.phase for event in events)
        number = objects.setdefault(row, len(objects))
        found |= {event.index: Phase(number, k) for k, event in enumerate(events)}
    if len({phase for row in objects for phase in row}) < sum(len(row) for row in objects):
        raise Winding("threads that meet at a barrier do not meet at all of theirs, in one order")
    return found


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


def instances_of(walk: Unroller, noting: Noting, test: ast.LitmusTest) -> dict[Instance, Expr]:
    """Return what registers of kernels hold in each iteration, and those of threads at last."""
    found = {Instance(n.lane, n.register, n.iterations): n.values[0] for n in noting.noted if len(n.values) == 1}
    names = {thread.name for thread in test.threads}
    last = {Instance(t, r): lanes[0] for (t, r), lanes in walk.registers.items() if t in names and len(lanes) == 1}
    return found | last


def _on_path(graph: EventGraph, arms: Arms) -> EventGraph:
    """Return what of a graph is executed where choices take these arms, without what that asks of reads."""
    events = tuple(replace(event, guard=()) for event in graph.events if taken(event.guard, arms))
    undefined = tuple(each for each in graph.undefined if taken(each.guard, arms))
    beyond = tuple(each for each in graph.beyond if taken(each.guard, arms))
    return replace(graph, events=events, choices=(), requires=(), undefined=undefined, beyond=beyond)


def _taken(value: Expr, arms: Arms) -> Expr:
    """Return what a register holds where choices take these arms, if that is what one read returns."""
    match value:
        case Pick(choice, parts) if choice in arms:
            return _taken(parts[arms[choice]], arms)
        case Apply("depending", _, (first, *others)) if all(isinstance(other, Constant) for other in others):
            found = _taken(first, arms)
            return found if isinstance(found, ReadOf) and not any(map(_is_undef, others)) else value
    return value


def _is_undef(value: Expr) -> bool:
    return isinstance(value, Constant) and isinstance(value.value, Undef)


def _step(events: list[Event], statement: ast.Statement | None, location: int, held: Mapping[int, Instance]) -> Step:
    """Return the operation that some events are of."""
    first, last = events[0], events[-1]
    read = next((e.index for e in events if e.kind is EventKind.READ), -1)
    value: Value | None = None
    if last.kind is EventKind.WRITE:
        if not isinstance(last.value, Constant):
            raise Winding("what is stored depends on what is read")
        value = last.value.value
    exchange = isinstance(statement, ast.AtomicRmw) and statement.operation == "xchg"
    if first.rmw and not exchange and not isinstance(statement, ast.CmpXchg):
        raise Winding("an atomic operation depends on what it reads")
    kinds = {
        EventKind.READ: OperationKind.LOAD,
        EventKind.WRITE: OperationKind.STORE,
        EventKind.FENCE: OperationKind.FENCE,
        EventKind.MAKE_AVAILABLE: OperationKind.MAKE_AVAILABLE,
        EventKind.MAKE_VISIBLE: OperationKind.MAKE_VISIBLE,
        EventKind.BARRIER: OperationKind.BARRIER,
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
    return Step(operation, value, read, held.get(read), guarded=first.rmw and not exchange)
