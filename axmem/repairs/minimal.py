"""The minimal points of a predicate on a product of partial orders, in the order of their cost.

What goes in: for each site the sets of states below each state, its costs, and a predicate on points (a state for each
site) that tells True, False or, if a limit was reached, None. What comes out: the points that satisfy it and from which
no site can be lowered. Invariant: each point that comes out has been tried, and so have those directly below it. That
none is missing rests on the predicate being monotone, so that a failing point rules out all that lie below it; without
`monotone` nothing does, and every point with few enough edits is tried.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeAlias

from axmem.front.records import dataclass, field

Point: TypeAlias = tuple[int, ...]
Chosen: TypeAlias = tuple[tuple[int, int], ...]
"""The sites that are not in their first state, in ascending order, each with its state."""
Cost: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SiteOrder:
    """The states of one site. `below[n]` are the states that n is at least as strong as, as bits, n included.

    State 0 is below all. `costs` are compared in the order of their parts, and add up over sites; `edits` says how many
    edits a state stands for.
    """

    below: tuple[int, ...]
    costs: tuple[Cost, ...]
    edits: tuple[int, ...]

    def top(self, state: int) -> int:
        """Return the highest state above one (itself, if there is none); of several the one that most are below."""
        higher = [n for n, mask in enumerate(self.below) if mask >> state & 1]
        return max(higher, key=lambda n: self.below[n].bit_count())

    def above(self, state: int) -> tuple[int, ...]:
        """Return the states directly above one."""
        return tuple(n for n in range(len(self.below)) if state in self.covers(n))

    def covers(self, state: int) -> tuple[int, ...]:
        """Return the states directly below one."""
        return _covers(self.below)[state]


@lru_cache(maxsize=1024)
def _covers(below: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return for each state of an order the states directly below it."""
    found = []
    for state, mask in enumerate(below):
        under = [n for n in range(len(below)) if n != state and mask >> n & 1]
        found.append(tuple(n for n in under if not any(m != n and below[m] >> n & 1 for m in under)))
    return tuple(found)


class Stopped(Exception):
    """The search is to end at once: a limit was reached."""


