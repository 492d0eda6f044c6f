"""What is wrong with files, as tools that show it beside the lines want it.

What goes in: diagnostics, and the reports of a run. What comes out: `Problem`s, each of a kind and at a place; of the
standard input, an option or a file that is not there the place is only a name. Order is that of the reports.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import Enum

from axmem.check.judging import Answer, Report
from axmem.front.records import dataclass
from axmem.front.source import NOWHERE, Diagnostic, Span
from axmem.litmus.lint import misleading


class ProblemKind(Enum):
    """A kind of problem: what it is called, how grave it is, and what it means."""

    INPUT = ("input", "error", "What is wrong with a test, a model or an option.")
    DOUBTFUL = ("doubtful", "warning", "What is allowed and probably not meant.")
    VERDICT = ("verdict", "error", "A verdict on the condition that is not the expected one.")
    OUTCOMES = ("outcomes", "error", "Outcomes that are not those which the test lists.")
    PROGRAM = ("program", "error", "A data race, undefined behaviour, or an execution that does not end.")
    HAZARD = ("hazard", "error", "A register that code uses before what it waits for is there.")
    UNKNOWN = ("unknown", "error", "An answer that a limit cut, which is no pass.")
    INTERNAL = ("internal", "error", "A fault of axmem, which says nothing of the test.")
    UNCHECKED = ("unchecked", "note", "An outcome set of which the run did not ask all columns.")

    def __init__(self, word: str, level: str, meaning: str) -> None:
        self.word = word
        self.level = level
        self.meaning = meaning


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with a file: `span` has a length where the place is known to the column, and line 0 for no line."""

    kind: ProblemKind
    message: str
    name: str
    span: Span = NOWHERE

    @property
    def in_file(self) -> bool:
        """Tell whether the name is that of a file, which can be shown."""
        return os.path.isfile(self.name)


def problem(diagnostic: Diagnostic) -> Problem:
    """Return a diagnostic as a problem."""
    kind = ProblemKind.DOUBTFUL if diagnostic.severity == "warning" else ProblemKind.INPUT
    message = diagnostic.message + (f"\nhint: {diagnostic.hint}" if diagnostic.hint else "")
    return Problem(kind, message, diagnostic.source.name, diagnostic.span)


def problems(report: Report) -> Iterator[Problem]:
    """Yield what is wrong with one test: its text, or its outcomes."""
    yield from map(problem, report.diagnostics)
    if report.test is not None:
        yield from map(problem, misleading(report.test))
    for answer in report.answers:
        yield from _expectations(report.name, answer)
    if report.lost:
        yield Problem(ProblemKind.UNKNOWN, f"unknown: {report.lost}", report.name)
    if report.fault:
        yield Problem(ProblemKind.INTERNAL, report.fault, report.name)


def _expectations(name: str, answer: Answer) -> Iterator[Problem]:
    """Yield a problem for each expectation that does not hold, is not decided, or was not checked."""
    about = f"{answer.result.test} under {answer.result.label}"
    why = "; ".join(map(str, answer.result.incomplete)) or "not all outcomes"
    undecided = [check for check in answer.checks if check.status == "unknown"]
    for check in answer.checks:
        line = Span(check.line, 0, 0)
        if check.status == "mismatch":
            reason = [f"reason: {check.reason}"] if check.reason else []
            rows = [f"missing: {row}" for row in check.missing] + [f"unexpected: {row}" for row in check.unexpected]
            message = "\n".join([f"{about}: expected {check.expected}, found {check.found}", *reason, *rows])
            yield Problem(ProblemKind.VERDICT if check.kind == "verdict" else ProblemKind.OUTCOMES, message, name, line)
        elif check.status == "unchecked":
            message = f"{about}: not checked: {check.expected} ({check.reason})"
            yield Problem(ProblemKind.UNCHECKED, message, name, line)
        elif check.status == "unknown":
            yield Problem(ProblemKind.UNKNOWN, f"{about}: expected {check.expected}, unknown: {why}", name, line)
    if answer.status == "unknown" and not undecided:
        yield Problem(ProblemKind.UNKNOWN, f"{about}: unknown: {why}", name)
