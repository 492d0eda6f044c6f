"""The rows of a test before and after a change, side by side.

What goes in: `Rows` of both. What comes out: `PairedRows`: for each thread slots, each an operation before, after, or
both, and what every register that is compared holds after the change. Loads are matched by the instances of registers
that they return into, everything else by what it is, in order. A matching that is worse than another is no error: what
cannot be proved with it is judged as the tests that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from axmem.encoder.values import Constant, ReadOf, Value
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.words import OperationKind, Ordering
from axmem.refinement.rows import Instance, Place, Rows, Step, Winding


@dataclass(frozen=True, slots=True)
class Slot:
    """An operation before and after; None where it is not."""

    before: Step | None
    after: Step | None

    def side(self, after: bool) -> Step | None:
        """Return the operation of a side."""
        return self.after if after else self.before


@dataclass(frozen=True, slots=True)
class Column:
    """A register of the row before, by the slot that loads it, and what it holds after: a slot's load, or a value."""

    instance: Instance
    slot: int
    source: int | Value
    constant: bool = False


@dataclass(frozen=True, slots=True)
class PairedThread:
    """A thread: its slots, the order of those that are there before and after, and its registers."""

    name: str
    placement: ast.Placement
    slots: tuple[Slot, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    columns: tuple[Column, ...]

    @property
    def unchanged(self) -> bool:
        """Whether the thread does the same after as before."""
        same = all(s.before and s.after and _alike(s.before, s.after) for s in self.slots)
        return same and self.before == self.after and all(c.slot == c.source and not c.constant for c in self.columns)


@dataclass(frozen=True, slots=True)
class PairedRows:
    """The threads, and the scalars that they access."""

    threads: tuple[PairedThread, ...]
    places: tuple[Place, ...]

    @property
    def unchanged(self) -> bool:
        """Whether nothing has changed."""
        return all(thread.unchanged for thread in self.threads)

    @property
    def stores_move(self) -> bool:
        """Whether a write is there before and not after, or the other way round."""
        return any(
            (s.before or s.after).operation.writes  # type: ignore[union-attr]
            for thread in self.threads
            for s in thread.slots
            if s.before is None or s.after is None
        )


def paired(before: Rows, after: Rows) -> PairedRows:
    """Return the rows side by side; raise Winding if what a register holds after is no load and no constant."""
    if (before.threads, before.placements) != (after.threads, after.placements):
        raise Winding("there are other threads after than before, or at other places")
    places = tuple(dict.fromkeys((*before.places, *after.places)))
    first, second = (_renumbered(side, places) for side in (before, after))
    return PairedRows(
        tuple(_thread(name, before.placements[k], first[k], second[k], after) for k, name in enumerate(before.threads)),
        places,
    )


def _renumbered(side: Rows, places: Sequence[Place]) -> list[list[Step]]:
    """Return the steps of each thread, with the places numbered as in both sides together."""
    number = [places.index(place) for place in side.places]

    def moved(step: Step) -> Step:
        if step.operation.location < 0:
            return step
        return replace(step, operation=replace(step.operation, location=number[step.operation.location]))

    return [[moved(step) for step in steps] for steps in side.steps]


def _thread(
    name: str, placement: ast.Placement, first: Sequence[Step], second: Sequence[Step], after: Rows
) -> PairedThread:
    partner = _matched(first, second)
    if any(first[i].value != second[j].value for i, j in partner.items()):
        # Writes of families have values of their own, the same before and after.
        raise Winding("another value is stored after the change")
    slots = [Slot(step, second[partner[i]] if i in partner else None) for i, step in enumerate(first)]
    slot_of = {j: i for i, j in partner.items()}
    for j, step in enumerate(second):
        if j not in slot_of:
            slot_of[j] = len(slots)
            slots.append(Slot(None, step))
    columns = tuple(_columns(first, second, slot_of, after))
    order = tuple(slot_of[j] for j in range(len(second)))
    return PairedThread(name, placement, tuple(slots), tuple(range(len(first))), order, columns)


def _columns(first: Sequence[Step], second: Sequence[Step], slot_of: Mapping[int, int], after: Rows) -> list[Column]:
    """Return what becomes of the register of every load before; of what is found nowhere nothing is said."""
    by_read = {step.read: j for j, step in enumerate(second) if step.read >= 0}
    found = []
    for i, step in enumerate(first):
        if step.instance is None:
            continue
        standing = [key for key in after.values if key.stands_for(step.instance)]
        if not standing:
            continue
        value = after.values[max(standing, key=lambda key: len(key.iterations))]
        if isinstance(value, ReadOf) and value.event in by_read:
            found.append(Column(step.instance, i, slot_of[by_read[value.event]]))
        elif isinstance(value, Constant):
            found.append(Column(step.instance, i, value.value, constant=True))
        else:
            raise Winding(f"what stands for {step.instance.name} after the change is computed from what is read")
    return found


# ---------------------------------------------------------------- which is which


def _matched(first: Sequence[Step], second: Sequence[Step]) -> dict[int, int]:
    """Return for operations before the same ones after."""
    found: dict[int, int] = {}
    rules: tuple[Callable[[Step, Step], bool], ...] = (
        lambda a, b: bool(a.instance and b.instance and b.instance == a.instance) and _same_kind(a, b),
        lambda a, b: bool(a.instance and b.instance and b.instance.stands_for(a.instance)) and _same_kind(a, b),
        lambda a, b: a.instance is None and b.instance is None and _alike(a, b),
        lambda a, b: a.instance is None and b.instance is None and _same_kind(a, b) and a.value == b.value,
        lambda a, b: a.instance is None and b.instance is None and _same_kind(a, b),
    )
    for rule in rules:
        for i, a in enumerate(first):
            if i in found:
                continue
            j = next((j for j, b in enumerate(second) if j not in found.values() and rule(a, b)), None)
            if j is not None:
                found[i] = j
    return found


def _same_kind(a: Step, b: Step) -> bool:
    return (a.operation.kind, a.operation.location) == (b.operation.kind, b.operation.location)


def _alike(a: Step, b: Step) -> bool:
    return (a.operation, a.value, a.phase) == (b.operation, b.value, b.phase)


def is_plain(step: Step) -> bool:
    """Whether an operation is a plain access that no target has a say in."""
    operation = step.operation
    plain = operation.ordering is Ordering.NOT_ATOMIC and not operation.av and not operation.volatile
    return plain and operation.kind in (OperationKind.LOAD, OperationKind.STORE)
