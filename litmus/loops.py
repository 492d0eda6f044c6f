"""Loop metadata: the leaves of the tree that LLVM's `!llvm.loop` and its promises of parallel accesses become.

`axmem.transform` says what they mean to the passes of LLVM; the language carries them. What both the engine and the
transformations call the number of a loop's iteration stands here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from axmem.front.records import dataclass, field
from axmem.front.source import NOWHERE, Span
from axmem.litmus.terms import I1, I32, Number

ITERATION = "iteration of "
"""Before a header: the register, which no text has, of the number of the iteration of its loop, from 0."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a loop: `!{!"llvm.loop.unroll.count", i32 4}`, or a name alone.

    A followup has the `attributes` of the loops that come to be (`loop_ids` are such that are LoopIDs themselves, which
    LLVM carries and disregards), `llvm.loop.parallel_accesses` the names of access `groups`. A LoopID among the
    operands of another is an attribute without a name: what a followup that lists one leaves.
    """

    name: str
    value: Number | None = None
    attributes: tuple[Attribute, ...] = ()
    groups: tuple[str, ...] = ()
    loop_ids: tuple[LoopID, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def bare(self) -> LoopID | None:
        """The LoopID that stands in the place of an attribute, if it is one."""
        alone = not (self.name or self.value or self.attributes or self.groups) and len(self.loop_ids) == 1
        return self.loop_ids[0] if alone else None


@dataclass(frozen=True, slots=True)
class LoopID:
    """`!0 = distinct !{!0, attributes}`, attached to the branch in the latch of a loop; `name` is the `0`.

    One name is one LoopID of a test: where it stands twice, its attributes are the same. A node whose first operand is
    not itself is no LoopID (LLVM ignores its attributes), and has no place in a tree.
    """

    name: str
    attributes: tuple[Attribute, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Promises:
    """What an access is said to be parallel in.

    `!llvm.access.group` names `groups`, which LoopIDs list; `!llvm.mem.parallel_loop_access` names the `loops` by their
    LoopIDs. The promise is of one thread: in two iterations of one execution of the loop no two such accesses conflict.
    An access that names nothing has none.
    """

    groups: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()


def attribute(name: str, what: int | Sequence[Attribute] | None = None) -> Attribute:
    """Return an attribute as a program writes it: a flag, a count or truth value, or a list of attributes.

    A number is an i1 where LLVM's attribute of this name is a truth value, otherwise an i32.
    """
    if what is None:
        return Attribute(name)
    if isinstance(what, int):
        return Attribute(name, Number(what, I1 if KINDS.get(name) is AttributeKind.FLAG else I32))
    return Attribute(name, attributes=tuple(what))


def loop_id(name: str, *attributes: str | Attribute) -> LoopID:
    """Return a LoopID; an attribute that is a name alone may be given as that."""
    return LoopID(name, tuple(attribute(a) if isinstance(a, str) else a for a in attributes))


# ---------------------------------------------------------------- the attributes that LLVM knows


class AttributeKind(Enum):
    """What an attribute has beside its name."""

    FLAG = "nothing, or a truth value"
    COUNT = "a number"
    FOLLOWUP = "attributes"
    GROUPS = "access groups"


PARALLEL_ACCESSES = "llvm.loop.parallel_accesses"
_FLAGS = (
    *("llvm.loop.unroll.enable", "llvm.loop.unroll.disable", "llvm.loop.unroll.full"),
    "llvm.loop.unroll.runtime.disable",
    *("llvm.loop.unroll_and_jam.enable", "llvm.loop.unroll_and_jam.disable"),
    *("llvm.loop.vectorize.enable", "llvm.loop.vectorize.scalable.enable", "llvm.loop.vectorize.predicate.enable"),
    *("llvm.loop.isvectorized", "llvm.loop.distribute.enable", "llvm.loop.isdistributed"),
    *("llvm.loop.licm_versioning.disable", "llvm.licm.disable", "llvm.loop.disable_nonforced"),
    *("llvm.loop.mustprogress", "llvm.loop.pipeline.disable"),
)
_COUNTS = (
    *("llvm.loop.unroll.count", "llvm.loop.unroll_and_jam.count", "llvm.loop.vectorize.width"),
    *("llvm.loop.interleave.count", "llvm.loop.peeled.count", "llvm.loop.estimated_trip_count"),
    "llvm.loop.pipeline.initiationinterval",
)
_FOLLOWUPS = {
    "unroll": ("all", "unrolled", "remainder"),
    "unroll_and_jam": ("all", "outer", "inner", "remainder_outer", "remainder_inner"),
    "vectorize": ("all", "vectorized", "epilogue"),
    "distribute": ("all", "coincident", "sequential", "fallback"),
}
KINDS: dict[str, AttributeKind] = {
    **dict.fromkeys(_FLAGS, AttributeKind.FLAG),
    **dict.fromkeys(_COUNTS, AttributeKind.COUNT),
    **{
        f"llvm.loop.{transformation}.followup_{which}": AttributeKind.FOLLOWUP
        for transformation, kinds in _FOLLOWUPS.items()
        for which in kinds
    },
    PARALLEL_ACCESSES: AttributeKind.GROUPS,
}
"""The attributes that LLVM 22 reads, and the founding document's; every other name is a user's, and is carried."""
