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
from axmem.report.svg import document, element, text, tooltip

CHARACTER, LINE, MARGIN, GAP = 7, 18, 16, 24
COLOURS = {
    InstructionKind.ACCESS: "#1a1a1a",
    InstructionKind.WAIT: "#a15c00",
    InstructionKind.WRITEBACK: "#0b6e4f",
    InstructionKind.INVALIDATE: "#a4133c",
    InstructionKind.BARRIER: "#4b3f9e",
}
_STYLE = (
    "text{font:12px 'DejaVu Sans Mono',Menlo,Consolas,monospace}"
    ".head{font-weight:bold;font-size:13px}.source{fill:#555}.thread{font-weight:bold}"
)


@dataclass(frozen=True, slots=True)
class ListingLine:
    """One line of a column: its text, its class, its colour, what it says of itself."""

    text: str
    look: str
    colour: str
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
        text(kind.value, x=MARGIN + 13 * CHARACTER * index, y=top, fill=colour)
        for index, (kind, colour) in enumerate(COLOURS.items())
    ]
    width = max(width, MARGIN + 13 * CHARACTER * len(COLOURS))
    return document([*out, *legend], width=width, height=top + MARGIN, style=_STYLE)


def _band(lowered: LoweredTest, top: int) -> tuple[list[str], int, int]:
    """Return what is drawn for one target, and its width and height."""
    title = heading(lowered)
    out = [text(title, x=MARGIN, y=top + 12, class_="head")]
    left, tallest = MARGIN, 0
    for thread in lowered.threads:
        cells = _column(lowered, thread)
        wide = CHARACTER * max(len(cell.text) for cell in cells) + 2 * MARGIN
        high = LINE * len(cells) + MARGIN
        box = element("rect", x=left, y=top + 22, width=wide, height=high, rx=4, fill="#f7f7f5", stroke="#ccc")
        out.append(box)
        for row, cell in enumerate(cells, 1):
            x, y = left + MARGIN // 2, top + 22 + LINE * row
            tip = tooltip(cell.tip)
            out.append(text(cell.text, *tip, x=x, y=y, class_=cell.look, spaced=True, fill=cell.colour))
        left, tallest = left + wide + GAP, max(tallest, high)
    return out, max(left, CHARACTER * len(title) + 4 * MARGIN), 22 + tallest


def _column(lowered: LoweredTest, thread: LoweredThread) -> list[ListingLine]:
    cells: list[ListingLine] = [ListingLine(thread.name, "thread", "#000")]
    for statement in thread.statements:
        number, line = source_line(lowered, statement)
        cells.append(ListingLine(f"{number:3}  {'  ' * statement.depth}{line}", "source", "#555"))
        for instruction in statement.instructions:
            tip = "\n".join(f"{subject}: {why}" for subject, why in instruction.reasons)
            indented = f"     {'  ' * statement.depth}  {instruction.text}"
            cells.append(ListingLine(indented, "code", COLOURS[instruction.kind], tip))
    return cells
