"""A grid of words as a picture: heads above and at the left, words that say something marked.

What goes in: rows of texts, the first of which are heads; the first two of each row, too. What comes out: an SVG
document. Sizes are those of a font whose characters have one width.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from axmem.report.pictures.elements import document, element, text
from axmem.report.pictures.style import CHARACTER, sheet

LINE, MARGIN, GAP = 20, 16, 18
HEADS = 2
"""How many texts of a row are heads."""


def as_svg(rows: Sequence[Sequence[str]], title: str, plain: Collection[str]) -> str:
    """Return the picture; words that are not `plain` are marked."""
    wide = [round(CHARACTER * max(map(len, column))) for column in zip(*rows, strict=True)]
    left = [MARGIN + sum(wide[:k]) + GAP * k for k in range(len(wide))]
    top = MARGIN + 12
    out = [text(title, x=MARGIN, y=top, class_="title", spaced=True)]
    for number, row in enumerate(rows):
        y = top + LINE * (number + 1) + MARGIN // 2
        for k, (x, said) in enumerate(zip(left, row, strict=True)):
            if number and k >= HEADS and said not in plain:
                box = {"x": x - 5, "y": y - 14, "width": wide[k] + 10, "height": LINE - 2}
                out.append(element("rect", **box, rx=3, class_="marked"))
            look = "title" if number == 0 or k == 0 else "faint" if k < HEADS or said in plain else ""
            out.append(text(said, x=x, y=y, class_=look, spaced=True))
    width = max(left[-1] + wide[-1], round(CHARACTER * len(title))) + 2 * MARGIN
    return document(out, width=width, height=top + LINE * (len(rows) + 1) + MARGIN, style=sheet(), title=title)
