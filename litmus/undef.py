"""The values that are not numbers: undef, numbers of which some bits are undef, and what is undef as a whole.

What goes in: bits, and which of them are undef. What comes out: a `Value`, in one form for each: a number if no bit is
undef, `UNDEF` if all are. Undef is undef bit by bit, each of which may be taken for 0 or 1, in each use anew.
`POISONED` makes all that is computed of it undef as a whole, as LLVM's poison does. An outcome shows that as undef.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final, TypeAlias

from axmem.front.records import dataclass
from axmem.front.typing import override


class Undef(Enum):
    """The types of `UNDEF` and `POISONED`."""

    UNDEF = "undef"
    POISONED = "poison"

    @override
    def __repr__(self) -> str:
        return self.value


UNDEF: Final = Undef.UNDEF
POISONED: Final = Undef.POISONED


@dataclass(frozen=True, slots=True)
class Partial:
    """A number of which the bits `free` are undef, and those of `bits` are 1: not all of its bits are free."""

    bits: int
    free: int


Value: TypeAlias = int | Undef | Partial


def partial(bits: int, free: int, width: int) -> Value:
    """Return the value of `width` bits of which those of `free` are undef, and others as in `bits`."""
    whole = (1 << width) - 1
    free &= whole
    return UNDEF if free == whole else Partial(bits & whole & ~free, free) if free else bits & whole


def free_bits(value: Value) -> int:
    """Return which bits of a value are undef, as a number: of what is undef as a whole all that there may be."""
    return 0 if isinstance(value, int) else value.free if isinstance(value, Partial) else -1


def known_bits(value: Value) -> int:
    """Return a value with 0 for the bits that are undef."""
    return value if isinstance(value, int) else value.bits if isinstance(value, Partial) else 0


def agree(one: Value, other: Value) -> bool:
    """Tell whether two values may be one number: whether no bit that both have says otherwise."""
    return not (known_bits(one) ^ known_bits(other)) & ~(free_bits(one) | free_bits(other))


def covers(one: Value, other: Value) -> bool:
    """Tell whether a value may be whatever another may be."""
    return not free_bits(other) & ~free_bits(one) and agree(one, other)


def numbers_of(value: Value) -> Iterator[int]:
    """Yield the numbers that a value may be, from the least; of undef without a width there is no end."""
    bits, free = known_bits(value), free_bits(value)
    chosen = 0
    while True:
        yield bits | chosen
        chosen = (chosen - free) & free
        if not chosen:
            return


def shown(value: Value) -> Value:
    """Return a value as outcomes show it."""
    return UNDEF if value is POISONED else value


def order_of(value: Value) -> tuple[int, int, int]:
    """Return by what values are sorted: numbers, what has undef bits, undef."""
    return 0 if isinstance(value, int) else 1 if isinstance(value, Partial) else 2, free_bits(value), known_bits(value)


def partial_of(text: str) -> Partial:
    """Return what a text of undef and other bits says (`text_of`)."""
    digits, base, most = text[2:], 16 if text[1] == "x" else 2, "f" if text[1] == "x" else "1"
    free = "".join(most if digit == "u" else "0" for digit in digits)
    return Partial(int(digits.replace("u", "0"), base), int(free, base))


def text_of(value: Value) -> str:
    """Return a value as text: with undef bits `0xuu01`, a digit for four, or `0bu1` where not all four are alike."""
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, Partial):
        return value.value
    size = (value.bits | value.free).bit_length()
    digits = [(value.bits >> at & 15, value.free >> at & 15) for at in range(0, size, 4)]
    if all(free in (0, 15) for _, free in digits):
        return "0x" + "".join("u" if free else f"{bits:x}" for bits, free in reversed(digits))
    return "0b" + "".join("u" if value.free >> at & 1 else str(value.bits >> at & 1) for at in reversed(range(size)))
