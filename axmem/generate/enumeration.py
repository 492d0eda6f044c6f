"""All cycles of a size, and all decorations of a cycle.

What goes in: edges and a size; orderings and scopes. What comes out: cycles, each once whatever its rotation, in
an order that depends on the arguments alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from axmem.front.records import dataclass, replace
from axmem.generate.cycles import Cycle, faults, oriented
from axmem.generate.edges import CycleEdge, EdgeKind
from axmem.generate.marks import DEFAULT, fault
from axmem.generate.names import synchronizing
from axmem.litmus.syntax import AccessMode, Ordering, SyncScope

_COLLAPSING = frozenset(
    {
        (EdgeKind.READS_FROM, EdgeKind.FROM_READS),
        (EdgeKind.FROM_READS, EdgeKind.COHERENCE),
        (EdgeKind.COHERENCE, EdgeKind.COHERENCE),
        (EdgeKind.PROGRAM_ORDER, EdgeKind.PROGRAM_ORDER),
    }
)
"""Neighbours that say no more than one edge would: rf;fr and fr;co are fr or co, co;co is co, po;po is po."""


def cycles(edges: Sequence[CycleEdge], size: int) -> Iterator[Cycle]:
    """Yield every cycle of 2 to `size` edges over at least two threads, shorter ones first.

    Left out are cycles with neighbours that one edge could replace, and cycles at one location that violate coherence
    twice.
    """
    following = [[k for k, after in enumerate(edges) if _joins(edge, after)] for edge in edges]
    for length in range(2, size + 1):
        for first in range(len(edges)):
            for word in _words(following, [first], length):
                cycle = Cycle(tuple(edges[k] for k in word), (None,) * length)
                if word == min(word[k:] + word[:k] for k in range(length)) and _wanted(cycle):
                    yield oriented(cycle)


def _words(following: list[list[int]], word: list[int], length: int) -> Iterator[list[int]]:
    """Yield the closed sequences of edges that go on from a word and have no edge before its first one."""
    if len(word) == length:
        if word[0] in following[word[-1]]:
            yield word
        return
    for after in following[word[-1]]:
        if after >= word[0]:
            yield from _words(following, [*word, after], length)


def _joins(edge: CycleEdge, after: CycleEdge) -> bool:
    return edge.target == after.source and (edge.kind, after.kind) not in _COLLAPSING


def _wanted(cycle: Cycle) -> bool:
    if faults(cycle) or not any(edge.external for edge in cycle.edges):
        return False
    return not cycle.one_location or sum(not edge.communication for edge in cycle.edges) == 1


# ---------------------------------------------------------------- decorations


@dataclass(frozen=True, slots=True)
class Decorations:
    """What undecorated accesses become.

    Every synchronizing access takes each of the orderings that it can have, or `access` if there are none; each of
    these, and each fence, that has the system scope takes each of the scopes. Other accesses become `access`.
    """

    access: AccessMode = DEFAULT
    orderings: tuple[AccessMode, ...] = ()
    scopes: tuple[SyncScope, ...] = ()


def decorated(cycle: Cycle, decorations: Decorations) -> Iterator[Cycle]:
    """Yield a cycle with every combination of decorations; each is oriented and comes once."""
    chosen = synchronizing(cycle)
    choices = [_marks(cycle, event, decorations, synchronizes=event in chosen) for event in range(len(cycle))]
    edges = [_fences(edge, decorations.scopes) for edge in cycle.edges]
    seen = set()
    for marks in product(*choices):
        for chain in product(*edges):
            candidate = Cycle(chain, marks)
            if not faults(candidate):
                candidate = oriented(candidate)
                if candidate not in seen:
                    seen.add(candidate)
                    yield candidate


def _marks(cycle: Cycle, event: int, decorations: Decorations, *, synchronizes: bool) -> tuple[AccessMode, ...]:
    """Return the decorations that an event takes."""
    given, edge = cycle.marks[event], cycle.edges[event]
    if given is not None:
        return (given,)
    if cycle.edges[event - 1].kind is EdgeKind.UPDATE:
        return (DEFAULT,)
    direction = "U" if edge.kind is EdgeKind.UPDATE else edge.source
    usual = DEFAULT if fault(decorations.access, direction) else decorations.access
    if not synchronizes:
        return (usual,)
    modes = [mode for mode in decorations.orderings if not fault(mode, direction)] or [usual]
    return tuple(dict.fromkeys(scoped for mode in modes for scoped in _scoped(mode, decorations.scopes)))


def _scoped(mode: AccessMode, scopes: tuple[SyncScope, ...]) -> tuple[AccessMode, ...]:
    """Return a decoration at each of the scopes, if it has the system scope and may have another."""
    if not scopes or mode.scope != SyncScope() or (mode.ordering is Ordering.NOT_ATOMIC and not mode.av):
        return (mode,)
    return tuple(replace(mode, scope=scope) for scope in scopes)


def _fences(edge: CycleEdge, scopes: tuple[SyncScope, ...]) -> tuple[CycleEdge, ...]:
    if edge.fence is None:
        return (edge,)
    return tuple(replace(edge, fence=fence) for fence in _scoped(edge.fence, scopes))
