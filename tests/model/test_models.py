"""Whole models, which together use the whole language, decide small executions as their papers do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from axmem.model import library
from axmem.model.evaluation import evaluate, holds
from axmem.model.model import Model
from axmem.model.terms import Op, Term
from tests.paths import MODELS

Pair = tuple[int, int]


@dataclass(frozen=True)
class Event:
    """Thread (-1: initial), kind, location, ordering, and the workgroup of its thread."""

    thread: int
    kind: str
    location: str = ""
    ordering: str = "NA"
    scope: str = "system"
    workgroup: int = 0
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Execution:
    """Events in program order per thread; `co` is given as chains of writes."""

    events: tuple[Event, ...]
    rf: frozenset[Pair]
    co: frozenset[Pair]
    rmw: frozenset[Pair] = field(default_factory=frozenset)

    def base(self, term: Term) -> int | tuple[int, ...]:
        """Return the value of a primitive."""
        events = list(enumerate(self.events))
        if term.op is Op.TAGGED:
            return sum(1 << i for i, e in events if term.name in e.tags)
        if term.is_set:
            return sum(1 << i for i, e in events if self.belongs(i, e, term.name))
        rows = tuple(sum(1 << j for j, b in events if self.related(i, a, j, b, term.name)) for i, a in events)
        return rows if any(rows) else ()

    def belongs(self, i: int, e: Event, name: str) -> bool:
        if name in ("_", "M"):
            return name == "_" or e.kind in "RW"
        if name == "IW":
            return e.thread < 0
        if name == "RMW":
            return any(i in pair for pair in self.rmw)
        return name in (e.kind, e.ordering, e.scope)

    def related(self, i: int, a: Event, j: int, b: Event, name: str) -> bool:
        match name:
            case "rf" | "co" | "rmw":
                return (i, j) in getattr(self, name)
            case "id":
                return i == j
            case "po":
                return a.thread == b.thread >= 0 and i < j
            case "loc":
                return a.location == b.location != ""
            case "int" | "same-singlethread":
                return a.thread == b.thread
            case "ext":
                return a.thread != b.thread
            case "same-workgroup":
                return a.workgroup == b.workgroup
            case "same-agent" | "same-system":
                return True
            case "tag-compat":
                return not a.tags or not b.tags or bool(a.tags & b.tags)
            case "addr" | "data" | "ctrl":
                return False
        raise AssertionError(name)


def violated(model: Model, execution: Execution) -> set[str]:
    """Return the names of the axioms that fail, and of the flags that are up, with a `!`."""
    values = evaluate(model, execution.base, len(execution.events))
    out = set()
    for axiom in model.axioms:
        passed = holds(axiom.kind, values[axiom.term]) != axiom.negated
        if axiom.flag and passed:
            out.add(axiom.name + "!")
        if not axiom.flag and not passed:
            out.add(axiom.name)
    return out


def undefined(model: Model, execution: Execution) -> set[int]:
    """Return the reads that return undef."""
    values = evaluate(model, execution.base, len(execution.events))
    out = 0
    for rule in model.undefs:
        members = values[rule.term]
        assert isinstance(members, int)
        out |= members
    return {i for i in range(len(execution.events)) if out >> i & 1}


def run(*events: Event, rf: Iterable[Pair], co: Iterable[Pair], rmw: Iterable[Pair] = ()) -> Execution:
    return Execution(events, frozenset(rf), frozenset(co), frozenset(rmw))


X, Y = Event(-1, "W", "x"), Event(-1, "W", "y")


def store_buffering(fences: bool) -> Execution:
    """Both threads write, then read 0 from the other's location."""
    f = [Event(t, "F", ordering="SC") for t in (0, 1)] if fences else []
    events = [X, Y, Event(0, "W", "x"), *f[:1], Event(0, "R", "y"), Event(1, "W", "y"), *f[1:], Event(1, "R", "x")]
    r0, w1, r1 = (4, 5, 7) if fences else (3, 4, 5)
    return run(*events, rf=[(1, r0), (0, r1)], co=[(0, 2), (1, w1)])


def message_passing(
    release: str, acquire: str, stale: bool, scope: str = "system", workgroups: tuple[int, int] = (0, 0)
) -> Execution:
    """A write of x, a write of the flag y, a read of the flag that sees it, a read of x: stale or not."""
    g, h = workgroups
    return run(
        X,
        Y,
        Event(0, "W", "x", "NA", scope, g),
        Event(0, "W", "y", release, scope, g),
        Event(1, "R", "y", acquire, scope, h),
        Event(1, "R", "x", "NA", scope, h),
        rf=[(3, 4), (0 if stale else 2, 5)],
        co=[(0, 2), (1, 3)],
    )


LOAD_BUFFERING = run(
    X,
    Y,
    Event(0, "R", "x", "RLX"),
    Event(0, "W", "y", "RLX"),
    Event(1, "R", "y", "RLX"),
    Event(1, "W", "x", "RLX"),
    rf=[(3, 4), (5, 2)],
    co=[(0, 5), (1, 3)],
)

