"""The outcomes of a test under several models, as rows of one grid.

What goes in: a request with `text`, the labels of `models`, and `seconds`. What comes out: a record: the test, its
question, a column for each model, and a row for each outcome that some model has, in the order of results. Invariant:
an outcome is in a row once; where a model's outcomes are not complete, its cells without an outcome say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from axmem.check.compare import relation_of
from axmem.check.judging import Answer, Question, Report, report_of
from axmem.check.results import Result, in_order
from axmem.check.selection import about_choices, runs
from axmem.encoder.solve import Limits, Row
from axmem.formats.reading import form_of, parse
from axmem.front.clock import OutOfTime
from axmem.front.source import Diagnostic, InputError
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.lint import warnings
from axmem.litmus.syntax import LitmusTest
from axmem.playground.link import OWN

NAME = "test.litmus"
"""What the text in the editor is called in messages."""
MANY = 400
"""The most rows that the page shows; of more it says how many there are."""


def outcomes(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the grid of a test; without `models` those are meant that the test names."""
    report = judged(request)
    test = report.test
    assert test is not None
    results = [answer.result for answer in report.answers]
    rows = in_order({row for result in results for row in result.outcomes})
    return {
        "test": test.name,
        "description": test.description,
        "form": form.key if (form := form_of(test.source.text, NAME)) else "",
        "question": f"{test.quantifier.value} ({condition_text(test.condition)})",
        "columns": [column.name for column in results[0].columns],
        "models": [_model(answer, results[0], own=bool(request.get("cat"))) for answer in report.answers],
        "rows": [_row(row, report.answers) for row in rows[:MANY]],
        "more": max(0, len(rows) - MANY),
        "warnings": [_warning(each) for each in (*warnings(test), *about_choices(test, {}))],
    }


def judged(request: Mapping[str, Any]) -> Report:
    """Return what is found of the test of a request; raise InputError for what is wrong with it, or with a model."""
    text = str(request["text"])
    models = tuple(request.get("models") or labels_of(parse(text, NAME)))
    report = report_of(
        Question(NAME, text, models, limits=Limits(request.get("seconds")), engine=request.get("engine", "auto"))
    )
    if report.diagnostics:
        raise InputError(report.diagnostics)
    if report.lost:
        raise OutOfTime
    return report


def labels_of(test: LitmusTest) -> tuple[str, ...]:
    """Return the models that a test names, or the default one."""
    return tuple(model_label(reference, model.changed) for reference, model in runs(test, (), {}))


def model_label(name: str, changed: Sequence[tuple[str, str]]) -> str:
    """Return how a model under some readings is written."""
    settings = ",".join(f"{reading}={value}" for reading, value in changed)
    return f"{name}[{settings}]" if settings else name


def _model(answer: Answer, first: Result, *, own: bool) -> dict[str, Any]:
    """Return the column of a model; the reader's own is called as the page calls it."""
    result = answer.result
    label = result.label
    if own and label.partition("[")[0] == PurePath(OWN).stem:
        label = OWN + label.removeprefix(PurePath(OWN).stem)
    checks = [
        {"expected": check.expected, "found": check.found, "line": check.line, "reason": check.reason}
        for check in answer.checks
        if check.status == "mismatch"
    ]
    return {
        "label": label,
        "verdict": result.verdict,
        "status": answer.status,
        "relation": "" if result is first else relation_of(first, result),
        "flags": list(result.flags),
        "undefined": list(result.undefined),
        "incomplete": [str(reason) for reason in result.incomplete],
        "count": len(result.outcomes),
        "mismatches": checks,
    }


def _row(row: Row, answers: Sequence[Answer]) -> dict[str, Any]:
    """Return an outcome with what each model says of it: `*` where the condition may hold, `+` where it is allowed."""
    cells: list[str] = []
    texts: tuple[str, ...] = ()
    for answer in answers:
        found = answer.result.outcomes
        if row in found:
            index = found.index(row)
            texts = answer.result.texts[index]
            cells.append("*" if answer.satisfying[index] else "+")
        else:
            cells.append("-" if answer.result.complete and not answer.result.undefined else "?")
    condition = " /\\ ".join(_equations(texts, answers))
    return {"values": list(texts), "cells": cells, "condition": condition, "differs": len({*map(bool_of, cells)}) > 1}


def _equations(texts: Sequence[str], answers: Sequence[Answer]) -> Iterator[str]:
    """Yield what an outcome alone satisfies: as undef satisfies any equation, it is ruled out where it may be."""
    for index, (column, text) in enumerate(zip(answers[0].result.columns, texts, strict=True)):
        yield f"{column.name}={text}"
        if "undef" not in text and any("undef" in each[index] for a in answers for each in a.result.texts):
            yield f"not ({column.name}=undef)"


def bool_of(cell: str) -> bool | None:
    """Return whether a cell says that the outcome is allowed; None where it says nothing."""
    return None if cell == "?" else cell != "-"


def _warning(found: Diagnostic) -> dict[str, Any]:
    span = found.span
    return {"line": span.line, "column": span.column, "length": span.length, "message": found.message,
            "hint": found.hint, "severity": "warning"}  # fmt: skip
