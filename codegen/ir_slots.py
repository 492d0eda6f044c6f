"""What a kernel stores for an observer: the values, and where in the buffer they go."""

from __future__ import annotations

from collections.abc import Iterator

from axmem.front.records import dataclass
from axmem.litmus.layout import natural_alignment
from axmem.litmus.registers import register_types
from axmem.litmus.syntax import I1, I32, Assign, Assume, LitmusTest, RegisterOf, Thread, Type
from axmem.litmus.walk import observed, statements
from axmem.litmus.walk import results as assigned


@dataclass(frozen=True, slots=True)
class StoredSlot:
    """A value that a kernel stores: `register` with its `type`, at a byte of the buffer, as `stored`.

    `part` is 0 or 1 for the old value and the success of a cmpxchg's pair. The condition of an `assume`, which holds
    unless the assume is reached and fails, is `assumed`.
    """

    register: str
    type: Type
    offset: int
    stored: Type
    part: int | None = None
    assumed: bool = False

    @property
    def name(self) -> str:
        """How comments call it: `r0`, `r0[1]`, `assume 1`."""
        return self.register if self.part is None else f"{self.register}[{self.part}]"


def slots(test: LitmusTest, thread: Thread, start: int = 0) -> tuple[StoredSlot, ...]:
    """Return what a thread stores: the registers that outcomes show, and the conditions of its assumes.

    `start` is the byte of the buffer from which on it may: what it stores lies behind what others do.
    """
    types = register_types(test)
    loaded = [r for s in statements(thread.body) if not isinstance(s, Assign) for r in assigned(s)]
    asked = [m.register for m in observed(test) if isinstance(m, RegisterOf) and m.thread == thread.name]
    wanted: list[tuple[str, Type, int | None, bool]] = []
    for register in dict.fromkeys(loaded + asked):
        type_ = types[thread.name, register]
        if type_.pair:
            old = Type(type_.bits, 0, type_.pointer)
            wanted += [(register, old, 0, False), (register, I1, 1, False)]
        else:
            wanted.append((register, type_, None, False))
    count = sum(isinstance(s, Assume) for s in statements(thread.body))
    wanted += [(f"assume {number}", I1, None, True) for number in range(1, count + 1)]
    return tuple(_placed(wanted, start))


def _placed(wanted: list[tuple[str, Type, int | None, bool]], end: int) -> Iterator[StoredSlot]:
    for register, type_, part, assumed in wanted:
        narrow = not type_.lanes and type_.pointer is None and type_.bits < 32
        stored = I32 if narrow else Type(8, type_.lanes) if type_.bits == 1 else type_
        align = max(4, natural_alignment(stored.size))
        start = -(-end // align) * align
        yield StoredSlot(register, type_, start, stored, part=part, assumed=assumed)
        end = start + stored.size
