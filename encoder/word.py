"""A value as a vector of a circuit's literals: its bits, which of them are undef, whether it is poison, and there.

What goes in: literals, or a known value. What comes out: `Word`s, on which `axmem.encoder.words` computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from axmem.encoder.circuit import FALSE, TRUE
from axmem.litmus.undef import UNDEF, Partial, Value

WIDEST = 128
"""No value of a cell or a lane has more bits."""


class Word(NamedTuple):
    """A natural number in bits, lowest first; bits beyond its last are 0, and are not undef.

    `free[i]`: bit i is undef. `poison`: the whole is poison. `there`: everything that it depends on executes. `other`
    are the bits of another number that it may be, although not each of those bits alone is known to be free: if that is
    not said, its bits with those that are undef the other way round. The highest bits are so many `copies` of the one
    below them, also where that is undef.
    """

    bits: tuple[int, ...]
    free: tuple[int, ...] = ()
    poison: int = FALSE
    there: int = TRUE
    other: tuple[int, ...] | None = None
    copies: int = 0

    def bit(self, i: int) -> int:
        """Return the literal of a bit."""
        return self.bits[i] if i < len(self.bits) else FALSE

    def undef(self, i: int) -> int:
        """Return the literal that a bit is undef."""
        return self.free[i] if i < len(self.free) else FALSE

    @property
    def width(self) -> int:
        """Beyond so many bits all are 0."""
        return max(len(self.bits), len(self.free))

    def cut(self, low: int, bits: int) -> Word:
        """Return some bits."""
        other = self.other[low : low + bits] if self.other is not None else None
        return self._replace(bits=self.bits[low : low + bits], free=self.free[low : low + bits], other=other, copies=0)

    def within(self, bits: int) -> Word:
        """Return the lowest bits, of a word of which others say nothing."""
        return self if self.width <= bits else self.cut(0, bits)

    def literals(self) -> tuple[int, ...]:
        """Return the literals that say what it is."""
        return (*self.bits, *self.free, self.poison, self.there)


NOTHING = Word((), there=FALSE)
"""What is compared with nothing."""
ANYTHING = Word((), (TRUE,) * WIDEST)
"""Undef."""


def constant(value: Value) -> Word:
    """Return the word of a known value; that of no value of a program (`ABSENT`) is not there."""
    if isinstance(value, Partial):
        return Word(digits(value.bits), digits(value.free))
    if not isinstance(value, int):
        return ANYTHING if value is UNDEF else Word((), poison=TRUE)
    return NOTHING if value < 0 else Word(digits(value))


def digits(number: int) -> tuple[int, ...]:
    """Return the bits of a number."""
    return tuple(TRUE if number >> i & 1 else FALSE for i in range(number.bit_length()))


def masked(free: Sequence[int]) -> tuple[int, ...]:
    """Return which bits are undef; nothing if none is."""
    return tuple(free) if any(f != FALSE for f in free) else ()
