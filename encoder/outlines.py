"""The primitive relations of events that follow from their outlines: what tests share that differ in orderings alone.

What goes in: an `EventGraph`. What comes out: each relation of the vocabulary that a test fixes and that depends on no
ordering, scope or value, as if every event executed. Invariant: `StaticRelations` are made of outlines and nothing
else, so that they are the same for every test that has them; suites repeat them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any

from axmem.encoder.packed import LARGEST, packed
from axmem.events.graph import Event, EventGraph, EventKind, compatible
from axmem.front.records import names_of
from axmem.litmus import vulkan
from axmem.litmus.syntax import Placement
from axmem.litmus.words import AS_PREFIX, SPACE_TAGS, Hierarchy, Level, Scope, Tag, counterparts, tags_compatible
from axmem.model import relation as rel
from axmem.model.model import Model
from axmem.model.relation import Relation
from axmem.model.terms import Op

OUTER = (EventKind.INIT, EventKind.FINAL)
OUTLINE = tuple(
    name
    for name in names_of(Event)
    if name not in {"ordering", "scope", "volatile", "nontemporal", "av", "cas", "value", "label", "path", "span"}
)
"""What of an event says how it is related to others, whatever is written."""
_outline = attrgetter(*OUTLINE)
Given = tuple[int, int | Relation, int | Relation]
"""A term with what it may be and what it must be."""


@lru_cache(maxsize=256)
def primitives(model: Model) -> tuple[tuple[tuple[int, str], ...], tuple[int, ...]]:
    """Return the primitives that a model needs and that a test fixes: relations that follow from outlines; others."""
    fixed = [i for i in model.analyses.order if model.analyses.stages[i] == 0]
    given = [i for i in fixed if model.terms[i].op in (Op.BASE, Op.TAGGED)]
    terms = [(i, model.terms[i]) for i in given]
    known = relations(model.levels)
    outlined = tuple((i, term.name) for i, term in terms if not term.is_set and term.name in known)
    return outlined, tuple(i for i in given if (i, model.terms[i].name) not in outlined)


def shape_of(graph: EventGraph) -> StaticRelations:
    """Return the relations of a test's events; those of few events are kept for other tests of the same outlines."""
    make = _kept_shape if len(graph.events) <= LARGEST else _shape
    return make(tuple(map(_outline, graph.events)), graph.placements, graph.levels)


def _shape(
    outlines: tuple[tuple[Any, ...], ...], placements: tuple[Placement, ...], levels: Hierarchy
) -> StaticRelations:
    """Return the relations of events with these outlines."""
    events = (Event(**dict(zip(OUTLINE, outline, strict=True))) for outline in outlines)
    return StaticRelations(tuple(events), placements, levels)


_kept_shape = lru_cache(maxsize=64)(_shape)


