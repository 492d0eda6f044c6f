"""Which statements of one thread may change places: the one table that every reordering asks.

What goes in: two statements, the second after the first in their thread, and whether they may access a common byte.
What comes out: why the second may not be executed before the first, in words, or nothing if it may. The rules are those
of roach motels: what follows may move up before a release and what precedes down behind an acquire, never the reverse;
fences bind what is atomic beside them; of tags that are incompatible nothing follows. Registers are not asked about:
who moves a statement sees to it that its operands are there. Invariant: in every context each exchange that is allowed
is sound under `llvm` and `amdgpu` for tags that name what they always name (`tests/transform/test_crossing.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from axmem.front.records import dataclass, replace
from axmem.litmus.kernels import Call, ConvergenceToken
from axmem.litmus.syntax import (
    AccessMode,
    Assign,
    AtomicRmw,
    CmpXchg,
    Fence,
    Load,
    Phi,
    Statement,
    Store,
)
from axmem.litmus.walk import addresses
from axmem.litmus.words import AS_PREFIX, SPACE_TAGS, Ordering, Tag, tags_compatible

BARRIERS = ("s.barrier", "wave.barrier")
"""What the names of barrier operations begin with; they order fences and one another."""


@dataclass(frozen=True, slots=True)
class StatementRole:
    """What a statement is to others: an access, a fence, a convergent operation."""

    reads: bool = False
    writes: bool = False
    fence: bool = False
    convergent: bool = False
    barrier: bool = False
    orderings: tuple[Ordering, ...] = ()
    volatile: bool = False
    tags: frozenset[Tag] = frozenset()

    @property
    def accesses(self) -> bool:
        """Whether it accesses memory."""
        return self.reads or self.writes

    @property
    def atomic(self) -> bool:
        """Whether it is an atomic access."""
        return self.accesses and any(o is not Ordering.NOT_ATOMIC for o in self.orderings)

    @property
    def acquires(self) -> bool:
        """Whether it may have acquire semantics."""
        return (self.reads or self.fence) and any(o.acquires for o in self.orderings)

    @property
    def releases(self) -> bool:
        """Whether it may have release semantics; a seq_cst load has none."""
        return (self.writes or self.fence) and any(o.releases for o in self.orderings)

    @property
    def total(self) -> bool:
        """Whether it is in the total order of seq_cst operations."""
        return Ordering.SEQ_CST in self.orderings


SILENT = StatementRole()


def role(statement: Statement) -> StatementRole | None:
    """Return what a statement is to others, `SILENT` of a computation; None if this is not known, as of DMA."""
    match statement:
        case Assign() | Phi():
            return SILENT
        case Load(mode=mode):
            return _access(statement, mode, mode.ordering, reads=True)
        case Store(mode=mode):
            return _access(statement, mode, mode.ordering, writes=True)
        case AtomicRmw(mode=mode):
            return _access(statement, mode, mode.ordering, reads=True, writes=True)
        case CmpXchg(mode=mode, failure=failure):
            return _access(statement, mode, mode.ordering, failure, reads=True, writes=True)
        case Fence(mode=mode):
            return StatementRole(fence=True, orderings=(mode.ordering,), tags=mode.tags)
        case Call(operation=operation, convergent=convergent):
            return StatementRole(convergent=convergent, barrier=operation.startswith(BARRIERS))
        case ConvergenceToken():
            return StatementRole(convergent=True)
    return None


def _access(
    statement: Statement, mode: AccessMode, *orderings: Ordering, reads: bool = False, writes: bool = False
) -> StatementRole:
    """Return the role of an access; one that does not synchronize carries the tag of its address space."""
    pointer = addresses(statement)[0].base.type
    space = SPACE_TAGS.get(pointer.pointer) if pointer is not None and pointer.pointer is not None else None
    found = StatementRole(reads, writes, orderings=orderings, volatile=mode.volatile, tags=mode.tags)
    silent = any(prefix == AS_PREFIX for prefix, _ in mode.tags) or found.acquires or found.releases
    if space is None or (silent and not mode.scope.one_as):
        return found
    return replace(found, tags=mode.tags | {space})


@dataclass(frozen=True, slots=True)
class OrderRule:
    """A reason why the second of two statements must stay behind the first, and when it is one.

    A rule of `tags` holds of operations whose tags are compatible, any other of all.
    """

    reason: str
    holds: Callable[[StatementRole, StatementRole], bool]
    tags: bool = True


TABLE = (
    OrderRule("a volatile access stays behind another", lambda a, b: a.volatile and b.volatile, tags=False),
    OrderRule("a convergent operation stays behind another", lambda a, b: a.convergent and b.convergent, tags=False),
    OrderRule(
        "a barrier and a fence stay where they are to each other",
        lambda a, b: (a.barrier and b.fence) or (a.fence and b.barrier),
        tags=False,
    ),
    OrderRule("nothing moves up over an acquire", lambda a, b: a.acquires and (b.accesses or b.fence)),
    OrderRule("nothing moves down over a release", lambda a, b: b.releases and (a.accesses or a.fence)),
    OrderRule("two seq_cst operations are in one order", lambda a, b: a.total and b.total),
    OrderRule(
        "an atomic load before an acquire fence synchronizes through it",
        lambda a, b: a.reads and a.atomic and b.fence and b.acquires,
    ),
    OrderRule(
        "an atomic store behind a release fence synchronizes through it",
        lambda a, b: a.fence and a.releases and b.writes and b.atomic,
    ),
)
"""What orders two operations of one thread, wherever they access memory."""

MEETING = (
    OrderRule(
        "they may access the same location, and one of them writes", lambda a, b: a.writes or b.writes, tags=False
    ),
    OrderRule("atomic loads of one location stay in order", lambda a, b: a.atomic and b.atomic, tags=False),
)
"""What orders two accesses of one thread that may meet at a byte."""


def hindrance(first: Statement, second: Statement, *, meet: bool) -> str:
    """Return why `second`, which follows `first` in its thread, may not be executed before it; empty if it may.

    `meet` says that they may access a common byte.
    """
    if isinstance(first, Fence) and isinstance(second, Fence) and first.mode == second.mode:
        return ""
    a, b = role(first), role(second)
    if a is None or b is None:
        unknown = first if a is None else second
        return f"what a '{type(unknown).__name__.lower()}' orders is not known"
    compatible = tags_compatible(a.tags, b.tags)
    table = (*TABLE, *MEETING) if meet and a.accesses and b.accesses else TABLE
    return next((rule.reason for rule in table if (compatible or not rule.tags) and rule.holds(a, b)), "")
