"""The steps of the machine, as the package defines them: arrivals, issue, refills, and what is settled at once.

What goes in: a layout and a state. What comes out: the states after it, each with the step that leads there. Invariant:
a state that comes out is settled: waits, barriers and guards that can be passed are, and every line that may be hit
later and can be refilled is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from axmem.codegen.machine.layout import ItemEffect, LayoutOperation, MachineLayout
from axmem.codegen.machine.layout_analysis import LayoutAnalysis
from axmem.codegen.machine.state import CacheLine, Cells, ChannelItem, MachineState, NotYet
from axmem.events.values import Value

LOAD, STORE, RMW, INV, WB, WBACK = (
    int(d) for d in (ItemEffect.LOAD, ItemEffect.STORE, ItemEffect.RMW, ItemEffect.INV, ItemEffect.WB, ItemEffect.WBACK)
)


class MachineStep(NamedTuple):
    """One step: `kind` is issue, advance, lds, refill, evict, replay or wait.

    `stream` issues, replays, waits, or owns the wave whose queue it is; `node` is where an item arrives, or whose line
    it is; `hit` says that a load was served there.
    """

    kind: str
    node: int
    stream: int = -1
    op: int = -1
    group: int = -1
    hit: bool = False


class DraftState:
    """A state that is being changed."""

    __slots__ = ("again", "channels", "lines", "next", "pending", "queues", "reads")

    def __init__(self, state: MachineState) -> None:
        self.next = list(state.next)
        self.reads = list(state.reads)
        self.pending = list(state.pending)
        self.lines = dict(state.lines)
        self.channels = dict(state.channels)
        self.queues = list(state.queues)
        self.again = state.again

    def state(self) -> MachineState:
        """Return the state that this has become."""
        return MachineState(
            tuple(self.next), tuple(self.reads), tuple(self.pending), tuple(sorted(self.lines.items())),
            tuple(sorted(self.channels.items())), queues=tuple(self.queues), again=self.again,
        )  # fmt: skip

    def taken(self, channel: int) -> ChannelItem:
        """Take the first item out of a channel."""
        item, *rest = self.channels[channel]
        if rest:
            self.channels[channel] = tuple(rest)
        else:
            del self.channels[channel]
        return item

    def put(self, at: int, line: CacheLine | None) -> None:
        """Put a line in a place, or nothing."""
        if line is None:
            self.lines.pop(at, None)
        else:
            self.lines[at] = line


class Blocked(Exception):
    """An item cannot arrive yet."""


class LayoutSteps:
    """The steps of one layout; with `ahead`, markers that have nothing to do at a node pass it at once.

    `replayed` has for each stream the operations that may be issued once more; waits are not passed before they were.
    """

    def __init__(self, layout: MachineLayout) -> None:
        self.layout = layout
        self.ahead = False
        self.facts = LayoutAnalysis(layout)
        self.replayed = [frozenset(o for o, _ in row) for row in self.facts.replayed]
        self.groups = len(layout.program.groups)
        self.root = layout.root
        self.switches = layout.switches
        self.values = self.facts.values

    # ------------------------------------------------------------ arrivals

    def arrive(self, work: DraftState, n: int, item: ChannelItem, *, hit: bool = False) -> None:
        """Let an item arrive at a node; `hit` chooses where a load or read-modify-write may hit. Raises Blocked."""
        does, group = item.does, item.group
        if n == self.root:
            self._at_root(work, item)
        elif does == INV:
            self._invalidate(work, n, item)
        elif does == WB:
            self._writeback(work, n, item)
        elif self.facts.passes[n * self.groups + group]:
            self._enter(work, n, item)
        elif does == LOAD:
            self._load(work, n, item, hit=hit)
        elif does == STORE:
            self._store(work, n, item)
        elif does == RMW:
            self._update(work, n, item, hit=hit)
        else:
            self._enter(work, n, item)

    def _enter(self, work: DraftState, n: int, item: ChannelItem) -> None:
        channel = self.facts.channel(n, item.group)
        work.channels[channel] = (*work.channels.get(channel, ()), item)

    def _load(self, work: DraftState, n: int, item: ChannelItem, *, hit: bool) -> None:
        at = n * self.groups + item.group
        line, node = work.lines.get(at), self.layout.nodes[n]
        if node.level >= self._op(item).scope:
            if line is not None and hit and None not in line.cells:
                self._returned(work, item, line.cells)
                return
            self.drop(work, n, item.group)
        else:
            self.drop(work, n, item.group, keep=self.switches["bypass"] == "keep")
        self._enter(work, n, item)

    def drop(self, work: DraftState, n: int, group: int, *, keep: bool = False) -> None:
        """Drop a line, what is dirty in it written back before; or `keep` it, clean."""
        at = n * self.groups + group
        line = work.lines.get(at)
        if line is None:
            return
        if line.dirty:
            dirty = tuple([v if line.dirty >> k & 1 else None for k, v in enumerate(line.cells)])
            self._enter(work, n, ChannelItem(WBACK, -1, -1, group, cells=dirty))
        work.put(at, CacheLine(line.cells, 0) if keep else None)

    def _store(self, work: DraftState, n: int, item: ChannelItem) -> None:
        at = n * self.groups + item.group
        line, node, scope = work.lines.get(at), self.layout.nodes[n], self._op(item).scope
        if not node.back:
            if line is not None:
                update = self.switches["l0_write" if node.first else "gl1_write"] == "update"
                work.put(at, CacheLine(_merged(line.cells, item.cells, present=True), 0) if update else None)
            if self.layout.early and node.level >= scope:
                self.complete(work, item, n)
            self._enter(work, n, item)
        elif node.level >= scope:
            old = line or CacheLine((None,) * len(item.cells), 0)
            bits = sum(1 << k for k, v in enumerate(item.cells) if v is not None)
            work.lines[at] = CacheLine(_merged(old.cells, item.cells, present=False), old.dirty | bits)
            self.complete(work, item, n)
        else:
            if line is not None:
                bits = sum(1 << k for k, v in enumerate(item.cells) if v is not None)
                work.lines[at] = CacheLine(_merged(line.cells, item.cells, present=True), line.dirty & ~bits)
            self._enter(work, n, item)

    def _update(self, work: DraftState, n: int, item: ChannelItem, *, hit: bool) -> None:
        at, node = n * self.groups + item.group, self.layout.nodes[n]
        if not node.back or node.level < self._op(item).scope:
            self.drop(work, n, item.group)
            self._enter(work, n, item)
            return
        line = work.lines.get(at)
        if line is None or None in line.cells or not hit:
            given = self.given(work.lines, work.channels, n, item.group)
            if given is None:
                raise Blocked
            line = refilled(line, given)
        cells, written = self._updated(work, item, line.cells)
        work.lines[at] = CacheLine(cells, line.dirty | written)

    def _updated(self, work: DraftState, item: ChannelItem, old: Cells) -> tuple[Cells, int]:
        """Do a read-modify-write on cells; return them with a bit for each that it writes."""
        self._returned(work, item, old)
        footprint = self._op(item).footprints[item.footprint]
        reads = tuple(work.reads)
        cells, written = list(old), 0
        for write in footprint.writes:
            if write.when is not None and self.values.value(write.when, reads) == 0:
                continue
            place = self.facts.place[write.cell]
            cells[place] = self.values.value(write.value, reads)
            written |= 1 << place
        return tuple(cells), written

    def _invalidate(self, work: DraftState, n: int, item: ChannelItem) -> None:
        op, node = self._op(item), self.layout.nodes[n]
        at = n * self.groups + item.group
        line = work.lines.get(at)
        if op.low <= node.level < op.high and line is not None and not self._landing(work, n, item):
            kept = tuple([v if line.dirty >> k & 1 else None for k, v in enumerate(line.cells)])
            work.put(at, CacheLine(kept, line.dirty) if line.dirty else None)
        if self.facts.invalidates_above(n, op):
            self._enter(work, n, item)
        else:
            self.complete(work, item)

    def _landing(self, work: DraftState, n: int, item: ChannelItem) -> bool:
        """Tell whether a value that a load asked for may still be on its way to a node, so that it lands later."""
        if self.switches["inv_inflight"] == "drops":
            return False
        return any(
            self.facts.unwaited(s, item.number if s == item.stream else until, work.pending[s], n, item.group)
            for s, until in enumerate(work.next)
        )

    def _writeback(self, work: DraftState, n: int, item: ChannelItem) -> None:
        node = self.layout.nodes[n]
        if node.level < self._op(item).scope:
            if node.back:
                self.drop(work, n, item.group, keep=True)
            self._enter(work, n, item)
        else:
            self.complete(work, item)

    def _at_root(self, work: DraftState, item: ChannelItem) -> None:
        at = self.root * self.groups + item.group
        line = work.lines[at]
        if item.does == LOAD:
            self._returned(work, item, line.cells)
        elif item.does == RMW:
            cells, _ = self._updated(work, item, line.cells)
            work.lines[at] = CacheLine(cells, 0)
        elif item.does in (STORE, WBACK):
            work.lines[at] = CacheLine(_merged(line.cells, item.cells, present=False), 0)
        self.complete(work, item, self.root)

    def _returned(self, work: DraftState, item: ChannelItem, cells: Cells) -> None:
        """Give the reads of an access their values; it is complete."""
        for read in self._op(item).footprints[item.footprint].reads:
            for index in read.reads:
                work.reads[self.facts.reads[index]] = cells[self.facts.place[read.cell]]
        self.complete(work, item)

    def complete(self, work: DraftState, item: ChannelItem, n: int | None = None) -> None:
        """Let an operation be complete in a group, at a node; one that was issued twice is when both are."""
        stream, number = item.stream, item.number
        if stream < 0 or (work.again[stream] >> number & 1 and self._counts(work, item, n)):
            return
        work.pending[stream] &= ~(1 << (number * self.groups + item.group))

    def _counts(self, work: DraftState, item: ChannelItem, n: int | None) -> bool:
        """Tell whether an item of an operation that was issued twice leaves the other on its way."""
        acknowledged = self.facts.acknowledging(self._op(item))
        if n is not None and n in acknowledged[1:]:
            return True
        return any(
            other[:5] == item[:5] and channel // self.groups not in acknowledged
            for channel, items in work.channels.items()
            for other in items
        )

    def _op(self, item: ChannelItem) -> LayoutOperation:
        return self.layout.ops[item.stream][item.number]

    # ------------------------------------------------------------ refills

    def given(
        self, lines: Mapping[int, CacheLine], channels: Mapping[int, tuple[ChannelItem, ...]], n: int, group: int
    ) -> tuple[Value, ...] | None:
        """Return the cells that a node's parent would give to a load, or None if it cannot now."""
        while True:
            if self.facts.channel(n, group) in channels:
                return None
            n = self.layout.nodes[n].parent
            if not self.facts.passes[n * self.groups + group]:
                break
        line = lines.get(n * self.groups + group)
        if line is None or None in line.cells:
            return None
        return line.cells  # type: ignore[return-value]

    def settle(self, work: DraftState) -> MachineState:
        """Pass what can be passed, refill what is absent, forget what nobody will hit; return the state."""
        reads = tuple(work.reads)
        while True:
            self._pass_all(work, reads)
            live = self.facts.live(tuple(work.next), reads, work.channels)
            self._forget(work.lines, live)
            if not (self.ahead and work.channels and self._move_markers(work, live)):
                break
        if live:
            self._refill(work, live)
        return work.state()

    def _forget(self, lines: dict[int, CacheLine], live: int) -> None:
        """Forget the lines that nobody will hit."""
        base = self.facts.memory_base
        for at in [at for at, line in lines.items() if at < base and not line.dirty and not live >> at & 1]:
            del lines[at]

    def _refill(self, work: DraftState, live: int) -> None:
        """Refill what is absent of the lines that somebody may hit."""
        lines = work.lines
        for at in self.facts.downwards:
            if live >> at & 1 and ((line := lines.get(at)) is None or None in line.cells):
                given = self.given(lines, work.channels, at // self.groups, at % self.groups)
                if given is not None:
                    lines[at] = refilled(line, given)

    def _pass_all(self, work: DraftState, reads: tuple[Value | None, ...]) -> None:
        """Let every stream go over what it can pass."""
        moved = True
        while moved:
            moved = False
            for s in range(len(work.next)):
                moved |= self._pass(work, s, reads)

    def _move_markers(self, work: DraftState, live: int) -> bool:
        """Let markers that are first in their channels pass nodes where they have nothing to do; tell if any did.

        One that enters the one channel of all groups would keep lines of the others from being refilled.
        """
        moved = False
        for channel in sorted(work.channels):
            while (items := work.channels.get(channel)) and items[0].does in (INV, WB):
                parent = self.layout.nodes[channel // self.groups].parent
                if self.facts.single and live and parent != self.root:
                    break
                if not self.facts.nothing_to_do(parent, items[0], work.lines):
                    break
                self.arrive(work, parent, work.taken(channel))
                moved = True
        return moved

    def _pass(self, work: DraftState, stream: int, reads: tuple[Value | None, ...]) -> bool:
        """Go over waits, barriers and instructions that are not executed; tell whether any was passed."""
        before = number = work.next[stream]
        row = self.layout.ops[stream]
        while number < len(row):
            op = row[number]
            if op.guard:
                try:
                    executed = self.values.holds(op.guard, reads)
                except NotYet:
                    break
            else:
                executed = True
            if executed and not self._passable(work, op):
                break
            number += 1
            work.next[stream] = number
        return number != before

    def _passable(self, work: DraftState, op: LayoutOperation) -> bool:
        if op.does < ItemEffect.WAIT:
            return False
        if op.does is ItemEffect.WAIT:
            return self.facts.waits.over(op, work.next, work.pending, work.reads) and not self._ends_replays(work, op)
        return op.does is ItemEffect.ARRIVE or self.facts.arrived(op, work.next)

    def _ends_replays(self, work: DraftState | MachineState, op: LayoutOperation) -> bool:
        """Tell whether something that may be issued once more may not be any longer when a wait is over."""
        s, reads = op.stream, tuple(work.reads)
        for o, left in self.facts.ends[s].get(op.number, {}).items():
            if o in self.replayed[s] and not work.again[s] >> o & 1 and not left & work.pending[s]:
                now = self.facts.reasons[s][op.number][o] & work.pending[s]
                if now and self.values.holds(self.layout.ops[s][o].guard, reads):
                    return True
        return False

    def held(self, state: MachineState, s: int) -> bool:
        """Tell whether a stream is at a wait that is over, but for what may be issued once more before."""
        if state.next[s] == len(self.layout.ops[s]):
            return False
        op = self.layout.ops[s][state.next[s]]
        if op.does is not ItemEffect.WAIT or not self.facts.waits.over(op, state.next, state.pending, state.reads):
            return False
        try:
            return self.values.holds(op.guard, state.reads) and self._ends_replays(state, op)
        except NotYet:
            return False


def _merged(old: Cells, new: Cells, *, present: bool) -> Cells:
    """Return cells with what is written in them; with `present` only where there is a value already."""
    return tuple([
        a if b is None or (present and a is None) else b for a, b in zip(old, new, strict=True)
    ])  # fmt: skip


def refilled(line: CacheLine | None, given: tuple[Value, ...]) -> CacheLine:
    """Return a line whose clean cells have the values given."""
    if line is None:
        return CacheLine(given, 0)
    cells = tuple([v if line.dirty >> k & 1 else given[k] for k, v in enumerate(line.cells)])
    return CacheLine(cells, line.dirty)
