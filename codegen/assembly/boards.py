"""What is pending at a line of a function, and where paths meet.

What goes in: boards, each with what branches have told on its paths. What comes out: the boards of a block. Where paths
meet, an operation is pending if it is on one of them, with the least number. Paths whose branches contradict each other
are kept apart, up to `APART` of them, since a later branch may part them again: code that fetches ahead, unless there
is nothing to fetch, waits for less then. Invariant: a board that has joined others has whatever they have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from axmem.codegen.assembly.facts import Facts, contradicts

CALLER = -1
"""The line of what a caller may have left on its way."""
APART = 8
"""How many boards a block has at most."""


class Pending(NamedTuple):
    """What waits for the operation at a line: registers for its `result`, or, sources, to be read.

    `counter` is the one to wait for.
    """

    line: int
    result: bool
    counter: str


Board: TypeAlias = dict[Pending, tuple[int, Mapping[str, int], Facts]]
"""What is pending: its registers, how many operations from its own on each counter sees complete in order, and what
branches have told on the path since. Under `PATH` is what they have told at all."""
PATH = Pending(-2, result=False, counter="")


def arrives(boards: list[Board], along: Board) -> bool:
    """Put what is pending on a path among the boards of a block; say whether one has changed.

    It joins the first that it does not contradict, or, of as many as there may be, the one that it has most in common
    with.
    """
    facts = along[PATH][2]
    fits = (k for k, board in enumerate(boards) if not any(contradicts(board[PATH][2], fact) for fact in facts))
    at = next(fits, None)
    if at is None and len(boards) < APART:
        boards.append(along)
        return True
    if at is None:
        at = max(range(APART), key=lambda k: len(boards[k][PATH][2] & facts))
    before, boards[at] = boards[at], joined(boards[at], along)
    return boards[at] != before


def joined(a: Board, b: Board) -> Board:
    """Return what is pending where two paths meet."""
    both = dict(a)
    for one, each in b.items():
        mine = both.get(one)
        if mine is None:
            both[one] = each
        elif mine != each:
            numbers = {c: min(n, mine[1][c]) for c, n in each[1].items() if c in mine[1]}
            both[one] = mine[0] | each[0], numbers, mine[2] & each[2]
    return both
