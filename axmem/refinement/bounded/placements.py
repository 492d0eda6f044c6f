"""Every way to place threads in the scope hierarchy, as far as a bound varies it.

What goes in: a number of threads and a bound. What comes out: places, one tuple for each way, instances numbered by
their first thread. Invariant: no way comes twice. Programs
that differ only in names are one: their canonical form, and all forms, have the order of threads, the numbers of
locations and instances, and the suffixes of tags whose prefix no model knows, each exchanged for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

from axmem.front.records import replace
from axmem.litmus.words import KNOWN_PREFIXES, PLACED, Tag
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.operations import BoundedOperation, BoundedProgram, Place

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


def canonical(program: BoundedProgram, tags: Sequence[Tag] = ()) -> BoundedProgram:
    """Return the first of the program's forms, in the order of `Program.rank`; `tags` is the alphabet."""
    return min(forms(program, tags), key=lambda p: p.rank)


def forms(program: BoundedProgram, tags: Sequence[Tag] = ()) -> Iterator[BoundedProgram]:
    """Yield the program with its threads in every order, locations and places named by first use, tags exchanged."""
    renamings = tag_renamings(tags)
    for order in permutations(range(len(program.threads))):
        bodies = [program.threads[t] for t in order]
        places = renumbered([program.places[t] for t in order])
        names: dict[int, int] = {-1: -1}
        for op in (op for body in bodies for op in body):
            names.setdefault(op.location, len(names) - 1)
        for renaming in renamings:
            yield BoundedProgram(tuple(tuple(_renamed(op, names, renaming) for op in body) for body in bodies), places)


def _renamed(op: BoundedOperation, names: dict[int, int], tags: dict[Tag, Tag]) -> BoundedOperation:
    return replace(op, location=names[op.location], tags=frozenset(tags.get(tag, tag) for tag in op.tags))


def tag_renamings(tags: Sequence[Tag]) -> list[dict[Tag, Tag]]:
    """Return every exchange of suffixes inside the prefixes that nobody knows; the first changes nothing."""
    groups: dict[str, list[Tag]] = {}
    for tag in tags:
        if tag[0] not in KNOWN_PREFIXES:
            groups.setdefault(tag[0], []).append(tag)
    per_prefix = [[dict(zip(group, p, strict=True)) for p in permutations(group)] for group in groups.values()]
    return [{k: v for part in parts for k, v in part.items()} for parts in product(*per_prefix)]


def renumbered(places: Sequence[Place]) -> tuple[Place, ...]:
    """Return places with the instances of each level numbered by their first thread, inside the level above."""

    def number(place: Place, depth: int) -> int:
        return list(dict.fromkeys(p[depth] for p in places if p[:depth] == place[:depth])).index(place[depth])

    return tuple(tuple(number(place, depth) for depth in range(len(place))) for place in places)
