"""What becomes of loop metadata, as a picture: a column for each pass, a frame for each loop after it.

What goes in: a `LoopReport`. What comes out: an SVG document, the cases one below the other. What a pass added is
coloured; where an attribute came from, and why a pass decided so, is what a frame says where a pointer rests on it.
"""

from __future__ import annotations

from axmem.report.loopmd import heading, written
from axmem.report.svg import document, element, text, tooltip
from axmem.transform.followed import Case
from axmem.transform.forest import Tree
from axmem.transform.metadata import LoopReport
from axmem.transform.modes import SUFFIX

CHARACTER, LINE, MARGIN, INDENT = 7, 16, 14, 10
OLD, ADDED, WARNED = "#1a1a1a", "#0b6e4f", "#a4133c"
_STYLE = (
    "text{font:12px 'DejaVu Sans Mono',Menlo,Consolas,monospace}"
    ".head{font-weight:bold;font-size:13px}.pass{fill:#555}.loop{font-weight:bold}"
)


def as_svg(report: LoopReport) -> str:
    """Return the picture of what becomes of the loops of a kernel."""
    out, y, width = [text(heading(report), x=MARGIN, y=MARGIN + 12, class_="head")], MARGIN + 12, len(heading(report))
    wide = width * (CHARACTER + 1)
    for nest in report.nests:
        for number, case in enumerate(nest.cases, 1):
            y += 2 * LINE
            opened = "; ".join(str(each) for each in dict.fromkeys(case.decisions) if each.open)
            title = f"{nest.before.name}, case {number} of {len(nest.cases)}{': ' if opened else ''}{opened}"
            out.append(text(title, x=MARGIN, y=y, class_="head"))
            drawn, right, y = _case(case, y + LINE)
            out += drawn
            wide = max(wide, right, MARGIN + (CHARACTER + 1) * len(title))
    return document(out, width=wide + MARGIN, height=y + 2 * MARGIN, style=_STYLE, title=report.kernel)


def _case(case: Case, top: int) -> tuple[list[str], int, int]:
    """Return what is drawn of a case from a height on, and its right and lower end."""
    out: list[str] = []
    x, bottom = MARGIN, top
    columns: list[tuple[str, tuple[Tree, ...], str]] = [("in the text", (case.before,), "")]
    columns += [(s.pass_, s.loops, "; ".join(f"{d.loop}: {d.reason}" for d in s.decisions)) for s in case.stages]
    for name, trees, why in columns:
        out.append(text(name, *tooltip(why), x=x, y=top, class_="pass"))
        y, right = top + LINE // 2, x + CHARACTER * len(name)
        for tree in trees:
            drawn, wide, y = _loop(tree, x, y)
            out += drawn
            right = max(right, wide)
        x, bottom = right + 2 * MARGIN, max(bottom, y)
    for warning in case.warnings:
        bottom += LINE
        said = f"{warning.loop}: {warning.text.removesuffix(SUFFIX)}"
        out.append(text(said, *tooltip(warning.why), x=MARGIN, y=bottom, fill=WARNED))
        x = max(x, MARGIN + (CHARACTER + 1) * len(said))
    return out, x, bottom


def _loop(tree: Tree, x: int, top: int) -> tuple[list[str], int, int]:
    """Return the frame of a loop at a place, with the loops in it, and its right and lower end."""
    rows = [(tree.name, OLD, "", "loop")]
    if tree.identity is None:
        rows.append(("no LoopID", OLD, "", ""))
    else:
        for each in tree.identity.carried:
            colour = OLD if each.origin.startswith("!") else ADDED
            rows.append((written(each.attribute), colour, each.origin, ""))
    out = [
        text(said, *tooltip(tip), x=x + INDENT, y=top + LINE * (k + 1), fill=colour, class_=look or None)
        for k, (said, colour, tip, look) in enumerate(rows)
    ]
    right = x + 2 * INDENT + max((CHARACTER + 1) * len(said) for said, *_ in rows)
    bottom = top + LINE * len(rows) + LINE // 2
    for inner in tree.inner:
        drawn, wide, bottom = _loop(inner, x + INDENT, bottom)
        out += drawn
        right = max(right, wide + INDENT)
    frame = element(
        "rect", x=x, y=top, width=right - x, height=bottom - top, rx=4, fill="none", stroke="#1040c0", stroke_width=1
    )
    return [frame, *out], right, bottom + LINE // 2
