"""Who takes part in convergent operations after a change, against before.

What goes in: a `Change`. What comes out: what is wrong: a class of lanes that come to an operation together and could
not before, a lane that comes to other barriers or in another order. Invariant: nothing is said to be right of classes
that what is read decides, unless the same ones are possible before.
"""

from __future__ import annotations

from axmem.events.barrier_events import names_barrier
from axmem.events.instances import Called, Member, Noting
from axmem.events.unroll import unrolled
from axmem.front.records import dataclass
from axmem.refinement.changed import Change
from axmem.refinement.inclusion import SOUND, UNKNOWN, UNSOUND


@dataclass(frozen=True, slots=True)
class Participants:
    """The verdict on convergent operations, and the reasons where it is not sound."""

    verdict: str
    reasons: tuple[str, ...] = ()


def participants(change: Change) -> Participants:
    """Return whether every class of lanes after a change was possible before, and its barriers are the same."""
    before, after = Noting(change.first), Noting(change.second)
    unrolled(change.before, noting=before)
    unrolled(change.after, noting=after)
    came = {(c.operation, c.origin, member) for c in before.called for member in c.members}
    new = [
        c
        for c in after.called
        if not any(_possible(c, had) for had in before.called) and not _speculated(c, came)
    ]
    wrong = [f"{_text(c)} come together after the change, and not before" for c in new if c.certain]
    unsure = [f"{_text(c)} may come together after the change" for c in new if not c.certain]
    rows = [_barriers(side.called) for side in (before, after)]
    for lane in sorted({*rows[0], *rows[1]}):
        first, second = (row.get(lane, []) for row in rows)
        if [key for key, _ in first] != [key for key, _ in second]:
            certain = all(sure for _, sure in (*first, *second))
            text = f"lane {lane} comes to {_barrier_text(second)} after the change, to {_barrier_text(first)} before"
            (wrong if certain else unsure).append(text)
    verdict = UNSOUND if wrong else UNKNOWN if unsure else SOUND
    return Participants(verdict, tuple(dict.fromkeys(wrong or unsure)))


def _possible(called: Called, had: Called) -> bool:
    """Whether lanes that come together could have come so before: all that did, or some of those an anchor divides.

    What an anchor divides after the change may be any part of its lanes, so that it must have divided them before.
    """
    if (called.operation, called.origin) != (had.operation, had.origin) or (called.divided and not had.divided):
        return False
    return called.members <= had.members if had.divided else called.members == had.members


def _speculated(called: Called, came: set[tuple[str, tuple[str, int], Member]]) -> bool:
    """Whether an operation that only gives a value is executed by lanes none of which came to it before."""
    alone = not names_barrier(called.operation)
    return alone and all((called.operation, called.origin, member) not in came for member in called.members)


def _text(called: Called) -> str:
    members = sorted(called.members)
    names = [f"{lane} (iteration {', '.join(map(str, at))})" if at else lane for lane, at in members]
    block, number = called.origin
    where = f"'{called.operation}' of '{block}'" if number >= 0 else f"'{called.operation}' into '{block}'"
    return f"at {where}: {', '.join(names)}"


Key = tuple[str, tuple[str, int], tuple[int, ...]]


def _barriers(called: list[Called]) -> dict[str, list[tuple[Key, bool]]]:
    """Return for each lane the barriers that it comes to, in order, and whether it surely does."""
    found: dict[str, list[tuple[Key, bool]]] = {}
    for c in called:
        if names_barrier(c.operation):
            for lane, at in sorted(c.members):
                found.setdefault(lane, []).append(((c.operation, c.origin, at), c.certain))
    return found


def _barrier_text(row: list[tuple[Key, bool]]) -> str:
    return f"{len(row)} barrier{'s' * (len(row) != 1)}"
