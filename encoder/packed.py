"""Relations as one integer each, for few events.

What goes in: relations over `size` events, bit `i * size + j` for the pair (i, j); sets as everywhere, bit i for event
i. What comes out: the operators of cat on them, and the two forms of a relation made of each other. Invariant: each
operator means what the one of the same name in `axmem.model.relation` means, on which the brute-force oracle rests.
An operator costs a few operations on integers of size² bits, which is less than a row at a time up to some 40 events.
"""

from __future__ import annotations

from functools import lru_cache

from axmem.model import relation as rel
from axmem.model.relation import Relation

LARGEST = 40
"""The most events for which this is the faster form."""


class Packed:
    """The operators on relations over so many events."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.row = (1 << size) - 1
        self.firsts = sum(1 << i * size for i in range(size))
        self.diagonal = sum(1 << i * size + i for i in range(size))
        self.steps = [(k, k * size) for k in range(size)]
        self._spread: dict[int, int] = {}

    def pack(self, rows: Relation) -> int:
        """Return the integer that a relation is."""
        out = 0
        for row in reversed(rows):
            out = out << self.size | row
        return out

    def unpack(self, a: int) -> Relation:
        """Return the rows of a relation."""
        if not a:
            return rel.EMPTY
        row = self.row
        return tuple([a >> shift & row for _, shift in self.steps])

    def spread(self, members: int) -> int:
        """Return the first bit of the row of each member of a set."""
        known = self._spread.get(members)
        if known is None:
            known = self._spread[members] = sum(1 << i * self.size for i in rel.bits(members))
        return known

    def rows_of(self, members: int, a: int) -> int:
        """Return [S] ; a."""
        return a & self.spread(members) * self.row

    def columns_of(self, a: int, members: int) -> int:
        """Return a ; [S]."""
        return a & self.firsts * members

    def identity(self, members: int) -> int:
        """Return [S]."""
        return self.diagonal & self.firsts * members

    def cross(self, left: int, right: int) -> int:
        """Return S * T."""
        return self.spread(left) * right

    def compose(self, a: int, b: int) -> int:
        """Return a ; b: what has k in its row gets the row of k."""
        out = 0
        firsts, row = self.firsts, self.row
        for k, shift in self.steps:
            after = b >> shift & row
            if after:
                out |= (a >> k & firsts) * after
        return out

    def inverse(self, a: int) -> int:
        """Return a^-1: a row becomes a column."""
        out = 0
        row, spread = self.row, self.spread
        for k, shift in self.steps:
            after = a >> shift & row
            if after:
                out |= spread(after) << k
        return out

    def closure(self, a: int) -> int:
        """Return a+, the transitive closure (Warshall's algorithm)."""
        firsts, row = self.firsts, self.row
        for k, shift in self.steps:
            after = a >> shift & row
            if after:
                a |= (a >> k & firsts) * after
        return a

    def domain(self, a: int) -> int:
        """Return the set of events that a relates to something."""
        out = 0
        row = self.row
        for k, shift in self.steps:
            if a >> shift & row:
                out |= 1 << k
        return out

    def range_of(self, a: int) -> int:
        """Return the set of events to which a relates something."""
        out = 0
        for _, shift in self.steps:
            out |= a >> shift
        return out & self.row

    def through(self, step: int, link: int, members: int, c: int) -> int:
        """Return the pairs joined by a chain with a link, as `axmem.model.relation.through` does."""
        return self.pack(rel.through(self.unpack(step), self.unpack(link), members, self.unpack(c)))


@lru_cache(maxsize=LARGEST + 1)
def packed(size: int) -> Packed:
    """Return the operators on relations over so many events."""
    return Packed(size)
