"""The nodes of an unrolled graph in a topological order, and where in its cycles a key is.

What goes in: a control flow graph, a hierarchy of its cycles, and keys. What comes out: for each key a tuple; in the
order of these tuples every key stands after those that a path comes from. Invariant: it rests on the key alone: in a
cycle first what no header was executed before, then iteration after iteration, and in each the header and then the
parts of the cycle without it in topological order.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from axmem.convergence.cycles import Hierarchy
from axmem.convergence.graph import FlowGraph
from axmem.convergence.keys import Key


class KeyOrder:
    """Ranks of the keys of one graph under one hierarchy."""

    def __init__(self, graph: FlowGraph, hierarchy: Hierarchy) -> None:
        self._around = hierarchy.around
        self._outermost = _ranks(graph, graph.successors)
        self._inside = {c.header: _ranks(graph, c.blocks - {c.header}) for c in hierarchy.within()}

    def rank(self, key: Key) -> tuple[int, ...]:
        """Return the place of a key in the order."""
        found = [self._outermost[key.block]]
        for cycle in self._around[key.block]:
            found += [iterations(key, cycle.header), self._inside[cycle.header].get(key.block, -1)]
        return tuple(found)


def iterations(key: Key, header: str) -> int:
    """Return how often a header was executed since its cycle was entered, this instance included."""
    count = 0
    at: Key | None = key
    while at is not None:
        count += at.block == header
        at = at.last
    return count


def entered_after(key: Key, blocks: Container[str]) -> Key | None:
    """Return the key that was the last when these blocks, a cycle that the key is in, were entered."""
    last: Key | None = key
    while last is not None and last.block in blocks:
        last = last.last
    return last


def _ranks(graph: FlowGraph, blocks: Iterable[str]) -> dict[str, int]:
    """Return the number of each block's component among the components of some blocks, in topological order."""
    import networkx  # noqa: PLC0415 -- heavy

    inside = set(blocks)
    part: networkx.DiGraph[str] = networkx.DiGraph()
    part.add_nodes_from(block for block in graph.successors if block in inside)
    part.add_edges_from((b, s) for b in part.nodes for s in graph.successors[b] if s in inside)
    whole = networkx.condensation(part)
    order = networkx.topological_sort(whole)
    return {block: number for number, n in enumerate(order) for block in whole.nodes[n]["members"]}
