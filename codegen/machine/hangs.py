"""Loops that wait for ever: a cache keeps what has been written from who polls, or nobody writes any more.

What goes in: a layout, and a state in which nothing accesses any more what a loop polls, nor is on its way there. Of a
loop that waits one iteration is executed, the last: so where it goes round once more it goes on. What comes out: the
loops that go on for ever on hardware that does nothing by itself, each with the line that stays. A poll is answered for
ever by what a cache on its way holds, unless the loop drops it, the poll passes the cache, or what was written last may
have come through there, too; and what lies dirty in a cache that is not on its way it never sees. A loop that goes on
with the newest values, too, is `locked`: what it waits for was not written, and is not any more. Whether that is the
fault of the code is for others to say. Invariant: of a loop that goes on for ever either the one or the other is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from axmem.codegen.machine.layout import ItemEffect, LayoutOperation, MachineLayout
from axmem.codegen.machine.layout_analysis import LayoutAnalysis
from axmem.codegen.machine.program import Footprint, WaitingLoop, Write
from axmem.codegen.machine.state import CacheLine, MachineState, NotYet, Undetermined
from axmem.events.values import Constant, Value
from axmem.front.source import Span


class Hang(NamedTuple):
    """A loop of a thread that does not end: its first line, the poll and its line, what is polled, and where what was
    read stays (`kept`), or what was written; nowhere, if the loop is `locked`."""

    thread: str
    loop: Span
    poll: str
    span: Span
    group: str
    node: str
    kept: bool
    locked: bool = False


class Hangs:
    """Finds the loops of one layout that wait for ever."""

    def __init__(self, layout: MachineLayout, facts: LayoutAnalysis) -> None:
        self.layout = layout
        self.facts = facts
        self.loops = layout.program.waits
        self.assumes = any(not isinstance(require.expr, Constant) for require in layout.program.requires)
        self.writers = self._writers()
        self.polled = [frozenset(f.group for op in self._row(loop) for f in op.footprints) for loop in self.loops]
        self._rounds: dict[tuple[Value | None, ...], list[tuple[WaitingLoop, frozenset[int]]]] = {}

    def _row(self, loop: WaitingLoop) -> list[LayoutOperation]:
        """Return the operations of an iteration."""
        return [op for op in self.layout.ops[loop.stream] if op.instruction.number in loop.numbers]

    def _writers(self) -> Mapping[int, list[tuple[LayoutOperation, Footprint, frozenset[int]]]]:
        """Return of each group everything that writes it, with its way."""
        found: dict[int, list[tuple[LayoutOperation, Footprint, frozenset[int]]]] = {}
        for row in self.layout.ops:
            for op in row:
                for f in op.footprints:
                    if f.writes:
                        found.setdefault(f.group, []).append((op, f, frozenset(self.facts.path(op))))
        return found

    def found(self, state: MachineState, *, followed: bool) -> Iterator[Hang]:
        """Yield the loops that go on for ever from a state; none if something may still happen in it.

        None is locked as long as another one may go on otherwise, or some stream is not `followed` to its end: what
        stands behind that may be what it waits for.
        """
        found: list[Hang] = []
        locked = followed and not self.assumes
        for loop, polled in self._going_on(state):
            staying = list(self._stays(loop, polled, state))
            locked = locked and bool(staying)
            found += staying
        yield from (hang for hang in found if locked or not hang.locked)

    def _going_on(self, state: MachineState) -> list[tuple[WaitingLoop, frozenset[int]]]:
        """Return the loops that go round once more after what a state has read, with the groups that they poll."""
        if state.reads not in self._rounds:
            self._rounds[state.reads] = [
                pair for pair in zip(self.loops, self.polled, strict=True) if self._taken(pair[0], state)
            ]
        return self._rounds[state.reads]

    def _taken(self, loop: WaitingLoop, state: MachineState) -> bool:
        try:
            return self.facts.values.holds(loop.guard, state.reads)
        except (NotYet, Undetermined):
            return False

    def _stays(self, loop: WaitingLoop, groups: frozenset[int], state: MachineState) -> Iterator[Hang]:
        """Yield why a loop goes on for ever, if it does and that is known."""
        if self._over(state, groups):
            with suppress(NotYet, Undetermined):
                yield from self._staying(loop, state)

    def _over(self, state: MachineState, groups: frozenset[int]) -> bool:
        """Say whether nothing is on its way to some groups, or left to be issued."""
        flying = (*(items for _, items in state.channels), *state.queues)
        if any(item.group in groups for items in flying for item in items):
            return False
        left = (op for row, at in zip(self.layout.ops, state.next, strict=True) for op in row[at:])
        return not any(self._concerns(op, groups) and not self._skipped(op, state) for op in left)

    def _concerns(self, op: LayoutOperation, groups: frozenset[int]) -> bool:
        """Say whether an operation may change what somebody sees of some groups."""
        return op.does is ItemEffect.WB or any(f.group in groups for f in op.footprints)

    def _skipped(self, op: LayoutOperation, state: MachineState) -> bool:
        try:
            return not self.facts.values.holds(op.guard, state.reads)
        except (NotYet, Undetermined):
            return False

    def _staying(self, loop: WaitingLoop, state: MachineState) -> Iterator[Hang]:
        """Yield why a loop that goes round in a state always will, if it will only because of what a cache has."""
        row = self._row(loop)
        lines = dict(state.lines)
        seen, newest = list(state.reads), list(state.reads)
        why: list[Hang] = []
        last: Hang | None = None
        for op in row:
            for f in op.footprints:
                if not f.reads or not self._done(op, f.guard, state):
                    continue
                last = self._hang(loop, op, f.group)
                written = self._newest(f.group, lines)
                hang, has = (None, None) if self.facts.lds[f.group] else self._answered(loop, op, f.group, row, state)
                if hang is not None:
                    why.append(hang)
                for read in f.reads:
                    place = self.facts.place[read.cell]
                    for index in read.reads:
                        newest[self.facts.reads[index]] = written.cells[place]
                        if hang is None:
                            seen[self.facts.reads[index]] = written.cells[place]
                        elif has is not None:
                            seen[self.facts.reads[index]] = has.cells[place]
        values = self.facts.values
        if values.holds(loop.guard, tuple(newest)):
            yield from [last._replace(locked=True)] if last is not None else []
        elif why and values.holds(loop.guard, tuple(seen)):
            yield from why

    def _done(self, op: LayoutOperation, guard: tuple[tuple[int, int], ...], state: MachineState) -> bool:
        return self.facts.values.holds(op.guard, state.reads) and self.facts.values.holds(guard, state.reads)

    def _answered(
        self,
        loop: WaitingLoop,
        op: LayoutOperation,
        group: int,
        row: list[LayoutOperation],
        state: MachineState,
    ) -> tuple[Hang | None, CacheLine | None]:
        """Return what keeps a poll from what was written last, and the line that it is answered from: None for what it
        has read before. None twice if nothing keeps it.
        """
        way, lines = self.facts.path(op), dict(state.lines)
        for n in way[:-1]:
            if self._keeps(n, op, group, row) and not self._passed(n, group, state, lines):
                return self._hang(loop, op, group, self.layout.nodes[n].text, kept=True), None
        own = [n for n in way if self._dirty(n, group, lines)]
        others = [n for n in range(self.layout.root) if n not in way and self._dirty(n, group, lines)]
        if own or not others:
            return None, None
        root = lines[self.layout.root * self.facts.groups + group]
        return self._hang(loop, op, group, self.layout.nodes[others[0]].text), root

    def _hang(self, loop: WaitingLoop, op: LayoutOperation, group: int, node: str = "", *, kept: bool = False) -> Hang:
        program = self.layout.program
        return Hang(
            thread=program.streams[loop.stream].thread, loop=loop.span, poll=op.instruction.text,
            span=op.instruction.span, group=program.groups[group].name, node=node, kept=kept,
        )  # fmt: skip

    def _dirty(self, n: int, group: int, lines: Mapping[int, CacheLine]) -> bool:
        line = lines.get(n * self.facts.groups + group) if n != self.layout.root else None
        return line is not None and line.dirty != 0

    def _newest(self, group: int, lines: Mapping[int, CacheLine]) -> CacheLine:
        """Return what was written last, as far as a state tells: a dirty line, else what the root has."""
        nodes = [n for n in range(self.layout.root) if self._dirty(n, group, lines)]
        return lines[(nodes[0] if nodes else self.layout.root) * self.facts.groups + group]

    def _passed(self, n: int, group: int, state: MachineState, lines: Mapping[int, CacheLine]) -> bool:
        """Say whether what was written last may have been written through a node, which has it then or drops its line.

        What was written before through it keeps nobody from polling that for ever.
        """
        newest = self._newest(group, lines)
        return any(
            n in way and self._left(write, op, footprint, newest, state)
            for op, footprint, way in self.writers.get(group, ())
            for write in footprint.writes
        )

    def _left(
        self, write: Write, op: LayoutOperation, footprint: Footprint, newest: CacheLine, state: MachineState
    ) -> bool:
        """Say whether a write may have left what is there."""
        values, reads = self.facts.values, state.reads
        try:
            if not self._done(op, footprint.guard, state) or (write.when and values.value(write.when, reads) == 0):
                return False
            return values.value(write.value, reads) == newest.cells[self.facts.place[write.cell]]
        except (NotYet, Undetermined):
            return True

    def _keeps(self, n: int, op: LayoutOperation, group: int, row: list[LayoutOperation]) -> bool:
        """Say whether a cache on the way of a poll may answer it for ever with what it was answered first."""
        node = self.layout.nodes[n]
        if node.port or node.level < op.scope or self.facts.passes[n * self.facts.groups + group]:
            return False
        if op.does is ItemEffect.RMW and not node.back:
            return False
        return not any(
            other.does is ItemEffect.INV and other.low <= node.level < other.high and n in self.facts.path(other)
            for other in row
        )
