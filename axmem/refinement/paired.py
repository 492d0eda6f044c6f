"""The rows of a test before and after a change, side by side.

What goes in: `Rows` of both. What comes out: `PairedRows`: for each thread slots, each an operation before, after, or
both, and what every load before becomes after the change. Loads are matched by the instances of registers that they
return into, everything else by what it is, in order. A matching that is worse than another is no error: what cannot be
proved with it is judged as the tests that it is. Invariant: if every load before takes what stands for it after, every
register that both sides have holds the same, and every store that both have stores the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from axmem.encoder.values import Apply, Constant, Expr, Pick, ReadOf, apply, fold
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
    source: int | Expr

    @property
    def forwarded(self) -> bool:
        """Whether no load stands for the one before, but a value."""
        return not isinstance(self.source, int)


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
        return same and self.before == self.after and all(c.slot == c.source for c in self.columns)


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
    def constant(self) -> bool:
        """Whether everything that is stored is a constant."""
        return all(step.value is None or isinstance(step.value, Constant) for step in self.steps)

    @property
    def steps(self) -> list[Step]:
        """The operations of all threads, before and after."""
        sides = (side for t in self.threads for slot in t.slots for side in (slot.before, slot.after))
        return [step for step in sides if step is not None]


def paired(before: Rows, after: Rows) -> PairedRows:
    """Return the rows side by side; raise Winding if what is compared is not the same whatever is read."""
    if (before.threads, before.placements) != (after.threads, after.placements):
        raise Winding("there are other threads after than before, or at other places")
    places = tuple(dict.fromkeys((*before.places, *after.places)))
    if any(a != b and a.location == b.location and a.overlaps(b) for a in places for b in places):
        raise Winding("after the change accesses are of other parts of a location than before")
    first, second = (_renumbered(side, places) for side in (before, after))
    threads = tuple(
        _thread(name, before.placements[k], first[k], second[k], before, after) for k, name in enumerate(before.threads)
    )
    _same_values(threads, before, after)
    return PairedRows(threads, places)


def _same_values(threads: Sequence[PairedThread], before: Rows, after: Rows) -> None:
    """Raise Winding unless registers that both sides have hold the same, and stores that both have store the same."""
    standing: dict[int, Expr] = {}
    for thread in threads:
        known = {c.slot: c.source for c in thread.columns}
        for k, slot in enumerate(thread.slots):
            if slot.before is None or slot.before.read < 0:
                continue
            source = known.get(k, k)
            if not isinstance(source, int):
                standing[slot.before.read] = source
            elif (loaded := thread.slots[source].after) is not None and loaded.read >= 0:
                standing[slot.before.read] = ReadOf(loaded.read)
    memory: dict[Expr, Expr | None] = {}
    for instance, lanes in before.shown.items():
        other = standing_for(instance, after)
        if other is not None and [_put(lane, standing, memory) for lane in lanes] != list(other):
            raise Winding(f"what {instance.name} holds is another load or computation after the change")
    for slot in (slot for thread in threads for slot in thread.slots):
        stored = slot.before.value if slot.before is not None and slot.after is not None else None
        if stored is not None and slot.after is not None and _put(stored, standing, memory) != slot.after.value:
            raise Winding("another value is stored after the change")


def standing_for(instance: Instance, after: Rows) -> tuple[Expr, ...] | None:
    """Return what the register that stands for an instance holds after a change, or None if there is none."""
    standing = [key for key in after.values if key.stands_for(instance)]
    return after.values[max(standing, key=lambda key: len(key.iterations))] if standing else None


def _put(expr: Expr, standing: Mapping[int, Expr], memory: dict[Expr, Expr | None]) -> Expr | None:
    """Return an expression over reads before as one over what stands for them after; None where nothing does."""

    def made(part: Expr) -> Expr | None:
        if isinstance(part, ReadOf):
            return standing.get(part.event)
        if isinstance(part, Constant):
            return part
        found = [memory[operand] for operand in (part.arguments if isinstance(part, Apply) else part.arms)]
        known = tuple(each for each in found if each is not None)
        if len(known) < len(found):
            return None
        if isinstance(part, Pick):
            return Pick(part.choice, known)
        return apply(part.operation, part.bits, *known, parameters=part.parameters)

    return fold(expr, made, memory)


def _renumbered(side: Rows, places: Sequence[Place]) -> list[list[Step]]:
    """Return the steps of each thread, with the places numbered as in both sides together."""
    number = [places.index(place) for place in side.places]

    def moved(step: Step) -> Step:
        if step.operation.location < 0:
            return step
        return replace(step, operation=replace(step.operation, location=number[step.operation.location]))

    return [[moved(step) for step in steps] for steps in side.steps]


def _thread(
    name: str, placement: ast.Placement, first: Sequence[Step], second: Sequence[Step], before: Rows, after: Rows
) -> PairedThread:
    partner = _matched(first, second)
    slots = [Slot(step, second[partner[i]] if i in partner else None) for i, step in enumerate(first)]
    slot_of = {j: i for i, j in partner.items()}
    for j, step in enumerate(second):
        if j not in slot_of:
            slot_of[j] = len(slots)
            slots.append(Slot(None, step))
    columns = tuple(_columns(first, second, slot_of, before, after))
    order = tuple(slot_of[j] for j in range(len(second)))
    return PairedThread(name, placement, tuple(slots), tuple(range(len(first))), order, columns)


def _columns(
    first: Sequence[Step], second: Sequence[Step], slot_of: Mapping[int, int], before: Rows, after: Rows
) -> list[Column]:
    """Return what becomes of every load before, by the first register that holds it and that the row after has."""
    by_read = {step.read: j for j, step in enumerate(second) if step.read >= 0}
    found = []
    for i, step in enumerate(first):
        if step.read < 0:
            continue
        holding = (instance for instance, lanes in before.shown.items() if lanes == (ReadOf(step.read),))
        for instance in holding:
            other = standing_for(instance, after)
            if other is None or len(other) != 1:
                continue
            value = other[0]
            j = by_read.get(value.event) if isinstance(value, ReadOf) else None
            # A load of another location does not stand for it, though what was stored is what that one has read.
            known = j is not None and second[j].operation.location == step.operation.location
            found.append(Column(instance, i, slot_of[j] if known and j is not None else value))
            break
    return found


# ---------------------------------------------------------------- which is which


def _matched(first: Sequence[Step], second: Sequence[Step]) -> dict[int, int]:
    """Return for operations before the same ones after."""
    found: dict[int, int] = {}
    rules: tuple[Callable[[Step, Step], bool], ...] = (
        lambda a, b: bool(a.instance and b.instance and b.instance == a.instance) and _same_kind(a, b),
        lambda a, b: bool(a.instance and b.instance and b.instance.stands_for(a.instance)) and _same_kind(a, b),
        lambda a, b: a.instance is None and b.instance is None and _alike(a, b),
        lambda a, b: a.instance is None and b.instance is None and _same_kind(a, b) and _constant(a) == _constant(b),
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
    return (a.operation, _constant(a), a.phase) == (b.operation, _constant(b), b.phase)


def _constant(step: Step) -> Constant | None:
    """Return what a step stores if it is known: what depends on reads is compared when it is known which are which."""
    return step.value if isinstance(step.value, Constant) else None


def is_plain(step: Step) -> bool:
    """Whether an operation is a plain access that no target has a say in."""
    operation = step.operation
    plain = operation.ordering is Ordering.NOT_ATOMIC and not operation.av and not operation.volatile
    return plain and operation.kind in (OperationKind.LOAD, OperationKind.STORE)
