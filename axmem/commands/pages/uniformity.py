"""What is uniform in a kernel.

What goes in: a `UniformityReport`. What comes out: a line for each register and branch, and under the table what the
marks mean: the execution that refutes an answer, the hierarchies that give another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from axmem.check.uniform import UniformityAnswer, UniformityReport
from axmem.convergence.kernels import Threads
from axmem.convergence.loads import LoadSelection
from axmem.convergence.uniformity import DivergenceCause, DivergenceReason
from axmem.formats.ir.syntax import Function
from axmem.formats.ir.units import is_kernel
from axmem.litmus.kernels import Launch
from axmem.litmus.launch import counted_launch
from axmem.report.tree import Paragraph, Section, table

HEADS = ("values", "divergent", "perhaps", "branches", "divergent", "perhaps", "")
"""What stands over a row about a function: how many there are, divergent for LLVM 22, divergent by the sound rules."""


def row(report: UniformityReport) -> tuple[object, ...]:
    """Return the numbers of a function, and which marks it has."""
    own = report.hierarchies.found[0].name
    values = [answer for answer in report.answers if answer.register]
    branches = [answer for answer in report.answers if not answer.register]
    marks = Counter(mark for answer in report.answers for mark in answer.marks(own))
    numbers = (
        (len(some), sum(a.llvm is not None for a in some) if some and some[0].by_llvm else "-" if some else 0,
         sum(a.sound is not None for a in some))
        for some in (values, branches)
    )  # fmt: skip
    return *(number for some in numbers for number in some), ", ".join(f"{n} {mark}" for mark, n in marks.items())


def section_alone(function: Function, report: UniformityReport, found: Iterable[LoadSelection] = ()) -> Section:
    """Return the report of a function of LLVM IR of which no launch is known."""
    kind = "kernel" if is_kernel(function) else "function"
    said = _table(report, f"{report.kernel}: a {kind} as it stands")
    why = "exact: - as no launch is given, nor what parameters are"
    return Section(said.title, (*said.blocks, Paragraph(why), *map(Paragraph, _load_lines(found))))


def section(report: UniformityReport, launch: Launch, found: Iterable[LoadSelection] = ()) -> Section:
    """Return the report of a kernel and its launch, with what becomes of its loads if they are given."""
    said = _table(report, f"{report.kernel}: {counted_launch(launch)}")
    return Section(said.title, (*said.blocks, *map(Paragraph, _load_lines(found))))


def _table(report: UniformityReport, title: str) -> Section:
    """Return what is said of each register and branch, and below it what the marks mean."""
    own = report.hierarchies.found[0].name
    rows = [
        (_name(a), _llvm(a), _word(a.sound), _exact(a), ", ".join(a.marks(own)), _why(a.llvm or a.sound))
        for a in report.answers
    ]
    notes = [line for answer in report.answers for line in _details(answer, own)]
    if report.model or not report.whole:
        under = f" under {report.model}" if report.model else ""
        notes.append(
            f"exact: of executions{under} in which no header is executed more than {report.bound} times per entry"
        )
    if report.cut:
        notes.append("exact: - also where the time limit was reached (--timeout)")
    among = "" if report.threads is Threads.WAVE else f", across a {report.threads.value}"
    title += f"  hierarchy {own} of {len(report.hierarchies.found)}{among}"
    listed = table(("", "llvm-22", "sound", "exact", "", ""), rows)
    return Section(title, (listed, *map(Paragraph, notes)))


def _name(answer: UniformityAnswer) -> str:
    return f"{answer.block}: {answer.register or 'branch'}"


def _word(reason: DivergenceReason | None) -> str:
    return "uniform" if reason is None else "divergent"


def _llvm(answer: UniformityAnswer) -> str:
    return _word(answer.llvm) if answer.by_llvm else "-"


def _exact(answer: UniformityAnswer) -> str:
    return "-" if not answer.asked else "divergent" if answer.differs else "uniform"


def _why(reason: DivergenceReason | None) -> str:
    if reason is None:
        return ""
    if reason.cause is DivergenceCause.SOURCE:
        return str(reason.cause.value)
    return f"{reason.cause.value} {reason.name}"


def _details(answer: UniformityAnswer, own: str) -> Iterator[str]:
    """Yield the witness of what LLVM does not call divergent, and the hierarchies in which it says otherwise."""
    if answer.llvm is None:
        for hierarchy, said in answer.differs.items():
            where = "" if hierarchy == own else f" in hierarchy {hierarchy}"
            head = (
                f"{_name(answer)} is uniform if a wave loads once; else"
                if answer.committed
                else f"{_name(answer)} is not uniform"
            )
            yield f"{head}{where}{'' if answer.committed else ':'} {said}"
    if answer.others:
        other = "divergent" if answer.llvm is None else "uniform"
        yield f"{_name(answer)} is {other} by the same rules in {' and '.join(answer.others)}"


def _load_lines(found: Iterable[LoadSelection]) -> Iterator[str]:
    """Yield a line for each load: what LLVM 22 makes of it, and whose write a scalar one may miss."""
    for load in found:
        stale = f"; may be stale, as {load.stale} writes there" if load.stale else ""
        yield f"load {load.block}: {load.register}: {load.selection.value}{stale}"


def load_data(found: Iterable[LoadSelection]) -> list[dict[str, Any]]:
    """Return the loads as plain data, for JSON."""
    return [
        {"block": f.block, "register": f.register, "selection": f.selection.name.lower(), "stale": f.stale or None}
        for f in found
    ]


def as_data(report: UniformityReport) -> dict[str, Any]:
    """Return the report as plain data, for JSON."""
    own = report.hierarchies.found[0].name
    return {
        "kernel": report.kernel,
        "hierarchy": own,
        "hierarchies": [hierarchy.name for hierarchy in report.hierarchies.found],
        "bound": report.bound,
        "model": report.model,
        "set": report.threads.value,
        "whole": report.whole,
        "cut": report.cut,
        "answers": [_answer(answer, own) for answer in report.answers],
    }


def _answer(answer: UniformityAnswer, own: str) -> dict[str, Any]:
    return {
        "block": answer.block,
        "register": answer.register,
        "llvm": _word(answer.llvm) if answer.by_llvm else None,
        "sound": _word(answer.sound),
        "exact": None if not answer.asked else _exact(answer),
        "marks": list(answer.marks(own)),
        "because": _why(answer.llvm or answer.sound),
        "others": list(answer.others),
        "differs": dict(answer.differs),
    }
