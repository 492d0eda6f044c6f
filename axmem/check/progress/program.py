"""A test as the explorer runs it.

What goes in: a resolved test. What comes out: its lanes, each with the program that it executes, its place on the
machine, and the memory that it can name. A straight thread is a kernel of one lane. Invariant: what the explorer does
not know is refused by name, at its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from axmem.check.progress.memory_bytes import Bytes, Values, bytes_of
from axmem.check.progress.reach import PathReach
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.graph import flow_graph
from axmem.convergence.kernels import checked
from axmem.events.barrier_events import WORKGROUP
from axmem.events.expressions import Expressions
from axmem.events.values import UNDEF, Constant, without_reads
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Span
from axmem.litmus import syntax as ast
from axmem.litmus.blocks import ControlFlow, control_flow
from axmem.litmus.kernels import SIGNATURES
from axmem.litmus.launch import Lane, instances, lanes, location_numbers
from axmem.litmus.registers import read
from axmem.litmus.ssa import live_on_edge, liveness
from axmem.litmus.walk import expressions, located, results
from axmem.litmus.words import Scope

GROUP_BARRIER, WAIT = "s.barrier", "s.barrier.wait"
SIGNALS = ("s.barrier.signal", "s.barrier.signal.isfirst")
"""The first halves of a workgroup's barrier."""
INIT, JOIN, ARRIVE, LEAVE = "s.barrier.init", "s.barrier.join", "s.barrier.signal.var", "s.barrier.leave"
NAMED = (INIT, JOIN, ARRIVE, LEAVE)
"""What is of a named barrier, besides waits."""


@dataclass(frozen=True, slots=True, eq=False)
class LaneUnit:
    """The program of some lanes: its blocks, where it leads, and what is still read at each statement of a block.

    `counted` are the headers of cycles with a convergent operation inside, of those with a barrier of the workgroup in
    `grouped`: what executions of other cycles there were decides nothing.
    """

    kernel: ast.Kernel
    flow: ControlFlow
    reach: PathReach
    live: Mapping[str, tuple[frozenset[str], ...]]
    counted: frozenset[str]
    grouped: frozenset[str]


@dataclass(frozen=True, slots=True)
class Member:
    """A lane of a test: its program, the wave and the workgroup that it is in, and what it calls its memory."""

    test: ast.LitmusTest
    lane: Lane
    unit: LaneUnit
    wave: int
    group: int
    expressions: Expressions

    @property
    def name(self) -> str:
        """The name of the lane."""
        return self.lane.name


@dataclass(frozen=True, slots=True)
class WholeProgram:
    """All lanes of a test, in order, and all its memory; workgroups are numbered by their places."""

    test: ast.LitmusTest
    members: tuple[Member, ...]

    def memory(self) -> tuple[Bytes, ...]:
        """Return what memory holds at first."""
        found = []
        for location in self.test.locations:
            type_ = location.type or ast.I32
            initial = Expressions(self.test).lanes(location.initial, type_, {}) if location.initial else ()
            values = tuple(map(without_reads, initial)) or (UNDEF,)
            found.append(bytes_of(values, type_))
        return tuple(found)

    def arguments(self) -> Iterator[tuple[dict[str, Values], ...]]:
        """Yield what the parameters of each lane may be, by their names; lanes of one kernel have the same arguments.

        The address of memory that a kernel declares is that of the lane's own instance.
        """
        kernels = {member.unit.kernel.name: member.unit.kernel for member in self.members}
        names = [(k.name, p) for k in kernels.values() for p in k.parameters]
        for chosen in product(*(p.values for _, p in names)):
            given = list(zip(names, chosen, strict=True))
            yield tuple(
                {p.name: _constant(member, value, p.type) for (kernel, p), value in given
                 if kernel == member.unit.kernel.name}
                for member in self.members
            )  # fmt: skip


def _constant(member: Member, value: ast.Expr, type_: ast.Type) -> Values:
    """Return an argument as a lane finds it."""
    return tuple(map(without_reads, member.expressions.lanes(value, type_, {})))


def program(test: ast.LitmusTest, *, every_block: bool = False, registers: bool = False) -> WholeProgram:
    """Return the program of a test; raise InputError for what is not known here.

    With `every_block` all cycles count, since lanes wait for each other at every block. With `registers` those that a
    lane has at its end are kept.
    """
    _refuse(test)
    own = [(kernel, tuple(instances(kernel))) for kernel in (*map(_of_one_lane, test.threads), *test.kernels)]
    whole = replace(test, locations=(*test.locations, *(each.location for _, memory in own for each in memory)))
    shared = {location.name: number for number, location in enumerate(whole.locations)}
    groups = {place: k for k, place in enumerate(sorted({_group(lane) for kernel, _ in own for lane in lanes(kernel)}))}
    members: list[Member] = []
    waves: dict[tuple[str, int, int], int] = {}
    for kernel, memory in own:
        unit = _unit(kernel, every_block=every_block, registers=registers)
        for lane in lanes(kernel):
            wave = waves.setdefault((kernel.name, lane.workgroup, lane.wave), len(waves))
            names = Expressions(whole, location_numbers(lane, shared, memory))
            members.append(Member(whole, lane, unit, wave, groups[_group(lane)], names))
    return WholeProgram(whole, tuple(members))