INCREMENTS = run(
    X,
    Event(0, "R", "x", "RLX"),
    Event(0, "W", "x", "RLX"),
    Event(1, "R", "x", "RLX"),
    Event(1, "W", "x", "RLX"),
    rf=[(0, 1), (0, 3)],
    co=[(0, 2), (2, 4), (0, 4)],
    rmw=[(1, 2), (3, 4)],
)


def model(name: str, **variants: str) -> Model:
    return library.load(str(MODELS / f"{name}.cat"), {k.replace("_", "-"): v for k, v in variants.items()})


@pytest.mark.parametrize(
    ("name", "execution", "expected"),
    [
        ("sc", store_buffering(False), {"order"}),
        ("sc", message_passing("NA", "NA", stale=False), set()),
        ("sc", message_passing("NA", "NA", stale=True), {"order"}),
        ("sc", INCREMENTS, {"atomicity"}),
        ("tso", store_buffering(False), set()),
        ("tso", store_buffering(True), {"global-order"}),
        ("tso", message_passing("NA", "NA", stale=True), {"global-order"}),
        ("tso", LOAD_BUFFERING, {"global-order"}),
        ("release", message_passing("REL", "ACQ", stale=False), set()),
        ("release", message_passing("REL", "ACQ", stale=True), {"coherence"}),
        ("release", message_passing("RLX", "ACQ", stale=True), {"data-race!"}),
        ("release", message_passing("REL", "RLX", stale=True), {"data-race!"}),
        ("release", LOAD_BUFFERING, {"no-thin-air"}),
        ("release", INCREMENTS, {"atomicity"}),
    ],
)
def test_verdict(name: str, execution: Execution, expected: set[str]) -> None:
    assert violated(model(name), execution) == expected


def test_variant_decides() -> None:
    assert violated(model("release", thin_air="dependency"), LOAD_BUFFERING) == set()


def release_sequence(same_thread: bool) -> Execution:
    """The flag that is read was written by a later store of the releasing thread, or by another thread."""
    return run(
        X,
        Y,
        Event(0, "W", "x"),
        Event(0, "W", "y", "REL"),
        Event(0 if same_thread else 2, "W", "y", "RLX"),
        Event(1, "R", "y", "ACQ"),
        Event(1, "R", "x"),
        rf=[(4, 5), (0, 6)],
        co=[(0, 2), (1, 3), (3, 4), (1, 4)],
    )


def test_release_sequence_of_the_same_thread() -> None:
    """C++11 continued a release sequence by plain stores of its thread, C++20 does not."""
    assert violated(model("release"), release_sequence(True)) == {"data-race!"}
    assert violated(model("release", rs="cpp11"), release_sequence(True)) == {"coherence"}
    assert violated(model("release", rs="cpp11"), release_sequence(False)) == {"data-race!"}


def test_release_sequence_through_a_read_modify_write() -> None:
    execution = run(
        X,
        Y,
        Event(0, "W", "x"),
        Event(0, "W", "y", "REL"),
        Event(2, "R", "y", "RLX"),
        Event(2, "W", "y", "RLX"),
        Event(1, "R", "y", "ACQ"),
        Event(1, "R", "x"),
        rf=[(3, 4), (5, 6), (0, 7)],
        co=[(0, 2), (1, 3), (3, 5), (1, 5)],
        rmw=[(4, 5)],
    )
    assert violated(model("release"), execution) == {"coherence"}


def test_fences_synchronize() -> None:
    events = (X, Y, Event(0, "W", "x"), Event(0, "F", ordering="REL"), Event(0, "W", "y", "RLX"))
    reader = (Event(1, "R", "y", "RLX"), Event(1, "F", ordering="ACQ"), Event(1, "R", "x"))
    execution = run(*events, *reader, rf=[(4, 5), (0, 7)], co=[(0, 2), (1, 4)])
    assert violated(model("release"), execution) == {"coherence"}


def test_undef_marks_racy_reads_alone() -> None:
    assert undefined(model("release"), message_passing("RLX", "ACQ", stale=False)) == {5}
    assert undefined(model("release"), message_passing("REL", "ACQ", stale=False)) == set()


@pytest.mark.parametrize(
    ("scope", "workgroups", "variants", "silent"),
    [
        ("workgroup", (0, 0), {}, False),
        ("workgroup", (0, 1), {}, True),
        ("agent", (0, 1), {}, False),
        ("workgroup", (0, 1), {"scopes": "ignored"}, False),
    ],
)
def test_scopes(scope: str, workgroups: tuple[int, int], variants: dict[str, str], silent: bool) -> None:
    execution = message_passing("REL", "ACQ", False, scope, workgroups)
    assert ("silent!" in violated(model("scoped", **variants), execution)) is silent


def test_conditional_statement() -> None:
    """The flag `checked` replaces a report by an axiom."""
    execution = message_passing("REL", "ACQ", False, "workgroup", (0, 1))
    assert "synchronizes" in violated(model("scoped", checked="on"), execution)
    assert "synchronizes" not in violated(model("scoped"), execution)


def test_default_of_the_including_file() -> None:
    assert model("scoped").choice["scopes"] == "strict"
    assert model("scopes").choice["scopes"] == "loose"
    assert model("scoped", scopes="loose").choice["scopes"] == "loose"
