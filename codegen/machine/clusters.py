"""Which steps are enough for now: those of some groups and streams that nothing else can meet before one of them.

What goes in: a state. What comes out: streams and groups, such that every execution from the state has one with the
same outcome that begins with a step of these: the next instruction of one of the streams, or a step of a channel,
queue or line of one of the groups. It is a persistent set (Godefroid), and this is why:

- Steps of channels, queues and lines touch one group each, and instructions the groups of their footprints; markers
  touch all groups in memory, and of a group what is on their stream's way below the root. With `single_channel=on` all
  groups in memory count as one, and those in LDS do everywhere, as a wave's queue has them in one order.
- Steps on different groups, of which no two are instructions of one stream, commute: a line, a channel, what a group
  has pending and what its reads return are the group's own. What streams pass, and which lines are still of interest,
  follows from the state alone: completing something never holds a stream up, as each wave has one stream. (Where
  waves have more, or where an invalidate asks what else is on its way, `inv_inflight=lands`, no set is returned.)
- Whatever the others do as long as none of these steps is taken, they do not touch these groups. What they can do is
  found as if order did not matter: every instruction that a stream may reach, passing what does not wait for the
  groups held still, where a read has any value that its cell has somewhere, that is on its way, or that somebody may
  write. If one of them does touch them, its stream, or the groups that it waits for, are put to the set. A marker
  touches a group where it meets something: at a node where a step of the set is, or a line that matters. An invalidate
  that meets no line that may be hit does nothing but complete: it counts only for what its stream does behind a wait.
  What may be hit is asked of when it is issued: the loads that its stream waited for before have returned then, with a
  value that there is while the set stands still, so that an instruction which all of these decide against is none that
  hits. Before or after a step of the set, the line is forgotten once the invalidate is issued, or earlier.
- No execution is without end, so that no step is put off for ever: instructions are executed once, items only move
  up, and a line is refilled with another value only after something was written. An execution that comes to its end
  without a step of the set has the outcome of the one that takes such a step first.
"""

from __future__ import annotations

from axmem.codegen.machine.layout import ItemEffect, MachineLayout
from axmem.codegen.machine.layout_analysis import LayoutAnalysis
from axmem.codegen.machine.reach import Ahead, LayoutReach, Reachable, Values
from axmem.codegen.machine.state import MachineState
from axmem.front.records import dataclass


@dataclass(frozen=True, slots=True)
class Cluster:
    """Streams and groups, as masks."""

    streams: int
    groups: int


@dataclass(frozen=True, slots=True)
class Around:
    """What is around any cluster of a state: for each stream what is `ahead` of it, and the lines that others may hit;
    for each group the nodes at which its steps read or change something that a marker could change, and those of every
    group; the values that cells may have; and which stream a cluster has `met`."""

    ahead: list[Ahead]
    hits: list[int]
    nodes: list[int]
    everywhere: int
    values: Values
    met: dict[tuple[int, int], int]


