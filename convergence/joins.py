"""What a divergent branch makes divergent: where its paths join, and where they leave a cycle.

What goes in: a graph with one hierarchy. What comes out: for a branch, the blocks at which lanes that parted there
meet again, and those at which some leave a cycle that others stay in, as LLVM 22 finds them: labels are pushed along
edges, in an order in which a block comes after its predecessors as far as cycles allow, and two labels that meet make
a join.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

from axmem.convergence.cycles import Cycle, Hierarchy
from axmem.convergence.graph import FlowGraph


@dataclass(frozen=True, slots=True)
class Divergence:
    """The joins of a divergent branch, and the exits of cycles around it that only some lanes take, in order."""

    joins: tuple[str, ...]
    exits: tuple[str, ...]


class Joins:
    """Finds the joins of branches of one graph in one hierarchy.

    `exits_join` says that lanes which leave a cycle around the branch at different iterations count as joining at its
    exit, as LLVM has it after release 22.
    """

    def __init__(self, graph: FlowGraph, hierarchy: Hierarchy, *, exits_join: bool = False) -> None:
        self._graph = graph
        self._hierarchy = hierarchy
        self._exits_join = exits_join
        self._order = _modified_post_order(graph, hierarchy)
        self._place = {block: index for index, block in enumerate(self._order)}
        self._exits = {cycle.header: exit_blocks(graph, cycle) for cycle in hierarchy.within()}

    def of(self, branch: str) -> Divergence:
        """Return what a divergent branch at the end of this block makes divergent."""
        return _Propagation(self, branch).found()

    def next_of(self, block: str, branch: str) -> tuple[tuple[str, ...], bool]:
        """Return where a label of `block` is pushed, and whether those are exits of a cycle around the branch."""
        around = self._hierarchy.around[block]
        if around and around[-1].header == block and around[-1].reducible:
            return self._exits[block], branch in around[-1].blocks
        return self._graph.successors[block], False

    @property
    def graph(self) -> FlowGraph:
        """The graph."""
        return self._graph

    def around(self, block: str) -> tuple[Cycle, ...]:
        """Return the cycles around a block, outermost first."""
        return self._hierarchy.around[block]

    def exits(self, cycle: Cycle) -> tuple[str, ...]:
        """Return the blocks after a cycle."""
        return self._exits[cycle.header]

    def place(self, block: str) -> int:
        """Return the number of a block in the modified post-order; a label is pushed from the highest first."""
        return self._place[block]

    def at(self, place: int) -> str:
        """Return the block of a number."""
        return self._order[place]

    @property
    def exits_join(self) -> bool:
        """Whether an exit at which lanes of several iterations arrive is a join, too."""
        return self._exits_join


class _Propagation:
    """The labels of one branch."""

    def __init__(self, joins: Joins, branch: str) -> None:
        self._all = joins
        self._branch = branch
        self._labels: dict[str, str] = {}
        self._queue: list[int] = []
        self._queued: set[str] = set()
        self._joins: dict[str, None] = {}
        self._exits: dict[str, None] = {}

    def found(self) -> Divergence:
        around = self._all.around(self._branch)
        for successor in self._all.graph.successors[self._branch]:
            if around and successor not in around[-1].blocks:
                self._exits[successor] = None
            self._push(successor, successor, leaves=False)
        stay = _irreducible_ancestor(around)
        while self._queue:
            block = self._all.at(-self._queue[0])
            if len(self._queued) == 1 and not (stay and block in stay.blocks):
                break
            heappop(self._queue)
            self._queued.remove(block)
            if block != self._branch:
                targets, leaves = self._all.next_of(block, self._branch)
                for target in targets:
                    self._push(target, self._labels[block], leaves=leaves)
        for cycle in reversed(around):
            if not cycle.reducible:
                label = self._labels.get(cycle.header)
                self._exits.update((e, None) for e in self._all.exits(cycle) if self._labels.get(e) != label)
        return Divergence(tuple(self._joins), tuple(self._exits))

    def _push(self, block: str, label: str, *, leaves: bool) -> None:
        """Give a block a label; if it has another, it is a join and is labelled by itself."""
        old = self._labels.get(block)
        if old == label:
            return
        if old != block and block not in self._queued:
            self._queued.add(block)
            heappush(self._queue, -self._all.place(block))
        self._labels[block] = label if old is None else block
        if old is not None:
            if leaves:
                self._exits[block] = None
            if not leaves or self._all.exits_join:
                self._joins[block] = None


def _irreducible_ancestor(around: tuple[Cycle, ...]) -> Cycle | None:
    """Return the outermost cycle such that it and all cycles between it and the innermost are irreducible."""
    found = None
    for cycle in reversed(around):
        if cycle.reducible:
            break
        found = cycle
    return found


def exit_blocks(graph: FlowGraph, cycle: Cycle) -> tuple[str, ...]:
    """Return the blocks outside a cycle to which an edge leads from inside, each once."""
    inside = (block for block in graph.successors if block in cycle.blocks)
    return tuple(dict.fromkeys(s for b in inside for s in graph.successors[b] if s not in cycle.blocks))


def _modified_post_order(graph: FlowGraph, hierarchy: Hierarchy) -> list[str]:
    """Return the blocks so that what follows a cycle stands before its header, and its header before its other blocks.

    Within a cycle the blocks are a graph without cycles, whose roots are the successors of the header; so a block
    stands before its predecessors, the header aside.
    """
    order: list[str] = []
    done: set[str] = set()
    # Each frame is a region (None: the whole function) with the blocks still to be visited in it.
    frames: list[tuple[Cycle | None, list[str]]] = [(None, [graph.entry])]
    while frames:
        region, stack = frames[-1]
        if not stack:
            frames.pop()
            continue
        block = stack[-1]
        if block in done:
            stack.pop()
            continue
        depth = hierarchy.around[block].index(region) + 1 if region is not None else 0
        inner = hierarchy.around[block][depth] if len(hierarchy.around[block]) > depth else None
        after = graph.successors[block] if inner is None else exit_blocks(graph, inner)
        ahead = [s for s in after if s not in done and (region is None or s in region.blocks)]
        if ahead:
            stack.extend(ahead)
        elif inner is None:
            stack.pop()
            done.add(block)
            order.append(block)
        else:
            stack.pop()
            done.add(inner.header)
            order.append(inner.header)
            frames.append((inner, [s for s in graph.successors[inner.header] if s in inner.blocks and s not in done]))
    return order
