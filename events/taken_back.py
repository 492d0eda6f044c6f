"""Updates that an iteration takes back: a reader that counts itself and sees a writer, a bit that is set and cleared.

What goes in: iterations that change nothing but that, and all events of a test. What comes out: who might notice.

Let an iteration do two updates of one cell, of which the second makes of the first's value what was there. Without them
everybody who reads in between reads what the second makes of the value that was read. If nobody goes another way by
that, computes anything else, or writes back anything else but the same of what was written, the rest of the execution
stays as it is, and so does the order in which others write this cell. As with other iterations that change nothing
(`axmem.events.stutters`) less is ordered then. Invariant: what may be noticed is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from axmem.events.graph import Event, EventKind, Guard, Noticed, TakenBack
from axmem.events.values import Apply, Constant, Expr, Pick, ReadOf, apply, equal, fold, operands, reads_of
from axmem.front.records import dataclass
from axmem.litmus.words import Ordering

Made = tuple[Event, Event]
"""The read and the write of an update."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """An iteration where `guard` holds: whether it has changed something but for the updates that it takes back.

    `updates` are those that write what was there, or take that back.
    """

    guard: Guard
    expr: Expr
    pairs: tuple[tuple[Made, Made], ...]
    updates: tuple[Event, ...]


def silent(update: Made) -> Expr:
    """Return whether an update writes what it read."""
    read = ReadOf(update[0].index)
    return equal(read, after(update, read))


def undone(one: Made, other: Made) -> Expr:
    """Return whether the later of two updates makes of what the earlier writes what the earlier read."""
    read = ReadOf(one[0].index)
    return equal(read, after(other, after(one, read)))


def after(update: Made, value: Expr) -> Expr:
    """Return what an update writes where it reads a value."""
    read, write = update
    assert write.value is not None
    return _with(write.value, read.index, value)


def taken_back(
    iterations: Sequence[Iteration], events: Sequence[Event], used: Sequence[tuple[Guard, Expr]]
) -> Iterator[TakenBack]:
    """Yield the iterations that take updates back, with everything that might notice it.

    `used` are all expressions that decide something but what is written, and where they do.
    """
    for each in iterations:
        noticed = tuple(some for pair in each.pairs for some in _noticed(events, used, pair))
        yield TakenBack(each.guard, each.expr, noticed, tuple(_otherwise(events, each.updates)))


def _otherwise(events: Sequence[Event], updates: Sequence[Event]) -> Iterator[int]:
    """Yield the accesses to what is updated that are no atomics, or of another scope."""
    scopes = {each.cell: (each.scope, each.one_as) for each in updates}
    for event in (e for e in events if e.cell in scopes and e.kind in (EventKind.READ, EventKind.WRITE)):
        if event.ordering is Ordering.NOT_ATOMIC or (event.scope, event.one_as) != scopes[event.cell]:
            yield event.index


def _noticed(events: Sequence[Event], used: Sequence[tuple[Guard, Expr]], pair: tuple[Made, Made]) -> Iterator[Noticed]:
    """Yield what others may notice of two updates of one lane, unless each of them writes what it read."""
    (read, first), last = pair
    others = [e for e in events if e.cell == read.cell and e.thread != read.thread]
    reading = {e.index: e for e in others if e.kind in (EventKind.READ, EventKind.FINAL)}
    changes = apply("xor", 1, apply("and", 1, *map(silent, pair)), Constant(1))
    elsewhere = ((e.guard, e.value) for e in events if e.value is not None and e.cell != read.cell)
    found: list[tuple[int, Guard, Expr]] = []
    for guard, expr in (*used, *elsewhere):
        seen = reads_of(expr) & reading.keys()
        found += [(e, guard, _differ(expr, expr, e, last) if len(seen) == 1 else Constant(1)) for e in seen]
    for write, value in ((e, e.value) for e in others if e.value is not None and e.kind is EventKind.WRITE):
        # What others write here has to be what the last update makes of it.
        seen = reads_of(value) & reading.keys()
        own = {e for e in seen if reading[e].instruction == write.instruction}
        event = min(own, default=write.index)
        differ = _differ(value, after(last, value), event, last) if own == seen else Constant(1)
        found.append((event, write.guard, differ))
    for event, guard, differ in found:
        expr = apply("and", 1, changes, differ)
        if expr != Constant(0):
            yield Noticed(first.index, last[1].index, event, guard, expr)


def _differ(expr: Expr, wanted: Expr, read: int, last: Made) -> Expr:
    """Return whether an expression is not what is wanted where a read returns what the last update makes of it."""
    return apply("xor", 1, equal(_with(expr, read, after(last, ReadOf(read))), wanted), Constant(1))


def _with(expr: Expr, read: int, value: Expr) -> Expr:
    """Return an expression with a value in the place of what a read returns."""
    known: dict[Expr, Expr] = {}

    def part(each: Expr) -> Expr:
        match each:
            case ReadOf(event):
                return value if event == read else each
            case Apply(operation, bits, arguments, parameters):
                return apply(operation, bits, *(known[a] for a in arguments), parameters=parameters)
            case Pick(choice, arms):
                return Pick(choice, tuple(known[a] for a in arms))
        return each

    return fold(expr, part, known, operands)
