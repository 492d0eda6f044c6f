"""A bound on programs: how many operations, threads and locations, and which words of the language they may use.

What goes in: numbers and words. What comes out: a `Bound`, its sentences for reports, and the operations it allows.
Invariant: a bound says everything about the space of programs; nothing else limits a search over it. What it leaves out
is named by the constructs of the vocabulary (`without`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations, product

from axmem.front.output import counted
from axmem.front.records import dataclass
from axmem.litmus.words import (
    AS_PREFIX,
    NONE_TAG,
    PLACED,
    OperationKind,
    Ordering,
    Scope,
    Tag,
    legal_for,
    tag_text,
)
from axmem.model.primitives import (
    BARRIERS,
    CONSTRUCTS,
    LDS_MEMORY,
    MAKE_OPERATIONS,
    NEEDS_OF_TAG,
    ONE_AS,
    VULKAN_TAGS,
    in_words,
)
from axmem.refinement.bounded.operations import BoundedOperation

KINDS = (OperationKind.LOAD, OperationKind.STORE, OperationKind.RMW, OperationKind.FENCE)
"""The operations of programs; besides, there are the make operations."""
MAKES = (OperationKind.MAKE_AVAILABLE, OperationKind.MAKE_VISIBLE)
UNORDERED = (*MAKES, OperationKind.BARRIER)
"""Operations that have no ordering."""
ACCESSES = (OperationKind.LOAD, OperationKind.STORE, OperationKind.RMW)

NAMED_TAGS: tuple[Tag, ...] = (("f", "a"), ("f", "b"))
"""Two suffixes of a prefix that nobody knows: compatible with what has no tag and with both, not with each other."""

ALONE = "each thread in a workgroup of its own"
_WORDS = {
    OperationKind.LOAD: "loads",
    OperationKind.STORE: "stores",
    OperationKind.RMW: "read-modify-writes",
    OperationKind.FENCE: "fences",
}


@dataclass(frozen=True, slots=True)
class Bound:
    """A space of programs: straight-line threads, known addresses, each write with a value of its own.

    `events` counts operations, not initial writes and final values; 0 where the number is said elsewhere. `levels`
    are those of the hierarchy at which threads may be together or apart, in every combination. Of the others one
    that is wider than one of these has one instance, or, if they are `apart`, as many as there are of the next
    narrower level; without levels threads share agents and clusters and have workgroups of their own, or are wholly
    `apart`. `tags` may stand on every operation, in any combination; with `any_tags` there are besides all
    compatibilities that tags of unknown prefixes can have. `none` allows `amdgcn-av:none` on synchronizing
    operations, `synchronize_as` the tags of that name on fences, `av` the av intrinsics, `volatile` volatile plain
    accesses, with `volatile_atomics` any. `lds` allows locations in LDS, `one_as` the scopes of one address space,
    `uninitialised` locations without an initial write. With `finals` outcomes show final values besides registers.
    All accesses are of one naturally aligned i32.
    """

    events: int = 0
    threads: int = 3
    locations: int = 2
    kinds: Collection[OperationKind] = (OperationKind.LOAD, OperationKind.STORE)
    orderings: Collection[Ordering] = tuple(Ordering)
    scopes: Collection[Scope] = (Scope.SYSTEM,)
    tags: tuple[Tag, ...] = ()
    none: bool = False
    av: bool = False
    volatile: bool = False
    levels: Collection[Scope] = ()
    finals: bool = True
    any_tags: bool = False
    apart: bool = False
    volatile_atomics: bool = False
    synchronize_as: bool = False
    lds: bool = False
    uninitialised: bool = False
    one_as: bool = False

    def __post_init__(self) -> None:
        """Put the words in the order of the language, so that equal bounds are equal; levels from the widest."""
        for name, order in (("kinds", OperationKind), ("orderings", Ordering), ("scopes", Scope), ("levels", PLACED)):
            object.__setattr__(self, name, tuple(word for word in order if word in getattr(self, name)))

    @property
    def without(self) -> frozenset[str]:
        """The constructs that no program of the space has."""
        makes = {MAKE_OPERATIONS} if set(MAKES) & set(self.kinds) else set()
        vulkan = {NEEDS_OF_TAG[tag] for tag in self.tags if tag in NEEDS_OF_TAG} & {VULKAN_TAGS}
        barriers = {BARRIERS} if OperationKind.BARRIER in self.kinds else set()
        spaces = {name for name, on in ((LDS_MEMORY, self.lds), (ONE_AS, self.one_as)) if on}
        return frozenset(CONSTRUCTS) - makes - vulkan - barriers - spaces

    def shared(self, level: Scope) -> bool:
        """Tell whether all threads inside the level above share an instance of one that is not varied."""
        inside = PLACED[PLACED.index(level) + 1 :]
        return not self.apart and (level.shared or any(finer in self.levels for finer in inside))

    def text(self) -> str:
        """Return what the space covers, as one line."""
        return "; ".join(self.parts())

    def parts(self) -> list[str]:
        """Return what the space covers, part by part."""
        return [
            f"all programs of up to {self.events} operations ({', '.join(_WORDS[k] for k in self.kinds)}; "
            "initial writes and final values do not count)",
            f"up to {counted(self.threads, 'thread')}",
            f"up to {counted(self.locations, 'location')}",
            "orderings " + " ".join(o.value for o in self.orderings),
            "scopes " + " ".join(s.word for s in self.scopes),
            "tags " + (" ".join(map(tag_text, self.tags)) or "none"),
            *["amdgcn-av:none on synchronizing operations"] * self.none,
            *["av loads and stores"] * self.av,
            *["volatile accesses"] * self.volatile,
            "outcomes are what loads return" + (" and the final values" if self.finals else ""),
            "every placement by " + ", ".join(level.word for level in self.levels) if self.levels else ALONE,
            "all accesses of one i32 in global memory, straight-line threads",
            f"no {in_words(self.without)}",
        ]

    def words(self) -> str:
        """Return what the space covers without the numbers of operations and threads, in one phrase."""
        initialised = "initialised or not" if self.uninitialised else "all initialised"
        levels = "/".join(level.word for level in reversed(tuple(self.levels)))
        placed = f"placements by {levels}" if levels else ALONE
        placed += f" in one {min(shared).word}" if (shared := [x for x in PLACED if self.shared(x)]) else ""
        tags = " and ".join(map(tag_text, self.tags))
        extras = {
            "av intrinsics": self.av,
            tag_text(NONE_TAG): self.none,
            "volatile": self.volatile,
            AS_PREFIX: self.synchronize_as,
        }
        parts = [
            "/".join(self.kinds),
            f"up to {self.locations} location{'s' if self.locations > 1 else ''} "
            f"({'global or LDS' if self.lds else 'global'}, {initialised})",
            "every ordering" if len(self.orderings) == len(Ordering) else "/".join(o.value for o in self.orderings),
            "every scope" if len(self.scopes) == len(Scope) else "/".join(s.word for s in self.scopes),
            "every placement of threads" if len(self.levels) == len(PLACED) else placed,
            "any tags" if self.any_tags else f"tags {tags}" if self.tags else "no tags",
            *[name for name, on in extras.items() if on],
        ]
        return f"{', '.join(parts)}; no {in_words(self.without)}"


def operations(bound: Bound, location: int) -> Iterator[BoundedOperation]:
    """Yield every access of a location that a bound allows (fences for location -1), simpler ones first."""
    found = set()
    for kind in bound.kinds:
        if (kind is OperationKind.FENCE) != (location < 0):
            continue
        for ordering in legal_for(kind):
            if ordering in bound.orderings:
                found |= set(_with(bound, kind, location, ordering))
    return iter(sorted(found, key=lambda op: op.rank))


def _with(bound: Bound, kind: OperationKind, location: int, ordering: Ordering) -> Iterator[BoundedOperation]:
    """Yield the operations of a kind and ordering."""
    tags = [frozenset(some) for n in range(len(bound.tags) + 1) for some in combinations(bound.tags, n)]
    if ordering is Ordering.NOT_ATOMIC:
        for some in tags:
            yield BoundedOperation(kind, location, ordering, tags=some)
            if bound.volatile:
                yield BoundedOperation(kind, location, ordering, volatile=True, tags=some)
            if bound.av:
                yield from (
                    BoundedOperation(kind, location, ordering, scope, av=True, tags=some) for scope in bound.scopes
                )
        return
    nones = [frozenset[Tag](), frozenset({NONE_TAG})] if bound.none and ordering.synchronizes else [frozenset()]
    for scope, some, none in product(bound.scopes, tags, nones):
        yield BoundedOperation(kind, location, ordering, scope, tags=some | none)
