"""Programs and bounds as plain data, for files.

What goes in: a `BoundedProgram` or a `Bound`. What comes out: lists and dictionaries that JSON takes, and from them
the same program again. Invariant: `program_of(program_record(p)) == p`; anything else raises ValueError, KeyError or
TypeError.
"""

from __future__ import annotations

from typing import Any

from axmem.litmus.words import SCOPE_OF, OperationKind, Ordering
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.operations import BoundedOperation, BoundedProgram


def program_record(program: BoundedProgram) -> dict[str, Any]:
    """Return a program as data."""
    return {
        "threads": [[_operation_record(op) for op in body] for body in program.threads],
        "places": [list(place) for place in program.places],
    }


def _operation_record(op: BoundedOperation) -> dict[str, Any]:
    return {
        "kind": op.kind.value,
        "location": op.location,
        "ordering": op.ordering.value,
        "scope": op.scope.word,
        "av": op.av,
        "volatile": op.volatile,
        "tags": [list(tag) for tag in sorted(op.tags)],
    }


def program_of(record: Any) -> BoundedProgram:
    """Return the program of a record."""
    threads = tuple(tuple(_operation(op) for op in body) for body in record["threads"])
    places = tuple((int(a), int(c), int(g), int(w)) for a, c, g, w in record["places"])
    if len(places) != len(threads):
        raise ValueError("a place for each thread")
    return BoundedProgram(threads, places)


def _operation(record: Any) -> BoundedOperation:
    return BoundedOperation(
        kind=OperationKind(record["kind"]),
        location=int(record["location"]),
        ordering=Ordering(record["ordering"]),
        scope=SCOPE_OF[record["scope"]],
        av=bool(record["av"]),
        volatile=bool(record["volatile"]),
        tags=frozenset((str(prefix), str(suffix)) for prefix, suffix in record["tags"]),
    )


SHOWN = {OperationKind.LOAD: "read", OperationKind.STORE: "write"}
"""The kinds that records name otherwise than the language."""


def bound_record(bound: Bound) -> dict[str, Any]:
    """Return a bound as data, its parts in a fixed order."""
    return {
        "events": bound.events,
        "threads": bound.threads,
        "locations": bound.locations,
        "kinds": [SHOWN.get(k, k.value) for k in bound.kinds],
        "orderings": [o.value for o in bound.orderings],
        "scopes": [s.word for s in bound.scopes],
        "tags": [f"{prefix}:{suffix}" for prefix, suffix in bound.tags],
        "none": bound.none,
        "av": bound.av,
        "volatile": bound.volatile,
        "placements": [level.word for level in bound.levels],
        "finals": bound.finals,
    }
