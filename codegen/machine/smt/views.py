"""What a node holds when something looks at it.

What goes in: the items of a layout. What comes out: for a look at a node, a group and a time, the values of its
cells, with the constraints that they are what the node holds. A line holds what it was last refilled with, or at a
write-back cache what was last written there, changed by the stores that went past since; each look has the time of
the last refill before it, and looks at one line agree about refills.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import z3

from axmem.codegen.machine.layout import Does
from axmem.codegen.machine.program import Write
from axmem.codegen.machine.smt.items import Item, Items
from axmem.codegen.machine.smt.values import FALSE, TRUE, Literals, conjunction, disjunction, merged, negation

NEVER = -1
"""The time of a refill that never was."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens to a cell or line at a time, under a condition; a write has values."""

    condition: z3.BoolRef
    time: z3.ArithRef
    values: Literals = field(default_factory=dict)
    item: Item | None = None


@dataclass(slots=True)
class Dirty:
    """A write that makes cells of a line in a write-back cache dirty, and when the line is next written back.

    `cleaned` is that it ever is, at time `when`; the data arrive at the parent at time `arrival`.
    """

    event: Event
    cells: dict[int, tuple[z3.BoolRef, Literals]]
    cleaned: z3.BoolRef
    when: z3.ArithRef
    arrival: z3.ArithRef
    evicted: z3.BoolRef
    eviction: z3.ArithRef


@dataclass(frozen=True, slots=True)
class Look:
    """A look at a line: its condition, its time, and the time of the last refill before it."""

    condition: z3.BoolRef
    time: z3.ArithRef
    refill: z3.ArithRef


