"""From a state of the machine to the states after it.

What goes in: a layout. What comes out: its first state, the steps from each state, which states are ends, and their
outcomes. With `reduced`, steps that cannot add an outcome are left out (`reduction.py`); unless
it is `clustered`, too, not those that only settled groups and clusters do without.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.codegen.machine.clusters import Cluster, Clusters
from axmem.codegen.machine.layout import ItemEffect, LayoutOperation, MachineLayout
from axmem.codegen.machine.reduction import Reduction, telling_replays
from axmem.codegen.machine.silence import counts
from axmem.codegen.machine.state import CacheLine, ChannelItem, MachineState, NotYet, Undetermined
from axmem.codegen.machine.steps import LOAD, RMW, Blocked, DraftState, LayoutSteps, MachineStep, refilled
from axmem.events.values import Value

Row = tuple[tuple[Value, ...], ...]
"""An outcome: for each observed value its lanes."""
EVERYTHING = Cluster(streams=-1, groups=-1)
Successor = tuple[MachineStep, MachineState]


class Walk:
    """The states of one layout and the steps between them."""

    def __init__(self, layout: MachineLayout, *, reduced: bool, clustered: bool = True) -> None:
        self.layout = layout
        self.steps = LayoutSteps(layout)
        self.facts = self.steps.facts
        self.groups = self.steps.groups
        self.root = layout.root
        self.streams = range(len(layout.program.streams))
        self.beyond = [each for each in layout.program.beyond if counts(layout, self.facts, each)]
        self._unfollowed: dict[tuple[Value | None, ...], set[str]] = {}
        self.drained = bool(layout.program.finals or layout.program.waits)
        """Whether everything is followed until it has arrived: for final values, and for loops that wait for it."""
        settled = self.facts.settled if reduced and clustered else [False] * len(self.facts.settled)
        self.settled = settled
        self.reduction = Reduction(layout, self.facts, settled) if reduced else None
        self.clusters = Clusters(layout, self.facts) if reduced and clustered else None
        self.replayed = telling_replays(layout, self.facts) if reduced else self.facts.replayed
        self.replaying = any(self.replayed)
        self.steps.replayed = [frozenset(o for o, _ in row) for row in self.replayed]
        self.steps.ahead = reduced and clustered and not self.replaying

    def start(self) -> MachineState:
        """Return the first state: memory holds the initial values, and every cache may."""
        program = self.layout.program
        lines: list[tuple[int, CacheLine]] = [
            (self.root * self.groups + g, CacheLine(tuple(program.initial[c] for c in group.cells), 0))
            for g, group in enumerate(program.groups)
        ]
        none = (0,) * len(self.streams)
        queues: tuple[tuple[ChannelItem, ...], ...] = ((),) * len(program.waves)
        reads = (None,) * len(self.facts.reads)
        state = MachineState(none, reads, none, tuple(lines), (), queues=queues, again=none)
        return self.steps.settle(DraftState(state))

    # ------------------------------------------------------------ ends

    def finished(self, state: MachineState) -> bool:
        """Tell whether nothing that happens after a state can change the outcome."""
        for s in self.streams:
            if state.next[s] < len(self.layout.ops[s]):
                return False
            if state.pending[s] & (self.facts.loads[s] if not self.drained else -1):
                return False
        if not self.drained:
            return True
        return not state.channels and not any(line.dirty for _, line in state.lines)

    def outcome(self, state: MachineState) -> Row | None:
        """Return the outcome of a finished state, or None if the test's assumptions do not hold of it."""
        program, values = self.layout.program, self.facts.values
        reads = list(state.reads)
        lines = dict(state.lines)
        for index, cell in program.finals.items():
            g = next(g for g, group in enumerate(program.groups) if cell in group.cells)
            reads[self.facts.reads[index]] = lines[self.root * self.groups + g].cells[self.facts.place[cell]]
        known = tuple(reads)
        for require in program.requires:
            if values.holds(require.guard, known) and values.value(require.expr, known) == 0:
                return None
        return tuple(tuple(values.value(lane, known) for lane in lanes) for lanes in program.observed)

    def unfollowed(self, state: MachineState) -> set[str]:
        """Return why a state's execution is not represented to its end, if it is not."""
        if state.reads not in self._unfollowed:
            self._unfollowed[state.reads] = self._reasons(state)
        return self._unfollowed[state.reads]

    def _reasons(self, state: MachineState) -> set[str]:
        found = set()
        for each in self.beyond:
            try:
                if self.facts.values.holds(each.guard, state.reads):
                    found.add(each.reason)
            except NotYet:
                continue
            except Undetermined:
                found.add(each.reason)
        return found

    # ------------------------------------------------------------ steps

    def successors(self, state: MachineState) -> Iterator[Successor]:
        """Yield the steps from a state that have to be taken, with the states that they lead to."""
        replaying = self.replaying and self._replay_possible(state)
        if self.reduction is not None and not replaying:
            alone = self._alone(state, self.reduction)
            if alone is not None:
                yield alone
                return
        left = self.reduction.writes_left(state) if self.reduction is not None and not replaying else -1
        if self.clusters is not None and not replaying:
            for cluster in self.clusters.clusters(state):
                found = list(self._within(state, cluster, left))
                if found:
                    yield from found
                    return
        yield from self._within(state, EVERYTHING, left)
        if replaying:
            yield from self._replayed(state)

    def _within(self, state: MachineState, cluster: Cluster, left: int) -> Iterator[Successor]:
        """Yield the steps of a cluster."""
        for s in self.streams:
            if cluster.streams >> s & 1:
                yield from self._issue(state, s)
        for channel, items in state.channels:
            if cluster.groups >> items[0].group & 1:
                yield from self._advance(state, channel)
        for wave, queue in enumerate(state.queues):
            if queue and cluster.groups >> queue[0].group & 1:
                yield self._in_lds(state, wave)
        yield from self._spontaneous(state, cluster.groups, left)

    def _alone(self, state: MachineState, reduction: Reduction) -> Successor | None:
        """Return a step that may be taken alone, if there is one."""
        view = reduction.view(state)
        for channel, items in state.channels:
            if reduction.arrives_alone(view, channel, items[0]):
                found = list(self._advance(state, channel))
                if len(found) == 1:
                    return found[0]
        for s in self.streams:
            if state.next[s] < len(self.layout.ops[s]) and reduction.issued_alone(view, s):
                found = list(self._issue(state, s))
                if len(found) == 1:
                    return found[0]
        return None

    def _issue(self, state: MachineState, s: int) -> Iterator[Successor]:
        """Yield what the next instruction of a stream does: one state, or one for each way that it may be served, and
        for each of what hardware may decide."""
        if state.next[s] == len(self.layout.ops[s]):
            return
        op = self.layout.ops[s][state.next[s]]
        if op.does >= ItemEffect.WAIT:
            return
        if op.decides is None:
            yield from self._issued(state, op)
            return
        place = self.facts.reads[op.decides.read]
        for value in range(op.decides.values):
            decided = (*state.reads[:place], value, *state.reads[place + 1 :])
            yield from self._issued(state._replace(reads=decided), op)

    def _issued(self, state: MachineState, op: LayoutOperation) -> Iterator[Successor]:
        """Yield what an instruction does, for each way that it may be served."""
        try:
            items = self._items(op, state)
        except NotYet:
            return
        for hit in self._ways(state, op.entry, items):
            work = DraftState(state)
            work.next[op.stream] += 1
            self._send(work, op, items, hit=hit)
            group = items[0].group if items else -1
            yield MachineStep("issue", op.entry, op.stream, op.number, group, hit=hit), self.steps.settle(work)

    def _items(self, op: LayoutOperation, state: MachineState) -> list[ChannelItem]:
        """Return what an operation sends: itself, or a marker for each group. Raises NotYet."""
        values = self.facts.values
        if op.guard and not values.holds(op.guard, state.reads):
            raise NotYet
        if op.does in (ItemEffect.INV, ItemEffect.WB):
            return [ChannelItem(int(op.does), op.stream, op.number, g) for g in self.facts.memory]
        for k, f in enumerate(op.footprints):
            if f.guard and not values.holds(f.guard, state.reads):
                continue
            cells: tuple[Value | None, ...] = ()
            if op.does is ItemEffect.STORE:
                written: list[Value | None] = [None] * len(self.layout.program.groups[f.group].cells)
                for write in f.writes:
                    if write.when is None or values.value(write.when, state.reads) != 0:
                        written[self.facts.place[write.cell]] = values.value(write.value, state.reads)
                cells = tuple(written)
            elif op.does is ItemEffect.RMW:
                self._ready(op, k, state)
            return [ChannelItem(int(op.does), op.stream, op.number, f.group, k, cells=cells)]
        raise Undetermined

    def _ready(self, op: LayoutOperation, footprint: int, state: MachineState) -> None:
        """Check that a read-modify-write has its operands. Raises NotYet."""
        reads = list(state.reads)
        f = op.footprints[footprint]
        for read in f.reads:
            for index in read.reads:
                reads[self.facts.reads[index]] = 0
        for write in f.writes:
            for expr in (write.value, write.when):
                if expr is not None:
                    self.facts.values.value(expr, tuple(reads))

    def _send(self, work: DraftState, op: LayoutOperation, items: list[ChannelItem], *, hit: bool = False) -> None:
        """Send what an operation is made of on its way."""
        for item in items:
            work.pending[op.stream] |= 1 << (op.number * self.groups + item.group)
        if items and self.facts.lds[items[0].group]:
            wave = self.layout.program.streams[op.stream].wave
            work.queues[wave] = (*work.queues[wave], items[0])
            return
        for item in items:
            if not self.facts.at_once(op):
                self.steps.arrive(work, op.entry, item, hit=hit)
                continue
            if op.does is ItemEffect.INV:
                for n in self.facts.path(op)[:-1]:
                    if op.low <= self.layout.nodes[n].level < op.high:
                        self.steps.drop(work, n, item.group)
            self.steps.complete(work, item)

    def _ways(self, state: MachineState, n: int, items: list[ChannelItem]) -> tuple[bool, ...]:
        """Return the ways in which an access may be served at a node: hit, not hit, or whatever."""
        if len(items) != 1 or items[0].does not in (LOAD, RMW) or n == self.root:
            return (False,)
        at = n * self.groups + items[0].group
        node, op = self.layout.nodes[n], self.layout.ops[items[0].stream][items[0].number]
        if node.level < op.scope or (items[0].does == RMW and not node.back) or self.facts.passes[at]:
            return (False,)
        line = next((line for where, line in state.lines if where == at), None)
        if line is None or None in line.cells:
            return (False,)
        if line.dirty or (self.settled[at] and not self.replaying):
            return (True,)
        return (True, False)

    def _advance(self, state: MachineState, channel: int) -> Iterator[Successor]:
        item = dict(state.channels)[channel][0]
        parent = self.layout.nodes[channel // self.groups].parent
        for hit in self._ways(state, parent, [item]):
            work = DraftState(state)
            work.taken(channel)
            try:
                self.steps.arrive(work, parent, item, hit=hit)
            except Blocked:
                continue
            yield MachineStep("advance", parent, item.stream, item.number, item.group, hit=hit), self.steps.settle(work)

    def _in_lds(self, state: MachineState, wave: int) -> Successor:
        item, *rest = state.queues[wave]
        work = DraftState(state)
        work.queues[wave] = tuple(rest)
        self.steps.arrive(work, self.root, item)
        return MachineStep("lds", self.root, item.stream, item.number, item.group), self.steps.settle(work)

    def _spontaneous(self, state: MachineState, groups: int, left: int) -> Iterator[Successor]:
        """Yield refills of lines of some groups that differ from what the parent has, and dirty lines written back.

        Only lines of the groups in `left`, which may still be written, need another value than they have.
        """
        channels, lines = dict(state.channels), dict(state.lines)
        live = self.facts.live(state.next, state.reads, channels)
        for at, line in state.lines:
            if at >= self.facts.memory_base:
                break
            n, g = divmod(at, self.groups)
            if not groups >> g & 1:
                continue
            given = self.steps.given(lines, channels, n, g) if live >> at & 1 and left >> g & 1 else None
            if given is not None:
                fresh = refilled(line, given)
                if fresh != line:
                    work = DraftState(state)
                    work.lines[at] = fresh
                    yield MachineStep("refill", n, group=g), self.steps.settle(work)
            if line.dirty and (self.drained or not self.settled[at]):
                work = DraftState(state)
                self.steps.drop(work, n, g, keep=True)
                yield MachineStep("evict", n, group=g), self.steps.settle(work)
            elif self.reduction is None and not line.dirty:
                work = DraftState(state)
                del work.lines[at]
                yield MachineStep("evict", n, group=g), work.state()

    # ------------------------------------------------------------ replays

    def _replay_possible(self, state: MachineState) -> bool:
        """Tell whether a store may be issued once more, now or later."""
        for s in self.streams:
            open_ = state.pending[s] | -1 << (state.next[s] * self.groups)
            reasons = self.facts.reasons[s][state.next[s]]
            for o, _ in self.replayed[s]:
                if reasons[o] & open_ and not state.again[s] >> o & 1:
                    return True
        return False

    def _replayed(self, state: MachineState) -> Iterator[Successor]:
        """Yield stores that are issued once more, as an earlier access of the wave is not translated yet.

        And waits that come to their end without that.
        """
        for s in self.streams:
            reasons = self.facts.reasons[s][state.next[s]]
            for o, _ in self.replayed[s]:
                op = self.layout.ops[s][o]
                if o >= state.next[s] or not reasons[o] & state.pending[s] or state.again[s] >> o & 1:
                    continue
                if not self.facts.values.holds(op.guard, state.reads):
                    continue
                work = DraftState(state)
                work.again = tuple(bits | (1 << o if k == s else 0) for k, bits in enumerate(state.again))
                self._send(work, op, self._items(op, state))
                yield MachineStep("replay", op.entry, s, o), self.steps.settle(work)
            if self.steps.held(state, s):
                work = DraftState(state)
                work.next[s] += 1
                yield MachineStep("wait", -1, s, state.next[s]), self.steps.settle(work)
