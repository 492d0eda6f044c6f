"""The operations that a program of a bounded space may contain, and the programs themselves.

What goes in: nothing but the words of the language. What comes out: `BoundedOperation`, one instruction without its
value, and `BoundedProgram`, threads of them with places. Every write of a program has a value of its own and every
location starts at 0, so an outcome says which write each read returned; programs whose constants coincide have the
images of its outcomes.
"""

from __future__ import annotations

from axmem.front.records import dataclass
from axmem.litmus.words import OperationKind, Ordering, Scope, Tag

Place = tuple[int, ...]
"""The instance of each of `PLACED` (agent, cluster, workgroup, wavefront), numbered inside the one before it."""

_KINDS = {kind: number for number, kind in enumerate(OperationKind)}
_ORDERINGS = {ordering: number for number, ordering in enumerate(Ordering)}


@dataclass(frozen=True, slots=True)
class BoundedOperation:
    """One instruction; a read-modify-write always succeeds and writes a constant (`xchg`).

    `location` is a number, -1 for a fence; `av` marks the av intrinsics, whose `scope` it is. A plain access has scope
    `SYSTEM`, as in the language.
    """

    kind: OperationKind
    location: int = -1
    ordering: Ordering = Ordering.NOT_ATOMIC
    scope: Scope = Scope.SYSTEM
    av: bool = False
    volatile: bool = False
    tags: frozenset[Tag] = frozenset()

    @property
    def reads(self) -> bool:
        """Whether it returns a value."""
        return self.kind in (OperationKind.LOAD, OperationKind.RMW)

    @property
    def writes(self) -> bool:
        """Whether it changes its location."""
        return self.kind in (OperationKind.STORE, OperationKind.RMW)

    @property
    def rank(self) -> tuple[object, ...]:
        """A total order of operations; what is first is simpler."""
        return (
            _KINDS[self.kind],
            self.location,
            _ORDERINGS[self.ordering],
            self.av,
            self.volatile,
            -self.scope,
            len(self.tags),
            tuple(sorted(self.tags)),
        )


Threads = tuple[tuple[BoundedOperation, ...], ...]


@dataclass(frozen=True, slots=True)
class BoundedProgram:
    """Threads of operations, and for each thread its place (threads with one place share a wavefront)."""

    threads: Threads
    places: tuple[Place, ...]

    @property
    def size(self) -> int:
        """The number of operations."""
        return sum(len(thread) for thread in self.threads)

    @property
    def locations(self) -> int:
        """The number of locations."""
        return 1 + max((op.location for thread in self.threads for op in thread), default=-1)

    @property
    def rank(self) -> tuple[object, ...]:
        """A total order of programs: smaller ones first, then fewer threads and locations, long threads in front."""
        bodies = tuple(tuple(op.rank for op in thread) for thread in self.threads)
        lengths = tuple(-len(thread) for thread in self.threads)
        return (self.size, len(self.threads), self.locations, lengths, bodies, self.places)
