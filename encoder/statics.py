"""The primitives of a model's vocabulary that a test fixes before any execution is chosen.

What goes in: an `EventGraph`. What comes out: for each primitive except `rf` and `co` its set or relation over all
events of the test, as if every event executed; pairs of events that never execute together are left out. An execution
restricts them to the events it executes. The vocabulary itself is `axmem.model.primitives`; `SETS` and `RELATIONS` are
its meanings on events, with those of `axmem.encoder.outlines`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any

from axmem.encoder.outlines import OUTER, Given, primitives, relations, shape_of
from axmem.events.graph import Event, EventGraph, EventKind, Guard
from axmem.events.values import UNDEF, ZERO, Expr, Value, evaluate, may_be, reads_of
from axmem.front.source import Diagnostic, InputError
from axmem.litmus.words import (
    AV_PREFIX,
    AddressSpace,
    Hierarchy,
    Level,
    Ordering,
    counterparts,
)
from axmem.model import relation as rel
from axmem.model.evaluation import Values, evaluate_terms
from axmem.model.model import Model
from axmem.model.primitives import CHOSEN
from axmem.model.relation import Relation, bits
from axmem.model.terms import Op, Term
from axmem.model.vocabulary import ORDERS, refuse

MARKS = (
    *("kind", "space", "ordering", "scope", "one_as", "volatile", "nontemporal", "av", "rmw", "cas", "tags"),
    *("within",),
)
"""What of an event says in which sets it is."""
_marks = attrgetter(*MARKS)
EventTest = Callable[[Event], bool]


def _access_with(ordering: Ordering) -> EventTest:
    def test(e: Event) -> bool:
        return e.ordering is ordering and e.kind in (EventKind.READ, EventKind.WRITE, EventKind.FENCE)

    return test


def _kind(*kinds: EventKind) -> EventTest:
    return lambda e: e.kind in kinds


def _space(space: AddressSpace) -> EventTest:
    return lambda e: e.space is space and e.kind is not EventKind.FINAL


_UNSCOPED = (*OUTER, EventKind.BARRIER, EventKind.INITIATE, EventKind.ENTRY, EventKind.WAIT)


def _level(level: Level) -> EventTest:
    return lambda e: e.scope is level and e.kind not in _UNSCOPED


def _none(_event: Event) -> bool:
    return False


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

SETS: dict[str, EventTest] = {
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
    """Return every set of the vocabulary of a hierarchy by its test on an event; dialects also say AMDGPU's levels."""
    theirs = {word: _level(level) for word, (level, scope) in counterparts(levels).items() if scope}
    return SETS | dict.fromkeys(counterparts(levels), _none) | theirs | {level.word: _level(level) for level in levels}


@lru_cache(maxsize=4096)
def _memberships(marks: tuple[Any, ...], levels: Hierarchy) -> tuple[str, ...]:
    """Return the sets in which an event with these marks is."""
    event = Event(0, 0, position=0, instruction=0, access=0, **dict(zip(MARKS, marks, strict=True)))
    return tuple([name for name, test in sets(levels).items() if test(event)])


_LAST: list[Statics] = []
"""What was asked for last."""


def statics(graph: EventGraph) -> Statics:
    """Return what a test fixes; several models, and both engines, ask for the same of one test."""
    for known in _LAST:
        if known.graph is graph:
            return known
    found = Statics(graph)
    _LAST[:] = [found, *_LAST[:3]]
    return found


