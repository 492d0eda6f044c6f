"""Repairs as text, as a table, and as JSON.

What goes in: the reports of searches. What comes out: text. Order is that of the tests and of the repairs' costs;
nothing depends on time or place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from axmem.front.output import counted, document
from axmem.litmus import walk
from axmem.litmus.syntax import LitmusTest, UndefValue
from axmem.repairs.edits import Change
from axmem.repairs.repair import Repair, Repairs, Status, asked
from axmem.repairs.task import Aim
from axmem.report.markup import MARKUPS, Markup, styled, tabulated


def lines(report: Repairs) -> Iterator[str]:
    """Yield what is printed of a report."""
    yield f"{report.test.name}: {asked(report)}"
    yield f"  under {', '.join(judge.label for judge in report.task.judges)}; {_weighed(report)}"
    for number, repair in enumerate(report.repairs, 1):
        yield f"  {number}. {_cost(report, repair)}, {counted(repair.edits, 'edit')}"
        for change in repair.changes:
            yield from _changed(change)
    yield f"  {verdict(report)}"
    yield from (f"  {note}" for note in notes(report))


def _changed(change: Change) -> Iterator[str]:
    """Yield a change as a difference of lines, and what instructions it makes."""
    place = f"{change.thread}:{change.line}" if change.line else change.thread
    for sign, text in (("-", change.before), ("+", change.after)):
        if text:
            yield f"       {place:<8} {sign} {text}"
            place = ""
    yield f"       {'':<8}   {said(change)}"
    for word, instructions in (("adds", change.adds), ("drops", change.drops)):
        if instructions:
            yield f"       {'':<8}   {word} {'; '.join(instructions)}"


def said(change: Change) -> str:
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
        case Status.NEEDLESS:
            return "nothing can be weakened" if weakens else "nothing to repair"
        case Status.UNMET:
            return "nothing to keep: it is not so in the first place"
        case Status.IMPOSSIBLE if bound:
            return f"no repair: no set{bound} does ({space})"
        case Status.IMPOSSIBLE:
            return f"no repair: even the strongest annotations at every place do not do ({space})"
        case Status.UNKNOWN:
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
    if report.empty:
        yield f"{counted(report.empty, 'set')} of edits would leave no outcome at all, which is no repair"
    if report.task.aim is Aim.FORBID and report.repairs and _compares_undef(report.test):
        yield "note: the condition speaks of undef; a value that is stale but defined may remain"


def _compares_undef(test: LitmusTest) -> bool:
    return any(isinstance(s, UndefValue) for atom in walk.comparisons(test.condition) for s in (atom.left, atom.right))


# ---------------------------------------------------------------- tables


def table(reports: Sequence[Repairs], format_: str) -> str:
    """Return a table with a row per repair; a test without one has a row that says why."""
    markup = MARKUPS[format_]
    rows = []
    for report in reports:
        head = [markup.text(report.test.name), markup.code(asked(report))]
        if not report.repairs:
            rows.append([*head, "", "", markup.text(verdict(report)), ""])
        for number, repair in enumerate(report.repairs, 1):
            cost = markup.text(_cost(report, repair))
            rows.append([*head, str(number), cost, _cell(repair, markup), _instructions(repair, markup)])
    headers = ("Test", "Wanted", "No.", "Cost", "Edits", "Instructions")
    return styled(tabulated([markup.text(header) for header in headers], rows, format_), format_)


def _cell(repair: Repair, markup: Markup) -> str:
    found = []
    for change in repair.changes:
        place = f"{change.thread}:{change.line}" if change.before else change.thread
        code = markup.code(change.after or change.before)
        found.append(f"{markup.text(place)} {code} ({markup.text(said(change))})")
    return markup.lines(found)


def _instructions(repair: Repair, markup: Markup) -> str:
    found = [f"+ {text}" for change in repair.changes for text in change.adds]
    found += [f"- {text}" for change in repair.changes for text in change.drops]
    return markup.lines([markup.code(text) for text in found]) if found else ""


# ---------------------------------------------------------------- JSON


def as_json(reports: Sequence[Repairs]) -> str:
    """Return reports as one JSON document, keys in a fixed order."""
    return document(1, searches=[_record(r) for r in reports])


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


def _change(change: Change) -> dict[str, object]:
    return {
        "thread": change.thread,
        "line": change.line or None,
        "before": change.before or None,
        "after": change.after or None,
        "words": list(change.words),
        "adds": list(change.adds),
        "drops": list(change.drops),
    }
