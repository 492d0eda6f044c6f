"""The operational machine: every outcome of a program in a placement, by walking all states.

What goes in: a layout. What comes out: the set of outcomes, complete unless it says otherwise, or a trace that leads
to one. States are visited once each, and steps that cannot add an outcome are left out (`reduction.py`
and `clusters.py` say why), as are iterations of loops (`revisits.py`). `reduced=False` takes every step of the machine
as it is written down.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from itertools import count

from axmem.codegen.machine.hangs import Hang, Hangs
from axmem.codegen.machine.layout import MachineLayout
from axmem.codegen.machine.revisits import Revisits
from axmem.codegen.machine.state import MachineState, Undetermined
from axmem.codegen.machine.steps import MachineStep
from axmem.codegen.machine.walk import Row, Walk
from axmem.front.records import dataclass

UNDETERMINED = "the machine's next step depends on memory that nothing has written"
STATES = "the limit of {limit} states was reached"
LIMIT = 2_000_000
READABLE = 100_000
"""Among how many states a trace is looked for that has the steps in their usual order."""


@dataclass(frozen=True, slots=True)
class Explored:
    """The outcomes found, how many states were visited, what cut the search (empty if nothing did), and the loops that
    wait for ever."""

    outcomes: frozenset[Row]
    states: int
    incomplete: tuple[str, ...]
    hangs: frozenset[Hang] = frozenset()


@dataclass(frozen=True, slots=True)
class MachineTrace:
    """An execution: the states it goes through, and the step from each to the next."""

    states: tuple[MachineState, ...]
    steps: tuple[MachineStep, ...]


def explore(layout: MachineLayout, *, reduced: bool = True, limit: int = LIMIT) -> Explored:
    """Return every outcome of a layout."""
    walk = Walk(layout, reduced=reduced)
    start = walk.start()
    seen = {start}
    stack = [start]
    outcomes: set[Row] = set()
    cut: set[str] = set()
    hangs, waiting = Hangs(layout, walk.facts), set[Hang]()
    revisits, later = Revisits(layout, walk.facts), list[tuple[int, int, MachineState]]()
    numbers = count()
    while stack or later:
        level, _, state = (0, 0, stack.pop()) if stack else heappop(later)
        arrivals = revisits.arrivals(state)
        if not level and any(arrival.level > 1 for arrival in arrivals):
            heappush(later, (sum(arrival.level for arrival in arrivals), next(numbers), state))
            continue
        if arrivals and revisits.known(state, arrivals):
            continue
        try:
            left = walk.unfollowed(state)
            cut |= left
            waiting.update(hangs.found(state, followed=not left))
            if walk.finished(state):
                row = walk.outcome(state)
                if row is not None:
                    outcomes.add(row)
                continue
            for _, after in walk.successors(state):
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
        except Undetermined:
            cut.add(UNDETERMINED)
        if len(seen) > limit:
            cut.add(STATES.format(limit=limit))
            break
    return Explored(frozenset(outcomes), len(seen), tuple(sorted(cut)), frozenset(waiting))


def trace_to(layout: MachineLayout, wanted: Row) -> MachineTrace | None:
    """Return a short execution that ends in an outcome, or None if there is none within the limit.

    One in which little is out of turn is easier to read than one made of the fewest states; where that takes too long,
    it is the latter.
    """
    found = _traced_to(Walk(layout, reduced=True, clustered=False), wanted, READABLE)
    return found or _traced_to(Walk(layout, reduced=True), wanted, LIMIT)


def _traced_to(walk: Walk, wanted: Row, limit: int) -> MachineTrace | None:
    start = walk.start()
    came: dict[MachineState, tuple[MachineState, MachineStep] | None] = {start: None}
    queue = deque([start])
    while queue and len(came) <= limit:
        state = queue.popleft()
        try:
            if walk.finished(state):
                if walk.outcome(state) == wanted:
                    return _traced(came, state)
                continue
            for step, after in walk.successors(state):
                if after not in came:
                    came[after] = (state, step)
                    queue.append(after)
        except Undetermined:
            continue
    return None


def _traced(came: dict[MachineState, tuple[MachineState, MachineStep] | None], state: MachineState) -> MachineTrace:
    states, steps = [state], []
    while (before := came[states[-1]]) is not None:
        states.append(before[0])
        steps.append(before[1])
    return MachineTrace(tuple(reversed(states)), tuple(reversed(steps)))
