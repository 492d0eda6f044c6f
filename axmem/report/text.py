"""Reports for people: one line per test and model, what is worth saying about it indented below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from axmem.check.expectations import ExpectationCheck
from axmem.check.judging import Answer, Report
from axmem.check.robustness import Neighbour
from axmem.litmus.launch import launches
from axmem.report.summary import Summary

WIDEST_NAME = 44
STATUS = {"ok": "ok", "mismatch": "MISMATCH", "unknown": "UNKNOWN", "unchecked": "-"}


class Output:
    """Text, streamed; unknown answers are repeated at the end with what cut them."""

    def __init__(self, names: Iterable[str] = (), *, outcomes: bool = False, **_: object) -> None:
        self.width = max((len(n) for n in names if len(n) <= WIDEST_NAME), default=0)
        self.outcomes = outcomes
        self.unknown: list[str] = []

    def begin(self) -> str:
        """Return nothing: the first line is the first answer."""
        return ""

    def report(self, report: Report) -> str:
        """Return the lines of one test."""
        lines: list[str] = []
        for answer in report.answers:
            lines += self._answer(report, answer)
        if report.lost:
            lines.append(f"{report.name:<{self.width}}  -  unknown  UNKNOWN")
            self.unknown.append(f"{report.name}: {report.lost}")
        if report.fault:
            lines.append(f"{report.name:<{self.width}}  -  -  INTERNAL ERROR")
        return "".join(f"{line}\n" for line in lines)

    def end(self, summary: Summary) -> str:
        """Return the unknown answers and the figures."""
        listed = "".join(f"    {line}\n" for line in self.unknown)
        unknown = f"\nunknown:\n{listed}\n" if listed else ""
        return f"{unknown}{summary.line()}\n"

    def _answer(self, report: Report, answer: Answer) -> Iterator[str]:
        result = answer.result
        model = result.label
        flags = f"  {' '.join(result.flags)}" if result.flags else ""
        if report.test is not None and any(not kernel.lane_of_thread for kernel in report.test.kernels):
            flags += f"  {launches(report.test)}"
        yield f"{result.test:<{self.width}}  {model:<8}  {result.verdict:<9}  {STATUS[answer.status]}{flags}"
        for check in answer.checks:
            yield from check_lines(report.name, check)
        yield from _circumstances(answer)
        if self.outcomes:
            for state, satisfies in zip(result.states(), answer.satisfying, strict=True):
                yield f"  {'*' if satisfies else ' '} {state}"
        if answer.neighbours is not None:
            yield from _neighbours(answer.neighbours)
        if answer.status == "unknown":
            why = "; ".join(map(str, result.incomplete)) or "not all outcomes"
            self.unknown.append(f"{result.test}  {model}: {why}")


def check_lines(name: str, check: ExpectationCheck) -> Iterator[str]:
    """Yield what is said about an expectation that does not simply hold; `name` is its file."""
    if check.status == "ok":
        return
    if check.status == "unchecked":
        yield f"    {name}:{check.line}: not checked: {check.expected} ({check.reason})"
        return
    reason = f'  "{check.reason}"' if check.reason else ""
    yield f"    {name}:{check.line}: expected {check.expected}, found {check.found}{reason}"
    for label, rows in (("missing", check.missing), ("unexpected", check.unexpected)):
        for row in rows:
            yield f"      {label:<10}  {row}"


def _circumstances(answer: Answer) -> Iterator[str]:
    result = answer.result
    for reason in result.undefined:
        yield f"    undefined behaviour: {reason}"
    yield from (f"    incomplete: {reason}" for reason in result.incomplete)
    yield from (f"    note: {note}" for note in answer.notes)


def _neighbours(neighbours: Iterable[Neighbour]) -> Iterator[str]:
    """Yield the decisions on which a verdict depends."""
    robust, unknown = True, []
    for n in neighbours:
        if n.error:
            yield f"    {n.variant}={n.value}: error: {n.error}"
        elif n.verdict == "unknown":
            unknown.append(f"{n.variant}={n.value}")
        elif not n.same_verdict:
            yield f"    depends on: {n.variant}={n.value} → {n.verdict}"
        robust &= n.same_verdict and n.verdict != "unknown"
    if unknown:
        yield f"    unknown, a limit was reached: {', '.join(unknown)}"
    if robust:
        yield "    robust: no variant of the model changes the verdict"