def _group(lane: Lane) -> tuple[int, ...]:
    return tuple(number or 0 for number in lane.placement.instance(Scope.WORKGROUP))


def _of_one_lane(thread: ast.Thread) -> ast.Kernel:
    return ast.Kernel(
        thread.name, (), ast.Launch(), thread.placement, (), (), thread.body, lane_of_thread=True, span=thread.span
    )


def _refuse(test: ast.LitmusTest) -> None:
    """Raise InputError for statements that have no meaning here."""
    found: list[tuple[Span, str]] = []
    for kernel in test.kernels:
        checked(kernel, test)
        found += _unknown_barriers(kernel, test)
    for _, statement in located(test):
        match statement:
            case ast.Transfer() | ast.Track():
                found.append((statement.span, "DMA operations"))
            case ast.ConvergenceToken():
                found.append((statement.span, "convergence tokens"))
            case ast.Barrier():
                found.append((statement.span, "barriers of straight threads"))
    if found:
        message = "the explorer of progress does not know"
        raise InputError([Diagnostic(test.source, span, f"{message} {what} yet") for span, what in found])


def _unknown_barriers(kernel: ast.Kernel, test: ast.LitmusTest) -> Iterator[tuple[Span, str]]:
    """Yield what leaves open what a barrier is, or how many signals make a phase, each with its place."""
    flow = control_flow(kernel)
    again = {block for cycle in llvm_hierarchy(flow_graph(flow.successors)).within() for block in cycle.blocks}
    calls = [(block.name, s) for block in flow.blocks for s in block.statements if isinstance(s, ast.Call)]
    expected: dict[str, int] = {}
    for block, call in calls:
        if call.operation == INIT:
            count = number_of(call, test)
            if count is None or count < 1 or block in again or call.barrier in expected:
                yield call.span, f"'{INIT}' of a barrier but once, with a count of at least 1"
            expected[call.barrier] = count or 0
    for _, call in calls:
        number = number_of(call, test) if call.operation in (*SIGNALS, WAIT, ARRIVE) else WORKGROUP
        if number is None or (call.operation == WAIT and number < 1 and number != WORKGROUP):
            yield call.span, f"'{call.operation}' of a barrier whose number is no constant, or that there is not"
        elif call.operation in SIGNALS and number != WORKGROUP:
            yield call.span, f"'{call.operation}' of a named barrier"
        elif call.operation == ARRIVE and number not in (0, expected.get(call.barrier, number)):
            yield call.span, f"'{call.operation}' that changes how many signals are expected"


def number_of(call: ast.Call, test: ast.LitmusTest) -> int | None:
    """Return the number that an operation on a barrier has, None if it is no constant: -1 is the workgroup's."""
    number = call.operands[-1]
    type_ = number.type or ast.I32
    values = () if any(read(number)) else Expressions(test).lanes(number, type_, {})
    for value in values:
        if isinstance(value, Constant) and isinstance(value.value, int):
            return value.value - (1 << type_.bits) if value.value >> (type_.bits - 1) else value.value
    return None


def _unit(kernel: ast.Kernel, *, every_block: bool, registers: bool) -> LaneUnit:
    flow = control_flow(kernel)
    graph = flow_graph(flow.successors)
    hierarchy = llvm_hierarchy(graph)
    calls = {
        block.name: {s.operation for s in block.statements if isinstance(s, ast.Call) and s.operation in SIGNATURES}
        for block in flow.blocks
    }
    every_block = every_block and kernel.launch.lanes > 1
    cycles = tuple(hierarchy.within())
    counted = frozenset(c.header for c in cycles if every_block or any(calls[block] for block in c.blocks))
    of_group = {GROUP_BARRIER, WAIT, *SIGNALS}
    grouped = frozenset(c.header for c in cycles if any(of_group & calls[block] for block in c.blocks))
    shown: frozenset[str] = frozenset()
    if registers:
        shown = frozenset(r for b in flow.blocks for s in (*b.phis, *b.statements) for r in results(s))
        shown |= {parameter.name for parameter in kernel.parameters}
    return LaneUnit(kernel, flow, PathReach(graph, hierarchy), _live(flow, shown), counted, grouped)


def _live(flow: ControlFlow, at_end: frozenset[str]) -> dict[str, tuple[frozenset[str], ...]]:
    """Return for each block what is read from each of its statements on, last from its terminator on."""
    live = liveness(flow, at_end)
    found = {}
    for block in flow.blocks:
        after = {r for target in flow.successors[block.name] for r in live_on_edge(flow, live, block.name, target)}
        if isinstance(block.terminator, ast.Return):
            after |= at_end
        here = [frozenset(after | {r.name for e in expressions(block.terminator) for r in read(e)})]
        for statement in reversed(block.statements):
            used = {r.name for e in expressions(statement) for r in read(e)}
            here.append(frozenset(used | (here[-1] - set(results(statement)))))
        found[block.name] = tuple(reversed(here))
    return found
