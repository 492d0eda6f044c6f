"""The tables of a kernel's converged instances as a picture: a row for each lane, a frame around each class.

What goes in: the report of a kernel. What comes out: an SVG document.
"""

from __future__ import annotations

from axmem.commands.pages.convergence import ConvergenceReport, apart_lines
from axmem.convergence.tables import ConvergenceTable
from axmem.report.pictures.elements import document, element, text
from axmem.report.pictures.style import sheet

CELL, ROW, MARGIN = 9, 24, 12
"""In pixels: the width of a character with its share of a gap, the height of a row, the margin."""


def as_svg(report: ConvergenceReport) -> str:
    """Return the tables as a picture: a row for each lane, a frame around each class of converged instances."""
    out: list[str] = [text(report.name, x=MARGIN, y=MARGIN + 12, class_="title")]
    y, width = MARGIN + 12, 0
    for table in report.tables:
        y += ROW + MARGIN
        out.append(text(f"hierarchy {table.hierarchy.name}", x=MARGIN, y=y, class_="title"))
        drawn, wide = _picture(table, y)
        out += drawn
        y += ROW * (len(table.paths) + 1)
        for sentence in apart_lines(table):
            y += ROW - 6
            out.append(text(sentence, x=MARGIN, y=y, class_="faint"))
            wide = max(wide, CELL * len(sentence))
        width = max(width, wide)
    return document(out, width=width + 2 * MARGIN, height=y + ROW, style=sheet(), title=report.name)


def _picture(table: ConvergenceTable, y: int) -> tuple[list[str], int]:
    """Return the elements of a table under a height, and how wide it is."""
    out = [
        text(f"lane {lane + 1}", x=MARGIN, y=y + ROW * (lane + 2), class_="faint") for lane in range(len(table.paths))
    ]
    x = MARGIN + 8 * CELL
    for number, column in enumerate(table.columns, 1):
        wide = CELL * max(len(table.names[instance]) for instance in column)
        out.append(text(str(number), x=x, y=y + ROW, class_="faint"))
        lanes = sorted(instance.lane for instance in column)
        top, high = y + ROW * (lanes[0] + 2) - 16, ROW * (lanes[-1] - lanes[0] + 1) - 2
        if len(column) > 1:
            out.append(element("rect", x=x - 4, y=top, width=wide + 6, height=high, rx=4, class_="grouped"))
        out += [text(table.names[i], x=x, y=y + ROW * (i.lane + 2)) for i in column]
        x += wide + 2 * CELL
    return out, x
