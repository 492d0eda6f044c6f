"""The events of one memory access that goes to one place.

What goes in: a load, store, atomicrmw or cmpxchg, the place it goes to and the state of its thread. What comes out:
its events, appended to those of the test, one per cell and half (a cmpxchg makes those of its success and those of its
failure), and the lanes of what it returns.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.events.building import EventBuilder, bytes_of, lanes_of_cells
from axmem.events.graph import Event, EventKind, Guard, Require
from axmem.events.parts import compared
from axmem.events.state import NO_READS, AccessTarget, CellKey, Lanes, WalkState
from axmem.events.values import DEPENDING, Apply, Constant, Expr, Pick, apply, reads_of
from axmem.litmus import syntax as ast
from axmem.litmus.words import Ordering


class AccessEvents:
    """Makes the events of one access to one target."""

    def __init__(self, builder: EventBuilder, statement: ast.AnyAccess, target: AccessTarget, state: WalkState) -> None:
        self.builder = builder
        self.statement = statement
        self.target = target
        self.state = state
        assert statement.type is not None
        self.type: ast.Type = statement.type
        self.keys = builder.footprint(target.location, target.offset, self.type)

    def make(self) -> Lanes:
        """Append the events; return the lanes of the result (for a cmpxchg the old value and the success bit)."""
        match self.statement:
            case ast.Load():
                found = self._read(self.target.guard, self.statement.mode.ordering)
                held = self.builder.settled.get(self.target.location)
                return found if held is None else self._held(*held)
            case ast.Store(value=value):
                self.write(self.builder.lanes(value, self.type, self.state))
                return ()
            case ast.AtomicRmw(value=value, operation=operation):
                old = self._read(self.target.guard, self.statement.mode.ordering)
                operand = self.builder.lanes(value, self.type, self.state)
                self._write(self.target.guard, self._updated(operation, old, operand), NO_READS)
                return old
            case ast.CmpXchg():
                return self._cmpxchg(self.statement)

    def write(self, lanes: Lanes) -> None:
        """Append the events of a write of this value."""
        self._write(self.target.guard, lanes, NO_READS)

    def _held(self, lanes: Lanes, bits: int) -> Lanes:
        """Return what a load reads of memory that holds this."""
        size = self.type.element.size
        places = (self.target.offset + index * size for index in range(max(1, self.type.lanes)))
        return tuple(bytes_of(lanes, bits, place, size) for place in places)

    def _updated(self, operation: str, old: Lanes, operand: Lanes) -> Lanes:
        if operation == "xchg":
            return operand
        return tuple(apply(operation, self.type.bits, a, b) for a, b in zip(old, operand, strict=True))

    def _cmpxchg(self, statement: ast.CmpXchg) -> Lanes:
        """Fork into success (read and write) and failure (a single atomic load with the failure ordering)."""
        builder, bits = self.builder, self.type.bits
        expected = builder.lanes(statement.expected, self.type, self.state)[0]
        desired = builder.lanes(statement.desired, self.type, self.state)
        choice = builder.choice(self.target.guard, None, (0, 1))
        fails, succeeds = (*self.target.guard, (choice, 0)), (*self.target.guard, (choice, 1))
        failed = self._read(fails, statement.failure, statement.mode.ordering)[0]
        differs = compared("ne", failed, expected)
        if statement.weak:
            builder.failing.update(dict.fromkeys(reads_of(failed), differs))
        else:
            builder.requires.append(Require(fails, differs))
        old = self._read(succeeds, statement.mode.ordering)[0]
        builder.requires.append(Require(succeeds, compared("eq", old, expected)))
        self._write(succeeds, desired, reads_of(old) | reads_of(expected))
        value = Pick(choice, (failed, old))
        success = Apply(DEPENDING, 1, (Pick(choice, (Constant(0), Constant(1))), value, expected))
        return (Apply(DEPENDING, bits, (value, expected)), success)

    def _read(self, guard: Guard, ordering: Ordering, cas: Ordering | None = None) -> Lanes:
        reads: dict[CellKey, int] = {}
        for group in self._groups():
            self.builder.accesses += 1
            for key in group:
                reads[key] = self._event(EventKind.READ, key, group, guard, ordering, cas=cas)
        return lanes_of_cells(reads, self.target.offset, self.type)

    def _write(self, guard: Guard, lanes: Lanes, deciding: frozenset[int]) -> None:
        for group in self._groups():
            self.builder.accesses += 1
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
        builder, statement, state, mode = self.builder, self.statement, self.state, self.statement.mode
        index = len(builder.events)
        if mode.provenance is not None:
            builder.provenance[index] = mode.provenance
        builder.events.append(
            Event(
                index=index,
                thread=state.thread,
                kind=kind,
                position=state.position,
                instruction=builder.instructions,
                access=builder.accesses,
                cell=builder.cell_index.get(key, -1),
                footprint=frozenset(builder.cell_index.get(k, -1) for k in group),
                space=builder.test.locations[self.target.location].space,
                ordering=ordering,
                scope=mode.scope.level,
                one_as=mode.scope.one_as,
                volatile=mode.volatile,
                nontemporal=mode.nontemporal,
                av=mode.av,
                rmw=isinstance(statement, ast.RmwStatement) and cas is None,
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
