"""A test before and after a change of its kernels, and what is compared of the two.

What goes in: both tests, and how instances of registers correspond. What comes out: whether every outcome of the second
is matched by one of the first, with further threads beside both. Compared are the registers of threads, what memory and
other lanes give to those of kernels, instance by instance, what further threads read, and the final values of memory.
What is not executed matches everything: registers of kernels on either side, those of threads before the change; after
it these are 0. Who waits for ever (`events.awaits`) after the change waits before it, too; nobody sees its registers.
Of single assignments a `RegisterInstance` is a register, and in which iteration of each loop around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from axmem.check.results import Result, result_of
from axmem.encoder.engines import Engine
from axmem.encoder.solve import UNLIMITED, Limits, solve
from axmem.encoder.solver import Session
from axmem.events.conventions import conventions
from axmem.events.graph import EventGraph, Observed
from axmem.events.instances import Noting, Numbering
from axmem.events.unroll import Unroller, unrolled
from axmem.events.values import ABSENT, UNDEF, ZERO, Constant, Expr, Pick
from axmem.front.records import dataclass, field, replace
from axmem.front.source import NOWHERE
from axmem.litmus import syntax as ast
from axmem.litmus.parser import with_bound
from axmem.litmus.registers import register_types
from axmem.litmus.ssa import single_assignment
from axmem.litmus.walk import results, statements
from axmem.model.model import Model
from axmem.refinement.contexts.context import Context, around
from axmem.refinement.contexts.places import Place
from axmem.refinement.inclusion import Inclusion, inclusion
from axmem.transform.loops import loops

Numberings = Mapping[str, Numbering]
WAITS = "waits"
"""The register that shows whether a lane waits for ever."""


def numbered(kernel: ast.Kernel) -> Numbering:
    """Return the numbering of a kernel's instances by the iterations of its loops."""
    return Numbering(tuple(loop.header for loop in loops(single_assignment(kernel))))


@dataclass(frozen=True, slots=True)
class Change:
    """A test before and after, and how the instances of registers are numbered in each, by the names of kernels.

    `memory` is what is compared of memory at last: the pieces that are accessed, or else (None) all of it. `own` are
    locations that no context accesses, `unshared` those that nobody else writes while the program before runs,
    `pointed` those whose addresses others have, who may have stored them. `ends`: who waits for ever before the change
    has undefined behaviour (`willreturn`). `called`: the programs are functions, which begin when anybody may have
    written to memory.
    """

    before: ast.LitmusTest
    after: ast.LitmusTest
    first: Numberings = field(default_factory=dict)
    second: Numberings = field(default_factory=dict)
    memory: tuple[Place, ...] | None = None
    own: frozenset[str] = frozenset()
    unshared: frozenset[str] = frozenset()
    pointed: frozenset[str] = frozenset()
    ends: bool = False
    called: bool = False

    def within(self, context: Context) -> Change:
        """Return the change with a context around both."""
        before, after = (_within(test, context, self.memory) for test in (self.before, self.after))
        return replace(self, before=before, after=after)