class StaticRelations:
    """The relations of events that follow from their outlines, computed when first asked for.

    The events have nothing but that: what is no part of an outline is at its default.
    """

    def __init__(self, events: tuple[Event, ...], placements: tuple[Placement, ...], levels: Hierarchy) -> None:
        self.events = events
        self.placements = placements
        self.levels = levels
        self.size = len(events)
        self.together = self._together()
        self._relations: dict[str, Relation] = {}
        self._given: dict[tuple[Model, int, int], tuple[Given, ...]] = {}

    def relation_of(self, name: str) -> Relation:
        """Return a relation of the vocabulary, of events that can execute together."""
        if name not in self._relations:
            self._relations[name] = self.possible(relations(self.levels)[name](self))
        return self._relations[name]

    def possible(self, raw: Relation) -> Relation:
        """Return the pairs of events that can execute together."""
        return raw if self.together is None else rel.intersection(raw, self.together)

    def given(self, model: Model, present: int, always: int) -> tuple[Given, ...]:
        """Return the bounds of the model's primitives, given the events that may and that do execute."""
        key = model, present, always
        if key not in self._given:
            known = [(index, self.relation_of(name)) for index, name in primitives(model)[0]]
            self._given[key] = tuple((i, self.among(r, present), self.among(r, always)) for i, r in known)
        return self._given[key]

    def among(self, raw: Relation, members: int) -> int | Relation:
        """Return a relation among some events, in the form in which bounds are worked on."""
        found = rel.restrict(members, raw, members)
        return packed(self.size).pack(found) if self.size <= LARGEST else found

    def pairs(self, test: Callable[[Event, Event], bool], key: Callable[[Event], object] = lambda e: 0) -> Relation:
        """Return the relation of the ordered pairs of events that pass a test, of those with equal keys (not None)."""
        rows = [0] * self.size
        groups: dict[object, list[Event]] = {}
        for e in self.events:
            groups.setdefault(key(e), []).append(e)
        groups.pop(None, None)
        for group in groups.values():
            for a in group:
                for b in group:
                    if test(a, b):
                        rows[a.index] |= 1 << b.index
        return rel.relation(rows)

    def _together(self) -> Relation | None:
        """Return which events can execute together, or None if all can."""
        if not any(e.guard for e in self.events):
            return None
        return self.pairs(lambda a, b: compatible(a.guard, b.guard))

    def grouped(self, key: Callable[[Event], object]) -> Relation:
        """Return the relation of events with equal keys (None as a key: with nothing)."""
        groups: dict[object, int] = {}
        keys = [key(e) for e in self.events]
        for i, k in enumerate(keys):
            if k is not None:
                groups[k] = groups.get(k, 0) | 1 << i
        return rel.relation([groups[k] if k is not None else 0 for k in keys])

    def together_at(self, level: Level) -> Relation:
        """Return `same-workgroup` and the like: both events lie in one instance of the level."""

        if level is Scope.SYSTEM:
            return self.grouped(lambda e: ())
        instances = [placement.instance(level) for placement in self.placements]

        def instance(e: Event) -> object:
            if e.thread < 0 or (e.within is not None and level < e.within):
                return None
            return instances[e.thread]

        return self.grouped(instance)

    def from_reads(self, reads: Callable[[Event], Iterable[int]]) -> Relation:
        """Return the relation from each read of its thread that `reads` names for an event to that event."""
        rows = [0] * self.size
        for e in self.events:
            for r in reads(e):
                if self.events[r].thread == e.thread:
                    rows[r] |= 1 << e.index
        return rel.relation(rows)


def _po(s: StaticRelations) -> Relation:
    def before(a: Event, b: Event) -> bool:
        if a.instruction != b.instruction:
            return a.position < b.position
        return a.kind is EventKind.READ and b.kind is EventKind.WRITE and a.footprint == b.footprint

    return s.pairs(before, lambda e: e.thread if e.thread >= 0 else None)


def _perf(s: StaticRelations) -> Relation:
    def overlap(a: Event, b: Event) -> bool:
        return a.footprint == b.footprint or a.kind in OUTER or b.kind in OUTER

    return s.pairs(overlap, _cell)


def _rmw(s: StaticRelations) -> Relation:
    def halves(a: Event, b: Event) -> bool:
        return a.rmw and a.kind is EventKind.READ and b.kind is EventKind.WRITE and a.footprint == b.footprint

    return s.pairs(halves, lambda e: e.instruction)


def explicit_tags(e: Event) -> frozenset[Tag]:
    """Return an event's tags as a synchronizing operation: as written, and the space of a one-as access."""
    if e.one_as and e.space in SPACE_TAGS:
        return e.tags | {SPACE_TAGS[e.space]}
    return e.tags


def data_tags(e: Event) -> frozenset[Tag]:
    """Return an event's tags as a plain access: besides the explicit ones the address space of its location."""
    tags = explicit_tags(e)
    if e.space in SPACE_TAGS and all(prefix != AS_PREFIX for prefix, _ in tags):
        return tags | {SPACE_TAGS[e.space]}
    return tags


def _compat(
    left: Callable[[Event], frozenset[Tag]], right: Callable[[Event], frozenset[Tag]]
) -> Callable[[StaticRelations], Relation]:
    def compute(s: StaticRelations) -> Relation:
        rights: dict[frozenset[Tag], int] = {}
        for i, tags in enumerate(map(right, s.events)):
            rights[tags] = rights.get(tags, 0) | 1 << i
        rows: dict[frozenset[Tag], int] = {}
        for tags in (lefts := list(map(left, s.events))):
            if tags not in rows:
                rows[tags] = sum(mask for other, mask in rights.items() if tags_compatible(tags, other))
        return rel.relation([rows[tags] for tags in lefts])

    return compute


