"""From a litmus test to its events.

What goes in: a resolved `LitmusTest`. What comes out: an `EventGraph`. Each thread is executed symbolically once, all
branches together: a register's value is an expression over what reads return, merged after a branch; an access
through an address that is not known becomes one guarded alternative per address that is possible. The threads are
walked twice, first to find out which bytes are accessed together (that makes the cells), then to make the events.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from axmem.events.accesses import (
    NO_READS,
    AccessEvents,
    AccessStatement,
    CellKey,
    Lanes,
    State,
    Target,
    bytes_of,
    lanes_of_cells,
)
from axmem.events.expressions import Expressions, inside, possible_addresses
from axmem.events.graph import (
    Beyond,
    Cell,
    Choice,
    Event,
    EventGraph,
    EventKind,
    Guard,
    Require,
    Stuck,
    Undefined,
    address_of,
    location_at,
)
from axmem.events.observe import observed_values
from axmem.events.transfers import Transfers
from axmem.events.values import (
    DEPENDING,
    UNDEF,
    ZERO,
    Apply,
    Constant,
    Expr,
    Pick,
    apply,
    forget,
    possible_values,
    reads_of,
)
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Span
from axmem.litmus import syntax as ast
from axmem.litmus.kernels import DEFAULT_BOUND
from axmem.litmus.launch import instances, places
from axmem.litmus.launch import lanes as lanes_of
from axmem.litmus.placement import barrier_object
from axmem.litmus.walk import ELSE, THEN, Path, address_taken, addresses, arms, asked_numbers, located, statements
from axmem.litmus.words import Ordering
from axmem.model.terms import Model

if TYPE_CHECKING:
    from axmem.events.instances import Noting


@dataclass(frozen=True, slots=True)
class Conventions:
    """What is up to a model about the events of a test.

    `undef_memory`: uninitialised memory has an initial write of undef, rather than none (for models without a rule for
    reads that no write comes before). `tearing`: each byte of an atomic access is a cell, so that it may be read from a
    write of its own. `forks`: a branch on undef goes either way, and is no undefined behaviour. `awaits`: a loop that
    only waits keeps its last iteration alone; no model decides that, only tests have it unrolled like any other. Nor
    `stuck`: such a loop may also go on for ever, and the thread ends there. Nor `promises`: that a broken promise of
    parallel accesses is undefined behaviour is what the user asks. Nor `partly`: a register that no branch taken has
    assigned shows undef at last, where it holds 0; so that who compares two programs compares nothing with it.
    """

    undef_memory: bool = False
    tearing: bool = False
    forks: bool = False
    awaits: bool = True
    stuck: bool = False
    promises: bool = False
    partly: bool = False


@lru_cache(maxsize=256)
def conventions(model: Model) -> Conventions:
    """Return what a model has decided, by its undef rules and the variants `bytes.notear` and `undef.branch`."""
    return Conventions(
        undef_memory=not model.undefs,
        tearing=model.choice.get("bytes.notear") == "off",
        forks=model.choice.get("undef.branch") == "fork",
    )


def events_under(
    test: ast.LitmusTest, model: Model, *, promises: bool = False, partly: bool = False
) -> EventGraph:
    """Return the events of a test as a model has them; with `promises` a broken one is undefined behaviour.

    With `partly` registers that the branches taken have not assigned show undef.

    Raises InputError for an access outside every location, and for DMA operations that the model does not speak of.
    """
    if "initiates" not in model.base_names:
        message = f"{model.name} does not say what a DMA operation does: it does not speak of `initiates`"
        strange = [statement for _, statement in located(test) if isinstance(statement, ast.Transfer)]
        if strange:
            raise InputError([Diagnostic(test.source, statement.span, message) for statement in strange])
    decided = conventions(model)
    return event_graph(test, replace(decided, promises=promises, partly=partly) if promises or partly else decided)


_LAST: list[tuple[ast.LitmusTest, Conventions, EventGraph]] = []
"""What was made last."""


def event_graph(test: ast.LitmusTest, decided: Conventions = Conventions()) -> EventGraph:  # noqa: B008 -- cannot change
    """Return the events of a test; raise InputError for an access outside every location.

    Several models ask for those of one test, and most decide alike.
    """
    for known, under, graph in _LAST:
        if known is test and under == decided:
            return graph
    found = unrolled(test, decided).graph()
    _LAST[:] = [(test, decided, found), *_LAST[:3]]
    return found


def unrolled(
    test: ast.LitmusTest,
    decided: Conventions = Conventions(),  # noqa: B008 -- cannot change
    noting: Noting | None = None,
) -> Unroller:
    """Return the walk over a test that has made its events; `noting` notes what instances of registers hold."""
    forget()
    cells = _whole_locations(test, decided)
    if cells is None:
        first = Unroller(test, {}, decided)
        first.run()
        cells = _cells(first.test, first.footprints)
    second = Unroller(test, cells, decided, noting)
    second.run()
    return second


def _whole_locations(test: ast.LitmusTest, decided: Conventions) -> dict[int, list[CellKey]] | None:
    """Return the cells of a test each of whose accesses names a location and is as large; None where a walk must say.

    Each location is a cell then, whatever is executed.
    """
    if test.kernels or decided.tearing or not test.locations:
        return None
    types = {location.name: location.type for location in test.locations}
    for thread in test.threads:
        for statement in statements(thread.body):
            for address in addresses(statement):
                base = address.base
                whole = types.get(base.location) if isinstance(base, ast.AddressOf) and address.index is None else None
                accessed = statement.type if isinstance(statement, _ACCESSES) else None
                if whole is None or whole.lanes or (accessed is not whole and accessed != whole):
                    return None
    return {k: [(k, 0, _size(location))] for k, location in enumerate(test.locations)}


_ACCESSES = (ast.Load, ast.Store, ast.AtomicRmw, ast.CmpXchg)


def _cells(test: ast.LitmusTest, footprints: set[CellKey]) -> dict[int, list[CellKey]]:
    """Cut every location at the ends of all accesses (and of their lanes) to it."""
    cuts: dict[int, set[int]] = {k: {0, _size(loc)} for k, loc in enumerate(test.locations)}
    for location, offset, size in footprints:
        cuts[location] |= {offset, offset + size}
    cells = {}
    for location, ends in cuts.items():
        ordered = sorted(ends)
        cells[location] = [(location, a, b - a) for a, b in pairwise(ordered)]
    return cells


def _size(location: ast.Location) -> int:
    assert location.type is not None
    return location.type.size


def _merged(choice: int, truth: Expr, arms: Iterable[Lanes]) -> Lanes:
    """Return what a register holds behind a branch, from what it holds at the end of each arm."""
    return tuple(
        lane[0] if all(x == lane[0] for x in lane) else Apply(DEPENDING, 0, (Pick(choice, tuple(lane)), truth))
        for lane in zip(*arms, strict=True)
    )


class Unroller:
    """One walk over all threads; `cells` is empty in the first, which only collects footprints."""

    def __init__(
        self,
        test: ast.LitmusTest,
        cells: dict[int, list[CellKey]],
        decided: Conventions,
        noting: Noting | None = None,
    ) -> None:
        self.noting = noting
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
        self.expressions = Expressions(test)
        self.instructions = 0
        self.accesses = 2 * len(test.locations)  # The initial writes of each are one access, and its final reads.
        self.phases: dict[tuple[int, str], int] = {}
        self.transfers = Transfers(self)
        self.registers: dict[tuple[str, str], Lanes] = {}
        self.loaded: dict[tuple[str, str], None] = {}

    def run(self) -> None:
        """Make the initial writes, then every thread's events."""
        if not self.counting:
            self._initial_writes()
        for number, thread in enumerate(self.test.threads):
            state = State(number)
            self._block(thread.body, state, (number,))
            self.ended(thread.name, state)
        if self.instances:
            self._kernels()

    def ended(self, thread: str, state: State) -> None:
        """Note what the registers of a thread or lane hold at its end."""
        for name, lanes in state.registers.items():
            shown = state.shown(name) if self.decided.partly else None
            self.registers[thread, name] = lanes if shown is None else shown

    def _kernels(self) -> None:
        """Make the events of every lane of the kernels."""
        # Most tests have no kernel, and what runs them is a tenth of what a cold start loads.
        from axmem.events.kernels import KernelWalk  # noqa: PLC0415

        first = len(self.test.threads)
        for number, (kernel, memory) in enumerate(self.instances):
            walk = KernelWalk(self, kernel, len(self.test.threads) + number, first)
            walk.run([places(lane, self.location_index, memory) for lane in walk.lanes])
            first += len(walk.lanes)

    def graph(self) -> EventGraph:
        """Add the final reads and return everything."""
        observed = observed_values(self.test, self.registers, list(self.loaded), self.final_value)
        locations = tuple(loc.name for loc in self.test.locations)
        return EventGraph(
            test=self.test.name,
            threads=(*self.threads, *self.transfers.names),
            placements=(*self.placements, *self.transfers.placements),
            levels=self.test.levels,
            locations=locations,
            cells=tuple(Cell(locations[k], offset, size) for k, offset, size in self.cell_keys),
            events=tuple(self.transfers.completing(self.events)),
            choices=tuple(self.choices),
            requires=tuple(self.requires),
            undefined=tuple(self.undefined),
            observed=observed,
            constants=frozenset({*self.expressions.constants, *asked_numbers(self.test)}),
            beyond=tuple(self.beyond),
            stuck=tuple(self.stuck),
            across=any(isinstance(s, ast.Call) and s.register for k in self.test.kernels for s in statements(k.body)),
        )

    # ------------------------------------------------------------ initial and final events

    def _initial_writes(self) -> None:
        for k, location in enumerate(self.test.locations):
            assert location.type is not None
            if location.initial is not None:
                lanes = self.lanes(location.initial, location.type, State(-1))
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
    def pointed(self) -> frozenset[str]:
        """Return the locations to which a loaded pointer may point: a number that meets another's address is none."""
        taken = address_taken(self.test)
        declared = {each.location.name: each.declared for _, memory in self.instances for each in memory}
        names = [location.name for location in self.test.locations]
        return frozenset(name for name in names if declared.get(name, name) in taken)

    # ------------------------------------------------------------ statements

    def _block(self, body: Iterable[ast.Statement], state: State, path: Path) -> None:
        for index, statement in enumerate(body):
            state.path = (*path, index)
            state.position += 1
            self.instructions += 1
            if isinstance(statement, ast.If):
                self._if(statement, state)
            else:
                self.statement(statement, state)

    def statement(self, statement: ast.Statement, state: State) -> None:
        """Execute a statement that is no control flow."""
        match statement:
            case ast.Load() | ast.Store() | ast.AtomicRmw() | ast.CmpXchg():
                self._access(statement, state)
            case ast.Fence():
                self._fence(statement, state)
            case ast.Make():
                self._make(statement, state)
            case ast.Barrier():
                self._barrier(statement, state)
            case ast.Transfer() | ast.Track() if state.thread >= len(self.test.threads):
                self.fail(statement.span, "the engine knows no DMA operations of kernels")
            case ast.Transfer():
                self.transfers.initiate(statement, state)
            case ast.Track():
                self.transfers.track(statement, state)
            case ast.Assign(register, value):
                state.registers[register] = self.lanes(value, value.type, state)
            case ast.Assume(condition):
                expr = self.scalar(condition, state)
                self.requires.append(Require(state.guard, expr))
                self.note_undefined(state, expr, "`assume` of undef", statement.span)

    def _if(self, statement: ast.If, state: State) -> None:
        expr = self.scalar(statement.condition, state)
        if isinstance(expr, Constant) and expr.value is not UNDEF:
            arm, body = arms(statement)[THEN if expr.value else ELSE]
            self._block(body, state, (*state.path, arm))
            return
        if not self.decided.forks:
            self.note_undefined(state, expr, "branch on undef", statement.span)
        truth = apply("ne", 1, expr, ZERO)
        choice = self.choice(state.guard, truth, (0, 1))
        reads = reads_of(truth)
        ends = []
        for taken, (arm, body) in enumerate(reversed(arms(statement))):
            inner = state.branched(choice, taken, reads)
            self._block(body, inner, (*state.path, arm))
            ends.append(inner)
        self._merge(choice, truth, ends, state)
        state.control_reads = state.control_reads | reads
        state.position = max(e.position for e in ends)

    def _merge(self, choice: int, truth: Expr, ends: list[State], state: State) -> None:
        names = {name: None for end in ends for name in end.registers}
        for name in names:
            width = max(len(end.registers.get(name, ())) for end in ends)
            arms = [end.registers.get(name, (ZERO,) * width) for end in ends]
            state.registers[name] = merged = _merged(choice, truth, arms)
            if self.decided.partly:
                shown = [end.shown(name) or (Constant(UNDEF),) * width for end in ends]
                state.partly[name] = merged, _merged(choice, truth, shown)

    def choice(self, guard: Guard, expr: Expr | None, values: tuple[int | None, ...]) -> int:
        """Add a choice under a guard, an arm for each value of the expression (None: any other); return its index."""
        self.choices.append(Choice(len(self.choices), guard, expr, values))
        return len(self.choices) - 1

    def note_undefined(self, state: State, expr: Expr, reason: str, span: Span) -> None:
        """Note that behaviour is undefined where an expression is undef, unless it never is."""
        if expr == Constant(UNDEF) or not isinstance(expr, Constant):
            self.undefined.append(Undefined(state.guard, expr, reason, span))

    def plain_event(self, kind: EventKind, state: State, **attributes: object) -> int:
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

    def _fence(self, statement: ast.Fence, state: State) -> None:
        mode = statement.mode
        self.plain_event(
            EventKind.FENCE,
            state,
            ordering=mode.ordering,
            scope=mode.scope.level,
            one_as=mode.scope.one_as,
            tags=mode.tags,
            label=statement.label,
            span=statement.span,
        )

    def _make(self, statement: ast.Make, state: State) -> None:
        attributes = {
            "scope": statement.scope.level,
            "tags": statement.tags,
            "label": statement.label,
            "span": statement.span,
        }
        kind = EventKind.MAKE_VISIBLE if statement.visible else EventKind.MAKE_AVAILABLE
        if statement.address is None:
            self.plain_event(kind, state, **attributes)
            return
        assert statement.type is not None
        for target in self.targets(statement.address, statement.type, state):
            keys = self.footprint(target.location, target.offset, statement.type)
            covers = frozenset(self.cell_index[k] for k in keys) if not self.counting else frozenset()
            inner = replace(state, guard=target.guard)
            self.plain_event(kind, inner, covers=covers, address_reads=target.reads, **attributes)

    def _barrier(self, statement: ast.Barrier, state: State) -> None:
        phase = self.phase(statement.name, state.thread)
        self.phases[state.thread, statement.name] = phase[1]
        self.plain_event(EventKind.BARRIER, state, phase=phase, label=statement.label, span=statement.span)

    def phase(self, name: str, thread: int) -> tuple[str, int]:
        """Return the barrier object of this name at which a thread arrives next, and in which phase."""
        return f"{name}#{barrier_object(self.test, name, thread)}", self.phases.get((thread, name), 0) + 1

    # ------------------------------------------------------------ accesses

    def _access(self, statement: AccessStatement, state: State) -> None:
        assert statement.type is not None
        results: list[tuple[Target, Lanes]] = []
        for target in self.targets(statement.address, statement.type, state):
            results.append((target, AccessEvents(self, statement, target, state).make()))
            if self.counting and self.decided.tearing and statement.mode.ordering is not Ordering.NOT_ATOMIC:
                self.footprints |= {(target.location, target.offset + i, 1) for i in range(statement.type.size)}
        self._assign_results(statement, state, results)

    def _assign_results(
        self,
        statement: AccessStatement,
        state: State,
        results: list[tuple[Target, Lanes]],
    ) -> None:
        """Bind the registers of an access to what it returns, whichever address it went to."""
        if isinstance(statement, ast.Store):
            return
        lanes = self.returned(results)
        thread = self.threads[state.thread]
        bound = [(statement.register, lanes)]
        if isinstance(statement, ast.CmpXchg) and statement.ok_register:
            bound = [(statement.register, lanes[:-1]), (statement.ok_register, lanes[-1:])]
        for register, value in bound:
            if register:
                state.registers[register] = value
                self.loaded[thread, register] = None

    def returned(self, results: list[tuple[Target, Lanes]]) -> Lanes:
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

    def targets(self, address: ast.Address, type_: ast.Type, state: State) -> list[Target]:
        """Return where an access may go; several (guarded) if its address is not known."""
        expr = self.expressions.address(address, type_, state.registers)
        self.note_undefined(state, expr, "access through an undef address", address.span)
        if isinstance(expr, Constant):
            value = address_of(0) if expr.value is UNDEF else expr.value
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
        self.undefined.append(Undefined(outside, None, "access outside every location", address.span))
        targets = []
        for arm, candidate in enumerate(candidates):
            target = self._target(candidate, type_, (*state.guard, (choice, arm)), reads, address.span)
            targets.append(replace(target, choice=choice, arm=arm, arms=len(candidates) + 1))
        return targets

    def _target(self, address: int, type_: ast.Type, guard: Guard, reads: frozenset[int], span: Span) -> Target:
        if not inside(self.test, address, type_):
            self.fail(span, f"the access of {type_.size} bytes at this address is outside every location")
        location, offset = location_at(address)
        return Target(location, offset, guard, reads)

    def fail(self, span: Span, message: str) -> None:
        """Raise InputError about a place of the test."""
        raise InputError([Diagnostic(self.test.source, span, message)])

    # ------------------------------------------------------------ expressions and cells

    def scalar(self, expr: ast.Expr, state: State) -> Expr:
        """Return the value of a scalar expression."""
        return self.expressions.lanes(expr, expr.type, state.registers)[0]

    def lanes(self, expr: ast.Expr, type_: ast.Type | None, state: State) -> Lanes:
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
