"""A picture of an execution as SVG, laid out here.

What goes in: a `Picture`. What comes out: an SVG document: threads as columns with their events from top to bottom,
scope instances as frames around the columns, initial writes above and final reads below. Each relation is a group of
its own (class `rf` and so on). The layout depends on the picture alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from axmem.explanations.story import Stress
from axmem.front.records import dataclass
from axmem.report.picture import Frame, Picture
from axmem.report.style import colour, stressed
from axmem.report.svg import document, element, text, tooltip

CHARACTER = 7.3
LINE = 26
ROW = 64
GAP = 110
MARGIN = 24
PAD = 14
HEAD = 20
PLACES = (0.5, 0.3, 0.7, 0.4, 0.6, 0.2, 0.8)
"""Where on the way the labels of edges between the same events stand, one after the other."""

STYLE = """\
text { font: 12px monospace; fill: #202020; }
.title { font-weight: bold; }
.event rect { fill: #ffffff; stroke: #606060; }
.frame rect { fill: #000000; fill-opacity: 0.03; stroke: #909090; stroke-dasharray: 5 3; }
.frame text { font-size: 11px; fill: #707070; }
.edges path { fill: none; stroke-width: 1.3; }
.edges text { font-size: 10px; paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
.marks path { stroke-width: 2.6; }
.missing { stroke-dasharray: 6 4; }
"""


@dataclass(frozen=True, slots=True)
class Box:
    """Where an event stands: its middle, half its width, and its column (-1 outside the threads)."""

    x: float
    y: float
    half: float
    column: int


@dataclass(frozen=True, slots=True)
class Line:
    """An edge to draw: its ends by name, its label, its colour, its class (empty or `missing`)."""

    first: str
    second: str
    label: str
    colour: str
    look: str = ""


def as_svg(shown: Picture, title: str, notes: Sequence[str] = ()) -> str:
    """Return a picture as an SVG document; `title` and `notes` stand above it."""
    return _Drawing(shown, title, notes).document()


class _Drawing:
    def __init__(self, shown: Picture, title: str, notes: Sequence[str]) -> None:
        self.shown = shown
        self.title = title
        self.notes = notes
        self.texts = {node.name: f"{node.name}: {node.text}" for node in shown.nodes}
        self.lines = {name: self._lines(name) for name in shown.relations}
        self.marks = [
            Line(m.first, m.second, *stressed(m, shown), "missing" if m.stress is Stress.MISSING else "")
            for m in shown.marks
        ]
        self.levels = len({frame.level for frame in shown.frames})
        self.top = MARGIN + HEAD * (2 + len(notes)) + (ROW if shown.initial else 0)
        self.boxes = self._boxes()
        right = max((box.x + box.half for box in self.boxes.values()), default=0.0)
        texts = max(len(text) for text in (title, *notes)) * CHARACTER
        self.width = max(right + MARGIN + PAD * (self.levels + 1) + GAP / 2, texts + 2 * MARGIN)
        self.depth = max((len(c.events) for c in shown.columns), default=0)
        self.bottom = self.top + HEAD * (self.levels + 1) + ROW * self.depth + PAD * self.levels
        self.height = self.bottom + (ROW if shown.final else 0) + HEAD + MARGIN
        self._drawn: dict[tuple[str, str], int] = {}

    def _lines(self, relation: str) -> list[Line]:
        """Return the edges of a relation, without those that are stressed."""
        marked = {(m.first, m.label, m.second) for m in self.shown.marks}
        pairs = self.shown.relations[relation]
        return [Line(a, b, relation, colour(relation, self.shown)) for a, b in pairs if (a, relation, b) not in marked]

    # ------------------------------------------------------------ layout

    def _boxes(self) -> dict[str, Box]:
        boxes: dict[str, Box] = {}
        at = MARGIN + GAP / 2 + PAD * (self.levels + 1)
        first_row = self.top + HEAD * (self.levels + 1) + ROW / 2
        for number, column in enumerate(self.shown.columns):
            half = max([self._half(name) for name in column.events] + [len(column.name) * CHARACTER / 2 + PAD])
            for row, name in enumerate(column.events):
                boxes[name] = Box(at + half, first_row + row * ROW, self._half(name), number)
            if not column.events:
                boxes[f"column {number}"] = Box(at + half, first_row, half, number)
            at += 2 * half + GAP
        self.column_edges = [self._extent(boxes, number) for number in range(len(self.shown.columns))]
        deepest = max((len(c.events) for c in self.shown.columns), default=0)
        below = first_row + deepest * ROW + PAD * self.levels + HEAD
        self._row(boxes, self.shown.initial, self.top - ROW / 2)
        self._row(boxes, self.shown.final, below)
        return boxes

    def _row(self, boxes: dict[str, Box], names: Sequence[str], y: float) -> None:
        """Place the events that are in no thread side by side, each near those that it has edges with."""
        wanted = {name: self._near(boxes, name) for name in names}
        at = float(MARGIN)
        for name in sorted(names, key=lambda name: wanted[name]):
            half = self._half(name)
            x = max(at + half, wanted[name])
            boxes[name] = Box(x, y, half, -1)
            at = x + half + GAP / 4

    def _near(self, boxes: dict[str, Box], name: str) -> float:
        """Return the middle of the events of threads that an event has edges with."""
        lines = [line for group in self.lines.values() for line in group] + self.marks
        ends = [end for line in lines if name in (line.first, line.second) for end in (line.first, line.second)]
        found = [boxes[end].x for end in ends if end in boxes]
        return sum(found) / len(found) if found else float(MARGIN)

    def _extent(self, boxes: dict[str, Box], number: int) -> tuple[float, float]:
        inside = [box for box in boxes.values() if box.column == number]
        return min(b.x - b.half for b in inside), max(b.x + b.half for b in inside)

    def _half(self, name: str) -> float:
        return len(self.texts[name]) * CHARACTER / 2 + PAD / 2

    # ------------------------------------------------------------ document

    def document(self) -> str:
        parts = [
            element("defs", *self._arrowheads()),
            *self._heading(),
            *(self._frame(frame) for frame in self.shown.frames),
            *self._headers(),
            *self._groups(),
            *(self._event(name, box) for name, box in self.boxes.items() if name in self.texts),
            *self._legend(),
        ]
        return document(parts, width=self.width, height=self.height, style=STYLE, title=self.title)

    def _heading(self) -> Iterator[str]:
        yield text(self.title, x=MARGIN, y=MARGIN, class_="title")
        for number, note in enumerate(self.notes, 1):
            yield text(note, x=MARGIN, y=MARGIN + number * HEAD)

    def _arrowheads(self) -> Iterator[str]:
        shades = [*(colour(name, self.shown) for name in self.lines), *(line.colour for line in self.marks)]
        for shade in dict.fromkeys(shades):
            yield element(
                "marker", element("path", d="M0 0L8 4L0 8Z", fill=shade), id=f"arrow-{shade[1:]}", viewBox="0 0 8 8",
                refX=7, refY=4, markerWidth=7, markerHeight=7, markerUnits="userSpaceOnUse", orient="auto",
            )  # fmt: skip

    def _frame(self, frame: Frame) -> str:
        depth = list(dict.fromkeys(f.level for f in self.shown.frames)).index(frame.level)
        pad = PAD * (self.levels - depth)
        left = self.column_edges[frame.first][0] - pad
        right = self.column_edges[frame.last][1] + pad
        top = self.top + HEAD * depth
        bottom = self.bottom - PAD * depth
        rect = element("rect", x=left, y=top, width=right - left, height=bottom - top, rx=4)
        name = text(f"{frame.level} {frame.number}", x=left + 4, y=top + 13)
        return element("g", rect, name, class_=f"frame {frame.level}")

    def _headers(self) -> Iterator[str]:
        for (left, right), column in zip(self.column_edges, self.shown.columns, strict=True):
            y = self.top + HEAD * (self.levels + 1) - 4
            yield text(column.name, x=(left + right) / 2, y=y, class_="title", text_anchor="middle")

    def _event(self, name: str, box: Box) -> str:
        rect = element("rect", x=box.x - box.half, y=box.y - LINE / 2, width=2 * box.half, height=LINE, rx=6)
        label = text(self.texts[name], x=box.x, y=box.y + 4, text_anchor="middle")
        return element("g", rect, label, class_="event", id=f"event-{name}")

    def _legend(self) -> Iterator[str]:
        x, y = float(MARGIN), self.height - MARGIN / 2
        for name in self.lines:
            yield text(name, x=x, y=y, class_="legend", style=f"fill: {colour(name, self.shown)}")
            x += (len(name) + 2) * CHARACTER

    # ------------------------------------------------------------ edges

    def _groups(self) -> Iterator[str]:
        for name, lines in self.lines.items():
            yield element("g", *map(self._edge, lines), class_=f"edges {name}")
        if self.marks:
            yield element("g", *map(self._edge, self.marks), class_="edges marks")

    def _edge(self, line: Line) -> str:
        pair = (min(line.first, line.second), max(line.first, line.second))
        turn = self._drawn[pair] = self._drawn.get(pair, -1) + 1
        curve = self._curve(self.boxes[line.first], self.boxes[line.second], turn, straight=line.label == "po")
        x, y = curve.at(PLACES[turn % len(PLACES)])
        arrow, tip = f"url(#arrow-{line.colour[1:]})", tooltip(f"{line.first} {line.label} {line.second}")
        way = element("path", *tip, d=curve.path, stroke=line.colour, marker_end=arrow, class_=line.look or None)
        if line.label == "po":
            return way
        return way + text(line.label, x=x, y=y, text_anchor="middle", style=f"fill: {line.colour}")

    def _curve(self, a: Box, b: Box, turn: int, *, straight: bool) -> Curve:
        """Return the way of an edge; `turn` counts the edges between the two before it."""
        if a == b:
            x, wide = a.x + a.half, 30 + 10 * turn
            return Curve((x, a.y - 5), (x + wide, a.y - 16), (x + wide, a.y + 16), (x, a.y + 5))
        if a.column < 0 or b.column < 0:
            return _from_outside(a, b, turn)
        if a.column != b.column:
            return _across(a, b, turn)
        if straight and abs(a.y - b.y) <= ROW:
            start, end = (a.x, a.y + LINE / 2), (b.x, b.y - LINE / 2)
            return Curve(start, start, end, end)
        return _beside(a, b, turn)


Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Curve:
    """A cubic Bézier curve."""

    start: Point
    first: Point
    second: Point
    end: Point

    @property
    def path(self) -> str:
        """The curve as SVG has it."""
        points = " ".join(f"{x:.1f} {y:.1f}" for x, y in (self.first, self.second, self.end))
        return f"M{self.start[0]:.1f} {self.start[1]:.1f}C{points}"

    def at(self, t: float) -> Point:
        """Return the point at a part of the way, from 0 to 1."""
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        ways = (self.start, self.first, self.second, self.end)
        x, y = (sum(w * way[axis] for w, way in zip(weights, ways, strict=True)) for axis in (0, 1))
        return x, y + 3


def _across(a: Box, b: Box, turn: int) -> Curve:
    """Return an edge between two columns; over the columns between them it keeps off the rows if it can."""
    side = 1 if a.column < b.column else -1
    fan = 4.0 * ((turn + 1) // 2) * (1 if turn % 2 else -1)
    start, end = (a.x + side * a.half, a.y + fan), (b.x - side * b.half, b.y + fan)
    reach = max(40.0, abs(end[0] - start[0]) / 2.5)
    between = abs(a.column - b.column) > 1 and round(abs(a.y - b.y) / ROW) % 2 == 0
    lift = (-0.66 * ROW if between else 0.0) + 2.5 * fan
    return Curve(start, (start[0] + side * reach, start[1] + lift), (end[0] - side * reach, end[1] + lift), end)


def _beside(a: Box, b: Box, turn: int) -> Curve:
    """Return a bow beside a column: to the right, then to the left, then wider."""
    side = 1 if turn % 2 == 0 else -1
    width = 26 + 12 * (turn // 2) + 6 * abs(a.y - b.y) / ROW
    start, end = (a.x + side * a.half, a.y + 4), (b.x + side * b.half, b.y - 4)
    out = side * (max(a.half, b.half) + width)
    return Curve(start, (a.x + out, a.y + 4), (b.x + out, b.y - 4), end)


def _from_outside(a: Box, b: Box, turn: int) -> Curve:
    """Return an edge with an end above or below the threads: it meets events of threads at their sides."""
    if a.column < 0 and b.column < 0:
        level = a.y == b.y
        start, end = (a.x, a.y + LINE / 2), (b.x, b.y + (LINE / 2 if level else -LINE / 2))
        down = 30.0 if level else 0.0
        return Curve(start, (start[0], start[1] + down), (end[0], end[1] + down), end)
    outer, inner = (a, b) if a.column < 0 else (b, a)
    below = 1 if outer.y < inner.y else -1
    side = -1 if outer.x <= inner.x else 1
    start = (outer.x + 6 * turn, outer.y + below * LINE / 2)
    end = (inner.x + side * inner.half, inner.y - below * (4 - 4 * turn))
    ways = (start, (start[0], start[1] + below * ROW / 2), (end[0] + side * 40, end[1] - below * 10), end)
    return Curve(*ways) if a.column < 0 else Curve(*reversed(ways))
