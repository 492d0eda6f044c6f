"""A picture of an execution as SVG.

What goes in: an `Execution`. What comes out: an SVG document: threads as columns with their events from top to bottom,
scope instances as frames around the columns, initial writes above and final reads below, and a legend of what is drawn.
Each relation is a group of its own (class `r-rf` and so on). Each edge has what it is as its title, and names its
relation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from axmem.explanations.story import Stress
from axmem.report.executions import Execution, Frame
from axmem.report.pictures.elements import document, element, text, tooltip
from axmem.report.pictures.layout import HEAD, MARGIN, Layout, layout
from axmem.report.pictures.style import ALARM, CHARACTER, KINDS, MEANINGS, MISSING, LineStyle, sheet, style_of
from axmem.report.pictures.ways import SMALL, Bundle, Line, Point, Rect

CORNER = 5.0
SAMPLE = 34
"""The length of a line of the legend."""


def as_svg(execution: Execution, *, styled: bool = True) -> str:
    """Return a picture as an SVG document; one that is not `styled` is for a page that has the style sheet."""
    shown = execution.picture
    above = MARGIN + HEAD * (1 + len(execution.notes))
    laid = layout(shown, above)
    texts = {node.name: f"{node.name}: {node.text}" for node in shown.nodes}
    width = max(laid.size[0], max(map(len, (execution.title, *execution.notes))) * CHARACTER + 2 * MARGIN)
    lines = dict(classes(laid))
    legend, height = _legend(execution, lines, width, laid.size[1] + HEAD)
    parts = [
        element("defs", *(_arrowhead(name, execution) for name in lines)),
        *_heading(execution),
        *(_frame(framed, title) for framed, title in zip(laid.frames, laid.titles, strict=True)),
        *(text(name, x=r.x, y=r.bottom - 3, class_="title") for name, r in laid.heads),
        *_groups(laid, execution),
        *(_event(execution.prefix + name, texts[name], rect) for name, rect in laid.boxes.items()),
        *_labels(laid, execution),
        *legend,
    ]
    description = "; ".join(execution.lines()) if execution.threads else ""
    style = sheet(lines) if styled else ""
    return document(parts, width=width, height=height, style=style, title=execution.title, description=description)


def line_class(name: str) -> str:
    """Return the class of the lines of a relation."""
    return "r-" + re.sub(r"[^\w-]", "-", name)


def _heading(execution: Execution) -> Iterator[str]:
    yield text(execution.title, x=MARGIN, y=MARGIN, class_="title")
    for number, note in enumerate(execution.notes, 1):
        yield text(note, x=MARGIN, y=MARGIN + number * HEAD)


def class_of(line: Line) -> str:
    """Return the class of the lines of a relation, or of those with a stress."""
    if line.stress in (Stress.BROKEN, Stress.MISSING):
        return str(line.stress.value)
    return line_class(line.relation)


def _shown_class(name: str, execution: Execution) -> str:
    """Return a class of lines, and that they are hidden if a page shows them later."""
    return f"{name} hidden" if name in map(line_class, execution.hidden) else name


def classes(laid: Layout) -> Iterator[tuple[str, LineStyle]]:
    """Yield the classes of lines that are drawn, each with its style."""
    for bundle in laid.bundles:
        for line in bundle.lines:
            style = {Stress.BROKEN: ALARM, Stress.MISSING: MISSING}.get(line.stress or Stress.REASON)
            yield class_of(line), style or style_of(line.relation)


def _arrowhead(name: str, execution: Execution) -> str:
    head = element("path", d="M0 0L8 4L0 8Z", class_=f"{name}-head")
    return element(
        "marker", head, id=f"{execution.prefix}arrow-{name}", viewBox="0 0 8 8", refX=7, refY=4, markerWidth=8,
        markerHeight=8, markerUnits="userSpaceOnUse", orient="auto",
    )  # fmt: skip


def _frame(framed: tuple[Frame, Rect], title: Rect) -> str:
    frame, rect = framed
    box = element("rect", x=rect.x, y=rect.y, width=rect.width, height=rect.height, rx=5, class_="frame")
    name = text(f"{frame.level} {frame.number}", x=title.x, y=title.bottom - 3, class_="small faint")
    return element("g", box, name, class_="scope")


def _event(name: str, said: str, rect: Rect) -> str:
    box = element("rect", x=rect.x, y=rect.y, width=rect.width, height=rect.height, rx=6, class_="box")
    x, y = rect.middle
    return element("g", box, text(said, x=x, y=y + 4, text_anchor="middle"), class_="event", id=f"event-{name}")


# ---------------------------------------------------------------- edges


def _groups(laid: Layout, execution: Execution) -> Iterator[str]:
    """Yield the lines, a group for each relation; of lines that share a way the first lies above the others."""
    groups: dict[str, list[str]] = {}
    for bundle in laid.bundles:
        for line in bundle.lines:
            name = class_of(line)
            said = MEANINGS.get(line.relation, line.relation)
            tip = tooltip(
                f"{bundle.first} {line.label} {bundle.second}" + (f": {said}" if said != line.relation else "")
            )
            arrow = f"url(#{execution.prefix}arrow-{name})"
            way = element("path", *tip, d=way_of(bundle), marker_end=arrow, data_relation=line.relation)
            groups.setdefault(name, []).append(way)
    for name, ways in reversed(groups.items()):
        yield element("g", *ways, class_=f"lines {_shown_class(name, execution)}")


def _labels(laid: Layout, execution: Execution) -> Iterator[str]:
    for bundle, rect in zip(laid.bundles, laid.labels, strict=True):
        if rect is None:
            continue
        x = rect.x + 2
        for line in bundle.lines:
            if line.relation != "po" or line.stress:
                label = text(line.label, x=x, y=rect.bottom - 3, class_="label")
                yield element("g", label, class_=_shown_class(class_of(line), execution))
                x += (len(line.label) + 1) * SMALL


def way_of(bundle: Bundle) -> str:
    """Return the way of an edge as SVG has it, its corners rounded."""
    points = [p for k, p in enumerate(bundle.points) if not k or p != bundle.points[k - 1]]
    made = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for before, at, after in zip(points, points[1:], points[2:], strict=False):
        near, far = _towards(at, before), _towards(at, after)
        made.append(f"L{near[0]:.1f} {near[1]:.1f}Q{at[0]:.1f} {at[1]:.1f} {far[0]:.1f} {far[1]:.1f}")
    return "".join([*made, f"L{points[-1][0]:.1f} {points[-1][1]:.1f}"])


def _towards(at: Point, other: Point) -> Point:
    """Return the point on the way from one to another at which a corner begins."""
    away = abs(other[0] - at[0]) + abs(other[1] - at[1])
    part = min(CORNER, away / 2) / away
    return at[0] + (other[0] - at[0]) * part, at[1] + (other[1] - at[1]) * part


# ---------------------------------------------------------------- the legend


def legend_of(lines: Iterable[str], width: float, y: float) -> tuple[list[tuple[str, str, Point]], float]:
    """Return each kind of line with what it is and where its sample begins, and the height of the last row."""
    found: list[tuple[str, str, Point]] = []
    x = float(MARGIN)
    for name in lines:
        said = name.removeprefix("r-")
        meaning = MEANINGS.get(said, "")
        words = meaning if name in (Stress.BROKEN.value, Stress.MISSING.value) else f"{said} {meaning}".rstrip()
        wide = SAMPLE + 6 + len(words) * SMALL
        if x + wide > width - MARGIN and x > MARGIN:
            x, y = float(MARGIN), y + HEAD
        found.append((name, words, (x, y)))
        x += wide + 20
    return found, y


def letters_of(execution: Execution, width: float) -> list[str]:
    """Return what the letters of the events of an execution stand for, in rows that are no wider than the picture."""
    letters = {letter for node in execution.picture.nodes if (letter := re.split(r"\W", node.text)[0]) in KINDS}
    rows: list[str] = []
    for said in (f"{k} {KINDS[k]}" for k in KINDS if k in letters):
        joined = f"{rows[-1]}, {said}" if rows else said
        if rows and len(joined) * SMALL <= width - 2 * MARGIN:
            rows[-1] = joined
        else:
            rows.append(said)
    return rows


def _legend(execution: Execution, lines: dict[str, LineStyle], width: float, y: float) -> tuple[list[str], float]:
    """Return a sample of each kind of line with what it is, and the letters of events; and where it ends."""
    out: list[str] = []
    entries, y = legend_of(lines, width, y)
    for name, words, (x, at) in entries:
        arrow = f"url(#{execution.prefix}arrow-{name})"
        sample = element("path", d=f"M{x:.1f} {at - 4:.1f}h{SAMPLE}", marker_end=arrow)
        key = (
            element("g", sample, class_=f"lines {name}"),
            text(words, x=x + SAMPLE + 6, y=at, class_="small legend"),
        )
        later = _shown_class(name, execution) != name
        out += [element("g", *key, class_=f"key-{name} hidden")] if later else key
    for row in letters_of(execution, width):
        y += HEAD
        out.append(text(row, x=MARGIN, y=y, class_="small faint"))
    return out, y + MARGIN
