"""Which operations contexts have, in words.

What goes in: a space of programs. What comes out: a phrase that says what it has, and the names of what it lacks.
"""

from __future__ import annotations

import re

from axmem.litmus.words import OperationKind, Ordering
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.rules import FULL


def wanting(space: Bound, operations: int) -> list[str]:
    """Return what the whole space has and contexts of so many operations of another have not."""
    if not operations:
        return []
    orderings = [o.value for o in FULL.orderings if o not in (*space.orderings, Ordering.NOT_ATOMIC)]
    parts = {
        "read-modify-writes": OperationKind.RMW not in space.kinds,
        "plain accesses": Ordering.NOT_ATOMIC not in space.orderings,
        "/".join(orderings): bool(orderings),
        "scopes but system": len(space.scopes) == 1,
        "tags": not space.any_tags,
        "av intrinsics": not space.av,
        "volatile accesses": not space.volatile,
    }
    return [name for name, lacking in parts.items() if lacking]


def space_words(space: Bound) -> str:
    """Return which operations contexts have, in one phrase; their memory is that of the test, and a location more where
    it synchronizes."""
    return re.sub(r"up to \d+ locations? \([^)]*\)", "the memory of the test", space.words())
