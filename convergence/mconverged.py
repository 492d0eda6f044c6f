"""Static instances whose convergence does not depend on the hierarchy: m-converged blocks.

What goes in: a graph, its hierarchies, the branches at which lanes may part. What comes out: which blocks are
m-converged for a bound, by comparing the hierarchies on every pair of paths, and which the document's criterion
reports.
Invariant: the first has a pair of paths for every block that is not; the second is a claim that the first may refute.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from itertools import combinations

from axmem.convergence.cycles import ControlCycle, Hierarchies, Hierarchy
from axmem.convergence.graph import Dominators, FlowGraph
from axmem.convergence.keys import Headers
from axmem.convergence.unrolling import Node, Unrolled, unrolled
from axmem.front.clock import OutOfTime, check, working
from axmem.front.records import dataclass
from axmem.litmus.kernels import DEFAULT_BOUND


@dataclass(frozen=True, slots=True)
class PathDisagreement:
    """Two paths whose last blocks are converged in some hierarchies only, those with these numbers."""

    paths: tuple[tuple[str, ...], tuple[str, ...]]
    converged_in: tuple[int, ...]


def disagreements(graph: FlowGraph, found: Hierarchies, divergent: Set[str], bound: int) -> dict[str, PathDisagreement]:
    """Return the blocks that are not m-converged on the paths of a bound, each with the first witness.

    At branches outside `divergent` lanes part only if they are not converged there in some hierarchy.
    """
    if len(found.found) == 1:
        return {}
    headers: list[Headers] = [hierarchy.all_headers() for hierarchy in found.found]
    nodes = unrolled(graph, headers, bound)
    by_block: dict[str, list[Node]] = {}
    for node in _nearest(nodes):
        by_block.setdefault(node[0].block, []).append(node)
    result = {}
    for block in graph.successors:
        for one, two in combinations(by_block.get(block, ()), 2):
            check()
            equal = tuple(i for i, (a, b) in enumerate(zip(one, two, strict=True)) if a == b)
            paths = _joint_paths(nodes, divergent, (one, two)) if equal else None
            if paths is not None:
                result[block] = PathDisagreement(paths, equal)
                break
    return result


def disagreements_in_time(
    graph: FlowGraph, found: Hierarchies, divergent: Set[str], seconds: float = 0.5
) -> tuple[int, dict[str, PathDisagreement]]:
    """Return the same for the largest bound, up to that of tests, for which the time is enough, with that bound."""
    bound, result = 0, dict[str, PathDisagreement]()
    with suppress(OutOfTime), working(seconds):
        while bound < DEFAULT_BOUND:
            result, bound = disagreements(graph, found, divergent, bound + 1), bound + 1
    return bound, result


def _nearest(nodes: Unrolled) -> list[Node]:
    """Return the nodes by how many blocks a lane executes before them."""
    found = {nodes.entry: None}
    waiting = deque(found)
    while waiting:
        for after in nodes.successors[waiting.popleft()]:
            if after not in found:
                found[after] = None
                waiting.append(after)
    return list(found)


def _joint_paths(
    nodes: Unrolled, divergent: Set[str], targets: tuple[Node, Node]
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return paths of two lanes to two nodes that part only where lanes may, None if there are none.

    The lane that is behind in topological order goes first; so lanes that pass the same node are there together.
    """
    place = {node: number for number, node in enumerate(nodes.successors)}
    start = (nodes.entry, nodes.entry)
    before: dict[tuple[Node, Node], tuple[Node, Node] | None] = {start: None}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        if state == targets:
            return _blocks(before, state)
        for after in _steps(nodes, place, divergent, state, targets):
            if after not in before and all(place[a] <= place[t] for a, t in zip(after, targets, strict=True)):
                before[after] = state
                waiting.append(after)
    return None


