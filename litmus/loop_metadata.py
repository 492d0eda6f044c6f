"""LoopIDs and promises, from the nodes of metadata.

What goes in: a cursor behind `!llvm.loop !0`, `!llvm.access.group !4` or `!llvm.mem.parallel_loop_access !0`, and the
nodes of the text. What comes out: a `LoopID`, or the names of access groups or of LoopIDs; anything else raises
`Unparsable`. Invariant: what comes out is a tree, of bounded size, whatever the nodes refer to.
"""

from __future__ import annotations

from axmem.front.records import replace
from axmem.front.source import Span
from axmem.litmus.cursor import Cursor
from axmem.litmus.loops import Attribute, LoopID, Promises
from axmem.litmus.metadata import Item, MetadataNode, Reference, defined
from axmem.litmus.terms import Number

LOOP = "llvm.loop"
GROUP = "llvm.access.group"
PARALLEL = "llvm.mem.parallel_loop_access"
MOST_NODES = 1000
"""How many nodes a LoopID may mean, one that is named twice counted twice."""

_GROUP_HINT = "an access group is a distinct node without operands: !4 = distinct !{}"
_LOOP_HINT = "a LoopID is a distinct node that begins with itself: !0 = distinct !{!0, …}"
_LIST_HINT = 'an attribute is a node that begins with its name: !{!"llvm.loop.unroll.enable"}'


def loop_of(cursor: Cursor, node: MetadataNode | Reference, known: dict[str, MetadataNode]) -> LoopID:
    """Return the LoopID that is attached to a branch."""
    if isinstance(node, MetadataNode):
        hint = "write !llvm.loop !0, and on a line of its own !0 = distinct !{!0, …}"
        raise cursor.fail(node.span, "a LoopID has a name, since it begins with itself", hint)
    if not begins_with_itself(node.name, defined(cursor, node, known)):
        hint = f"write !{node.name} = distinct !{{!{node.name}, …}}: LLVM ignores the attributes of any other node"
        message = f"'!{node.name}' does not begin with itself, so it is no LoopID"
        raise cursor.fail(known[node.name].span, message, hint)
    return _Reader(cursor, known).loop(node)


def promises_of(
    cursor: Cursor, word: str, node: MetadataNode | Reference, known: dict[str, MetadataNode], before: Promises | None
) -> Promises:
    """Return what an access promises with one more attachment: `word` is `GROUP` or `PARALLEL`."""
    reader, promises = _Reader(cursor, known), before or Promises()
    if word == GROUP:
        return replace(promises, groups=reader.named(node, "access group", _GROUP_HINT))
    return replace(promises, loops=reader.named(node, "LoopID", _LOOP_HINT))


def begins_with_itself(name: str, node: MetadataNode) -> bool:
    """Say whether the first operand of a node is the node itself, which makes it a LoopID."""
    return bool(node.items) and isinstance(node.items[0], Reference) and node.items[0].name == name


def _is_group(node: MetadataNode) -> bool:
    return node.distinct and not node.items


class _Reader:
    """Reads the nodes of one attachment; `open` are the names around the node that is read."""

    def __init__(self, cursor: Cursor, known: dict[str, MetadataNode]) -> None:
        self.cursor = cursor
        self.known = known
        self.open: list[str] = []
        self.number = 0

    def named(self, node: MetadataNode | Reference, what: str, hint: str) -> tuple[str, ...]:
        """Return the name of an access group or LoopID, or those of a list of them."""
        cursor = self.cursor
        if isinstance(node, Reference):
            whole = defined(cursor, node, self.known)
            if self.belongs(node, what):
                return (node.name,)
        else:
            whole = node
        found: list[str] = []
        for item in whole.items:
            if not isinstance(item, Reference) or not self.belongs(item, what):
                span = item.span if isinstance(item, Reference | MetadataNode | Number) else whole.span
                raise cursor.fail(span, f"this is no {what}", hint)
            found.append(item.name)
        if not found:
            raise cursor.fail(node.span, f"this is no {what}, and no list of some", hint)
        return tuple(dict.fromkeys(found))

    def belongs(self, reference: Reference, what: str) -> bool:
        """Say whether a reference names a LoopID, or an access group."""
        node = defined(self.cursor, reference, self.known)
        return _is_group(node) if what == "access group" else begins_with_itself(reference.name, node)

    def enter(self, reference: Reference) -> MetadataNode:
        """Return the node of a reference, and note that what is read next is inside it."""
        node = defined(self.cursor, reference, self.known)
        if reference.name in self.open:
            hint = "an attribute of a loop lists the attributes of other loops, not itself"
            raise self.cursor.fail(node.span, f"metadata '!{reference.name}' contains itself", hint)
        self.open.append(reference.name)
        return node

    def loop(self, reference: Reference) -> LoopID:
        """Read a LoopID, of which is known that it is one."""
        node = self.enter(reference)
        attributes = tuple(self.operand(item, node.span) for item in node.items[1:])
        self.open.pop()
        return LoopID(reference.name, attributes, node.span)

    def operand(self, item: Item, around: Span) -> Attribute:
        """Read an operand of a LoopID: an attribute, or another LoopID, which is one without a name."""
        if isinstance(item, Reference) and begins_with_itself(item.name, defined(self.cursor, item, self.known)):
            return Attribute("", loop_ids=(self.loop(item),), span=around)
        return self.attribute(item, around)

    def attribute(self, item: Item, around: Span) -> Attribute:
        """Read an attribute of a LoopID or of a followup."""
        cursor = self.cursor
        self.number += 1
        if self.number > MOST_NODES:
            raise cursor.fail(around, f"this metadata means more than {MOST_NODES} nodes")
        cursor.deeper(around)
        name, node = "", item
        if isinstance(item, Reference):
            name, node = item.name, self.enter(item)
        if isinstance(node, str):
            raise cursor.fail(around, "an attribute is a node, not a string", f'write !{{!"{node}"}}')
        if not isinstance(node, MetadataNode) or not node.items or not isinstance(node.items[0], str):
            span = node.span if isinstance(node, MetadataNode | Number) else around
            raise cursor.fail(span, "this is no attribute of a loop", _LIST_HINT)
        found = self.operands(node.items[0], node)
        if name:
            self.open.pop()
        cursor.depth -= 1
        return found

    def operands(self, name: str, node: MetadataNode) -> Attribute:
        """Read what follows the name of an attribute: nothing, one number, or nodes."""
        cursor, rest = self.cursor, node.items[1:]
        if not rest:
            return Attribute(name, span=node.span)
        if len(rest) == 1 and isinstance(rest[0], Number):
            return Attribute(name, rest[0], span=node.span)
        attributes: list[Attribute] = []
        groups: list[str] = []
        loops: list[LoopID] = []
        for item in rest:
            if isinstance(item, Number | None):
                span = item.span if item is not None else node.span
                raise cursor.fail(span, f"'{name}' has one integer, or nodes, beside its name")
            if isinstance(item, Reference) and _is_group(defined(cursor, item, self.known)):
                groups.append(item.name)
            elif isinstance(item, Reference) and begins_with_itself(item.name, self.known[item.name]):
                loops.append(self.loop(item))
            else:
                attributes.append(self.attribute(item, node.span))
        return Attribute(name, None, tuple(attributes), tuple(groups), tuple(loops), node.span)
