"""The places of a test at which its annotations may change, and to what.

What goes in: a test, what counts as an edit, and costs. What comes out: `Site`s, one for each annotated statement and
three for each point of a thread (a make.available, a fence and a make.visible might be inserted there, in this order);
in a kernel a fourth one, for a barrier, where every lane comes exactly once.
Invariant: the states of a site begin with one that all the others are at least as strong as; what a state computes is
what the original statement computes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from axmem.front.records import dataclass
from axmem.litmus.blocks import ControlFlow, control_flow
from axmem.litmus.kernels import Return
from axmem.litmus.syntax import AccessMode, Assign, Assume, If, Kernel, Ordering, Statement
from axmem.litmus.walk import Path, arms, within
from axmem.repairs.strength import Strength, at_least

AVAILABLE, FENCE, VISIBLE, BARRIER, OWN = 0, 1, 2, 3, 4
"""What stands at a path: what might be inserted before its statement, in this order, and the statement itself."""


@dataclass(frozen=True, slots=True)
class SiteState:
    """One way in which a site may be annotated; `statement` is None, as `strength`, if nothing stands there.

    `machine` and `size` are what it costs, compared with the first state of the site for `size`; `changes` says in
    words what is different from the original text. `around` is what stands before and behind the statement with it.
    """

    statement: Statement | None
    strength: Strength | None
    machine: int
    size: int
    changes: tuple[str, ...]
    around: tuple[Statement | None, Statement | None] = (None, None)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All that stands there."""
        return tuple(each for each in (self.around[0], self.statement, self.around[1]) if each is not None)


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


def kernel_points(kernel: Kernel, number: int) -> Iterator[tuple[Path, bool]]:
    """Yield the points of a kernel, and whether every lane comes there exactly once.

    They are before what touches memory or synchronizes, and before the ends of the blocks that have such statements. In
    a loop that only waits there are none: what is behind it does the same.
    """
    flow = control_flow(kernel)
    once, waiting = set(_once(flow)), set(_waiting(flow))
    for block in flow.blocks:
        if block.name in waiting:
            continue
        paths = block.paths[len(block.phis) :]
        some = [not isinstance(each, Assign | Assume) for each in block.statements]
        last = any(some) and not isinstance(block.terminator, Return)
        yield from (((number, *p), block.name in once) for p, is_ in zip(paths, (*some, last), strict=False) if is_)


def _waiting(flow: ControlFlow) -> Iterator[str]:
    """Yield the blocks of loops in which there is nothing but atomic accesses of one block, the loop's only one."""
    for block in flow.blocks:
        some = [each for each in block.statements if not isinstance(each, Assign | Assume)]
        if block.name in flow.successors[block.name] and all(_is_atomic(each) for each in some):
            yield block.name


def _is_atomic(statement: Statement) -> bool:
    mode = getattr(statement, "mode", None)
    return isinstance(mode, AccessMode) and mode.ordering is not Ordering.NOT_ATOMIC


def _once(flow: ControlFlow) -> Iterator[str]:
    """Yield the blocks that are on every path from the entry to an end, and on no cycle."""
    ends = {block.name for block in flow.blocks if not flow.successors[block.name]}

    def reached(start: Iterable[str], without: str = "") -> set[str]:
        found, todo = set[str](), [each for each in start if each != without]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += [each for each in flow.successors[name] if each != without]
        return found

    for block in flow.blocks:
        name = block.name
        around = reached(flow.successors[name])
        if name not in around and not (ends - {name}) & reached([flow.entry.name], name):
            yield name


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
