"""Executions as data: what their text says, and what a picture shows before it is laid out.

What goes in: an `Exhibit` and the relations to show. What comes out: a `Picture` of plain data: a column of events for
each thread, the frames of the scope instances around the columns, and the edges by relation. Drawings as DOT and as
SVG, and the JSON form, are made of this alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from axmem.events.graph import EventKind
from axmem.explanations.concrete import ModelView, pairs
from axmem.explanations.explanation import Exhibit
from axmem.explanations.names import description
from axmem.explanations.story import Stress
from axmem.front.records import dataclass, field, replace
from axmem.front.typing import override
from axmem.litmus.syntax import Placement
from axmem.litmus.words import Hierarchy, placed_levels
from axmem.model import relation as rel
from axmem.model.model import Model
from axmem.model.primitives import PICTURED, PRIMITIVES, FactRole
from axmem.model.relation import Relation
from axmem.report.tree import Figure


@dataclass(frozen=True, slots=True)
class Node:
    """An event: its name and what it does."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Column:
    """A thread: its place (level and number) and the names of its events in program order."""

    name: str
    place: tuple[tuple[str, int], ...]
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """A scope instance: a level with its number, around the columns from `first` to `last`."""

    level: str
    number: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class MarkedEdge:
    """An edge to stress, by the names of its ends."""

    first: str
    label: str
    second: str
    stress: Stress


@dataclass(frozen=True, slots=True)
class Picture:
    """An execution; events go by their names.

    The columns stand in the order of the scope hierarchy, so that a scope instance is a stretch of them. `initial` and
    `final` are the initial writes and final reads that take part in an edge. `labels` are the relations that the model
    and the vocabulary name for pictures, shown here or not.
    """

    nodes: tuple[Node, ...]
    columns: tuple[Column, ...]
    frames: tuple[Frame, ...]
    initial: tuple[str, ...]
    final: tuple[str, ...]
    relations: dict[str, tuple[tuple[str, str], ...]]
    marks: tuple[MarkedEdge, ...]
    labels: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """Return the same as plain data, for JSON."""
        marks = [{"from": m.first, "relation": m.label, "to": m.second, "stress": m.stress.value} for m in self.marks]
        return {
            "threads": [{"name": c.name, "place": dict(c.place), "events": c.events} for c in self.columns],
            "events": [{"name": n.name, "text": n.text} for n in self.nodes],
            "relations": self.relations,
            "marks": marks,
        }


@dataclass(frozen=True, slots=True)
class ExecutedEvent:
    """An event of a thread, by its number: its name, what it does, and the write that a read takes its value from."""

    thread: int
    name: str
    text: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Execution(Figure):
    """An execution: its picture; the threads with their places in the order of the test, and their events.

    `orders` are the modification orders of cells with several writes. `title` and `notes` stand above the picture.
    `hidden` are relations that are drawn but not shown until a page shows them. `prefix` begins the ids of what is
    drawn, so that several pictures can stand on one page.
    """

    picture: Picture
    threads: tuple[str, ...] = ()
    events: tuple[ExecutedEvent, ...] = ()
    orders: tuple[tuple[str, ...], ...] = ()
    outcome: Mapping[str, object] = field(default_factory=dict)
    title: str = ""
    notes: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    prefix: str = ""

    @override
    def lines(self) -> Iterator[str]:
        """Yield the events, thread by thread, each read with its source, and the order of the writes."""
        width = max((len(e.name) for e in self.events), default=0)
        wide = max((len(e.text) for e in self.events), default=0)
        for number, thread in enumerate(self.threads):
            yield thread
            for e in self.events:
                if e.thread == number:
                    source = f"  from {e.source}" if e.source else ""
                    yield f"  {e.name:<{width}}  {e.text:<{wide}}{source}".rstrip()
        yield from (f"mo: {' < '.join(order)}" for order in self.orders)
        yield f"outcome: {'  '.join(f'{name}={value}' for name, value in self.outcome.items())}".rstrip()


def labels(model: Model) -> tuple[str, ...]:
    """Return the names under which pictures show relations: those of the vocabulary, and each `@path` of a model."""
    paths = [r.texts[0] for d in model.definitions if (r := d.remark("path")) is not None]
    return tuple(dict.fromkeys((*PICTURED.values(), *paths)))


def unasked(exhibit: Exhibit) -> Picture:
    """Return the picture that is drawn if nobody says what of: all labels but those that follow from others.

    That an order has the initial writes before everything is left out.
    """
    view = exhibit.view
    derived = {label for name, label in PICTURED.items() if name not in PRIMITIVES}
    orders = _orders(view)
    found = picture(exhibit, [label for label in labels(view.model) if label not in derived])
    edges = {
        name: tuple(pair for pair in pairs if name not in orders or pair[0] not in found.initial)
        for name, pairs in found.relations.items()
    }
    ends = {end for pairs in edges.values() for pair in pairs for end in pair}
    ends |= {end for mark in found.marks for end in (mark.first, mark.second)}
    initial, final = (tuple(n for n in names if n in ends) for names in (found.initial, found.final))
    gone = {*found.initial, *found.final} - ends
    nodes = tuple(node for node in found.nodes if node.name not in gone)
    return replace(found, relations=edges, initial=initial, final=final, nodes=nodes)


def _orders(view: ModelView) -> set[str]:
    return {view.order_name(said) for said in view.saying("order")}


