"""Which annotations are at least as strong as others.

What goes in: two statements that differ in their annotations alone, or none for an instruction that is not there. What
comes out: whether the second is at least as strong. Invariant: a partial order, whose steps are those of which the
specifications' monotonicity theorems speak: a stronger ordering, a wider scope, av or atomic in place of plain, no
amdgcn-av:none, a whole prefix of tags less. Where a step is not known to strengthen, the two are incomparable.
"""

from __future__ import annotations

from typing import TypeAlias

from axmem.front.records import dataclass, replace
from axmem.litmus.syntax import (
    AccessMode,
    AccessStatement,
    AnyAccess,
    CmpXchg,
    Fence,
    Make,
)
from axmem.litmus.words import AS_PREFIX, AV_PREFIX, NONE_TAG, Ordering, Scope, SyncScope, Tag

ANNOTATED = (AccessStatement, Fence, Make)
Annotated: TypeAlias = AnyAccess | Fence | Make

RANK = {
    Ordering.NOT_ATOMIC: 0, Ordering.UNORDERED: 2, Ordering.MONOTONIC: 3, Ordering.ACQUIRE: 4, Ordering.RELEASE: 4,
    Ordering.ACQ_REL: 5, Ordering.SEQ_CST: 6,
}  # fmt: skip
"""How many steps an ordering is above a plain access; an av access is one step above it."""


@dataclass(frozen=True, slots=True)
class Strength:
    """The annotations of a statement. `scope` is None for a plain access, which has none.

    `silent` says that amdgcn-av:none is its only amdgcn-av tag; that tag is then not in `tags`.
    """

    ordering: Ordering
    av: bool
    scope: SyncScope | None
    volatile: bool
    failure: Ordering
    silent: bool
    tags: frozenset[Tag]

    @property
    def rank(self) -> int:
        """How many steps its ordering is above nothing."""
        return 1 if self.av else RANK[self.ordering]

    @property
    def plain(self) -> bool:
        """Whether this is an access that is neither atomic nor av."""
        return self.scope is None

    @property
    def synchronizes(self) -> bool:
        """Whether its ordering makes it available or visible, unless it is silent."""
        return self.ordering.synchronizes


def strength_of(statement: Annotated) -> Strength:
    """Return the annotations of a statement."""
    if isinstance(statement, Make):
        tags, silent = _silence(statement.tags)
        return Strength(
            ordering=Ordering.NOT_ATOMIC, av=True, scope=statement.scope, volatile=False, failure=Ordering.NOT_ATOMIC,
            silent=silent, tags=tags,
        )
    mode = statement.mode
    failure = statement.failure if isinstance(statement, CmpXchg) else Ordering.NOT_ATOMIC
    tags, silent = _silence(mode.tags)
    scoped = mode.av or mode.ordering is not Ordering.NOT_ATOMIC
    return Strength(
        ordering=mode.ordering, av=mode.av, scope=mode.scope if scoped else None, volatile=mode.volatile,
        failure=failure, silent=silent, tags=tags,
    )


def _silence(tags: frozenset[Tag]) -> tuple[frozenset[Tag], bool]:
    """Return the tags without amdgcn-av:none, and whether it was there, if it is the only one of its prefix."""
    silent = {tag for tag in tags if tag[0] == AV_PREFIX} == {NONE_TAG}
    return (tags - {NONE_TAG}, True) if silent else (tags, False)


def at_least(strong: Strength, weak: Strength) -> bool:
    """Say whether one set of annotations is known to be at least as strong as another."""
    return (
        _ordered(strong, weak)
        and _reaches(strong, weak)
        and strong.failure.at_least(weak.failure)
        and (not strong.silent or weak.silent or not weak.synchronizes)
        and _fewer_tags(strong, weak)
    )


def _ordered(strong: Strength, weak: Strength) -> bool:
    if weak.av:
        return strong.av or strong.ordering.at_least(Ordering.MONOTONIC)
    return weak.ordering is Ordering.NOT_ATOMIC if strong.av else strong.ordering.at_least(weak.ordering)


def _reaches(strong: Strength, weak: Strength) -> bool:
    """Compare scopes; a volatile plain access acts at system scope [AMDGPU-MM], which an atomic one does not."""
    if strong.scope is None or weak.scope is None:
        return weak.scope is None and (strong.scope is None or not weak.volatile or strong.scope == SyncScope())
    return wider(strong.scope, weak.scope)


def wider(one: SyncScope, other: SyncScope) -> bool:
    """Say whether a scope includes another: its level is no smaller, and it is not restricted to an address space."""
    return one.level >= other.level and (other.one_as or not one.one_as)


def _fewer_tags(strong: Strength, weak: Strength) -> bool:
    """Compare tags prefix by prefix: kept as they are, or gone altogether.

    A plain access without tags of address spaces has the one of its own space, so that dropping them is no step.
    """
    for prefix in {prefix for prefix, _ in strong.tags | weak.tags}:
        kept = {tag for tag in strong.tags if tag[0] == prefix}
        had = {tag for tag in weak.tags if tag[0] == prefix}
        if kept != had and (kept or (prefix == AS_PREFIX and (strong.plain or strong.av))):
            return False
    return True


def steps(strong: Strength, weak: Strength | None, levels: tuple[Scope, ...]) -> int:
    """Return the size of a change, in steps, between two that are comparable; from nothing it is a new instruction.

    A step is the next ordering (plain, av, unordered, monotonic, acquire or release, acq_rel, seq_cst), a scope where
    there was none, the next one at which threads meet, the end of a one-as scope, of a prefix of tags or of
    amdgcn-av:none. A new instruction is two, and then what it has more than the least of its kind;
    one less with amdgcn-av:none.
    """
    if weak is None:
        least = RANK[Ordering.MONOTONIC] if strong.ordering is not Ordering.NOT_ATOMIC else strong.rank
        return 2 + strong.rank - least + _scope_steps(strong.scope, SyncScope(min(levels)), levels) - strong.silent
    orderings = abs(strong.rank - weak.rank) + abs(RANK[strong.failure] - RANK[weak.failure])
    prefixes = {p for p, _ in strong.tags ^ weak.tags}
    heard = weak.silent and not strong.silent
    return orderings + _scope_steps(strong.scope, weak.scope, levels) + len(prefixes) + heard


def _scope_steps(strong: SyncScope | None, weak: SyncScope | None, levels: tuple[Scope, ...]) -> int:
    if strong is None:
        return 0
    start = weak or SyncScope(min(levels))
    known = sorted({*levels, strong.level, start.level})
    climbed = abs(known.index(strong.level) - known.index(start.level))
    return climbed + (strong.one_as != start.one_as) + (weak is None)


def annotated(statement: Annotated, strength: Strength) -> Annotated:
    """Return a statement with other annotations; what it computes and where it goes stay as they are."""
    tags = strength.tags | {NONE_TAG} if strength.silent else strength.tags
    if isinstance(statement, Make):
        return replace(statement, scope=strength.scope or SyncScope(), tags=tags)
    mode: AccessMode = replace(
        statement.mode, ordering=strength.ordering, av=strength.av, scope=strength.scope or SyncScope(), tags=tags
    )
    if isinstance(statement, CmpXchg):
        return replace(statement, mode=mode, failure=strength.failure)
    return replace(statement, mode=mode)
