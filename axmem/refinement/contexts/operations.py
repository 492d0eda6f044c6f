"""The operations of a context of which only the shape is fixed, as literals.

What goes in: a shape, the memory that contexts access, a space, the programs with its placeholders. What comes out: for
each operation literals of its kind, place, ordering, scope, tags and what it writes, and of where its thread stands
(`Operations`). An operation may be nothing at all, unless the shape is full.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations, pairwise

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.events.graph import EventGraph
from axmem.litmus.words import (
    PLACED,
    AddressSpace,
    OperationKind,
    Scope,
)
from axmem.refinement.bounded.attributes import (
    FENCE_TAGS,
    OperationAttributes,
    free_attributes,
    in_reach,
    one_of,
    well_formed,
)
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.skeleton import Skeleton
from axmem.refinement.bounded.symmetry import in_order, locations_in_order
from axmem.refinement.bounded.vocabulary import Compatibility
from axmem.refinement.contexts.annotations import Annotations, Mark, Unlike
from axmem.refinement.contexts.correspondence import OperationPlace
from axmem.refinement.contexts.numbers import Numbers
from axmem.refinement.contexts.placeholders import REGISTER, Memory, Shape, beside
from axmem.refinement.contexts.standing import BESIDE, Standing

LOAD, STORE, RMW, FENCE = OperationKind.LOAD, OperationKind.STORE, OperationKind.RMW, OperationKind.FENCE


class Operations:
    """The operations of a context as literals of a circuit; the same calls make the same literals in every circuit.

    With `annotations` so are the orderings and scopes of the programs.
    """

    def __init__(
        self,
        shape: Shape,
        memory: Memory,
        space: Bound,
        graphs: Sequence[EventGraph],
        circuit: Circuit,
        annotations: Annotations | None = None,
    ) -> None:
        self.shape, self.memory, self.space, self.circuit = shape, memory, space, circuit
        self.graphs, self.annotations = graphs, annotations
        counts = {beside(k): count for k, count in enumerate(shape.beside)}
        # Threads are numbered by their names: programs may have them in another order, as threads and as kernels.
        places = {name: place for g in graphs for name, place in zip(g.threads, g.placements, strict=True)}
        self.threads, self.placements = tuple(places), tuple(places.values())
        self.free = {t for t, name in enumerate(self.threads) if name in counts}
        lengths = tuple(counts.get(n, shape.first.get(n, 0) + shape.last.get(n, 0)) for n in self.threads)
        local = [(p.space is AddressSpace.LDS, p.location not in memory.unwritten) for p in memory.places]
        # Slots are counted as placeholders are: those of the program's threads by the order of `shape.first`.
        self.skeleton = Skeleton(space, lengths, circuit, memory=local)
        self.number = self._numbers()
        runs = [where for _, where, size in shape.runs() for _ in range(size)]
        self._where = {k: runs[n] for n, k in self.number.items()}
        self.slots = free_attributes(self.skeleton, range(len(self.skeleton.slots)))
        self.present = [TRUE if shape.full else circuit.variable() for _ in self.slots]
        for a in self.slots:
            well_formed(self.skeleton, a)
        self.one_as = [self._one_as(a) for a in self.slots]
        self.compatibility = Compatibility(self.skeleton)
        own = {k: number for number, k in self.number.items()}
        self.numbers = Numbers(circuit, memory, graphs, [own[k] for k in range(len(self.slots))])
        self._places(graphs)
        self.meets, self.gaps = self._meetings()
        self._nothing_last()
        if memory.alike:
            locations_in_order(circuit, self.slots)
        _ = self.skeleton.together
        self.standing = self._standing()
        for i, j in combinations(range(len(self.slots)), 2):
            self.compatibility.between(self.slots, i, j)
        self.orderings = [one_of(circuit, found) for found in annotations.orderings] if annotations else []
        self.scopes = [one_of(circuit, [*Scope]) for _ in self.orderings]
        self.unknown: dict[Hashable, tuple[int, ...]] = {}
        """The results of functions of which nothing is known."""
        self.parts: dict[int, OperationPlace] = {}
        """What the events of the graph that was opened last are of."""
        self.last = circuit.variables
        """The last variable that says which context it is."""

    def _standing(self) -> Standing | None:
        """Return where operations stand, if that is open; assert that those of one thread are in one place.

        Threads beside the program that are alike but for their operations are sorted.
        """
        skeleton, circuit = self.skeleton, self.circuit
        if self.shape.around is None:
            in_order(skeleton, self.slots, sorted(self.free), falling=True)
            return None
        found = Standing(circuit, self.present, [self.threads.index(name) for name in self.shape.around])
        mine = [slot.thread for slot in skeleton.slots]
        # At other levels threads are never together; of who stands in one `Setting` says that they are.
        for level in skeleton.bound.levels:
            for k, thread in enumerate(mine):
                for t in found.threads:
                    circuit.add(-found.inside(k, t), skeleton.same(level, t, thread))
            for a, b in combinations(range(len(mine)), 2):
                circuit.add(-found.together(a, b), skeleton.same(level, mine[a], mine[b]))
        for a, b in pairwise(range(len(mine))):
            alone = circuit.both(found.alone(a), found.alone(b))
            in_order(skeleton, self.slots, (mine[a], mine[b]), falling=True, where=alone)
        return found

    def _numbers(self) -> dict[int, int]:
        """Return for the placeholders' slots their numbers in the skeleton, which counts thread by thread."""
        starts: dict[str, int] = {}
        base = 0
        for name, _, size in self.shape.runs():
            starts.setdefault(name, base)
            base += size
        return {starts[self.threads[slot.thread]] + slot.position: k for k, slot in enumerate(self.skeleton.slots)}

    def _one_as(self, a: OperationAttributes) -> int:
        """Return the literal that the scope of an operation is one of the address space that it accesses.

        A fence names that space where there are several: one that names none is as good as one for each.
        """
        if not self.space.one_as:
            return FALSE
        literal = self.circuit.variable()
        self.circuit.add(-literal, -a.plain)
        if self.space.lds:
            fence = self.circuit.both(literal, a.kinds.get(OperationKind.FENCE, FALSE))
            named = [a.tags.get(tag, FALSE) for tag in FENCE_TAGS]
            self.circuit.add(-fence, *named)
            self.circuit.add(-fence, *(-tag for tag in named))
        return literal

    def _places(self, graphs: Sequence[EventGraph]) -> None:
        """Assert where the program's threads stand, and that LDS is accessed from its workgroup alone."""
        circuit, skeleton = self.circuit, self.skeleton
        threads = range(len(self.threads))
        for t, u in combinations(threads, 2):
            if t in self.free or u in self.free:
                continue
            for level in PLACED:
                here = self.placements[t].instance(level) == self.placements[u].instance(level)
                literal = skeleton.same(level, t, u)
                circuit.add(literal if here else -literal)
        in_reach(skeleton, self.slots)
        for p, place in enumerate(self.memory.places):
            if place.space is not AddressSpace.LDS:
                continue
            users = {
                self.thread_of(graph, e.thread)
                for graph in graphs
                for e in graph.events
                if e.thread >= 0 and e.cell >= 0 and graph.cells[e.cell].location == place.location
            }
            for slot, a in zip(skeleton.slots, self.slots, strict=True):
                for u in sorted(users - {slot.thread} - self.free):
                    circuit.add(-a.locations[p], skeleton.same(Scope.WORKGROUP, slot.thread, u))

    def _meetings(self) -> tuple[list[int], list[list[list[int]]]]:
        """Return for each further thread the literal that it takes part in the meeting, and for each of its barriers
        those of the operations before which it stands, as many as there are operations, or behind all."""
        circuit, meeting = self.circuit, self.shape.meeting
        if meeting is None:
            return [FALSE for _ in self.shape.beside], [[] for _ in self.shape.beside]
        meets, found = [], []
        for k, size in enumerate(self.shape.beside):
            takes_part = circuit.variable()
            for name in meeting.threads:
                near = self.skeleton.same(Scope.WORKGROUP, self.threads.index(beside(k)), self.threads.index(name))
                circuit.add(-takes_part, near)
            gaps = [[circuit.variable() for _ in range(size + 1)] for _ in range(meeting.times)]
            for gap in gaps:
                circuit.exactly_one(gap)
                circuit.add(takes_part, gap[0])
            for gap, later in pairwise(gaps):
                for at in range(size + 1):
                    for sooner in later[:at]:
                        circuit.add(-gap[at], -sooner)
            meets.append(takes_part)
            found.append(gaps)
        return meets, found

    def _nothing_last(self) -> None:
        """Assert that what is nothing stands last among operations that stand in a row."""
        base = 0
        for _, _, size in self.shape.runs():
            for a, b in pairwise(self.number[base + i] for i in range(size)):
                self.circuit.add(self.present[a], -self.present[b])
            base += size

    def thread_of(self, graph: EventGraph, thread: int) -> int:
        """Return the number here of a thread of a program."""
        return self.threads.index(graph.threads[thread]) if thread >= 0 else -1

    # ------------------------------------------------------------ an operation

    def reads(self, slot: int) -> int:
        """Return the literal that an operation reads."""
        return self._is(slot, LOAD, RMW)

    def writes(self, slot: int) -> int:
        """Return the literal that an operation writes."""
        return self._is(slot, STORE, RMW)

    def fences(self, slot: int) -> int:
        """Return the literal that an operation is a fence."""
        return self._is(slot, FENCE)

    def _is(self, slot: int, *kinds: OperationKind) -> int:
        return self.circuit.both(self.present[slot], self.slots[slot].kind(self.circuit, *kinds))

    def stands(self, slot: int, where: int) -> int:
        """Return the literal that an operation stands before threads of the program, after them, or beside them."""
        if self.standing is None:
            return TRUE if self._where[slot] == where else FALSE
        if where == BESIDE:
            return self.standing.beside[slot]
        return self.circuit.disjunction([x for (_, side), x in self.standing.at[slot].items() if side == where])

    def ends(self, slot: int) -> int:
        """Return the literal that no operation stands behind one in a thread beside the program."""
        if self.standing is not None:
            return -self.standing.joined(slot, slot + 1) if slot + 1 < len(self.slots) else TRUE
        runs = [run for run, (_, _, size) in enumerate(self.shape.runs()) for _ in range(size)]
        placed = {k: n for n, k in self.number.items()}
        after = placed[slot] + 1
        return -self.present[self.number[after]] if after < len(runs) and runs[after] == runs[after - 1] else TRUE

    def register(self, slot: int) -> str:
        """Return how the names of the registers begin to which an operation reads."""
        return next(f"{REGISTER}{n}." for n, k in self.number.items() if k == slot)

    def variables(self) -> range:
        """Return the variables that say which context it is."""
        return range(2, self.last + 1)

    def marked(self, marks: Sequence[Mark]) -> list[int]:
        """Return the literals that the groups of the annotations have none but some orderings and scopes.

        They are many, so that as few as possible say why something holds. Raises Unlike if a group cannot have what is
        written.
        """
        found = []
        for mark, orderings, scopes in zip(marks, self.orderings, self.scopes, strict=True):
            if mark.ordering not in orderings or mark.scope not in scopes:
                raise Unlike
            found += [-x for ordering, x in orderings.items() if ordering is not mark.ordering]
            found += [-x for scope, x in scopes.items() if scope is not mark.scope]
        return list(dict.fromkeys(found))
