"""Where everything of a picture of an execution stands, and the ways of its edges.

What goes in: a `Picture`. What comes out: a `Layout` of rectangles, ways and labels in pixels. Threads are columns,
events rows; edges run in channels between the columns and corridors between the rows, each on a track of its own.
Invariants: no two of boxes, heads and labels overlap; an edge passes through no box; the same picture gives the same
layout.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from axmem.front.records import dataclass
from axmem.report.executions import Frame, Picture
from axmem.report.pictures.style import CHARACTER
from axmem.report.pictures.ways import SMALL, Bundle, Line, Point, Rect, labels

LINE, PORT, TRACK, CORRIDOR = 26, 8, 10, 14
"""In pixels: the height of an event, between two ports, between two tracks of a channel, and of a corridor."""
MARGIN, PAD, HEAD = 20, 10, 18
"""The margin of the page, between two frames, and the height of a head."""
ABOVE, BELOW = -1, -2
"""The rows of the events in no thread: initial writes, final reads."""
TRIES = 12
GROWTH = 1.3
"""How often a layout is tried, and how much wider it is each time, until each label has a place."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything stands."""

    boxes: dict[str, Rect]
    heads: tuple[tuple[str, Rect], ...]
    frames: tuple[tuple[Frame, Rect], ...]
    titles: tuple[Rect, ...]
    bundles: tuple[Bundle, ...]
    labels: tuple[Rect | None, ...]
    size: Point


def layout(shown: Picture, top: float) -> Layout:
    """Return the layout of a picture that begins at a height."""
    scale = 1.0
    for _ in range(TRIES):
        found = _Placing(shown, top, scale).layout()
        if all(label is not None or not b.text for label, b in zip(found.labels, found.bundles, strict=True)):
            return found
        scale *= GROWTH
    return found


def bundles(shown: Picture) -> list[Bundle]:
    """Return the edges of a picture, those with the same ends together: the stressed, then in the order shown."""
    found: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for mark in shown.marks:
        found[mark.first, mark.second].append(Line(mark.label, mark.stress))
    for relation, edges in shown.relations.items():
        for pair in edges:
            if all(line.relation != relation for line in found[pair]):
                found[pair].append(Line(relation))
    return [Bundle(a, b, tuple(lines)) for (a, b), lines in found.items()]