class Statics:
    """The static sets and relations of one test, computed when first asked for."""

    def __init__(self, graph: EventGraph) -> None:
        self.graph = graph
        self.events = graph.events
        self.size = len(graph.events)
        self.shape = shape_of(graph)
        self._sets: dict[str, int] = {}
        for e in graph.events:
            for name in _memberships(_marks(e), graph.levels):
                self._sets[name] = self._sets.get(name, 0) | 1 << e.index
        self._relations: dict[str, Relation] = {}
        self._follows: dict[tuple[Guard, int, Value], bool | None] = {}

    def value(self, term: Term) -> int | Relation:
        """Return the set or relation of a BASE or TAGGED term other than `rf` and `co`."""
        if term.op is Op.TAGGED:
            prefix, _, suffix = term.name.partition(":")
            return sum(1 << e.index for e in self.events if (prefix, suffix) in e.tags)
        return self.set_of(term.name) if term.is_set else self.relation_of(term.name)

    def set_of(self, name: str) -> int:
        """Return a set of the vocabulary."""
        return self._sets.get(name, 0)

    def relation_of(self, name: str) -> Relation:
        """Return a static relation of the vocabulary."""
        if name not in RELATIONS:
            return self.shape.relation_of(name)
        if name not in self._relations:
            self._relations[name] = self.shape.possible(RELATIONS[name](self))
        return self._relations[name]

    def follows(self, e: Event, read: int, value: Value) -> bool | None:
        """Tell whether an event may execute where a read that guards it returns a value (undef: one that is not known).

        None if the read does not return that: it is the half of a compare-exchange that fails, or that succeeds.
        """
        asked = e.guard, read, value
        if asked not in self._follows:
            self._follows[asked] = _follows(self.graph, *asked)
        return self._follows[asked]

    def given(self, model: Model, present: int, always: int) -> Iterator[Given]:
        """Yield the bounds of the model's primitives, given the events that may and that do execute."""
        yield from self.shape.given(model, present, always)
        for index in primitives(model)[1]:
            value = self.value(model.terms[index])
            if isinstance(value, int):
                yield index, value & present, value & always
            else:
                yield index, self.shape.among(value, present), self.shape.among(value, always)


def _across(s: Statics) -> Relation:
    rows = [0] * s.size
    for e in s.events:
        if e.instance >= 0:
            for r in (reads_of(e.value) if e.value is not None else frozenset()) | e.address_reads | e.guard_reads:
                if s.events[r].thread != e.thread:
                    rows[r] |= 1 << e.index
    return rel.relation(rows)


def _data(s: Statics) -> Relation:
    rows = [0] * s.size
    for e in s.events:
        for r in reads_of(e.value) if e.value is not None else ():
            if s.events[r].thread == e.thread:
                rows[r] |= 1 << e.index
    return rel.relation(rows)


def _guarded(may: bool) -> Callable[[Statics], Relation]:
    """Return the writes and events that a read guards and that may execute (or do not) where it takes the value."""

    def compute(s: Statics) -> Relation:
        rows = [0] * s.size
        for e in s.events:
            for r in e.guard_reads | e.address_reads:
                for w in bits(s.relation_of("loc")[r] & s.set_of("W")):
                    if s.follows(e, r, _value_of(s.events[w])) is may:
                        rows[w] |= 1 << e.index
        return rel.relation(rows)

    return compute


def _value_of(write: Event) -> Value:
    """Return the value of a write if it is written whatever reads return, else undef."""
    return evaluate(write.value or ZERO, lambda r: UNDEF, dict(write.guard).get)


def _follows(graph: EventGraph, guard: Guard, read: int, value: Value) -> bool | None:
    """Return what `Statics.follows` says of events with a guard."""
    there = dict(graph.events[read].guard)
    arms = there | dict(guard)
    found: dict[Expr, Value] = {}

    def known(expr: Expr) -> Value:
        return evaluate(expr, lambda r: value if r == read else UNDEF, arms.get, found)

    def permitted(arms: Mapping[int, int]) -> bool:
        return all(known(q.expr) != 0 for q in graph.requires if arms.items() >= dict(q.guard).items())

    if not permitted(there):
        return None
    for choice, arm in guard:
        expr, wanted = graph.choices[choice].expr, graph.choices[choice].values[arm]
        if expr is None:
            continue
        if wanted is None:
            if known(expr) in graph.choices[choice].values:
                return False
        elif not may_be(expr, wanted, known):
            return False
    return permitted(arms)


RELATIONS: dict[str, Callable[[Statics], Relation]] = {
    "data": _data,
    "admits": _guarded(True),
    "excludes": _guarded(False),
    "xlane": _across,
}
"""The relations of the vocabulary that a test fixes and that depend on orderings, scopes or values."""


@lru_cache(maxsize=256)
def meant(levels: Hierarchy) -> frozenset[str]:
    """Return the primitives that have a meaning on the events of a test of these levels."""
    return frozenset({*sets(levels), *relations(levels), *RELATIONS, *CHOSEN})


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
