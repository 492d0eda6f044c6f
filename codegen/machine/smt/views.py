"""What a node holds when something looks at it.

What goes in: the items of a layout. What comes out: for a look at a node, a group and a time, the values of its
cells, with the constraints that they are what the node holds. A line holds what it was last refilled with, or at a
write-back cache what was last written there, changed by the stores that went past since; each look has the time of
the last refill before it, and looks at one line agree about refills.
"""

from __future__ import annotations

from axmem.codegen.machine.layout import ItemEffect, drops_at_issue
from axmem.codegen.machine.program import Write
from axmem.codegen.machine.smt.items import Items, TimedItem
from axmem.codegen.machine.smt.values import Literals
from axmem.encoder.circuit import FALSE, TRUE
from axmem.encoder.timing import Time
from axmem.front.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Something that happens to a cell or line at a time, under a condition; a write has values."""

    condition: int
    time: Time
    values: Literals = field(default_factory=dict)
    item: TimedItem | None = None


@dataclass(slots=True)
class Dirty:
    """A write that makes cells of a line in a write-back cache dirty, and when the line is next written back.

    `cleaned` is that it ever is, at time `when`; the data arrive at the parent at time `arrival`.
    """

    event: Occurrence
    cells: dict[int, tuple[int, Literals]]
    cleaned: int
    when: Time
    arrival: Time
    evicted: int
    eviction: Time


@dataclass(frozen=True, slots=True)
class Look:
    """A look at a line: its condition, its time, and the time of the last refill before it."""

    condition: int
    time: Time
    refill: Time


class Views:
    """The lines of all nodes of one layout."""

    def __init__(self, items: Items) -> None:
        self.items = items
        self.layout = items.layout
        self.program = items.layout.program
        self.values = items.values
        self.circuit = items.circuit
        self.root = items.root
        self.never = self.circuit.time()
        """The time of a refill that never was, before the start."""
        self.circuit.add(self.circuit.before(self.never, items.start))
        self.looks: dict[tuple[int, int], list[Look]] = {}
        self.dirty: dict[tuple[int, int], list[Dirty]] = {}
        for n, node in enumerate(self.layout.nodes):
            if node.back and n != self.root:
                for group in range(len(self.program.groups)):
                    if not items.passes(n, group):
                        self._dirty(n, group)
        for key in self.dirty:
            self._written_back(*key)

    # ------------------------------------------------------------ write-back caches

    def _enough(self, item: TimedItem, n: int) -> int:
        return -self.items.elements.beyond(item.op, self.layout.nodes[n].level)

    def _arrivals(self, n: int, group: int, *does: ItemEffect) -> list[TimedItem]:
        return [i for i in self.items.items if i.group == group and n in i.at and i.op.does in does]

    def _written(self, item: TimedItem) -> dict[int, tuple[int, Literals]]:
        """Return the cells that an access writes: whether, and the values."""
        assert item.footprint is not None
        found: dict[int, tuple[int, Literals]] = {}
        for write in item.footprint.writes:
            found[write.cell] = (self._when(write), self.values.value(write.value))
        return found

    def _when(self, write: Write) -> int:
        return self.values.nonzero(write.when)

    def _dirty(self, n: int, group: int) -> None:
        """Note the writes that end at a write-back cache."""
        for item in self._arrivals(n, group, ItemEffect.STORE, ItemEffect.RMW):
            cells = self._written(item)
            if not cells:
                continue
            any_ = self.circuit.disjunction([when for when, _ in cells.values()])
            condition = self.circuit.conjunction((item.at[n], self._enough(item, n), any_))
            made = Dirty(
                event=Occurrence(condition, item.time[n], {}, item),
                cells=cells,
                cleaned=self.circuit.variable(),
                when=self.circuit.time(),
                arrival=self.circuit.time(),
                evicted=self.circuit.variable(),
                eviction=self.circuit.time(),
            )
            self.dirty.setdefault((n, group), []).append(made)

    def _cleanings(self, n: int, group: int) -> list[Occurrence]:
        """Return what writes a line back: evictions, writebacks, and accesses that it is dropped for."""
        found = [Occurrence(d.evicted, d.eviction) for d in self.dirty.get((n, group), [])]
        for item in self._arrivals(n, group, ItemEffect.WB):
            beyond = self.items.elements.beyond(item.op, self.layout.nodes[n].level)
            found.append(Occurrence(self.circuit.both(item.at[n], beyond), item.time[n]))
        for item in self._arrivals(n, group, ItemEffect.LOAD, ItemEffect.RMW):
            found.append(Occurrence(self.circuit.both(item.at[n], item.goes[n]), item.time[n]))
        return found

    def _written_back(self, n: int, group: int) -> None:
        """Say when the dirty cells of a line are written back, and when that arrives at the parent."""
        parent = self.layout.nodes[n].parent
        cleanings, circuit = self._cleanings(n, group), self.circuit
        for d in self.dirty[n, group]:
            written, start = d.event.condition, d.event.time
            for follows in (written, circuit.before(start, d.when), circuit.before(d.when, d.arrival)):
                circuit.imply((d.cleaned,), follows)
            circuit.imply((d.evicted,), written)
            circuit.imply((d.evicted,), circuit.before(start, d.eviction))
            cleaned = [circuit.both(c.condition, circuit.at_once(c.time, d.when)) for c in cleanings]
            circuit.imply((d.cleaned,), *cleaned)
            for c in cleanings:
                later = (written, c.condition, circuit.before(start, c.time))
                circuit.imply(later, d.cleaned)
                circuit.imply(later, circuit.not_after(d.when, c.time))
            for item in self.items.entering(n, group):
                if parent not in item.at:
                    continue
                both = (d.cleaned, item.at[parent])
                ahead = circuit.before(item.time[n], d.when), circuit.before(item.time[parent], d.arrival)
                circuit.agree(both, *ahead)
                circuit.imply(both, -circuit.at_once(item.time[parent], d.arrival))
        groups = range(len(self.program.groups)) if self.items.single else [group]
        others = [d for g in groups for d in self.dirty.get((n, g), [])]
        for d in self.dirty[n, group]:
            for other in others:
                ahead = circuit.before(d.when, other.when), circuit.before(d.arrival, other.arrival)
                circuit.agree((d.cleaned, other.cleaned), *ahead)

    def _passing(self, n: int, group: int) -> list[TimedItem]:
        """Return the stores that go past a node which keeps values."""
        return [i for i in self._arrivals(n, group, ItemEffect.STORE) if i.goes.get(n, FALSE) != FALSE]

    def _overwriting(self, n: int, group: int, cell: int) -> list[Occurrence]:
        """Return the stores that change a present cell as they go past."""
        node = self.layout.nodes[n]
        switch = "l0_write" if node.first else "gl1_write"
        if not node.back and self.layout.switches[switch] == "drop":
            return []
        found = []
        for item in self._passing(n, group):
            when, literals = self._written(item).get(cell, (FALSE, {}))
            going = self.circuit.conjunction((item.at[n], item.goes[n], when))
            found.append(Occurrence(going, item.time[n], literals, item))
        return found

    def _drops(self, n: int, group: int) -> list[Occurrence]:
        """Return what takes a clean line away from a node."""
        node, switches = self.layout.nodes[n], self.layout.switches
        found = []
        for item in self._arrivals(n, group, ItemEffect.INV):
            drops = self.items.elements.drops(item.op, node.level)
            found.append(Occurrence(self.circuit.both(item.at[n], drops), item.time[n]))
        for row in self.layout.ops:
            for op in row:
                if drops_at_issue(op, switches) and n in self.items.path(op.entry):
                    drops = self.items.elements.drops(op, node.level)
                    condition = self.circuit.both(self.items.executed[op.stream, op.number], drops)
                    found.append(Occurrence(condition, self.items.issue[op.stream, op.number]))
        for item in self._arrivals(n, group, ItemEffect.LOAD):
            going = self.circuit.both(item.at[n], item.goes[n])
            if switches["bypass"] == "keep":
                going = self.circuit.both(going, self._enough(item, n))
            found.append(Occurrence(going, item.time[n], {}, item))
        gone = self._arrivals(n, group, ItemEffect.RMW)
        if not node.back and switches["l0_write" if node.first else "gl1_write"] == "drop":
            gone += self._passing(n, group)
        found += [Occurrence(self.circuit.both(i.at[n], i.goes[n]), i.time[n], {}, i) for i in gone]
        return [event for event in found if event.condition != FALSE]

    # ------------------------------------------------------------ looks

    def look(self, n: int, group: int, time: Time, condition: int, cells: tuple[int, ...]) -> dict[int, Literals]:
        """Return the values of cells as a node holds them at a time, if the condition holds."""
        while n != self.root and self.items.passes(n, group):
            n = self.layout.nodes[n].parent
        if n == self.root:
            return {cell: self._memory(cell, group, time) for cell in cells}
        back, refill = self.layout.nodes[n].back, self.circuit.time()
        self.circuit.imply((condition,), self.circuit.not_after(self.never if back else self.items.start, refill))
        self.circuit.imply((condition,), self.circuit.not_after(refill, time))
        self._agree(n, group, Look(condition, time, refill))
        filled = self.circuit.both(condition, self._refilled(refill) if back else TRUE)
        self._empty(n, group, refill, filled)
        given = self.look(self.layout.nodes[n].parent, group, refill, filled, cells)
        return {cell: self._cell(n, group, cell, Look(condition, time, refill), given[cell]) for cell in cells}

    def _refilled(self, refill: Time) -> int:
        """Return that there ever was a refill."""
        return self.circuit.not_after(self.items.start, refill)

    def _agree(self, n: int, group: int, look: Look) -> None:
        """Say that two looks at a line know of the same refills; at one time they are one look."""
        for other in self.looks.setdefault((n, group), []):
            both, same = (look.condition, other.condition), self.circuit.at_once(look.refill, other.refill)
            self.circuit.imply((*both, self.circuit.at_once(look.time, other.time)), same)
            for a, b in ((look, other), (other, look)):
                earlier = self.circuit.before(a.time, b.time)
                self.circuit.imply((*both, earlier), same, self.circuit.before(a.time, b.refill))
        self.looks[n, group].append(look)

    def _empty(self, n: int, group: int, time: Time, condition: int) -> None:
        """Say that the channels through which a refill comes are empty then."""

        def outside(inside: int, entered: Time, left: Time) -> None:
            on_its_way = self.circuit.before(entered, time), self.circuit.not_after(time, left)
            self.circuit.imply((condition, inside, *on_its_way))

        while True:
            parent = self.layout.nodes[n].parent
            for item in self.items.entering(n, group):
                outside(item.at[parent], item.time[n], item.time[parent])
            for g in range(len(self.program.groups)) if self.items.single else [group]:
                for d in self.dirty.get((n, g), []):
                    outside(d.cleaned, d.when, d.arrival)
            n = parent
            if n == self.root or not self.items.passes(n, group):
                return

    def _cell(self, n: int, group: int, cell: int, look: Look, given: Literals) -> Literals:
        """Return the values of a cell: refilled, or written here and dirty or clean since; then what went past."""
        circuit, condition, time, refill = self.circuit, look.condition, look.time, look.refill
        passing, drops = self._overwriting(n, group, cell), self._drops(n, group)
        writes = [(d, d.cells[cell]) for d in self.dirty.get((n, group), []) if cell in d.cells]
        candidates: list[tuple[int, Time, Literals, Dirty | None]] = []
        before = [
            circuit.conjunction((d.event.condition, when, circuit.before(d.event.time, time)))
            for d, (when, _) in writes
        ]
        from_refill = []
        for k, (d, (_, literals)) in enumerate(writes):
            last = [
                -circuit.both(before[j], circuit.before(d.event.time, other.event.time))
                for j, (other, _) in enumerate(writes)
                if j != k
            ]
            is_last = circuit.conjunction((before[k], *last))
            over = circuit.conjunction((is_last, self._refilled(refill), self._cleaned(d, passing, refill)))
            from_refill.append(over)
            candidates.append((circuit.both(is_last, -over), d.event.time, literals, d))
        none = circuit.conjunction([-term for term in before])
        from_refill.append(circuit.both(none, self._refilled(refill)) if self.layout.nodes[n].back else none)
        candidates.append((circuit.disjunction(from_refill), refill, given, None))
        circuit.imply((condition,), *[term for term, *_ in candidates])
        parts: list[tuple[int, Literals]] = []
        for chosen, start, literals, dirty in candidates:
            for drop in drops:
                since = circuit.not_after(start, drop.time)
                if dirty is not None:
                    since = self._cleaned(dirty, passing, drop.time, strict=False)
                circuit.imply((condition, chosen, drop.condition, circuit.before(drop.time, time), since))
            parts += self._after(Occurrence(chosen, start, literals), time, passing)
        return self.values.merged(parts)

    def _cleaned(self, d: Dirty, passing: list[Occurrence], time: Time, *, strict: bool = True) -> int:
        """Return that a cell was written back, or overwritten by what goes on, before (or, not strict, at) a time."""
        ordered = self.circuit.before if strict else self.circuit.not_after
        terms = [self.circuit.both(d.cleaned, ordered(d.when, time))]
        terms += [self._during(p, self.circuit.before(d.event.time, p.time), time) for p in passing]
        return self.circuit.disjunction(terms)

    def _during(self, event: Occurrence, since: int, time: Time) -> int:
        """Return that an event is before a time, and since another as `since` says."""
        return self.circuit.conjunction((event.condition, since, self.circuit.before(event.time, time)))

    def _after(self, start: Occurrence, time: Time, passing: list[Occurrence]) -> list[tuple[int, Literals]]:
        """Return what a cell that had values at a start has later, by the last store that went past since."""
        between = [self._during(p, self.circuit.not_after(start.time, p.time), time) for p in passing]
        parts = [(self.circuit.conjunction((start.condition, *(-b for b in between))), start.values)]
        lasts = self._lasts(between, passing)
        return parts + [(self.circuit.both(start.condition, last), values) for last, values in lasts]

    def _lasts(self, happened: list[int], events: list[Occurrence]) -> list[tuple[int, Literals]]:
        """Return for each event that it happened as the last of them, and its values."""
        found = []
        for k, event in enumerate(events):
            later = [
                -self.circuit.both(other, self.circuit.before(event.time, e.time))
                for other, e in zip(happened, events, strict=True)
                if e is not event
            ]
            found.append((self.circuit.conjunction((happened[k], *later)), event.values))
        return found

    # ------------------------------------------------------------ memory

    def memory_writes(self, group: int, cell: int) -> list[Occurrence]:
        """Return everything that writes a cell of memory, or of LDS."""
        found = []
        for item in self.items.lds if self.program.groups[group].lds else self.items.items:
            if item.group == group and item.op.does in (ItemEffect.STORE, ItemEffect.RMW):
                when, literals = self._written(item).get(cell, (FALSE, {}))
                lds = self.program.groups[group].lds
                arrived, time = (item.condition, item.done) if lds else (item.at[self.root], item.time[self.root])
                found.append(Occurrence(self.circuit.both(arrived, when), time, literals, item))
        for (n, g), writes in self.dirty.items():
            if g == group:
                found += [self._carried(n, group, cell, d) for d in writes if cell in d.cells]
        return [event for event in found if event.condition != FALSE]

    def _carried(self, n: int, group: int, cell: int, d: Dirty) -> Occurrence:
        """Return the arrival in memory of a dirty cell, unless something wrote the cell over before."""
        when, literals = d.cells[cell]
        since = d.event.time
        over = [self._during(p, self.circuit.before(since, p.time), d.when) for p in self._overwriting(n, group, cell)]
        for other in self.dirty[n, group]:
            if other is not d and cell in other.cells:
                between = self._during(other.event, self.circuit.before(since, other.event.time), d.when)
                over.append(self.circuit.both(between, other.cells[cell][0]))
        reached = self.circuit.conjunction((d.cleaned, when, -self.circuit.disjunction(over)))
        return Occurrence(reached, d.arrival, literals)

    def _memory(self, cell: int, group: int, time: Time) -> Literals:
        """Return what memory holds at a time: the last write before, or the initial value."""
        writes = self.memory_writes(group, cell)
        before = [self.circuit.both(w.condition, self.circuit.before(w.time, time)) for w in writes]
        initial: Literals = {self.program.initial[cell]: TRUE}
        none = self.circuit.conjunction([-b for b in before])
        return self.values.merged([(none, initial), *self._lasts(before, writes)])

    def different_times(self) -> None:
        """Say that no two writes of a cell arrive in memory at once."""
        for g, group in enumerate(self.program.groups):
            for cell in group.cells:
                writes = self.memory_writes(g, cell)
                for k, a in enumerate(writes):
                    for b in writes[:k]:
                        self.circuit.imply((a.condition, b.condition), -self.circuit.at_once(a.time, b.time))

    def equal(self, condition: int, read: Literals, seen: Literals) -> None:
        """Say that a read returns what was seen, if the condition holds."""
        for value, term in read.items():
            self.circuit.imply((condition, term), seen.get(value, FALSE))
