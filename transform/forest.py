"""Loops as passes leave them: how they nest, their LoopIDs, and what is known of what they do.

What goes in: loops, transformations one after the other. What comes out: the loops after each. The code of the loops
is not there, only facts about it. Invariant: what is not known is None or `UNKNOWN`, and never assumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from axmem.front.records import dataclass
from axmem.litmus.loops import Attribute
from axmem.transform.followups import Identity, attributes


class Content(Enum):
    """What stands in a loop, the loops in it included, of what keeps passes from transforming it."""

    UNORDERED = "an unordered atomic access"
    ATOMIC = "an atomic access"
    RMW = "a read-modify-write"
    VOLATILE = "a volatile access"
    FENCE = "a fence"
    BARRIER = "a barrier"
    CROSS_LANE = "a convergent operation"
    HEART = "the heart of a token"
    ANCHOR = "an anchor"
    CALL = "a call"


class Dependence(Enum):
    """What the iterations of an innermost loop have to do with each other."""

    NONE = "no iteration depends on another"
    SERIAL = "an iteration depends on one before it"
    PARTLY = "a part of each iteration depends on one before it"
    UNKNOWN = "which iterations depend on which is not known"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a loop.

    `trips` is how often it is executed per entry; `constant`, that this is a constant whose number is not known (None:
    perhaps); `counted`, that it is known on entry, `checkable`, that it is if a check on entry shows that the counter
    does not wrap, and is `checked` then, if that is a constant; `costly`, that its computation is not cheap (None:
    perhaps); `plain`, that it is a number without a test whether there is an iteration at all, or of few bits;
    `rotated`, that the latch has the test. Of a loop with several exits `bound` is the least constant after which one
    is taken, `most` that after which the only one is at the latest; the trip count is a `multiple` of a number; a token
    of an iteration may be taken behind the loop (`extended`). It is `counted` because it `must_end` where nothing else
    says so; what unrolling at run time leaves over comes `behind` the rounds, and once that is done an assumption
    stands before it (`assumes`). Accesses need run-time `checks` of pointers, or do not, or that is not known.
    `partitions` are the kinds of loops that LLVM's distribution makes of it, `parts` those of the document. `jams` says
    whether iterations of a nest may be jammed, `past` that a branch goes past the loop inside, `wraps` that an address
    is computed with fewer bits from a counter that may wrap, for all that LLVM knows. `size` is the number of
    statements.
    """

    trips: int | None = None
    constant: bool | None = False
    counted: bool = True
    checkable: bool = False
    checked: int | None = None
    bound: int | None = None
    most: int | None = None
    multiple: int = 1
    extended: bool = False
    must_end: bool = False
    behind: bool = False
    assumes: bool = False
    costly: bool | None = False
    plain: bool = False
    rotated: bool = True
    exits: int = 1
    contents: frozenset[Content] = frozenset()
    dependence: Dependence = Dependence.UNKNOWN
    checks: bool | None = None
    partitions: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    jams: bool | None = None
    past: bool = False
    wraps: bool = False
    size: int = 0


@dataclass(frozen=True, slots=True)
class Tree:
    """A loop with the loops in it.

    Its `name` is the header of the text and the kinds that it became since; copies of a loop have one name.
    """

    name: str
    identity: Identity | None
    facts: Facts
    inner: tuple[Tree, ...] = ()

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes of its LoopID."""
        return attributes(self.identity)

    def walk(self) -> Iterator[Tree]:
        """Yield the loop and all loops in it, outer before inner."""
        yield self
        for each in self.inner:
            yield from each.walk()
