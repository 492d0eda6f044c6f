"""What layouts are made of: rectangles, the ways of edges, and places for their labels.

What goes in: ways as points, and the rectangles that are taken. What comes out: a rectangle for each label. Invariant:
no label overlaps another, or anything that is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from axmem.explanations.story import Stress
from axmem.front.records import dataclass, field

SMALL = 6.8
"""The width of a character of a label."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle: its corner at the upper left, and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right end."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower end."""
        return self.y + self.height

    @property
    def middle(self) -> Point:
        """The middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    def overlaps(self, other: Rect) -> bool:
        """Tell whether two rectangles have more than an edge in common."""
        apart = self.right <= other.x or other.right <= self.x or self.bottom <= other.y or other.bottom <= self.y
        return not apart


@dataclass(frozen=True, slots=True)
class Line:
    """An edge of one relation: its name, its stress if it has one."""

    relation: str
    stress: Stress | None = None

    @property
    def label(self) -> str:
        """What is written on it."""
        return f"no {self.relation}" if self.stress is Stress.MISSING else self.relation


@dataclass(slots=True)
class Bundle:
    """The edges from one event to another, which share their way.

    `lift` is the corridor that the way takes, by the row below it, if it needs one; `sides` are those of the ends.
    """

    first: str
    second: str
    lines: tuple[Line, ...]
    sides: tuple[int, int] = (0, 0)
    lift: int | None = None
    points: list[Point] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What is written on the way; po goes without."""
        return " ".join(line.label for line in self.lines if line.relation != "po" or line.stress)


def labels(found: Sequence[Bundle], taken: list[Rect], width: float) -> Iterator[Rect | None]:
    """Yield a place for the label of each bundle, on its way and apart from everything else; None if there is none."""
    segments = [
        (*sorted((x1, x2)), *sorted((y1, y2)), number)
        for number, bundle in enumerate(found) for (x1, y1), (x2, y2) in pairwise(bundle.points)
    ]  # fmt: skip
    taken = list(taken)
    for number, bundle in enumerate(found):
        best: tuple[float, Rect] | None = None
        for distance, rect in _places(bundle) if bundle.text else ():
            if best is not None and distance / 400 >= best[0]:
                continue
            if rect.x < 2 or rect.right > width - 2 or any(rect.overlaps(other) for other in taken):
                continue
            x1, x2, y1, y2 = rect.x, rect.right, rect.y, rect.bottom
            # Lines are level or upright: one that passes through the inside crosses the label.
            crossed = sum(
                left < x2 and right > x1 and top < y2 and bottom > y1 and own != number
                for left, right, top, bottom, own in segments
            )
            cost = crossed + distance / 400
            if best is None or cost < best[0]:
                best = cost, rect
                if not crossed:
                    break
        if best is not None:
            taken.append(best[1])
        yield best[1] if best else None


def _places(bundle: Bundle) -> Iterator[tuple[float, Rect]]:
    """Yield places for a label along the way, the middle of the longest part first, with their distances from there."""
    wide, high = len(bundle.text) * SMALL + 4, 13.0
    ways = sorted(pairwise(bundle.points), key=lambda way: -_length(way))
    for number, ((x1, y1), (x2, y2)) in enumerate(ways):
        steps = max(2, int(_length(((x1, y1), (x2, y2))) / 6))
        for k in sorted(range(steps + 1), key=lambda k: abs(k - steps / 2)):
            x, y = x1 + (x2 - x1) * k / steps, y1 + (y2 - y1) * k / steps
            away = 100.0 * number + abs(k - steps / 2) * 6
            # A label of a straight arrow between neighbours stands beside it, and so does one on a short upright.
            if bundle.sides == (0, 0):
                yield away, Rect(x + 5, y - high / 2, wide, high)
                yield away + 1, Rect(x - 5 - wide, y - high / 2, wide, high)
            else:
                yield away, Rect(x - wide / 2, y - high / 2, wide, high)
                yield away + 20, Rect(x + 3, y - high / 2, wide, high)
                yield away + 20, Rect(x - 3 - wide, y - high / 2, wide, high)


def _length(way: tuple[Point, Point]) -> float:
    (x1, y1), (x2, y2) = way
    return abs(x2 - x1) + abs(y2 - y1)
