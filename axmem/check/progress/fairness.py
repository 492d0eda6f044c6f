"""Which executions count under a model of progress, and one of them that does not end.

What goes in: the states of a test and the steps between them. What comes out: where an execution goes on for ever, or
stays without a step, although lanes have not ended. A cycle of states is fair if whoever the model guarantees progress
steps in it, or cannot step in some state of it. Invariant: in a strongly connected set of states the same workgroups
have begun and have ended, so that the model guarantees progress to the same lanes in all of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from enum import Enum
from itertools import pairwise

from axmem.check.progress.graph import StateEdge, StateGraph
from axmem.check.progress.lane_steps import DISCARDED
from axmem.check.progress.models import Progress
from axmem.check.progress.states import State
from axmem.check.progress.steps import ProgramSteps
from axmem.front.records import dataclass


class ExecutionEnding(Enum):
    """What an execution that need not end comes to."""

    CYCLE = "goes on for ever"
    STUCK = "stays where no lane can step"
    UNDEFINED = "has undefined behaviour"


@dataclass(frozen=True, slots=True)
class Endless:
    """An execution that need not end: the states on its way, and for a cycle those that follow for ever.

    Each state has the number of the step by which it leaves; the last of the way, if nothing follows, -1.
    """

    ending: ExecutionEnding
    way: tuple[tuple[int, int], ...]
    cycle: tuple[tuple[int, int], ...] = ()
    reason: str = ""


def endless(steps: ProgramSteps, graph: StateGraph, model: Progress) -> Endless | None:
    """Return an execution that does not end, or has undefined behaviour, if there is one among the states found."""
    for number, edges in enumerate(graph.edges):
        unfinished = any(lane.block for lane in graph.states[number].lanes)
        if not edges and not graph.faults[number] and unfinished:
            return Endless(ExecutionEnding.STUCK, _way(graph, number))
    for component in _components(graph):
        agents = _guaranteed(steps, graph.states[component[0]], model)
        wanted = _wanted(graph, component, agents)
        if wanted is not None:
            return Endless(
                ExecutionEnding.CYCLE, _way(graph, component[0])[:-1], _closed_walk(graph, component, wanted)
            )
    for number, fault in enumerate(graph.faults):
        if fault and fault != DISCARDED:
            return Endless(ExecutionEnding.UNDEFINED, _way(graph, number), reason=fault)
    return None


# ---------------------------------------------------------------- who makes progress


def _guaranteed(steps: ProgramSteps, state: State, model: Progress) -> list[frozenset[int]]:
    """Return the sets of lanes of which one makes progress, if it can, in an execution that stays around a state."""
    members = steps.members
    unfinished = {m for m, lane in enumerate(state.lanes) if lane.block}
    if model is Progress.WAVE:
        waves = {members[m].wave for m in unfinished}
        return [frozenset(m for m in unfinished if members[m].wave == wave) for wave in sorted(waves)]
    begun = steps.begun(state)
    groups = {member.group for member in members}
    started = {members[m].group for m, has in enumerate(begun) if has}
    smallest = {min((members[m].group for m in unfinished), default=-1)}
    chosen = {
        Progress.FAIR: groups,
        Progress.OBE: started,
        Progress.HSA: smallest,
        Progress.HSA_OBE: started | smallest,
        Progress.LOBE: {group for group in groups if any(group <= other for other in started)},
    }.get(model, set())
    return [frozenset((m,)) for m in sorted(unfinished) if members[m].group in chosen]


def _wanted(
    graph: StateGraph, component: list[int], agents: Iterable[frozenset[int]]
) -> list[Callable[[int, StateEdge | None], bool]] | None:
    """Return what a fair cycle in a component has to pass, each a state or a step; None if there is none."""
    inside = set(component)
    wanted: list[Callable[[int, StateEdge | None], bool]] = []
    for agent in agents:
        idle = {s for s in component if not any(agent.intersection(e.lanes) for e in graph.edges[s])}
        steps = {(s, e) for s in component for e in graph.edges[s] if agent.intersection(e.lanes) and _stays(e, inside)}
        if not idle and not steps:
            return None
        wanted.append(lambda s, e, idle=idle, steps=steps: s in idle or (s, e) in steps)  # type: ignore[misc]
    return wanted


def _stays(edge: StateEdge, inside: set[int]) -> bool:
    """Whether a step is one of a cycle: a weak cmpxchg fails without reason finitely often."""
    return edge.target in inside and not edge.spurious


# ---------------------------------------------------------------- cycles and ways


def _components(graph: StateGraph) -> list[list[int]]:
    """Return the strongly connected sets of states with a step inside, of each the nearest state first."""
    import networkx  # noqa: PLC0415 -- heavy

    known: networkx.DiGraph[int] = networkx.DiGraph()
    for number, edges in enumerate(graph.edges):
        known.add_edges_from((number, e.target) for e in edges if e.target is not None and not e.spurious)
    found = [sorted(c) for c in networkx.strongly_connected_components(known)]
    expanded = len(graph.edges)
    cyclic = (c for c in found if c[-1] < expanded and (len(c) > 1 or known.has_edge(c[0], c[0])))
    return sorted(cyclic)


def _way(graph: StateGraph, number: int) -> tuple[tuple[int, int], ...]:
    path = graph.path(number)
    return (*((s, _step(graph, s, after)) for s, after in pairwise(path)), (number, -1))


def _step(graph: StateGraph, number: int, after: int) -> int:
    return next(k for k, edge in enumerate(graph.edges[number]) if edge.target == after)


def _closed_walk(
    graph: StateGraph, component: list[int], wanted: list[Callable[[int, StateEdge | None], bool]]
) -> tuple[tuple[int, int], ...]:
    """Return a way around in a component that passes all that is wanted, from its first state."""
    inside = set(component)
    start = here = component[0]
    walk: list[tuple[int, int]] = []
    left = wanted
    while left:
        walk += _nearest(graph, here, inside, lambda s, e, left=left: any(w(s, e) for w in left))  # type: ignore[misc]
        here = _after(graph, walk[-1])
        left = [w for w in left if not any(w(s, graph.edges[s][k]) for s, k in walk)]
    if here != start or not walk:
        walk += _nearest(graph, here, inside, lambda _, e: e is not None and e.target == start)
    return tuple(walk)


def _after(graph: StateGraph, step: tuple[int, int]) -> int:
    target = graph.edges[step[0]][step[1]].target
    assert target is not None
    return target


def _nearest(
    graph: StateGraph, start: int, inside: set[int], found: Callable[[int, StateEdge], bool]
) -> list[tuple[int, int]]:
    """Return the shortest way inside a set of states whose last step is one that is sought."""
    before: dict[int, tuple[int, int]] = {}
    waiting, seen = deque((start,)), {start}
    while waiting:
        here = waiting.popleft()
        for k, edge in enumerate(graph.edges[here]):
            if not _stays(edge, inside):
                continue
            if found(here, edge):
                way = [(here, k)]
                while way[0][0] != start:
                    way.insert(0, before[way[0][0]])
                return way
            if edge.target not in seen and edge.target is not None:
                seen.add(edge.target)
                before[edge.target] = (here, k)
                waiting.append(edge.target)
    raise AssertionError("a component is connected")
