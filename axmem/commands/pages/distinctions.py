"""What a search for a difference has found.

What goes in: `Differences`: two models, the bound, the levels searched, the distinguishing tests. What comes out: parts
of documents in the order of the search; no times, so that equal findings read alike (JSON has them).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from axmem.front.output import counted
from axmem.refinement.difference import Differences
from axmem.refinement.distinction import Distinction
from axmem.report import differences, explanation
from axmem.report.printers.text import lines as text_lines
from axmem.report.tree import Block, Code, Document, Paragraph, Program, Section, bullets


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


def heading(report: Differences) -> Section:
    """Return the models and what the search covers."""
    parts = tuple(Paragraph(part, aside=True) for part in covers(report))
    return Section(f"{report.first} -> {report.second}", parts)


def covers(report: Differences) -> Iterator[str]:
    """Yield what the search covers, in parts."""
    yield from report.bound.parts()
    if report.silent:
        yield f"neither model speaks of {', '.join(report.silent)}: they make no difference"
    if report.direction != "any":
        yield f"differences in which the second model is {report.direction}"


def level_line(events: int, found: int, unfinished: Sequence[str]) -> str:
    """Return how many programs of so many operations were found, and what ended the search, as one line."""
    said = f"{found} found" if found else "no difference"
    if unfinished:
        return f"{counted(events, 'operation')}: {said} before {'; '.join(unfinished)}"
    return f"{counted(events, 'operation')}: {said}"


def distinction_blocks(distinction: Distinction) -> tuple[Block, ...]:
    """Return a distinguishing test, what the models make of it, and why."""
    explanations = map(explanation.section, distinction.explanations)
    return Program(distinction.text), differences.section(distinction.comparison), *explanations


def document(reports: Iterable[Differences]) -> Document:
    """Return the reports as a page, and their records."""
    found = list(reports)
    return Document(tuple(map(_section, found)), {"searches": [_record(report) for report in found]})


def _section(report: Differences) -> Section:
    said = answer(report)
    blocks: list[Block] = [Paragraph(f"{said[0].upper()}{said[1:]}."), Paragraph("Searched:"), bullets(covers(report))]
    for distinction in report.distinctions:
        blocks += [Program("\n".join(text_lines([block])), "") for block in distinction_blocks(distinction)]
    return Section((Code(report.first), " and ", Code(report.second)), tuple(blocks))


def _record(report: Differences) -> dict[str, Any]:
    return {
        "first": report.first,
        "second": report.second,
        "direction": report.direction,
        "bound": report.searched,
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
                "comparison": differences.record(d.comparison),
                "explanations": [explanation.record(e) for e in d.explanations],
            }
            for d in report.distinctions
        ],
    }
