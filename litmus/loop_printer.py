"""The text of LoopIDs and promises.

What goes in: statements of a typed test, or the whole test. What comes out: their attachments, and the lines that
define the nodes. Invariant: LoopIDs and access groups keep their names, since others refer to them; attributes have no
name in a tree, so equal ones are one node, and they take the numbers that are left, in the order of their use.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from axmem.litmus import walk
from axmem.litmus.lexer import encoded
from axmem.litmus.loop_metadata import GROUP, LOOP, PARALLEL
from axmem.litmus.loops import Attribute, LoopID, Promises
from axmem.litmus.syntax import Branch, For, LitmusTest, While
from axmem.litmus.terms import I32, Number


def loop_attachment(loop: LoopID | None) -> str:
    """Return `!llvm.loop !0`, or nothing."""
    return "" if loop is None else f"!{LOOP} !{loop.name}"


def promises_attachment(promises: Promises | None) -> str:
    """Return the attachments of an access, each after a comma."""
    if promises is None:
        return ""
    named = ((GROUP, promises.groups), (PARALLEL, promises.loops))
    return "".join(f", !{word} {_list(names)}" for word, names in named if names)


def _list(names: tuple[str, ...]) -> str:
    found = ", ".join(f"!{name}" for name in names)
    return found if len(names) == 1 else f"!{{{found}}}"


def loop_ids(test: LitmusTest) -> Iterator[LoopID]:
    """Yield the LoopIDs of a test's loops, in the order of the text."""
    for _, statement in walk.located(test):
        if isinstance(statement, Branch | While | For) and statement.loop is not None:
            yield statement.loop


def promises_made(test: LitmusTest) -> Iterator[Promises]:
    """Yield the promises of a test's accesses, in the order of the text."""
    for _, statement in walk.located(test):
        mode = getattr(statement, "mode", None)
        if mode is not None and mode.promises is not None:
            yield mode.promises


def metadata_lines(test: LitmusTest) -> list[str]:
    """Return the definitions of the nodes that a test's loops and accesses refer to, by their numbers."""
    return _Nodes(test).lines()


class _Nodes:
    """The nodes of one test: those with names, and the numbers of the attributes."""

    def __init__(self, test: LitmusTest) -> None:
        self.loops: dict[str, LoopID | None] = {}
        self.groups: dict[str, None] = {}
        self.attributes: dict[Attribute, str] = {}
        for loop in loop_ids(test):
            self.collect(loop)
        for promises in promises_made(test):
            self.groups |= dict.fromkeys(promises.groups)
            for name in promises.loops:
                self.loops.setdefault(name, None)
        taken = {*self.loops, *self.groups}
        self.free = (name for number in count() if (name := str(number)) not in taken)

    def collect(self, loop: LoopID) -> None:
        """Note the names inside a LoopID."""
        if loop.name in self.loops:
            return
        self.loops[loop.name] = loop
        waiting = list(loop.attributes)
        while waiting:
            attribute = waiting.pop()
            self.groups |= dict.fromkeys(attribute.groups)
            for inner in attribute.loop_ids:
                self.collect(inner)
            waiting += attribute.attributes

    def number(self, attribute: Attribute) -> str:
        """Return the number of an attribute's node, after those that were asked for before."""
        if attribute.bare is not None:
            return attribute.bare.name
        if attribute not in self.attributes:
            self.attributes[attribute] = next(self.free)
            for inner in attribute.attributes:
                self.number(inner)
        return self.attributes[attribute]

    def lines(self) -> list[str]:
        """Return the definitions, those with numbers in their order."""
        found: dict[str, str] = {}
        for name, loop in self.loops.items():
            attributes = loop.attributes if loop is not None else ()
            inside = ", ".join(f"!{inner}" for inner in (name, *map(self.number, attributes)))
            found[name] = f"distinct !{{{inside}}}"
        found |= dict.fromkeys(self.groups, "distinct !{}")
        for attribute, name in list(self.attributes.items()):
            inside = ", ".join([f"!{encoded(attribute.name)}", *self.operands(attribute)])
            found[name] = f"!{{{inside}}}"
        ordered = sorted(found, key=lambda name: (not name.isdecimal(), int(name) if name.isdecimal() else 0))
        return [f"!{name} = {found[name]}" for name in ordered]

    def operands(self, attribute: Attribute) -> Iterator[str]:
        """Yield what stands beside the name of an attribute."""
        if attribute.value is not None:
            yield number_text(attribute.value)
        yield from (f"!{self.number(inner)}" for inner in attribute.attributes)
        yield from (f"!{name}" for name in (*attribute.groups, *(loop.name for loop in attribute.loop_ids)))


def number_text(value: Number) -> str:
    """Return `i32 4` or `i1 true`."""
    bits = (value.type or I32).bits
    shown = str(bool(value.value)).lower() if bits == 1 else str(value.value)
    return f"i{bits} {shown}"
