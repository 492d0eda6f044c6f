"""The events of a test as they are made: what everything that makes events writes to.

What goes in: a test, its cells and what is up to the model. What comes out: `events`, `choices`, `requires` and so on,
from which `axmem.events.unroll` makes the graph. Whoever executes statements (`statements`, `kernels`) or makes the
events of some (`accesses`, `transfers`, `barrier_events`, `anchors`) is given the one `EventBuilder` of the test. The
lanes of a value become bytes of cells here, and come back.
"""

from __future__ import annotations

from functools import cached_property

from axmem.events.conventions import Conventions
from axmem.events.expressions import Expressions, inside, possible_addresses, why_outside
from axmem.events.graph import (
    Beyond,
    Choice,
    Event,
    EventKind,
    Guard,
    Require,
    Stuck,
    Undefined,
    address_of,
    location_at,
)
from axmem.events.parts import part_of
from axmem.events.state import NO_READS, AccessTarget, CellKey, Lanes, WalkState
from axmem.events.taken_back import Iteration
from axmem.events.values import UNDEF, ZERO, Apply, Constant, Expr, Pick, ReadOf, apply, possible_values, reads_of
from axmem.front.records import replace
from axmem.front.source import Diagnostic, InputError, Span
from axmem.litmus import syntax as ast
from axmem.litmus import walk
from axmem.litmus.kernels import DEFAULT_BOUND
from axmem.litmus.launch import instances
from axmem.litmus.launch import lanes as lanes_of
from axmem.litmus.layout import location_of
from axmem.litmus.placement import barrier_object


