"""What a row carries for its context: a context attaches to a row at roles, and sees happens-before between them.

What goes in: the operations of one program, in order. What comes out: `facts`: what comes in at a read is before what,
what is before who reads a write, which operations stand in order. A role is a read of the row (its release sequence may
be of the context), PRE, a read of the context before the row, which an acquire fence of the row makes synchronize; a
write of the row, or POST, a write of the context behind it, which a release fence of the row makes synchronize.

Invariant: if all facts of a row before a change are facts of the row after it, happens-before of the program before
lies in that of the program after, on all pairs that an axiom of the model sees (see the package).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from axmem.refinement.interface.operations import Operation, meet

PRE, POST = -1, -2
"""The roles of the context's own reads before a row, and of its writes behind it."""
NEVER = 1 << 30
"""A position that no operation has."""
IN, THROUGH, OUT, ORDER = "comes in", "passes through", "goes out", "order"
STRICTLY_IN, STRICTLY_OUT = "comes in before", "goes out behind"
"""As IN and OUT, at another operation than the seq_cst one itself: so it happens strongly before."""
STRICT = frozenset({STRICTLY_IN, STRICTLY_OUT})
Fact = tuple[str, int, int, int, int]
"""Its kind, the levels at which it comes in and goes out (0 where none), from what, to what."""


class Side:
    """What one program carries. Positions are those of its operations; PRE stands in front of them, POST behind."""

    def __init__(self, operations: Sequence[Operation], levels: Sequence[int]) -> None:
        """`levels` are those of both programs' scopes: what others synchronize at is one of them, or none of these."""
        self.operations = operations
        self.levels = levels
        self.end = len(operations)
        self.at = {each.key: k for k, each in enumerate(operations)}
        self.by_key = {each.key: each for each in operations}
        self.reads = [PRE, *(o.key for o in operations if o.reads and o.strong)]
        self.writes = [POST, *(o.key for o in operations if o.writes and o.strong)]

    def entry(self, role: int, level: int) -> int:
        """Return the first position behind the release that a read reads; `end` + 1 if only the context's fences are.

        [LangRef] "fence": an acquire read, or an acquire fence behind a read; [AMDGPU-Usage] "Memory Scopes": whose
        scope is at least the level at which the two threads meet.
        """
        position = -1 if role == PRE else self.at[role]
        if role != PRE and self.by_key[role].acquires and self.by_key[role].level >= level:
            return position
        fences = (
            k
            for k in range(position + 1, self.end)
            if (o := self.operations[k]).is_fence and o.acquires and o.level >= level
        )
        return next(fences, self.end + 1)

    def exit(self, role: int, level: int) -> int:
        """Return the last position before who reads a write; -2 if only the context's fences are."""
        position = self.end if role == POST else self.at[role]
        if role != POST and self.by_key[role].releases and self.by_key[role].level >= level:
            return position
        fences = (
            k
            for k in range(position - 1, -1, -1)
            if (o := self.operations[k]).is_fence and o.releases and o.level >= level
        )
        return next(fences, -2)

    def facts(self, seen: Iterable[int], names: Mapping[int, int]) -> set[Fact]:
        """Return what is carried among some operations, and between them and the context, under other names.

        Of a fence that is not seq_cst only the roles are seen. An operation that only this program has may have the
        name of another, beside which it stands.
        """
        names = {PRE: PRE, POST: POST, **names}
        seen = [key for key in seen if not self.by_key[key].is_fence or self.by_key[key].in_order]
        return {*self._synchronized(seen, names), *self._ordered(seen, names)}

    def _synchronized(self, seen: Sequence[int], names: Mapping[int, int]) -> Iterator[Fact]:
        reads = [r for r in self.reads if r == PRE or r in seen]
        writes = [w for w in self.writes if w == POST or w in seen]
        for level in self.levels:
            for r in reads:
                yield from self._in(r, level, seen, names)
            for w in writes:
                yield from self._out(w, level, seen, names)
            for out in self.levels:
                for r in reads:
                    for w in writes:
                        if self.entry(r, level) <= self.exit(w, out):
                            yield THROUGH, level, out, names[r], names[w]

    def _in(self, r: int, level: int, seen: Sequence[int], names: Mapping[int, int]) -> Iterator[Fact]:
        entry = self.entry(r, level)
        if entry <= self.end:
            yield IN, level, 0, names[r], POST
        for key in seen:
            # That a load is itself behind the release that it reads follows from coherence.
            itself = names[r] == names[key]
            if entry <= self.at[key] and not (itself and not self.by_key[key].writes):
                yield IN, level, 0, names[r], names[key]
            if entry < self.at[key] and self.by_key[key].in_order and not itself:
                yield STRICTLY_IN, level, 0, names[r], names[key]

    def _out(self, w: int, level: int, seen: Sequence[int], names: Mapping[int, int]) -> Iterator[Fact]:
        leaves = self.exit(w, level)
        if leaves >= 0:
            yield OUT, 0, level, PRE, names[w]
        for key in seen:
            if self.at[key] <= leaves:
                yield OUT, 0, level, names[key], names[w]
            if self.at[key] < leaves and self.by_key[key].in_order:
                yield STRICTLY_OUT, 0, level, names[key], names[w]

    def _ordered(self, seen: Sequence[int], names: Mapping[int, int]) -> Iterator[Fact]:
        for i in seen:
            for j in seen:
                a, b = self.by_key[i], self.by_key[j]
                if self.at[i] < self.at[j] and names[i] != names[j] and ordered(a, b):
                    yield ORDER, 0, 0, names[i], names[j]

    # ------------------------------------------------------------ between two operations

    def between(self, first: int, last: int) -> Sequence[Operation]:
        """Return the operations between two."""
        return self.operations[self.at[first] + 1 : self.at[last]]

    def entries(self, first: int, last: int) -> list[int]:
        """Return the positions behind one operation, up to another, at which something comes in at some level.

        What the second itself reads does not count.
        """
        roles = (r for r in self.reads if r != last)
        found = {self.entry(r, level) for r in roles for level in self.levels}
        return [e for e in found if self.at[first] < e <= self.at[last]]

    def exits(self, first: int, last: int) -> list[int]:
        """Return the positions from one operation on, before another, from which something goes out at some level.

        What the first itself writes does not count.
        """
        roles = (w for w in self.writes if w != first)
        found = {self.exit(w, level) for w in roles for level in self.levels}
        return [x for x in found if self.at[first] <= x < self.at[last]]


def ordered(first: Operation, second: Operation) -> bool:
    """Whether an axiom sees that one operation stands before another in its thread.

    Coherence sees it of accesses to one cell, the order of seq_cst of what stands on either side of a seq_cst fence,
    and of two that are seq_cst.
    """
    if meet(first.cell, second.cell):
        return first.writes or second.writes or (first.strong and second.strong)
    if first.in_order and second.in_order:
        return True
    return (first.is_fence and first.in_order and second.strong) or (
        second.is_fence and second.in_order and first.strong
    )
