"""The words of the language, as data: kinds of operations, orderings, scopes, address spaces, tags.

What goes in: nothing. What comes out: each word once, what LLVM lets an operation of a kind have (`legal_for`), which
orderings are stronger than which, and the names of the tags that the models know. Invariant: nobody else writes these
facts down; who needs a choice of them takes it from here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum, IntEnum, StrEnum
from functools import lru_cache
from typing import TypeAlias

from axmem.front.records import dataclass
from axmem.front.typing import override


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

    __hash__ = object.__hash__  # Members are compared by identity; the hash of their names is slow.

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


class Level(IntEnum):
    """A level of a hierarchy of scopes, `SYSTEM` less its depth: how many numbers of a place say which instance it is.

    `short` is its name in two letters, `place` its word in a place, `shared` whether threads whose places do not name
    it are in one instance, `rare` whether short places leave it out. Models can declare other levels (`hierarchy`).
    """

    short: str
    place: str
    shared: bool
    rare: bool

    def __new__(cls, value: int, short: str = "", place: str = "", shared: bool = False, rare: bool = False) -> Level:
        """Return a level."""
        level = int.__new__(cls, value)
        level._value_ = value
        level.short, level.place, level.shared, level.rare = short, place, shared, rare
        return level

    @override
    def __eq__(self, other: object) -> bool:
        return self is other if isinstance(other, Level) else int(self) == other

    @override
    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__

    @property
    def word(self) -> str:
        """The level's name as models and messages spell it (`system` has the empty name in LLVM IR)."""
        return self.name.lower()

    @property
    def depth(self) -> int:
        """How many numbers of a place, from the outermost, say which instance of the level it is in; of `SYSTEM` 0."""
        return Scope.SYSTEM - self

    @override
    def __reduce_ex__(self, proto: object) -> tuple[Callable[..., object], tuple[object, ...]]:
        """A declared level is the same one in every process."""
        return (getattr, (Scope, self.name)) if type(self) is Scope else (_declared, (_words(type(self)), self.word))


class Scope(Level):
    """AMDGPU's scopes from the smallest to the largest: the one table of its levels."""

    SINGLETHREAD = 0, "st", "thread"
    WAVEFRONT = 1, "wv", "wavefront"
    WORKGROUP = 2, "wg", "workgroup"
    CLUSTER = 3, "cl", "cluster", True, True
    AGENT = 4, "ag", "agent", True
    SYSTEM = 5, "sy"


Hierarchy: TypeAlias = tuple[Level, ...]
"""Levels from the narrowest, which holds one thread, to `Scope.SYSTEM`, each inside the next."""

AMDGPU: Hierarchy = tuple(Scope)
DMA_SCOPES = (Scope.WAVEFRONT, Scope.WORKGROUP, Scope.CLUSTER)
"""The scopes to which DMA operations may belong, as the target decides; the last is the bound of the drafts."""

SCOPE_OF = {scope.word: scope for scope in Scope}
"""AMDGPU's scopes by their words, from the smallest."""

PLACED = tuple(reversed(tuple(Scope)[1:-1]))
"""AMDGPU's levels that hold several threads and are not all there is, each inside the one before it."""


def placed_levels(levels: Hierarchy) -> Hierarchy:
    """Return the levels at which a thread has a place, from the outermost to the thread itself."""
    return levels[-2::-1]


@lru_cache(maxsize=256)
def hierarchy(words: tuple[str, ...]) -> Hierarchy:
    """Return the levels of these words, from the narrowest. Raises ValueError, with the message, for a malformed list.

    Threads whose places do not name a level share its instance, except for the narrowest.
    """
    if words == tuple(SCOPE_OF):
        return AMDGPU
    if len(words) < 2 or words[-1] != Scope.SYSTEM.word:
        raise ValueError("a hierarchy has at least two levels, from the narrowest to `system`")
    for word in words:
        if re.fullmatch(r"[a-z][a-z0-9-]*(?<!one-as)", word) is None or words.count(word) > 1:
            raise ValueError(f"`{word}` stands twice" if words.count(word) > 1 else f"`{word}` names no level")
    below = [(w.upper(), (Scope.SYSTEM - len(words) + 1 + n, w, w, n > 0)) for n, w in enumerate(words[:-1])]
    return (*Level("Level", below), Scope.SYSTEM)  # type: ignore[arg-type, misc]


