"""Anchors: into which classes an implementation divides the lanes that come to one.

What goes in: the executions of anchors, each with the lanes of the kernel that may come there. What comes out: for each
wave a choice with an arm for every partition of its lanes, and what an operation with the token gives in each. A
partition is that of whoever comes: where one does not, several arms are alike. An anchor in the convergence region of
another divides what that has divided ([ConvergentOperations]).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from math import prod

from axmem.convergence.controlled import ControlledKey
from axmem.events.building import EventBuilder
from axmem.events.graph import Guard
from axmem.events.state import Lanes
from axmem.events.values import Pick
from axmem.front.records import dataclass
from axmem.front.source import Span

MOST = 3000
"""How many ways to divide a wave are enumerated at most, by an anchor and those around it: 7 lanes have 877."""
Part = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Division:
    """The choice of a partition, and the partition of each arm."""

    choice: int
    arms: tuple[tuple[Part, ...], ...]


class Anchors:
    """The anchors of one kernel whose waves have `width` lanes."""

    def __init__(self, builder: EventBuilder, width: int) -> None:
        self.builder = builder
        self.width = width
        self.members: dict[ControlledKey, tuple[tuple[int, ...], Span]] = {}
        self.divided: dict[tuple[ControlledKey, int], Division] = {}

    def add(self, key: ControlledKey, members: Iterable[int], span: Span) -> None:
        """Note an anchor with the lanes that may come there; a token that nobody takes is no choice."""
        self.members[key] = tuple(members), span

    def groups(self, anchors: Sequence[ControlledKey], here: Part) -> Iterator[tuple[Guard, Part]]:
        """Yield the lanes of a wave that are together, each time with the choices by which they are."""
        if not anchors:
            yield (), here
            return
        division = self._division(anchors[0], here[0] // self.width)
        for arm, parts in enumerate(division.arms):
            for part in parts:
                if some := tuple(n for n in here if n in part):
                    for guard, inner in self.groups(anchors[1:], some):
                        yield ((division.choice, arm), *guard), inner

    def results(
        self, anchors: Sequence[ControlledKey], here: Part, of: Callable[[Part], dict[int, Lanes]]
    ) -> dict[int, Lanes]:
        """Return what an operation gives to each lane of a wave, where `of` says what it gives to some together."""
        if not anchors:
            return of(here)
        division = self._division(anchors[0], here[0] // self.width)
        arms: list[dict[int, Lanes]] = []
        for parts in division.arms:
            found: dict[int, Lanes] = {}
            for part in parts:
                if some := tuple(n for n in here if n in part):
                    found |= self.results(anchors[1:], some, of)
            arms.append(found)
        return {
            n: tuple(Pick(division.choice, column) for column in zip(*(arm[n] for arm in arms), strict=True))
            for n in here
        }

    def _division(self, anchor: ControlledKey, wave: int) -> Division:
        if (anchor, wave) not in self.divided:
            come = {key: [n for n in self.members[key][0] if n // self.width == wave] for key in anchor.anchors}
            lanes, span = come[anchor], self.members[anchor][1]
            if (ways := prod(number_of_partitions(len(some)) for some in come.values())) > MOST:
                message = f"the engine divides a wave at anchors in at most {MOST:,} ways; here there are {ways:,}"
                self.builder.fail(span, message)
            arms = tuple(partitions(lanes))
            self.divided[anchor, wave] = Division(self.builder.choice((), None, tuple(range(len(arms)))), arms)
        return self.divided[anchor, wave]


def number_of_partitions(count: int) -> int:
    """Return in how many ways so many lanes are divided into classes (Bell's numbers)."""
    row = [1]
    for _ in range(count):
        row = list(accumulate(row, initial=row[-1]))
    return row[0]


def partitions(lanes: Sequence[int]) -> Iterator[tuple[Part, ...]]:
    """Yield every way to divide lanes into classes, all in one class first."""
    if not lanes:
        yield ()
        return
    *others, last = lanes
    for parts in partitions(others):
        for number, part in enumerate(parts):
            yield (*parts[:number], (*part, last), *parts[number + 1 :])
        yield (*parts, (last,))
