"""A state of a test that is run step by step, and a step to another.

What goes in: memory and where every lane is. What comes out: tuples that are equal where what can follow is.
"""

from __future__ import annotations

from typing import NamedTuple

from axmem.check.progress.lane_steps import LanePosition
from axmem.check.progress.memory_bytes import Bytes
from axmem.check.progress.named_barriers import BarrierGroup
from axmem.check.progress.reach import BlockPlace


class ConvergentMeeting(NamedTuple):
    """An instance of a convergent operation: of which wave or workgroup, where."""

    group: int
    place: BlockPlace
    at: int


class State(NamedTuple):
    """Memory, and where every lane is; at the `closed` operations nobody else may arrive.

    `groups` has what is known of the barriers of each workgroup.
    """

    memory: tuple[Bytes, ...]
    lanes: tuple[LanePosition, ...]
    closed: frozenset[ConvergentMeeting] = frozenset()
    groups: tuple[BarrierGroup, ...] = ()


class StateMove(NamedTuple):
    """A step: whose it is, and the state after it, None where the execution does not count."""

    lanes: tuple[int, ...]
    after: State | None
    spurious: bool = False