_COUNTERPARTS = {"thread": "singlethread", "cta": "workgroup", "cluster": "cluster", "gpu": "agent", "system": "system"}
"""AMDGPU's levels that are those of PTX."""


@lru_cache(maxsize=256)
def counterparts(levels: Hierarchy) -> dict[str, tuple[Level, bool]]:
    """Return the words of AMDGPU's levels with the levels of a hierarchy that they stand for, if it has such.

    With each stands whether an operation may have it for its scope: of a level that the hierarchy lacks, the instances
    are those of the next narrower one, and no operation has that scope.
    """
    if levels == AMDGPU or any(level.word not in _COUNTERPARTS for level in levels):
        return {}
    found: dict[str, tuple[Level, bool]] = {}
    by_word = {_COUNTERPARTS[level.word]: level for level in levels}
    last = levels[0]
    for word in SCOPE_OF:
        last = by_word.get(word, last)
        found[word] = (last, word in by_word)
    return found


def _words(levels: type[Level]) -> tuple[str, ...]:
    return (*(level.word for level in levels), Scope.SYSTEM.word)


def _declared(words: tuple[str, ...], word: str) -> Level:
    return next(level for level in hierarchy(words) if level.word == word)


@dataclass(frozen=True, slots=True)
class SyncScope:
    """`syncscope("agent-one-as")`: a level, and whether only the accessed address space is synchronized."""

    level: Level = Scope.SYSTEM
    one_as: bool = False

    @property
    def spelling(self) -> str:
        """The name in LLVM IR, empty for the whole system."""
        return "-".join([self.level.word] * (self.level is not Scope.SYSTEM) + ["one-as"] * self.one_as)


SYSTEM_SCOPE = SyncScope()
"""The scope of what states none."""


@lru_cache(maxsize=256)
def syncscopes(levels: Hierarchy) -> dict[str, SyncScope]:
    """Return the scopes of a hierarchy by their names in LLVM IR, the widest first."""
    scopes = [SyncScope(level, one_as) for one_as in (False, True) for level in reversed(levels)]
    return {scope.spelling: scope for scope in scopes}


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

KNOWN_TAGS = (NONE_TAG, *SPACE_TAGS.values(), PRIVATE_TAG, NONPRIVATE_TAG)
KNOWN_PREFIXES = frozenset(prefix for prefix, _ in KNOWN_TAGS)
"""The tags to which a model or the backend gives a meaning, and their prefixes."""


def location_name(number: int) -> str:
    """Return the name of a location of a generated program: a letter for the first, never the one of registers."""
    letters = "xyzwvutsabcdefghijklmn"
    return letters[number] if number < len(letters) else f"x{number}"


def tag_text(tag: Tag) -> str:
    """Return a tag as the language and cat spell it, `amdgcn-av:none`."""
    return ":".join(tag)


def tags_compatible(a: frozenset[Tag], b: frozenset[Tag]) -> bool:
    """Tell whether two tag sets are compatible: every prefix in both has a common suffix ([MMRA] "Compatibility")."""
    if not a or not b:
        return True
    return all(any(tag in b for tag in a if tag[0] == prefix) for prefix in _shared(a, b))


def tags_united(a: frozenset[Tag], b: frozenset[Tag]) -> frozenset[Tag]:
    """Return the tags of an operation that stands for two: all of the prefixes that both have ([MMRA] "Merging")."""
    shared = _shared(a, b)
    return frozenset(tag for tag in a | b if tag[0] in shared)


def _shared(a: frozenset[Tag], b: frozenset[Tag]) -> set[str]:
    return {prefix for prefix, _ in a} & {prefix for prefix, _ in b}

RESULT = "return"
"""The register in which a function leaves its result."""
