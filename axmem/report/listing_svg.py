"""A lowered test as a picture: a column per thread, a block per statement, instructions coloured by what they are.

What goes in: a test lowered for one target or several. What comes out: an SVG document, one band per target below the
other. The reasons of an instruction are its tooltip. Sizes are those of a font whose characters have one width.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from axmem.codegen.instructions import Kind
from axmem.codegen.program import LoweredTest, LoweredThread
from axmem.report.listing import heading, source_line

CHARACTER, LINE, MARGIN, GAP = 7, 18, 16, 24
COLOURS = {
    Kind.ACCESS: "#1a1a1a",
    Kind.WAIT: "#a15c00",
    Kind.WRITEBACK: "#0b6e4f",
    Kind.INVALIDATE: "#a4133c",
    Kind.BARRIER: "#4b3f9e",
}
_STYLE = (
    "text{font:12px 'DejaVu Sans Mono',Menlo,Consolas,monospace}"
    ".head{font-weight:bold;font-size:13px}.source{fill:#555}.thread{font-weight:bold}"
)

Cell = tuple[str, str, str, str]
"""One line of a column: its text, class, colour and tooltip."""


def svg(targets: Sequence[LoweredTest]) -> str:
    """Return the picture of a test under one target or several."""
    out: list[str] = []
    top, width = MARGIN, 0
    for lowered in targets:
        band, wide, high = _band(lowered, top)
        out += band
        top, width = top + high + GAP, max(width, wide)
    legend = [
        f'<text x="{MARGIN + 13 * CHARACTER * index}" y="{top}" fill="{colour}">{kind.value}</text>'
        for index, (kind, colour) in enumerate(COLOURS.items())
    ]
    width = max(width, MARGIN + 13 * CHARACTER * len(COLOURS))
    size = f'width="{width}" height="{top + MARGIN}" viewBox="0 0 {width} {top + MARGIN}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    return "\n".join([head, f"<style>{_STYLE}</style>", '<rect width="100%" height="100%" fill="#fff"/>',
                      *out, *legend, "</svg>", ""])  # fmt: skip


def _band(lowered: LoweredTest, top: int) -> tuple[list[str], int, int]:
    """Return what is drawn for one target, and its width and height."""
    title = heading(lowered)
    out = [f'<text class="head" x="{MARGIN}" y="{top + 12}">{escape(title)}</text>']
    left, tallest = MARGIN, 0
    for thread in lowered.threads:
        cells = _column(lowered, thread)
        wide = CHARACTER * max(len(text) for text, *_ in cells) + 2 * MARGIN
        high = LINE * len(cells) + MARGIN
        box = f'x="{left}" y="{top + 22}" width="{wide}" height="{high}"'
        out.append(f'<rect {box} rx="4" fill="#f7f7f5" stroke="#ccc"/>')
        for row, (text, class_, colour, tip) in enumerate(cells):
            place = f'x="{left + MARGIN // 2}" y="{top + 22 + LINE * (row + 1)}" xml:space="preserve"'
            tooltip = f"<title>{escape(tip)}</title>" if tip else ""
            out.append(f'<text class="{class_}" {place} fill="{colour}">{escape(text)}{tooltip}</text>')
        left, tallest = left + wide + GAP, max(tallest, high)
    return out, max(left, CHARACTER * len(title) + 4 * MARGIN), 22 + tallest


def _column(lowered: LoweredTest, thread: LoweredThread) -> list[Cell]:
    cells: list[Cell] = [(thread.name, "thread", "#000", "")]
    for statement in thread.statements:
        number, line = source_line(lowered, statement)
        cells.append((f"{number:3}  {'  ' * statement.depth}{line}", "source", "#555", ""))
        for instruction in statement.instructions:
            tip = "\n".join(f"{subject}: {why}" for subject, why in instruction.reasons)
            text = f"     {'  ' * statement.depth}  {instruction.text}"
            cells.append((text, "code", COLOURS[instruction.kind], tip))
    return cells
