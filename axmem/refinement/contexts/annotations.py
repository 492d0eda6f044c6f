"""Orderings and scopes of two programs as literals, so that one circuit is about all pairs that differ in these alone.

What goes in: the events of both programs, alone. What comes out: `Annotations`: which events have one ordering and
scope by the text of the programs, and what else they could have; and a key that pairs share of which nothing else
differs. Events before and after a change that correspond and are annotated alike stay alike in every pair of the key.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import NamedTuple

from axmem.events.graph import Event, EventGraph, EventKind
from axmem.front.records import dataclass, replace
from axmem.front.source import NOWHERE
from axmem.litmus.words import Level, Ordering, Scope
from axmem.model.model import Model
from axmem.refinement.contexts.correspondence import correspondence

_READS = (Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.SEQ_CST)
_WRITES = (Ordering.MONOTONIC, Ordering.RELEASE, Ordering.SEQ_CST)
_FENCES = (Ordering.ACQUIRE, Ordering.RELEASE, Ordering.ACQ_REL, Ordering.SEQ_CST)
_UPDATES = (Ordering.MONOTONIC, *_FENCES)
_OF_SUCCESS = frozenset({"CasFailRel", "CasFailAcq"})
"""The sets in which a failed compare-exchange is for the ordering that it would have had."""


class Unlike(Exception):
    """A program has other operations in a context than alone, or an ordering that its group cannot have."""


class Mark(NamedTuple):
    """What is written at an operation."""

    ordering: Ordering
    scope: Level


@dataclass(frozen=True, slots=True)
class Annotations:
    """Groups of events that are annotated alike.

    `orderings[g]` are the orderings that a group may have, `groups[side]` the groups of the events before and after the
    change that have one, in the order of `annotated`, and `signatures[side]` what these events are besides.
    """

    orderings: tuple[tuple[Ordering, ...], ...]
    groups: tuple[tuple[int, ...], tuple[int, ...]]
    signatures: tuple[tuple[Hashable, ...], tuple[Hashable, ...]]


def annotated(graph: EventGraph, other: Mapping[int, object]) -> list[Event]:
    """Return the events of a program whose ordering and scope may be open, in an order that a context does not change.

    Those that are not atomic or of one address space stay as they are; `other` are the events of the context.
    """
    kinds = (EventKind.READ, EventKind.WRITE, EventKind.FENCE)
    found = (e for e in graph.events if e.kind in kinds and e.thread >= 0 and e.index not in other)
    mine = (e for e in found if e.ordering in _UPDATES and isinstance(e.scope, Scope) and e.within is None)
    return sorted((e for e in mine if not e.one_as), key=lambda e: _place(graph, e))


def _place(graph: EventGraph, e: Event) -> tuple[str, int, str, bool, str, int]:
    """Return where an event stands: its thread and position, and which of an instruction it is."""
    cell = graph.cells[e.cell] if e.cell >= 0 else None
    thread, where = graph.threads[e.thread], (cell.location, cell.offset) if cell else ("", 0)
    return thread, e.position, e.kind.name, e.cas is not None, *where


def signature(graph: EventGraph, e: Event) -> Hashable:
    """Return what an event is, wherever it stands."""
    cell = graph.cells[e.cell] if e.cell >= 0 else None
    return graph.threads[e.thread], e.kind, cell, e.rmw, e.cas is None, e.volatile, e.tags, len(e.guard)


def annotations_of(
    graphs: tuple[EventGraph, EventGraph], model: Model
) -> tuple[Hashable, Annotations, tuple[Mark, ...]]:
    """Return what a pair of programs shares with others, its groups, and what is written at each.

    The two orderings of a compare-exchange are open apart, unless the model asks of its failure how it would succeed.
    """
    pairs = correspondence(*graphs, ({}, {}))
    both = [annotated(graph, {}) for graph in graphs]
    known: dict[Hashable, int] = {}
    marks: list[Mark] = []
    orderings: list[tuple[Ordering, ...]] = []
    after: dict[int, int] = {}
    groups: list[tuple[int, ...]] = []
    for side in (1, 0):
        found = []
        for e in both[side]:
            mark = Mark(e.ordering, e.scope)
            group = after.get(pairs.after.get(e.index, -1), -1) if side == 0 else -1
            if group < 0 or marks[group] != mark:
                group = known.setdefault((side, e.thread, e.instruction, e.cas is None, mark), len(marks))
            if group == len(marks):
                marks.append(mark)
                orderings.append(_alternatives(e))
            found.append(group)
            if side == 1:
                after[e.index] = group
        groups.append(tuple(found))
    signatures = tuple(tuple(signature(g, e) for e in events) for g, events in zip(graphs, both, strict=True))
    made = Annotations(tuple(orderings), (groups[1], groups[0]), (signatures[0], signatures[1]))
    tells = not _OF_SUCCESS.isdisjoint(model.base_names)
    structures = tuple(_structure(g, {e.index for e in events}, tells) for g, events in zip(graphs, both, strict=True))
    return (structures, made, tuple(sorted(pairs.after.items()))), made, tuple(marks)


def _alternatives(e: Event) -> tuple[Ordering, ...]:
    """Return the orderings that an event may have; a read-modify-write's halves have one."""
    if e.kind is EventKind.FENCE:
        return _FENCES
    return _UPDATES if e.rmw else _READS if e.kind is EventKind.READ else _WRITES


def _structure(graph: EventGraph, opened: set[int], tells: bool) -> Hashable:
    """Return everything of a program but its name, its places in a text, and the annotations that are open.

    `tells`: of failed compare-exchanges it matters how they would have succeeded.
    """
    events = tuple(_bare(e, opened=e.index in opened, tells=tells) for e in graph.events)
    undefined = tuple(replace(each, span=NOWHERE) for each in graph.undefined)
    return replace(graph, test="", events=events, undefined=undefined)


def _bare(e: Event, *, opened: bool, tells: bool) -> Event:
    bare = replace(e, label="", path=(), span=NOWHERE)
    if not opened:
        return bare
    success = e.cas if e.cas is None or tells else Ordering.UNORDERED
    return replace(bare, ordering=Ordering.UNORDERED, scope=Scope.SYSTEM, cas=success)


def aligned(
    graph: EventGraph, context: Mapping[int, object], side: int, made: Annotations
) -> Iterator[tuple[int, int]]:
    """Yield the events of a program in a context with their groups. Raises Unlike if they are not those alone."""
    events = annotated(graph, context)
    if tuple(signature(graph, e) for e in events) != made.signatures[side]:
        raise Unlike
    yield from zip((e.index for e in events), made.groups[side], strict=True)
