"""Reports for continuous integration: JUnit's XML, one test case per test and model.

A mismatch is a failure, an input error or an internal one an error, and so is a model under which no execution is
consistent; another unknown answer is skipped with what cut it. An outcome set that was not checked is named in the
output of the suite, or where its test case is skipped since nothing else was checked, there. Invariant: the document is
valid under the schema of Jenkins' xUnit plugin (junit-10.xsd) and under that of Ant's reports (JUnit.xsd), which wants
more attributes, and one element at most in a test case.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from axmem.check.expectations import ExpectationCheck
from axmem.check.judging import Answer, Report
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic
from axmem.front.version import __version__
from axmem.report.summary import Summary

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DOT = "·"
"""What stands for a dot in the name of a class: readers take what is before the last dot for a package."""
_ELEMENTS = {
    "mismatch": "failure", "input error": "error", "internal error": "error", "inconsistent": "error",
    "unknown": "skipped",
    "unchecked": "skipped",
}  # fmt: skip
"""Why a test case did not pass, which is the type of its element, and the name of that."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A test under a model; `kind` is empty or one of `_ELEMENTS`, with a message and lines of text."""

    name: str
    model: str = "-"
    seconds: float = 0.0
    kind: str = ""
    message: str = ""
    text: tuple[str, ...] = ()

    def element(self) -> str:
        """Return the case as XML."""
        class_ = self.name.removesuffix(".litmus").replace(".", _DOT)
        head = f'<testcase classname={_attribute(class_)} name={_attribute(self.model)} time="{self.seconds:.3f}"'
        if not self.kind:
            return f"{head}/>\n"
        element, about = _ELEMENTS[self.kind], f'type="{self.kind}" message={_attribute(self.message)}'
        return f"{head}><{element} {about}>{_text(self.text)}</{element}></testcase>\n"


class Output:
    """XML; the counts stand at its head, so that nothing appears before the end."""

    def __init__(self, **_: object) -> None:
        self.cases: list[str] = []
        self.elements: Counter[str] = Counter()
        self.notes: list[str] = []
        self.started = ""

    def begin(self) -> str:
        """Return nothing yet."""
        self.started = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
        return ""

    def report(self, report: Report) -> str:
        """Keep the test cases of a report."""
        for answer in report.answers:
            self._answer(report, answer)
        if report.lost:
            self._add(_Case(report.name, kind="unknown", message=report.lost))
        if report.fault:
            self._add(_Case(report.name, kind="internal error", message=report.fault))
        if report.diagnostics:
            self._errors(report.name, report.diagnostics)
        return ""

    def end(self, summary: Summary) -> str:
        """Return the whole document."""
        for diagnostic in summary.diagnostics:
            self._errors(diagnostic.source.name, (diagnostic,))
        found = self.elements
        head = {
            "id": 0, "package": "", "name": "axmem", "timestamp": self.started, "hostname": "localhost",
            "tests": len(self.cases), "failures": found["failure"], "errors": found["error"],
            "skipped": found["skipped"],
        }  # fmt: skip
        attributes = " ".join(f'{name}="{value}"' for name, value in head.items())
        out = [
            '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n',
            f'<testsuite {attributes} time="{summary.seconds:.3f}">\n',
            f'<properties><property name="axmem" value="{__version__}"/></properties>\n',
            *self.cases,
            f"<system-out>{_text(self.notes)}</system-out>\n<system-err/>\n</testsuite>\n</testsuites>\n",
        ]
        return "".join(out)

    def _answer(self, report: Report, answer: Answer) -> None:
        result = answer.result
        left_out = [f"{report.name}:{c.line}: {_unchecked(c)}" for c in answer.checks if c.status == "unchecked"]
        case = _Case(report.name, result.label, result.work.seconds)
        if answer.status == "mismatch":
            case = replace(case, kind="mismatch", message=_mismatches(answer), text=tuple(_details(report, answer)))
        elif answer.status == "unknown":
            message = "; ".join(map(str, result.incomplete)) or "not all outcomes"
            kind = "unknown" if result.consistent else "inconsistent"
            case = replace(case, kind=kind, message=message, text=tuple(_undecided(report, answer)))
        elif answer.status == "unchecked" and left_out:
            case = replace(case, kind="unchecked", message="not checked", text=tuple(left_out))
        else:
            self.notes += [f"{line} under {result.label}" for line in left_out]
        self._add(case)

    def _errors(self, name: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        text = tuple(map(str, diagnostics))
        self._add(_Case(name, kind="input error", message=diagnostics[0].message, text=text))

    def _add(self, case: _Case) -> None:
        self.cases.append(case.element())
        if case.kind:
            self.elements[_ELEMENTS[case.kind]] += 1


def _unchecked(check: ExpectationCheck) -> str:
    return f"not checked: {check.expected} ({check.reason})"


def _mismatches(answer: Answer) -> str:
    """Return what does not hold in one line."""
    failed = [check for check in answer.checks if check.status == "mismatch"]
    return "; ".join(f"expected {check.expected}, found {check.found}" for check in failed)


def _details(report: Report, answer: Answer) -> Iterator[str]:
    """Yield what does not hold, why it should, and what else was found out about it."""
    for check in answer.checks:
        if check.status == "mismatch":
            yield f"{report.name}:{check.line}: expected {check.expected}, found {check.found}"
            yield from [f"reason      {check.reason}"] if check.reason else []
            yield from (f"missing     {row}" for row in check.missing)
            yield from (f"unexpected  {row}" for row in check.unexpected)
        elif check.status == "unchecked":
            yield f"{report.name}:{check.line}: {_unchecked(check)}"
    yield from (f"undefined behaviour: {reason}" for reason in answer.result.undefined)
    yield from (f"incomplete: {reason}" for reason in answer.result.incomplete)
    yield from (f"note: {note}" for note in answer.notes)


def _undecided(report: Report, answer: Answer) -> Iterator[str]:
    """Yield what is expected and was not decided."""
    for check in answer.checks:
        if check.status == "unknown":
            yield f"{report.name}:{check.line}: expected {check.expected}"
            yield from [f"reason      {check.reason}"] if check.reason else []


def _clean(text: str) -> str:
    """Return the text without characters that XML cannot hold."""
    return _NOT_XML.sub("�", text)


def _text(lines: Iterable[str]) -> str:
    return escape(_clean("\n".join(lines)))


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))
