"""What a search for a difference has found, as text, Markdown and JSON.

What goes in: `Differences`: two models, the bound, the levels searched, the distinguishing tests. What comes out: text
in the order of the search; no times, so that equal findings read alike (JSON has them).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from axmem.families.records import bound_record
from axmem.families.smallest import Level
from axmem.front.output import counted, document
from axmem.refinement.difference import Differences
from axmem.refinement.distinction import Distinction
from axmem.report.differences import lines as comparison_lines
from axmem.report.differences import record as comparison_record
from axmem.report.explanation import lines as explanation_lines
from axmem.report.explanation import record as explanation_record


def answer(report: Differences) -> str:
    """Return the result in one sentence."""
    last = report.levels[-1] if report.levels else None
    unfinished = [level for level in report.levels if level.unfinished]
    if report.distinctions and last is not None:
        smaller = [level for level in unfinished if level.events < last.events]
        if smaller:
            return f"{_programs(report)} of {counted(last.events, 'operation')}; whether a smaller one does is unknown"
        return f"{_programs(report)} of {counted(last.events, 'operation')}, and none with fewer"
    if unfinished:
        done = unfinished[0].events - 1
        return f"unknown: no program of up to {counted(done, 'operation')} tells them apart, the search went no further"
    return f"no program of up to {counted(report.bound.events, 'operation')} tells them apart"


def _programs(report: Differences) -> str:
    count = len(report.distinctions)
    return "they differ on a program" if count == 1 else f"they differ on {count} programs"


def heading(report: Differences) -> Iterator[str]:
    """Yield the models and what the search covers."""
    yield f"{report.first} -> {report.second}"
    yield from (f"    {part}" for part in covers(report))


def covers(report: Differences) -> Iterator[str]:
    """Yield what the search covers, in parts."""
    yield from report.bound.parts()
    if report.silent:
        yield f"neither model speaks of {', '.join(report.silent)}: they make no difference"
    if report.direction != "any":
        yield f"differences in which the second model is {report.direction}"


def level_line(level: Level) -> str:
    """Return what a level has, as one line."""
    found = f"{len(level.found)} found" if level.found else "no difference"
    if level.unfinished:
        return f"{counted(level.events, 'operation')}: {found} before {'; '.join(level.unfinished)}"
    return f"{counted(level.events, 'operation')}: {found}"


def distinction_lines(distinction: Distinction) -> Iterator[str]:
    """Yield a distinguishing test, what the models make of it, and why."""
    yield ""
    yield from distinction.text.rstrip("\n").split("\n")
    yield ""
    yield from comparison_lines(distinction.comparison)
    for explanation in distinction.explanations:
        yield ""
        yield from explanation_lines(explanation)


def lines(report: Differences) -> Iterator[str]:
    """Yield the report as text."""
    yield from heading(report)
    yield ""
    yield from map(level_line, report.levels)
    for distinction in report.distinctions:
        yield from distinction_lines(distinction)
    yield ""
    yield answer(report)


def as_markdown(reports: Iterable[Differences]) -> str:
    """Return the reports as a page."""
    out: list[str] = []
    for report in reports:
        said = answer(report)
        out += [f"## `{report.first}` and `{report.second}`", "", f"{said[0].upper()}{said[1:]}.", ""]
        out += ["Searched:", "", *[f"- {part}" for part in covers(report)], ""]
        for distinction in report.distinctions:
            out += ["```", *distinction.text.rstrip("\n").split("\n"), "```", ""]
            out += ["```", *comparison_lines(distinction.comparison), "```", ""]
            for explanation in distinction.explanations:
                out += ["```", *explanation_lines(explanation), "```", ""]
    return "\n".join(out)


def as_json(reports: Iterable[Differences]) -> str:
    """Return the reports as one JSON document, keys in a fixed order."""
    return document(searches=[_record(report) for report in reports])


def _record(report: Differences) -> dict[str, Any]:
    return {
        "first": report.first,
        "second": report.second,
        "direction": report.direction,
        "bound": bound_record(report.bound),
        "silent": list(report.silent),
        "answer": answer(report),
        "complete": report.complete,
        "levels": [
            {
                "events": level.events,
                "shapes": level.shapes,
                "found": len(level.found),
                "unfinished": list(level.unfinished),
                "seconds": round(level.seconds, 3),
            }
            for level in report.levels
        ],
        "distinctions": [
            {
                "events": d.program.size,
                "threads": len(d.program.threads),
                "locations": d.program.locations,
                "weaker": d.weaker,
                "litmus": d.text,
                "comparison": comparison_record(d.comparison),
                "explanations": [explanation_record(e) for e in d.explanations],
            }
            for d in report.distinctions
        ],
    }
