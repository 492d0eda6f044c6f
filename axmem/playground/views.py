"""The tabs beside the editor that ask a solver: explanation, comparison, refinement, repair; and texts to copy.

What goes in: a request. What comes out: a record with `html`, made by the printers of `axmem.report`, or `text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axmem.check.compare import compare as compared
from axmem.check.judging import Report
from axmem.check.selection import parse_choice
from axmem.encoder.solve import Limits
from axmem.formats.lit import run_lines
from axmem.formats.reading import parse
from axmem.front.source import Source, mistake
from axmem.litmus.syntax import LitmusTest
from axmem.playground.code import html
from axmem.playground.outcomes import NAME, judged, labels_of
from axmem.playground.pictures import picture
from axmem.refinement.judging import refine as refined
from axmem.repairs.repair import RepairSearch
from axmem.repairs.repair import repair as repaired
from axmem.report.differences import section as difference_section
from axmem.report.filecheck import normal, updated
from axmem.report.judgement import judgement_section
from axmem.report.judgement import shown as counterexample
from axmem.report.outcome_tables import OutcomeTable, outcome_table, row_of
from axmem.report.printers import printed
from axmem.report.repair import section as repair_section
from axmem.report.summary import Summary
from axmem.report.text import Output
from axmem.report.tree import Document, Program

RUN = "; RUN: axmem run %s --outcomes | FileCheck %s --match-full-lines"
"""The first line of a test for lit."""


def explain(request: Mapping[str, Any]) -> dict[str, Any]:
    """Explain the test's condition under one of the models, the first if none is named."""
    _, models = _asked(request)
    return picture({**request, "under": request.get("under") or models[0], "outcome": ""})


def compare(request: Mapping[str, Any]) -> dict[str, Any]:
    """Compare the first model with each of the others."""
    test, models = _asked(request)
    if len(models) < 2:
        raise mistake("models", "two models are compared, and here is one", "add a model")
    limits = Limits(request.get("seconds"))
    found = [compared(test, models[0], other, limits=limits) for other in models[1:]]
    return {"html": html(map(difference_section, found))}


def refine(request: Mapping[str, Any]) -> dict[str, Any]:
    """Say whether the second text is a sound change of the first, under each model."""
    before, models = _asked(request)
    after = parse(str(request["after"]), "after.litmus")
    sections = []
    for model in models:
        found = refined(
            before, after, model, closed=bool(request.get("closed")), context=request.get("context"),
            seconds=request.get("seconds") or 20.0,
        )  # fmt: skip
        sections.append(judgement_section(found, counterexample(found, parse_choice(model))))
    return {"html": html(sections)}


def repair(request: Mapping[str, Any]) -> dict[str, Any]:
    """Find the cheapest annotations that forbid the condition, or another one, under all models."""
    test, models = _asked(request)
    found = repaired(
        test, models, forbid=request.get("outcome") or None, target=request.get("target") or None,
        search=RepairSearch(seconds=request.get("seconds") or 20.0),
    )  # fmt: skip
    return {"html": html([repair_section(found)]), "texts": [each.text for each in found.repairs]}


def export(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the test for a discussion, as Markdown, or as a test for lit."""
    form = request["form"]
    report = judged(request if form == "markdown" else {**request, "models": ()})
    return {"text": _markdown(report, str(request.get("link", ""))) if form == "markdown" else _lit(report)}


def _markdown(report: Report, link: str) -> str:
    assert report.test is not None
    results = [answer.result for answer in report.answers]
    table = OutcomeTable(tuple(result.label for result in results), (row_of(report.test, results),))
    body = printed(Document((Program(report.test.source.text, "llvm"), outcome_table(table, "outcomes"))), "markdown")
    return f"{body}\n[Open in the playground]({link})\n" if link else body


def _lit(report: Report) -> str:
    """Return the text with its RUN line and the CHECK lines that `axmem fmt --lit` would write."""
    assert report.test is not None
    text = report.test.source.text
    source = Source(NAME, text if "RUN:" in text else f"{RUN}\n{text}")
    form = Output((report.test.name,), outcomes=True)
    summary = Summary()
    summary.add(report)
    output = form.begin() + form.report(report) + form.end(summary)
    return updated(source, run_lines(source)[0], [normal(output, [])], force=True)


def _asked(request: Mapping[str, Any]) -> tuple[LitmusTest, tuple[str, ...]]:
    test = parse(str(request["text"]), NAME)
    return test, tuple(request.get("models") or labels_of(test))
