"""Every way to place threads in the scope hierarchy, as far as a bound varies it.

What goes in: a number of threads and a bound. What comes out: places, one tuple for each way, instances numbered by
their first thread. Invariant: no way comes twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.litmus.words import PLACED
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.operations import Place
from axmem.refinement.bounded.renaming import renumbered

Blocks = tuple[int, ...]


def placements(threads: int, bound: Bound) -> Iterator[tuple[Place, ...]]:
    """Yield the places of that many threads."""
    for chain in _chains(threads, bound, 0, (0,) * threads):
        yield renumbered([*zip(*chain, strict=True)])


def _chains(threads: int, bound: Bound, depth: int, above: Blocks) -> Iterator[tuple[Blocks, ...]]:
    """Yield for each level from `depth` on the number of each thread's block, each level finer than the one above."""
    if depth == len(PLACED):
        yield ()
        return
    for blocks in _level(threads, bound, depth, above):
        for rest in _chains(threads, bound, depth + 1, blocks):
            yield (blocks, *rest)


def _level(threads: int, bound: Bound, depth: int, above: Blocks) -> Iterator[Blocks]:
    level = PLACED[depth]
    if level in bound.levels:
        for blocks in partitions(threads):
            if len(set(zip(blocks, above, strict=True))) == len(set(blocks)):
                yield blocks
    elif bound.shared(level):
        yield above
    else:
        yield tuple(range(threads))


def partitions(size: int) -> Iterator[Blocks]:
    """Yield every partition of so many things, as the number of each one's block, blocks by their first thing."""
    if not size:
        yield ()
        return
    for rest in partitions(size - 1):
        for block in range(max(rest, default=-1) + 2):
            yield (*rest, block)
