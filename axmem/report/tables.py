"""Tables of outcomes, in the formats that documentation is written in.

What goes in: tests and models. What comes out: a row per test with its verdict, its outcomes and, for every model but
the first, its relation to the first; and the rows as reStructuredText, Markdown, HTML, LaTeX, CSV or JSON. Cells are
escaped for their format; order is that of the tests; nothing depends on time or place.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import PurePath

from tabulate import tabulate

from axmem.check.compare import relation_of
from axmem.check.results import Result
from axmem.front.output import document
from axmem.front.records import dataclass
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.syntax import LitmusTest
from axmem.report.markup import (
    GITHUB,
    HTML,
    LATEX,
    RST,
    Markup,
    github_table,
    rst_table,
    styled,
    tabulated,
    unbroken,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
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
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a list of models, named by their labels."""

    models: tuple[str, ...]
    rows: tuple[TableRow, ...]


def row_of(test: LitmusTest, results: Sequence[Result]) -> TableRow:
    """Return the row of a test whose results under the models of the table are known."""
    first = results[0]
    shared = set(first.outcomes)
    cells = tuple(
        Cell(
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
    return TableRow(family, test.name, _one_line(test.description), question, cells)


def _one_line(text: str) -> str:
    """Return a text without line ends and without characters that no document can hold."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


# ---------------------------------------------------------------- cells


def _contents(row: TableRow, markup: Markup, show: str) -> list[str]:
    """Return the cells of a row: test, what it shows, condition, then one per model."""
    head = [markup.code(row.test), markup.text(row.description), markup.code(row.condition)]
    return head + [_cell(cell, markup, show) for cell in row.cells]


def _cell(cell: Cell, markup: Markup, show: str) -> str:
    """Return a verdict, strong with its relation where the model differs from the first; then the outcomes."""
    lines = [markup.text(cell.verdict)]
    if cell.relation not in ("", "same"):
        lines = [f"{markup.strong(cell.verdict)} ({cell.relation})"]
    lines += [markup.text(note) for note in cell.notes]
    if show != "outcomes":
        return markup.lines(lines)
    if cell.same or not cell.states:
        return markup.lines([*lines, *(["same outcomes"] if cell.same else [])])
    items = [markup.code(unbroken(state)) + ("" if shared else "\u00a0(new)") for state, shared in cell.states if state]
    return markup.listed(lines, items) if items else markup.lines(lines)


def _headers(found: Table) -> list[str]:
    return ["Test", "What it shows", "Condition", *found.models]


# ---------------------------------------------------------------- formats


def _rst(found: Table, show: str) -> str:
    """Return a list-table: LLVM's documentation is built by Sphinx, and its diffs stay line by line."""
    return rst_table([[RST.text(h) for h in _headers(found)], *(_contents(r, RST, show) for r in found.rows)])


def _markdown(found: Table, show: str) -> str:
    return github_table([GITHUB.text(h) for h in _headers(found)], [_contents(r, GITHUB, show) for r in found.rows])


def _html(found: Table, show: str) -> str:
    rows = [_contents(r, HTML, show) for r in found.rows]
    return styled(tabulated([HTML.text(h) for h in _headers(found)], rows, "html"), "html")


def _latex(found: Table, show: str) -> str:
    """Return a tabular in which what a test shows is a paragraph, since it is the one long text."""
    rows = [_contents(r, LATEX, show) for r in found.rows]
    headers = [LATEX.text(h) for h in _headers(found)]
    text = tabulate(rows, headers, tablefmt="latex_raw", disable_numparse=True, stralign=None) + "\n"
    columns = "l" * len(_headers(found))
    return text.replace(f"{{{columns}}}", f"{{lp{{0.3\\textwidth}}{columns[2:]}}}", 1)


def _csv(found: Table, show: str) -> str:
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


def _json(found: Table, show: str) -> str:
    """Return the table as a JSON document, keys in a fixed order."""
    tests = [_record(r, found.models, show) for r in found.rows]
    return document(models=list(found.models), tests=tests)


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


FORMATS: dict[str, Callable[[Table, str], str]] = {
    "rst": _rst,
    "markdown": _markdown,
    "html": _html,
    "latex": _latex,
    "csv": _csv,
    "json": _json,
}


def render(found: Table, format_: str, show: str = "verdicts") -> str:
    """Return a table in one of `FORMATS`; `show` is `verdicts`, or `outcomes` for the outcomes too."""
    return FORMATS[format_](found, show)
