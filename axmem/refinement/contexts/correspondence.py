"""Which event of a program after a change plays the part of one before it.

What goes in: the events of both, in one context. What comes out: pairs. A poor pairing is no error: it makes answers
slower to find, and what cannot be found is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from axmem.events.graph import Event, EventGraph
from axmem.events.values import Constant, ReadOf
from axmem.front.records import dataclass

OperationPlace = tuple[int, int]
"""An operation of the context, with the place that it may access."""


@dataclass(frozen=True, slots=True)
class Correspondence:
    """Events after by events before, and the other way round."""

    after: Mapping[int, int]
    before: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class _Side:
    graph: EventGraph
    parts: Mapping[int, OperationPlace]
    shown: Mapping[int, int]

    def where(self, e: Event) -> object:
        """Return what an event accesses, in a way that both sides have."""
        return self.graph.cells[e.cell] if e.cell >= 0 else None

    def thread(self, e: Event) -> object:
        """Return the name of the thread that an event is of."""
        return self.graph.threads[e.thread] if e.thread >= 0 else None

    def role(self, e: Event) -> object:
        """Return what part of an instruction an event plays: of a compare-exchange, that it failed."""
        return e.rmw, e.cas is not None

    def constant(self, e: Event) -> object:
        """Return what is written if that is known."""
        return e.value.value if isinstance(e.value, Constant) else None


Rule = Callable[[_Side, Event], object]

RULES: tuple[Rule, ...] = (
    lambda s, e: (e.kind, s.where(e), s.parts.get(e.index)) if e.thread < 0 or e.index in s.parts else None,
    lambda s, e: (e.kind, s.where(e), s.shown[e.index]) if e.index in s.shown else None,
    lambda s, e: (s.thread(e), e.kind, s.where(e), s.role(e), e.ordering, e.scope, e.tags, s.constant(e)),
    lambda s, e: (s.thread(e), e.kind, s.where(e), s.role(e), s.constant(e)),
    lambda s, e: (s.thread(e), e.kind, s.where(e), s.role(e)),
    lambda s, e: (s.thread(e), e.kind, s.where(e), s.constant(e)),
    lambda s, e: (s.thread(e), e.kind, s.where(e)),
)
"""Events correspond that have the same of one of these, of the first in which they do."""


def correspondence(
    before: EventGraph, after: EventGraph, parts: tuple[Mapping[int, OperationPlace], Mapping[int, OperationPlace]]
) -> Correspondence:
    """Return which events correspond; `parts` are before and after the events of the context."""
    sides = [_Side(graph, p, _shown(graph)) for graph, p in zip((before, after), parts, strict=True)]
    found: dict[int, int] = {}
    taken: set[int] = set()
    for rule in RULES:
        free: dict[object, list[int]] = {}
        for e in after.events:
            if e.index not in taken:
                free.setdefault(rule(sides[1], e), []).append(e.index)
        for e in before.events:
            key = rule(sides[0], e)
            if key is not None and e.index not in found and free.get(key):
                found[e.index] = free[key].pop(0)
                taken.add(found[e.index])
    return Correspondence(found, {a: b for b, a in found.items()})


def _shown(graph: EventGraph) -> dict[int, int]:
    """Return for reads the first of what is compared that they are."""
    found: dict[int, int] = {}
    for k, observed in enumerate(graph.observed):
        for lane in observed.lanes:
            if isinstance(lane, ReadOf):
                found.setdefault(lane.event, k)
    return found
