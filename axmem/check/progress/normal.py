"""Of states that go on alike, one.

What goes in: a state. What comes out: the same with executions of blocks counted only as far as lanes differ, and
phases of barriers only as far as waves do, so that a loop that goes on comes back to its state.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.check.progress.lane_steps import BarrierArrival, LanePosition
from axmem.check.progress.program import Member
from axmem.check.progress.reach import BlockPlace, Counts
from axmem.check.progress.states import State
from axmem.front.records import dataclass


@dataclass(frozen=True, slots=True)
class Crowd:
    """Of each lane the numbers of those of its wave, and of its workgroup; and each workgroup once."""

    waves: list[list[int]]
    groups: list[list[int]]
    workgroups: list[list[int]]


def crowd(members: Sequence[Member]) -> Crowd:
    """Return who is with whom among the lanes of a test."""
    everyone = range(len(members))
    waves = [[m for m in everyone if members[m].wave == member.wave] for member in members]
    groups = [
        [m for m in everyone if (members[m].unit, members[m].group) == (member.unit, member.group)]
        for member in members
    ]
    return Crowd(waves, groups, sorted({group[0]: group for group in groups}.values()))


class Normal:
    """Makes the states of one test normal."""

    def __init__(self, members: Sequence[Member], crowd: Crowd) -> None:
        self._members = members
        self._crowd = crowd
        self._counting = any(member.unit.counted for member in members)

    def of(self, state: State) -> State:
        """Count the executions of headers from the lane that is behind, where nobody can come from outside.

        So are phases of named barriers.
        """
        if not self._counting:
            return self._forgetting(state)
        lanes = list(state.lanes)
        for number, lane in enumerate(state.lanes):
            unit = self._members[number].unit
            for level, cycle in enumerate(unit.reach.around[lane.block] if lane.block else ()):
                if cycle.header in unit.counted:
                    around = self._crowd.groups if cycle.header in unit.grouped else self._crowd.waves
                    self._shift(lanes, [number, level], around[number])
        return self._forgetting(state._replace(lanes=tuple(lanes)))

    def _forgetting(self, state: State) -> State:
        """Leave out of a state what waves know that decides nothing any more."""
        if not any(own.barriers for own in state.groups):
            return state
        groups = []
        for members, own in zip(self._crowd.workgroups, state.groups, strict=True):
            over = [True] * len(own.joined)
            for m in members:
                over[self._members[m].lane.wave] &= not state.lanes[m].block
            groups.append(own.normal(over))
        return state._replace(groups=tuple(groups))

    def _shift(self, lanes: list[LanePosition], which: Sequence[int], around: Sequence[int]) -> None:
        """Shift the counts of the lanes in one execution of a cycle, given as a lane in it and the cycle's level."""
        number, level = which
        lane, reach = lanes[number], self._members[number].unit.reach
        cycle, outer = reach.around[lane.block][level], lane.counts[:level]
        inside = [m for m in around if lanes[m].block in cycle.blocks and lanes[m].counts[:level] == outer]
        least = min(lanes[m].counts[level] for m in inside)
        if not least:
            return
        entries = [
            BlockPlace(entry, (*outer, *(int(entry == c.header) for c in reach.around[entry][level:])))
            for entry in cycle.entries
        ]
        others = [m for m in around if m not in inside and lanes[m].block]
        if any(reach.reaches(lanes[m].place, entry) for m in others for entry in entries):
            return
        for m in inside:
            lanes[m] = lanes[m]._replace(counts=_less(lanes[m].counts, level, least))
        for m in around:
            arrived = lanes[m].arrived
            if arrived and arrived.place.block in cycle.blocks and arrived.place.counts[:level] == outer:
                place = arrived.place._replace(counts=_less(arrived.place.counts, level, least))
                lanes[m] = lanes[m]._replace(arrived=BarrierArrival(place, arrived.at))


def _less(counts: Counts, level: int, least: int) -> Counts:
    return (*counts[:level], counts[level] - least, *counts[level + 1 :])
