"""Which operations of two rows are the same.

What goes in: the rows of a user's rule. What comes out: a `Pattern`, whose slots pair them: loads and
read-modify-writes by their registers, stores by their values, open operations by their names, fences and make
operations in order.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.front.records import dataclass
from axmem.front.source import Span
from axmem.litmus.cursor import Cursor
from axmem.litmus.syntax import Ordering
from axmem.refinement.patterns import GAP, Pattern, SlotPattern


@dataclass(frozen=True, slots=True)
class Copy:
    """`$r = $s`: a register that has the value of another, or of a store."""

    register: str
    source: str
    span: Span


@dataclass(frozen=True, slots=True)
class Gap:
    """`...`: operations of the context."""

    span: Span


Row = Sequence[SlotPattern | Copy | Gap]


def aligned(cursor: Cursor, name: str, before: Row, after: Row) -> Pattern:
    """Return the pattern of two rows; what is wrong with them is recorded at the cursor."""
    rows = [[s for s in row if isinstance(s, SlotPattern)] for row in (before, after)]
    gaps = [[s for s in row if isinstance(s, Gap)] for row in (before, after)]
    if len(gaps[0]) != len(gaps[1]):
        place = (gaps[0] or gaps[1])[-1].span
        cursor.error(place, "the rows have not as many '...'", "what stands there stays, in the same order")
    copies = [c for c in after if isinstance(c, Copy)]
    for c in before:
        if isinstance(c, Copy):
            cursor.error(c.span, "registers are not copied in the row before", "say it in the row after")
    keys = [_keys(cursor, row) for row in rows]
    slots: list[tuple[SlotPattern | None, SlotPattern | None]] = []
    places: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for key, step in keys[0].items():
        places[0][key] = len(slots)
        other = keys[1].get(key)
        if other is not None:
            places[1][key] = len(slots)
        slots.append((step, other))
    for key, step in keys[1].items():
        if key not in keys[0]:
            places[1][key] = len(slots)
            slots.append((None, step))
    if not rows[0]:
        cursor.error(Span(1, 1), "the row before has no operation", "a rule changes what is there")
    standing = _copies(cursor, copies, keys[0], keys[1], places)
    _accounted(cursor, slots, dict(standing))
    return Pattern(
        name,
        "",
        tuple(slots),
        _with_gaps(before, [places[0][k] for k in keys[0]]),
        after=_with_gaps(after, [places[1][k] for k in keys[1]]),
        copies=tuple(standing),
    )


def _with_gaps(row: Row, slots: Sequence[int]) -> tuple[int, ...]:
    """Return the slots of a row's steps, with the gaps where they stand."""
    rest = iter(slots)
    return tuple(GAP if isinstance(s, Gap) else next(rest, GAP) for s in row if not isinstance(s, Copy))


def _keys(cursor: Cursor, row: Sequence[SlotPattern]) -> dict[str, SlotPattern]:
    """Return the steps of a row by what they are recognised by."""
    found: dict[str, SlotPattern] = {}
    counts: dict[str, int] = {}
    for step in row:
        number = counts[step.kind] = counts.get(step.kind, 0) + 1
        key = step.name or f"{step.kind} {number}"
        if key in found:
            what = {"store": "value", "any": "operation"}.get(step.kind, "register")
            cursor.error(step.span, f"'{key}' is used twice in a row", f"give each operation a {what} of its own")
        found[key] = step
    return found


def _copies(
    cursor: Cursor,
    copies: Sequence[Copy],
    before: dict[str, SlotPattern],
    after: dict[str, SlotPattern],
    places: tuple[dict[str, int], dict[str, int]],
) -> list[tuple[int, int]]:
    """Return for the slots of loads that go the slots that stand for them."""
    found = []
    for c in copies:
        gone = before.get(c.register)
        stays = after.get(c.source)
        if gone is None or gone.kind != "load" or c.register in after:
            cursor.error(c.span, f"'{c.register}' is no load of the row before that goes")
        elif stays is None or stays.kind not in ("load", "store", "rmw") or c.source not in before:
            cursor.error(c.span, f"'{c.source}' is no register and no stored value of both rows")
        elif stays.kind == "rmw" or stays.location != gone.location:
            cursor.error(c.span, f"'{c.source}' is not of the location that '{c.register}' was loaded from")
        else:
            found.append((places[0][c.register], places[1][c.source]))
    return found


def _accounted(
    cursor: Cursor, slots: Sequence[tuple[SlotPattern | None, SlotPattern | None]], copies: dict[int, int]
) -> None:
    """Refuse what has no meaning: other kinds under one name, an operation that goes unaccounted for."""
    for k, (before, after) in enumerate(slots):
        if before is not None and after is not None:
            if before.kind != after.kind:
                cursor.error(
                    after.span, f"'{after.name}' was a {before.kind} before", "another operation has another name"
                )
            elif before.location != after.location:
                cursor.error(after.span, f"this {before.kind} was of '{before.location}' before")
            continue
        step = before or after
        assert step is not None
        plain = step.ordering is Ordering.NOT_ATOMIC and not step.av and not step.volatile
        if before is not None and step.kind == "load" and k not in copies and not plain:
            cursor.error(
                step.span,
                f"what is '{step.name}' after? Only a plain load may go without a word",
                f"add '{step.name} = $other' to the row after",
            )
        if step.kind == "any" or (before is not None and step.kind == "rmw"):
            cursor.error(step.span, "an open operation or a read-modify-write cannot go or come", "only move or change")
