"""Which steps may be taken alone, because nothing is lost by not taking another one first; and which replays matter.

What goes in: a state and a step that is possible. What comes out: whether every execution from the state may begin
with that step, or is matched by one with the same outcome that does. Tests compare the outcomes with those of all
steps.

What the walk leaves out, and why nothing is lost:

- Waits, barriers and guards that can be passed are passed in the same step: nothing later forbids it, and nobody sees
  it. An instruction whose guard contradicts what was read is dropped, since a read returns once (updates that may be
  replayed do not count).
- A line that may be hit later is refilled as soon as possible, and evicted by a load that misses alone. A load may
  always ask the parent, so that a state with a line has every outcome of the state without. Lines that nobody will hit
  are forgotten.
- A line is refilled with another value only while something may still write the group: afterwards the parent gives the
  same. With `single_channel=on` it gives it later, behind other groups, so that lines are refilled at any time.
- A writeback or invalidate that has nothing to do at a node passes it when it is first in its channel; writebacks are
  issued at once. Being earlier, they are behind less. Lines are refilled after all that can pass have passed: a line
  between two of them would be dropped, and refilled with what the parent had all the time.
- A step *alone*, on a group that no other stream touches any more on the same nodes, with no marker behind it, and no
  line that somebody may hit, commutes with all others. Exceptions are two loads in one channel, and what a stream sends
  one way (scalar, vector) and later the other. A stream of a shared wave issues nothing alone while another comes to a
  wait that counts it: what it issues holds up that wait and everything behind it. A wave's streams issue into its queue
  to LDS in every order. With `single_channel=on` a channel's content keeps lines of other groups from being refilled,
  so only arrivals at the root are taken alone while somebody may hit a line.
- Settled groups are described below, clusters in `clusters.py`, replays at `telling_replays`. While some other store
  may be replayed, only the first two of these are used.

Of a *settled* group (`LayoutAnalysis.settled`) all accesses go through one node. There and further up every line that
is present has the last values that went through, and a channel has those that are newer than its parent's: what
enters behind them returns the same as what hits before them. So nothing is lost by moving them up first, dropping
such lines changes no value, and writing them back none either; only what enters at the node in which order does.
"""

from __future__ import annotations

from axmem.codegen.machine.layout import ItemEffect, LayoutOperation, MachineLayout
from axmem.codegen.machine.layout_analysis import LayoutAnalysis
from axmem.codegen.machine.state import CacheLine, ChannelItem, MachineState
from axmem.events.graph import Guard, compatible
from axmem.front.records import dataclass

INV, WB, LOAD, STORE, WBACK = (
    int(d) for d in (ItemEffect.INV, ItemEffect.WB, ItemEffect.LOAD, ItemEffect.STORE, ItemEffect.WBACK)
)


@dataclass(frozen=True, slots=True)
class StreamView:
    """What is still to come in a state: by stream the groups it touches and those it writes, in channels or later.

    `markers` has for each the nodes whose channels its markers will enter. `flying` are streams with a marker in a
    channel, `back` the groups of lines that are dirty or being written back.
    """

    state: MachineState
    lines: dict[int, CacheLine]
    touched: list[int]
    written: list[int]
    markers: list[int]
    flying: int
    back: int


