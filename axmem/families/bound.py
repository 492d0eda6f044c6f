"""A bound on programs: how many operations, threads and locations, and which words of the language they may use.

What goes in: numbers and words. What comes out: a `Bound`, its sentence for reports, and the operations it allows.
Invariant: a bound says everything about the space of programs; nothing else limits a search over it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

from axmem.families.operations import ORDERINGS, Kind, Operation
from axmem.litmus.words import NONE_TAG, PLACED, Ordering, Scope, Tag, tag_text
from axmem.model.vocabulary import CONSTRUCTS, in_words

LEVELS = tuple(scope.word for scope in PLACED)
"""The levels of a place, from the widest."""

WITHOUT = frozenset(CONSTRUCTS)
"""The constructs that no program of a bound has."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A space of programs.

    `events` counts operations: loads, stores, fences and read-modify-writes, not initial writes and final values.
    `varied` are the levels of the hierarchy at which threads may be together or apart, in every combination; of the
    others, a level with a varied one inside it has one instance, and otherwise threads share agents and clusters but
    have workgroups and wavefronts of their own. `none` allows `amdgcn-av:none` on synchronizing operations, `av` the av
    intrinsics, `volatile` volatile plain accesses. With `finals` outcomes show final values besides registers. All
    accesses are of one naturally aligned i32 in global memory.
    """

    events: int
    threads: int = 3
    locations: int = 2
    kinds: frozenset[Kind] = frozenset({Kind.READ, Kind.WRITE})
    orderings: frozenset[Ordering] = frozenset(Ordering)
    scopes: frozenset[Scope] = frozenset({Scope.SYSTEM})
    tags: tuple[Tag, ...] = ()
    none: bool = False
    av: bool = False
    volatile: bool = False
    varied: tuple[str, ...] = ()
    finals: bool = True

    @property
    def levels(self) -> tuple[str, ...]:
        """The varied levels, widest first."""
        return tuple(level for level in LEVELS if level in self.varied)

    def text(self) -> str:
        """Return what the space covers, as one line."""
        return "; ".join(self.parts())

    def parts(self) -> list[str]:
        """Return what the space covers, part by part."""
        kinds = {Kind.READ: "loads", Kind.WRITE: "stores", Kind.UPDATE: "read-modify-writes", Kind.FENCE: "fences"}
        return [
            f"all programs of up to {self.events} operations ({', '.join(kinds[k] for k in Kind if k in self.kinds)}; "
            "initial writes and final values do not count)",
            f"up to {self.threads} thread{'s' * (self.threads != 1)}",
            f"up to {self.locations} location{'s' * (self.locations != 1)}",
            "orderings " + " ".join(o.value for o in Ordering if o in self.orderings),
            "scopes " + " ".join(s.word for s in sorted(self.scopes)),
            "tags " + (" ".join(map(tag_text, self.tags)) or "none"),
            *[f"{tag_text(NONE_TAG)} on synchronizing operations"] * self.none,
            *["av loads and stores"] * self.av,
            *["volatile accesses"] * self.volatile,
            "outcomes are what loads return" + (" and the final values" if self.finals else ""),
            "every placement by " + ", ".join(self.levels) if self.levels else "each thread in a workgroup of its own",
            "all accesses of one i32 in global memory, straight-line threads",
            f"no {in_words(WITHOUT)}",
        ]


def operations(bound: Bound, location: int) -> Iterator[Operation]:
    """Yield every access of a location that a bound allows (fences for location -1), simpler ones first."""
    found = set()
    for kind in bound.kinds:
        if (kind is Kind.FENCE) != (location < 0):
            continue
        for ordering in ORDERINGS[kind]:
            if ordering in bound.orderings:
                found |= set(_with(bound, kind, location, ordering))
    return iter(sorted(found, key=lambda op: op.rank))


def _with(bound: Bound, kind: Kind, location: int, ordering: Ordering) -> Iterator[Operation]:
    """Yield the operations of a kind and ordering."""
    tags = [frozenset(some) for n in range(len(bound.tags) + 1) for some in combinations(bound.tags, n)]
    if ordering is Ordering.NOT_ATOMIC:
        for some in tags:
            yield Operation(kind, location, ordering, tags=some)
            if bound.volatile:
                yield Operation(kind, location, ordering, volatile=True, tags=some)
            if bound.av:
                yield from (Operation(kind, location, ordering, scope, av=True, tags=some) for scope in bound.scopes)
        return
    nones = [frozenset[Tag](), frozenset({NONE_TAG})] if bound.none and ordering.synchronizes else [frozenset()]
    for scope, some, none in product(bound.scopes, tags, nones):
        yield Operation(kind, location, ordering, scope, tags=some | none)
