"""A timeline as a picture: a column for each wave and cache, time downwards, what is stale in a frame.

What goes in: a `Timeline` and its title. What comes out: an SVG document. Sizes are those of a font whose characters
have one width; a text that is longer than its column wraps.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from axmem.report.pictures.elements import document, element, text
from axmem.report.pictures.style import sheet
from axmem.report.timeline import Timeline, TimelineMoment

LINE, MARGIN = 16, 16
COLUMN, WIDE = 34, 264
"""How many characters a line of a column has at most, and from one column to the next in pixels."""
NORMAL, HEAD = 7.3, 8
"""The width of a character in pixels, at most: of a text, of a heading."""
FIRST = MARGIN + 32
"""Where the first column begins, behind the numbers."""


def as_svg(shown: Timeline, title: str, notes: Sequence[str] = ()) -> str:
    """Return the picture; `notes` stand below the title."""
    left = {column: FIRST + k * WIDE for k, column in enumerate(shown.columns)}
    out: list[str] = []
    y = MARGIN + 12
    out.append(text(title, x=MARGIN, y=y, class_="title", spaced=True))
    for note in notes:
        y += LINE
        out.append(text(note, x=MARGIN, y=y, class_="faint", spaced=True))
    y += LINE + MARGIN
    top = y
    out += [text(column, x=x, y=y, class_="title", spaced=True) for column, x in left.items()]
    y += MARGIN // 2
    for moment in shown.moments:
        box, high = _box(moment, left[moment.column], y)
        out.append(text(str(moment.number), x=MARGIN, y=y + LINE, class_="faint", spaced=True))
        out += box
        y += high
    rules = [element("line", x1=x - 10, y1=top + 6, x2=x - 10, y2=y + 4, class_="rule") for x in left.values()]
    widest = max(HEAD * len(title), *(NORMAL * len(note) for note in notes), 0)
    width = max(FIRST + WIDE * len(left), round(widest) + 2 * MARGIN)
    return document([*rules, *out], width=width, height=y + MARGIN, style=sheet(), title=title)


def _box(moment: TimelineMoment, x: int, y: int) -> tuple[list[str], int]:
    """Return a moment's texts, and how high they are together."""
    lines = [(line, "") for line in wrap(moment.text, COLUMN)]
    for part in filter(None, moment.stale.split("; ")):
        lines += [(line, "alarm") for line in wrap(part, COLUMN)]
    drawn = [text(line, x=x, y=y + LINE * k, class_=look, spaced=True) for k, (line, look) in enumerate(lines, 1)]
    high = LINE * len(lines) + 6
    if moment.stale:
        place = {"x": x - 4, "y": y + 3, "width": WIDE - 8, "height": high - 2}
        drawn.insert(0, element("rect", **place, rx=3, class_="marked"))
    return drawn, high
