"""What the threads of a test do, each as a row of operations.

What goes in: a test whose threads and lanes are straight once unrolled: every branch follows from constants, every
access is of one known scalar. What comes out: `Rows`: for each thread its operations with the instance of a register
that each returns into, and what registers hold. Where a test is not straight, `Winding` says why. Instances are of
single assignments: a register, and in which iteration of each loop around it, counted from 0, outermost first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import NamedTuple

from axmem.encoder.branching import Arms, taken
from axmem.encoder.events import Cell, Event, EventGraph, EventKind
from axmem.encoder.instances import Noting
from axmem.encoder.unroll import Unroller, unrolled
from axmem.encoder.values import DEPENDING, Apply, Constant, Expr, Pick, ReadOf, Undef, Value, apply, fold
from axmem.families.operations import Operation
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.walk import located, results, statements
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

    def overlaps(self, other: Place) -> bool:
        """Whether it has bytes of another scalar of its location."""
        return self.offset < other.offset + other.size and other.offset < self.offset + self.size

    @property
    def type(self) -> ast.Type:
        """The type of what it holds, a number."""
        return ast.Type(8 * self.size)

    @property
    def address(self) -> ast.Address:
        """Its address in the test that it is of."""
        base = ast.AddressOf(self.location)
        return ast.Address(base, ast.Number(self.offset // self.size, ast.I32)) if self.offset else ast.Address(base)


class Phase(NamedTuple):
    """A phase of a barrier: the number of its object, and how often its threads have met there before."""

    object: int
    number: int


@dataclass(frozen=True, slots=True)
class Step:
    """An operation of a row; its location is the number of a place, `value` what it writes, over the reads of the test,
    `read` its read event.

    `instance` is the register that it returns into, or None; `phase` of a barrier its object, and which time it is.
    `guarded`: what it reads decides whether it writes.
    """

    operation: Operation
    value: Expr | None = None
    read: int = -1
    instance: Instance | None = None
    phase: Phase | None = None
    guarded: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """The threads of a test: their names, places in the hierarchy and operations; and what instances hold.

    `values` are all of them, lane by lane, `shown` those that are compared with the other side of a change: the
    registers of threads at last, and what memory and other lanes give to those of kernels.
    """

    threads: tuple[str, ...]
    placements: tuple[ast.Placement, ...]
    places: tuple[Place, ...]
    steps: tuple[tuple[Step, ...], ...]
    values: Mapping[Instance, tuple[Expr, ...]]
    shown: Mapping[Instance, tuple[Expr, ...]]


def rows(test: ast.LitmusTest, noting: Noting | None = None, arms: Arms | None = None) -> Rows:
    """Return the rows of a test; raise Winding if it is not straight, InputError for what is wrong with it.

    With `arms` they are those of the path on which choices take these arms, whatever is read on it.
    """
    noting = noting or Noting()
    if test.filter is not None:
        raise Winding("it has a filter")
    walk = unrolled(test, noting=noting)
    taking = _Taking(arms or {})
    graph = walk.graph() if arms is None else _on_path(walk.graph(), taking)
    _straight(graph)
    places = scalars(graph)
    number = {(p.location, p.offset): k for k, p in enumerate(places)}
    values = {key: tuple(map(taking.of, lanes)) for key, lanes in instances_of(walk, noting, test).items()}
    inner = instances_not_shown(noting, test)
    shown = {key: lanes for key, lanes in values.items() if key not in inner}
    held: dict[int, Instance] = {}
    for instance, lanes in (*shown.items(), *values.items()):
        if len(lanes) == 1 and isinstance(lanes[0], ReadOf):
            held.setdefault(lanes[0].event, instance)
    written = dict(located(test))
    phases = _phases(graph)
    steps: list[list[Step]] = [[] for _ in graph.threads]
    for events in _instructions(graph).values():
        first = events[0]
        statement = written.get(first.path)
        cell = graph.cells[first.cell] if first.cell >= 0 else None
        where = number[cell.location, cell.offset] if cell else -1
        step = _step(events, statement, where, held)
        steps[first.thread].append(replace(step, phase=phases.get(first.index)))
    return Rows(graph.threads, graph.placements, places, tuple(map(tuple, steps)), values, shown)


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


def pieces(*graphs: EventGraph) -> tuple[Place, ...]:
    """Return the pieces of memory that threads of some tests access, cut at the ends of all accesses.

    A scalar that is always accessed whole is one; what is left of others is cut into scalars at their own alignment.
    """
    order = {name: k for graph in reversed(graphs) for k, name in enumerate(graph.locations)}
    used: dict[tuple[int, int], Event] = {}
    for graph, event in ((g, e) for g in graphs for e in g.events if e.thread >= 0 and e.cell >= 0):
        cell = graph.cells[event.cell]
        used |= {(order[cell.location], at): event for at in range(cell.offset, cell.offset + cell.size)}
    cells = [cell for graph in graphs for cell in graph.cells]
    ends = {(order[cell.location], at) for cell in cells for at in (cell.offset, cell.offset + cell.size)}
    initial = {g.cells[e.cell]: e.value for g in graphs for e in g.events if e.kind is EventKind.INIT}
    names = {number: name for name, number in order.items()}
    found = []
    for number, start in sorted(used):
        if (number, start) in ends:
            size = next(n for n in count(1) if (number, start + n) in ends)
            value = initial.get(Cell(names[number], start, size))
            known = value.value if isinstance(value, Constant) else None
            space = used[number, start].space
            assert space is not None
            found += [Place(names[number], at, part, space, known) for at, part in _aligned(start, size)]
    return tuple(found)


def wholes(*graphs: EventGraph) -> tuple[Place, ...]:
    """Return what single accesses of some tests access that is more than a piece, and that a number can be."""
    found: dict[Place, None] = {}
    known = {(place.location, place.offset, place.size) for place in pieces(*graphs)}
    for graph, event in ((g, e) for g in graphs for e in g.events if e.thread >= 0 and e.cell >= 0):
        cells = sorted((graph.cells[k] for k in event.footprint), key=lambda cell: cell.offset)
        start, size = cells[0].offset, cells[-1].offset + cells[-1].size - cells[0].offset
        new = (cells[0].location, start, size) not in known and size == sum(cell.size for cell in cells)
        if new and size in SIZES and start % size == 0:
            assert event.space is not None
            found[Place(cells[0].location, start, size, event.space, None)] = None
    return tuple(found)


SIZES = (16, 8, 4, 2, 1)
"""How many bytes a number may have."""


def _aligned(start: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the scalars, each where it begins and how large it is, into which some bytes are cut."""
    while size:
        part = next(p for p in SIZES if p <= size and start % p == 0)
        yield start, part
        start, size = start + part, size - part


