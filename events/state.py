"""Where the walk through a thread is, and where an access of it goes."""

from __future__ import annotations

from typing import TypeAlias

from axmem.events.graph import Guard
from axmem.events.values import Expr
from axmem.front.records import dataclass, field, replace
from axmem.litmus.walk import Path
from axmem.litmus.words import Level

Lanes: TypeAlias = tuple[Expr, ...]
CellKey: TypeAlias = tuple[int, int, int]
"""A location's index, the first byte and the size of a cell."""

NO_READS: frozenset[int] = frozenset()


@dataclass(slots=True)
class WalkState:
    """Where the walk through a thread is.

    `partly` has registers that some branch left without a value: what they hold, and the same with undef there.
    """

    thread: int
    path: Path = ()
    registers: dict[str, Lanes] = field(default_factory=dict)
    partly: dict[str, tuple[Lanes, Lanes]] = field(default_factory=dict)
    guard: Guard = ()
    guard_reads: frozenset[int] = NO_READS
    control_reads: frozenset[int] = NO_READS
    position: int = 0
    instance: int = -1
    within: Level | None = None

    def branched(self, choice: int, arm: int, reads: frozenset[int]) -> WalkState:
        """Return the state at the begin of an arm of a branch, which values of these reads decide."""
        return replace(
            self,
            registers=dict(self.registers),
            partly=dict(self.partly),
            guard=(*self.guard, (choice, arm)),
            guard_reads=self.guard_reads | reads,
            control_reads=self.control_reads | reads,
        )

    def held(self, name: str) -> Lanes | None:
        """Return what a register holds; None if it has not been assigned."""
        return self.registers.get(name)

    def shown(self, name: str) -> Lanes | None:
        """Return what a register holds, undef where no branch has assigned it; None if none has."""
        lanes = self.registers.get(name)
        known = self.partly.get(name)
        # What has been assigned since is another object.
        return known[1] if known is not None and known[0] is lanes else lanes


@dataclass(frozen=True, slots=True)
class AccessTarget:
    """One place an access may go to, and the choice (if any) whose `arm` of `arms` sends it there."""

    location: int
    offset: int
    guard: Guard
    reads: frozenset[int]
    choice: int = -1
    arm: int | None = None
    arms: int = 0
