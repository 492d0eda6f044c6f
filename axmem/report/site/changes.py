"""Two runs of a suite compared: which tests are new or gone, which verdicts and outcomes are others.

What goes in: the records of an older site and of this one. What comes out: documents by their addresses, and the keys
of tests that differ. A test that was not answered, now or then, is compared in nothing, and said to be so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from axmem.front.output import counted
from axmem.front.records import dataclass
from axmem.report.site.paging import paged
from axmem.report.tree import Block, CellContent, Code, Document, Line, Link, Paragraph, Section, Stack, Strong, table

ROWS = 500
"""How many rows a table has; what follows stands on further pages."""
OUTCOMES = 8
"""How many outcomes a cell lists; of more it says how many there are."""

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """What is other of a test under a model or on a target: the verdicts, and the outcomes that came and went."""

    key: str
    under: str
    before: str
    after: str
    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """An older run against this one; `unread` are tests that either run has no answers of."""

    changed: tuple[VerdictChange, ...]
    added: tuple[str, ...]
    gone: tuple[str, ...]
    unread: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The tests of this run that differ from the older one."""
        return tuple(dict.fromkeys((*(change.key for change in self.changed), *self.added)))


def changes(old: Mapping[str, Record], new: Mapping[str, Record], *, whole: bool = True) -> Changes:
    """Compare two runs. A test that only the older one has is gone if this one is `whole`."""
    found: list[VerdictChange] = []
    unread = []
    for key in (key for key in new if key in old):
        before, after = old[key], new[key]
        if not (before["models"] and after["models"]):
            if before["models"] or after["models"] or before["status"] != after["status"]:
                found.append(VerdictChange(key, "", before["status"], after["status"]))
            unread.append(key)
            continue
        found += _of_models(key, before, after)
        found += _of_targets(key, before, after)
    gone = tuple(key for key in old if key not in new) if whole else ()
    return Changes(tuple(found), tuple(key for key in new if key not in old), gone, tuple(unread))


def _of_models(key: str, before: Record, after: Record) -> Iterator[VerdictChange]:
    """Yield what is other under models that both runs have."""
    then = {each["model"]: each for each in before["models"]}
    for now in after["models"]:
        was = then.get(now["model"])
        if was is None or (was["verdict"], was["outcomes"]) == (now["verdict"], now["outcomes"]):
            continue
        had, has = set(was["outcomes"]), set(now["outcomes"])
        came = tuple(state for state in now["outcomes"] if state not in had)
        went = tuple(state for state in was["outcomes"] if state not in has)
        yield VerdictChange(key, now["model"], was["verdict"], now["verdict"], came, went)


def _of_targets(key: str, before: Record, after: Record) -> Iterator[VerdictChange]:
    then = {each["target"]: each["verdict"] for each in before["targets"]}
    for now in after["targets"]:
        was = then.get(now["target"], now["verdict"])
        if was != now["verdict"]:
            yield VerdictChange(key, now["target"], was or "not lowered", now["verdict"] or "not lowered")


# ---------------------------------------------------------------- pages


def pages(found: Changes, new: Mapping[str, Record], title: str) -> Iterator[tuple[str, Document]]:
    """Yield the pages of the changes, the first as `changes.html`."""
    rows: list[list[CellContent]] = [_row(change, new) for change in found.changed]
    rows += [[_way(key, new), "", "", Strong("added"), ""] for key in found.added]
    rows += [[Code(key), "", Strong("gone"), "", ""] for key in found.gone]
    heads: list[Line] = ["Test", "Under", "Before", "Now", "Outcomes"]
    parts = list(paged(rows, ROWS, _address))
    for page, some, links in parts:
        blocks: list[Block] = [Paragraph(summary(found)), *links]
        if some:
            blocks.append(table(heads, some, row_heads=1))
        if found.unread and page == len(parts):
            blocks.append(Section("Not compared", (Paragraph(", ".join(found.unread[:ROWS])),)))
        yield _address(page), Document(tuple(blocks), title=f"{title}: changes")


def summary(found: Changes) -> str:
    """Return how many tests differ in what."""
    other = len({change.key for change in found.changed})
    said = f"{counted(other, 'test')} changed, {len(found.added):,} added, {len(found.gone):,} gone"
    return f"{said}, {len(found.unread):,} without answers in one of the runs." if found.unread else f"{said}."


def _address(page: int) -> str:
    return "changes.html" if page == 1 else f"changes.page-{page}.html"


def _way(key: str, new: Mapping[str, Record]) -> Line:
    return (Link(key, new[key]["address"]),)


def _row(change: VerdictChange, new: Mapping[str, Record]) -> list[CellContent]:
    lines: list[Line] = [*_states("+", change.came), *_states("-", change.went)]
    cell: CellContent = Stack(tuple(lines)) if lines else ""
    verdicts = [Strong(word, word.split(" ")[0]) for word in (change.before, change.after)]
    return [_way(change.key, new), Code(change.under) if change.under else "", *verdicts, cell]


def _states(mark: str, states: Sequence[str]) -> Iterator[Line]:
    yield from ((f"{mark} ", Code(state)) for state in states[:OUTCOMES])
    if len(states) > OUTCOMES:
        yield f"{mark} {len(states) - OUTCOMES:,} more"
