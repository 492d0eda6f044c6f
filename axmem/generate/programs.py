"""From a cycle to its litmus test.

What goes in: an oriented cycle, a name, the places of the threads. What comes out: a resolved `LitmusTest` whose
condition holds of an execution just if it contains the cycle: every read has the value of the write that the cycle
says, and every location the order of writes that it says. Events of one stretch of the cycle without an edge to a
different location are at one location; its writes are numbered 1, 2, … along the stretch.
"""

from __future__ import annotations

from functools import reduce

from axmem.front.records import dataclass
from axmem.front.source import InputError
from axmem.generate.cycles import Cycle
from axmem.generate.edges import CycleEdge, EdgeKind
from axmem.generate.marks import DEFAULT, united
from axmem.litmus import syntax as ast
from axmem.litmus.resolution import resolve
from axmem.litmus.words import location_name


@dataclass(frozen=True, slots=True)
class EventAccess:
    """What an event does: the location, and the value that it reads or writes in the execution asked for."""

    location: str
    value: int


def litmus_test(cycle: Cycle, name: str, places: tuple[ast.Placement, ...] = ()) -> ast.LitmusTest:
    """Return the test of an oriented cycle; without places, every thread is in a workgroup of its own."""
    accesses = assigned(cycle)
    program = _Program(cycle, accesses)
    threads = cycle.threads()
    placements = places or (ast.Placement(),) * len(threads)
    bodies = [ast.Thread(f"P{k}", placements[k], program.body(f"P{k}", t)) for k, t in enumerate(threads)]
    locations = tuple(dict.fromkeys(access.location for access in accesses))
    final, observers = _orders(cycle, accesses, locations, len(threads))
    atoms = [*program.conditions, *final]
    test = ast.LitmusTest(
        name=name,
        description=f"Cycle: {cycle.text}",
        locations=tuple(ast.Location(x, ast.AddressSpace.GLOBAL, None, ast.Number(0)) for x in locations),
        threads=(*bodies, *observers),
        condition=reduce(ast.Both, atoms[1:], atoms[0]),
    )
    resolved, diagnostics = resolve(test)
    if diagnostics:
        raise InputError(diagnostics)
    return resolved


def assigned(cycle: Cycle) -> tuple[EventAccess, ...]:
    """Return what each event does.

    Along a stretch at one location the writes follow in modification order, and each read returns the last write
    before it. A cycle at one location is cut where its last edge of program order contradicts that order.
    """
    size = len(cycle)
    cuts = [i for i, edge in enumerate(cycle.edges) if not edge.same]
    names = {start: location_name(k) for k, start in enumerate(cuts)}
    if not cuts:
        local = [i for i, edge in enumerate(cycle.edges) if not edge.communication]
        cuts = [max((i for i in local if cycle.edges[i].kind is not EdgeKind.UPDATE), default=local[-1])]
        names = {cuts[0]: location_name(0)}
    else:
        names = {cut: names[cuts[k - len(cuts) + 1]] for k, cut in enumerate(cuts)}
    accesses: dict[int, EventAccess] = {}
    for k, cut in enumerate(cuts):
        stretch = (cuts[(k + 1) % len(cuts)] - cut - 1) % size + 1
        value = 0
        for event in (i % size for i in range(cut + 1, cut + 1 + stretch)):
            value += cycle.edges[event].source == "W"
            accesses[event] = EventAccess(names[cut], value)
    return tuple(accesses[event] for event in range(size))


class _Program:
    """Builds the threads; collects what the condition says of their registers."""

    def __init__(self, cycle: Cycle, accesses: tuple[EventAccess, ...]) -> None:
        self.cycle = cycle
        self.accesses = accesses
        self.conditions: list[ast.Condition] = []

    def body(self, name: str, thread: tuple[int, ...]) -> tuple[ast.Statement, ...]:
        """Return the statements of one thread, in order."""
        registers: dict[int, str] = {}
        for event in thread:
            if self.cycle.edges[event].source == "R":
                registers[event] = f"r{len(registers)}"
                observed = ast.RegisterOf(name, registers[event])
                self.conditions.append(ast.ValueComparison("=", observed, ast.Number(self.accesses[event].value)))
        return self._from(thread, 0, registers)

    def _from(self, thread: tuple[int, ...], position: int, registers: dict[int, str]) -> tuple[ast.Statement, ...]:
        """Return the statements from one event on; those after a control dependency stand in its branch."""
        if position == len(thread):
            return ()
        event = thread[position]
        before = self.cycle.edges[thread[position - 1]] if position else None
        source = registers.get(thread[position - 1], "") if position else ""
        length = 2 if self._updates(thread, position) else 1
        statement = self._access(event, before, source, registers.get(event, ""), update=length == 2)
        body = (statement, *self._from(thread, position + length, registers))
        if before is not None and before.kind is EdgeKind.CONTROL:
            value = ast.Number(self.accesses[thread[position - 1]].value)
            return (ast.If(ast.IntegerOperation("eq", (ast.Register(source), value)), body),)
        if before is not None and before.fence is not None:
            return (ast.Fence(before.fence), *body)
        return body

    def _updates(self, thread: tuple[int, ...], position: int) -> bool:
        return position + 1 < len(thread) and self.cycle.edges[thread[position]].kind is EdgeKind.UPDATE

    def _access(
        self, event: int, before: CycleEdge | None, source: str, register: str, *, update: bool
    ) -> ast.Statement:
        """Return the statement of an event, with what it depends on."""
        zero = ast.IntegerOperation("xor", (ast.Register(source), ast.Register(source)))
        kind = before.kind if before is not None else None
        access, mode = self.accesses[event], self.cycle.mark(event)
        base = ast.AddressOf(access.location)
        address = ast.Address(base, zero if kind is EdgeKind.ADDRESS else None)
        if update:
            written = (event + 1) % len(self.cycle)
            value = ast.Number(self.accesses[written].value)
            mode = united(mode, self.cycle.mark(written))
            return ast.AtomicRmw(register, "xchg", None, address, value=value, mode=mode)
        if self.cycle.edges[event].source == "R":
            return ast.Load(register, None, address, mode)
        stored: ast.Expr = ast.Number(access.value)
        if kind is EdgeKind.DATA:
            stored = ast.IntegerOperation("add", (zero, stored))
        return ast.Store(stored, None, address, mode)


def _orders(
    cycle: Cycle, accesses: tuple[EventAccess, ...], locations: tuple[str, ...], threads: int
) -> tuple[list[ast.Condition], list[ast.Thread]]:
    """Return what the condition says of the order of writes, and the threads that observe it.

    The final value tells the order of two writes; more of them are read one after the other by a thread of its own.
    """
    conditions: list[ast.Condition] = []
    observers: list[ast.Thread] = []
    for location in locations:
        writes = sum(a.location == location and cycle.edges[i].source == "W" for i, a in enumerate(accesses))
        if writes < 2:
            continue
        if writes > 2:
            name = f"P{threads + len(observers)}"
            address = ast.Address(ast.AddressOf(location))
            loads = tuple(ast.Load(f"r{k}", None, address, DEFAULT) for k in range(writes - 1))
            observers.append(ast.Thread(name, ast.Placement(), loads))
            conditions += [
                ast.ValueComparison("=", ast.RegisterOf(name, f"r{k}"), ast.Number(k + 1)) for k in range(writes - 1)
            ]
        conditions.append(ast.ValueComparison("=", ast.FinalValue(location), ast.Number(writes)))
    return conditions, observers
