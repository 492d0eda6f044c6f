"""The metadata of a module of LLVM IR.

What goes in: tags, scopes, LoopIDs and promises as a test has them. What comes out: references to nodes, and at the end
the nodes. Invariant: each node stands in a module once, numbered in the order of its first use. LoopIDs and access
groups are distinct nodes: one for each of their names.
"""

from __future__ import annotations

from axmem.litmus.loop_metadata import GROUP, LOOP, PARALLEL
from axmem.litmus.loop_printer import number_text
from axmem.litmus.loops import Attribute, LoopID, Promises
from axmem.litmus.words import Tag


class Metadata:
    """The nodes of one module so far; `distinct` are the operands of those that are named, by their names."""

    def __init__(self) -> None:
        self.nodes: dict[str, int] = {}
        self.distinct: dict[str, str] = {}

    def node(self, text: str) -> str:
        """Return the reference to a node, `!3`."""
        return f"!{self.nodes.setdefault(text, len(self.nodes))}"

    def tags(self, tags: frozenset[Tag]) -> str:
        """Return the reference to MMRA tags: one tag is a node of two strings, several are a node of nodes."""
        found = [self.node(f'!{{!"{_quoted(prefix)}", !"{_quoted(suffix)}"}}') for prefix, suffix in sorted(tags)]
        return self._list(found)

    def loop(self, loop: LoopID | None) -> str:
        """Return the attachment of a branch, after a comma, or nothing."""
        return "" if loop is None else f", !{LOOP} {self._loop(loop)}"

    def promises(self, promises: Promises | None) -> str:
        """Return the attachments of an access, each after a comma, or nothing."""
        if promises is None:
            return ""
        groups, loops = map(self._group, promises.groups), map(self._named, promises.loops)
        named = ((GROUP, list(groups)), (PARALLEL, list(loops)))
        return "".join(f", !{word} {self._list(nodes)}" for word, nodes in named if nodes)

    def definitions(self) -> list[str]:
        """Return the definitions of all nodes."""
        return [f"!{number} = {self.distinct.get(text, text)}" for text, number in self.nodes.items()]

    # ------------------------------------------------ loops

    def _list(self, nodes: list[str]) -> str:
        return nodes[0] if len(nodes) == 1 else self.node(f"!{{{', '.join(nodes)}}}")

    def _group(self, name: str) -> str:
        self.distinct[f"group {name}"] = "distinct !{}"
        return self.node(f"group {name}")

    def _named(self, name: str) -> str:
        """Return the reference to a LoopID, whose attributes are those of a loop that has it, else none."""
        found = self.node(f"loop {name}")
        self.distinct.setdefault(f"loop {name}", f"distinct !{{{found}}}")
        return found

    def _loop(self, loop: LoopID) -> str:
        found = self._named(loop.name)
        inside = ", ".join((found, *map(self._attribute, loop.attributes)))
        self.distinct[f"loop {loop.name}"] = f"distinct !{{{inside}}}"
        return found

    def _attribute(self, attribute: Attribute) -> str:
        if attribute.bare is not None:
            return self._loop(attribute.bare)
        operands = [f'!"{_quoted(attribute.name)}"']
        operands += [] if attribute.value is None else [number_text(attribute.value)]
        operands += map(self._attribute, attribute.attributes)
        operands += map(self._group, attribute.groups)
        operands += map(self._loop, attribute.loop_ids)
        return self.node(f"!{{{', '.join(operands)}}}")


def _quoted(text: str) -> str:
    data = text.encode("utf-8")
    return "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\{b:02X}" for b in data)
