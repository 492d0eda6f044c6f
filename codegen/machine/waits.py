"""When a wait is over: which operations it counts, and how many of them are still on their way.

What goes in: a layout. What comes out: `Waits`, of whose masks each has a bit for each operation of a stream and group.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.codegen.machine.layout import LayoutOperation, MachineLayout
from axmem.codegen.machine.state import NotYet, ReturnedValues
from axmem.events.values import Value


class Waits:
    """The waits of one layout; `of_all` has, of those that leave nothing on its way, what must not be pending."""

    def __init__(self, layout: MachineLayout, groups: int, values: ReturnedValues) -> None:
        self.layout = layout
        self.groups = groups
        self.values = values
        self.of_all = [[self._of_all(op) for op in row] for row in layout.ops]

    def _of_all(self, op: LayoutOperation) -> list[tuple[int, int]] | None:
        """Return what must not be pending for a wait to be over, by stream; None if it leaves some on their way."""
        if any(limit for limit, _ in op.waits):
            return None
        full = (1 << self.groups) - 1
        masks: dict[int, int] = {}
        for _, counted in op.waits:
            for s, numbers in enumerate(counted):
                for o in numbers:
                    masks[s] = masks.get(s, 0) | full << (o * self.groups)
        return list(masks.items())

    def over(
        self, op: LayoutOperation, nexts: Sequence[int], pending: Sequence[int], reads: Sequence[Value | None]
    ) -> bool:
        """Tell whether a wait is over."""
        masks = self.of_all[op.stream][op.number]
        if masks is not None:
            return not any(pending[s] & mask for s, mask in masks)
        return all(self._outstanding(counted, limit, nexts, pending, reads) <= limit for limit, counted in op.waits)

    def _outstanding(
        self, counted: tuple[tuple[int, ...], ...], limit: int, nexts: Sequence[int],
        pending: Sequence[int], reads: Sequence[Value | None],
    ) -> int:  # fmt: skip
        """Count the operations on their way: those after one that is not complete are, where order is kept."""
        full = (1 << self.groups) - 1
        total = 0
        for s, numbers in enumerate(counted):
            waiting = [o for o in numbers if pending[s] >> (o * self.groups) & full]
            if not waiting:
                continue
            row = self.layout.ops[s]
            if limit and all(row[o].ordered for o in numbers):
                issued = [o for o in numbers if waiting[0] <= o < nexts[s] and self._executed(row[o], reads)]
                total += len(issued)
            else:
                total += len(waiting)
        return total

    def _executed(self, op: LayoutOperation, reads: Sequence[Value | None]) -> bool:
        try:
            return self.values.holds(op.guard, tuple(reads))
        except NotYet:  # a guard that was decided has its reads
            return False
