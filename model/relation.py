"""The meaning of cat's operators on finite sets and relations.

A set of events is an integer whose bit i says that event i is in it; a relation is a tuple of such integers, one row
per event (its successors). The empty relation of any size may be written `()`-like as `EMPTY`: every operation takes
it and returns it where the result is empty, which keeps the many empty relations of a GPU model free of cost.
Both the oracle and the solver's bounds evaluate models with these functions, and with nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

Relation: TypeAlias = tuple[int, ...]

EMPTY: Relation = ()


def bits(mask: int) -> Iterator[int]:
    """Yield the members of a set in increasing order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def relation(rows: list[int]) -> Relation:
    """Return the relation with these rows, in the one form that an empty relation has."""
    return tuple(rows) if any(rows) else EMPTY


def union(a: Relation, b: Relation) -> Relation:
    """Return a | b."""
    if not a:
        return b
    if not b:
        return a
    return tuple([x | y for x, y in zip(a, b, strict=True)])


def intersection(a: Relation, b: Relation) -> Relation:
    """Return a & b."""
    if not a or not b:
        return EMPTY
    return relation([x & y for x, y in zip(a, b, strict=True)])


def difference(a: Relation, b: Relation) -> Relation:
    r"""Return a \ b."""
    if not a or not b:
        return a
    return relation([x & ~y for x, y in zip(a, b, strict=True)])


def compose(a: Relation, b: Relation) -> Relation:
    """Return a ; b."""
    if not a or not b:
        return EMPTY
    rows = []
    for row in a:
        out = 0
        while row:
            low = row & -row
            out |= b[low.bit_length() - 1]
            row ^= low
        rows.append(out)
    return relation(rows)


def inverse(a: Relation) -> Relation:
    """Return a^-1."""
    if not a:
        return EMPTY
    rows = [0] * len(a)
    for i, row in enumerate(a):
        mark = 1 << i
        while row:
            low = row & -row
            rows[low.bit_length() - 1] |= mark
            row ^= low
    return tuple(rows)


def closure(a: Relation) -> Relation:
    """Return a+, the transitive closure (Warshall's algorithm over bit rows)."""
    if not a:
        return EMPTY
    # In place: after step k a row has what is reached through events up to k, whichever rows were done first.
    rows = list(a)
    for k in range(len(rows)):
        through = rows[k]
        if through:
            mark = 1 << k
            for i, row in enumerate(rows):
                if row & mark:
                    rows[i] = row | through
    return tuple(rows)


def identity(members: int, size: int) -> Relation:
    """Return [S] over `size` events."""
    if not members:
        return EMPTY
    return tuple([members & (1 << i) for i in range(size)])


def cross(left: int, right: int, size: int) -> Relation:
    """Return S * T over `size` events."""
    if not left or not right:
        return EMPTY
    return tuple([right if left >> i & 1 else 0 for i in range(size)])


def domain(a: Relation) -> int:
    """Return the set of events that a relates to something."""
    out = 0
    for i, row in enumerate(a):
        if row:
            out |= 1 << i
    return out


def range_of(a: Relation) -> int:
    """Return the set of events to which a relates something."""
    out = 0
    for row in a:
        out |= row
    return out


def rows_of(members: int, a: Relation) -> Relation:
    """Return [S] ; a."""
    if not a or not members:
        return EMPTY
    return relation([row if members >> i & 1 else 0 for i, row in enumerate(a)])


def columns_of(a: Relation, members: int) -> Relation:
    """Return a ; [S]."""
    if not a or not members:
        return EMPTY
    return relation([row & members for row in a])


def restrict(left: int, a: Relation, right: int) -> Relation:
    """Return [S] ; a ; [T]."""
    if not a:
        return EMPTY
    return relation([row & right if left >> i & 1 else 0 for i, row in enumerate(a)])


def is_irreflexive(a: Relation) -> bool:
    """Tell whether no event is related to itself."""
    return not any(row >> i & 1 for i, row in enumerate(a))


def is_acyclic(a: Relation) -> bool:
    """Tell whether the relation has no cycle: strip events without successors until none is left."""
    left = domain(a)
    while left:
        # What has a successor among what is left stays; if all of it stays, following successors never ends: a cycle.
        sources = 0
        for i in bits(left):
            if a[i] & left:
                sources |= 1 << i
        if sources == left:
            return False
        left = sources
    return True


def through(step: Relation, link: Relation, members: int, c: Relation) -> Relation:
    """Return the pairs joined by a chain with a link, whose every station is in `members` and in c with both ends.

    A pair (a, b) is in the result if a chain of `step` and `link` edges with at least one `link` edge leads from a
    station x to a station y through stations only, where a is x or `step` leads from a to x, likewise y and b, and
    every station e (x and y included) has c(a, e) and c(e, b).
    """
    if not link or not c:
        return EMPTY
    size = len(link)
    back = inverse(c)
    chains: dict[int, Relation] = {}
    rows = [0] * size
    for a in range(size):
        for b in range(size):
            stations = c[a] & back[b] & members
            if not stations:
                continue
            # The stations of a pair depend on both ends, but few sets of stations occur: chains are made once for each.
            if stations not in chains:
                chains[stations] = _chains(step, link, stations, size)
            starts = (1 << a) & stations | ((step[a] if step else 0) & stations)
            reached = 0
            for x in bits(starts):
                reached |= chains[stations][x] if chains[stations] else 0
            ends = reached >> b & 1
            if not ends and step:
                ends = any(step[y] >> b & 1 for y in bits(reached))
            if ends:
                rows[a] |= 1 << b
    return relation(rows)


def _chains(step: Relation, link: Relation, stations: int, size: int) -> Relation:
    """Return the pairs of stations joined by a chain inside `stations` that has at least one link edge."""
    inner = restrict(stations, union(step, link), stations)
    around = union(closure(inner), identity(stations, size))
    return compose(compose(around, restrict(stations, link, stations)), around)
