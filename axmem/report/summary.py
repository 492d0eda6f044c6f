"""The figures of a run and the exit code that they mean.

What goes in: the reports, one after another, and the messages about files that could not be read. What comes out:
counts, and the exit code: an internal error wins over an input error, that over a mismatch, a mismatch over unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from axmem.front.exits import INPUT_ERROR, INTERNAL_ERROR, MISMATCH, UNKNOWN, exit_code
from axmem.front.output import counted
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic

if TYPE_CHECKING:
    from axmem.check.judging import Report


@dataclass
class Summary:
    """Counts so far. `mismatches` are expectations that do not hold; `unknown` counts tests per model.

    `not_checked` are outcome sets of which the run did not ask all columns, `internal_errors` tests without an answer
    for a fault of axmem, `not_run` those that nobody began.
    """

    tests: int = 0
    checks: int = 0
    mismatches: int = 0
    unknown: int = 0
    not_checked: int = 0
    errors: int = 0
    internal_errors: int = 0
    seconds: float = 0.0
    not_run: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()

    def add(self, report: Report) -> None:
        """Count a report."""
        self.tests += report.test is not None or bool(report.lost or report.fault)
        self.internal_errors += bool(report.fault)
        self.not_run += bool(report.not_run)
        self.errors += bool(report.diagnostics)
        self.unknown += bool(report.lost)
        for answer in report.answers:
            left_out = sum(c.status == "unchecked" for c in answer.checks)
            self.checks += len(answer.checks) - left_out
            self.not_checked += left_out
            self.mismatches += sum(c.status == "mismatch" for c in answer.checks)
            self.unknown += answer.status == "unknown"

    def unreadable(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Count paths that could not be read."""
        self.diagnostics = diagnostics
        self.errors += len(diagnostics)

    @property
    def code(self) -> int:
        """The exit code."""
        codes = {INTERNAL_ERROR: self.internal_errors, INPUT_ERROR: self.errors, MISMATCH: self.mismatches}
        codes[UNKNOWN] = self.unknown + self.not_run
        return exit_code([code for code, count in codes.items() if count])

    def line(self) -> str:
        """Return the figures as one line."""
        parts = [
            counted(self.tests, "test"),
            counted(self.checks, "check"),
            counted(self.mismatches, "mismatch", "mismatches"),
            f"{self.unknown} unknown",
            *([f"{self.not_checked} not checked"] if self.not_checked else []),
            counted(self.errors, "error"),
            *([counted(self.internal_errors, "internal error")] if self.internal_errors else []),
            *([f"{self.not_run} not run"] if self.not_run else []),
            f"{self.seconds:.2f} s",
        ]
        return ", ".join(parts)
