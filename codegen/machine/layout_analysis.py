"""What can be known of a layout before anything runs, as bit masks: who may still touch what.

What goes in: a layout. What comes out: `LayoutAnalysis`, which the steps and the search ask. Masks over lines have a
bit for each node and group, masks over groups one for each group, masks over streams one for each stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from axmem.codegen.machine.layout import ACCESSES, ItemEffect, LayoutOperation, MachineLayout, drops_at_issue
from axmem.codegen.machine.program import Wait
from axmem.codegen.machine.replays import Replays
from axmem.codegen.machine.state import CacheLine, ChannelItem, NotYet, ReturnedValues, Undetermined
from axmem.codegen.machine.waits import Waits
from axmem.events.values import Value


class Future(NamedTuple):
    """What a stream may still issue: the groups that it touches and writes, the lines it may hit, the nodes that its
    markers enter the channels of."""

    touches: int = 0
    writes: int = 0
    hits: int = 0
    markers: int = 0


class LayoutAnalysis:
    """The masks of one layout."""

    def __init__(self, layout: MachineLayout) -> None:
        program = layout.program
        self.layout = layout
        self.groups = len(program.groups)
        self.single = layout.switches["single_channel"] == "on"
        self.reads = {index: k for k, index in enumerate(_read_indices(layout))}
        self.values = ReturnedValues(program.choices, self.reads)
        self.place = {cell: k for group in program.groups for k, cell in enumerate(group.cells)}
        self.passes = [(n, g) in layout.passes for n in range(len(layout.nodes)) for g in range(self.groups)]
        self.memory = tuple(g for g, group in enumerate(program.groups) if not group.lds)
        self.lds = tuple(group.lds for group in program.groups)
        self.under = self._under()
        self.hits = [[self._hit_mask(op) for op in row] for row in layout.ops]
        self.hit = self._all_hits()
        self.loads = [self._all_loads(row) for row in layout.ops]
        again = Replays(layout, self.lds)
        self.replays, self.ends, self.reasons = again.masks, again.ends, again.reasons
        self.replayed = [[(o, mask) for o, mask in enumerate(row) if mask] for row in self.replays]
        self.replaying = any(self.replayed)
        self.returning = any(
            layout.ops[s][o].does is ItemEffect.RMW for s, row in enumerate(self.replayed) for o, _ in row
        )
        self.memory_base = layout.root * self.groups
        order = sorted(range(layout.root), key=lambda n: len(self._above(n)))
        self.downwards = tuple(
            n * self.groups + g for n in order for g in self.memory if not self.passes[n * self.groups + g]
        )
        self.waits = Waits(layout, self.groups, self.values)
        self.asked = self.values.asked
        self._deciding = [self._deciders(row) for row in layout.ops]
        self._features = [[self._feature(op) for op in row] for row in layout.ops]
        self._outlooks: dict[tuple[tuple[int, ...], tuple[Value | None, ...]], tuple[Future, ...]] = {}
        self._futures: list[dict[tuple[Value | None, ...], Future]] = [{} for _ in layout.ops]
        self._at_once = [[self._done_at_once(op) for op in row] for row in layout.ops]
        self.mixed = [self._mixed(row) for row in layout.ops]
        self.settled = self._settled()

    def _all_loads(self, row: tuple[LayoutOperation, ...]) -> int:
        """Return a bit for each operation and group that a stream reads; two footprints may be in one group."""
        found = 0
        for op in row:
            if op.does in (ItemEffect.LOAD, ItemEffect.RMW):
                for f in op.footprints:
                    found |= 1 << (op.number * self.groups + f.group)
        return found

    def channel(self, node: int, group: int) -> int:
        """Return the number of the channel from a node to its parent for a group."""
        return node * self.groups + (0 if self.single else group)

    def _above(self, n: int) -> list[int]:
        found = []
        while (n := self.layout.nodes[n].parent) >= 0:
            found.append(n)
        return found

    def _entered(self, n: int, op: LayoutOperation) -> int:
        """Return 1 if an operation is a marker that enters the channel of a node."""
        if op.does not in (ItemEffect.INV, ItemEffect.WB) or n not in self.path(op)[:-1]:
            return 0
        if op.does is ItemEffect.INV:
            return int(self.layout.nodes[n].port or self.invalidates_above(n, op))
        return int(self.layout.nodes[n].level < op.scope)

    @property
    def may_hit(self) -> bool:
        """Whether some access may hit in a line below the root."""
        return bool(self.hit)

    @property
    def may_bypass(self) -> bool:
        """Whether some load passes a cache by in which another one may hit its line."""
        hit = self.hit
        return any(
            op.does is ItemEffect.LOAD
            and self.layout.nodes[n].level < op.scope
            and hit >> (n * self.groups + f.group) & 1
            for row in self.layout.ops
            for op in row
            for n in self.path(op)[:-1]
            for f in op.footprints
        )

    @property
    def may_land(self) -> bool:
        """Whether some invalidate may come to a line while a load that fills it was not waited for.

        That only matters to another access that may hit the line.
        """
        twice = self._hit_twice()
        for row in self.layout.ops:
            for load in row:
                hit = self.hits[load.stream][load.number] & twice if load.does is ItemEffect.LOAD else 0
                if hit and any(hit & self._dropped(op) for op in self._invalidates(load)):
                    return True
        return False

    def _hit_twice(self) -> int:
        """Return the lines that several accesses may hit."""
        once = twice = 0
        for row in self.hits:
            for hits in row:
                twice |= once & hits
                once |= hits
        return twice

    def _invalidates(self, load: LayoutOperation) -> Iterator[LayoutOperation]:
        """Yield the invalidates that may come after a load: those of other streams, and of its own behind it."""
        for row in self.layout.ops:
            for op in row:
                if op.does is ItemEffect.INV and (op.stream != load.stream or op.number > load.number):
                    yield op

    def _dropped(self, op: LayoutOperation) -> int:
        """Return the lines that an invalidate drops."""
        nodes = [n for n in self.path(op)[:-1] if op.low <= self.layout.nodes[n].level < op.high]
        return sum(((1 << self.groups) - 1) << (n * self.groups) for n in nodes)

    def _all_hits(self) -> int:
        """Return the lines that some access may hit."""
        mask = 0
        for row in self.hits:
            for hits in row:
                mask |= hits
        return mask

    # ------------------------------------------------------------ what is still to come

    def _deciders(self, row: tuple[LayoutOperation, ...]) -> tuple[int, ...]:
        """Return the places of the reads that the guards of a stream's instructions depend on."""
        return tuple(sorted({place for op in row for choice, _ in op.guard for place in self.asked[choice]}))

    def _feature(self, op: LayoutOperation) -> Future:
        """Return what one operation may do."""
        touches = _touched(op)
        markers = sum(1 << n for n in range(len(self.layout.nodes)) if self._entered(n, op))
        return Future(
            touches,
            touches if op.does in (ItemEffect.STORE, ItemEffect.RMW) else 0,
            self.hits[op.stream][op.number],
            markers,
        )

    def outlook(self, nexts: tuple[int, ...], reads: tuple[Value | None, ...]) -> tuple[Future, ...]:
        """Return for each stream what it may still issue from its next operation on, where reads returned this.

        At the end come the lines that any may hit.
        """
        found = self._outlooks.get((nexts, reads))
        if found is None:
            each = [self.future(s, n, reads) for s, n in enumerate(nexts)]
            hits = 0
            for future in each:
                hits |= future.hits
            found = self._outlooks[nexts, reads] = (*each, Future(hits=hits))
        return found

    def future(self, s: int, number: int, reads: tuple[Value | None, ...]) -> Future:
        """Return what a stream may still issue from an operation on."""
        known = self._futures[s]
        key = (number, *[reads[place] for place in self._deciding[s]])
        found = known.get(key)
        if found is None:
            found = known[key] = self._future(s, number, reads)
        return found

    def _future(self, s: int, number: int, reads: tuple[Value | None, ...]) -> Future:
        touches = writes = hits = markers = 0
        for op, feature in zip(self.layout.ops[s][number:], self._features[s][number:], strict=True):
            if not (op.guard and self._excluded(op, reads)):
                touches |= feature.touches
                writes |= feature.writes
                hits |= feature.hits
                markers |= feature.markers
        return Future(touches, writes, hits, markers)

    def _excluded(self, op: LayoutOperation, reads: tuple[Value | None, ...]) -> bool:
        """Tell whether it is decided that an operation is not executed.

        While read-modify-writes may be replayed, which return once more, nothing is.
        """
        if self.returning:
            return False
        try:
            return not all(self._may_take(choice, arm, reads) for choice, arm in op.guard)
        except Undetermined:
            return False

    def _may_take(self, choice: int, arm: int, reads: tuple[Value | None, ...]) -> bool:
        try:
            return self.values.arm(choice, reads) == arm
        except NotYet:
            return True

    def path(self, op: LayoutOperation) -> list[int]:
        """Return the nodes that an operation goes through, the root last."""
        found = []
        n = op.entry
        while n >= 0:
            found.append(n)
            n = self.layout.nodes[n].parent
        return found

    def _under(self) -> list[int]:
        """Return for each node the streams that send something through it."""
        masks = [0] * len(self.layout.nodes)
        for s, row in enumerate(self.layout.ops):
            for op in row:
                for n in self.path(op):
                    masks[n] |= 1 << s
        return masks

    def _settled(self) -> list[bool]:
        """Tell for each node and group whether everything that accesses the group goes through the node."""
        through = [-1] * self.groups
        for row in self.layout.ops:
            for op in row:
                if op.does in ACCESSES:
                    for f in op.footprints:
                        through[f.group] &= sum(1 << n for n in self.path(op))
        return [
            n != self.layout.root and not self.lds[g] and bool(through[g] >> n & 1)
            for n in range(len(self.layout.nodes))
            for g in range(self.groups)
        ]

    def _mixed(self, row: tuple[LayoutOperation, ...]) -> int:
        """Return the groups to which a stream has two ways, vector and scalar, be it that its markers go the other one.

        What goes one way may be overtaken by what the stream itself sends the other way, later.
        """
        ways: dict[int, set[int]] = {}
        markers = {op.entry for op in row if op.does in (ItemEffect.INV, ItemEffect.WB)}
        for op in row:
            if op.does in ACCESSES:
                for f in op.footprints:
                    if not self.lds[f.group]:
                        ways.setdefault(f.group, set(markers)).add(op.entry)
        return sum(1 << g for g, entries in ways.items() if len(entries) > 1)

    def _hit_mask(self, op: LayoutOperation) -> int:
        """Return the lines that an access may hit, or that may refill those."""
        mask = 0
        if op.does not in (ItemEffect.LOAD, ItemEffect.RMW):
            return 0
        reached = False
        for n in self.path(op)[:-1]:
            node = self.layout.nodes[n]
            kept = not node.port and node.level >= op.scope and (op.does is ItemEffect.LOAD or node.back)
            reached = reached or kept
            if reached:
                for f in op.footprints:
                    at = n * self.groups + f.group
                    mask |= 0 if self.passes[at] or self.lds[f.group] else 1 << at
        return mask

    def live(
        self, nexts: tuple[int, ...], reads: tuple[Value | None, ...], channels: Mapping[int, tuple[ChannelItem, ...]]
    ) -> int:
        """Return the lines that some access, issued or not, may hit."""
        return self.outlook(nexts, reads)[-1].hits | self.flying_hits(channels.items()) if self.hit else 0

    def flying_hits(self, channels: Iterable[tuple[int, tuple[ChannelItem, ...]]]) -> int:
        """Return the lines that accesses on their way may hit."""
        mask = 0
        for _, items in channels:
            for item in items:
                if item.stream >= 0:
                    mask |= self.hits[item.stream][item.number]
        return mask

    def nothing_to_do(self, n: int, marker: ChannelItem, lines: Mapping[int, CacheLine]) -> bool:
        """Tell whether a marker passes a node without changing its line."""
        line = lines.get(n * self.groups + marker.group)
        return n == self.layout.root or line is None or (marker.does == ItemEffect.WB and not line.dirty)

    def invalidates_above(self, n: int, op: LayoutOperation) -> bool:
        """Tell whether a node further up than n has a level that an invalidate drops."""
        n = self.layout.nodes[n].parent
        while n >= 0 and self.layout.nodes[n].parent >= 0:
            if op.low <= self.layout.nodes[n].level < op.high:
                return True
            n = self.layout.nodes[n].parent
        return False

    def at_once(self, op: LayoutOperation) -> bool:
        """Tell whether an invalidate or writeback is done as soon as it is issued."""
        return self._at_once[op.stream][op.number]

    def _done_at_once(self, op: LayoutOperation) -> bool:
        if op.does is ItemEffect.INV:
            return drops_at_issue(op, self.layout.switches)
        if op.does is ItemEffect.WB and self.layout.switches["wb_traverses"] == "off":
            above = self.path(op)[:-1]
            return not any(self.layout.nodes[n].back and self.layout.nodes[n].level < op.scope for n in above)
        return False

    def unwaited(self, stream: int, until: int, pending: int, node: int, group: int) -> bool:
        """Tell whether a load of a stream, which may fill a line, was served, and not waited for since.

        Only operations before number `until` count; `pending` are those that are not complete.
        """
        bit = 1 << (node * self.groups + group)
        for op in reversed(self.layout.ops[stream][:until]):
            if op.does is ItemEffect.WAIT and isinstance(op.instruction.operation, Wait):
                counters = {c for c, limit in op.instruction.operation.limits if limit == 0}
                if any(counters & set(o.instruction.counters) for o in self.layout.ops[stream][: op.number]
                       if self.hits[stream][o.number] & bit):  # fmt: skip
                    return False
            served = not pending >> (op.number * self.groups + group) & 1
            if op.does is ItemEffect.LOAD and self.hits[stream][op.number] & bit and served:
                return True
        return False

    def arrived(self, op: LayoutOperation, nexts: Sequence[int]) -> bool:
        """Tell whether all participants of a barrier have arrived as often as this stream."""
        name, count = op.barrier
        for s in self.layout.program.barriers[name]:
            done = sum(
                1 for o in self.layout.ops[s][: nexts[s]] if o.does is ItemEffect.ARRIVE and o.barrier[0] == name
            )
            if done < count:
                return False
        return True

    # ------------------------------------------------------------ replays

    def acknowledging(self, op: LayoutOperation) -> list[int]:
        """Return the nodes of a store's way from that on which acknowledges it early; none if none does."""
        if not self.layout.early or op.does is not ItemEffect.STORE:
            return []
        way = self.path(op)
        while way and (self.layout.nodes[way[0]].back or self.layout.nodes[way[0]].level < op.scope):
            del way[0]
        return way


def _read_indices(layout: MachineLayout) -> list[int]:
    found = {
        index: None
        for row in layout.ops
        for op in row
        for f in op.footprints
        for read in f.reads
        for index in read.reads
    }
    decided = (op.decides.read for row in layout.ops for op in row if op.decides is not None)
    return [*found, *decided, *layout.program.finals]


def _touched(op: LayoutOperation) -> int:
    mask = 0
    if op.does in ACCESSES:
        for f in op.footprints:
            mask |= 1 << f.group
    return mask