def _steps(
    nodes: Unrolled, place: dict[Node, int], divergent: Set[str], state: tuple[Node, Node], targets: tuple[Node, Node]
) -> Iterator[tuple[Node, Node]]:
    one, two = state
    if one == two and one not in targets:
        for a in nodes.successors[one]:
            for b in nodes.successors[two]:
                if a == b or one[0].block in divergent:
                    yield a, b
    elif two == targets[1] or (one != targets[0] and place[one] <= place[two]):
        yield from ((a, two) for a in nodes.successors[one])
    else:
        yield from ((one, b) for b in nodes.successors[two])


def _blocks(
    before: dict[tuple[Node, Node], tuple[Node, Node] | None], state: tuple[Node, Node]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths that lead to a state."""
    lanes: tuple[list[Node], list[Node]] = ([], [])
    at: tuple[Node, Node] | None = state
    while at is not None:
        for lane, node in zip(lanes, at, strict=True):
            if not lane or lane[-1] != node:
                lane.append(node)
        at = before[at]
    one, two = (tuple(node[0].block for node in reversed(lane)) for lane in lanes)
    return one, two


def reported(graph: FlowGraph, hierarchy: Hierarchy, divergent: Iterable[str]) -> frozenset[str]:
    """Return the blocks that the document's criterion, asked in one hierarchy, reports as m-converged.

    Every cycle around the block must satisfy that no diverged path enters it at two entries, and that for each
    divergent branch B and each of its joins J, both in the cycle, B or the header strictly dominates J, or a cycle
    inside it that contains both satisfies this.
    """
    dominators = Dominators(graph)
    branches = {branch: joins(graph, branch) for branch in divergent}
    broken = [c for c in hierarchy.within() if not _satisfied(graph, dominators, c, branches)]
    return frozenset(b for b in graph.successors if not any(b in c.blocks for c in broken))


def _satisfied(
    graph: FlowGraph, dominators: Dominators, cycle: ControlCycle, branches: dict[str, frozenset[str]]
) -> bool:
    for branch, meets in branches.items():
        if branch not in cycle.blocks:
            if not cycle.reducible and _entered_twice(graph, branch, cycle):
                return False
        elif not all(_harmless(dominators, cycle, branch, join) for join in meets & cycle.blocks):
            return False
    return True


def _harmless(dominators: Dominators, cycle: ControlCycle, branch: str, join: str) -> bool:
    """Whether no diverged path from a branch to its join enters a closed path through both."""
    if dominators.strictly(branch, join) or dominators.strictly(cycle.header, join):
        return True
    inner = (c for c in cycle.children if branch in c.blocks and join in c.blocks)
    return any(_harmless(dominators, c, branch, join) for c in inner)


_START = ""
"""Stands for a branch as the place where paths begin, beside the branch as a block that they may come to."""


def joins(graph: FlowGraph, branch: str) -> frozenset[str]:
    """Return the blocks to which two paths lead from a branch that share no other block ("join")."""
    after = {_START: graph.successors[branch], **graph.successors, branch: ()}
    reached = _reached(after)
    found = set()
    rooted = Dominators(FlowGraph({block: after[block] for block in reached}))
    for join in reached[1:]:
        before = [b for b in reached if join in after[b] and not (b != _START and rooted.dominates(join, b))]
        above = (b for b in reached[1:] if b != join and rooted.dominates(b, join))
        if len(before) > 1 and not any(above):
            found.add(join)
    return frozenset(found)


def _entered_twice(graph: FlowGraph, branch: str, cycle: ControlCycle) -> bool:
    """Whether two paths that share no block lead from a branch to different entries of a cycle outside of it."""
    # One more block after the entries: the two paths meet there, and are a join of it.
    after = {b: (("\0",) if b in cycle.blocks else s) for b, s in graph.successors.items()}
    return "\0" in joins(FlowGraph({**after, "\0": ()}), branch)


def _reached(after: dict[str, tuple[str, ...]]) -> list[str]:
    found = {_START: None}
    waiting = [_START]
    while waiting:
        for block in after[waiting.pop()]:
            if block not in found:
                found[block] = None
                waiting.append(block)
    return list(found)