@dataclass(slots=True)
class EditSearch:
    """A search, and what is known of the predicate so far: what it said, the cuts and the points that `held`.

    `most` bounds the edits of a point (None: nothing does). After `points` has ended, `exhausted` says that no more
    points exist within that bound; `doubtful` counts those that may be such points: the predicate could not tell.
    `contradicted` says that it is not monotone, for certain: a point fails above one that holds.
    """

    orders: tuple[SiteOrder, ...]
    holds: Callable[[Point], bool | None]
    most: int | None = None
    monotone: bool = True
    exhausted: bool = False
    doubtful: int = 0
    contradicted: bool = False
    known: dict[Point, bool | None] = field(default_factory=dict)
    cuts: list[tuple[int, ...]] = field(default_factory=list)
    held: list[Point] = field(default_factory=list)
    found: list[Point] = field(default_factory=list)

    def points(self) -> Iterator[Point]:
        """Yield the minimal points, the cheapest first; raise Stopped if the predicate does."""
        heap: list[tuple[Cost, int, Chosen]] = [((0, 0), 0, ())]
        seen: set[Chosen] = {()}
        while heap:
            cost, edits, chosen = heapq.heappop(heap)
            if self.blocked(chosen):
                continue
            cut = self.cut_above(chosen) if self.monotone else None
            if cut is None:
                point = self.point(chosen)
                if self.try_point(point):
                    yield from self.settled(point)
                    continue
                self.doubtful += self.known[point] is None
                if self.monotone:
                    cut = self.grown(point)
                    self.cuts.append(cut)
            for site, state in self.raises(chosen, cut):
                self.push(heap, seen, cost, edits, chosen, (site, state))
        self.exhausted = True

    def push(
        self, heap: list[tuple[Cost, int, Chosen]], seen: set[Chosen], cost: Cost, edits: int, chosen: Chosen,
        more: tuple[int, int],
    ) -> None:  # fmt: skip
        """Note a further choice, unless it is one edit too many or known already."""
        site, state = more
        order = self.orders[site]
        total = edits + order.edits[state]
        raised = tuple(sorted((*chosen, more)))
        if (self.most is not None and total > self.most) or raised in seen:
            return
        seen.add(raised)
        dearer = (cost[0] + order.costs[state][0], cost[1] + order.costs[state][1])
        heapq.heappush(heap, (dearer, total, raised))

    def raises(self, chosen: Chosen, cut: tuple[int, ...] | None) -> Iterator[tuple[int, int]]:
        """Yield the choices that leave a cut, at sites that have not been chosen; without a cut, all after the last."""
        taken = {site for site, _ in chosen}
        first = 0 if cut is not None else max(taken, default=-1) + 1
        for site in range(first, len(self.orders)):
            if site in taken:
                continue
            mask = 1 if cut is None else cut[site]
            for state in range(1, len(self.orders[site].below)):
                if not mask >> state & 1:
                    yield site, state

    # ------------------------------------------------ what is known

    def point(self, chosen: Chosen) -> Point:
        """Return the point of a choice."""
        states = dict(chosen)
        return tuple(states.get(site, 0) for site in range(len(self.orders)))

    def try_point(self, point: Point) -> bool:
        """Tell whether the predicate holds for certain."""
        if point not in self.known:
            self.known[point] = self.holds(point)
            self.compare(point, self.known[point])
        return self.known[point] is True

    def compare(self, point: Point, answer: bool | None) -> None:
        """Note an answer, and whether it shows that a predicate on whose monotonicity the search relies has none."""
        if not self.monotone:
            return
        above = any(self.reaches(point, low) for low in self.held)
        if answer is True:
            self.contradicted |= any(self.lies_below(point, cut) for cut in self.cuts)
            self.held += [] if above else [point]
        elif answer is False:
            self.contradicted |= above

    def fails(self, point: Point) -> bool:
        """Tell whether the predicate fails for certain."""
        self.try_point(point)
        return self.known[point] is False

    def blocked(self, chosen: Chosen) -> bool:
        """Tell whether a choice lies above a point that was found, so that it is not minimal."""
        states = dict(chosen)
        return any(
            all(not low or self.orders[site].below[states.get(site, 0)] >> low & 1 for site, low in enumerate(point))
            for point in self.found
        )

    def cut_above(self, chosen: Chosen) -> tuple[int, ...] | None:
        """Return the cut that a choice lies below and that leaves the fewest ways out, if there is one."""
        above = [cut for cut in self.cuts if all(cut[site] >> state & 1 for site, state in chosen)]
        taken = {site for site, _ in chosen}

        def ways(cut: tuple[int, ...]) -> int:
            return sum(len(o.below) - cut[s].bit_count() for s, o in enumerate(self.orders) if s not in taken)

        return min(above, key=ways, default=None)

    # ------------------------------------------------ steps

    def grown(self, point: Point) -> tuple[int, ...]:
        """Return what lies below a failing point that is as high as can be: for each site a set of states."""
        high = list(point)
        self.raise_together(high, [s for s, order in enumerate(self.orders) if order.top(high[s]) != high[s]])
        return tuple(order.below[state] for order, state in zip(self.orders, high, strict=True))

    def raise_together(self, high: list[int], sites: list[int]) -> None:
        """Raise some sites of a failing point as far as it keeps failing, all at once if possible."""
        if not sites:
            return
        tried = list(high)
        for site in sites:
            tried[site] = self.orders[site].top(high[site])
        if self.surely_fails(tuple(tried)):
            high[:] = tried
        elif len(sites) == 1:
            self.raise_one(high, sites[0])
        else:
            half = len(sites) // 2
            self.raise_together(high, sites[:half])
            self.raise_together(high, sites[half:])

    def raise_one(self, high: list[int], site: int) -> None:
        """Raise one site of a failing point step by step, until each further step would satisfy the predicate."""
        for state in self.orders[site].above(high[site]):
            if self.surely_fails((*high[:site], state, *high[site + 1 :])):
                high[site] = state
                self.raise_one(high, site)
                return

    def surely_fails(self, point: Point) -> bool:
        """Tell whether the predicate fails at a point, which may follow from another point."""
        if point not in self.known:
            if any(self.lies_below(point, cut) for cut in self.cuts):
                return True
            if any(self.reaches(point, low) for low in self.held):
                return False
        return self.fails(point)

    def lies_below(self, point: Point, cut: tuple[int, ...]) -> bool:
        """Tell whether a point is in a region that was ruled out."""
        return all(mask >> state & 1 for mask, state in zip(cut, point, strict=True))

    def reaches(self, point: Point, low: Point) -> bool:
        """Tell whether a point is at least as strong as another."""
        return all(order.below[a] >> b & 1 for order, a, b in zip(self.orders, point, low, strict=True))

    def settled(self, point: Point) -> Iterator[Point]:
        """Yield a point that satisfies the predicate, and keep it, if those directly below it fail for certain."""
        below = [
            (*point[:site], lower, *point[site + 1 :])
            for site, state in enumerate(point)
            for lower in self.orders[site].covers(state)
        ]
        if any(self.try_point(lower) for lower in below):
            return
        if all(self.fails(lower) for lower in below):
            self.found.append(point)
            yield point
        else:
            self.doubtful += 1
