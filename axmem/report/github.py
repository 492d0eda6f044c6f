"""Reports for GitHub: workflow commands, each of which annotates a line of a file.

What goes in: problems, or the reports of a run. What comes out: lines such as `::error file=…,line=…,col=…::…`,
which GitHub shows beside the line; of a run also its figures. Invariant: no text of a file begins a line, or ends one,
so that no file can give GitHub a command.
"""

from __future__ import annotations

from axmem.check.judging import Report
from axmem.front.source import Diagnostic
from axmem.report.problems import Problem, problem, problems
from axmem.report.summary import Summary

_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = str.maketrans({**_DATA, ":": "%3A", ",": "%2C"})
_MESSAGE = str.maketrans(_DATA)
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
"""What GitHub calls the levels of problems."""


class Output:
    """Annotations, streamed; the figures are the last line."""

    def __init__(self, **_: object) -> None:
        pass

    def begin(self) -> str:
        """Return nothing: the first line is the first annotation."""
        return ""

    def report(self, report: Report) -> str:
        """Return what is wrong with one test: its text, or its outcomes."""
        return "".join(map(annotated, problems(report)))

    def end(self, summary: Summary) -> str:
        """Return what is wrong with paths, and the figures."""
        return "".join([*map(annotation, summary.diagnostics), f"{summary.line()}\n"])


def annotation(diagnostic: Diagnostic) -> str:
    """Return a diagnostic as an annotation, a line."""
    return annotated(problem(diagnostic))


def annotated(found: Problem) -> str:
    """Return an annotation of a place in a file; of what is no file (an option, the standard input) the name only."""
    line, column, _ = found.span
    place = {"file": found.name, "line": line, "col": column} if found.in_file else {}
    properties = ",".join(f"{key}={str(value).translate(_PROPERTY)}" for key, value in place.items() if value)
    named = f"{found.name}:{line}" if line else found.name
    said = found.message if place else ": ".join(filter(None, (named, found.message)))
    return f"::{_COMMANDS[found.kind.level]}{' ' * bool(properties)}{properties}::{said.translate(_MESSAGE)}\n"
