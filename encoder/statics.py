"""The primitives of a model's vocabulary that a test fixes before any execution is chosen.

What goes in: an `EventGraph`. What comes out: for each primitive except `rf` and `co` its set or relation over all
events of the test, as if every event executed; pairs of events that never execute together are left out. An execution
restricts them to the events it executes. The vocabulary itself is documented in `axmem.model.vocabulary`; `SETS` and
`RELATIONS` are its meanings on events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial

from axmem.encoder.events import Event, EventGraph, EventKind, compatible
from axmem.encoder.values import UNDEF, ZERO, Expr, Value, evaluate, may_be, reads_of
from axmem.front.source import Diagnostic, InputError
from axmem.litmus import vulkan
from axmem.litmus.words import (
    AS_PREFIX,
    AV_PREFIX,
    SPACE_TAGS,
    AddressSpace,
    Hierarchy,
    Level,
    Ordering,
    Scope,
    Tag,
    tags_compatible,
)
from axmem.model import relation as rel
from axmem.model.evaluation import Values, evaluate_terms
from axmem.model.relation import Relation, bits
from axmem.model.terms import Model, Op, Term
from axmem.model.vocabulary import CHOSEN, ORDERS, refuse

_OUTER = (EventKind.INIT, EventKind.FINAL)

EventTest = Callable[[Event], bool]


def _access_with(ordering: Ordering) -> EventTest:
    def test(e: Event) -> bool:
        return e.ordering is ordering and e.kind in (EventKind.READ, EventKind.WRITE, EventKind.FENCE)

    return test


def _kind(*kinds: EventKind) -> EventTest:
    return lambda e: e.kind in kinds


def _space(space: AddressSpace) -> EventTest:
    return lambda e: e.space is space and e.kind is not EventKind.FINAL


_UNSCOPED = (*_OUTER, EventKind.BARRIER, EventKind.INITIATE, EventKind.ENTRY, EventKind.WAIT)


def _level(level: Level) -> EventTest:
    return lambda e: e.scope is level and e.kind not in _UNSCOPED


ORDERING_SETS = {
    "NA": Ordering.NOT_ATOMIC,
    "UN": Ordering.UNORDERED,
    "RLX": Ordering.MONOTONIC,
    "ACQ": Ordering.ACQUIRE,
    "REL": Ordering.RELEASE,
    "ACQ_REL": Ordering.ACQ_REL,
    "SC": Ordering.SEQ_CST,
}
"""The sets of operations of one ordering."""

_SETS: dict[str, EventTest] = {
    "_": lambda e: e.kind is not EventKind.FINAL,
    "R": _kind(EventKind.READ),
    "W": _kind(EventKind.WRITE, EventKind.INIT),
    "M": _kind(EventKind.READ, EventKind.WRITE, EventKind.INIT),
    "F": _kind(EventKind.FENCE),
    "IW": _kind(EventKind.INIT),
    "Fin": _kind(EventKind.FINAL),
    "BAR": _kind(EventKind.BARRIER),
    "INITIATE": _kind(EventKind.INITIATE),
    "WAIT": _kind(EventKind.WAIT),
    "MKA": _kind(EventKind.MAKE_AVAILABLE),
    "MKV": _kind(EventKind.MAKE_VISIBLE),
    "RMW": lambda e: e.rmw,
    "NA": lambda e: e.ordering is Ordering.NOT_ATOMIC and e.kind in (EventKind.READ, EventKind.WRITE),
    **{name: _access_with(ordering) for name, ordering in ORDERING_SETS.items() if name != "NA"},
    "Vol": lambda e: e.volatile,
    "AVI": lambda e: e.av,
    "NT": lambda e: e.nontemporal,
    "GLOBAL": _space(AddressSpace.GLOBAL),
    "LDS": _space(AddressSpace.LDS),
    "PRIVATE": _space(AddressSpace.PRIVATE),
    "OneAs": lambda e: e.one_as,
    "CasFail": lambda e: e.cas is not None,
    "CasFailRel": lambda e: e.cas is not None and e.cas.releases,
    "CasFailAcq": lambda e: e.cas is not None and e.cas.acquires,
    "DMA": lambda e: e.within is not None,
    "Tagged": lambda e: any(prefix != AV_PREFIX for prefix, _ in e.tags),
}
"""Every set of the vocabulary but those of the levels, by its test on an event."""


@lru_cache(maxsize=256)
def sets(levels: Hierarchy) -> dict[str, EventTest]:
    """Return every set of the vocabulary of a hierarchy by its test on an event."""
    return _SETS | {level.word: _level(level) for level in levels}


@lru_cache(maxsize=4)
def statics(graph: EventGraph) -> Statics:
    """Return what a test fixes; several models, and both engines, ask for the same of one test."""
    return Statics(graph)


class Statics:
    """The static sets and relations of one test, computed when first asked for."""

    def __init__(self, graph: EventGraph) -> None:
        self.graph = graph
        self.events = graph.events
        self.size = len(graph.events)
        self._sets: dict[str, int] = {}
        self._relations: dict[str, Relation] = {}
        self.together = self._together()

    def value(self, term: Term) -> int | Relation:
        """Return the set or relation of a BASE or TAGGED term other than `rf` and `co`."""
        if term.op is Op.TAGGED:
            prefix, _, suffix = term.name.partition(":")
            return self._set_where(lambda e: (prefix, suffix) in e.tags)
        return self.set_of(term.name) if term.is_set else self.relation_of(term.name)

    def set_of(self, name: str) -> int:
        """Return a set of the vocabulary."""
        if name not in self._sets:
            self._sets[name] = self._set_where(sets(self.graph.levels)[name])
        return self._sets[name]

    def relation_of(self, name: str) -> Relation:
        """Return a static relation of the vocabulary."""
        if name not in self._relations:
            raw = relations(self.graph.levels)[name](self)
            if self.together is not None:
                raw = rel.intersection(raw, self.together)
            self._relations[name] = raw
        return self._relations[name]

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

    def _set_where(self, test: EventTest) -> int:
        return sum(1 << e.index for e in self.events if test(e))

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
        instances = [placement.instance(level) for placement in self.graph.placements]

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


def _po(s: Statics) -> Relation:
    def before(a: Event, b: Event) -> bool:
        if a.instruction != b.instruction:
            return a.position < b.position
        return a.kind is EventKind.READ and b.kind is EventKind.WRITE and a.footprint == b.footprint

    return s.pairs(before, lambda e: e.thread if e.thread >= 0 else None)


def _perf(s: Statics) -> Relation:
    def overlap(a: Event, b: Event) -> bool:
        return a.footprint == b.footprint or a.kind in _OUTER or b.kind in _OUTER

    return s.pairs(overlap, _cell)


def _rmw(s: Statics) -> Relation:
    def halves(a: Event, b: Event) -> bool:
        return a.rmw and a.kind is EventKind.READ and b.kind is EventKind.WRITE and a.footprint == b.footprint

    return s.pairs(halves, lambda e: e.instruction)


def _across(s: Statics) -> Relation:
    rows = [0] * s.size
    for e in s.events:
        if e.instance >= 0:
            for r in (reads_of(e.value) if e.value is not None else frozenset()) | e.address_reads | e.guard_reads:
                if s.events[r].thread != e.thread:
                    rows[r] |= 1 << e.index
    return rel.relation(rows)


def _data(s: Statics) -> Relation:
    return s.from_reads(lambda e: reads_of(e.value) if e.value is not None else ())


def _guarded(may: bool) -> Callable[[Statics], Relation]:
    """Return the writes and events that a read guards and that may execute (or do not) where it takes the value."""

    def compute(s: Statics) -> Relation:
        rows = [0] * s.size
        for e in s.events:
            for r in e.guard_reads | e.address_reads:
                for w in bits(s.relation_of("loc")[r] & s.set_of("W")):
                    if _follows(s.graph, e, r, _value_of(s.events[w])) is may:
                        rows[w] |= 1 << e.index
        return rel.relation(rows)

    return compute


def _value_of(write: Event) -> Value:
    """Return the value of a write if it is written whatever reads return, else undef."""
    return evaluate(write.value or ZERO, lambda r: UNDEF, dict(write.guard).get)


def _follows(graph: EventGraph, e: Event, read: int, value: Value) -> bool | None:
    """Tell whether an event may execute where a read that guards it returns a value (undef: one that is not known).

    None if the read does not return that: it is the half of a compare-exchange that fails, or that succeeds.
    """
    there = dict(graph.events[read].guard)
    arms = there | dict(e.guard)

    def known(expr: Expr) -> Value:
        return evaluate(expr, lambda r: value if r == read else UNDEF, arms.get)

    def permitted(arms: Mapping[int, int]) -> bool:
        return all(known(q.expr) != 0 for q in graph.requires if arms.items() >= dict(q.guard).items())

    if not permitted(there):
        return None
    for choice, arm in e.guard:
        expr, wanted = graph.choices[choice].expr, graph.choices[choice].values[arm]
        if expr is None:
            continue
        if wanted is None:
            if known(expr) in graph.choices[choice].values:
                return False
        elif not may_be(expr, wanted, known):
            return False
    return permitted(arms)


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
) -> Callable[[Statics], Relation]:
    def compute(s: Statics) -> Relation:
        rights: dict[frozenset[Tag], int] = {}
        for i, tags in enumerate(map(right, s.events)):
            rights[tags] = rights.get(tags, 0) | 1 << i
        rows: dict[frozenset[Tag], int] = {}
        for tags in (lefts := list(map(left, s.events))):
            if tags not in rows:
                rows[tags] = sum(mask for other, mask in rights.items() if tags_compatible(tags, other))
        return rel.relation([rows[tags] for tags in lefts])

    return compute


def _as_compat(s: Statics) -> Relation:
    def spaces(e: Event) -> frozenset[Tag]:
        return frozenset(t for t in e.tags if t[0] == AS_PREFIX)

    return _compat(spaces, spaces)(s)


def _ext(s: Statics) -> Relation:
    same = s.grouped(lambda e: e.thread if e.kind is not EventKind.FINAL else None)
    everyone = s.set_of("_")
    return rel.relation([everyone & ~row if row else 0 for row in same])


def _covers(s: Statics) -> Relation:
    writes = [w for w in s.events if w.kind in (EventKind.WRITE, EventKind.INIT)]
    every = sum(1 << w.index for w in writes)
    rows = [every if x.covers is None else sum(1 << w.index for w in writes if w.cell in x.covers) for x in s.events]
    return rel.relation(rows)


def _followed(*kinds: EventKind) -> Callable[[Statics], Relation]:
    def compute(s: Statics) -> Relation:
        rows = [0] * s.size
        for b in s.events:
            for a in b.after if b.kind in kinds else ():
                rows[a] |= 1 << b.index
        return rel.relation(rows)

    return compute


def _ssw(s: Statics) -> Relation:
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


_RELATIONS: dict[str, Callable[[Statics], Relation]] = {
    "po": _po,
    "loc": lambda s: s.grouped(_cell),
    "vloc": lambda s: s.grouped(lambda e: (e.cell, vulkan.references(e.tags)) if e.cell >= 0 else None),
    "ssw": _ssw,
    "id": lambda s: rel.identity((1 << s.size) - 1, s.size),
    "int": lambda s: s.grouped(lambda e: e.thread if e.thread >= 0 else None),
    "ext": _ext,
    "rmw": _rmw,
    "addr": lambda s: s.from_reads(lambda e: e.address_reads),
    "data": _data,
    "ctrl": lambda s: s.from_reads(lambda e: e.control_reads),
    "guard": lambda s: s.from_reads(lambda e: e.guard_reads),
    "admits": _guarded(True),
    "excludes": _guarded(False),
    "conv": lambda s: s.grouped(lambda e: e.instance if e.instance >= 0 else None),
    "xlane": _across,
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
"""Every relation of the vocabulary that a test fixes, but those of the levels."""


@lru_cache(maxsize=256)
def relations(levels: Hierarchy) -> dict[str, Callable[[Statics], Relation]]:
    """Return every relation of the vocabulary of a hierarchy that a test fixes."""
    return _RELATIONS | {f"same-{level.word}": partial(Statics.together_at, level=level) for level in levels}


@lru_cache(maxsize=256)
def meant(levels: Hierarchy) -> frozenset[str]:
    """Return the primitives that have a meaning on the events of a test of these levels."""
    return frozenset({*sets(levels), *relations(levels), *CHOSEN})


@lru_cache(maxsize=256)
def check_meanings(model: Model, engine: str, levels: Hierarchy) -> None:
    """Raise InputError if a model reaches a primitive without a meaning on events of these levels; `engine` asks."""
    refuse(model, engine, meant(levels) | {ORDERS}, levels=levels)


def check_foreign(graph: EventGraph, model: Model) -> None:
    """Raise InputError if a test has events that a model says it has no meaning for."""
    found: list[Diagnostic] = []
    values: Values = [0] * len(model.terms)
    for each in model.foreign:
        evaluate_terms(model, sorted(model.needed((each.term,))), values, statics(graph).value, len(graph.events))
        events = values[each.term]
        assert isinstance(events, int)
        if events:
            first = graph.events[next(bits(events))]
            where = f" of {graph.threads[first.thread]}" if 0 <= first.thread < len(graph.threads) else ""
            message = f"{model.name} has no meaning for {each.text}, such as {first.label or 'one'}{where}"
            found.append(Diagnostic(each.source, each.span, f"{graph.test}: {message}"))
    if found:
        raise InputError(found)
