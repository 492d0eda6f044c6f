"""A test before and after a change of its kernels, and what is compared of the two.

What goes in: both tests, and how instances of registers correspond. What comes out: whether every outcome of the second
is matched by one of the first, with further threads beside both. Compared are what memory and other lanes give to
registers, instance by instance, what further threads read, and the final values of memory. An instance that is not
executed matches everything before the change, and is 0 after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from axmem.check.results import Result, result_of
from axmem.encoder.engines import Engine
from axmem.encoder.events import EventGraph, Observed
from axmem.encoder.instances import Noting, Numbering
from axmem.encoder.solve import UNLIMITED, Limits, solve
from axmem.encoder.solver import Session
from axmem.encoder.unroll import conventions, unrolled
from axmem.encoder.values import UNDEF, ZERO, Constant
from axmem.front.records import dataclass, field, replace
from axmem.front.source import NOWHERE, InputError
from axmem.litmus import syntax as ast
from axmem.litmus.registers import register_types
from axmem.litmus.resolution import resolve
from axmem.litmus.ssa import single_assignment
from axmem.litmus.walk import results, statements
from axmem.model.terms import Model
from axmem.refinement.inclusion import Inclusion, inclusion
from axmem.refinement.rows import Instance, Place
from axmem.transform.loops import loops

Numberings = Mapping[str, Numbering]


def numbered(kernel: ast.Kernel) -> Numbering:
    """Return the numbering of a kernel's instances by the iterations of its loops."""
    return Numbering(tuple(loop.header for loop in loops(single_assignment(kernel))))


@dataclass(frozen=True, slots=True)
class Change:
    """A test before and after, and how the instances of registers are numbered in each, by the names of kernels.

    `memory` is what is compared of memory at last: scalars that are accessed, or else (None) all of it.
    """

    before: ast.LitmusTest
    after: ast.LitmusTest
    first: Numberings = field(default_factory=dict)
    second: Numberings = field(default_factory=dict)
    memory: tuple[Place, ...] | None = None

    def with_threads(self, threads: Sequence[ast.Thread]) -> Change:
        """Return the change with further threads beside both."""
        before, after = (_with(test, threads, self.memory) for test in (self.before, self.after))
        return replace(self, before=before, after=after)


def _with(test: ast.LitmusTest, threads: Sequence[ast.Thread], memory: Sequence[Place] | None) -> ast.LitmusTest:
    """Return a test with further threads, that shows what is in memory at last."""
    types = {x.name: x.type or ast.I32 for x in test.locations if x.space is not ast.AddressSpace.PRIVATE}
    if memory is None:
        whole = [ast.FinalValue(name) for name in types]
    else:
        shared = [place for place in memory if place.location in types]
        indices = (p.offset // p.size if types[p.location].lanes else None for p in shared)
        whole = [ast.FinalValue(p.location, index) for p, index in zip(shared, indices, strict=True)]
    observe = (*test.observe, *(o for o in whole if o not in test.observe))
    found, diagnostics = resolve(replace(test, threads=(*test.threads, *threads), observe=observe))
    if diagnostics:
        raise InputError(diagnostics)
    return found


@dataclass(frozen=True, slots=True)
class _Side:
    """The events of one side, what it shows besides instances, and what instances hold."""

    test: ast.LitmusTest
    graph: EventGraph
    shown: tuple[Observed, ...]
    held: Mapping[Instance, Observed]


def within(
    change: Change,
    threads: Sequence[ast.Thread],
    model: Model,
    *,
    limits: Limits = UNLIMITED,
    session: Session | None = None,
    oracle: bool = False,
) -> tuple[Inclusion, Change, str]:
    """Return whether the outcomes after a change are among those before it beside further threads.

    With it come both tests, and the first new outcome as text if there is one. `oracle` asks the second engine.
    """
    change = change.with_threads(threads)
    before = _side(change.before, Noting(change.first, Constant(UNDEF)), model)
    after = _side(change.after, Noting(change.second, ZERO), model)
    columns = list(_columns(before, after))
    found = []
    for number, side in enumerate((before, after)):
        graph = replace(side.graph, observed=tuple(pair[number] for pair in columns))
        solved = solve(graph, model, limits, session, Engine.ORACLE if oracle else Engine.AUTO)
        found.append(result_of(replace(side.test, filter=None), model, graph, solved, 0))
    verdict = inclusion(found[0], found[1])
    return verdict, change, _text(verdict, found[1])


def same_events(change: Change, model: Model) -> bool:
    """Whether both tests have the same events and show the same of them, so that nobody can tell them apart."""
    before = _side(change.before, Noting(change.first, Constant(UNDEF)), model)
    after = _side(change.after, Noting(change.second, Constant(UNDEF)), model)
    if _shape(before.graph) != _shape(after.graph):
        return False
    return all(one.lanes == other.lanes for one, other in _columns(before, after))


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
    return events, replace(graph, events=(), observed=(), undefined=undefined, beyond=beyond, stuck=stuck)


def _ranks(numbers: Iterable[int]) -> dict[int, int]:
    return {number: rank for rank, number in enumerate(sorted(set(numbers)))}


def _text(verdict: Inclusion, after: Result) -> str:
    if verdict.new:
        return after.states()[after.outcomes.index(verdict.new[0])]
    return f"undefined behaviour: {verdict.undefined[0]}" if verdict.undefined else ""


def _side(test: ast.LitmusTest, noting: Noting, model: Model) -> _Side:
    walk = unrolled(test, conventions(model), noting)
    graph = walk.graph()
    kernels = {kernel.name for kernel in test.kernels}
    shown = tuple(o for o in graph.observed if not _of_kernel(o, kernels))
    types, received = register_types(test), dict(_received(test))
    held = {}
    for noted in noting.noted:
        kernel = noted.lane if noted.lane in kernels else noted.lane.rsplit(".", 3)[0]
        type_ = types.get((kernel, noted.own))
        if type_ is None or (noted.own not in received[kernel] and noting.otherwise != ZERO):
            continue
        key = Instance(noted.lane, noted.register, noted.iterations)
        held[key] = Observed(ast.RegisterOf(*key[:2]), f"{key.thread}:{key.name}", type_, noted.there)
    return _Side(test, graph, shown, held)


def _of_kernel(observed: Observed, kernels: set[str]) -> bool:
    """Whether something is a register of a kernel, which is compared instance by instance."""
    name = observed.observable.thread if isinstance(observed.observable, ast.RegisterOf) else ""
    return any(name == kernel or name.startswith(f"{kernel}.") for kernel in kernels)


def _received(test: ast.LitmusTest) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the registers of each kernel that receive what memory or other lanes give."""
    giving = (ast.Load, ast.AtomicRmw, ast.CmpXchg, ast.Call)
    for kernel in test.kernels:
        yield kernel.name, frozenset(r for s in statements(kernel.body) if isinstance(s, giving) for r in results(s))


def _columns(before: _Side, after: _Side) -> Iterator[tuple[Observed, Observed]]:
    """Yield what is compared, before and after."""
    others = {o.name: o for o in after.shown}
    yield from ((o, others[o.name]) for o in before.shown if o.name in others)
    for key, mine in before.held.items():
        standing = [other for other in after.held if other.stands_for(key)]
        if standing:
            other = after.held[max(standing, key=lambda other: len(other.iterations))]
            yield mine, replace(other, name=mine.name)
