"""Reports for programs: one JSON document, described in docs/commands.md, or one line for each result."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeAlias

from axmem.check.expectations import ExpectationCheck
from axmem.check.judging import Answer, Report
from axmem.check.results import Column, format_lanes
from axmem.check.robustness import Neighbour
from axmem.events.values import Value
from axmem.front.output import VERSION
from axmem.front.source import Diagnostic
from axmem.front.version import __version__
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.spelling import type_name
from axmem.litmus.syntax import LitmusTest, Type
from axmem.report.summary import Summary

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


class Output:
    """JSON; each result is written as it comes, and the document is valid wherever the run ends."""

    def __init__(self, **_: object) -> None:
        self.first = True
        self.errors: list[Json] = []

    def begin(self) -> str:
        """Return the head of the document."""
        return f'{{\n "version": {VERSION},\n "axmem": {json.dumps(__version__)},\n "results": ['

    def report(self, report: Report) -> str:
        """Return the results of one test."""
        self.errors += [_diagnostic(d) for d in report.diagnostics]
        return "".join(self._item(entry) for entry in _entries(report))

    def end(self, summary: Summary) -> str:
        """Return the errors and the figures."""
        errors = [*(_diagnostic(d) for d in summary.diagnostics), *self.errors]
        figures: Json = {
            "tests": summary.tests,
            "checks": summary.checks,
            "mismatches": summary.mismatches,
            "unknown": summary.unknown,
            "not_checked": summary.not_checked,
            "errors": summary.errors,
            "internal_errors": summary.internal_errors,
            "not_run": summary.not_run,
            "seconds": round(summary.seconds, 6),
        }
        close = "]" if self.first else "\n ]"
        return f'{close},\n "errors": {_compact(errors)},\n "summary": {_compact(figures)}\n}}\n'

    def _item(self, entry: Json) -> str:
        separator = "\n  " if self.first else ",\n  "
        self.first = False
        return separator + _compact(entry)


def lines(report: Report) -> Iterator[str]:
    """Yield the results of one test as lines of JSON, without what they cost; what is wrong with it is a line too."""
    for entry in _entries(report):
        yield _compact({name: value for name, value in entry.items() if name != "work"})
    if report.diagnostics:
        yield _compact({"file": report.name, "errors": [_diagnostic(d) for d in report.diagnostics]})


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _entries(report: Report) -> Iterator[dict[str, Json]]:
    """Yield the results of one test."""
    yield from (_entry(report, answer) for answer in report.answers)
    if report.lost:
        yield {"file": report.name, "test": None, "verdict": "unknown", "incomplete": [report.lost]}
    if report.fault:
        yield {"file": report.name, "test": None, "internal_error": report.fault}


def _entry(report: Report, answer: Answer) -> dict[str, Json]:
    """Return one result; `report.test` is known, since there is an answer."""
    result, test = answer.result, report.test
    assert test is not None
    entry: dict[str, Json] = {
        "file": report.name,
        "test": result.test,
        "model": result.model,
        "variants": dict(result.variants),
        "condition": _question(test),
        "verdict": result.verdict,
        "status": answer.status,
        "positive": result.positive,
        "negative": result.negative,
        "columns": [{"name": c.name, "type": type_name(c.type)} for c in result.columns],
        "outcomes": [
            {
                "values": {
                    c.name: _lanes(lanes, c, result.locations) for c, lanes in zip(result.columns, row, strict=True)
                },
                "satisfies": satisfies,
            }
            for row, satisfies in zip(result.outcomes, answer.satisfying, strict=True)
        ],
        "flags": list(result.flags),
        "undefined": list(result.undefined),
        "incomplete": [str(reason) for reason in result.incomplete],
        "checks": [_check(c) for c in answer.checks],
    }
    if answer.notes:
        entry["notes"] = list(answer.notes)
    if answer.neighbours is not None:
        entry["robust"] = all(n.same_verdict and n.verdict != "unknown" for n in answer.neighbours)
        entry["neighbours"] = [_neighbour(n) for n in answer.neighbours]
    work = result.work
    entry["work"] = {
        "variables": work.variables,
        "clauses": work.clauses,
        "checks": work.checks,
        "seconds": round(work.seconds, 6),
    }
    return entry


def _question(test: LitmusTest) -> str:
    return f"{test.quantifier.value} ({condition_text(test.condition)})"


def _lanes(lanes: tuple[Value, ...], column: Column, locations: tuple[str, ...]) -> Json:
    """Return a value: a number, "undef", an address such as "&x"; a list of them for a vector or a pair."""
    type_ = column.type
    values = [_value(lane, type_, locations) for lane in lanes]
    return values if len(lanes) > 1 or type_.lanes else values[0]


def _value(value: Value, type_: Type, locations: tuple[str, ...]) -> Json:
    if not isinstance(value, int) or type_.pointer is not None:
        text = format_lanes((value,), type_.element, locations)
        return int(text) if text.isdigit() else text
    return value


def _check(check: ExpectationCheck) -> dict[str, Json]:
    return {
        "kind": check.kind,
        "line": check.line,
        "expected": check.expected,
        "found": check.found,
        "status": check.status,
        "reason": check.reason,
        "missing": list(check.missing),
        "unexpected": list(check.unexpected),
    }


def _neighbour(neighbour: Neighbour) -> dict[str, Json]:
    return {
        "variant": neighbour.variant,
        "value": neighbour.value,
        "verdict": neighbour.verdict or None,
        "same_verdict": neighbour.same_verdict,
        "same_outcomes": neighbour.same_outcomes,
        "error": neighbour.error or None,
    }


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Json]:
    return {
        "file": diagnostic.source.name,
        "line": diagnostic.span.line or None,
        "column": diagnostic.span.column or None,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "hint": diagnostic.hint or None,
    }