class Clusters:
    """Finds clusters in the states of one layout."""

    def __init__(self, layout: MachineLayout, facts: LayoutAnalysis) -> None:
        self.layout = layout
        self.facts = facts
        self.reach = LayoutReach(layout, facts)
        self.groups = facts.groups
        self.streams = range(len(layout.ops))
        waves = [s.wave for s in layout.program.streams]
        self.usable = len(set(waves)) == len(waves)

    def clusters(self, state: MachineState) -> list[Cluster]:
        """Return the clusters of a state, those with the fewest steps first; none if every step has to be taken."""
        if not self.usable or (self.reach.lands and self._invalidating(state)):
            return []
        ready = self._ready(state)
        busy = self._busy(state)
        seeds = [(1 << s, self._next(state, s).touched) for s in self.streams if ready >> s & 1]
        seeds += [(0, mask) for mask in dict.fromkeys(self.reach.joined) if mask & busy]
        around = self._around(state)
        sizes: dict[Cluster, int] = {}
        whole = self._size(state, ready, -1)
        for streams, groups in seeds:
            found = self._closed(state, streams, groups, ready, around)
            if found is not None and found not in sizes:
                sizes[found] = self._size(state, found.streams, found.groups)
                if sizes[found] <= 1:
                    return [found]
        return [c for c in sorted(sizes, key=lambda c: sizes[c]) if sizes[c] < whole]

    def _next(self, state: MachineState, s: int) -> Reachable:
        return self.reach.reachable[s][state.next[s]]

    def _invalidating(self, state: MachineState) -> bool:
        """Tell whether an invalidate is on its way."""
        return any(item.does == ItemEffect.INV for _, items in state.channels for item in items)

    def _ready(self, state: MachineState) -> int:
        """Return the streams that can issue their next instruction."""
        mask = 0
        for s in self.streams:
            if state.next[s] < len(self.layout.ops[s]):
                known = self._next(state, s)
                if known.op.does < ItemEffect.WAIT and all(state.reads[p] is not None for p in known.needs):
                    mask |= 1 << s
        return mask

    def _busy(self, state: MachineState) -> int:
        """Return the groups in which something may happen by itself."""
        mask = 0
        for _, items in state.channels:
            for item in items:
                mask |= 1 << item.group
        for queue in state.queues:
            for item in queue:
                mask |= 1 << item.group
        for at, _ in state.lines:
            if at < self.facts.memory_base:
                mask |= 1 << at % self.groups
        return mask

    def _size(self, state: MachineState, streams: int, groups: int) -> int:
        """Return about how many steps a cluster has."""
        found = streams.bit_count()
        for _, items in state.channels:
            found += groups >> items[0].group & 1
        for queue in state.queues:
            found += bool(queue) and groups >> queue[0].group & 1
        for at, _ in state.lines:
            found += at < self.facts.memory_base and groups >> at % self.groups & 1
        return found

    def _closed(
        self, state: MachineState, streams: int, groups: int, ready: int, around: Around
    ) -> Cluster | None:  # fmt: skip
        """Return the cluster around some streams and groups, or None if it would be everything."""
        while True:
            for s in self.streams:
                if streams >> s & 1 and self._next(state, s).marker:
                    return None
            s = self._meeting(state, streams, groups, around)
            if s < 0:
                return Cluster(streams, groups)
            if ready >> s & 1:
                streams |= 1 << s
                groups |= self._next(state, s).touched
                continue
            more = self._awaited(state, s) & ~groups
            if not more:
                return None
            groups |= more

    def _awaited(self, state: MachineState, s: int) -> int:
        """Return the groups in which something is on its way that a stream waits for."""
        known = self._next(state, s)
        bits = 0
        for place in known.needs:
            if state.reads[place] is None and place in self.reach.maker and self.reach.maker[place].stream == s:
                bits |= state.pending[s] & self.reach.whole(self.reach.maker[place].number)
        for _, counted in known.op.waits:
            for o in counted[s]:
                bits |= state.pending[s] & self.reach.whole(o)
        found = 0
        for g in range(self.groups):
            if bits & self.reach.frozen(1 << g):
                found |= self.reach.joined[g]
        return found

    def _meeting(self, state: MachineState, streams: int, groups: int, around: Around) -> int:
        """Return a stream that may touch a cluster before one of its steps is taken, or -1."""
        known = around.met.get((streams, groups))
        if known is not None:
            return known
        nodes = self._nodes(state, streams, groups, around)
        others = [s for s in self.streams if not streams >> s & 1 and state.next[s] < len(self.layout.ops[s])]
        values, before, found = around.values, None, -1
        while found < 0 and values is not before:
            before = values
            for s in others:
                ahead, hits = around.ahead[s], around.hits[s]
                met, values = self.reach.touches(state, s, groups, nodes, values, ahead=ahead, hits=hits)
                if met:
                    found = s
                    break
        around.met[streams, groups] = found
        return found

    def _around(self, state: MachineState) -> Around:
        """Return what is around the clusters of a state."""
        nodes, everywhere = [0] * self.groups, 0
        for channel, items in state.channels:
            n, group = channel // self.groups, items[0].group
            if self.facts.single:
                everywhere |= 1 << n | 1 << self.layout.nodes[n].parent
            elif not self.facts.settled[n * self.groups + group]:
                nodes[group] |= 1 << n | 1 << self.layout.nodes[n].parent
        live = self.facts.live(state.next, state.reads, dict(state.channels)) & ~self.reach.settled
        while live:
            n, group = divmod((live & -live).bit_length() - 1, self.groups)
            if n < self.layout.root:
                nodes[group] |= 1 << n
            live &= live - 1
        for at, _ in state.lines:
            if not self.facts.settled[at]:
                nodes[at % self.groups] |= 1 << at // self.groups
        reach = self.reach
        return Around(reach.ahead(state), reach.hits(state), nodes, everywhere, reach.values(state), {})

    def _nodes(self, state: MachineState, streams: int, groups: int, around: Around) -> int:
        """Return the nodes at which a cluster's steps read or change something that a marker could change."""
        mask = around.everywhere
        for group, nodes in enumerate(around.nodes):
            if groups >> group & 1:
                mask |= nodes
        for s in self.streams:
            if streams >> s & 1:
                mask |= 1 << self._next(state, s).op.entry
        return mask
