"""Natural loops of a control flow graph, as far as metadata of loops needs them.

What goes in: a control flow graph. What comes out: its back edges, the blocks of their loops, and edges of irreducible
cycles. A back edge goes to a block that dominates the one it comes from; without the back edges a graph has a cycle
only where it is irreducible, whatever the order of a search. Blocks that the entry does not reach have no part in it.
"""

from __future__ import annotations

from functools import cached_property

from axmem.front.records import dataclass
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.kernels import Branch
from axmem.litmus.loops import LoopID

Edge = tuple[str, str]


@dataclass(frozen=True)
class NaturalLoop:
    """The loop of a header: the blocks from which a latch is reached without it, and the latches."""

    header: str
    latches: tuple[str, ...]
    blocks: frozenset[str]


class _Graph:
    """The edges between the blocks that the entry reaches."""

    def __init__(self, flow: ControlFlow) -> None:
        self.flow = flow
        self.edges = [(b.name, t) for b in flow.blocks if b.name in flow.reachable for t in flow.successors[b.name]]

    def reached(self, start: str, without: str | None = None, edges: list[Edge] | None = None) -> set[str]:
        """Return what is reached from a block, itself included, along edges that neither enter nor leave another."""
        after: dict[str, list[str]] = {}
        for source, target in self.edges if edges is None else edges:
            after.setdefault(source, []).append(target)
        found, waiting = {start}, [start] if start != without else []
        while waiting:
            for target in after.get(waiting.pop(), ()):
                if target not in found and target != without:
                    found.add(target)
                    waiting.append(target)
        return found

    @cached_property
    def back_edges(self) -> tuple[Edge, ...]:
        """The edges to a block that every path from the entry to their source passes."""
        entry = self.flow.entry.name
        apart = {target: self.reached(entry, target) for _, target in self.edges if target != entry}
        return tuple(dict.fromkeys((s, t) for s, t in self.edges if t == entry or s == t or s not in apart[t]))


def natural_loops(flow: ControlFlow) -> tuple[NaturalLoop, ...]:
    """Return the natural loops of a graph, in the order in which the text has their headers."""
    graph = _Graph(flow)
    latches: dict[str, list[str]] = {}
    for latch, header in graph.back_edges:
        latches.setdefault(header, []).append(latch)
    against = [(target, source) for source, target in graph.edges]
    order = [block.name for block in flow.blocks if block.name in latches]
    return tuple(
        NaturalLoop(
            header,
            tuple(latches[header]),
            frozenset({header}.union(*(graph.reached(latch, header, against) for latch in latches[header]))),
        )
        for header in order
    )


def irreducible(flow: ControlFlow, block: str) -> bool:
    """Say whether a branch of a block is part of a cycle that has no header which dominates it."""
    graph = _Graph(flow)
    forward = [edge for edge in graph.edges if edge not in graph.back_edges]
    return any(s == block and s in graph.reached(t, edges=forward) for s, t in forward)


def identified(flow: ControlFlow, loop: NaturalLoop) -> LoopID | None:
    """Return the LoopID of a loop that has one latch, if its branch has one."""
    terminator = flow.block[loop.latches[0]].terminator
    return terminator.loop if len(loop.latches) == 1 and isinstance(terminator, Branch) else None


def loop_ids_around(flow: ControlFlow) -> dict[str, tuple[LoopID, ...]]:
    """Return, for each block, the LoopIDs of the loops around it, in the order of their headers."""
    found: dict[str, tuple[LoopID, ...]] = {block.name: () for block in flow.blocks}
    for loop in natural_loops(flow):
        identity = identified(flow, loop)
        if identity is not None:
            for block in loop.blocks:
                found[block] += (identity,)
    return found