class EventBuilder:
    """The events of a test as they are made; without cells, to find out which bytes are accessed together."""

    def __init__(self, test: ast.LitmusTest, cells: dict[int, list[CellKey]], decided: Conventions) -> None:
        self.instances = [(kernel, tuple(instances(kernel))) for kernel in test.kernels]
        if test.kernels:
            own = (instance.location for _, memory in self.instances for instance in memory)
            test = replace(test, locations=(*test.locations, *own))
        self.test = test
        self.decided = decided
        self.bound = test.bound or DEFAULT_BOUND
        self.beyond: list[Beyond] = []
        self.stuck: list[Stuck] = []
        self.failing: dict[int, Expr] = {}
        self.followed: list[Iteration] = []
        """Iterations that count if they have changed something, and which others follow."""
        self.rewritten: set[walk.Path] = set()
        """Stores that iterations which try again repeat."""
        self.instances_met = 0
        everyone = [lane for kernel in test.kernels for lane in lanes_of(kernel)]
        self.threads = (*(t.name for t in test.threads), *(lane.name for lane in everyone))
        self.placements = (*(t.placement for t in test.threads), *(lane.placement for lane in everyone))
        self.cell_keys = [key for keys in cells.values() for key in keys]
        self.cell_index = {key: i for i, key in enumerate(self.cell_keys)}
        self.cells = cells
        self.counting = not cells
        self.footprints: set[CellKey] = set()
        self.location_index = {loc.name: k for k, loc in enumerate(test.locations)}
        self.events: list[Event] = []
        self.choices: list[Choice] = []
        self.requires: list[Require] = []
        self.undefined: list[Undefined] = []
        self.provenance: dict[int, ast.Provenance] = {}
        self.expressions = Expressions(test)
        self.instructions = 0
        self.accesses = 2 * len(test.locations)  # The initial writes of each are one access, and its final reads.
        self.phases: dict[tuple[int, str], int] = {}
        self.registers: dict[tuple[str, str], Lanes] = {}
        self.loaded: dict[tuple[str, str], None] = {}

    def ended(self, thread: str, state: WalkState) -> None:
        """Note what the registers of a thread or lane hold at its end."""
        for name, lanes in state.registers.items():
            shown = state.shown(name) if self.decided.partly else None
            self.registers[thread, name] = lanes if shown is None else shown

    # ------------------------------------------------------------ initial and final events

    def initial_writes(self) -> None:
        """Make the initial writes; those of one location are one access."""
        for k, location in enumerate(self.test.locations):
            assert location.type is not None
            if location.initial is not None:
                lanes = self.lanes(location.initial, location.type, WalkState(-1))
            elif self.decided.undef_memory:
                lanes = (Constant(UNDEF),) * max(1, location.type.lanes)
            else:
                continue
            bits = location.type.element.bits
            for key in self.cells[k]:
                value = bytes_of(lanes, bits, key[1], key[2])
                self._outer_event(EventKind.INIT, key, value)

    def _outer_event(self, kind: EventKind, key: CellKey, value: Expr | None) -> int:
        """Make the initial write or the final read of a cell; those of one location are one access."""
        self.instructions += 1
        location = self.test.locations[key[0]]
        cell = self.cell_index[key]
        event = Event(
            index=len(self.events),
            thread=-1,
            kind=kind,
            position=0,
            instruction=self.instructions,
            access=key[0] if kind is EventKind.INIT else len(self.test.locations) + key[0],
            cell=cell,
            footprint=frozenset((cell,)),
            space=location.space,
            value=value,
            span=location.span,
        )
        self.events.append(event)
        return event.index

    def final_value(self, location: str, offset: int, type_: ast.Type) -> Lanes:
        """Return the lanes of a final read; its cells' events are made once."""
        k = self.location_index[location]
        finals = {e.cell: e.index for e in self.events if e.kind is EventKind.FINAL}
        reads: dict[CellKey, int] = {}
        for key in self.cells[k]:
            if offset < key[1] + key[2] and key[1] < offset + type_.size:
                cell = self.cell_index[key]
                if cell not in finals:
                    finals[cell] = self._outer_event(EventKind.FINAL, key, None)
                reads[key] = finals[cell]
        return lanes_of_cells(reads, offset, type_)

    @cached_property
    def settled(self) -> dict[int, tuple[Lanes, int]]:
        """What memory holds that nothing writes, in lanes of so many bits, if loads are to know it."""
        if not self.decided.settled:
            return {}
        written: set[str | None] = set()
        for _, statement in walk.located(self.test):
            if not isinstance(statement, ast.Load):
                written |= {location_of(address) for address in walk.addresses(statement)}
        written |= self.pointed if None in written else set()
        found = {}
        for index, location in enumerate(self.test.locations):
            known = location.space is ast.AddressSpace.GLOBAL and location.name not in written
            if known and location.initial is not None and location.type is not None:
                lanes = self.lanes(location.initial, location.type, WalkState(-1))
                found[index] = (lanes, location.type.element.bits)
        return found

    @cached_property
    def pointed(self) -> frozenset[str]:
        """Return the locations to which a loaded pointer may point: a number that meets another's address is none."""
        taken = walk.address_taken(self.test) | self.decided.pointed
        declared = {each.location.name: each.declared for _, memory in self.instances for each in memory}
        names = [location.name for location in self.test.locations]
        return frozenset(name for name in names if declared.get(name, name) in taken)

    # ------------------------------------------------------------ events and choices

    def choice(self, guard: Guard, expr: Expr | None, values: tuple[int | None, ...]) -> int:
        """Add a choice under a guard, an arm for each value of the expression (None: any other); return its index."""
        self.choices.append(Choice(len(self.choices), guard, expr, values))
        return len(self.choices) - 1

    def note_undefined(self, state: WalkState, expr: Expr, reason: str, span: Span) -> None:
        """Note that behaviour is undefined where an expression is undef, unless it never is."""
        if not (isinstance(expr, Constant) and isinstance(expr.value, int)):
            self.undefined.append(Undefined(state.guard, expr, reason, span))

    def plain_event(self, kind: EventKind, state: WalkState, **attributes: object) -> int:
        """Add an event that accesses no memory; return its index."""
        self.accesses += 1
        event = Event(
            index=len(self.events),
            thread=state.thread,
            kind=kind,
            position=state.position,
            instruction=self.instructions,
            access=self.accesses,
            guard=state.guard,
            guard_reads=state.guard_reads,
            control_reads=state.control_reads,
            within=state.within,
            path=state.path,
            instance=state.instance,
        )
        self.events.append(replace(event, **attributes))  # type: ignore[arg-type]
        return event.index

    def phase(self, name: str, thread: int) -> tuple[str, int]:
        """Return the barrier object of this name at which a thread arrives next, and in which phase."""
        return f"{name}#{barrier_object(self.test, name, thread)}", self.phases.get((thread, name), 0) + 1

    # ------------------------------------------------------------ addresses

    def returned(self, results: list[tuple[AccessTarget, Lanes]]) -> Lanes:
        """Return what an access returns, whichever address it went to."""
        lanes = results[0][1]
        if len(results) == 1 and results[0][0].arm is None:
            return lanes
        choice, count = results[0][0].choice, results[0][0].arms
        arms: list[Lanes] = [(ZERO,) * len(lanes)] * count
        for target, values in results:
            assert target.arm is not None
            arms[target.arm] = values
        return tuple(Pick(choice, tuple(arm[i] for arm in arms)) for i in range(len(lanes)))

    def targets(self, address: ast.Address, type_: ast.Type, state: WalkState) -> list[AccessTarget]:
        """Return where an access may go; several (guarded) if its address is not known."""
        expr = self.expressions.address(address, type_, state.registers)
        self.note_undefined(state, expr, "access through an undef address", address.span)
        if isinstance(expr, Constant):
            value = expr.value if isinstance(expr.value, int) else address_of(0)
            return [self._target(value, type_, state.guard, NO_READS, address.span)]
        reads = reads_of(expr)
        known = possible_values(expr)
        possible = possible_addresses(self.test, expr, type_, self.pointed)
        candidates = [c for c in possible if inside(self.test, c, type_)]
        if not candidates:
            self.fail(address.span, "the address is outside every location whatever is read")
        if known is not None and len(known) == 1:
            return [self._target(candidates[0], type_, state.guard, reads, address.span)]
        choice = self.choice(state.guard, expr, (*candidates, None))
        outside = (*state.guard, (choice, len(candidates)))
        self.undefined.append(Undefined(outside, None, why_outside(self.test, expr, type_), address.span))
        targets = []
        for arm, candidate in enumerate(candidates):
            target = self._target(candidate, type_, (*state.guard, (choice, arm)), reads, address.span)
            targets.append(replace(target, choice=choice, arm=arm, arms=len(candidates) + 1))
        return targets

    def _target(self, address: int, type_: ast.Type, guard: Guard, reads: frozenset[int], span: Span) -> AccessTarget:
        if not inside(self.test, address, type_):
            self.fail(span, f"the access of {type_.size} bytes at this address is outside every location")
        location, offset = location_at(address)
        return AccessTarget(location, offset, guard, reads)

    def whole(self, exchange: ast.CmpXchg) -> bool:
        """Say whether what a cmpxchg accesses is one cell wherever it goes."""
        size = exchange.type.size if exchange.type is not None else 0
        index = self.location_index.get(location_of(exchange.address) or "")
        return all(k[2] >= size for at, keys in self.cells.items() if index in (at, None) for k in keys)

    def fail(self, span: Span, message: str) -> None:
        """Raise InputError about a place of the test."""
        raise InputError([Diagnostic(self.test.source, span, message)])

    # ------------------------------------------------------------ expressions and cells

    def scalar(self, expr: ast.Expr, state: WalkState) -> Expr:
        """Return the value of a scalar expression."""
        return self.expressions.lanes(expr, expr.type, state.registers)[0]

    def lanes(self, expr: ast.Expr, type_: ast.Type | None, state: WalkState) -> Lanes:
        """Return the lanes of an expression where a value of this type is wanted."""
        return self.expressions.lanes(expr, type_, state.registers)

    def footprint(self, location: int, offset: int, type_: ast.Type) -> list[CellKey]:
        """Return the cells an access covers; in the first walk, one per lane, recorded."""
        if self.counting:
            size = type_.element.size
            keys = [(location, offset + i * size, size) for i in range(max(1, type_.lanes))]
            self.footprints.update(keys)
            return keys
        return [k for k in self.cells[location] if offset <= k[1] and k[1] + k[2] <= offset + type_.size]


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
    return part_of(whole, start * 8 - first * bits, size * 8)