def picture(exhibit: Exhibit, show: Sequence[str] | None = None) -> Picture:
    """Return what a picture of an execution shows: the relations of these names, or all labels.

    Relations that the model does not have are left out.
    """
    show = labels(exhibit.view.model) if show is None else show
    view, names = exhibit.view, exhibit.names
    executed = [e for e in view.graph.events if view.execution.executed >> e.index & 1]
    relations = {name: found for name in show if (found := _edges(view, name)) or name in _known(view)}
    marked = {end for m in exhibit.marks for end in (m.first, m.second)}
    used = marked | {end for name, found in relations.items() if name in PICTURED.values() for p in found for end in p}
    initial = [e.index for e in executed if e.kind is EventKind.INIT and e.index in used]
    final = [e.index for e in executed if e.kind is EventKind.FINAL and e.index in used]
    inside = [e.index for e in executed if e.thread >= 0]
    shown = {*initial, *final, *inside}
    order = sorted(range(len(view.graph.threads)), key=lambda t: _path(view, t))
    return Picture(
        nodes=tuple(Node(names[i], description(view, names, i)) for i in sorted(shown)),
        columns=tuple(
            Column(view.graph.threads[t], tuple(zip(_words(view.graph.levels), _path(view, t), strict=True)),
                   tuple(names[i] for i in inside if view.graph.events[i].thread == t))
            for t in order
        ),
        frames=_frames([_path(view, t) for t in order], view.graph.levels),
        initial=tuple(names[i] for i in initial),
        final=tuple(names[i] for i in final),
        relations={
            name: tuple((names[a], names[b]) for a, b in found if a in shown and b in shown)
            for name, found in relations.items()
        },
        marks=tuple(MarkedEdge(names[m.first], m.label, names[m.second], m.stress) for m in exhibit.marks),
        labels=labels(view.model),
    )  # fmt: skip


def _known(view: ModelView) -> set[str]:
    return {*view.definitions, "po", "rf", "co"}


def relation_names(view: ModelView) -> tuple[str, ...]:
    """Return the names of the relations of a model that can be shown."""
    edges = [p.name for p in PRIMITIVES.values() if p.part is FactRole.EDGE]
    own = [d.name for d in view.model.definitions if isinstance(view.values[d.term], tuple)]
    return tuple(dict.fromkeys((*labels(view.model), *edges, *own)))


def _edges(view: ModelView, name: str) -> list[tuple[int, int]]:
    """Return the edges of a relation: of an order only those that do not follow from the others."""
    found = view.drawn(name)
    if name in ("po", "co", PICTURED["co"]) or name in _orders(view):
        found = immediate(found)
    return [(a, b) for a, b in pairs(found)]


def immediate(relation: Relation) -> Relation:
    """Return a relation without the pairs that lie between others, unless it has cycles."""
    if not relation or not rel.is_acyclic(relation):
        return relation
    return rel.difference(relation, rel.compose(relation, rel.closure(relation)))


def _path(view: ModelView, thread: int) -> tuple[int, ...]:
    return place_path(view.graph.placements[thread])


def place_path(place: Placement) -> tuple[int, ...]:
    """Return the numbers of a place, but that of the thread itself; -1 where a DMA operation is in no instance."""
    return tuple(-1 if number is None else number for number in place.numbers[:-1])


def _words(levels: Hierarchy) -> list[str]:
    """Return the words of the numbers of `place_path`."""
    return [level.place for level in placed_levels(levels)[:-1]]


def _frames(paths: list[tuple[int, ...]], levels: Hierarchy) -> tuple[Frame, ...]:
    """Return the frames of the levels that are shown, outer ones first."""
    return tuple(
        Frame(_words(levels)[depth], paths[first][depth], first, last)
        for depth in shown_levels(paths, levels)
        for first, last in _stretches(paths, depth)
        if paths[first][depth] >= 0
    )


def _stretches(paths: list[tuple[int, ...]], depth: int) -> list[tuple[int, int]]:
    """Return the first and the last of the threads in each instance of a level."""
    starts = [i for i in range(len(paths)) if i == 0 or paths[i][: depth + 1] != paths[i - 1][: depth + 1]]
    return [(first, last - 1) for first, last in zip(starts, [*starts[1:], len(paths)], strict=True)]


def shown_levels(paths: list[tuple[int, ...]], levels: Hierarchy) -> list[int]:
    """Return the levels to show, as indices: the innermost only where it tells threads apart, and so one that is rare.

    Of AMDGPU's that are agents and workgroups; clusters if their instances are neither those of agents nor of
    workgroups, wavefronts if one of them has two threads or a workgroup has two of them.
    """
    outer = placed_levels(levels)[:-1]
    stretches = [_stretches(paths, depth) for depth in range(len(outer))]

    def shown(depth: int) -> bool:
        if outer[depth].rare:
            return stretches[depth] not in stretches[depth - 1 : depth + 2 : 2]
        return depth < max(1, len(outer) - 1) or stretches[depth] != stretches[depth - 1]

    return [depth for depth in range(len(outer)) if shown(depth)]


def place_texts(places: list[Placement], levels: Hierarchy) -> list[str]:
    """Return the places of threads, `agent 0, workgroup 1`, with the levels that pictures show and that they have."""
    paths = [place_path(place) for place in places]
    shown = shown_levels(sorted(paths), levels)
    words = _words(levels)
    return [", ".join(f"{words[depth]} {path[depth]}" for depth in shown if path[depth] >= 0) for path in paths]