def _as_compat(s: StaticRelations) -> Relation:
    def spaces(e: Event) -> frozenset[Tag]:
        return frozenset(t for t in e.tags if t[0] == AS_PREFIX)

    return _compat(spaces, spaces)(s)


def _ext(s: StaticRelations) -> Relation:
    same = s.grouped(lambda e: e.thread if e.kind is not EventKind.FINAL else None)
    everyone = sum(1 << e.index for e in s.events if e.kind is not EventKind.FINAL)
    return rel.relation([everyone & ~row if row else 0 for row in same])


def _covers(s: StaticRelations) -> Relation:
    writes = [w for w in s.events if w.kind in (EventKind.WRITE, EventKind.INIT)]
    every = sum(1 << w.index for w in writes)
    rows = [every if x.covers is None else sum(1 << w.index for w in writes if w.cell in x.covers) for x in s.events]
    return rel.relation(rows)


def _followed(*kinds: EventKind) -> Callable[[StaticRelations], Relation]:
    def compute(s: StaticRelations) -> Relation:
        rows = [0] * s.size
        for b in s.events:
            for a in b.after if b.kind in kinds else ():
                rows[a] |= 1 << b.index
        return rel.relation(rows)

    return compute


def _ssw(s: StaticRelations) -> Relation:
    after: dict[str, int] = {}
    for e in s.events:
        for pair in vulkan.synchronizations(e.tags, before=False):
            after[pair] = after.get(pair, 0) | 1 << e.index
    rows = [0] * s.size
    for e in s.events:
        for pair in vulkan.synchronizations(e.tags, before=True):
            rows[e.index] |= after.get(pair, 0)
    return rel.relation(rows)


def _cell(e: Event) -> int | None:
    return e.cell if e.cell >= 0 else None


RELATIONS: dict[str, Callable[[StaticRelations], Relation]] = {
    "po": _po,
    "loc": lambda s: s.grouped(_cell),
    "vloc": lambda s: s.grouped(lambda e: (e.cell, vulkan.references(e.tags)) if e.cell >= 0 else None),
    "ssw": _ssw,
    "id": lambda s: rel.identity((1 << s.size) - 1, s.size),
    "int": lambda s: s.grouped(lambda e: e.thread if e.thread >= 0 else None),
    "ext": _ext,
    "rmw": _rmw,
    "addr": lambda s: s.from_reads(lambda e: e.address_reads),
    "ctrl": lambda s: s.from_reads(lambda e: e.control_reads),
    "guard": lambda s: s.from_reads(lambda e: e.guard_reads),
    "conv": lambda s: s.grouped(lambda e: e.instance if e.instance >= 0 else None),
    "si": lambda s: s.grouped(lambda e: e.instruction),
    "sa": lambda s: s.grouped(lambda e: e.access),
    "perf": _perf,
    "tag-compat": _compat(explicit_tags, explicit_tags),
    "tag-compat-dd": _compat(data_tags, data_tags),
    "tag-compat-sd": _compat(explicit_tags, data_tags),
    "as-compat": _as_compat,
    "bar": lambda s: s.pairs(lambda a, b: a.arrives and b.waits, lambda e: e.phase),
    "covers": _covers,
    "initiates": _followed(EventKind.ENTRY),
    "completes": _followed(EventKind.WAIT, EventKind.BARRIER),
}
"""The relations of the vocabulary that a test fixes and that follow from outlines, but those of the levels."""


@lru_cache(maxsize=256)
def relations(levels: Hierarchy) -> dict[str, Callable[[StaticRelations], Relation]]:
    """Return every relation of the vocabulary of a hierarchy that outlines say."""
    theirs = {word: level for word, (level, _) in counterparts(levels).items()}
    by_word = theirs | {level.word: level for level in levels}
    together = StaticRelations.together_at
    return RELATIONS | {f"same-{word}": partial(together, level=level) for word, level in by_word.items()}
