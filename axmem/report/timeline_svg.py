"""A timeline as a picture: a column for each wave and cache, time downwards, what is stale in red.

What goes in: a `Timeline` and its title. What comes out: an SVG document. Sizes are those of a font whose characters
have one width; a text that is longer than its column wraps.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from textwrap import wrap

from axmem.mapping.timeline import Moment, Timeline

LINE, MARGIN = 16, 16
COLUMN, WIDE = 34, 264
"""How many characters a line of a column has at most, and from one column to the next in pixels."""
NORMAL, HEAD = 7.3, 8
"""The width of a character in pixels, at most: of a text, of a heading."""
FIRST = MARGIN + 32
"""Where the first column begins, behind the numbers."""
_STYLE = (
    "text{font:12px 'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1a1a1a}"
    ".head{font-weight:bold;font-size:13px}.place{fill:#555}.stale{fill:#a4133c}.number{fill:#999}"
)


def as_svg(shown: Timeline, title: str, notes: Sequence[str] = ()) -> str:
    """Return the picture; `notes` stand below the title."""
    left = {column: FIRST + k * WIDE for k, column in enumerate(shown.columns)}
    out: list[str] = []
    y = MARGIN + 12
    out.append(_line(MARGIN, y, title, "head"))
    for note in notes:
        y += LINE
        out.append(_line(MARGIN, y, note, "place"))
    y += LINE + MARGIN
    top = y
    out += [_line(x, y, column, "head") for column, x in left.items()]
    y += MARGIN // 2
    for moment in shown.moments:
        box, high = _box(moment, left[moment.column], y)
        out.append(_line(MARGIN, y + LINE, str(moment.number), "number"))
        out += box
        y += high
    rules = [f'<line x1="{x - 10}" y1="{top + 6}" x2="{x - 10}" y2="{y + 4}" stroke="#ddd"/>' for x in left.values()]
    widest = max(HEAD * len(title), *(NORMAL * len(note) for note in notes), 0)
    width = max(FIRST + WIDE * len(left), round(widest) + 2 * MARGIN)
    height = y + MARGIN
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", f"<style>{_STYLE}</style>",
                      '<rect width="100%" height="100%" fill="#fff"/>', *rules, *out, "</svg>", ""])  # fmt: skip


def _box(moment: Moment, x: int, y: int) -> tuple[list[str], int]:
    """Return a moment's texts, and how high they are together."""
    texts = [(line, "") for line in wrap(moment.text, COLUMN)]
    for part in filter(None, moment.stale.split("; ")):
        texts += [(line, "stale") for line in wrap(part, COLUMN)]
    drawn = [_line(x, y + LINE * (k + 1), text, class_) for k, (text, class_) in enumerate(texts)]
    high = LINE * len(texts) + 6
    if moment.stale:
        frame = f'x="{x - 4}" y="{y + 3}" width="{WIDE - 8}" height="{high - 2}"'
        drawn.insert(0, f'<rect {frame} rx="3" fill="#fdf1f3" stroke="#a4133c"/>')
    return drawn, high


def _line(x: int, y: int, text: str, class_: str) -> str:
    kind = f' class="{class_}"' if class_ else ""
    return f'<text{kind} x="{x}" y="{y}" xml:space="preserve">{escape(text)}</text>'