def _within(test: ast.LitmusTest, context: Context, memory: Sequence[Place] | None) -> ast.LitmusTest:
    """Return a test in a context, that shows what is in memory at last."""
    types = {x.name: x.type or ast.I32 for x in test.locations if x.space is not ast.AddressSpace.PRIVATE}
    if memory is None:
        whole = [ast.FinalValue(name) for name in types]
    else:
        shared = [place for place in memory if place.location in types and _is_scalar(place, types[place.location])]
        indices = (p.offset // p.size if types[p.location].lanes else None for p in shared)
        whole = [ast.FinalValue(p.location, index) for p, index in zip(shared, indices, strict=True)]
    return around(replace(test, observe=(*test.observe, *(o for o in whole if o not in test.observe))), context)


def _is_scalar(place: Place, whole: ast.Type) -> bool:
    """Whether a piece of memory is a location, or an element of one."""
    return place.size == whole.element.size and place.offset % place.size == 0


def _pieces(test: ast.LitmusTest, walk: Unroller, memory: Sequence[Place] | None) -> Iterator[Observed]:
    """Yield what is in the pieces of memory at last that are neither a location nor an element of one."""
    types = {x.name: x.type or ast.I32 for x in test.locations}
    for place in memory or ():
        if place.location in types and not _is_scalar(place, types[place.location]):
            lanes = walk.builder.final_value(place.location, place.offset, place.type)
            name = f"{place.location}+{place.offset}:{place.size}"
            yield Observed(ast.FinalValue(place.location), name, place.type, lanes)


@dataclass(frozen=True, slots=True)
class _Side:
    """The events of one side, what it shows besides instances, and what instances hold."""

    test: ast.LitmusTest
    graph: EventGraph
    shown: tuple[Observed, ...]
    held: Mapping[RegisterInstance, Observed]


def graphs(change: Change, model: Model) -> tuple[EventGraph, EventGraph]:
    """Return the events of both tests; both show what is compared, in one order."""
    before = _side(change.before, Noting(change.first, Constant(UNDEF)), model, change)
    after = _side(change.after, Noting(change.second, Constant(ABSENT)), model, change)
    columns = [*_waits(before, after), *_columns(before, after)]
    first, second = (tuple(pair[number] for pair in columns) for number in range(2))
    return replace(before.graph, observed=first), replace(after.graph, observed=second)


def within(
    change: Change,
    context: Context,
    model: Model,
    *,
    limits: Limits = UNLIMITED,
    session: Session | None = None,
    oracle: bool = False,
) -> tuple[Inclusion, Change, str]:
    """Return whether the outcomes after a change are among those before it in a context.

    With it come both tests, and the first new outcome as text if there is one. `oracle` asks the second engine.
    """
    change = change.within(context)
    found = []
    for test, graph in zip((change.before, change.after), graphs(change, model), strict=True):
        solved = solve(graph, model, limits, session, Engine.ORACLE if oracle else Engine.AUTO)
        found.append(result_of(_bare(test), model, graph, solved, 0))
    verdict = inclusion(found[0], found[1])
    return verdict, change, _text(verdict, found[1])


def _bare(test: ast.LitmusTest) -> ast.LitmusTest:
    """Return a test that asks nothing: what it asks may be of registers that are not compared."""
    return replace(test, filter=None, condition=ast.Truth(value=True))


def only_on_one_side(change: Change) -> tuple[str, ...]:
    """Return the registers of threads that are not compared, since only one side has them; each with its side."""
    names = [{t.name for t in test.threads} for test in (change.before, change.after)]
    sides = [
        {f"{unit}:{register}": None for unit, register in register_types(test) if unit in threads}
        for test, threads in zip((change.before, change.after), names, strict=True)
    ]
    before = (f"{name} (only before)" for name in sides[0] if name not in sides[1])
    after = (f"{name} (only after)" for name in sides[1] if name not in sides[0])
    return (*before, *after)


def same_events(change: Change, model: Model) -> bool:
    """Whether both tests have the same events and show the same of them, so that nobody can tell them apart."""
    before = _side(change.before, Noting(change.first, Constant(UNDEF)), model, change)
    after = _side(change.after, Noting(change.second, Constant(UNDEF)), model, change)
    if _shape(before.graph) != _shape(after.graph):
        return False
    plain = model.analyses.recursion.forbids_thin_air(across=after.graph.across)
    if before.graph.constants != after.graph.constants and not plain:
        return False  # Values out of thin air are such constants.
    return all(one.lanes == other.lanes for one, other in _columns(before, after))


def cut(change: Change, model: Model) -> bool:
    """Whether loops after a change may go on beyond their bounds, where nothing is known."""
    return bool(graphs(change, model)[1].beyond)


BOUNDS = (8, 16)
"""How many iterations loops may have besides, whose number is known, if nobody says a bound."""
LOOPS_IN_LOOPS = 8
"""By so much three loops, one in the other, have more events if each has twice as many iterations."""
MOST_EVENTS = 1500
"""Programs with more events are not made: a few times as many would take all memory before the time is over."""


def enough_iterations(change: Change, model: Model) -> int | None:
    """Return with how many iterations loops after a change end that are cut with few; None if none is, or not soon."""
    both = graphs(change, model)
    growth = float(LOOPS_IN_LOOPS)
    for bound in BOUNDS:
        events = sum(len(graph.events) for graph in both)
        if not both[1].beyond or events * growth > MOST_EVENTS:
            return None
        before, after = (with_bound(test, bound) for test in (change.before, change.after))
        both = graphs(replace(change, before=before, after=after), model)
        if not both[1].beyond:
            return bound
        growth = sum(len(graph.events) for graph in both) / max(1, events)
    return None


def _shape(graph: EventGraph) -> tuple[object, ...]:
    """Return a graph without where in a text something stands, what has numbers counted from 0 without gaps."""
    positions = _ranks(e.position for e in graph.events)
    instructions = _ranks(e.instruction for e in graph.events)
    accesses = _ranks(e.access for e in graph.events)
    instances = _ranks(e.instance for e in graph.events)
    events = tuple(
        replace(
            e,
            position=positions[e.position],
            instruction=instructions[e.instruction],
            access=accesses[e.access],
            instance=instances[e.instance],
            label="",
            path=(),
            span=NOWHERE,
        )
        for e in graph.events
    )
    undefined = tuple(replace(each, span=NOWHERE) for each in graph.undefined)
    beyond = tuple(replace(each, span=NOWHERE) for each in graph.beyond)
    stuck = tuple(replace(each, header="") for each in graph.stuck)
    bare = replace(graph, events=(), observed=(), constants=frozenset())
    return events, replace(bare, undefined=undefined, beyond=beyond, stuck=stuck)


def _ranks(numbers: Iterable[int]) -> dict[int, int]:
    return {number: rank for rank, number in enumerate(sorted(set(numbers)))}


def _text(verdict: Inclusion, after: Result) -> str:
    if verdict.new:
        return after.states()[after.outcomes.index(verdict.new[0])]
    return f"undefined behaviour: {verdict.undefined[0]}" if verdict.undefined else ""


def _side(test: ast.LitmusTest, noting: Noting, model: Model, change: Change) -> _Side:
    partly = noting.otherwise == Constant(UNDEF)
    decided = replace(conventions(model), partly=partly, stuck=not change.ends, pointed=change.pointed)
    walk = unrolled(test, decided, noting)
    pieces = tuple(_pieces(test, walk, change.memory))
    graph = walk.graph()
    kernels = {kernel.name for kernel in test.kernels}
    functions = {kernel.name for kernel in test.kernels if kernel.lane_of_thread}
    asked = {o for o in test.observe if isinstance(o, ast.RegisterOf) and o.thread in functions}
    shown = tuple(o for o in graph.observed if o.observable in asked or not _of_kernel(o, kernels))
    types, given = register_types(test), received(test)
    others = _registers(test, walk, {o.name for o in shown}, types)
    held = {}
    for noted in noting.noted:
        kernel = kernel_of(noted.lane, test)
        type_ = types.get((kernel, noted.own))
        if type_ is None or (noted.own not in given[kernel] and partly):
            continue
        key = RegisterInstance(noted.lane, noted.register, noted.iterations)
        held[key] = Observed(ast.RegisterOf(*key[:2]), f"{key.thread}:{key.name}", type_, noted.there)
    return _Side(test, graph, (*shown, *others, *pieces), held)


def _registers(
    test: ast.LitmusTest, walk: Unroller, known: set[str], types: Mapping[tuple[str, str], ast.Type]
) -> Iterator[Observed]:
    """Yield the registers of threads that are computed: what a function returns is one."""
    for thread in test.threads:
        for (unit, register), lanes in walk.builder.registers.items():
            name = f"{unit}:{register}"
            if unit == thread.name and name not in known:
                yield Observed(ast.RegisterOf(unit, register), name, types[unit, register], lanes)


def _of_kernel(observed: Observed, kernels: set[str]) -> bool:
    """Whether something is a register of a kernel, which is compared instance by instance."""
    name = observed.observable.thread if isinstance(observed.observable, ast.RegisterOf) else ""
    return any(name == kernel or name.startswith(f"{kernel}.") for kernel in kernels)


def _waits(before: _Side, after: _Side) -> Iterator[tuple[Observed, Observed]]:
    """Yield whether lanes wait for ever, of those that may."""
    sides = before.graph, after.graph
    for name in sorted({graph.threads[each.thread] for graph in sides for each in graph.stuck}):
        shown = (_by_waiting(graph, name, Constant(1), ZERO) for graph in sides)
        one, other = (Observed(ast.RegisterOf(name, WAITS), f"{name}:{WAITS}", ast.I32, (lane,)) for lane in shown)
        yield one, other


def _by_waiting(graph: EventGraph, thread: str, waiting: Expr, ended: Expr) -> Expr:
    """Return what is one value where a lane waits for ever, and another elsewhere."""
    for each in graph.stuck:
        if graph.threads[each.thread] == thread:
            inside = waiting
            for choice, arm in reversed(each.guard):
                arms = range(len(graph.choices[choice].values))
                inside = Pick(choice, tuple(inside if k == arm else ended for k in arms))
            ended = inside
    return ended


def _ended(side: _Side, shown: Observed, waiting: Expr) -> Observed:
    """Return what is shown of a lane, which is something else where it waits for ever."""
    if not isinstance(shown.observable, ast.RegisterOf):
        return shown
    thread = shown.observable.thread
    return replace(shown, lanes=tuple(_by_waiting(side.graph, thread, waiting, lane) for lane in shown.lanes))


def _columns(before: _Side, after: _Side) -> Iterator[tuple[Observed, Observed]]:
    """Yield what is compared, before and after: of lanes that wait for ever no registers."""
    for mine, theirs in _compared(before, after):
        yield _ended(before, mine, Constant(UNDEF)), _ended(after, theirs, Constant(ABSENT))


def _compared(before: _Side, after: _Side) -> Iterator[tuple[Observed, Observed]]:
    others = {o.name: o for o in after.shown}
    yield from ((o, others[o.name]) for o in before.shown if o.name in others)
    for key, mine in before.held.items():
        standing = [other for other in after.held if other.stands_for(key)]
        if standing:
            other = after.held[max(standing, key=lambda other: len(other.iterations))]
            yield mine, replace(other, name=mine.name)


class RegisterInstance(NamedTuple):
    """A register of a thread in one iteration of the loops around it."""

    thread: str
    register: str
    iterations: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """What the register is called where every instance has one of its own."""
        return "_".join((self.register, *map(str, self.iterations)))

    def stands_for(self, other: RegisterInstance) -> bool:
        """Whether it is another, or stands outside of a loop for every iteration of it."""
        same = self[:2] == other[:2]
        return same and other.iterations[: len(self.iterations)] == self.iterations


def kernel_of(lane: str, test: ast.LitmusTest) -> str:
    """Return the name of the kernel of a lane, or of the kernel that its parameters are of."""
    return lane if any(kernel.name == lane for kernel in test.kernels) else lane.rsplit(".", 3)[0]


def received(test: ast.LitmusTest) -> dict[str, frozenset[str]]:
    """Return by the names of kernels the registers that receive what memory or other lanes give."""
    giving = (ast.ReadingStatement, ast.Call)
    return {
        kernel.name: frozenset(r for s in statements(kernel.body) if isinstance(s, giving) for r in results(s))
        for kernel in test.kernels
    }
