"""Which stores and read-modify-writes may be issued again, and until when ([AMDGPUUsage] "Memory Model GFX125x").

What goes in: a layout. What comes out: `Replays`: for each operation, as bits, the accesses before it whose addresses
may not be translated yet. As long as one of them is not complete, the operation may be issued again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from axmem.codegen.machine.layout import ACCESSES, ItemEffect, LayoutOperation, MachineLayout
from axmem.codegen.machine.program import Wait


class Replays:
    """The masks of one layout: a bit for each operation of a stream and group; `lds` says which groups are in LDS."""

    def __init__(self, layout: MachineLayout, lds: Sequence[bool]) -> None:
        self.layout = layout
        self.lds = lds
        self.groups = len(lds)
        self.masks = [[self._mask(op) for op in row] for row in layout.ops]
        self.ends = [self._ends(row) for row in layout.ops]
        self.reasons = [self._reasons(row, s) for s, row in enumerate(layout.ops)]

    def _mask(self, op: LayoutOperation) -> int:
        """Return the operations that, as long as one of them is not complete, let this one be issued again."""
        if self.layout.switches["xnack_replay"] == "off" or op.does not in (ItemEffect.STORE, ItemEffect.RMW):
            return 0
        if any(self.lds[f.group] for f in op.footprints):
            return 0
        return self._mask_of(self._untranslated(op, op.number))

    def _mask_of(self, ops: Iterable[LayoutOperation]) -> int:
        return sum(((1 << self.groups) - 1) << (op.number * self.groups) for op in ops)

    def _ends(self, row: tuple[LayoutOperation, ...]) -> dict[int, dict[int, int]]:
        """Return for what settles translations which operations may then be issued again for fewer reasons, with these.

        Before a wait is over, and a scalar load is issued, addresses are translated; what was to be issued again was.
        """
        found: dict[int, dict[int, int]] = {}
        for op in row:
            left = self.masks[op.stream][op.number]
            for later in row[op.number + 1 :] if left else ():
                if later.does is ItemEffect.WAIT or _scalar(later):
                    after = left & self._mask_of(self._untranslated(op, later.number + 1))
                    if after != left:
                        found.setdefault(later.number, {})[op.number] = left = after
        return found

    def _reasons(self, row: tuple[LayoutOperation, ...], s: int) -> list[list[int]]:
        """Return what is left of `masks` where a stream comes to each of its operations, and to its end."""
        found = [list(self.masks[s])]
        for op in row:
            found.append([*found[-1]])
            for o, left in self.ends[s].get(op.number, {}).items():
                found[-1][o] = left
        return found

    def _untranslated(self, op: LayoutOperation, upto: int) -> Iterator[LayoutOperation]:
        """Yield the accesses before an operation whose addresses may not be translated yet, the last first, where its
        stream has come to operation `upto`.

        A wait that leaves `limit` of any counter leaves as many of xcnt ([AMDGPUUsage] "Memory Model GFX125x"). Of
        read-modify-writes in a row one does not replay the next ([SIInsertWaitcnts], llvm-project #177620). Hardware
        waits for translations itself where scalar and vector accesses alternate (the same, #160812).
        """
        left: float = inf
        row = op.does is ItemEffect.RMW
        for earlier in reversed(self.layout.ops[op.stream][:upto]):
            operation = earlier.instruction.operation
            certain = set(earlier.guard) <= set(op.guard)
            if isinstance(operation, Wait) and operation.limits and certain:
                least = min(limit for _, limit in operation.limits)
                left = min(left, least if operation.untranslated is None else operation.untranslated)
            elif _scalar(earlier):
                left = 0 if certain else left
            elif earlier.does in ACCESSES and "xcnt" in earlier.instruction.counters:
                if earlier.number < op.number:
                    row = row and earlier.does is ItemEffect.RMW
                    if left > 0 and not row:
                        yield earlier
                left -= certain
            if left <= 0:
                return


def _scalar(op: LayoutOperation) -> bool:
    """Tell whether an operation is a scalar load whose translation is counted."""
    return op.does in ACCESSES and {"xcnt", "kmcnt"} <= set(op.instruction.counters)
