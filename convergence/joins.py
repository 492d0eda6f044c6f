"""What a divergent branch makes divergent: where its paths join, and where they leave a cycle.

What goes in: a graph with one hierarchy. What comes out: for a branch, the blocks at which lanes that parted there
meet again, and those at which some leave a cycle that others stay in, as LLVM 22 finds them: labels are pushed along
edges, in an order in which a block comes after its predecessors as far as cycles allow, and two labels that meet make
a join.
"""

from __future__ import annotations

from collections.abc import Mapping

from axmem.convergence.cycles import ControlCycle, Hierarchy
from axmem.convergence.graph import FlowGraph
from axmem.front.records import dataclass


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
        self._around = hierarchy.around
        self._exits_join = exits_join
        exits = {cycle.header: exit_blocks(graph, cycle) for cycle in hierarchy.within()}
        self._order = _modified_post_order(graph, hierarchy, exits)
        self._place = {block: index for index, block in enumerate(self._order)}
        self._bits = [1 << index for index in range(len(self._order))]
        self._inside = {c.header: sum(self._bits[self._place[b]] for b in c.blocks) for c in hierarchy.within()}
        self._exits = {header: [self._place[e] for e in after] for header, after in exits.items()}
        # A label at the header of a reducible cycle is pushed to the exits of the cycle.
        self._heads = [self._headed(block) for block in self._order]
        self._targets = [
            [self._place[s] for s in graph.successors[block]] if cycle is None else self._exits[block]
            for block, cycle in zip(self._order, self._heads, strict=True)
        ]

    def _headed(self, block: str) -> ControlCycle | None:
        around = self._around[block]
        return around[-1] if around and around[-1].header == block and around[-1].reducible else None

    def of(self, branch: str) -> Divergence:
        """Return what a divergent branch at the end of this block makes divergent."""
        around = self._around[branch]
        successors = self._graph.successors[branch]
        outside = [s for s in successors if around and s not in around[-1].blocks]
        exits = dict.fromkeys(self._place[s] for s in outside)
        labels, joins = self._labels(branch, exits)
        for cycle in reversed(around):
            if not cycle.reducible:
                label = labels[self._place[cycle.header]]
                exits.update(dict.fromkeys([e for e in self._exits[cycle.header] if labels[e] != label]))
        return Divergence(tuple(self._order[j] for j in joins), tuple(self._order[e] for e in exits))

    def _labels(self, branch: str, exits: dict[int, None]) -> tuple[list[int], dict[int, None]]:
        """Push the labels of a branch; return those of all places (-1: none) and the joins, and add to its exits.

        The highest place comes first; two labels that meet at a block make it a join, with a label of its own. The
        queue is a number whose bits are places.
        """
        place, bits, heads, targets = self._place, self._bits, self._heads, self._targets
        own, ancestor = place[branch], _irreducible_ancestor(self._around[branch])
        stay = self._inside[ancestor.header] if ancestor else 0
        labels, joins, queue = [-1] * len(bits), dict[int, None](), 0
        pushed, label, leaves = [place[s] for s in self._graph.successors[branch]], -1, False
        while True:
            for target in pushed:
                new = target if label < 0 else label
                old = labels[target]
                if old == new:
                    continue
                if old != target:
                    queue |= bits[target]
                labels[target] = new if old < 0 else target
                if old >= 0 and leaves:
                    exits[target] = None
                if old >= 0 and (not leaves or self._exits_join):
                    joins[target] = None
            block = queue.bit_length() - 1
            if not queue or (queue == bits[block] and not queue & stay):
                return labels, joins
            queue ^= bits[block]
            cycle, label = heads[block], labels[block]
            pushed, leaves = targets[block] if block != own else [], cycle is not None and branch in cycle.blocks


def _irreducible_ancestor(around: tuple[ControlCycle, ...]) -> ControlCycle | None:
    """Return the outermost cycle such that it and all cycles between it and the innermost are irreducible."""
    found = None
    for cycle in reversed(around):
        if cycle.reducible:
            break
        found = cycle
    return found


def exit_blocks(graph: FlowGraph, cycle: ControlCycle) -> tuple[str, ...]:
    """Return the blocks outside a cycle to which an edge leads from inside, each once."""
    inside = (block for block in graph.successors if block in cycle.blocks)
    return tuple(dict.fromkeys(s for b in inside for s in graph.successors[b] if s not in cycle.blocks))


def _modified_post_order(graph: FlowGraph, hierarchy: Hierarchy, exits: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the blocks so that what follows a cycle stands before its header, and its header before its other blocks.

    Within a cycle the blocks are a graph without cycles, whose roots are the successors of the header; so a block
    stands before its predecessors, the header aside. `exits` are the blocks after each cycle, by its header.
    """
    order: list[str] = []
    done: set[str] = set()
    # Each frame is a region (None: the whole function) with the blocks still to be visited in it.
    frames: list[tuple[ControlCycle | None, list[str]]] = [(None, [graph.entry])]
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
        after = graph.successors[block] if inner is None else exits[inner.header]
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
