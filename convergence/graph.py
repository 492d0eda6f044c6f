"""Control flow graphs.

What goes in: the blocks of a function with their successors, in the order of the branch: LLVM's choice of headers
depends on it. What comes out: what analyses ask of a graph. Invariant: blocks that the entry does not reach take no
part in any answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from axmem.front.records import dataclass


@dataclass(frozen=True, slots=True)
class FlowGraph:
    """The blocks of one function, the entry first, each with its successors in order (one may stand there twice)."""

    successors: Mapping[str, tuple[str, ...]]

    @property
    def entry(self) -> str:
        """The block in which execution begins."""
        return next(iter(self.successors))


def flow_graph(successors: Mapping[str, Sequence[str]]) -> FlowGraph:
    """Return the graph of what the first block reaches, in the order of `successors`."""
    entry = next(iter(successors))
    reached = set(preorder(successors, entry))
    return FlowGraph({block: tuple(after) for block, after in successors.items() if block in reached})


def preorder(successors: Mapping[str, Sequence[str]], entry: str) -> list[str]:
    """Return the blocks in the order of LLVM's depth-first search, which visits the last successor first."""
    order: dict[str, None] = {}
    stack = [entry]
    while stack:
        block = stack.pop()
        if block not in order:
            order[block] = None
            stack.extend(successors[block])
    return list(order)


def reverse_postorder(graph: FlowGraph) -> list[str]:
    """Return the blocks in reverse post-order of the search that takes the first successor first."""
    order: list[str] = []
    seen = {graph.entry}
    stack = [(graph.entry, iter(graph.successors[graph.entry]))]
    while stack:
        block, after = stack[-1]
        for successor in after:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(graph.successors[successor])))
                break
        else:
            stack.pop()
            order.append(block)
    return order[::-1]


def predecessors(graph: FlowGraph) -> dict[str, tuple[str, ...]]:
    """Return the blocks before each block, each once, in the order of the graph."""
    found: dict[str, dict[str, None]] = {block: {} for block in graph.successors}
    for block, after in graph.successors.items():
        for successor in after:
            found[successor][block] = None
    return {block: tuple(before) for block, before in found.items()}


def components(successors: Mapping[str, Sequence[str]], blocks: Iterable[str]) -> list[frozenset[str]]:
    """Return the largest sets of blocks on common closed paths inside `blocks`, in no order."""
    import networkx  # noqa: PLC0415 -- heavy, and graphs without a cycle do not need it

    inside = set(blocks)
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    graph.add_edges_from((b, s) for b in inside for s in successors[b] if s in inside)
    found = map(frozenset, networkx.strongly_connected_components(graph))
    return [c for c in found if len(c) > 1 or graph.has_edge(*(2 * tuple(c)))]


def immediate_dominators(graph: FlowGraph) -> dict[str, str]:
    """Return for each block but the entry the last of the blocks that every path from the entry to it passes."""
    import networkx  # noqa: PLC0415 -- heavy

    edges: networkx.DiGraph[str] = networkx.DiGraph()
    edges.add_node(graph.entry)
    edges.add_edges_from((block, after) for block, many in graph.successors.items() for after in many)
    found = networkx.immediate_dominators(edges, graph.entry).items()
    return {block: above for block, above in found if block != graph.entry and above is not None}


class Dominators:
    """Which blocks every path from the entry to a block passes."""

    def __init__(self, graph: FlowGraph) -> None:
        below: dict[str, list[str]] = {block: [] for block in graph.successors}
        for block, dominator in immediate_dominators(graph).items():
            below[dominator].append(block)
        # Intervals of a depth-first search of the tree: a block dominates those whose interval lies in its own.
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        stack = [(graph.entry, False)]
        while stack:
            block, done = stack.pop()
            if done:
                self._last[block] = len(self._first)
            else:
                self._first[block] = len(self._first)
                stack.append((block, True))
                stack.extend((child, False) for child in below[block])

    def dominates(self, above: str, below: str) -> bool:
        """Whether every path from the entry to `below` passes `above` (every block dominates itself)."""
        return self._first[above] <= self._first[below] < self._last[above]

    def strictly(self, above: str, below: str) -> bool:
        """Whether `above` dominates `below` and is another block."""
        return above != below and self.dominates(above, below)
