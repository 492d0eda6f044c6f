"""Documents as nodes of docutils, for pages that Sphinx builds.

What goes in: blocks of a `Document`. What comes out: nodes, which every builder of Sphinx writes. Invariant: texts are
text nodes, so that nothing in them is markup. docutils comes with `axmem[sphinx]`; only the directives import this.
"""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes

from axmem.report.printers.svg import drawn
from axmem.report.tree import CellContent, Code, Figure, Inline, Line, Link, Program, Stack, Strong, Table, pieces

_LONG, _SHORT = 30, 18
"""The widths of columns, in parts: those whose texts wrap, and others."""


def line_nodes(line: Line) -> list[nodes.Node]:
    """Return the pieces of a line."""
    return [_inline(piece) for piece in pieces(line)]


def _inline(piece: Inline) -> nodes.Node:
    if isinstance(piece, Code):
        return nodes.literal(piece.text, piece.text)
    if isinstance(piece, Strong):
        return nodes.strong(piece.text, piece.text)
    if isinstance(piece, Link):
        return nodes.reference(piece.text, piece.text, refuri=piece.target)
    return nodes.Text(piece)


def program_node(program: Program) -> nodes.literal_block:
    """Return a program as a block of code."""
    text = program.text.rstrip()
    return nodes.literal_block(text, text, language=program.language, classes=["code", program.language])


def table_node(found: Table) -> nodes.table:
    """Return a table, whose `heads` first cells of a row are its head."""
    group = nodes.tgroup(cols=len(found.columns))
    for index, column in enumerate(found.columns):
        spec = nodes.colspec(colwidth=_LONG if column.long else _SHORT)
        if index < found.heads:
            spec["stub"] = 1
        group += spec
    head = nodes.thead()
    head += _row([column.head for column in found.columns])
    body = nodes.tbody()
    body.extend(_row(row) for row in found.rows)
    group.extend([head, body])
    table = nodes.table(classes=["axmem"])
    if found.caption:
        table += nodes.title(found.caption, found.caption)
    table += group
    return table


def _row(cells: tuple[CellContent, ...] | list[Line]) -> nodes.row:
    row = nodes.row()
    for cell in cells:
        entry = nodes.entry()
        entry.extend(_cell(cell))
        row += entry
    return row


def _cell(cell: CellContent) -> Iterator[nodes.Node]:
    if isinstance(cell, Program):
        yield program_node(cell)
        return
    lines, items = (cell.lines, cell.items) if isinstance(cell, Stack) else ((cell,), ())
    for line in lines:
        yield nodes.paragraph("", "", *line_nodes(line))
    if items:
        listed = nodes.bullet_list()
        for item in items:
            listed += nodes.list_item("", nodes.paragraph("", "", *line_nodes(item)))
        yield listed


def figure_nodes(figure: Figure) -> list[nodes.Node]:
    """Return a picture for HTML, and its lines of text for every other builder."""
    picture = drawn(figure)
    lines = "\n".join(figure.lines())
    text = nodes.literal_block(lines, lines, language="text")
    if picture is None:
        return [text]
    # What only one builder has stands under `only`, which Sphinx resolves when it knows which builder runs.
    from sphinx.addnodes import only  # noqa: PLC0415 -- docutils alone has no such node

    elsewhere = only(expr="not html")
    elsewhere += text
    return [nodes.raw("", picture, format="html"), elsewhere]
