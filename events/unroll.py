"""From a litmus test to its events.

What goes in: a resolved `LitmusTest`. What comes out: an `EventGraph`. Each thread is executed symbolically once, all
branches together: a register's value is an expression over what reads return, merged after a branch; an access
through an address that is not known becomes one guarded alternative per address that is possible. The threads are
walked twice, first to find out which bytes are accessed together (that makes the cells), then to make the events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from axmem.events.building import EventBuilder
from axmem.events.conventions import Conventions, conventions
from axmem.events.graph import Cell, EventGraph, EventKind, Guard, Observed, Require
from axmem.events.noalias import broken
from axmem.events.state import CellKey, Lanes, WalkState
from axmem.events.statements import Statements
from axmem.events.stutters import alone
from axmem.events.taken_back import taken_back
from axmem.events.values import DEPENDING, UNDEF, ZERO, Apply, Constant, Expr, Pick, apply, forget, reads_of
from axmem.front.records import replace
from axmem.front.source import Diagnostic, InputError
from axmem.litmus import syntax as ast
from axmem.litmus.launch import location_numbers
from axmem.litmus.walk import ELSE, THEN, Path, arms, asked_numbers, located, statements
from axmem.model.model import Model

if TYPE_CHECKING:
    from axmem.events.instances import Noting
from collections.abc import Callable
from itertools import pairwise

from axmem.litmus.launch import LANE, WAVE, lanes_named, numbers_in
from axmem.litmus.launch import names as lane_names
from axmem.litmus.registers import register_types
from axmem.litmus.walk import addresses, observed


def events_under(
    test: ast.LitmusTest, model: Model, *, promises: bool = False, partly: bool = False, memory: bool = False
) -> EventGraph:
    """Return the events of a test as a model has them; with `promises` a broken one is undefined behaviour.

    With `partly` registers that the branches taken have not assigned show undef. With `memory` nobody asks what
    registers of kernels hold, and iterations that change nothing are left out: others match each outcome that is
    missing.

    Raises InputError for an access outside every location, and for DMA operations that the model does not speak of.
    """
    if "initiates" not in model.base_names:
        message = f"{model.name} does not say what a DMA operation does: it does not speak of `initiates`"
        strange = [statement for _, statement in located(test) if isinstance(statement, ast.Transfer)]
        if strange:
            raise InputError([Diagnostic(test.source, statement.span, message) for statement in strange])
    decided = replace(conventions(model), promises=promises, partly=partly)
    if memory:
        decided = replace(decided, hidden=test.filter is None, stutters=True, settled=True)
    return event_graph(test, decided)


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
    cells = whole_locations(test, decided)
    if cells is None:
        first = Unroller(test, {}, decided)
        first.run()
        cells = cut_cells(first.builder.test, first.builder.footprints)
    second = Unroller(test, cells, decided, noting)
    second.run()
    if not alone(second.builder.events, second.builder.rewritten):
        return unrolled(test, replace(decided, rewrites=False), noting)
    return second


def _merged(choice: int, truth: Expr, arms: Iterable[Lanes]) -> Lanes:
    """Return what a register holds behind a branch, from what it holds at the end of each arm."""
    return tuple(
        lane[0] if all(x == lane[0] for x in lane) else Apply(DEPENDING, 0, (Pick(choice, tuple(lane)), truth))
        for lane in zip(*arms, strict=True)
    )


class Unroller:
    """One walk over all threads; without cells it only finds out which bytes are accessed together."""

    def __init__(
        self,
        test: ast.LitmusTest,
        cells: dict[int, list[CellKey]],
        decided: Conventions,
        noting: Noting | None = None,
    ) -> None:
        self.noting = noting
        self.builder = EventBuilder(test, cells, decided)
        self.statements = Statements(self.builder)

    def run(self) -> None:
        """Make the initial writes, then every thread's events."""
        if not self.builder.counting:
            self.builder.initial_writes()
        for number, thread in enumerate(self.builder.test.threads):
            state = WalkState(number)
            self._block(thread.body, state, (number,))
            self.builder.ended(thread.name, state)
        if self.builder.instances:
            self._kernels()

    def _kernels(self) -> None:
        """Make the events of every lane of the kernels."""
        # Most tests have no kernel, and what runs them is a tenth of what a cold start loads.
        from axmem.events.kernels import KernelWalk  # noqa: PLC0415

        first = len(self.builder.test.threads)
        for number, (kernel, memory) in enumerate(self.builder.instances):
            walk = KernelWalk(self.statements, kernel, len(self.builder.test.threads) + number, first)
            walk.run([location_numbers(lane, self.builder.location_index, memory) for lane in walk.lanes], self.noting)
            first += len(walk.lanes)

    def graph(self) -> EventGraph:
        """Add the final reads and return everything."""
        builder, transfers = self.builder, self.statements.transfers
        observed = observed_values(builder.test, builder.registers, list(builder.loaded), builder.final_value)
        locations = tuple(loc.name for loc in builder.test.locations)
        calls = (statement for kernel in builder.test.kernels for statement in statements(kernel.body))
        followed = [*taken_back(builder.followed, builder.events, [*self._used(observed)])]
        plain = (Require(each.guard, each.expr) for each in followed if not each.noticed and not each.unless)
        return EventGraph(
            test=builder.test.name,
            threads=(*builder.threads, *transfers.names),
            placements=(*builder.placements, *transfers.placements),
            levels=builder.test.levels,
            locations=locations,
            cells=tuple(Cell(locations[k], offset, size) for k, offset, size in builder.cell_keys),
            events=tuple(transfers.completing(builder.events)),
            choices=tuple(builder.choices),
            requires=(*builder.requires, *plain),
            undefined=(*builder.undefined, *broken(builder)),
            observed=observed,
            constants=frozenset({*builder.expressions.constants, *asked_numbers(builder.test)}),
            beyond=tuple(builder.beyond),
            stuck=tuple(builder.stuck),
            across=any(isinstance(s, ast.Call) and s.register for s in calls),
            taken_back=tuple(each for each in followed if each.noticed or each.unless),
        )

    def _used(self, observed: Iterable[Observed]) -> Iterator[tuple[Guard, Expr]]:
        """Yield all expressions that decide something but what is written, and where they do."""
        builder = self.builder
        kinds = (EventKind.FINAL, *(() if builder.decided.hidden else (EventKind.READ,)))
        yield from ((each.guard, each.expr) for each in builder.choices if each.expr is not None)
        yield from ((each.guard, each.expr) for each in builder.requires)
        yield from ((each.guard, each.expr) for each in builder.undefined if each.expr is not None)
        shown = (lane for each in observed for lane in each.lanes)
        yield from (((), lane) for lane in shown if all(builder.events[read].kind in kinds for read in reads_of(lane)))

    # ------------------------------------------------------------ control flow

    def _block(self, body: Iterable[ast.Statement], state: WalkState, path: Path) -> None:
        for index, statement in enumerate(body):
            state.path = (*path, index)
            state.position += 1
            self.builder.instructions += 1
            if isinstance(statement, ast.If):
                self._if(statement, state)
            else:
                self.statements.execute(statement, state)

    def _if(self, statement: ast.If, state: WalkState) -> None:
        expr = self.builder.scalar(statement.condition, state)
        if isinstance(expr, Constant) and isinstance(expr.value, int):
            arm, body = arms(statement)[THEN if expr.value else ELSE]
            self._block(body, state, (*state.path, arm))
            return
        if not self.builder.decided.forks:
            self.builder.note_undefined(state, expr, "branch on undef", statement.span)
        truth = apply("ne", 1, expr, ZERO)
        choice = self.builder.choice(state.guard, truth, (0, 1))
        reads = reads_of(truth)
        ends = []
        for taken, (arm, body) in enumerate(reversed(arms(statement))):
            inner = state.branched(choice, taken, reads)
            self._block(body, inner, (*state.path, arm))
            ends.append(inner)
        self._merge(choice, truth, ends, state)
        state.control_reads = state.control_reads | reads
        state.position = max(e.position for e in ends)

    def _merge(self, choice: int, truth: Expr, ends: list[WalkState], state: WalkState) -> None:
        names = {name: None for end in ends for name in end.registers}
        for name in names:
            width = max(len(end.registers.get(name, ())) for end in ends)
            arms = [end.registers.get(name, (ZERO,) * width) for end in ends]
            state.registers[name] = merged = _merged(choice, truth, arms)
            if self.builder.decided.partly:
                shown = [end.shown(name) or (Constant(UNDEF),) * width for end in ends]
                state.partly[name] = merged, _merged(choice, truth, shown)


