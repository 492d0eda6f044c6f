"""What happens-before, availability, visibility, location order and undef are, written out a second time.

What goes in: the events of a test and one candidate execution. What comes out: the relations as sets of pairs of event
numbers, in the default reading of the models `llvm`, `amdgpu` and `amdgpu-next`. Each method is one rule, quantified as
its sentence is; levels are numbers and instances are compared, where the models name one relation per level.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

from axmem.events.graph import Event, EventGraph, EventKind
from axmem.litmus.syntax import AddressSpace, Ordering, Scope

Pair = tuple[int, int]
RELEASES = {Ordering.RELEASE, Ordering.ACQ_REL, Ordering.SEQ_CST}
ACQUIRES = {Ordering.ACQUIRE, Ordering.ACQ_REL, Ordering.SEQ_CST}
OUTSIDE = (EventKind.INIT, EventKind.FINAL)
SPACES = {AddressSpace.GLOBAL: "global", AddressSpace.LDS: "local", AddressSpace.PRIVATE: "private"}
ADDRESS_SPACE = "amdgpu-synchronize-as"


@dataclass(frozen=True)
class Execution:
    """The events that execute and the write that each read event reads (none: undef)."""

    graph: EventGraph
    executed: frozenset[int]
    rf: dict[int, int | None]
    enters: bool = False
    """Happens-before enters DMA operations and does not pass through them (`amdgpu-next`)."""

    # ------------------------------------------------------------ events

    @cached_property
    def events(self) -> list[Event]:
        return [self.graph.events[i] for i in sorted(self.executed)]

    @cached_property
    def pairs(self) -> list[tuple[Event, Event]]:
        return [(a, b) for a in self.events for b in self.events]

    def path(self, e: Event) -> tuple[object, ...]:
        p = self.graph.placements[e.thread]
        return (*p.numbers[:-1], e.thread)

    def same(self, level: int, a: Event, b: Event) -> bool:
        """Both lie in one instance of a level: 0 singlethread … 5 system."""
        if level == Scope.SYSTEM:
            return True
        if a.thread < 0 or b.thread < 0:
            return False
        if any(e.within is not None and level < e.within for e in (a, b)):
            return False
        return self.path(a)[: 5 - level] == self.path(b)[: 5 - level]

    def inclusive(self, a: Event, b: Event) -> bool:
        if a.kind in OUTSIDE or b.kind in OUTSIDE:
            return True
        return self.same(min(a.scope, b.scope), a, b)

    def po(self, a: Event, b: Event) -> bool:
        if a.thread < 0 or a.thread != b.thread:
            return False
        if a.instruction == b.instruction:
            return a.kind is EventKind.READ and b.kind is EventKind.WRITE and a.footprint == b.footprint
        return a.position < b.position

    def atomic(self, e: Event) -> bool:
        return e.kind in OUTSIDE or (e.cell >= 0 and e.ordering is not Ordering.NOT_ATOMIC)

    def mono(self, e: Event) -> bool:
        return e.kind in OUTSIDE or (self.atomic(e) and e.ordering is not Ordering.UNORDERED)

    def reads(self, e: Event) -> bool:
        return e.kind in (EventKind.READ, EventKind.FINAL)

    def writes(self, e: Event) -> bool:
        return e.kind in (EventKind.WRITE, EventKind.INIT)

    def loc(self, a: Event, b: Event) -> bool:
        return a.cell >= 0 and a.cell == b.cell

    def perfect(self, a: Event, b: Event) -> bool:
        return self.loc(a, b) and (a.kind in OUTSIDE or b.kind in OUTSIDE or a.footprint == b.footprint)

    def releases(self, e: Event) -> bool:
        return e.kind in (EventKind.WRITE, EventKind.FENCE) and e.ordering in RELEASES

    def acquires(self, e: Event) -> bool:
        return e.kind in (EventKind.READ, EventKind.FENCE) and e.ordering in ACQUIRES

    def synchronizing(self, e: Event) -> bool:
        dma = (EventKind.INITIATE, EventKind.ENTRY, EventKind.WAIT)
        return e.kind in (EventKind.FENCE, EventKind.BARRIER, *dma) or (
            e.kind in (EventKind.READ, EventKind.WRITE) and e.ordering in RELEASES | ACQUIRES
        )

    # ------------------------------------------------------------ tags

    def tags(self, e: Event, *, data: bool) -> set[tuple[str, str]]:
        """The tags as a synchronizing operation, or as data, which carries its address space unless one is given.

        An atomic access that is not marked private to Vulkan counts as nonprivate.
        """
        found = set(e.tags)
        if self.atomic(e) and e.kind not in OUTSIDE and ("vulkan", "private") not in found:
            found.add(("vulkan", "nonprivate"))
        space = SPACES.get(e.space) if e.space is not None else None
        if space and (e.one_as or (data and all(p != ADDRESS_SPACE for p, _ in found))):
            found.add((ADDRESS_SPACE, space))
        return found

    def agree(self, one: set[tuple[str, str]], other: set[tuple[str, str]]) -> bool:
        prefixes = {p for p, _ in one} & {p for p, _ in other}
        return all({s for p, s in one if p == x} & {s for p, s in other if p == x} for x in prefixes)

    def compatible(self, a: Event, b: Event) -> bool:
        one, other = (self.tags(e, data=not self.synchronizing(e)) for e in (a, b))
        return self.agree(one, other)

    def cpo(self, a: Event, b: Event) -> bool:
        return self.po(a, b) and self.compatible(a, b) and not self.apart(a, b)

    def apart(self, a: Event, b: Event) -> bool:
        """The order of two operations of unlike address spaces would be due to a one-as one alone."""
        of_first = a.one_as and not self.releases(b)
        of_second = b.one_as and not self.acquires(a)
        if of_first and not self.agree(self.tags(a, data=False), self.tags(b, data=True)):
            return True
        return of_second and not self.agree(self.tags(a, data=True), self.tags(b, data=False))

    # ------------------------------------------------------------ synchronization

    def whole(self, r: Event) -> bool:
        """All cells of the read's access read from one access; a final read is one of each cell."""
        if r.kind is EventKind.FINAL:
            return self.rf.get(r.index) is not None
        sources = [self.rf.get(e.index) for e in self.events if e.access == r.access]
        return None not in sources and len({self.graph.events[w].access for w in sources if w is not None}) == 1

    def linked(self, w: Event, r: Event) -> bool:
        """A link of a release sequence: the read takes all of an atomic write of inclusive scope."""
        return (
            self.rf.get(r.index) == w.index
            and self.whole(r)
            and self.perfect(w, r)
            and self.inclusive(w, r)
            and self.mono(w)
            and self.mono(r)
        )

    @cached_property
    def sequences(self) -> set[Pair]:
        """(w, w2): w2 is w or the last of a chain of read-modify-writes that began by reading w."""
        heads = {(w.index, w.index) for w in self.events if self.writes(w) and self.mono(w)}
        found = set(heads)
        while True:
            more = set()
            for head, last in found:
                for r, w in self.pairs:
                    kinds = (r.kind, w.kind) == (EventKind.READ, EventKind.WRITE)
                    halves = r.rmw and r.instruction == w.instruction and kinds
                    if halves and r.footprint == w.footprint and self.linked(self.graph.events[last], r):
                        more.add((head, w.index))
            if more <= found:
                return found
            found |= more

    def release_sides(self, w: Event) -> list[Event]:
        """What releases through an atomic write: itself, the cells of its access, release fences before it."""

        def side(a: Event) -> bool:
            return a.access == w.access or (a.kind is EventKind.FENCE and self.po(a, w) and self.pairs_with(a, w))

        return [a for a in self.events if self.releases(a) and side(a)]

    def acquire_sides(self, r: Event) -> list[Event]:
        """What acquires through an atomic read: itself, the cells of its access, acquire fences after it."""

        def side(b: Event) -> bool:
            return b.access == r.access or (b.kind is EventKind.FENCE and self.po(r, b) and self.pairs_with(b, r))

        return [b for b in self.events if self.acquires(b) and side(b)]

    def pairs_with(self, fence: Event, atomic: Event) -> bool:
        return self.agree(self.tags(fence, data=False), self.tags(atomic, data=True))

    def may_synchronize(self, a: Event, b: Event) -> bool:
        explicit = self.agree(self.tags(a, data=False), self.tags(b, data=False))
        return a.thread != b.thread and self.inclusive(a, b) and explicit

    @cached_property
    def sw(self) -> set[Pair]:
        found = set()
        for head, last in self.sequences:
            w = self.graph.events[head]
            if w.kind is EventKind.INIT:
                continue
            for r in self.events:
                if self.reads(r) and self.linked(self.graph.events[last], r):
                    sides = product(self.release_sides(w), self.acquire_sides(r))
                    found |= {(a.index, b.index) for a, b in sides if self.may_synchronize(a, b)}
        return found | self.barrier_sw | self.dma_sw

    @cached_property
    def dma_sw(self) -> set[Pair]:
        """The end of a DMA operation with a wait, or with a fence after a barrier; its start if hb goes through."""
        found = set()
        for end, at in ((self.graph.events[i], e) for e in self.events for i in e.after if i in self.executed):
            fences = [f for f in self.events if f.kind is EventKind.FENCE and self.acquires(f) and self.po(at, f)]
            if at.kind is EventKind.BARRIER:
                found |= {(end.index, f.index) for f in fences if self.same(f.scope, f, end)}
            elif at.kind is EventKind.WAIT or not self.enters:
                found.add((end.index, at.index))
        return found

    @cached_property
    def barrier_sw(self) -> set[Pair]:
        found = set()
        waits = [(x, y) for x, y in self.pairs if x.phase is not None and x.phase == y.phase]
        for a, b in self.pairs:
            fences = a.kind is b.kind is EventKind.FENCE and self.releases(a) and self.acquires(b)
            if not fences or a.one_as or b.one_as or not self.may_synchronize(a, b):
                continue
            spaces = ({t for t in e.tags if t[0] == ADDRESS_SPACE} for e in (a, b))
            if self.agree(*spaces) and any(self.po(a, x) and self.po(y, b) for x, y in waits):
                found.add((a.index, b.index))
        return found

    @cached_property
    def hb(self) -> set[Pair]:
        """One hop of program order between two synchronizations, and at either end."""
        cpo = {(a.index, b.index) for a, b in self.pairs if self.cpo(a, b)}
        steps = self.sw | compose(cpo, self.sw)
        across = set(steps)
        while not compose(across, steps) <= across:
            across |= compose(across, steps)
        outer = {
            (a.index, b.index)
            for a, b in self.pairs
            if (a.kind is EventKind.INIT and b.kind is not EventKind.INIT)
            or (b.kind is EventKind.FINAL and a.kind not in OUTSIDE)
        }
        return cpo | across | compose(across, cpo) | outer

    @cached_property
    def ahb(self) -> set[Pair]:
        """Happens-before, and into every DMA operation whose initiation it reaches."""
        if not self.enters:
            return self.hb
        found = set(self.hb)
        for entry in (e for e in self.events if e.kind is EventKind.ENTRY):
            inside = [e.index for e in self.events if e.thread == entry.thread]
            before = {a for a, b in self.hb if b in entry.after} | entry.after
            found |= set(product(before, inside))
        return found

    @cached_property
    def hbv(self) -> set[Pair]:
        return self.ahb | {(a.index, b.index) for a, b in self.pairs if self.po(a, b) and self.loc(a, b)}

    # ------------------------------------------------------------ availability and visibility

    def own_scope(self, e: Event) -> int | None:
        """The scope at which an access is by itself store-available or load-visible."""
        if e.cell < 0 or e.kind in OUTSIDE:
            return None
        if e.space is AddressSpace.LDS:
            reached = any(x.within is not None and x.cell == e.cell for x in self.events)
            return Scope.CLUSTER if reached else Scope.WORKGROUP
        if e.space is AddressSpace.PRIVATE:
            return None
        if e.av or e.ordering is not Ordering.NOT_ATOMIC:
            return e.scope
        return Scope.SYSTEM if e.volatile else None

    def make_scope(self, e: Event, *, visible: bool) -> int | None:
        kind = EventKind.MAKE_VISIBLE if visible else EventKind.MAKE_AVAILABLE
        if e.kind is kind:
            return e.scope
        strong = self.acquires(e) if visible else self.releases(e)
        return e.scope if strong and ("amdgcn-av", "none") not in e.tags else None

    def covers(self, x: Event, w: Event) -> bool:
        return x.covers is None or w.cell in x.covers

    def available_at(self, x: Event, w: Event) -> int | None:
        """The scope at which x makes w available, if it is an availability operation on it."""
        return self.own_scope(x) if x is w else self.make_scope(x, visible=False)

    @cached_property
    def av(self) -> set[Pair]:
        """(x, w): x is an availability operation on the write w."""
        written = [w for w in self.events if w.kind is EventKind.WRITE]
        found = {(w.index, w.index) for w in written if self.own_scope(w) is not None}
        while True:
            more = set()
            for w, x in product(written, self.events):
                scope = self.make_scope(x, visible=False)
                if scope is None or not self.covers(x, w):
                    continue
                if self.cpo(w, x) or (self.same(scope, w, x) and self.reaches(found, w, x)):
                    more.add((x.index, w.index))
            if more <= found:
                return found
            found |= more

    def reaches(self, av: set[Pair], w: Event, x: Event) -> bool:
        """An availability operation on w happens before x and x is in its instance."""
        return any(
            (z.index, w.index) in av
            and (z.index, x.index) in self.ahb
            and self.same(self.available_at(z, w) or 0, z, x)
            for z in self.events
        )

    def facets(self, y: Event) -> list[tuple[int, str]]:
        """The scopes at which an operation makes writes visible, as a load and as a make-visible operation."""
        load = self.own_scope(y) if y.kind is EventKind.READ else None
        make = self.make_scope(y, visible=True)
        return [(s, f) for s, f in ((load, "load"), (make, "make")) if s is not None]

    def concerns(self, y: Event, facet: str, w: Event) -> bool:
        return self.loc(y, w) if facet == "load" else self.covers(y, w)

    @cached_property
    def vis(self) -> set[tuple[int, str, int, int]]:
        """(y, facet, w, level): y makes w visible in its instance of that level."""
        found: set[tuple[int, str, int, int]] = set()
        for x, y in self.pairs:
            if (x.index, y.index) not in self.ahb:
                continue
            for w in self.events:
                if (x.index, w.index) not in self.av:
                    continue
                for scope, facet in self.facets(y):
                    common = min(self.available_at(x, w) or 0, scope)
                    if self.concerns(y, facet, w) and self.same(common, x, y) and self.same(common, w, y):
                        found |= {(y.index, facet, w.index, level) for level in range(common + 1)}
        while True:
            more = set()
            for (i, _, j, level), y in product(found, self.events):
                x, w = self.graph.events[i], self.graph.events[j]
                if (i, y.index) not in self.ahb:
                    continue
                for scope, facet in self.facets(y):
                    inside = self.same(level, x, y) and self.same(scope, x, y)
                    if inside and self.concerns(y, facet, w):
                        more |= {(y.index, facet, j, m) for m in range(min(level, scope) + 1)}
            if more <= found:
                return found
            found |= more

    @cached_property
    def lo(self) -> set[Pair]:
        found = set()
        for a, b in self.pairs:
            if self.loc(a, b) and a is not b and self.ordered(a, b):
                found.add((a.index, b.index))
        return found

    def ordered(self, a: Event, b: Event) -> bool:
        if a.kind is EventKind.INIT or b.kind is EventKind.FINAL:
            return b.kind is not EventKind.INIT and a.kind is not EventKind.FINAL
        if b.kind is EventKind.INIT or a.kind is EventKind.FINAL:
            return False
        if self.po(a, b):
            return True
        if a.kind is EventKind.READ:
            return (a.index, b.index) in self.ahb
        if (a.index, b.index) not in self.hbv:
            return False
        if b.kind is EventKind.WRITE:
            return self.reaches(self.av, a, b)
        return any(
            w == a.index and (y == b.index or self.po(self.graph.events[y], b)) for y, _, w, _ in self.vis
        )

    # ------------------------------------------------------------ values

    def candidates(self, r: Event) -> list[Event]:
        return [w for w in self.events if self.writes(w) and self.loc(w, r) and w.instruction != r.instruction]

    def may_see(self, r: Event, order: set[Pair]) -> list[Event]:
        every = self.candidates(r)
        known = [w for w in self.events if self.writes(w) and self.loc(w, r)]
        return [
            w
            for w in every
            if not any((w.index, x.index) in order and (x.index, r.index) in order for x in known)
            and (r.index, w.index) not in order
        ]

    def all_atomic(self, r: Event, seen: list[Event], order: set[Pair]) -> bool:
        """No two of the read and the writes that it may see race: they are ordered or atomic with each other."""

        def settled(a: Event, b: Event) -> bool:
            return (a.index, b.index) in order or (b.index, a.index) in order or self.alike(a, b)

        return all(settled(a, b) for a, b in combinations([r, *seen], 2))

    def alike(self, a: Event, b: Event) -> bool:
        """Both are atomics, of the same bytes and of inclusive scopes."""
        return self.atomic(a) and self.atomic(b) and self.perfect(a, b) and self.inclusive(a, b)

    def undef_llvm(self) -> set[int]:
        found = set()
        for r in filter(self.reads, self.events):
            seen = self.may_see(r, self.hbv)
            prior = any((w.index, r.index) in self.hbv for w in self.events if self.writes(w) and self.loc(w, r))
            if not prior or (len(seen) > 1 and not self.all_atomic(r, seen, self.hbv)):
                found.add(r.index)
        return found

    def undef_amdgpu(self) -> set[int]:
        found = set()
        for r in filter(self.reads, self.events):
            seen = self.may_see(r, self.lo)
            prior = any((w.index, r.index) in self.lo for w in self.events if self.writes(w))
            clear = len(seen) == 1 and all((w.index, r.index) in self.lo for w in seen)
            if not prior or not (self.all_atomic(r, seen, self.lo) or clear or not seen):
                found.add(r.index)
        return found


def compose(a: set[Pair], b: set[Pair]) -> set[Pair]:
    after: dict[int, set[int]] = {}
    for x, y in b:
        after.setdefault(x, set()).add(y)
    return {(x, z) for x, y in a for z in after.get(y, ())}
