"""Tables of outcomes, in the formats that documentation is written in.

What goes in: tests and models. What comes out: a row per test with its verdict, its outcomes and, for every model but
the first, its relation to the first; and the rows as reStructuredText, Markdown, HTML, LaTeX, CSV or JSON. Cells are
escaped for their format; order is that of the tests; nothing depends on time or place.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import PurePath

from axmem.check.compare import relation_of
from axmem.check.results import Result
from axmem.front.records import dataclass, replace
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from axmem.report.printers import MARKUP, printer
from axmem.report.tree import CellContent, Code, Column, Document, Line, Program, Stack, Strong, Table, table


@dataclass(frozen=True, slots=True)
class OutcomeCell:
    """A test under a model. `relation` is to the first model (empty for the first itself).

    `same`: the outcomes are exactly those of the first model. `states` pairs an outcome with whether the first model
    has it too. `notes` are reasons of undefined behaviour and of incompleteness.
    """

    verdict: str
    relation: str
    same: bool
    states: tuple[tuple[str, bool], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A test: its family (its folder), its name, what it shows, what the verdicts are about, and a cell per model."""

    family: str
    test: str
    description: str
    condition: str
    cells: tuple[OutcomeCell, ...]
    program: str = ""


@dataclass(frozen=True, slots=True)
class OutcomeTable:
    """Rows under a list of models, named by their labels."""

    models: tuple[str, ...]
    rows: tuple[TableRow, ...]


def row_of(test: LitmusTest, results: Sequence[Result]) -> TableRow:
    """Return the row of a test whose results under the models of the table are known."""
    first = results[0]
    shared = set(first.outcomes)
    cells = tuple(
        OutcomeCell(
            verdict=result.verdict,
            relation=relation_of(first, result) if index else "",
            same=index > 0 and relation_of(first, result) == "same" and result.outcomes == first.outcomes,
            states=tuple((s, row in shared) for s, row in zip(result.states(), result.outcomes, strict=True)),
            notes=(*result.undefined, *map(str, result.incomplete)),
        )
        for index, result in enumerate(results)
    )
    question = f"{test.quantifier.value} ({condition_text(test.condition)})"
    family = PurePath(test.source.name).parent.name
    program = without_head(print_test(replace(test, description="", expectations=(), outcome_sets=()), documented=True))
    return TableRow(family, test.name, _one_line(test.description), question, cells, program)


def without_head(program: str) -> str:
    """Return the declarations and threads of a program, without its name and its question."""
    _, _, rest = program.partition("\n\n")
    return rest.rpartition("\n\n")[0]


def _one_line(text: str) -> str:
    """Return a text without line ends and without characters that no document can hold."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


# ---------------------------------------------------------------- formats


def outcome_table(found: OutcomeTable, show: str = "verdicts", *, programs: bool = False) -> Table:
    """Return the table for a document, with the programs if they are wanted."""
    heads: list[Line | Column] = ["Test", Column("What it shows", long=True), "Condition", *found.models]
    rows: list[list[CellContent]] = []
    for row in found.rows:
        cells = [_cell(cell, show) for cell in row.cells]
        rows.append([Code(row.test), row.description, Code(row.condition), *cells])
        if programs:
            rows[-1].insert(2, Program(row.program))
    if programs:
        heads.insert(2, "Program")
    return table(heads, rows)


def _cell(cell: OutcomeCell, show: str) -> Stack:
    """Return a verdict, strong with its relation where the model differs from the first; then the outcomes."""
    verdict: Line = cell.verdict
    if cell.relation not in ("", "same"):
        verdict = (Strong(cell.verdict), f" ({cell.relation})")
    if show == "outcomes" and cell.same:
        return Stack((verdict, *cell.notes, "same outcomes"))
    states = cell.states if show == "outcomes" else ()
    # An outcome is not broken: its spaces are no-break spaces.
    whole = [(Code(state.replace(" ", "\u00a0")), shared) for state, shared in states if state]
    outcomes: tuple[Line, ...] = tuple(code if shared else (code, "\u00a0(new)") for code, shared in whole)
    return Stack((verdict, *cell.notes), outcomes)


def _csv(found: OutcomeTable, show: str) -> str:
    """Return one line per test: for each model the verdict, the relation to the first, and the outcomes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["Family", "Test", "What it shows", "Condition"]
    for index, model in enumerate(found.models):
        head += [model] + ([f"{model} against {found.models[0]}"] if index else [])
        head += [f"{model} outcomes"] if show == "outcomes" else []
    writer.writerow(head)
    for row in found.rows:
        line = [row.family, row.test, row.description, row.condition]
        for index, cell in enumerate(row.cells):
            line += [cell.verdict] + ([cell.relation] if index else [])
            line += ["; ".join(state for state, _ in cell.states)] if show == "outcomes" else []
        writer.writerow(line)
    return out.getvalue()


def record(found: OutcomeTable, show: str) -> dict[str, object]:
    """Return the table as plain data, for JSON."""
    return {"models": list(found.models), "tests": [_record(r, found.models, show) for r in found.rows]}


def _record(row: TableRow, models: tuple[str, ...], show: str) -> dict[str, object]:
    cells = []
    for model, cell in zip(models, row.cells, strict=True):
        record: dict[str, object] = {"model": model, "verdict": cell.verdict, "relation": cell.relation or None}
        record["notes"] = list(cell.notes)
        if show == "outcomes":
            record["outcomes"] = [state for state, _ in cell.states]
        cells.append(record)
    head = {"family": row.family, "test": row.test, "shows": row.description, "condition": row.condition}
    return {**head, "results": cells}


FORMATS = (*MARKUP, "csv", "json")


def render(found: OutcomeTable, format_: str, show: str = "verdicts") -> str:
    """Return a table in one of `FORMATS`; `show` is `verdicts`, or `outcomes` for the outcomes too."""
    if format_ == "csv":
        return _csv(found, show)
    programs = format_ == "rst" and show == "outcomes"
    return printer(format_).document(Document((outcome_table(found, show, programs=programs),), record(found, show)))
