"""From a lowered test to a machine program.

What goes in: a `LoweredTest`. What comes out: its `MachineProgram`. Values, guards, cells and what is observed are
those of the encoder's events, so that outcomes of the machine and of a model are rows of the same shape. Raises
InputError, with a place, for what the machine has no meaning for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from axmem.codegen.instructions import EmittedInstruction, InstructionKind, counted_as, waits
from axmem.codegen.machine.cells import grouped, lds_locations, system_cells, waves_of
from axmem.codegen.machine.families import Machine, machine_of
from axmem.codegen.machine.program import (
    Access,
    Action,
    BarrierStep,
    Footprint,
    Invalidate,
    MachineInstruction,
    MachineProgram,
    Operation,
    Path,
    Read,
    Stream,
    Wait,
    Write,
    Writeback,
)
from axmem.codegen.program import LoweredStatement, LoweredTest
from axmem.events.conventions import Conventions
from axmem.events.graph import Choice, Event, EventGraph, EventKind, Guard
from axmem.events.unroll import event_graph
from axmem.events.values import UNDEF, Constant, Expr, Value
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Span
from axmem.litmus.syntax import AddressSpace, Load, RmwStatement, Store
from axmem.litmus.walk import Path as StatementPath


def machine_program(lowered: LoweredTest) -> MachineProgram:
    """Return the program that a lowered test is to the machine. Raises InputError."""
    return _Builder(lowered).program()


class _Builder:
    def __init__(self, lowered: LoweredTest) -> None:
        self.lowered = lowered
        self.test = lowered.test
        self.machine = machine_of(lowered.target.family.name)
        self.graph = event_graph(self.test, Conventions(undef_memory=True))
        self.choices, self.exchanges = _resolved(self.graph)
        self.waves, self.wave_of = waves_of(self.test)
        self.events: dict[StatementPath, list[Event]] = {}
        for event in self.graph.events:
            if event.thread >= 0:
                self.events.setdefault(event.path, []).append(event)
        self.groups, self.group_of = grouped(
            self.graph.cells, _together(self.graph, self.exchanges),
            lds=lds_locations(self.test), system=system_cells(self.graph),
        )  # fmt: skip
        self._check_lds()

    def program(self) -> MachineProgram:
        streams = tuple(
            Stream(thread.name, self.wave_of[k], tuple(self._stream(thread.statements)))
            for k, thread in enumerate(self.lowered.threads)
        )
        target = self.lowered.target
        return MachineProgram(
            name=self.test.name,
            family=target.family.name,
            mode=target.mode,
            streams=streams,
            waves=self.waves,
            cells=self.graph.cells,
            groups=self.groups,
            initial=_initial(self.graph),
            choices=self.choices,
            requires=self.graph.requires,
            finals={e.index: e.cell for e in self.graph.events if e.kind is EventKind.FINAL},
            observed=tuple(o.lanes for o in self.graph.observed),
            barriers=self._barriers(),
        )

    def fail(self, span: Span, message: str, hint: str = "") -> InputError:
        return InputError([Diagnostic(self.test.source, span, message, hint)])

    # ------------------------------------------------------------ instructions

    def _stream(self, lowered: Sequence[LoweredStatement]) -> Iterator[MachineInstruction]:
        number, scalar = 0, set[int]()
        for statement in lowered:
            events = self.events.get(statement.path, [])
            if not events:  # no access to memory, or in a branch that is never taken
                continue
            guard = _common(events)
            for instruction, operation, counters, parts in self._operations(statement, events, guard):
                if isinstance(operation, Access):
                    groups = {f.group for f in operation.footprints}
                    if operation.action is not Action.LOAD and groups & scalar:
                        yield self._hazard_wait(number, guard, statement)
                        number += 1
                        scalar.clear()
                    scalar |= groups if operation.path is Path.SCALAR else set()
                yield MachineInstruction(
                    number=number, kind=instruction.kind, text=instruction.text, operation=operation,
                    counters=counters, guard=guard, parts=parts, bits=instruction.bits,
                    statement=statement.path, span=statement.statement.span,
                )  # fmt: skip
                number += 1

    def _hazard_wait(self, number: int, guard: Guard, lowered: LoweredStatement) -> MachineInstruction:
        """Return the wait before a store to memory that a scalar load may still be reading.

        A later pass inserts it ([SIInsertWaitcnts] keeps the addresses of scalar loads), so the lowering does not
        have it.
        """
        counters = self.machine.counting("scalar")[:1]
        text = "; ".join(i.text for i in waits(self.lowered.target.family, ((c, "", "") for c in counters)))
        limits = tuple((counter, 0) for counter in counters)
        return MachineInstruction(
            number=number, kind=InstructionKind.WAIT, text=text, operation=Wait(limits), guard=guard, parts=counters,
            statement=lowered.path, span=lowered.statement.span,
        )  # fmt: skip

    def _operations(
        self, lowered: LoweredStatement, events: list[Event], guard: Guard
    ) -> Iterator[tuple[EmittedInstruction, Operation, tuple[str, ...], tuple[str, ...]]]:
        span = lowered.statement.span
        accesses = [i for i in lowered.instructions if i.kind is InstructionKind.ACCESS]
        parts = iter(self._divided(lowered, events, guard, len(accesses)))
        for instruction in lowered.instructions:
            match instruction.kind:
                case InstructionKind.ACCESS:
                    yield self._access(instruction, lowered, next(parts))
                case InstructionKind.WAIT:
                    names = tuple(part.name for part in instruction.parts)
                    yield instruction, Wait(tuple((name, 0) for name in names)), (), names
                case InstructionKind.INVALIDATE | InstructionKind.WRITEBACK:
                    operation = maintenance(self.machine, instruction.text)
                    word = counted_as(instruction.mnemonic, instruction.kind)
                    if operation is None:
                        raise self.fail(span, f"the machine does not know '{instruction.text}'")
                    names = tuple(part.name for part in instruction.parts)
                    yield instruction, operation, self.machine.counting(word), names
                case InstructionKind.BARRIER:
                    yield instruction, self._barrier(instruction, events[0]), (), ()

    def _access(
        self, instruction: EmittedInstruction, lowered: LoweredStatement, part: _Part
    ) -> tuple[EmittedInstruction, Operation, tuple[str, ...], tuple[str, ...]]:
        """Return an access with its scope and counters."""
        assert lowered.operation is not None
        operation, span = lowered.operation, lowered.statement.span
        path = Path.VECTOR
        if operation.uniform and instruction.mnemonic.startswith("s_"):
            path = Path.SCALAR
        elif operation.space is AddressSpace.LDS:
            path = Path.LDS
        elif operation.space is AddressSpace.GENERIC or instruction.mnemonic.startswith("flat"):
            path = Path.FLAT
        result = part.action is Action.LOAD or operation.result
        access = accessing(self.machine, part.action, path, instruction.bits, result=result)
        if access is None:
            raise self.fail(span, f"the machine does not know the bits of '{instruction.text}'")
        counters = counters_of(self.machine, part.action, path, result=result)
        droppable = droppable_bits(self.machine, part.action, instruction.bits)
        return instruction, replace(access, footprints=part.footprints), counters, droppable

    def _divided(self, lowered: LoweredStatement, events: list[Event], guard: Guard, count: int) -> Iterator[_Part]:
        """Yield what each of the access instructions of a statement does."""
        if not count:
            return
        match lowered.statement:
            case Load():
                action = Action.LOAD
            case Store():
                action = Action.STORE
            case RmwStatement():
                action = Action.RMW
            case _:
                raise self.fail(lowered.statement.span, "the machine does not know this access")
        footprints = self._footprints(events, guard)
        if count == 1:
            yield _Part(action, footprints)
        elif action is Action.RMW and count == 2:
            yield _Part(Action.LOAD, tuple(replace(f, writes=()) for f in footprints))
            yield _Part(Action.STORE, tuple(replace(f, reads=()) for f in footprints))
        else:
            yield from (_Part(action, tuple(fs)) for fs in self._pieces(lowered, footprints, count))

    def _pieces(
        self, lowered: LoweredStatement, footprints: tuple[Footprint, ...], count: int
    ) -> Iterator[list[Footprint]]:
        """Yield the footprints of each piece of an access that is made in several."""
        assert lowered.operation is not None
        width = lowered.operation.type.size // count
        cells = self.graph.cells
        for number in range(count):
            piece = []
            for f in footprints:
                first = min(cells[c].offset for c in _cells(f))
                low, high = first + number * width, first + (number + 1) * width

                def within(cell: int, low: int = low, high: int = high) -> bool:
                    start, end = cells[cell].offset, cells[cell].offset + cells[cell].size
                    if start < high < end or start < low < end:
                        message = "the machine does not split a value that is accessed as a whole elsewhere"
                        raise self.fail(lowered.statement.span, message)
                    return low <= start < high

                reads = tuple(r for r in f.reads if within(r.cell))
                piece.append(replace(f, reads=reads, writes=tuple(w for w in f.writes if within(w.cell))))
            yield piece

    def _footprints(self, events: list[Event], guard: Guard) -> tuple[Footprint, ...]:
        """Return an access's footprints, one for each address that it may have."""
        by_guard: dict[Guard, list[Event]] = {}
        for event in events:
            by_guard.setdefault(_addressed(event.guard, self.exchanges), []).append(event)
        found = []
        for whole, here in by_guard.items():
            reads: dict[int, list[int]] = {}
            for event in here:
                if event.kind is EventKind.READ:
                    reads.setdefault(event.cell, []).append(event.index)
            writes = tuple(
                Write(e.cell, e.value or Constant(UNDEF), _condition(e.guard, self.exchanges))
                for e in here
                if e.kind is EventKind.WRITE
            )
            rest = tuple(pair for pair in whole if pair not in guard)
            read = tuple(Read(cell, tuple(indices)) for cell, indices in reads.items())
            found.append(Footprint(self.group_of[here[0].cell], read, writes, rest))
        return tuple(found)

    # ------------------------------------------------------------ barriers and LDS

    def _barrier(self, instruction: EmittedInstruction, event: Event) -> BarrierStep:
        assert event.phase is not None
        name = event.phase[0]
        if instruction.mnemonic.endswith("signal"):
            return BarrierStep(name, arrive=True, passing=False)
        return BarrierStep(name, not instruction.mnemonic.endswith("wait"), passing=True)

    def _barriers(self) -> Mapping[str, tuple[int, ...]]:
        """Return the participants of each barrier."""
        numbers = {thread.name: k for k, thread in enumerate(self.test.threads)}
        found = {}
        for k, barrier in enumerate(self.test.barriers):
            members = tuple(numbers[name] for name in barrier.participants)
            found[f"{barrier.name}#{k}"] = members
        return found

    def _check_lds(self) -> None:
        """Refuse LDS that threads of several workgroups access: the text gives it one instance, the machine several."""
        users: dict[int, set[tuple[int, int, int]]] = {}
        for event in self.graph.events:
            if event.cell >= 0 and event.thread >= 0 and event.space is AddressSpace.LDS:
                wave = self.waves[self.wave_of[event.thread]]
                used = users.setdefault(event.cell, set())
                used.add((wave.agent, wave.cluster, wave.workgroup))
                if len(used) > 1:
                    raise self.fail(event.span, "LDS of one workgroup is not another's: each has its own")


