"""What becomes of loop metadata, as a picture: a column for each pass, a frame for each loop after it.

What goes in: a `LoopReport`. What comes out: an SVG document, the cases one below the other. What a pass added is
coloured; where an attribute came from, and why a pass decided so, is what a frame says where a pointer rests on it.
"""

from __future__ import annotations

from axmem.commands.pages.loopmd import heading, written
from axmem.report.pictures.elements import document, element, text, tooltip
from axmem.report.pictures.style import sheet
from axmem.transform.forest import Tree
from axmem.transform.metadata import LoopReport
from axmem.transform.modes import SUFFIX
from axmem.transform.pipeline_cases import CostCase

CHARACTER, LINE, MARGIN, INDENT = 7, 16, 14, 10
OLD, ADDED, WARNED = "", "added", "alarm"
"""The classes of what was there, of what a pass added, and of warnings."""


def as_svg(report: LoopReport) -> str:
    """Return the picture of what becomes of the loops of a kernel."""
    out, y, width = [text(heading(report), x=MARGIN, y=MARGIN + 12, class_="title")], MARGIN + 12, len(heading(report))
    wide = width * (CHARACTER + 1)
    for nest in report.nests:
        for number, case in enumerate(nest.cases, 1):
            y += 2 * LINE
            opened = "; ".join(str(each) for each in dict.fromkeys(case.decisions) if each.open)
            title = f"{nest.before.name}, case {number} of {len(nest.cases)}{': ' if opened else ''}{opened}"
            out.append(text(title, x=MARGIN, y=y, class_="title"))
            drawn, right, y = _case(case, y + LINE)
            out += drawn
            wide = max(wide, right, MARGIN + (CHARACTER + 1) * len(title))
    return document(out, width=wide + MARGIN, height=y + 2 * MARGIN, style=sheet(), title=report.kernel)


def _case(case: CostCase, top: int) -> tuple[list[str], int, int]:
    """Return what is drawn of a case from a height on, and its right and lower end."""
    out: list[str] = []
    x, bottom = MARGIN, top
    columns: list[tuple[str, tuple[Tree, ...], str]] = [("in the text", (case.before,), "")]
    columns += [(s.pass_, s.loops, "; ".join(f"{d.loop}: {d.reason}" for d in s.decisions)) for s in case.stages]
    for name, trees, why in columns:
        out.append(text(name, *tooltip(why), x=x, y=top, class_="faint"))
        y, right = top + LINE // 2, x + CHARACTER * len(name)
        for tree in trees:
            drawn, wide, y = _loop(tree, x, y)
            out += drawn
            right = max(right, wide)
        x, bottom = right + 2 * MARGIN, max(bottom, y)
    for warning in case.warnings:
        bottom += LINE
        said = f"{warning.loop}: {warning.text.removesuffix(SUFFIX)}"
        out.append(text(said, *tooltip(warning.why), x=MARGIN, y=bottom, class_=WARNED))
        x = max(x, MARGIN + (CHARACTER + 1) * len(said))
    return out, x, bottom


def _loop(tree: Tree, x: int, top: int) -> tuple[list[str], int, int]:
    """Return the frame of a loop at a place, with the loops in it, and its right and lower end."""
    rows = [(tree.name, "title", "")]
    if tree.identity is None:
        rows.append(("no LoopID", OLD, ""))
    else:
        for each in tree.identity.carried:
            look = OLD if each.origin.startswith("!") else ADDED
            rows.append((written(each.attribute), look, each.origin))
    out = [
        text(said, *tooltip(tip), x=x + INDENT, y=top + LINE * (k + 1), class_=look)
        for k, (said, look, tip) in enumerate(rows)
    ]
    right = x + 2 * INDENT + max((CHARACTER + 1) * len(said) for said, *_ in rows)
    bottom = top + LINE * len(rows) + LINE // 2
    for inner in tree.inner:
        drawn, wide, bottom = _loop(inner, x + INDENT, bottom)
        out += drawn
        right = max(right, wide + INDENT)
    frame = element("rect", x=x, y=top, width=right - x, height=bottom - top, rx=4, class_="outline")
    return [frame, *out], right, bottom + LINE // 2
