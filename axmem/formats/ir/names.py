"""Names of a module as names of a test.

What goes in: names as LLVM has them, which may contain anything. What comes out: names that the test language can
spell, each for one thing: a register has no name of a location, a kernel's none with a dot. Names that are names
of a test already stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from axmem.litmus.spelling import RESERVED

_NO_WORD = re.compile(r"^\.|[^A-Za-z0-9_.$]|\.(?=\.)")


def spelled(name: str) -> str:
    """Return a name in the letters of the test language."""
    return _NO_WORD.sub("_", name) or "_"


class FreshNames:
    """The names of one kind of things, given when they are first asked for; `taken` are not given."""

    def __init__(self, taken: Iterable[str] = (), spell: Callable[[str], str] = spelled) -> None:
        self.taken = set(taken)
        self.spell = spell
        self.given: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        """Return the name in the test of what has this name in the module."""
        if name not in self.given:
            self.given[name] = self.fresh(name)
        return self.given[name]

    def fresh(self, name: str) -> str:
        """Return a name like this one that nothing has yet, and take it."""
        found = self.spell(name)
        while found in self.taken:
            found += "_"
        self.taken.add(found)
        return found


def location_name(name: str) -> str:
    """Spell the name of a location, which is no word of the language and begins with no digit."""
    found = spelled(name)
    return f"_{found}" if found in RESERVED or found[0].isdigit() else found


def block_name(name: str) -> str:
    """Spell the name of a block, which is a number or begins with no digit."""
    found = spelled(name)
    return f"_{found}" if found[0].isdigit() and not found.isdigit() else found


def thread_name(name: str) -> str:
    """Spell the name of a thread, in which a dot would name a lane."""
    found = spelled(name).replace(".", "_").replace("$", "_")
    return f"_{found}" if found[0].isdigit() else found
