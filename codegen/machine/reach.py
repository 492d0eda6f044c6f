"""What streams can do while some groups stand still, whatever the order in which they do it.

What goes in: a state, a stream, and groups. What comes out: whether the stream may touch them, by walking over its
instructions: it passes waits but those for the groups, and guards but those that no value can fulfil that is anywhere
in memory, on its way, or written by what else is walked over. Invariant: it says no only if no execution has the
stream touch one of the groups before something happens in one of them (`clusters.py` needs nothing else).
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TypeAlias

from axmem.codegen.machine.layout import ItemEffect, LayoutOperation, MachineLayout
from axmem.codegen.machine.layout_analysis import LayoutAnalysis
from axmem.codegen.machine.state import MachineState, Undetermined
from axmem.events.graph import Guard
from axmem.events.values import Constant, Value
from axmem.front.records import dataclass

MANY = 16
"""How many combinations of values of reads a choice is tried with; of more, every arm may be taken."""
Values: TypeAlias = dict[int, frozenset[Value] | None]
"""For cells that choices depend on, the values that they may have; None if it may be any."""
_NONE: frozenset[Value] = frozenset()


@dataclass(frozen=True, slots=True)
class Reachable:
    """What is to be known of an operation: the groups that it touches, the reads that it needs, what it writes."""

    op: LayoutOperation
    touched: int
    marker: bool
    needs: tuple[int, ...]
    writes: tuple[tuple[int, Value | None], ...]


@dataclass(frozen=True, slots=True)
class Ahead:
    """What a stream may still come to, as far as the reads that have returned say.

    `steps` are the operations that these do not exclude, each with the arms of its guard that they leave open; `said`
    is what `touches` has answered, which rests on nothing else but what its key has.
    """

    steps: tuple[tuple[Reachable, Guard], ...]
    marker: bool
    said: dict[tuple[object, ...], tuple[bool, Values | None]]


class LayoutReach:
    """Walks over the instructions of one layout."""

    def __init__(self, layout: MachineLayout, facts: LayoutAnalysis) -> None:
        self.layout = layout
        self.facts = facts
        self.groups = facts.groups
        self.lands = layout.switches["inv_inflight"] == "lands" and facts.may_land
        self.memory = sum(1 << g for g in facts.memory)
        self.settled = sum(1 << at for at, settled in enumerate(facts.settled) if settled)
        self.joined = self._joined()
        self.below = [self._below(s) for s in range(len(layout.ops))]
        made = [
            (facts.reads[index], op, read.cell)
            for row in layout.ops for op in row for f in op.footprints for read in f.reads for index in read.reads
        ]  # fmt: skip
        self.maker = {place: op for place, op, _ in made}
        self.cells_of: dict[int, set[int]] = {}
        for place, _, cell in made:
            self.cells_of.setdefault(place, set()).add(cell)
        self.asked = facts.asked
        self.watched = {cell for places in self.asked for p in places for cell in self.cells_of.get(p, ())}
        self.reachable = [[self._known(op) for op in row] for row in layout.ops]
        self.asked_by = [self._places(row) for row in self.reachable]
        self._aheads: list[dict[tuple[object, ...], Ahead]] = [{} for _ in layout.ops]
        self.cells_asked = [tuple({c for p in places for c in self.cells_of.get(p, ())}) for places in self.asked]
        self._arms: dict[tuple[int, tuple[Value | None, ...]], frozenset[int] | None] = {}
        self._open: dict[tuple[object, ...], frozenset[int] | None] = {}
        self._pending: dict[int, int] = {}
        self._drops: dict[tuple[int, int], int] = {}

    # ------------------------------------------------------------ tables

    def _joined(self) -> list[int]:
        """Return for each group the mask of those that count as one with it."""
        lds = sum(1 << g for g in range(self.groups) if self.facts.lds[g])
        memory = sum(1 << g for g in self.facts.memory)
        return [lds if self.facts.lds[g] else memory if self.facts.single else 1 << g for g in range(self.groups)]

    def _below(self, s: int) -> int:
        """Return the nodes below the root that a stream's markers pass."""
        mask = 0
        for op in self.layout.ops[s]:
            if op.does in (ItemEffect.INV, ItemEffect.WB):
                for n in self.facts.path(op)[:-1]:
                    mask |= 1 << n
        return mask

    def _known(self, op: LayoutOperation) -> Reachable:
        facts = self.facts
        touched, needs = 0, set[int]()
        writes: list[tuple[int, Value | None]] = []
        guards: list[Guard] = [op.guard]
        own: set[int] = set() if op.decides is None else {facts.reads[op.decides.read]}
        for f in op.footprints:
            touched |= self.joined[f.group]
            guards.append(f.guard)
            own |= {facts.reads[index] for read in f.reads for index in read.reads}
            for write in f.writes:
                value = write.value.value if isinstance(write.value, Constant) else None
                writes.append((write.cell, value if isinstance(value, int) else None))
                for expr in (write.value, write.when):
                    needs.update(facts.values.asks(expr) if expr is not None else ())
        for guard in guards:
            for choice, _ in guard:
                needs.update(self.asked[choice])
        marker = op.does in (ItemEffect.INV, ItemEffect.WB)
        return Reachable(op, self.memory if marker else touched, marker, tuple(sorted(needs - own)), tuple(writes))

    def _places(self, row: list[Reachable]) -> tuple[int, ...]:
        """Return the places of the reads that a stream's instructions need, or their guards."""
        guards = {place for known in row for choice, _ in known.op.guard for place in self.asked[choice]}
        return tuple(sorted(guards.union(*(known.needs for known in row))))

    def whole(self, number: int) -> int:
        """Return the bits that an operation may have pending."""
        return ((1 << self.groups) - 1) << (number * self.groups)

    def frozen(self, groups: int) -> int:
        """Return the bits that any operation may have pending in some groups."""
        found = self._pending.get(groups)
        if found is None:
            longest = max(map(len, self.layout.ops))
            found = self._pending[groups] = sum(groups << (o * self.groups) for o in range(longest))
        return found

    def ahead(self, state: MachineState) -> list[Ahead]:
        """Return what each stream may still come to."""
        found = []
        for s, known in enumerate(self._aheads):
            key = (state.next[s], *[state.reads[place] for place in self.asked_by[s]])
            if key not in known:
                known[key] = self._ahead(s, state)
            found.append(known[key])
        return found

    def _ahead(self, s: int, state: MachineState) -> Ahead:
        """Return what a stream may still come to."""
        steps = []
        for known in self.reachable[s][state.next[s] :]:
            left = []
            for choice, arm in known.op.guard:
                there = tuple([state.reads[place] for place in self.asked[choice]])
                if None in there:
                    left.append((choice, arm))
                elif (arms := self._arm(choice, self.asked[choice], there, len(state.reads))) and arm not in arms:
                    break
            else:
                steps.append((known, tuple(left)))
        return Ahead(tuple(steps), any(known.marker for known, _ in steps), {})

    def hits(self, state: MachineState) -> list[int]:
        """Return for each stream the lines that what is on its way, or another stream, may hit."""
        flying = self.facts.flying_hits(state.channels)
        futures = [self.facts.future(t, n, state.reads).hits for t, n in enumerate(state.next)]
        found = []
        for s in range(len(futures)):
            mask = flying
            for t, hits in enumerate(futures):
                mask |= hits if t != s else 0
            found.append(mask)
        return found

    def touches(
        self, state: MachineState, s: int, groups: int, nodes: int, values: Values, *, ahead: Ahead, hits: int
    ) -> tuple[bool, Values]:  # fmt: skip
        """Tell whether a stream may touch some groups while these stand still; and the values, with what it may write.

        `ahead` is what it may come to, and `hits` the lines that others may hit. Without a new value the values are
        the same object.
        """
        frozen = state.pending[s] & self.frozen(groups)
        key = (frozen, groups, *((nodes, hits) if ahead.marker else ()), *values.values())
        said = ahead.said.get(key)
        if said is None:
            after = dict(values)
            touched = self._walk(state, s, groups, nodes, after, ahead=ahead, hits=hits)
            said = ahead.said[key] = (touched, after if after != values else None)
        return said[0], values if said[1] is None else said[1]

    def _walk(
        self, state: MachineState, s: int, groups: int, nodes: int, values: Values, *, ahead: Ahead, hits: int
    ) -> bool:  # fmt: skip
        """Walk over what a stream may come to, as `touches` says; put what it may write to the values."""
        frozen = state.pending[s] & self.frozen(groups)
        unfelt, late, waited, before = set[int](), False, 0, 0
        for known, guard in ahead.steps:
            op = known.op
            if guard and not self._feasible(guard, state, values):
                if not unfelt or self._decided(guard, state, s, values=values, waited=before):
                    continue
            elif frozen and self._held(known, state, frozen):
                return False
            if op.does is ItemEffect.WAIT:
                late = late or any(o in unfelt for _, counted in op.waits for o in counted[s])
                if not op.guard:
                    waited |= dict(self.facts.waits.of_all[s][op.number] or ()).get(s, 0)
                continue
            if late:
                return True
            if op.does > ItemEffect.WAIT:
                continue
            if known.marker:
                if self.lands and op.does is ItemEffect.INV:
                    return True
                if known.touched & groups and self.below[s] & nodes:
                    before = before if unfelt else waited
                    hit = self._hit(state, s, op.number, values=values, waited=before, mask=hits)
                    if op.does is ItemEffect.WB or self._dropping(groups, hit) & self.below[s] & nodes:
                        return True
                    unfelt.add(op.number)
                continue
            if known.touched & groups:
                return True
            self._write(known, values)
        return False

    @staticmethod
    def _write(known: Reachable, values: Values) -> None:
        """Put what an operation may write to the values."""
        for cell, value in known.writes:
            have = values.get(cell)
            if have is not None and (value is None or value not in have):
                values[cell] = None if value is None else have | {value}

    def _decided(self, guard: Guard, state: MachineState, s: int, *, values: Values, waited: int) -> bool:
        """Tell whether a guard does not hold whatever happens, by reads that are there or were waited for."""
        for choice, arm in guard:
            there = all(
                state.reads[p] is not None
                or (p in self.maker and self.maker[p].stream == s and waited & self.whole(self.maker[p].number))
                for p in self.asked[choice]
            )
            arms = self._taken(choice, state, values)
            if there and arms is not None and arm not in arms:
                return True
        return False

    def _hit(self, state: MachineState, s: int, number: int, *, values: Values, waited: int, mask: int) -> int:
        """Return the lines that may be hit once a stream has come to an operation, having waited for some of its own.

        Of its own accesses those behind it are left out that are then decided not to be executed; `mask` has those of
        others.
        """
        for known in self.reachable[s][state.next[s] :]:
            hits = self.facts.hits[s][known.op.number]
            if hits & ~mask:
                left_out = known.op.number > number and known.op.guard
                if not (left_out and self._decided(known.op.guard, state, s, values=values, waited=waited)):
                    mask |= hits
        return mask

    def _dropping(self, groups: int, hit: int) -> int:
        """Return the nodes where an invalidate of some groups may drop a line that matters, or keep one from a refill.

        Elsewhere it has no effect but on who waits for it. `hit` are the lines that may be hit.
        """
        key = (groups, hit & ~self.settled)
        found = self._drops.get(key)
        if found is None:
            found = 0
            for at in range(self.facts.memory_base):
                n, g = divmod(at, self.groups)
                if groups >> g & 1 and key[1] >> at & 1:
                    while n != self.layout.root:
                        found |= 1 << n
                        n = self.layout.nodes[n].parent
            self._drops[key] = found
        return found

    def _held(self, known: Reachable, state: MachineState, frozen: int) -> bool:
        """Tell whether a stream cannot pass an operation, or know whether it is executed, before the groups move."""
        for place in known.needs:
            if state.reads[place] is None:
                maker = self.maker.get(place)
                if maker is not None and frozen & self.whole(maker.number) and maker.stream == known.op.stream:
                    return True
        if known.op.does is not ItemEffect.WAIT:
            return False
        masks = self.facts.waits.of_all[known.op.stream][known.op.number]
        if masks is None or any(state.reads[p] is None for p in known.needs):
            return False
        return any(s == known.op.stream and mask & frozen for s, mask in masks)

    def _feasible(self, guard: Guard, state: MachineState, values: Values) -> bool:
        """Tell whether all arms of a guard may be taken."""
        return all((arms := self._taken(c, state, values)) is None or arm in arms for c, arm in guard)

    def _taken(self, choice: int, state: MachineState, values: Values) -> frozenset[int] | None:
        """Return the arms that a choice may take; None if it may be any."""
        places, reads = self.asked[choice], state.reads
        there = tuple([reads[place] for place in places])
        if None not in there:
            return self._arm(choice, places, there, len(reads))
        key = (choice, there, *[values.get(cell, _NONE) for cell in self.cells_asked[choice]])
        if key not in self._open:
            self._open[key] = self._arms_of(choice, there, values, len(reads))
        return self._open[key]

    def _arms_of(
        self, choice: int, there: tuple[Value | None, ...], values: Values, reads: int
    ) -> frozenset[int] | None:
        """Return the arms that a choice may take where some of its reads are not there yet."""
        places = self.asked[choice]
        sets: list[frozenset[Value]] = []
        for place, value in zip(places, there, strict=True):
            may = _NONE if value is None else frozenset((value,))
            for cell in self.cells_of.get(place, ()) if value is None else ():
                have = values.get(cell)
                if have is None:
                    return None
                may |= have
            if not may:
                return None
            sets.append(may)
        if prod(map(len, sets)) > MANY:
            return None
        found = [self._arm(choice, places, row, reads) for row in product(*sets)]
        return None if None in found else frozenset().union(*(arms or () for arms in found))

    def _arm(
        self, choice: int, places: tuple[int, ...], row: tuple[Value | None, ...], reads: int
    ) -> frozenset[int] | None:
        """Return the arm that a choice takes for values of its reads; None if it depends on what nothing wrote."""
        key = (choice, row)
        if key not in self._arms:
            known: list[Value | None] = [None] * reads
            for place, value in zip(places, row, strict=True):
                known[place] = value
            try:
                self._arms[key] = frozenset((self.facts.values.arm(choice, tuple(known)),))
            except Undetermined:
                self._arms[key] = None
        return self._arms[key]

    def values(self, state: MachineState) -> Values:
        """Return the values that each cell that a choice depends on has anywhere; None if it may be any."""
        found: Values = dict.fromkeys(self.watched, _NONE)
        if not found:
            return found
        cells = self.layout.program.groups
        for at, line in state.lines:
            self._note(found, cells[at % self.groups].cells, line.cells)
        for items in (*(items for _, items in state.channels), *state.queues):
            for item in items:
                if item.does == ItemEffect.RMW:
                    for cell, value in self.reachable[item.stream][item.number].writes:
                        self._note(found, (cell,), (value,), known=value is not None)
                elif item.cells:
                    self._note(found, cells[item.group].cells, item.cells)
        return found

    @staticmethod
    def _note(
        found: Values, cells: tuple[int, ...], values: tuple[Value | None, ...], known: bool = True
    ) -> None:  # fmt: skip
        """Put values of cells to those found."""
        for cell, value in zip(cells, values, strict=True):
            have = found.get(cell)
            if have is not None:
                if not known:
                    found[cell] = None
                elif value is not None and value not in have:
                    found[cell] = have | {value}