@dataclass(frozen=True, slots=True)
class _Part:
    """What one access instruction of a statement does."""

    action: Action
    footprints: tuple[Footprint, ...]


def _cells(footprint: Footprint) -> list[int]:
    return [read.cell for read in footprint.reads] + [write.cell for write in footprint.writes]


def accessing(machine: Machine, action: Action, path: Path, bits: tuple[str, ...], *, result: bool) -> Access | None:
    """Return an access without footprints, with the scope that its bits spell; None if they are not known."""
    scope = machine.scope(action.value, bits) if path in (Path.VECTOR, Path.FLAT) else 0
    return None if scope is None else Access(action, path, scope, (), result)


def droppable_bits(machine: Machine, action: Action, bits: tuple[str, ...]) -> tuple[str, ...]:
    """Return the bits of an access that may be left out of it alone: not hints, nor what makes an update return."""
    kept = machine.hints | ({machine.result} if action is Action.RMW else set())
    return tuple(bit for bit in bits if bit not in kept)


def counters_of(machine: Machine, action: Action, path: Path, *, result: bool) -> tuple[str, ...]:
    """Return the counters that count an access."""
    if path in (Path.LDS, Path.SCALAR):
        return machine.counting(path.value)
    kind = {Action.LOAD: "load", Action.STORE: "store"}.get(action, "fetch" if result else "atomic")
    return machine.counting(kind, flat=path is Path.FLAT)


