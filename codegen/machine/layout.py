"""A program laid out on a machine: nodes, paths and operations as tables of small numbers.

What goes in: a machine program, a placement of its waves, and the values of the switches. What comes out: a
`MachineLayout`, from which a form of the machine reads everything that does not change during an execution.
Invariant: the root is the one node without a parent, and it has the largest number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

from axmem.codegen.machine.families import Machine, machine_of
from axmem.codegen.machine.placements import WavePlacement
from axmem.codegen.machine.program import (
    Access,
    Action,
    BarrierStep,
    Decision,
    Footprint,
    Invalidate,
    MachineInstruction,
    MachineProgram,
    Path,
    Wait,
    Writeback,
)
from axmem.codegen.tables import families
from axmem.events.graph import Guard
from axmem.front.records import dataclass, replace

MEMORY_LEVEL = 4
PORT_LEVEL = -1
SCALAR_PORT = "scalar queue"
"""The name of the way of a wave's scalar invalidates to K$; scalar loads arrive there at once."""


class ItemEffect(IntEnum):
    """What an operation or an item does; WBACK is what a dirty line becomes."""

    LOAD = 0
    STORE = 1
    RMW = 2
    INV = 3
    WB = 4
    WBACK = 5
    WAIT = 6
    ARRIVE = 7
    PASS = 8


ACCESSES = (ItemEffect.LOAD, ItemEffect.STORE, ItemEffect.RMW)


@dataclass(frozen=True, slots=True)
class CacheNode:
    """A node: its kind's name, level, whether it keeps dirty data, its parent (-1: the root), and its units.

    A port is the way of a wave to its first cache, and passes everything on. `first` is the first cache on a path.
    """

    name: str
    level: int
    back: bool
    parent: int
    unit: tuple[int, ...]
    port: bool = False
    first: bool = False

    @property
    def text(self) -> str:
        """The node's name with the numbers of its unit."""
        return f"{self.name} {'.'.join(map(str, self.unit))}" if self.unit else self.name


@dataclass(frozen=True, slots=True)
class LayoutOperation:
    """One operation: an instruction, or half of a barrier.

    `entry` is the node that it arrives at first. `low` and `high` are an invalidate's levels, `scope` that of accesses
    and writebacks. `waits` has for each counter the limit, and for each stream the numbers of the operations that are
    counted; `barrier` is its object and how often the stream has arrived by then. `ordered`: it completes in order.
    An access may have what hardware `decides`.
    """

    number: int
    stream: int
    does: ItemEffect
    instruction: MachineInstruction
    entry: int = -1
    scope: int = 0
    low: int = 0
    high: int = 0
    footprints: tuple[Footprint, ...] = ()
    guard: Guard = ()
    waits: tuple[tuple[int, tuple[tuple[int, ...], ...]], ...] = ()
    barrier: tuple[str, int] = ("", 0)
    ordered: bool = True
    decides: Decision | None = None


@dataclass(frozen=True, slots=True)
class MachineLayout:
    """Everything about an execution that is fixed. `ops` has a row for each stream.

    `passes` are (node, group) pairs at which nothing is ever kept; `early`, that a store is acknowledged by the first
    cache of its scope.
    """

    program: MachineProgram
    placement: WavePlacement
    switches: Mapping[str, str]
    nodes: tuple[CacheNode, ...]
    ops: tuple[tuple[LayoutOperation, ...], ...]
    passes: frozenset[tuple[int, int]]
    early: bool

    @property
    def root(self) -> int:
        """The number of the root."""
        return len(self.nodes) - 1


def layout(program: MachineProgram, placement: WavePlacement, switches: Mapping[str, str]) -> MachineLayout:
    """Lay a program out; `switches` has a value for every switch."""
    machine = machine_of(program.family)
    nodes, entries = _nodes(program, machine, placement, switches)
    ops = tuple(tuple(_ops(program, k, entries[stream.wave])) for k, stream in enumerate(program.streams))
    ops = tuple(tuple(_with_waits(program, ops, row, switches)) for row in ops)
    passes = frozenset(_passed(program, machine, nodes, switches))
    early = families()[program.family].early
    return MachineLayout(program, placement, switches, nodes, ops, passes=passes, early=early)


