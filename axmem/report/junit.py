"""Reports for continuous integration: JUnit's XML, one test case per test and model.

A mismatch is a failure, an input error an error, and an unknown answer is skipped with what cut it. An outcome set
that was not checked is named in the output of its test case, which is skipped if nothing else was checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from xml.sax.saxutils import escape, quoteattr

from axmem.check.judging import Answer, Report
from axmem.front.source import Diagnostic
from axmem.report.summary import Summary

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Output:
    """XML; the counts stand at its head, so that nothing appears before the end."""

    def __init__(self, **_: object) -> None:
        self.cases: list[str] = []
        self.counts = {"failures": 0, "errors": 0, "skipped": 0}

    def begin(self) -> str:
        """Return nothing yet."""
        return ""

    def report(self, report: Report) -> str:
        """Keep the test cases of a report."""
        for answer in report.answers:
            self._answer(report, answer)
        if report.lost:
            self._case(report.name, kind="skipped", message=report.lost)
        if report.diagnostics:
            self._errors(report.name, report.diagnostics)
        return ""

    def end(self, summary: Summary) -> str:
        """Return the whole document."""
        for diagnostic in summary.diagnostics:
            self._errors(diagnostic.source.name, (diagnostic,))
        counts = " ".join(f'{name}="{number}"' for name, number in self.counts.items())
        head = f'name="axmem" tests="{len(self.cases)}" {counts} time="{summary.seconds:.3f}"'
        suite = f"<testsuite {head}>\n{''.join(self.cases)}</testsuite>\n"
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{suite}</testsuites>\n'

    def _answer(self, report: Report, answer: Answer) -> None:
        result = answer.result
        case = partial(self._case, report.name, result.label, result.work.seconds)
        unchecked = [c for c in answer.checks if c.status == "unchecked"]
        left_out = "\n".join(f"line {c.line}: not checked: {c.expected} ({c.reason})" for c in unchecked)
        if answer.status == "mismatch":
            failed = [c for c in answer.checks if c.status == "mismatch"]
            message = "; ".join(f"expected {c.expected}, found {c.found}" for c in failed)
            case(kind="failure", message=message, text="\n".join(_details(report, answer)))
        elif answer.status == "unknown":
            message = "; ".join(map(str, result.incomplete)) or "not all outcomes"
            case(kind="skipped", message=message)
        elif answer.status == "unchecked" and left_out:
            case(kind="skipped", message="not checked", text=left_out)
        else:
            case(kind="system-out" if left_out else "", text=left_out)

    def _errors(self, name: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        text = "\n".join(str(d) for d in diagnostics)
        self._case(name, kind="error", message=diagnostics[0].message, text=text)

    def _case(
        self, name: str, model: str = "-", seconds: float = 0.0, *, kind: str, message: str = "", text: str = ""
    ) -> None:
        head = f'<testcase classname={_attribute(name)} name={_attribute(model)} time="{seconds:.3f}"'
        if not kind:
            self.cases.append(f"{head}/>\n")
            return
        if kind == "system-out":
            self.cases.append(f"{head}><system-out>{escape(_clean(text))}</system-out></testcase>\n")
            return
        self.counts[{"failure": "failures", "error": "errors"}.get(kind, kind)] += 1
        inside = f"<{kind} message={_attribute(message)}>{escape(_clean(text))}</{kind}>"
        self.cases.append(f"{head}>{inside}</testcase>\n")


def _details(report: Report, answer: Answer) -> Iterator[str]:
    for check in answer.checks:
        if check.status == "mismatch":
            yield f"{report.name}:{check.line}: expected {check.expected}, found {check.found}"
            yield from (f"missing     {row}" for row in check.missing)
            yield from (f"unexpected  {row}" for row in check.unexpected)


def _clean(text: str) -> str:
    """Return the text without characters that XML cannot hold."""
    return _NOT_XML.sub("�", text)


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))
