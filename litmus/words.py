"""The words of the language, as data: kinds of operations, orderings, scopes, address spaces, tags.

What goes in: nothing. What comes out: each word once, what LLVM lets an operation of a kind have (`legal_for`), which
orderings are stronger than which, and the names of the tags that the models know. Invariant: nobody else writes these
facts down; who needs a choice of them takes it from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum
from typing import TypeAlias


class OperationKind(StrEnum):
    """What an operation does; the av kinds are the non-atomic av intrinsics."""

    LOAD = "load"
    AV_LOAD = "av-load"
    STORE = "store"
    AV_STORE = "av-store"
    RMW = "rmw"
    CMPXCHG = "cmpxchg"
    FENCE = "fence"
    MAKE_AVAILABLE = "make.available"
    MAKE_VISIBLE = "make.visible"
    BARRIER = "barrier"


# ---------------------------------------------------------------- orderings


class Ordering(Enum):
    """LLVM's atomic orderings, in LLVM's spelling; `NOT_ATOMIC` is an access without `atomic`."""

    NOT_ATOMIC = "not_atomic"
    UNORDERED = "unordered"
    MONOTONIC = "monotonic"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"

    def at_least(self, other: Ordering) -> bool:
        """Say whether this ordering is the other or stronger; acquire and release are incomparable."""
        return other in _NO_STRONGER[self]

    @property
    def acquires(self) -> bool:
        """Whether it has acquire semantics, and so a make-visible role."""
        return self.at_least(Ordering.ACQUIRE)

    @property
    def releases(self) -> bool:
        """Whether it has release semantics, and so a make-available role."""
        return self.at_least(Ordering.RELEASE)

    @property
    def synchronizes(self) -> bool:
        """Whether it has one of these semantics; only then does `amdgcn-av:none` mean something."""
        return self.acquires or self.releases


_NO_STRONGER: dict[Ordering, frozenset[Ordering]] = {}
for _ordering, _weaker in (
    (Ordering.NOT_ATOMIC, ()),
    (Ordering.UNORDERED, (Ordering.NOT_ATOMIC,)),
    (Ordering.MONOTONIC, (Ordering.UNORDERED,)),
    (Ordering.ACQUIRE, (Ordering.MONOTONIC,)),
    (Ordering.RELEASE, (Ordering.MONOTONIC,)),
    (Ordering.ACQ_REL, (Ordering.ACQUIRE, Ordering.RELEASE)),
    (Ordering.SEQ_CST, (Ordering.ACQ_REL,)),
):
    _NO_STRONGER[_ordering] = frozenset({_ordering}).union(*(_NO_STRONGER[weaker] for weaker in _weaker))

SYNCHRONIZING = tuple(ordering for ordering in Ordering if ordering.synchronizes)
"""The orderings of which `Ordering.synchronizes` holds, from the weakest."""

_LEGAL: dict[str, tuple[Ordering, ...]] = {
    OperationKind.LOAD: tuple(o for o in Ordering if o not in (Ordering.RELEASE, Ordering.ACQ_REL)),
    OperationKind.STORE: tuple(o for o in Ordering if o not in (Ordering.ACQUIRE, Ordering.ACQ_REL)),
    OperationKind.RMW: (Ordering.MONOTONIC, *SYNCHRONIZING),
    OperationKind.CMPXCHG: (Ordering.MONOTONIC, *SYNCHRONIZING),
    OperationKind.FENCE: SYNCHRONIZING,
}

FAILURES = (Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.SEQ_CST)
"""The orderings with which a cmpxchg may fail, from the weakest: a failed one writes nothing to release."""


def legal_for(kind: str) -> tuple[Ordering, ...]:
    """Return the orderings that LLVM's verifier lets an operation of an `OperationKind` have, from the weakest."""
    return _LEGAL.get(kind, (Ordering.NOT_ATOMIC,))


def atomic_for(kind: str) -> tuple[Ordering, ...]:
    """Return the orderings that an operation of a kind may have if it is atomic, from the weakest."""
    return tuple(ordering for ordering in legal_for(kind) if ordering is not Ordering.NOT_ATOMIC)


def failure_of(success: Ordering) -> Ordering:
    """Return the ordering with which a cmpxchg fails that states none: that of its success without the release."""
    if success is Ordering.RELEASE:
        return Ordering.MONOTONIC
    return Ordering.ACQUIRE if success is Ordering.ACQ_REL else success


# ---------------------------------------------------------------- scopes and address spaces


class Scope(IntEnum):
    """AMDGPU's scopes from the smallest to the largest; the value is the level."""

    SINGLETHREAD = 0
    WAVEFRONT = 1
    WORKGROUP = 2
    CLUSTER = 3
    AGENT = 4
    SYSTEM = 5

    @property
    def word(self) -> str:
        """The scope's name as models and messages spell it (`system` has the empty name in LLVM IR)."""
        return self.name.lower()

    @property
    def short(self) -> str:
        """The scope's name in two letters, as the models' definitions and the names of tests have it."""
        return _SHORT[self]


_SHORT = dict(zip(Scope, ("st", "wv", "wg", "cl", "ag", "sy"), strict=True))
SCOPE_OF = {scope.word: scope for scope in Scope}
"""The scopes by their words, from the smallest."""

PLACED = (Scope.AGENT, Scope.CLUSTER, Scope.WORKGROUP, Scope.WAVEFRONT)
"""The levels at which a thread has a place, each inside the one before it."""
PLACE_WORDS = (*(scope.word for scope in PLACED), "thread")
"""The words of a place, from the outermost level to the thread itself."""


@dataclass(frozen=True, slots=True)
class SyncScope:
    """`syncscope("agent-one-as")`: a level, and whether only the accessed address space is synchronized."""

    level: Scope = Scope.SYSTEM
    one_as: bool = False


SYSTEM_SCOPE = SyncScope()
"""The scope of what states none."""


class AddressSpace(IntEnum):
    """AMDGPU's address spaces that hold memory a test can name."""

    GENERIC = 0
    GLOBAL = 1
    LDS = 3
    PRIVATE = 5


SPACES = {"global": AddressSpace.GLOBAL, "lds": AddressSpace.LDS, "private": AddressSpace.PRIVATE}
"""The address spaces in which memory can be declared, by their words."""
SPACE_NAMES = {space: name for name, space in SPACES.items()} | {AddressSpace.GENERIC: "generic"}

# ---------------------------------------------------------------- tags

Tag: TypeAlias = tuple[str, str]
"""One MMRA tag: prefix and suffix, both without quotes."""

AV_PREFIX = "amdgcn-av"
NONE_TAG: Tag = (AV_PREFIX, "none")
"""The annotation that a synchronizing operation makes nothing available or visible."""

AS_PREFIX = "amdgpu-synchronize-as"
SPACE_TAGS: dict[AddressSpace, Tag] = {
    AddressSpace.GLOBAL: (AS_PREFIX, "global"),
    AddressSpace.LDS: (AS_PREFIX, "local"),
    AddressSpace.PRIVATE: (AS_PREFIX, "private"),
}
"""The tag of each address space."""

VULKAN_PREFIX = "vulkan"
PRIVATE_TAG: Tag = (VULKAN_PREFIX, "private")
NONPRIVATE_TAG: Tag = (VULKAN_PREFIX, "nonprivate")

KNOWN_PREFIXES = frozenset({AV_PREFIX, AS_PREFIX, VULKAN_PREFIX})
"""The prefixes of tags to which a model or the backend gives a meaning."""


def tag_text(tag: Tag) -> str:
    """Return a tag as the language and cat spell it, `amdgcn-av:none`."""
    return ":".join(tag)