def drops_at_issue(op: LayoutOperation, switches: Mapping[str, str]) -> bool:
    """Tell whether an invalidate drops all its lines when it is issued: one of vector memory may."""
    return op.does is ItemEffect.INV and not _of_scalar(op) and switches["inv_async"] == "off"


def _of_scalar(op: LayoutOperation) -> bool:
    return isinstance(op.instruction.operation, Invalidate) and op.instruction.operation.scalar


def settings(family: str, changed: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return a value for every switch: the family's, but for those that are changed."""
    return {**machine_of(family).defaults, **(changed or {})}


# ---------------------------------------------------------------- nodes


class _Entries(NamedTuple):
    """The first node of a wave's vector path, of its scalar loads, and of its scalar invalidates; -1: it has none."""

    vector: int
    scalar: int
    drops: int


def _nodes(
    program: MachineProgram, machine: Machine, placement: WavePlacement, switches: Mapping[str, str]
) -> tuple[tuple[CacheNode, ...], list[_Entries]]:
    """Return the nodes, and where each wave's operations enter them."""
    waves = range(len(program.waves))
    given = {program.mode, placement.l2}
    kinds = [
        (k.name, k.unit, k.back, next((v for c, v in k.levels.items() if c in given), k.level)) for k in machine.nodes
    ]
    chains = [[(name, placement.unit(w, unit), back, level) for name, unit, back, level in kinds] for w in waves]
    depth = next((d for d in range(len(kinds)) if kinds[d][2] and len({chain[d] for chain in chains}) == 1), len(kinds))
    top = chains[0][depth] if depth < len(kinds) else ("memory", (), True, MEMORY_LEVEL)
    scalar_depth = next(d for d in range(len(kinds)) if kinds[d][0] == machine.scalar)
    keys: dict[tuple[str, tuple[int, ...]], tuple[int, bool, tuple[str, tuple[int, ...]] | None]] = {}
    root = (top[0], top[1])

    def above(wave: int, d: int) -> tuple[str, tuple[int, ...]]:
        return (chains[wave][d][0], chains[wave][d][1]) if d < depth else root

    vector_keys, scalar_keys = [], []
    dropping = _dropping(program)
    for w in waves:
        for d in range(depth):
            name, unit, back, level = chains[w][d]
            keys.setdefault((name, unit), (level, back, above(w, d + 1)))
        start = above(w, 0)
        if switches["cu_order"] == "off":
            keys.setdefault(("wave", (w,)), (PORT_LEVEL, False, start))
            start = ("wave", (w,))
        vector_keys.append(start)
        cache = ("K$", chains[w][0][1])
        keys.setdefault(cache, (0, False, above(w, scalar_depth)))
        scalar_keys.append(cache)
        if w in dropping:
            keys.setdefault((SCALAR_PORT, (w,)), (PORT_LEVEL, False, cache))
    used_scalar = {
        scalar_keys[s.wave]
        for s in program.streams
        for i in s.instructions
        if isinstance(i.operation, Access) and i.operation.path is Path.SCALAR
    } | {scalar_keys[w] for w in dropping}
    order = [key for key in keys if key[0] != "K$" or key in used_scalar]
    index = {key: n for n, key in enumerate([*order, root])}
    nodes = [
        CacheNode(key[0], keys[key][0], keys[key][1], index[keys[key][2] or root], key[1],
             port=key[0] in ("wave", SCALAR_PORT), first=key[0] in (kinds[0][0], "K$"))
        for key in order
    ]  # fmt: skip
    nodes.append(CacheNode(root[0], top[3], back=True, parent=-1, unit=root[1]))
    first = [(index[v], index.get(s, -1)) for v, s in zip(vector_keys, scalar_keys, strict=True)]
    return tuple(nodes), [_Entries(*pair, index.get((SCALAR_PORT, (w,)), -1)) for w, pair in enumerate(first)]


def _dropping(program: MachineProgram) -> frozenset[int]:
    """Return the waves that invalidate the scalar cache."""
    return frozenset(
        stream.wave
        for stream in program.streams
        for i in stream.instructions
        if isinstance(i.operation, Invalidate) and i.operation.scalar
    )


def _passed(
    program: MachineProgram, machine: Machine, nodes: tuple[CacheNode, ...], switches: Mapping[str, str]
) -> Iterator[tuple[int, int]]:
    """Yield the (node, group) pairs at which nothing is kept: ports, and L2s for memory that they do not hold."""
    for n, node in enumerate(nodes):
        for g in range(len(program.groups)):
            fine = switches["memory"] == "fine" or _shared_system(program, machine, g)
            if node.port or (node.back and node.parent >= 0 and fine):
                yield n, g


def _shared_system(program: MachineProgram, machine: Machine, group: int) -> bool:
    """Tell whether several agents share a group through operations of system scope that no bits take past L2."""
    if max(machine.scopes["rmw"].values()) >= MEMORY_LEVEL or not program.groups[group].system:
        return False
    agents = {
        program.waves[stream.wave].agent
        for stream in program.streams
        for i in stream.instructions
        if isinstance(i.operation, Access) and any(f.group == group for f in i.operation.footprints)
    }
    return len(agents) > 1


# ---------------------------------------------------------------- operations

_DOES = {Action.LOAD: ItemEffect.LOAD, Action.STORE: ItemEffect.STORE, Action.RMW: ItemEffect.RMW}


def _ops(program: MachineProgram, stream: int, entries: _Entries) -> Iterator[LayoutOperation]:
    """Yield a stream's operations, a barrier as its arrival and its passing."""
    number = 0
    arrivals: dict[str, int] = {}
    for instruction in program.streams[stream].instructions:
        for op in _halves(instruction, stream, arrivals, entries):
            yield replace(op, number=number)
            number += 1


def _halves(
    instruction: MachineInstruction, stream: int, arrivals: dict[str, int], entries: _Entries
) -> Iterator[LayoutOperation]:
    operation, guard = instruction.operation, instruction.guard
    if isinstance(operation, Access):
        yield LayoutOperation(
            0, stream, _DOES[operation.action], instruction,
            entry=entries.scalar if operation.path is Path.SCALAR else entries.vector,
            scope=operation.scope, footprints=operation.footprints, guard=guard,
            ordered=operation.path not in (Path.FLAT, Path.SCALAR), decides=operation.decides,
        )  # fmt: skip
    elif isinstance(operation, Invalidate):
        yield LayoutOperation(
            0, stream, ItemEffect.INV, instruction, entries.drops if operation.scalar else entries.vector,
            low=operation.low, high=operation.high, guard=guard, ordered=not operation.scalar,
        )  # fmt: skip
    elif isinstance(operation, Writeback):
        yield LayoutOperation(0, stream, ItemEffect.WB, instruction, entries.vector, scope=operation.scope, guard=guard)
    elif isinstance(operation, Wait):
        yield LayoutOperation(0, stream, ItemEffect.WAIT, instruction, guard=guard)
    else:
        assert isinstance(operation, BarrierStep)
        if operation.arrive:
            arrivals[operation.name] = arrivals.get(operation.name, 0) + 1
            count = arrivals[operation.name]
            yield LayoutOperation(
                0, stream, ItemEffect.ARRIVE, instruction, guard=guard, barrier=(operation.name, count)
            )
        if operation.passing:
            count = arrivals.get(operation.name, 0)
            yield LayoutOperation(0, stream, ItemEffect.PASS, instruction, guard=guard, barrier=(operation.name, count))


def _with_waits(
    program: MachineProgram,
    ops: tuple[tuple[LayoutOperation, ...], ...],
    row: tuple[LayoutOperation, ...],
    switches: Mapping[str, str],
) -> Iterator[LayoutOperation]:
    """Resolve waits: which operations of which streams each counter that is waited for counts."""
    for op in row:
        operation = op.instruction.operation
        if not isinstance(operation, Wait):
            yield op
            continue
        wave = program.streams[op.stream].wave
        waits = []
        for counter, limit in operation.limits:
            if counter == "xcnt":
                continue
            counted = tuple(
                tuple(
                    o.number
                    for o in other
                    if counter in o.instruction.counters
                    and program.streams[s].wave == wave
                    and (s != op.stream or o.number < op.number)
                    and (o.does is not ItemEffect.INV or _of_scalar(o) or switches["inv_counted"] == "on")
                )
                for s, other in enumerate(ops)
            )
            waits.append((limit, counted))
        yield replace(op, waits=tuple(waits))
