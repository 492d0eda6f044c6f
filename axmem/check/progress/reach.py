"""Where a lane can still come.

What goes in: a control flow graph and a hierarchy of its cycles. A lane's place is a block, and how often each header
around it was executed since its cycle was entered: that is its key of convergence (`axmem.convergence.keys`) in another
form, as a chain of headers says no more. What comes out: whether some path leads from one place to another.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from axmem.convergence.cycles import ControlCycle, Hierarchy
from axmem.convergence.graph import FlowGraph

Counts = tuple[int, ...]
"""For each cycle around a block, the outermost first, how often its header was executed since it was entered."""


class BlockPlace(NamedTuple):
    """A block, and which execution of it this is."""

    block: str
    counts: Counts


class PathReach:
    """Paths of one graph."""

    def __init__(self, graph: FlowGraph, hierarchy: Hierarchy) -> None:
        self._graph = graph
        self.around = hierarchy.around
        self.reaches = lru_cache(maxsize=None)(self._reaches)

    def moved(self, before: BlockPlace | None, block: str, counted: frozenset[str]) -> BlockPlace:
        """Return the place of a lane that goes to a block; only the headers in `counted` are."""
        cycles, found = self.around[block], list[int]()
        old = self.around[before.block] if before is not None else ()
        for level, cycle in enumerate(cycles):
            stays = before is not None and level < len(old) and old[level] is cycle
            count = before.counts[level] if before is not None and stays else 0
            found.append(count + (block == cycle.header and block in counted))
        return BlockPlace(block, tuple(found))

    def _reaches(self, origin: BlockPlace, target: BlockPlace) -> bool:
        """Say whether a path of one edge or more leads from one place to another.

        Cycle by cycle around the target: the lane comes to the wanted number of executions of the header, and then goes
        on inside without the header. From any place in a cycle its header can be reached, and from there again.
        """
        here = {c.header: n for c, n in zip(self.around[origin.block], origin.counts, strict=True)}
        at: str | None = origin.block
        arrived: frozenset[str] = frozenset()
        region = frozenset(self._graph.successors)
        for cycle, wanted in zip(self.around[target.block], target.counts, strict=True):
            if at is not None and cycle.header in here:
                if here[cycle.header] > wanted:
                    return False
                if here[cycle.header] < wanted:
                    at, arrived = None, frozenset({cycle.header})
            else:
                arrived = _entered(cycle, wanted, self._forward(at, arrived, region - cycle.blocks, cycle.blocks))
                at = None
                if not arrived:
                    return False
            region = cycle.blocks - {cycle.header}
            if target.block == cycle.header:
                return target.block in arrived
        return target.block in self._forward(at, arrived, region)

    def _forward(
        self, at: str | None, arrived: frozenset[str], region: frozenset[str], stop: frozenset[str] = frozenset()
    ) -> set[str]:
        """Return the blocks that a lane comes to: where it has arrived, and what follows as far as a region goes.

        It goes on from `at` and from where it has arrived, unless that is in `stop`; further blocks outside the region
        are found, and the path ends there.
        """
        found = set(arrived)
        waiting = [block for block in arrived if block not in stop] + ([at] if at is not None else [])
        while waiting:
            for after in self._graph.successors[waiting.pop()]:
                if after not in found:
                    found.add(after)
                    if after in region:
                        waiting.append(after)
        return found


def _entered(cycle: ControlCycle, wanted: int, coming: Iterable[str]) -> frozenset[str]:
    """Return where a lane can be in a cycle when its header was executed so often, given how it may enter."""
    found = set[str]()
    for block in coming:
        if block in cycle.blocks:
            count = int(block == cycle.header)
            if count == wanted:
                found.add(block)
            elif count < wanted:
                found.add(cycle.header)
    return frozenset(found)
