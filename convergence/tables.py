"""The document's tables: which instances of lanes' paths are converged in a hierarchy, and what keeps others apart.

What goes in: a graph, one of its hierarchies, paths of lanes. What comes out: a `ConvergenceTable`, whose columns are
the classes of converged instances. Invariant: a lane's instances stand in its row from left to right in the order of
its path.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush

from axmem.convergence.cycles import Hierarchy
from axmem.convergence.declarative import obstacles
from axmem.convergence.graph import FlowGraph, predecessors
from axmem.convergence.keys import Instance, Key, classes, next_key
from axmem.convergence.unrolling import is_beyond
from axmem.front.records import dataclass

LANES = 4
"""How many paths are shown if none are given."""


@dataclass(frozen=True, slots=True)
class ApartInstances:
    """Two instances of one block that are not converged, and the header's instance that keeps them apart."""

    one: Instance
    other: Instance
    header: Instance


@dataclass(frozen=True, slots=True)
class ConvergenceTable:
    """The paths with names for their instances, the columns of converged ones, and the pairs that are apart.

    An instance is named by its block and a number, which counts first instances of all lanes, then second ones.
    """

    hierarchy: Hierarchy
    paths: tuple[tuple[str, ...], ...]
    names: Mapping[Instance, str]
    columns: tuple[tuple[Instance, ...], ...]
    apart: tuple[ApartInstances, ...]


def table(hierarchy: Hierarchy, paths: Sequence[Sequence[str]]) -> ConvergenceTable:
    """Return the table of some lanes' paths."""
    headers = hierarchy.all_headers()
    found = classes(paths, headers)
    kept = obstacles(paths, headers)
    apart = sorted(
        (ApartInstances(min(pair), max(pair), header) for pair, header in kept.items()), key=lambda a: (a.one, a.other)
    )
    names = instance_names(paths)
    return ConvergenceTable(
        hierarchy, tuple(map(tuple, paths)), names, _columns(paths, list(found.values())), tuple(apart)
    )


def instance_names(paths: Sequence[Sequence[str]]) -> dict[Instance, str]:
    """Return a name for each instance: its block and a number, or the block alone where there is one instance."""
    by_block: dict[str, list[tuple[int, Instance]]] = {}
    for lane, path in enumerate(paths):
        times: dict[str, int] = {}
        for step, block in enumerate(path):
            times[block] = times.get(block, 0) + 1
            by_block.setdefault(block, []).append((times[block], Instance(lane, step)))
    return {
        instance: f"{block}{'#' * block[-1].isdigit()}{number}"
        for block, found in by_block.items()
        for number, (_, instance) in enumerate(sorted(found), 1)
    }


def _columns(paths: Sequence[Sequence[str]], found: list[tuple[Instance, ...]]) -> tuple[tuple[Instance, ...], ...]:
    """Order the classes so that each lane's instances follow each other; what the first lane can do comes first."""
    of = {instance: column for column in found for instance in column}
    at = [0] * len(paths)
    order: list[tuple[Instance, ...]] = []
    while len(order) < len(found):
        heads = (of[Instance(lane, step)] for lane, step in enumerate(at) if step < len(paths[lane]))
        column = next(c for c in heads if all(at[i.lane] == i.step for i in c))
        for instance in column:
            at[instance.lane] += 1
        order.append(column)
    return tuple(order)


MOST_EXECUTIONS = 2
"""So often a header is executed on the paths that are shown, for each entry into its cycle."""


def shortest_paths(graph: FlowGraph, hierarchy: Hierarchy) -> list[list[str]]:
    """Return the shortest paths to an end on which no header is executed more than twice per entry.

    If no path ends, they are those that go on beyond the bound.
    """
    headers = hierarchy.all_headers()
    ends = [block for block, after in graph.successors.items() if not after]
    left = _distances(graph, ends)
    found: list[list[str]] = []
    # The next path is that with the least length to an end, then the first by the order of branches.
    first = next_key(graph.entry, None, headers)
    waiting: list[tuple[int, tuple[int, ...], tuple[Key, ...]]] = [(left.get(graph.entry, 0), (), (first,))]
    while waiting and len(found) < LANES:
        _, branches, path = heappop(waiting)
        after = [next_key(block, path[-1], headers) for block in dict.fromkeys(graph.successors[path[-1].block])]
        kept = [(number, key) for number, key in enumerate(after) if not is_beyond(key, MOST_EXECUTIONS)]
        if not after if ends else len(kept) < len(after):
            found.append([key.block for key in path])
        for number, key in kept:
            if not ends or key.block in left:
                heappush(waiting, (len(path) + left.get(key.block, 0), (*branches, number), (*path, key)))
    return found


def _distances(graph: FlowGraph, ends: Iterable[str]) -> dict[str, int]:
    """Return how many blocks are executed at least behind each block that leads to one of some others."""
    before = predecessors(graph)
    found, waiting = dict.fromkeys(ends, 0), deque(ends)
    while waiting:
        block = waiting.popleft()
        for earlier in before[block]:
            if earlier not in found:
                found[earlier] = found[block] + 1
                waiting.append(earlier)
    return found
