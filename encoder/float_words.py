"""What words know of floating point.

What goes in: an operation and the bits of its arguments. What comes out: the same sum for a difference, what an update
leaves or replaces whatever it finds. Of everything else nothing is known but that the same of the same is the same.
Source: [LangRef] "Behavior of Floating-Point NaN values": a NaN may come out of an operation as it went in.
"""

from __future__ import annotations

from typing import NamedTuple

from axmem.encoder.circuit import FALSE, TRUE
from axmem.litmus.floats import BRAIN_UPDATES, FLOAT_UPDATES

Bits = tuple[int, ...]
INFINITY = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}
BRAIN_INFINITY = 0x7F80
"""The bits of infinity, by those of a format; those of a NaN are more, its sign aside."""


class FloatUpdate(NamedTuple):
    """An operation by one name for each that is the same, its arguments, and its result if that is known."""

    name: str
    arguments: tuple[Bits, ...]
    result: Bits | None = None


def float_update(name: str, bits: int, arguments: tuple[Bits, ...], *, over: bool) -> FloatUpdate:
    """Return what is known of an operation; `over` of a NaN it is not known how it comes out."""
    brain = name in BRAIN_UPDATES
    word = BRAIN_UPDATES.get(name, name)
    infinite = BRAIN_INFINITY if brain else INFINITY.get(bits)
    if word not in FLOAT_UPDATES or infinite is None or len(arguments) != 2:
        return FloatUpdate(name, arguments)
    a, b = (tuple(part[i] if i < len(part) else FALSE for i in range(bits)) for part in arguments)
    sign = 1 << bits - 1
    if word == "fsub":  # Bit for bit, and of NaNs nobody says which sign they have.
        name, word, b = name.replace("fsub", "fadd"), "fadd", (*b[:-1], -b[-1])
    number = sum(1 << i for i, x in enumerate(b) if x == TRUE) if all(abs(x) == TRUE for x in b) else None
    nan = word == "fadd" and number is not None and number & sign - 1 > infinite
    extreme = (word, number) in (("fmax", infinite), ("fmin", infinite | sign))
    result = a if word == "fadd" and number == sign else b if extreme or (nan and not over) else None
    return FloatUpdate(name, (a, b), result)
