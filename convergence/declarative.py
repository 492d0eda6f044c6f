"""Converged instances as the document defines them: the second way beside keys.

What goes in: paths of lanes and the headers around each block. What comes out: the pairs of converged instances, and
convergence-before. Invariant: the relation is the least one that the definition allows to be built up, so that no pair
rests on itself ("not assuming that X1 and X2 are converged").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from axmem.convergence.keys import Headers, Instance

Pair = frozenset[Instance]
"""Two converged instances of one block in different lanes."""


def convergence_before(paths: Sequence[Sequence[str]], converged: Iterable[Pair]) -> dict[Instance, set[Instance]]:
    """Return which instances each instance is before, in its lane or over converged instances."""
    instances = _instances(paths)
    place = {instance: number for number, instance in enumerate(instances)}
    rows = _closure(instances, place, converged)
    return {a: {b for b in instances if rows[place[a]] >> place[b] & 1} for a in instances}


def converged_pairs(paths: Sequence[Sequence[str]], headers: Headers) -> set[Pair]:
    """Return the maximal converged-with relation: the least fixed point of its definition."""
    instances = _instances(paths)
    place = {instance: number for number, instance in enumerate(instances)}
    # The instances of headers around its block that precede an instance in its lane.
    needed = {
        i: sum(1 << place[Instance(i.lane, k)] for k in range(i.step) if paths[i.lane][k] in _around(paths, i, headers))
        for i in instances
    }
    open_pairs = {
        frozenset((a, b))
        for a, b in combinations(instances, 2)
        if a.lane != b.lane and paths[a.lane][a.step] == paths[b.lane][b.step]
    }
    found: set[Pair] = {pair for pair in open_pairs if not any(_around(paths, i, headers) for i in pair)}
    while True:
        before = _transposed(_closure(instances, place, found))
        new = set()
        for pair in open_pairs - found:
            a, b = pair
            if not (needed[a] & ~before[place[b]] or needed[b] & ~before[place[a]]):
                new.add(pair)
        if not new:
            return found
        found |= new


def _around(paths: Sequence[Sequence[str]], instance: Instance, headers: Headers) -> frozenset[str]:
    return frozenset(headers[paths[instance.lane][instance.step]])


def _instances(paths: Sequence[Sequence[str]]) -> list[Instance]:
    return [Instance(lane, index) for lane, path in enumerate(paths) for index in range(len(path))]


def _closure(instances: list[Instance], place: dict[Instance, int], converged: Iterable[Pair]) -> list[int]:
    """Return convergence-before as rows of bits: what comes after each instance."""
    # A lane's instances stand in a row, in the order of its path.
    ends = {i.lane: number + 1 for number, i in enumerate(instances)}
    later = [(1 << ends[i.lane]) - (2 << number) for number, i in enumerate(instances)]
    rows = [*later]
    for pair in converged:
        for a in pair:
            (b,) = pair - {a}
            rows[place[a]] |= later[place[b]]
            for p in range(place[a] - a.step, place[a]):
                rows[p] |= 1 << place[b]
    for middle, after in enumerate(rows):
        bit = 1 << middle
        for number, row in enumerate(rows):
            if row & bit:
                rows[number] = row | after
    return rows


def _transposed(rows: list[int]) -> list[int]:
    return [sum(1 << a for a in range(len(rows)) if rows[a] >> b & 1) for b in range(len(rows))]


def obstacles(paths: Sequence[Sequence[str]], headers: Headers) -> dict[Pair, Instance]:
    """Return for each two instances of a block in different lanes that are not converged what keeps them apart.

    It is the first instance of a header around the block that precedes one of them in its lane and is not
    convergence-before the other.
    """
    instances = _instances(paths)
    converged = converged_pairs(paths, headers)
    before = convergence_before(paths, converged)
    found = {}
    for a, b in combinations(instances, 2):
        if a.lane == b.lane or paths[a.lane][a.step] != paths[b.lane][b.step] or frozenset((a, b)) in converged:
            continue
        around = _around(paths, a, headers)
        found[frozenset((a, b))] = next(
            header
            for one, two in ((a, b), (b, a))
            for header in (Instance(one.lane, step) for step in range(one.step))
            if paths[one.lane][header.step] in around and two not in before[header]
        )
    return found