class _Placing:
    """One try: everything at a scale of the distances between columns and rows."""

    def __init__(self, shown: Picture, top: float, scale: float) -> None:
        self.shown = shown
        self.scale = scale
        self.texts = {node.name: f"{node.name}: {node.text}" for node in shown.nodes}
        self.place = {name: (c, r) for c, column in enumerate(shown.columns) for r, name in enumerate(column.events)}
        self.place |= dict.fromkeys(shown.initial, (-1, ABOVE)) | dict.fromkeys(shown.final, (-1, BELOW))
        self.rows = max((len(column.events) for column in shown.columns), default=0)
        self.levels = list(dict.fromkeys(frame.level for frame in shown.frames))
        self.pad = PAD * (len(self.levels) + 1)
        self.bundles = bundles(shown)
        self.ports: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
        self.top = top
        self.y: dict[int, float] = {}

    def layout(self) -> Layout:
        self._routes()
        self._heights()
        self._widths()
        self._ways()
        frames = tuple((frame, self._frame(frame)) for frame in self.shown.frames)
        titles = tuple(Rect(r.x + 6, r.y + 2, len(f"{f.level} {f.number}") * SMALL, 14) for f, r in frames)
        heads = tuple(self._heads())
        taken = [*self.boxes.values(), *titles, *(rect for _, rect in heads)]
        placed = tuple(labels(self.bundles, taken, self.width))
        return Layout(self.boxes, heads, frames, titles, tuple(self.bundles), placed, (self.width, self.bottom))

    # ------------------------------------------------------------ which way

    def _routes(self) -> None:
        """Choose for each bundle the sides of its ends (-1 left, 1 right, 2 above or below) and its corridor."""
        load: dict[int, int] = defaultdict(int)
        for number, bundle in enumerate(self.bundles):
            (c1, r1), (c2, r2) = self.place[bundle.first], self.place[bundle.second]
            if c1 < 0 and c2 < 0:
                bundle.sides, bundle.lift = (2, 2), self._corridor_of(r1)
            elif c1 < 0 or c2 < 0:
                column, row = (c2, r1) if c1 < 0 else (c1, r2)
                side = -1 if load[column] <= load[column + 1] else 1
                load[column + (side > 0)] += 1
                bundle.sides, bundle.lift = ((2, side) if c1 < 0 else (side, 2)), self._corridor_of(row)
            elif c1 == c2:
                if r2 == r1 + 1 and any(line.relation == "po" for line in bundle.lines):
                    bundle.sides = (0, 0)
                    continue
                side = 1 if load[c1 + 1] <= load[c1] else -1
                load[c1 + (side > 0)] += 1
                bundle.sides = (side, side)
            else:
                side = 1 if c1 < c2 else -1
                bundle.sides = (side, -side)
                load[c1 + (side > 0)] += 1
                if abs(c1 - c2) > 1:
                    load[c2 + (side < 0)] += 1
                    bundle.lift = r1 + 1 if r2 > r1 else r1 if r2 < r1 else r1 + number % 2
            self.ports[bundle.first, bundle.sides[0]].append((self._order(bundle.second), 2 * number))
            self.ports[bundle.second, bundle.sides[1]].append((self._order(bundle.first), 2 * number + 1))
        for ports in self.ports.values():
            ports.sort()
        self.port = {end: k for ports in self.ports.values() for k, (_, end) in enumerate(ports)}

    def _corridor_of(self, row: int) -> int:
        return ABOVE if row == ABOVE else self.rows + 1

    def _order(self, name: str) -> int:
        """Return how far down an event stands."""
        _, row = self.place[name]
        return -1 if row == ABOVE else self.rows if row == BELOW else row

    def _count(self, name: str, side: int) -> int:
        return len(self.ports.get((name, side), ()))

    # ------------------------------------------------------------ heights

    def _heights(self) -> None:
        """Place the rows: each as high as its events need for their ports, with corridors between them."""
        spans: dict[int, list[tuple[float, float, int]]] = defaultdict(list)
        for number, bundle in enumerate(self.bundles):
            if bundle.lift is not None:
                ends = sorted(self._channel(bundle, end) for end in (0, 1))
                # Where events in no thread will stand is not known yet: edges with one share no track.
                outside = 2 in bundle.sides
                spans[bundle.lift].append((0.0, 1e6, number) if outside else (ends[0] - 0.5, ends[1] + 0.5, number))
        self.corridor: dict[int, int] = {}
        counts: dict[int, int] = defaultdict(int)
        for lift, intervals in spans.items():
            tracks, counts[lift] = _tracks(intervals)
            self.corridor |= tracks
        self.lift_y: dict[int, float] = {}
        y = self.top
        if self.shown.initial:
            y = self._row(ABOVE, y, self.shown.initial) + CORRIDOR * self.scale / 2
            self.lift_y[ABOVE] = y
            y += CORRIDOR * counts[ABOVE] + CORRIDOR / 2
        self.frames_top = y
        y += HEAD * (len(self.levels) + 1) + 6
        for row in range(self.rows):
            self.lift_y[row] = y + 4
            y += CORRIDOR * counts[row] + (20 * self.scale if row else 6)
            y = self._row(row, y, [c.events[row] for c in self.shown.columns if row < len(c.events)])
        self.lift_y[self.rows] = y + 6
        y += CORRIDOR * counts[self.rows] + 10 + PAD * len(self.levels)
        self.frames_bottom = y
        if self.shown.final:
            self.lift_y[self.rows + 1] = y + CORRIDOR / 2
            y += CORRIDOR * counts[self.rows + 1] + CORRIDOR * self.scale
            y = self._row(BELOW, y, self.shown.final)
        self.bottom = y + 10

    def _channel(self, bundle: Bundle, end: int) -> float:
        """Return the channel in which an end of a bundle runs."""
        return self.place[(bundle.first, bundle.second)[end]][0] + (bundle.sides[end] > 0)

    def _row(self, row: int, y: float, names: Sequence[str]) -> float:
        """Place the middle of a row that begins at a height, and return where it ends."""
        high = max((self._height(name) for name in names), default=LINE)
        self.y[row] = y + high / 2
        return y + high

    def _height(self, name: str) -> float:
        return max(LINE, PORT * (max(self._count(name, side) for side in (-1, 1)) + 1.5))

    # ------------------------------------------------------------ widths

    def _widths(self) -> None:
        """Place the columns, with channels between them as wide as their tracks, then the rows above and below."""
        intervals: dict[int, list[tuple[float, float, int]]] = defaultdict(list)
        for number, bundle in enumerate(self.bundles):
            for end, channel, (low, high) in self._uprights(bundle):
                intervals[channel].append((low, high, 2 * number + end))
        self.track: dict[int, int] = {}
        counts = [0] * (len(self.shown.columns) + 1)
        for channel, spans in intervals.items():
            tracks, counts[channel] = _tracks(spans)
            self.track |= tracks
        x = float(MARGIN)
        self.boxes: dict[str, Rect] = {}
        self.columns: list[tuple[float, float]] = []
        self.channels: list[float] = []
        for number, column in enumerate(self.shown.columns):
            x += self.pad if number else PAD * len(self.levels)
            self.channels.append(x)
            outer = not number
            x += TRACK * (counts[number] + 1) + (0 if outer and not counts[0] else 14 * self.scale)
            x += self.pad
            wide = max([*(self._width(name) for name in column.events), *self._head_widths(number)])
            for name in column.events:
                own = self._width(name)
                self.boxes[name] = self._box(name, x + (wide - own) / 2, own)
            self.columns.append((x, x + wide))
            x += wide
        x += self.pad
        self.channels.append(x)
        x += TRACK * (counts[-1] + 1) + (14 * self.scale if counts[-1] else 0)
        self.width = x + PAD * len(self.levels) + MARGIN
        self._outside(self.shown.initial)
        self._outside(self.shown.final)

    def _box(self, name: str, x: float, width: float) -> Rect:
        high = self._height(name)
        return Rect(x, self.y[self.place[name][1]] - high / 2, width, high)

    def _width(self, name: str) -> float:
        across = PORT * 2 * (self._count(name, 2) + 1)
        return max(len(self.texts[name]) * CHARACTER + 14, across)

    def _head_widths(self, number: int) -> Iterator[float]:
        """Yield how wide the heads are that stand over a column: its name, and those of the frames that begin there."""
        yield len(self.shown.columns[number].name) * CHARACTER + 8
        for frame in self.shown.frames:
            if frame.first == number:
                yield len(f"{frame.level} {frame.number}") * SMALL + 8

    def _outside(self, names: Sequence[str]) -> None:
        """Place the events in no thread side by side, each near those that it has edges with."""
        ends = [(b.first, b.second) for b in self.bundles]

        def near(name: str) -> float:
            others = [b if a == name else a for a, b in ends if name in (a, b)]
            found = [self.boxes[other].middle[0] for other in others if self.place[other][0] >= 0]
            return sum(found) / len(found) if found else float(MARGIN)

        at = float(MARGIN)
        for name in sorted(names, key=near):
            wide = self._width(name)
            x = max(at, near(name) - wide / 2)
            self.boxes[name] = self._box(name, x, wide)
            at = x + wide + 2 * PAD
        self.width = max(self.width, at)

    def _uprights(self, bundle: Bundle) -> Iterator[tuple[int, int, tuple[float, float]]]:
        """Yield the uprights of a bundle: the end that it belongs to, its channel, and from where to where it runs."""
        names, number = (bundle.first, bundle.second), self.bundles.index(bundle)
        if bundle.sides == (0, 0):
            return
        if bundle.lift is None:
            ys = sorted(self._port_y(names[end], bundle.sides[end], 2 * number + end) for end in (0, 1))
            yield 0, self._side_channel(names[0], bundle.sides[0]), (ys[0] - 3, ys[1] + 3)
            return
        lift = self._lift(bundle, number)
        for end in (0, 1):
            if bundle.sides[end] != 2:
                ys = sorted((self._port_y(names[end], bundle.sides[end], 2 * number + end), lift))
                yield end, self._side_channel(names[end], bundle.sides[end]), (ys[0] - 3, ys[1] + 3)

    def _side_channel(self, name: str, side: int) -> int:
        return self.place[name][0] + (side > 0)

    def _lift(self, bundle: Bundle, number: int) -> float:
        assert bundle.lift is not None
        return self.lift_y[bundle.lift] + CORRIDOR * self.corridor[number]

    def _port_y(self, name: str, side: int, end: int) -> float:
        """Return the height of a port; those on the left stand between those on the right, so that none are level."""
        _, row = self.place[name]
        count = self._count(name, side)
        return self.y[row] + PORT * (self.port[end] - (count - 1) / 2) + (1.5 if side > 0 else -1.5)

    # ------------------------------------------------------------ ways

    def _ways(self) -> None:
        for number, bundle in enumerate(self.bundles):
            a, b = self.boxes[bundle.first], self.boxes[bundle.second]
            if bundle.sides == (0, 0):
                bundle.points = [(a.middle[0], a.bottom), (a.middle[0], b.y)]
                continue
            start, end = self._port(bundle, number, 0), self._port(bundle, number, 1)
            if bundle.lift is None:
                x = self._track_x(self._side_channel(bundle.first, bundle.sides[0]), 2 * number)
                bundle.points = [start, (x, start[1]), (x, end[1]), end]
                continue
            lift = self._lift(bundle, number)
            xs = [self._upright_x(bundle, 2 * number + k, point) for k, point in enumerate((start, end))]
            bundle.points = [start, (xs[0], start[1]), (xs[0], lift), (xs[1], lift), (xs[1], end[1]), end]

    def _upright_x(self, bundle: Bundle, end: int, port: Point) -> float:
        """Return where an end of a bundle runs up or down: on a track, or straight from an event in no thread."""
        side = bundle.sides[end % 2]
        if side == 2:
            return port[0]
        return self._track_x(self._side_channel((bundle.first, bundle.second)[end % 2], side), end)

    def _track_x(self, channel: int, end: int) -> float:
        return self.channels[channel] + TRACK * (self.track[end] + 1)

    def _port(self, bundle: Bundle, number: int, end: int) -> Point:
        name, side = (bundle.first, bundle.second)[end], bundle.sides[end]
        box = self.boxes[name]
        if side == 2:
            x = box.middle[0] + 2 * PORT * (self.port[2 * number + end] - (self._count(name, 2) - 1) / 2)
            return x, box.bottom if self.place[name][1] == ABOVE else box.y
        return (box.right if side > 0 else box.x), self._port_y(name, side, 2 * number + end)

    # ------------------------------------------------------------ frames and heads

    def _frame(self, frame: Frame) -> Rect:
        depth = self.levels.index(frame.level)
        pad = PAD * (len(self.levels) - depth)
        left, right = self.columns[frame.first][0] - pad, self.columns[frame.last][1] + pad
        top, bottom = self.frames_top + HEAD * depth, self.frames_bottom - PAD * depth
        return Rect(left, top, right - left, bottom - top)

    def _heads(self) -> Iterator[tuple[str, Rect]]:
        y = self.frames_top + HEAD * len(self.levels) + 2
        for (left, right), column in zip(self.columns, self.shown.columns, strict=True):
            wide = len(column.name) * CHARACTER
            yield column.name, Rect((left + right - wide) / 2, y, wide, 14)


def _tracks(spans: Sequence[tuple[float, float, int]]) -> tuple[dict[int, int], int]:
    """Return a track for each interval, by its key, such that none on one track overlap; and the number of tracks."""
    tracks: list[list[tuple[float, float]]] = []
    found = {}
    for low, high, key in sorted(spans, key=lambda span: (span[1] - span[0], span)):
        free = [k for k, track in enumerate(tracks) if all(high <= a or b <= low for a, b in track)]
        found[key] = free[0] if free else len(tracks)
        if not free:
            tracks.append([])
        tracks[found[key]].append((low, high))
    return found, len(tracks)
