"""Loop metadata: the leaves of the tree that LLVM's `!llvm.loop` and its promises of parallel accesses become.

`axmem.transform` says what they mean to the passes of LLVM; the language carries them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from axmem.front.source import NOWHERE, Span
from axmem.litmus.terms import Number


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a loop: `!{!"llvm.loop.unroll.count", i32 4}`, or a name alone.

    A followup has the `attributes` of the loops that come to be (`loop_ids` are such that are LoopIDs themselves, which
    LLVM carries and disregards), `llvm.loop.parallel_accesses` the names of access `groups`.
    """

    name: str
    value: Number | None = None
    attributes: tuple[Attribute, ...] = ()
    groups: tuple[str, ...] = ()
    loop_ids: tuple[LoopID, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class LoopID:
    """`!0 = distinct !{!0, attributes}`, attached to the branch in the latch of a loop; `name` is the `0`.

    If its first operand is not the node itself (`itself` unset), it is no LoopID and LLVM ignores its attributes.
    """

    name: str
    attributes: tuple[Attribute, ...] = ()
    itself: bool = True
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Promises:
    """What an access is said to be parallel in.

    `!llvm.access.group` names `groups`, which LoopIDs list; `!llvm.mem.parallel_loop_access` names the `loops` by their
    LoopIDs. The promise is of one thread: in two iterations of one execution of the loop no two such accesses conflict.
    """

    groups: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()