class Reduction:
    """Judges the steps of one layout; `settled` are the nodes and groups that count as such."""

    def __init__(self, layout: MachineLayout, facts: LayoutAnalysis, settled: list[bool]) -> None:
        self.layout = layout
        self.facts = facts
        self.settled = settled
        self.groups = facts.groups
        self.root = layout.root
        self.streams = range(len(layout.program.streams))
        shared = len(layout.program.waves) < len(layout.ops)
        self.counting = [[self._counting(op) if shared else [] for op in row] for row in layout.ops]

    def view(self, state: MachineState) -> StreamView:
        """Return what is still to come."""
        facts = self.facts
        futures = facts.outlook(state.next, state.reads)[:-1]
        touched, written = [f.touches for f in futures], [f.writes for f in futures]
        flying = back = 0
        for _, items in state.channels:
            for does, stream, _, group, _, _ in items:
                if stream < 0:
                    back |= 1 << group
                elif does in (INV, WB):
                    flying |= 1 << stream
                else:
                    touched[stream] |= 1 << group
                    if does != LOAD:
                        written[stream] |= 1 << group
        for at, line in state.lines:
            if line.dirty:
                back |= 1 << (at % self.groups)
        return StreamView(state, dict(state.lines), touched, written, [f.markers for f in futures], flying, back=back)

    def writes_left(self, state: MachineState) -> int:
        """Return the groups whose lines may need another value than they have: those that something may still write.

        Of another one a load that does not hit returns the same, but in one channel for all groups it does so later.
        """
        if self.facts.single:
            return -1
        view = self.view(state)
        mask = view.back
        for written in view.written:
            mask |= written
        return mask

    def arrives_alone(self, view: StreamView, channel: int, item: ChannelItem) -> bool:
        """Tell whether the first item of a channel may arrive at a node before anything else happens."""
        does, stream, _, group, _, _ = item
        below = channel // self.groups
        n = self.layout.nodes[below].parent
        if n != self.root and self._keeps_from_refills(view):
            return False
        if self.settled[below * self.groups + group]:
            return True
        at = n * self.groups + group
        if stream < 0:
            return False
        if does in (INV, WB):
            return self.facts.nothing_to_do(n, item, view.lines)
        if n == self.root:
            return self._served_alone(view, does, stream, group)
        if at in view.lines:
            return False
        if self.layout.nodes[n].back and not self.facts.passes[at] and does != LOAD:
            return False
        return not self._meets(view, n, stream, group)

    def _served_alone(self, view: StreamView, does: int, stream: int, group: int) -> bool:
        """Tell whether an access may be done at the root: nobody else will change, or see, what it finds and leaves."""
        others = view.back
        for s in self.streams:
            if s != stream or self.facts.mixed[s] >> group & 1:
                others |= view.written[s] if does == LOAD else view.touched[s]
        return not others >> group & 1

    def _meets(self, view: StreamView, n: int, stream: int, group: int) -> bool:
        """Tell whether another stream may send something through a node, for a group, or a marker.

        Even loads matter: of two in one channel, the second cannot return an older value.
        """
        facts, single = self.facts, self.facts.single
        under = facts.under[n]
        if view.back >> group & 1 or facts.mixed[stream] >> group & 1:
            return True
        if view.flying & under & ~(1 << stream):
            return True
        for s in self.streams:
            if s == stream or not under >> s & 1:
                continue
            theirs = view.touched[s] if single else view.touched[s] >> group & 1
            if theirs or view.markers[s] >> n & 1:
                return True
        return False

    def issued_alone(self, view: StreamView, s: int) -> bool:
        """Tell whether a stream may issue its next instruction before anything else happens."""
        op = self.layout.ops[s][view.state.next[s]]
        n = op.entry
        if self._holds_up(view, op) or self._keeps_from_refills(view):
            return False
        if op.does is ItemEffect.WB:
            return True
        if self.facts.at_once(op):
            return False
        if op.does is ItemEffect.INV:
            return self._drops_alone(view, s, n)
        for f in op.footprints:
            at = n * self.groups + f.group
            if self.facts.lds[f.group]:
                if self._shares_wave(s):
                    return False
                continue
            if self.settled[at]:
                if self._raced(view, s, op.does, f.group):
                    return False
                continue
            if self._meets(view, n, s, f.group):
                return False
            line = view.lines.get(at)
            if line is not None and (op.does is not ItemEffect.STORE or len(line.cells) > 1):
                return False
        return True

    def _keeps_from_refills(self, view: StreamView) -> bool:
        """Tell whether what enters a channel may keep lines of other groups from a refill that somebody may hit."""
        state = view.state
        return self.facts.single and bool(self.facts.live(state.next, state.reads, dict(state.channels)))

    def _holds_up(self, view: StreamView, op: LayoutOperation) -> bool:
        """Tell whether another stream of the wave comes to a wait that counts an operation once it is issued."""
        return any(view.state.next[t] <= last for t, last in self.counting[op.stream][op.number])

    def _counting(self, op: LayoutOperation) -> list[tuple[int, int]]:
        """Return the streams with waits that count an operation of another one, each with the number of its last."""
        waits = [
            (wait.stream, wait.number) for row in self.layout.ops for wait in row
            if wait.stream != op.stream and any(op.number in counted[op.stream] for _, counted in wait.waits)
        ]  # fmt: skip
        return list(dict(waits).items())

    def _raced(self, view: StreamView, stream: int, does: ItemEffect, group: int) -> bool:
        """Tell whether an access to a settled group may be before or after another one that it matters to."""
        others = view.written if does is ItemEffect.LOAD else view.touched
        return any(others[s] >> group & 1 for s in self.streams if s != stream)

    def _drops_alone(self, view: StreamView, s: int, n: int) -> bool:
        """Tell whether an invalidate that is issued drops no line that another stream may hit."""
        first = n * self.groups
        present = [at for at in view.lines if first <= at < first + self.groups and not self.settled[at]]
        if not present or self.layout.nodes[n].port:
            return True
        return self.facts.under[n] == 1 << s

    def _shares_wave(self, s: int) -> bool:
        streams = self.layout.program.streams
        return any(t != s and streams[t].wave == streams[s].wave for t in self.streams)


def telling_replays(layout: MachineLayout, facts: LayoutAnalysis) -> list[list[tuple[int, int]]]:
    """Return, of the operations that may be replayed, by stream with their masks, those whose replay may matter.

    A replay of a store does not if nothing else of an execution writes its group: behind the first store, wherever it
    has been, a line has what it wrote or is absent, and a refill waits until the store has gone up; the second one
    leaves every value as it is. What remains of it delays: it is waited for, and markers go behind it. But what is
    delayed may let a later operation be replayed for longer, so that none whose replay matters may be after it.
    """
    writers: list[list[tuple[LayoutOperation, Guard]]] = [[] for _ in range(facts.groups)]
    for row in layout.ops:
        for op in row:
            if op.does in (ItemEffect.STORE, ItemEffect.RMW):
                for f in op.footprints:
                    writers[f.group].append((op, (*op.guard, *f.guard)))

    def alone(op: LayoutOperation) -> bool:
        """Tell whether no other operation of an execution with a store writes where it does."""
        return op.does is ItemEffect.STORE and not any(
            other is not op and compatible(guard, (*op.guard, *f.guard))
            for f in op.footprints for other, guard in writers[f.group]
        )  # fmt: skip

    found = []
    for row, replayed in zip(layout.ops, facts.replayed, strict=True):
        delaying, kept = 0, []
        for o, mask in reversed(replayed):
            own = ((1 << facts.groups) - 1) << (o * facts.groups)
            if not alone(row[o]) or own & delaying:
                delaying |= mask
                kept.append((o, mask))
        found.append(kept[::-1])
    return found
