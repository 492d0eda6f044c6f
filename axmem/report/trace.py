"""A trace as text: aligned tables, without empty columns and tables, and only the first facts of long lists.

What goes in: the tables of a trace. What comes out: lines; rows that have nothing are named in one line.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.explanations.trace import Table

LISTED = 8
"""How many facts of a list are shown."""


def lines(table: Table) -> Iterator[str]:
    """Yield a table of a trace, if it has any rows."""
    full = [row for row in table.rows if any(row[1:]) or len(row) == 1]
    texts = [table.columns, *(tuple(map(_text, row)) for row in full)]
    kept = [i for i in range(len(table.columns)) if any(row[i] for row in texts[1:])]
    widths = {i: max(len(row[i]) for row in texts) for i in kept}
    empty = ", ".join(str(row[0]) for row in table.rows if row not in full)
    if table.rows:
        yield from ("", f"  {table.title}")
        yield from (("    " + "  ".join(f"{row[i]:<{widths[i]}}" for i in kept)).rstrip() for row in texts if kept)
        yield from [f"    nothing: {empty}"] if empty else ()


def _text(cell: str | int | tuple[str, ...]) -> str:
    if not isinstance(cell, tuple):
        return str(cell)
    return "  ".join(cell[:LISTED]) + (f"  and {len(cell) - LISTED} more" if len(cell) > LISTED else "")
