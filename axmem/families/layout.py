"""The events of a program whose instructions are not yet chosen.

What goes in: a bound and the lengths of the threads. What comes out: an initial write per location, for each slot one
event or (where a slot may be a read-modify-write) two, and a final read per location (if outcomes show
final values). Which of them execute depends on
the kinds of the slots.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from axmem.families.bound import Bound
from axmem.families.enumeration import Shape
from axmem.families.operations import Kind

WRITING = frozenset({Kind.WRITE, Kind.UPDATE})
READING = frozenset({Kind.READ, Kind.UPDATE})


class Role(Enum):
    """Where an event comes from."""

    INITIAL = "the initial write of a location"
    SLOT = "an operation, or the read half of a read-modify-write"
    SECOND = "a write, or the write half of a read-modify-write"
    FINAL = "the final read of a location"


@dataclass(frozen=True, slots=True)
class SlotEvent:
    """An event: it executes if its slot is of one of `kinds`; `location` is that of initial and final events."""

    index: int
    role: Role
    thread: int = -1
    slot: int = -1
    kinds: frozenset[Kind] = frozenset()
    location: int = -1


def layout(bound: Bound, shape: Shape) -> tuple[SlotEvent, ...]:
    """Return the events; those of a thread stand in program order."""
    rows: list[tuple[Role, int, int, frozenset[Kind], int]] = []
    locations = range(min(bound.locations, sum(shape)))
    rows += [(Role.INITIAL, -1, -1, frozenset(), x) for x in locations]
    slot = 0
    for thread, length in enumerate(shape):
        for _ in range(length):
            if Kind.UPDATE in bound.kinds:
                rows.append((Role.SLOT, thread, slot, bound.kinds - {Kind.WRITE}, -1))
                rows.append((Role.SECOND, thread, slot, bound.kinds & WRITING, -1))
            else:
                rows.append((Role.SLOT, thread, slot, bound.kinds, -1))
            slot += 1
    rows += [(Role.FINAL, -1, -1, frozenset(), x) for x in locations if bound.finals]
    return tuple(SlotEvent(i, *row) for i, row in enumerate(rows))
