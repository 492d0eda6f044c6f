"""What a pass has made of parts of a tree, kept for the tests in which the same parts stand again.

What goes in: a context, which holds all that a pass reads besides the part, and the part, a statement or a condition:
one object wherever its line is the same (`axmem.litmus.cursor.Cursor.kept`). What comes out: what the pass made of it.
Invariant: what gave a diagnostic is not kept, and is said again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sized
from functools import lru_cache
from typing import Any, TypeVar

Part = TypeVar("Part")
Found = TypeVar("Found")

MOST = 512
"""The most parts that are kept of one context."""


class Memo:
    """What was made of parts of trees in one context. A part is kept with it, so that it stays the one of its id."""

    def __init__(self) -> None:
        self.entries: dict[int, tuple[Any, Any]] = {}

    def of(self, part: Part, make: Callable[[Part], Found], wrong: Sized = ()) -> Found:
        """Return what `make` makes of a part, which adds to what is `wrong` if something is."""
        known = self.entries.get(id(part))
        if known is not None:
            return known[1]  # type: ignore[no-any-return]
        before = len(wrong)
        found = make(part)
        if len(wrong) == before:
            if len(self.entries) >= MOST:
                self.entries.clear()
            self.entries[id(part)] = part, found
        return found


@lru_cache(maxsize=64)
def memo(context: Hashable) -> Memo:
    """Return what is kept of a context; the first item of it names the pass."""
    return Memo()
