"""Reports for GitHub: workflow commands, each of which annotates a line of a file.

What goes in: diagnostics, or the reports of a run. What comes out: lines such as `::error file=…,line=…,col=…::…`,
which GitHub shows beside the line; of a run also its figures. Invariant: no text of a file begins a line, or ends one,
so that no file can give GitHub a command.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from axmem.check.judging import Answer, Report
from axmem.front.source import Diagnostic
from axmem.litmus.lint import misspelt_tags
from axmem.report.summary import Summary

_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = str.maketrans({**_DATA, ":": "%3A", ",": "%2C"})
_MESSAGE = str.maketrans(_DATA)


class Output:
    """Annotations, streamed; the figures are the last line."""

    def __init__(self, **_: object) -> None:
        pass

    def begin(self) -> str:
        """Return nothing: the first line is the first annotation."""
        return ""

    def report(self, report: Report) -> str:
        """Return what is wrong with one test: its text, or its outcomes."""
        found = [*map(annotation, report.diagnostics)]
        if report.test is not None:
            found += map(annotation, misspelt_tags(report.test))
        for answer in report.answers:
            found += _expectations(report.name, answer)
        if report.lost:
            found.append(_annotation("error", f"unknown: {report.lost}", report.name))
        return "".join(found)

    def end(self, summary: Summary) -> str:
        """Return what is wrong with paths, and the figures."""
        return "".join([*map(annotation, summary.diagnostics), f"{summary.line()}\n"])


def annotation(diagnostic: Diagnostic) -> str:
    """Return a diagnostic as an annotation, a line."""
    level = "warning" if diagnostic.severity == "warning" else "error"
    message = diagnostic.message + (f"\nhint: {diagnostic.hint}" if diagnostic.hint else "")
    return _annotation(level, message, diagnostic.source.name, diagnostic.span.line, diagnostic.span.column)


def _expectations(name: str, answer: Answer) -> Iterator[str]:
    """Yield an annotation for each expectation that does not hold, is not decided, or was not checked."""
    about = f"{answer.result.test} under {answer.result.label}"
    why = "; ".join(map(str, answer.result.incomplete)) or "not all outcomes"
    undecided = [check for check in answer.checks if check.status == "unknown"]
    for check in answer.checks:
        if check.status == "mismatch":
            reason = [f"reason: {check.reason}"] if check.reason else []
            rows = [f"missing: {row}" for row in check.missing] + [f"unexpected: {row}" for row in check.unexpected]
            message = "\n".join([f"{about}: expected {check.expected}, found {check.found}", *reason, *rows])
            yield _annotation("error", message, name, check.line)
        elif check.status == "unchecked":
            message = f"{about}: not checked: {check.expected} ({check.reason})"
            yield _annotation("notice", message, name, check.line)
        elif check.status == "unknown":
            yield _annotation("error", f"{about}: expected {check.expected}, unknown: {why}", name, check.line)
    if answer.status == "unknown" and not undecided:
        yield _annotation("error", f"{about}: unknown: {why}", name)


def _annotation(level: str, message: str, name: str, line: int = 0, column: int = 0) -> str:
    """Return an annotation of a place in a file; of what is no file (an option, the standard input) the name only."""
    place = {"file": name, "line": line, "col": column} if os.path.isfile(name) else {}
    properties = ",".join(f"{key}={str(value).translate(_PROPERTY)}" for key, value in place.items() if value)
    said = message if place else ": ".join(filter(None, (f"{name}:{line}" if line else name, message)))
    return f"::{level}{' ' * bool(properties)}{properties}::{said.translate(_MESSAGE)}\n"