class Views:
    """The lines of all nodes of one layout."""

    def __init__(self, items: Items) -> None:
        self.items = items
        self.layout = items.layout
        self.program = items.layout.program
        self.values = items.values
        self.constraints = items.constraints
        self.root = items.root
        self.looks: dict[tuple[int, int], list[Look]] = {}
        self.dirty: dict[tuple[int, int], list[Dirty]] = {}
        self._fresh = 0
        for n, node in enumerate(self.layout.nodes):
            if node.back and n != self.root:
                for group in range(len(self.program.groups)):
                    if not items.passes(n, group):
                        self._dirty(n, group)
        for key in self.dirty:
            self._written_back(*key)

    def say(self, condition: z3.BoolRef, term: z3.BoolRef) -> None:
        """Add a constraint under a condition."""
        if not z3.is_true(term) and not z3.is_false(condition):
            self.constraints.append(term if z3.is_true(condition) else z3.Implies(condition, term))

    def _name(self, word: str) -> str:
        self._fresh += 1
        return f"{word} {self._fresh}"

    # ------------------------------------------------------------ write-back caches

    def _enough(self, item: Item, n: int) -> z3.BoolRef:
        return negation(self.items.elements.beyond(item.op, self.layout.nodes[n].level))

    def _arrivals(self, n: int, group: int, *does: Does) -> list[Item]:
        return [i for i in self.items.items if i.group == group and n in i.at and i.op.does in does]

    def _written(self, item: Item) -> dict[int, tuple[z3.BoolRef, Literals]]:
        """Return the cells that an access writes: whether, and the values."""
        assert item.footprint is not None
        found: dict[int, tuple[z3.BoolRef, Literals]] = {}
        for write in item.footprint.writes:
            found[write.cell] = (self._when(write), self.values.value(write.value))
        return found

    def _when(self, write: Write) -> z3.BoolRef:
        return self.values.nonzero(write.when)

    def _dirty(self, n: int, group: int) -> None:
        """Note the writes that end at a write-back cache."""
        for item in self._arrivals(n, group, Does.STORE, Does.RMW):
            cells = self._written(item)
            if not cells:
                continue
            any_ = disjunction(when for when, _ in cells.values())
            condition = conjunction((item.at[n], self._enough(item, n), any_))
            names = [self._name(word) for word in ("cleaned", "written back", "arrives", "evicted", "eviction")]
            self.dirty.setdefault((n, group), []).append(
                Dirty(Event(condition, item.time[n], {}, item), cells, z3.Bool(names[0]), z3.Int(names[1]),
                      z3.Int(names[2]), z3.Bool(names[3]), z3.Int(names[4]))
            )  # fmt: skip

    def _cleanings(self, n: int, group: int) -> list[Event]:
        """Return what writes a line back: evictions, writebacks, and accesses that it is dropped for."""
        found = [Event(d.evicted, d.eviction) for d in self.dirty.get((n, group), [])]
        for item in self._arrivals(n, group, Does.WB):
            beyond = self.items.elements.beyond(item.op, self.layout.nodes[n].level)
            found.append(Event(conjunction((item.at[n], beyond)), item.time[n]))
        for item in self._arrivals(n, group, Does.LOAD, Does.RMW):
            found.append(Event(conjunction((item.at[n], item.goes[n])), item.time[n]))
        return found

    def _written_back(self, n: int, group: int) -> None:
        """Say when the dirty cells of a line are written back, and when that arrives at the parent."""
        parent = self.layout.nodes[n].parent
        cleanings = self._cleanings(n, group)
        for d in self.dirty[n, group]:
            written, start = d.event.condition, d.event.time
            self.say(d.cleaned, conjunction((written, d.when > start, d.arrival > d.when)))
            self.say(d.evicted, conjunction((written, d.eviction > start)))
            at_once = [conjunction((c.condition, c.time == d.when)) for c in cleanings]
            self.say(d.cleaned, disjunction(at_once))
            for c in cleanings:
                later = conjunction((written, c.condition, c.time > start))
                self.say(later, conjunction((d.cleaned, d.when <= c.time)))
            for item in self.items.entering(n, group):
                if parent not in item.at:
                    continue
                both = conjunction((d.cleaned, item.at[parent]))
                self.say(both, (item.time[n] < d.when) == (item.time[parent] < d.arrival))
                self.say(both, item.time[parent] != d.arrival)
        groups = range(len(self.program.groups)) if self.items.single else [group]
        others = [d for g in groups for d in self.dirty.get((n, g), [])]
        for d in self.dirty[n, group]:
            for other in others:
                both = conjunction((d.cleaned, other.cleaned))
                self.say(both, (d.when < other.when) == (d.arrival < other.arrival))

    def _passing(self, n: int, group: int) -> list[Item]:
        """Return the stores that go past a node which keeps values."""
        return [i for i in self._arrivals(n, group, Does.STORE) if not z3.is_false(i.goes.get(n, FALSE))]

    def _overwriting(self, n: int, group: int, cell: int) -> list[Event]:
        """Return the stores that change a present cell as they go past."""
        node = self.layout.nodes[n]
        switch = "l0_write" if node.first else "gl1_write"
        if not node.back and self.layout.switches[switch] == "drop":
            return []
        found = []
        for item in self._passing(n, group):
            when, literals = self._written(item).get(cell, (FALSE, {}))
            found.append(Event(conjunction((item.at[n], item.goes[n], when)), item.time[n], literals, item))
        return found

    def _drops(self, n: int, group: int) -> list[Event]:
        """Return what takes a clean line away from a node."""
        node, switches = self.layout.nodes[n], self.layout.switches
        found = []
        for item in self._arrivals(n, group, Does.INV):
            drops = self.items.elements.drops(item.op, node.level)
            found.append(Event(conjunction((item.at[n], drops)), item.time[n]))
        for row in self.layout.ops:
            for op in row:
                if op.does is Does.INV and switches["inv_async"] == "off" and n in self.items.path(op.entry):
                    condition = conjunction((self.items.executed[op.stream, op.number],
                                             self.items.elements.drops(op, node.level)))  # fmt: skip
                    found.append(Event(condition, self.items.issue[op.stream, op.number]))
        for item in self._arrivals(n, group, Does.LOAD):
            going = conjunction((item.at[n], item.goes[n]))
            if switches["bypass"] == "keep":
                going = conjunction((going, self._enough(item, n)))
            found.append(Event(going, item.time[n], {}, item))
        for item in self._arrivals(n, group, Does.RMW):
            found.append(Event(conjunction((item.at[n], item.goes[n])), item.time[n], {}, item))
        switch = "l0_write" if node.first else "gl1_write"
        if not node.back and switches[switch] == "drop":
            found += [Event(conjunction((i.at[n], i.goes[n])), i.time[n], {}, i) for i in self._passing(n, group)]
        return [event for event in found if not z3.is_false(event.condition)]

    # ------------------------------------------------------------ looks

    def look(
        self, n: int, group: int, time: z3.ArithRef, condition: z3.BoolRef, cells: tuple[int, ...]
    ) -> dict[int, Literals]:
        """Return the values of cells as a node holds them at a time, if the condition holds."""
        while n != self.root and self.items.passes(n, group):
            n = self.layout.nodes[n].parent
        if n == self.root:
            return {cell: self._memory(cell, group, time, condition) for cell in cells}
        refill = z3.Int(self._name("refill"))
        self.say(condition, conjunction((refill >= (NEVER if self.layout.nodes[n].back else 0), refill <= time)))
        refilled = refill >= 0 if self.layout.nodes[n].back else TRUE
        self._agree(n, group, Look(condition, time, refill))
        filled = conjunction((condition, refilled))
        self._empty(n, group, refill, filled)
        given = self.look(self.layout.nodes[n].parent, group, refill, filled, cells)
        return {cell: self._cell(n, group, cell, Look(condition, time, refill), given[cell]) for cell in cells}

    def _agree(self, n: int, group: int, look: Look) -> None:
        """Say that two looks at a line know of the same refills; at one time they are one look."""
        for other in self.looks.setdefault((n, group), []):
            at_once = conjunction((look.condition, other.condition, look.time == other.time))
            self.say(at_once, look.refill == other.refill)
            for a, b in ((look, other), (other, look)):
                both = conjunction((a.condition, b.condition, a.time < b.time))
                self.say(both, disjunction((a.refill == b.refill, a.time < b.refill)))
        self.looks[n, group].append(look)

    def _empty(self, n: int, group: int, time: z3.ArithRef, condition: z3.BoolRef) -> None:
        """Say that the channels through which a refill comes are empty then."""
        while True:
            parent = self.layout.nodes[n].parent
            for item in self.items.entering(n, group):
                inside = conjunction((item.at[parent], item.time[n] < time, item.time[parent] >= time))
                self.say(condition, negation(inside))
            for g in range(len(self.program.groups)) if self.items.single else [group]:
                for d in self.dirty.get((n, g), []):
                    self.say(condition, negation(conjunction((d.cleaned, d.when < time, d.arrival >= time))))
            n = parent
            if n == self.root or not self.items.passes(n, group):
                return

    def _cell(self, n: int, group: int, cell: int, look: Look, given: Literals) -> Literals:
        """Return the values of a cell: refilled, or written here and dirty or clean since; then what went past."""
        condition, time, refill = look.condition, look.time, look.refill
        passing, drops = self._overwriting(n, group, cell), self._drops(n, group)
        writes = [(d, d.cells[cell]) for d in self.dirty.get((n, group), []) if cell in d.cells]
        candidates: list[tuple[z3.BoolRef, z3.ArithRef, Literals, Dirty | None]] = []
        before = [conjunction((d.event.condition, when, d.event.time < time)) for d, (when, _) in writes]
        from_refill = []
        for k, (d, (_, literals)) in enumerate(writes):
            last = [negation(conjunction((before[j], other.event.time > d.event.time)))
                    for j, (other, _) in enumerate(writes) if j != k]  # fmt: skip
            is_last = conjunction((before[k], *last))
            over = conjunction((is_last, refill >= 0, self._cleaned(d, passing, refill)))
            from_refill.append(over)
            candidates.append((conjunction((is_last, negation(over))), d.event.time, literals, d))
        none = conjunction(negation(term) for term in before)
        from_refill.append(none if not self.layout.nodes[n].back else conjunction((none, refill >= 0)))
        candidates.append((disjunction(from_refill), refill, given, None))
        self.say(condition, disjunction(term for term, *_ in candidates))
        parts: list[tuple[z3.BoolRef, Literals]] = []
        for chosen, start, literals, dirty in candidates:
            used = conjunction((condition, chosen))
            for drop in drops:
                since = drop.time >= start if dirty is None else self._cleaned(dirty, passing, drop.time, strict=False)
                self.say(used, negation(conjunction((drop.condition, drop.time < time, since))))
            parts += self._after(chosen, start, time, passing, literals)
        return merged(parts)

    def _cleaned(self, d: Dirty, passing: list[Event], time: z3.ArithRef, *, strict: bool = True) -> z3.BoolRef:
        """Return that a cell was written back, or overwritten by what goes on, before (or, not strict, at) a time."""
        terms = [conjunction((d.cleaned, d.when < time if strict else d.when <= time))]
        terms += [conjunction((p.condition, p.time > d.event.time, p.time < time)) for p in passing]
        return disjunction(terms)

    def _after(
        self, chosen: z3.BoolRef, start: z3.ArithRef, time: z3.ArithRef, passing: list[Event], literals: Literals
    ) -> list[tuple[z3.BoolRef, Literals]]:
        """Return what a cell that had values at a time has later, by the last store that went past since."""
        between = [conjunction((p.condition, p.time >= start, p.time < time)) for p in passing]
        parts = [(conjunction((chosen, *(negation(b) for b in between))), literals)]
        for k, p in enumerate(passing):
            later = [conjunction((b, q.time > p.time)) for b, q in zip(between, passing, strict=True) if q is not p]
            parts.append((conjunction((chosen, between[k], *(negation(b) for b in later))), p.values))
        return parts

    # ------------------------------------------------------------ memory

    def memory_writes(self, group: int, cell: int) -> list[Event]:
        """Return everything that writes a cell of memory, or of LDS."""
        found = []
        for item in self.items.lds if self.program.groups[group].lds else self.items.items:
            if item.group == group and item.op.does in (Does.STORE, Does.RMW):
                when, literals = self._written(item).get(cell, (FALSE, {}))
                lds = self.program.groups[group].lds
                arrived, time = (item.condition, item.done) if lds else (item.at[self.root], item.time[self.root])
                found.append(Event(conjunction((arrived, when)), time, literals, item))
        for (n, g), writes in self.dirty.items():
            if g == group:
                found += [self._carried(n, group, cell, d) for d in writes if cell in d.cells]
        return [event for event in found if not z3.is_false(event.condition)]

    def _carried(self, n: int, group: int, cell: int, d: Dirty) -> Event:
        """Return the arrival in memory of a dirty cell, unless something wrote the cell over before."""
        when, literals = d.cells[cell]
        over = [conjunction((p.condition, p.time > d.event.time, p.time < d.when))
                for p in self._overwriting(n, group, cell)]  # fmt: skip
        for other in self.dirty[n, group]:
            if other is not d and cell in other.cells:
                start = other.event.time
                between = (start > d.event.time, start < d.when)
                over.append(conjunction((other.event.condition, other.cells[cell][0], *between)))
        return Event(conjunction((d.cleaned, when, negation(disjunction(over)))), d.arrival, literals)

    def _memory(self, cell: int, group: int, time: z3.ArithRef, condition: z3.BoolRef) -> Literals:
        """Return what memory holds at a time: the last write before, or the initial value."""
        writes = self.memory_writes(group, cell)
        before = [conjunction((w.condition, w.time < time)) for w in writes]
        initial: Literals = {self.program.initial[cell]: TRUE}
        parts: list[tuple[z3.BoolRef, Literals]] = [(conjunction(negation(b) for b in before), initial)]
        for k, w in enumerate(writes):
            later = [conjunction((b, v.time > w.time)) for b, v in zip(before, writes, strict=True) if v is not w]
            parts.append((conjunction((before[k], *(negation(b) for b in later))), w.values))
        return merged(parts)

    def different_times(self) -> None:
        """Say that no two writes of a cell arrive in memory at once."""
        for g, group in enumerate(self.program.groups):
            for cell in group.cells:
                writes = self.memory_writes(g, cell)
                for k, a in enumerate(writes):
                    for b in writes[:k]:
                        self.say(conjunction((a.condition, b.condition)), a.time != b.time)

    def equal(self, condition: z3.BoolRef, read: Literals, seen: Literals) -> None:
        """Say that a read returns what was seen, if the condition holds."""
        for value, term in read.items():
            self.say(conjunction((condition, term)), seen.get(value, FALSE))