def maintenance(machine: Machine, text: str) -> Invalidate | Writeback | None:
    """Return what an invalidate or writeback does, or None if the machine does not know the instruction."""
    if text in machine.invalidates:
        scalar = counted_as(text, InstructionKind.INVALIDATE) == Path.SCALAR.value
        return Invalidate(*machine.invalidates[text], scalar=scalar)
    return Writeback(machine.writebacks[text]) if text in machine.writebacks else None


# ---------------------------------------------------------------- guards and choices


def _common(events: Iterable[Event]) -> Guard:
    """Return the arms that all events of a statement share: the way that leads to it."""
    guards = [event.guard for event in events]
    return tuple(pair for pair in guards[0] if all(pair in guard for guard in guards))


def _resolved(graph: EventGraph) -> tuple[tuple[Choice, ...], Mapping[int, Expr]]:
    """Return the choices, those of a cmpxchg decided by its comparison, and these comparisons."""
    exchanges: dict[int, Expr] = {}
    for choice in graph.choices:
        if choice.expr is None:
            succeeds = next(r for r in graph.requires if r.guard and r.guard[-1] == (choice.index, 1))
            exchanges[choice.index] = succeeds.expr
    choices = tuple(replace(c, expr=exchanges[c.index]) if c.index in exchanges else c for c in graph.choices)
    return choices, exchanges


def _addressed(guard: Guard, exchanges: Mapping[int, Expr]) -> Guard:
    """Return a guard without the arms of the cmpxchg that the event itself belongs to (its last arm)."""
    return guard[:-1] if guard and guard[-1][0] in exchanges else guard


def _condition(guard: Guard, exchanges: Mapping[int, Expr]) -> Expr | None:
    return exchanges.get(guard[-1][0]) if guard else None


# ---------------------------------------------------------------- waves and memory


def _initial(graph: EventGraph) -> tuple[Value, ...]:
    values: dict[int, Value] = {}
    for event in graph.events:
        if event.kind is EventKind.INIT:
            assert isinstance(event.value, Constant)
            values[event.cell] = event.value.value
    return tuple(values.get(cell, UNDEF) for cell in range(len(graph.cells)))


def _together(graph: EventGraph, exchanges: Mapping[int, Expr]) -> Iterable[Sequence[int]]:
    """Return the cells that each access covers at one address."""
    found: dict[tuple[int, Guard], list[int]] = {}
    for event in graph.events:
        if event.cell >= 0 and event.thread >= 0:
            found.setdefault((event.instruction, _addressed(event.guard, exchanges)), []).append(event.cell)
    return found.values()
