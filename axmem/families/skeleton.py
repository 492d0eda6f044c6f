"""What all programs of a family share: how many operations each thread has, and which events those may become.

What goes in: a `Space`, the bound of a family, and the sizes of its threads. What comes out: a `Skeleton`: events, with
a literal for every fact about places and locations that is left open. An operation is a slot; its events are one for a
read, fence or make operation and one for a write, and a read-modify-write is both. Locations have an initial write,
which may be absent, and a final read. Nothing here is about orderings, scopes or tags
(`axmem.families.program`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.litmus.words import AS_PREFIX, NONE_TAG, PLACED, Ordering, Scope, tag_text
from axmem.model.vocabulary import CONSTRUCTS, LDS_MEMORY, MAKE_OPERATIONS, in_words

KINDS = ("load", "store", "rmw", "fence", "make.available", "make.visible")
"""What an operation may be."""

ALL_ORDERINGS = tuple(Ordering)
ALL_SCOPES = tuple(Scope)


@dataclass(frozen=True, slots=True)
class Space:
    """A bound: which programs are meant. Every program has straight-line threads with known addresses.

    `locations` is how many there are at most. `tags` is how MMRA tags are meant: `none`, `any` (every compatibility
    that tags of any number of prefixes and suffixes can have), or `two` (the tags f:a and f:b). `av` admits the av
    intrinsics, `none` the tag amdgcn-av:none, `synchronize_as` the tags amdgpu-synchronize-as on fences, `lds`
    locations in LDS, `uninitialised` locations without an initial write, `finals` the final values of memory as part of
    an outcome. `levels` are those at which two threads may be apart or together.
    """

    kinds: tuple[str, ...] = KINDS
    locations: int = 2
    orderings: tuple[Ordering, ...] = ALL_ORDERINGS
    scopes: tuple[Scope, ...] = ALL_SCOPES
    levels: tuple[Scope, ...] = tuple(sorted(PLACED))
    tags: str = "any"
    av: bool = True
    none: bool = True
    volatile: bool = True
    synchronize_as: bool = True
    lds: bool = True
    uninitialised: bool = True
    finals: bool = False

    def words(self) -> str:
        """Return the bound in words, without the number of operations."""
        parts = [
            f"{'/'.join(self.kinds)}",
            f"up to {self.locations} location{'s' if self.locations > 1 else ''}"
            + f" ({'global or LDS' if self.lds else 'global'}, {'' if self.uninitialised else 'all '}initialised"
            + ("" if not self.uninitialised else " or not")
            + ")",
            "every ordering"
            if set(self.orderings) == set(ALL_ORDERINGS)
            else "/".join(o.value for o in self.orderings),
            "every scope" if set(self.scopes) == set(ALL_SCOPES) else "/".join(s.word for s in self.scopes),
            "every placement of threads"
            if len(self.levels) == len(PLACED)
            else "placements by " + "/".join(s.word for s in self.levels),
            {"none": "no tags", "any": "any tags", "two": "tags f:a and f:b"}[self.tags],
        ]
        extras = {
            "av intrinsics": self.av,
            tag_text(NONE_TAG): self.none,
            "volatile": self.volatile,
            AS_PREFIX: self.synchronize_as,
            "final values": self.finals,
        }
        return ", ".join([*parts, *[name for name, on in extras.items() if on]]) + f"; no {in_words(self.without)}"

    @property
    def without(self) -> frozenset[str]:
        """The constructs that no program of the space has."""
        makes = {"make.available", "make.visible"} & set(self.kinds)
        return frozenset(CONSTRUCTS) - ({MAKE_OPERATIONS} if makes else set()) - ({LDS_MEMORY} if self.lds else set())


@dataclass(frozen=True, slots=True)
class Slot:
    """An operation: its thread, and its place in program order."""

    thread: int
    position: int


@dataclass(frozen=True, slots=True)
class SymbolicEvent:
    """An event that a program may have. `part` is `read` (or fence, or make), `write`, `initial` or `final`.

    `slot` is the index of its operation, or -1; `location` that of its location, or -1 where an operation has it open.
    """

    index: int
    part: str
    slot: int = -1
    location: int = -1


class Skeleton:
    """The events of a family of programs, with literals for what is open about threads and locations."""

    def __init__(self, space: Space, threads: tuple[int, ...], circuit: Circuit) -> None:
        self.space = space
        self.threads = threads
        self.circuit = circuit
        self.slots = tuple(Slot(t, p) for t, size in enumerate(threads) for p in range(size))
        self.events = tuple(self._events())
        self.size = len(self.events)
        self.lds = tuple(circuit.variable() if space.lds else FALSE for _ in range(space.locations))
        self.initialised = tuple(circuit.variable() if space.uninitialised else TRUE for _ in range(space.locations))
        self.together = self._together()
        self.orders: dict[tuple[int, int], int] = {}
        self._total_order()

    def _events(self) -> Iterator[SymbolicEvent]:
        number = 0
        reads = {"load", "rmw", "fence", "make.available", "make.visible"}
        for index in range(len(self.slots)):
            for part, needed in (("read", reads), ("write", {"store", "rmw"})):
                if needed & set(self.space.kinds):
                    yield SymbolicEvent(number, part, index)
                    number += 1
        outer = ("initial", "final") if self.space.finals else ("initial",)
        for part in outer:
            for location in range(self.space.locations):
                yield SymbolicEvent(number, part, -1, location)
                number += 1

    def _together(self) -> dict[tuple[Scope, int, int], int]:
        """Make the literals that two threads lie in one instance of a level; instances nest, and are equivalences."""
        circuit = self.circuit
        table: dict[tuple[Scope, int, int], int] = {}
        count = len(self.threads)
        for t, u in combinations(range(count), 2):
            inner = FALSE
            for level in Scope:
                if level is Scope.SINGLETHREAD:
                    literal = FALSE
                elif level is Scope.SYSTEM:
                    literal = TRUE
                elif level in self.space.levels:
                    literal = circuit.variable()
                    circuit.add(-inner, literal)
                else:
                    literal = inner
                table[level, t, u] = table[level, u, t] = inner = literal
        for level in self.space.levels:
            for a, b, c in combinations(range(count), 3):
                for x, y, z in ((a, b, c), (b, c, a), (c, a, b)):
                    circuit.add(-table[level, x, y], -table[level, y, z], table[level, x, z])
        return table

    def same(self, level: Scope, a: SymbolicEvent, b: SymbolicEvent) -> int:
        """Return the literal that two events lie in one instance of a level."""
        if level is Scope.SYSTEM:
            return TRUE
        if a.slot < 0 or b.slot < 0:
            return FALSE
        t, u = self.slots[a.slot].thread, self.slots[b.slot].thread
        return TRUE if t == u else self.together[level, t, u]

    def _total_order(self) -> None:
        """Order all writes in one total order; coherence is what it says of the writes to each location."""
        writes = [e for e in self.events if e.part == "write"]
        for a, b in combinations(writes, 2):
            literal = self.circuit.variable()
            self.orders[a.index, b.index], self.orders[b.index, a.index] = literal, -literal
        for a, b, c in combinations(writes, 3):
            ab, bc, ac = (self.orders[x.index, y.index] for x, y in ((a, b), (b, c), (a, c)))
            self.circuit.add(-ab, -bc, ac)
            self.circuit.add(ab, bc, -ac)

    def order(self, a: SymbolicEvent, b: SymbolicEvent) -> int:
        """Return the literal that one write comes before another in the total order; initial writes come first."""
        if "initial" in (a.part, b.part):
            return TRUE if a.part == "initial" and b.part != "initial" else FALSE
        return self.orders[a.index, b.index] if a.index != b.index else FALSE


def shapes(operations: int, threads: int | None = None) -> tuple[tuple[int, ...], ...]:
    """Return the ways to distribute operations over threads, each with at least one, the larger threads first."""

    def parts(left: int, largest: int, count: int) -> Iterator[tuple[int, ...]]:
        if left == 0:
            yield ()
        elif count:
            for first in range(min(left, largest), 0, -1):
                for rest in parts(left - first, first, count - 1):
                    yield (first, *rest)

    return tuple(parts(operations, operations, threads if threads is not None else operations))