def _instructions(graph: EventGraph) -> dict[int, list[Event]]:
    """Return the events of threads by their instructions, in program order."""
    found: dict[int, list[Event]] = {}
    for event in graph.events:
        if event.thread >= 0:
            found.setdefault(event.instruction, []).append(event)
    return found


def instances_of(walk: Unroller, noting: Noting, test: ast.LitmusTest) -> dict[Instance, tuple[Expr, ...]]:
    """Return what registers of kernels hold in each iteration, and those of threads at last."""
    found = {Instance(n.lane, n.register, n.iterations): n.values for n in noting.noted}
    names = {thread.name for thread in test.threads}
    return found | {Instance(t, r): lanes for (t, r), lanes in walk.registers.items() if t in names}


def instances_not_shown(noting: Noting, test: ast.LitmusTest) -> set[Instance]:
    """Return the instances of registers of kernels that compute: who reads no memory by them tells nobody."""
    given = received(test)
    inner = (n for n in noting.noted if n.own not in given[kernel_of(n.lane, test)])
    return {Instance(n.lane, n.register, n.iterations) for n in inner}


def kernel_of(lane: str, test: ast.LitmusTest) -> str:
    """Return the name of the kernel of a lane, or of the kernel that its parameters are of."""
    return lane if any(kernel.name == lane for kernel in test.kernels) else lane.rsplit(".", 3)[0]


def received(test: ast.LitmusTest) -> dict[str, frozenset[str]]:
    """Return by the names of kernels the registers that receive what memory or other lanes give."""
    giving = (ast.Load, ast.AtomicRmw, ast.CmpXchg, ast.Call)
    return {
        kernel.name: frozenset(r for s in statements(kernel.body) if isinstance(s, giving) for r in results(s))
        for kernel in test.kernels
    }


def _on_path(graph: EventGraph, taking: _Taking) -> EventGraph:
    """Return what of a graph is executed where choices take these arms, without what that asks of reads."""
    arms = taking.arms
    events = tuple(
        replace(event, guard=(), value=event.value and taking.of(event.value))
        for event in graph.events
        if taken(event.guard, arms)
    )
    undefined = tuple(each for each in graph.undefined if taken(each.guard, arms))
    beyond = tuple(each for each in graph.beyond if taken(each.guard, arms))
    return replace(graph, events=events, choices=(), requires=(), undefined=undefined, beyond=beyond)


class _Taking:
    """Expressions where choices take given arms."""

    def __init__(self, arms: Arms) -> None:
        self.arms = arms
        self.known: dict[Expr, Expr] = {}

    def of(self, value: Expr) -> Expr:
        """Return what an expression is there."""
        return fold(value, self._made, self.known) if self.arms else value

    def _made(self, part: Expr) -> Expr:
        match part:
            case Pick(choice, parts) if choice in self.arms:
                return self.known[parts[self.arms[choice]]]
            case Pick(choice, parts):
                return Pick(choice, tuple(self.known[each] for each in parts))
            case Apply(operation, bits, arguments, parameters):
                first, *others = (self.known[each] for each in arguments)
                certain = all(isinstance(other, Constant) for other in others) and not any(map(_is_undef, others))
                if operation == DEPENDING and certain:
                    return first
                return apply(operation, bits, first, *others, parameters=parameters)
        return part


def _is_undef(value: Expr) -> bool:
    return isinstance(value, Constant) and isinstance(value.value, Undef)


def _step(events: list[Event], statement: ast.Statement | None, location: int, held: Mapping[int, Instance]) -> Step:
    """Return the operation that some events are of."""
    first, last = events[0], events[-1]
    read = next((e.index for e in events if e.kind is EventKind.READ), -1)
    value = last.value if last.kind is EventKind.WRITE else None
    compared = isinstance(statement, ast.CmpXchg)
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
    return Step(operation, value, read, held.get(read), guarded=first.rmw and compared)
