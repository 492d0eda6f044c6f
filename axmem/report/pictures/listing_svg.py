"""A lowered test as a picture: a column per thread, a block per statement, instructions coloured by what they are.

What goes in: a test lowered for one target or several. What comes out: an SVG document, one band per target below the
other. The reasons of an instruction are its tooltip. Sizes are those of a font whose characters have one width.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.codegen.instructions import InstructionKind
from axmem.codegen.program import LoweredTest, LoweredThread
from axmem.front.records import dataclass
from axmem.report.listing import heading, source_line
from axmem.report.pictures.elements import document, element, text, tooltip
from axmem.report.pictures.style import sheet

CHARACTER, LINE, MARGIN, GAP = 7, 18, 16, 24
CLASSES = {
    InstructionKind.ACCESS: "access",
    InstructionKind.WAIT: "wait",
    InstructionKind.WRITEBACK: "writeback",
    InstructionKind.INVALIDATE: "invalidate",
    InstructionKind.BARRIER: "barrier",
}


@dataclass(frozen=True, slots=True)
class ListingLine:
    """One line of a column: its text, its class, what it says of itself."""

    text: str
    look: str
    tip: str = ""


def svg(targets: Sequence[LoweredTest]) -> str:
    """Return the picture of a test under one target or several."""
    out: list[str] = []
    top, width = MARGIN, 0
    for lowered in targets:
        band, wide, high = _band(lowered, top)
        out += band
        top, width = top + high + GAP, max(width, wide)
    legend = [
        text(kind.value, x=MARGIN + 13 * CHARACTER * index, y=top, class_=look)
        for index, (kind, look) in enumerate(CLASSES.items())
    ]
    width = max(width, MARGIN + 13 * CHARACTER * len(CLASSES))
    return document([*out, *legend], width=width, height=top + MARGIN, style=sheet())


def _band(lowered: LoweredTest, top: int) -> tuple[list[str], int, int]:
    """Return what is drawn for one target, and its width and height."""
    title = heading(lowered)
    out = [text(title, x=MARGIN, y=top + 12, class_="title")]
    left, tallest = MARGIN, 0
    for thread in lowered.threads:
        cells = _column(lowered, thread)
        wide = CHARACTER * max(len(cell.text) for cell in cells) + 2 * MARGIN
        high = LINE * len(cells) + MARGIN
        box = element("rect", x=left, y=top + 22, width=wide, height=high, rx=4, class_="panel")
        out.append(box)
        for row, cell in enumerate(cells, 1):
            x, y = left + MARGIN // 2, top + 22 + LINE * row
            tip = tooltip(cell.tip)
            out.append(text(cell.text, *tip, x=x, y=y, class_=cell.look, spaced=True))
        left, tallest = left + wide + GAP, max(tallest, high)
    return out, max(left, CHARACTER * len(title) + 4 * MARGIN), 22 + tallest


def _column(lowered: LoweredTest, thread: LoweredThread) -> list[ListingLine]:
    cells: list[ListingLine] = [ListingLine(thread.name, "title")]
    for statement in thread.statements:
        number, line = source_line(lowered, statement)
        cells.append(ListingLine(f"{number:3}  {'  ' * statement.depth}{line}", "faint"))
        for instruction in statement.instructions:
            tip = "\n".join(f"{subject}: {why}" for subject, why in instruction.reasons)
            indented = f"     {'  ' * statement.depth}  {instruction.text}"
            cells.append(ListingLine(indented, CLASSES[instruction.kind], tip))
    return cells