def whole_locations(test: ast.LitmusTest, decided: Conventions) -> dict[int, list[CellKey]] | None:
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
                accessed = statement.type if isinstance(statement, ast.AccessStatement) else None
                if whole is None or whole.lanes or (accessed is not whole and accessed != whole):
                    return None
    return {k: [(k, 0, size_of(location))] for k, location in enumerate(test.locations)}


def cut_cells(test: ast.LitmusTest, footprints: set[CellKey]) -> dict[int, list[CellKey]]:
    """Cut every location at the ends of all accesses (and of their lanes) to it."""
    cuts: dict[int, set[int]] = {k: {0, size_of(loc)} for k, loc in enumerate(test.locations)}
    for location, offset, size in footprints:
        cuts[location] |= {offset, offset + size}
    cells = {}
    for location, ends in cuts.items():
        ordered = sorted(ends)
        cells[location] = [(location, a, b - a) for a, b in pairwise(ordered)]
    return cells


def size_of(location: ast.Location) -> int:
    """Return how many bytes a location has."""
    assert location.type is not None
    return location.type.size


def observed_values(
    test: ast.LitmusTest,
    registers: dict[tuple[str, str], Lanes],
    loaded: list[tuple[str, str]],
    final_value: Callable[[str, int, ast.Type], Lanes],
) -> tuple[Observed, ...]:
    """Return what outcomes show, as expressions; `final_value` reads a type at an offset of a location at the end."""
    types = register_types(test)
    mentioned = list(observed(test))
    names = dict.fromkeys(loaded)
    names.update(dict.fromkeys((o.thread, o.register) for o in mentioned if isinstance(o, ast.RegisterOf)))
    place, kernel_of = _order(test)
    shown = []
    for thread, register in sorted(names, key=lambda n: place[n[0]]):
        kernel = kernel_of.get(thread)
        type_ = types[thread if kernel is None else kernel.name, register]
        if kernel is not None and numbers_in(kernel, thread) == WAVE:
            members = lanes_named(kernel, thread)
            lanes = tuple(registers.get((member.name, register), (ZERO,))[0] for member in members)
            type_ = replace(type_, lanes=len(members))
        else:
            lanes = registers.get((thread, register), (ZERO,) * (2 if type_.pair else max(1, type_.lanes)))
        shown.append(Observed(ast.RegisterOf(thread, register), f"{thread}:{register}", type_, lanes))
    declared = {loc.name: loc for loc in test.locations}
    finals = dict.fromkeys((o.location, o.index) for o in mentioned if isinstance(o, ast.FinalValue))
    at = {name: i for i, name in enumerate(declared)}
    for location, index in sorted(finals, key=lambda f: (at[f[0]], -1 if f[1] is None else f[1])):
        whole = declared[location].type
        assert whole is not None
        name = location if index is None else f"{location}[{index}]"
        part = whole if index is None else whole.element
        lanes = final_value(location, (index or 0) * part.size, part)
        shown.append(Observed(ast.FinalValue(location, index), name, part, lanes))
    return tuple(shown)


def _order(test: ast.LitmusTest) -> tuple[dict[str, int], dict[str, ast.Kernel]]:
    """Return the place of everything that has registers, and the kernel of a kernel's names: itself, waves, lanes."""
    names = [thread.name for thread in test.threads]
    kernel_of: dict[str, ast.Kernel] = {}
    for kernel in test.kernels:
        own = dict.fromkeys(name for depth in (0, WAVE, LANE) for name in lane_names(kernel, depth))
        names += own
        kernel_of |= dict.fromkeys(own, kernel)
    return {name: number for number, name in enumerate(names)}, kernel_of
