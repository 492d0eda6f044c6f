"""Whether one set of outcomes lies within another, undef standing above every value.

What goes in: the outcomes of what was changed and of what it was before, each with what cut it. What comes out: an
`Inclusion`: sound, unsound with the outcomes that are new, or unknown. Invariant: `sound` is said only if every outcome
that the second can have is matched by one that the first was found to have, `unsound` only if an outcome that was found
is matched by none that the first can have.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.check.compare import unmatched
from axmem.check.results import Result
from axmem.encoder.solve import Row
from axmem.events.values import ABSENT
from axmem.front.exits import NO_COUNTEREXAMPLE
from axmem.front.records import dataclass
from axmem.litmus.undef import UNDEF, Partial, covers

SOUND, UNSOUND, UNKNOWN = "sound", "unsound", "unknown"
BOUNDED = NO_COUNTEREXAMPLE
VERDICTS = (SOUND, UNSOUND, BOUNDED, UNKNOWN)
HELD = frozenset((SOUND, BOUNDED))
"""The verdicts of which nothing refutes that every outcome is matched."""


@dataclass(frozen=True, slots=True)
class Inclusion:
    """The verdict. `new` are the outcomes that nothing before matches, in the order in which the second has them.

    `undefined` are reasons of undefined behaviour that the second has and the first has not, `reasons` say why the
    verdict is unknown, or why it is sound whatever the outcomes (undefined behaviour before). `vaguer`: each new one is
    one that there was, but that some values are undef of which single bits were.
    """

    verdict: str
    new: tuple[Row, ...] = ()
    undefined: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    vaguer: bool = False


def inclusion(before: Result, after: Result, columns: Sequence[tuple[int, int]] | None = None) -> Inclusion:
    """Return whether the outcomes after a change are among those before it.

    `columns` pairs the columns to compare, those of the first with those of the second; None pairs all in order.
    """
    if before.undefined:
        return Inclusion(SOUND, reasons=tuple(f"undefined behaviour before: {r}" for r in before.undefined))
    if after.undefined:
        if before.complete:
            return Inclusion(UNSOUND, undefined=after.undefined)
        return Inclusion(UNKNOWN, reasons=_cut("before", before))
    pairs = columns if columns is not None else [(k, k) for k in range(len(after.columns))]
    had = {tuple(row[b] for b, _ in pairs) for row in before.outcomes}
    has = dict.fromkeys(tuple(row[a] for _, a in pairs) for row in after.outcomes)
    new = tuple(row for row in unmatched(has, had) if not any(_stands_for(other, row) for other in had))
    if new and before.complete:
        return Inclusion(UNSOUND, new, vaguer=all(any(_vaguer(row, other) for other in had) for row in new))
    if not new and after.complete:
        return Inclusion(SOUND)
    cut = (*(_cut("before", before) if new else ()), *_cut("after", after))
    return Inclusion(UNKNOWN, reasons=tuple(dict.fromkeys(cut)))


def _stands_for(other: Row, row: Row) -> bool:
    """Whether an outcome before matches one after in which registers were not assigned, which match everything."""
    pairs = [(a, b) for one, two in zip(other, row, strict=True) for a, b in zip(one, two, strict=True)]
    return any(b == ABSENT for _, b in pairs) and all(b == ABSENT or covers(a, b) for a, b in pairs)


def _vaguer(row: Row, other: Row) -> bool:
    """Whether an outcome is another one, but that some values are undef of which single bits are in that one."""
    pairs = [(a, b) for one, two in zip(row, other, strict=True) for a, b in zip(one, two, strict=True)]
    return all(covers(b, a) or (a is UNDEF and isinstance(b, Partial)) for a, b in pairs)


def _cut(which: str, result: Result) -> tuple[str, ...]:
    return tuple(f"{which}: {reason}" for reason in result.incomplete)
