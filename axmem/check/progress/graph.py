"""All states that a test comes to, and the steps between them.

What goes in: the steps of a test, and how many states there may be. What comes out: its states by number, in the order
in which the fewest steps lead there; of each what is wrong with it, and the steps from it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from math import inf
from typing import NamedTuple

from axmem.check.progress.states import State
from axmem.check.progress.steps import ProgramSteps
from axmem.front.records import dataclass, field


class StateEdge(NamedTuple):
    """A step of some lanes to a state; None where the execution does not count."""

    lanes: tuple[int, ...]
    target: int | None
    spurious: bool = False


@dataclass(slots=True)
class StateGraph:
    """The states that were found; `edges` has those of the first ones, all of them if `whole`.

    `before` is the state from which each was found first, -1 for those in which no lane has begun.
    """

    states: list[State] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    edges: list[tuple[StateEdge, ...]] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether the steps from every state are known."""
        return len(self.edges) == len(self.states)

    def ended(self) -> Iterator[State]:
        """Yield the states in which every lane has ended."""
        return (state for state in self.states if all(lane.ended for lane in state.lanes))

    def path(self, number: int) -> list[int]:
        """Return the states on the way to a state, itself last."""
        found = [number]
        while self.before[found[-1]] >= 0:
            found.append(self.before[found[-1]])
        return found[::-1]


def explored(steps: ProgramSteps, limit: int, seconds: float = inf) -> StateGraph:
    """Return the states that a test comes to; the steps from some are missing with more than `limit` of them, or where
    a processor has worked so many seconds."""
    until = time.process_time() + seconds
    graph = StateGraph()
    known: dict[State, int] = {}
    waiting: deque[int] = deque()

    def number(state: State, before: int) -> int:
        if state not in known:
            known[state] = len(graph.states)
            waiting.append(known[state])
            graph.states.append(state)
            graph.before.append(before)
        return known[state]

    for state in steps.first():
        number(state, -1)
    while waiting and len(graph.states) <= limit and time.process_time() < until:
        here = waiting.popleft()
        state = graph.states[here]
        graph.faults.append(steps.fault(state))
        moves = () if graph.faults[-1] else steps.moves(state)
        graph.edges.append(
            tuple(StateEdge(m.lanes, None if m.after is None else number(m.after, here), m.spurious) for m in moves)
        )
    return graph
