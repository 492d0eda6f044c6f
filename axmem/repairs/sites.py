"""The places of a test at which its annotations may change, and to what.

What goes in: a test, what counts as an edit, and costs. What comes out: `Site`s, one for each annotated statement and
three for each point of a thread (a make.available, a fence and a make.visible might be inserted there, in this order).
Invariant: the states of a site begin with one that all the others are at least as strong as; what a state computes is
what the original statement computes.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.front.records import dataclass
from axmem.litmus.syntax import Assign, Assume, If, Statement
from axmem.litmus.walk import Path, arms, within
from axmem.repairs.strength import Strength, at_least

AVAILABLE, FENCE, VISIBLE, OWN = 0, 1, 2, 3
"""What stands at a path: what might be inserted before its statement, in this order, and the statement itself."""


@dataclass(frozen=True, slots=True)
class SiteState:
    """One way in which a site may be annotated; `statement` is None, as `strength`, if nothing stands there.

    `machine` and `size` are what it costs, compared with the first state of the site for `size`; `changes` says in
    words what is different from the original text.
    """

    statement: Statement | None
    strength: Strength | None
    machine: int
    size: int
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Site:
    """A statement, or the point before one, with its states. `original` is the index of the one that the text has."""

    path: Path
    slot: int
    states: tuple[SiteState, ...]
    original: int

    @property
    def below(self) -> tuple[int, ...]:
        """For each state, the set of those it is at least as strong as, itself included, as bits."""
        return tuple(
            sum(1 << k for k, weak in enumerate(self.states) if k == n or stronger(strong, weak))
            for n, strong in enumerate(self.states)
        )


def stronger(strong: SiteState, weak: SiteState) -> bool:
    """Say whether a state is at least as strong as another of its site; nothing is weaker than anything."""
    if weak.strength is None or strong.strength is None:
        return weak.strength is None
    return at_least(strong.strength, weak.strength)


def points(body: tuple[Statement, ...], path: Path) -> tuple[Path, ...]:
    """Return the points of a thread at which an instruction could order anything, none twice.

    Something stands before such a point that touches memory or synchronizes, and something after it; a computation
    does not part two points.
    """
    found = tuple(_points(body, path, 0))
    total = sum(not isinstance(statement, _COMPUTATIONS) for _, statement in within(body, path))
    return tuple(point for point, before in found if 0 < before < total)


_COMPUTATIONS = (Assign, Assume, If)


def _points(body: tuple[Statement, ...], path: Path, before: int) -> Iterator[tuple[Path, int]]:
    """Yield the points of a block, each with how many statements that are no computations the text has before it."""
    for index, statement in enumerate(body):
        if index == 0 or not isinstance(body[index - 1], Assign | Assume):
            yield (*path, index), before
        if isinstance(statement, If):
            for arm, inner in arms(statement):
                yield from _points(inner, (*path, index, arm), before)
                before += sum(not isinstance(s, _COMPUTATIONS) for _, s in within(inner, ()))
        else:
            before += not isinstance(statement, _COMPUTATIONS)
    if not body or not isinstance(body[-1], Assign | Assume):
        yield (*path, len(body)), before
