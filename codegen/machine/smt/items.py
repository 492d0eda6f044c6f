"""What goes through the nodes, and when: one time for each item and node.

What goes in: a layout and the values of reads. What comes out: `TimedItem`s, each with the condition and the time of
its arrival at every node of its path; the circuit asserts what orders them: program order, channels, waits, barriers,
the use of values. Two items never arrive at a node for one group at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.codegen.machine.layout import ItemEffect, LayoutOperation, MachineLayout, drops_at_issue
from axmem.codegen.machine.program import Footprint, MachineInstruction
from axmem.codegen.machine.smt.elements import Elements
from axmem.codegen.machine.smt.values import MachineReadValues
from axmem.encoder.circuit import TRUE
from axmem.encoder.timing import Time, TimedCircuit
from axmem.events.values import Expr, choices_of, reads_of
from axmem.front.records import dataclass, field

ACCESSES = (ItemEffect.LOAD, ItemEffect.STORE, ItemEffect.RMW)


@dataclass(slots=True)
class TimedItem:
    """An operation on a group: `at` and `time` say of each node of its path whether and when it arrives.

    `goes` says whether it enters the channel to the parent, `hits` at which nodes a load is served. `done` is the time
    at which it is complete.
    """

    op: LayoutOperation
    group: int
    condition: int
    path: tuple[int, ...]
    done: Time
    footprint: Footprint | None = None
    at: dict[int, int] = field(default_factory=dict)
    time: dict[int, Time] = field(default_factory=dict)
    goes: dict[int, int] = field(default_factory=dict)
    hits: dict[int, int] = field(default_factory=dict)


def reads_in(expr: Expr | None, choices: MachineLayout) -> frozenset[int]:
    """Return the reads that must have returned before an expression has its value."""
    found: set[int] = set()
    seen: set[int] = set()
    stack = [] if expr is None else [expr]
    while stack:
        part = stack.pop()
        found |= reads_of(part)
        for choice in choices_of(part) - seen:
            seen.add(choice)
            made = choices.program.choices[choice].expr
            stack += [] if made is None else [made]
    return frozenset(found)


class Items:
    """Everything that moves in one layout."""

    def __init__(
        self, layout: MachineLayout, values: MachineReadValues, elements: Elements, circuit: TimedCircuit
    ) -> None:
        self.layout = layout
        self.circuit = circuit
        self.start = circuit.time()
        self.values = values
        self.elements = elements
        self.root = layout.root
        self.single = layout.switches["single_channel"] == "on"
        self.issue: dict[tuple[int, int], Time] = {}
        self.executed: dict[tuple[int, int], int] = {}
        self.items: list[TimedItem] = []
        self.of_op: dict[tuple[int, int], list[TimedItem]] = {}
        self.lds: list[TimedItem] = []
        self.returned: dict[int, list[TimedItem]] = {}
        for row in layout.ops:
            for op in row:
                self._operation(op)
        for row in layout.ops:
            for op in row:
                self._ordered(op)
        self._channels()

    # ------------------------------------------------------------ operations

    def _operation(self, op: LayoutOperation) -> None:
        key = (op.stream, op.number)
        self.issue[key] = self.circuit.time()
        enabled = self.elements.whole(op.stream, op.instruction) if op.does in (ItemEffect.INV, ItemEffect.WB) else TRUE
        self.executed[key] = self.circuit.both(self.values.holds(op.guard), enabled)
        since = self.issue[op.stream, op.number - 1] if op.number else self.start
        self.circuit.add(self.circuit.before(since, self.issue[key]))
        groups = self.layout.program.groups
        if op.does in (ItemEffect.INV, ItemEffect.WB):
            if not self._immediate(op):
                for group in [g for g, found in enumerate(groups) if not found.lds]:
                    self._item(op, group, self.executed[key], None)
        elif op.does in ACCESSES:
            for k, footprint in enumerate(op.footprints):
                earlier = [-self.values.holds(f.guard) for f in op.footprints[:k]]
                condition = self.circuit.conjunction((self.executed[key], self.values.holds(footprint.guard), *earlier))
                self._item(op, footprint.group, condition, footprint)

    def _immediate(self, op: LayoutOperation) -> bool:
        """Say whether an invalidate or writeback is complete when it is issued."""
        if op.does is ItemEffect.INV:
            return drops_at_issue(op, self.layout.switches)
        back = [n for n in self.path(op.entry)[:-1] if self.layout.nodes[n].back]
        return self.layout.switches["wb_traverses"] == "off" and not any(
            self.layout.nodes[n].level < op.scope for n in back
        )

    def path(self, node: int) -> tuple[int, ...]:
        """Return the nodes from one to the root."""
        found = [node]
        while self.layout.nodes[found[-1]].parent >= 0:
            found.append(self.layout.nodes[found[-1]].parent)
        return tuple(found)

    def _item(self, op: LayoutOperation, group: int, condition: int, footprint: Footprint | None) -> None:
        issue, done = self.issue[op.stream, op.number], self.circuit.time()
        lds = self.layout.program.groups[group].lds
        item = TimedItem(op, group, condition, () if lds else self.path(op.entry), done, footprint=footprint)
        self.of_op.setdefault((op.stream, op.number), []).append(item)
        for read in footprint.reads if footprint is not None else ():
            for index in read.reads:
                self.returned.setdefault(index, []).append(item)
        if lds:
            self.circuit.add(self.circuit.before(issue, done))
            self.lds.append(item)
            return
        self.circuit.add(self.circuit.not_after(issue, done))
        self.items.append(item)
        arrives, time = condition, issue
        for n in item.path:
            item.at[n], item.time[n] = arrives, time
            if n == self.root:
                break
            item.goes[n] = self._goes(item, n)
            arrives, time = self.circuit.both(arrives, item.goes[n]), self.circuit.time()
            self.circuit.imply((arrives,), self.circuit.before(item.time[n], time))
        self._completion(item)

    def passes(self, n: int, group: int) -> bool:
        """Say whether a node keeps nothing of a group."""
        return (n, group) in self.layout.passes

    def _goes(self, item: TimedItem, n: int) -> int:
        """Return the condition under which an item that arrived at a node goes on."""
        op, node = item.op, self.layout.nodes[n]
        beyond = self.elements.beyond(op, node.level)
        if op.does is ItemEffect.INV:
            above = item.path[item.path.index(n) + 1 : -1]
            return self.circuit.disjunction([self.elements.drops(op, self.layout.nodes[m].level) for m in above])
        if op.does is ItemEffect.WB:
            return beyond
        if self.passes(n, item.group):
            return TRUE
        if op.does is ItemEffect.LOAD:
            item.hits[n] = self.circuit.variable()
            self.circuit.imply((item.hits[n],), item.at[n])
            self.circuit.imply((item.hits[n],), -beyond)
            return -item.hits[n]
        return beyond if node.back else TRUE

    def _completion(self, item: TimedItem) -> None:
        """Say when an item is complete: where it stops, or where an early acknowledgement comes from."""
        early = TRUE
        for n in item.path:
            done = self.circuit.at_once(item.done, item.time[n])
            if (
                item.op.does is ItemEffect.STORE
                and self.layout.early
                and n != self.root
                and not self.layout.nodes[n].back
            ):
                enough = self.circuit.both(-self.elements.beyond(item.op, self.layout.nodes[n].level), early)
                if not self.passes(n, item.group):
                    self.circuit.imply((item.at[n], enough), done)
                    early = self.circuit.both(early, -enough)
            stops = (item.at[n],) if n == self.root else (item.at[n], -item.goes[n])
            self.circuit.imply((*stops, early), done)

    # ------------------------------------------------------------ order

    def _ordered(self, op: LayoutOperation) -> None:
        """Say what an operation waits for before it is issued."""
        now, executed = self.issue[op.stream, op.number], self.executed[op.stream, op.number]
        for index in self._needed(op):
            for item in self.returned.get(index, []):
                if item.op is not op:
                    self.circuit.imply((item.condition,), self.circuit.before(item.done, now))
        if op.does is ItemEffect.WAIT:
            for (limit, counted), (counter, _) in zip(op.waits, self._counters(op.instruction), strict=True):
                enabled = self.elements.part(op.stream, op.instruction, counter)
                self._waits(self.circuit.both(executed, enabled), op, limit, counted)
        if op.does is ItemEffect.PASS:
            name, count = op.barrier
            for stream in self.layout.program.barriers[name]:
                for other in self.layout.ops[stream]:
                    if other.does is ItemEffect.ARRIVE and other.barrier == (name, count) and stream != op.stream:
                        arrived = self.circuit.before(self.issue[stream, other.number], now)
                        self.circuit.imply((executed,), arrived)

    def _counters(self, instruction: MachineInstruction) -> tuple[tuple[str, int], ...]:
        limits: tuple[tuple[str, int], ...] = instruction.operation.limits  # type: ignore[union-attr]
        return tuple(pair for pair in limits if pair[0] != "xcnt")

    def _needed(self, op: LayoutOperation) -> frozenset[int]:
        """Return the reads whose values an operation uses: for its guard, its address, and what it writes."""
        choices = self.layout.program.choices
        used = frozenset[int]().union(*(reads_in(choices[c].expr, self.layout) for c, _ in op.guard))
        own: set[int] = set()
        for footprint in op.footprints:
            used = used.union(*(reads_in(choices[c].expr, self.layout) for c, _ in footprint.guard))
            own |= {index for read in footprint.reads for index in read.reads}
            for write in footprint.writes:
                used |= reads_in(write.value, self.layout) | reads_in(write.when, self.layout)
        return used - own

    def _waits(self, condition: int, op: LayoutOperation, limit: int, counted: tuple[tuple[int, ...], ...]) -> None:
        """A wait is over when at most `limit` operations are on their way; in order, these are the last ones."""
        now = self.issue[op.stream, op.number]
        found = [self.layout.ops[s][n] for s, numbers in enumerate(counted) for n in numbers]
        issued = {}
        for o in found:
            before = TRUE if o.stream == op.stream else self.circuit.before(self.issue[o.stream, o.number], now)
            issued[o.stream, o.number] = self.circuit.both(self.executed[o.stream, o.number], before)
        if not limit:
            for other in found:
                for item in self.of_op.get((other.stream, other.number), []):
                    before = issued[other.stream, other.number]
                    over = self.circuit.before(item.done, now)
                    self.circuit.imply((condition, before, item.condition), over)
            return
        ordered = all(o.ordered for o in found)
        waiting = []
        for other in found:
            items = self.of_op.get((other.stream, other.number), [])
            open_ = self.circuit.disjunction(
                [self.circuit.both(item.condition, self.circuit.not_after(now, item.done)) for item in items]
            )
            waiting.append(self.circuit.both(issued[other.stream, other.number], open_))
        if not ordered:
            self.circuit.imply((condition,), -self.circuit.at_least(limit + 1, waiting))
            return
        for k, other in enumerate(found):
            same = [o for o in found if o.stream == other.stream and o.number > other.number]
            later = [issued[o.stream, o.number] for o in same]
            self.circuit.imply((condition, waiting[k]), -self.circuit.at_least(limit, later))

    def _channels(self) -> None:
        """Keep the order of each channel, and give items at one node different times."""
        for first, a in enumerate(self.items):
            for b in self.items[:first]:
                if a.group == b.group or self.single:
                    self._one_channel(b, a)
        for wave in range(len(self.layout.program.waves)):
            mine = [i for i in self.lds if self.layout.program.streams[i.op.stream].wave == wave]
            for first, a in enumerate(mine):
                for b in mine[:first]:
                    issued = self.issue[a.op.stream, a.op.number], self.issue[b.op.stream, b.op.number]
                    done = self.circuit.before(a.done, b.done)
                    self.circuit.agree((a.condition, b.condition), self.circuit.before(*issued), done)
        for first, a in enumerate(self.lds):
            for b in self.lds[:first]:
                if a.group == b.group:
                    self.circuit.imply((a.condition, b.condition), -self.circuit.at_once(a.done, b.done))

    def _one_channel(self, a: TimedItem, b: TimedItem) -> None:
        """Keep the order of two items; the markers of one operation start at once and go one behind the other."""
        for n in b.path:
            if n not in a.time:
                continue
            together = a.op is b.op
            if not together and (a.group == b.group or n != self.root):
                self.circuit.imply((a.at[n], b.at[n]), -self.circuit.at_once(a.time[n], b.time[n]))
            if n != self.root:
                above = self.layout.nodes[n].parent
                earlier = TRUE if together else self.circuit.before(a.time[n], b.time[n])
                later = self.circuit.before(a.time[above], b.time[above])
                self.circuit.agree((a.at[above], b.at[above]), earlier, later)

    def entering(self, n: int, group: int) -> Iterator[TimedItem]:
        """Yield the items that use the channel from a node to its parent, for a group."""
        for item in self.items:
            if n in item.goes and (item.group == group or self.single):
                yield item
