"""A trace: tables without empty columns, and only the first facts of long lists.

What goes in: the tables of a trace. What comes out: a document; rows that have nothing are named in one line.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.explanations.trace import StageTable
from axmem.report.tree import Document, Paragraph, Section
from axmem.report.tree import table as listed_table

LISTED = 8
"""How many facts of a list are shown."""


def section(table: StageTable) -> Section | None:
    """Return a table of a trace, if it has any rows."""
    full = [row for row in table.rows if any(row[1:]) or len(row) == 1]
    texts = [tuple(map(_text, row)) for row in full]
    kept = [i for i in range(len(table.columns)) if any(row[i] for row in texts)]
    empty = ", ".join(str(row[0]) for row in table.rows if row not in full)
    if not table.rows:
        return None
    shown = [listed_table([table.columns[i] for i in kept], [[row[i] for i in kept] for row in texts])] if kept else []
    return Section(table.title, (*shown, *([Paragraph(f"nothing: {empty}")] if empty else ())))


def document(title: str, tables: Iterable[StageTable]) -> Document:
    """Return the tables of a trace under a title."""
    sections = [section(table) for table in tables]
    return Document((Section(title, tuple(each for each in sections if each is not None)),))


def _text(cell: str | int | tuple[str, ...]) -> str:
    if not isinstance(cell, tuple):
        return str(cell)
    return "  ".join(cell[:LISTED]) + (f"  and {len(cell) - LISTED} more" if len(cell) > LISTED else "")
