"""Promises of `noalias` parameters, and where they do not hold.

What goes in: the events of a test, and what the addresses of accesses are based on (`Provenance`). What comes out:
undefined behaviour: while a call lasts, no byte that it accesses through such a parameter is accessed otherwise, if one
of the two writes it ([LangRef] "Parameter Attributes": `noalias`; docs/references.md). Each thread and each lane is one
call of its function, which lasts as long as the test: nothing is before it or behind it. So whatever else accesses the
byte does so meanwhile, be it another call by any pointer, or the same call by one that is not based on the parameter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from axmem.events.building import EventBuilder
from axmem.events.graph import Event, EventKind, Guard, Undefined, compatible
from axmem.litmus.walk import Path

_ACCESSES = (EventKind.READ, EventKind.WRITE)
_Pair = tuple[Event, Event]
"""An access through a `noalias` parameter, and one that conflicts with it."""


def broken(builder: EventBuilder) -> Iterator[Undefined]:
    """Yield where accesses conflict with some through a `noalias` parameter.

    Of a statement not where another conflict of it is met in any case.
    """
    found: dict[Path, dict[frozenset[tuple[int, int]], _Pair]] = {}
    first: dict[tuple[frozenset[Path], str], Path] = {}
    """Of two statements through one parameter: with which they are said to conflict with the other."""
    for one, other in _conflicts(builder):
        pair = frozenset((one.path, other.path)), builder.provenance[one.index].argument
        if first.setdefault(pair, one.path) == one.path:
            guard = frozenset((*one.guard, *other.guard))
            found.setdefault(one.path, {}).setdefault(guard, (one, other))
    for pairs in found.values():
        kept: list[frozenset[tuple[int, int]]] = []
        for guard in sorted(pairs, key=len):
            if not any(known <= guard for known in kept):
                kept.append(guard)
                one, other = pairs[guard]
                both: Guard = tuple(dict.fromkeys((*one.guard, *other.guard)))
                yield Undefined(both, None, _reason(builder, one, other), one.span, promise=True)


def _conflicts(builder: EventBuilder) -> Iterator[_Pair]:
    """Yield the pairs that conflict, as far as both may be executed together."""
    accesses: dict[int, list[Event]] = {}
    for event in builder.events if builder.provenance else ():
        if event.kind in _ACCESSES and event.cell >= 0:
            accesses.setdefault(event.cell, []).append(event)
    for everything in accesses.values():
        some = [e for e in everything if (known := builder.provenance.get(e.index)) is not None and known.argument]
        if not some:
            continue
        some, everything = _few(some), _few(everything)
        writes = [event for event in everything if event.kind is EventKind.WRITE]
        written = (event for event in some if event.kind is EventKind.WRITE)
        for one, other in (*product(some, writes), *product(written, everything)):
            if _apart(builder, one, other) and compatible(one.guard, other.guard):
                yield one, other


def _few(events: Iterable[Event]) -> list[Event]:
    """Return events that stand for all: of a statement and a guard two are enough, of two calls if there are two."""
    found: dict[tuple[object, ...], list[Event]] = {}
    for event in events:
        alike = found.setdefault((event.path, event.kind, frozenset(event.guard)), [])
        if not alike or (len(alike) == 1 and _call(alike[0]) != _call(event)):
            alike.append(event)
    return [event for alike in found.values() for event in alike]


def _apart(builder: EventBuilder, one: Event, other: Event) -> bool:
    """Say whether an access is another call's, or by a pointer that is not based on what the first is through."""
    if _call(one) != _call(other):
        return True
    known = builder.provenance.get(other.index)
    return known is not None and builder.provenance[one.index].argument in known.apart


def _call(event: Event) -> int:
    """Return whose access an event is; those of a DMA operation are its thread's, though it is a thread of its own."""
    return event.thread if event.within is None else event.path[0]


def _reason(builder: EventBuilder, one: Event, other: Event) -> str:
    location, offset, _ = builder.cell_keys[one.cell]
    name = builder.test.locations[location].name
    where = f"{name}+{offset}" if offset else name
    argument = builder.provenance[one.index].argument
    ours, theirs = (f"{builder.threads[_call(e)]} {_does(e)}" for e in (one, other))
    return f"{ours} {where} through %{argument}, which is noalias{_line(one)}, and {theirs} it{_line(other)}"


def _does(event: Event) -> str:
    return "updates" if event.rmw else "writes" if event.kind is EventKind.WRITE else "reads"


def _line(event: Event) -> str:
    return f" (line {event.span.line})" if event.span.line else ""
