"""Repairs of a test, and tables of them.

What goes in: the reports of searches. What comes out: documents. Order is that of the tests and of the repairs' costs;
nothing depends on time or place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from axmem.front.output import counted
from axmem.litmus import walk
from axmem.repairs.edits import LineEdit
from axmem.repairs.repair import Repair, Repairs, RepairStatus, asked
from axmem.repairs.task import Aim
from axmem.repairs.wording import DEFAULT_KINDS
from axmem.report.tree import (
    Block,
    CellContent,
    Code,
    Document,
    Item,
    List,
    Paragraph,
    Section,
    Stack,
    bullets,
    codes,
    table,
)  # fmt: skip


def section(report: Repairs) -> Section:
    """Return what is said of a search."""
    under = ", ".join(judge.label for judge in report.task.judges)
    blocks: list[Block] = [Paragraph(f"under {under}; {_weighed(report)}")]
    blocks.append(List(tuple(_item(report, repair) for repair in report.repairs), ordered=True))
    blocks += map(Paragraph, (verdict(report), *notes(report)))
    return Section(f"{report.test.name}: {asked(report)}", tuple(blocks))


def _item(report: Repairs, repair: Repair) -> Item:
    changes = [line for change in repair.changes for line in _changed(change)]
    return Item(f"{_cost(report, repair)}, {counted(repair.edits, 'edit')}", (bullets(changes),))


def _changed(change: LineEdit) -> Iterator[str]:
    """Yield a change as a difference of lines, and what instructions it makes."""
    place = f"{change.thread}:{change.line}" if change.line else change.thread
    for sign, text in (("-", change.before), ("+", change.after)):
        if text:
            yield f"   {place:<8} {sign} {text}"
            place = ""
    yield f"   {'':<8}   {said(change)}"
    if any(change.source):
        yield from (f"   {'':<8}   {line}" for line in _in_source(change))
    for word, instructions in (("adds", change.adds), ("drops", change.drops)):
        if instructions:
            yield f"   {'':<8}   {word} {'; '.join(instructions)}"


def _in_source(change: LineEdit) -> Iterator[str]:
    """Yield what becomes of a line of the source, or what is inserted before it."""
    old, new = change.source
    yield "in the source:"
    if change.before:
        yield f"  - {old}" if new else f"    {old}"
    if new:
        yield f"  + {new}"
    if not change.before:
        yield f"    {old}"


def said(change: LineEdit) -> str:
    """Return what a change is, in words."""
    if change.before:
        return ", ".join(change.words)
    return f"inserted before line {change.line}" if change.line else "inserted at the end of the block"


def _weighed(report: Repairs) -> str:
    target = report.task.costs.target
    if target is None:
        return "only edits are weighed"
    return f"cost on {target.name} ({target.mode} mode), {target.profile}"


def _cost(report: Repairs, repair: Repair) -> str:
    """Return what a repair costs, or saves."""
    cost = repair.machine + (0 if report.task.weakens else report.task.costs.edit * repair.size)
    if report.task.weakens:
        return f"saves {-cost}"
    return f"cost {cost}, size {repair.size}"


def verdict(report: Repairs) -> str:
    """Return how a search ended, in a sentence."""
    weakens = report.task.weakens
    judged = f"{counted(report.programs, 'program')} judged"
    space = f"{counted(report.sites, 'place')} with {counted(report.states, 'state')}, {judged}"
    bound = "" if report.task.most is None else f" of at most {counted(report.task.most, 'edit')}"
    match report.status:
        case RepairStatus.NEEDLESS:
            return "nothing can be weakened" if weakens else "nothing to repair"
        case RepairStatus.UNMET:
            return "nothing to keep: it is not so in the first place"
        case RepairStatus.IMPOSSIBLE if bound:
            return f"no repair: no set{bound} does ({space})"
        case RepairStatus.IMPOSSIBLE:
            return f"no repair: even the strongest annotations at every place do not do ({space})"
        case RepairStatus.UNKNOWN:
            why = "the search cannot tell" if report.contradicted else "a limit was reached before anything was found"
            return f"unknown: {why} ({judged})"
    found = counted(len(report.repairs), "minimal weakening" if weakens else "minimal repair")
    if report.contradicted:
        return f"{found}{bound}; there may be others, and cheaper ones ({space})"
    if report.exhausted and not report.doubtful:
        return f"{found}{bound}, and no other ({space})"
    return f"{found}{bound}, {'with the most saved' if weakens else 'the cheapest'} first; there may be more ({space})"


def notes(report: Repairs) -> Iterator[str]:
    """Yield what the reader should know besides."""
    if report.cut and report.repairs:
        yield "the time was over before all were found"
    if report.doubtful:
        yield f"unknown of {counted(report.doubtful, 'set')} of edits, of any cost: a limit was reached"
    if report.contradicted:
        advice = "" if report.task.weakens else "; --exhaustive does without"
        yield f"the models are not monotone here: some stronger program permits more{advice}"
    left = sorted(DEFAULT_KINDS - report.task.allowed) if report.test.kernels else []
    if left and report.status is RepairStatus.IMPOSSIBLE:
        yield f"not tried: {', '.join(left)} (--edits all)"
    if report.empty:
        yield f"{counted(report.empty, 'set')} of edits would leave no outcome at all, which is no repair"
    if report.task.aim is Aim.FORBID and report.repairs and walk.compares_undef(report.test.condition):
        yield "note: the condition speaks of undef; a value that is stale but defined may remain"


# ---------------------------------------------------------------- tables


def document(reports: Sequence[Repairs]) -> Document:
    """Return a table with a row per repair, and their records; a test without one has a row that says why."""
    rows: list[list[CellContent]] = []
    for report in reports:
        head: list[CellContent] = [report.test.name, Code(asked(report))]
        if not report.repairs:
            rows.append([*head, "", "", verdict(report), ""])
        for number, repair in enumerate(report.repairs, 1):
            rows.append([*head, str(number), _cost(report, repair), _edits(repair), _instructions(repair)])
    found = table(("Test", "Wanted", "No.", "Cost", "Edits", "Instructions"), rows)
    return Document((found,), {"searches": [_record(r) for r in reports]})


def _edits(repair: Repair) -> Stack:
    found = []
    for change in repair.changes:
        place = f"{change.thread}:{change.line}" if change.before else change.thread
        found.append((place, " ", Code(change.after or change.before), f" ({said(change)})"))
    return Stack(tuple(found))


def _instructions(repair: Repair) -> CellContent:
    found = [f"+ {text}" for change in repair.changes for text in change.adds]
    found += [f"- {text}" for change in repair.changes for text in change.drops]
    return codes(found) if found else ""


# ---------------------------------------------------------------- JSON


def _record(report: Repairs) -> dict[str, object]:
    target = report.task.costs.target
    return {
        "test": report.test.name,
        "wanted": asked(report),
        "models": [judge.label for judge in report.task.judges],
        "target": None if target is None else target.label,
        "profile": None if target is None else target.profile,
        "status": report.status.value,
        "exhausted": report.exhausted and not report.doubtful and not report.contradicted,
        "explanation": verdict(report),
        "notes": list(notes(report)),
        "repairs": [_repair(report, repair) for repair in report.repairs],
        "programs": report.programs,
        "places": report.sites,
        "states": report.states,
    }


def _repair(report: Repairs, repair: Repair) -> dict[str, object]:
    return {
        "machine": repair.machine,
        "size": repair.size,
        "edits": repair.edits,
        "changes": [_change(change) for change in repair.changes],
        "verdicts": dict(repair.verdicts),
        "text": repair.text,
    }


def _change(change: LineEdit) -> dict[str, object]:
    return {
        "thread": change.thread,
        "line": change.line or None,
        "before": change.before or None,
        "after": change.after or None,
        "words": list(change.words),
        "adds": list(change.adds),
        "drops": list(change.drops),
        "source": {"line": change.source[0], "patch": change.source[1] or None} if any(change.source) else None,
    }
