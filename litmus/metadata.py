"""Tags and metadata: `# prefix:suffix` and LLVM's `!mmra !{!"prefix", !"suffix"}`.

What goes in: a cursor at tags or metadata. What comes out: sets of `Tag`, or scopes; anything else raises
`Unparsable`. Invariant: a node is either one tag (two strings) or a list of nodes, whose tags are united; a node that
contains itself adds nothing by that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from axmem.front.source import Span
from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.lexer import Token
from axmem.litmus.syntax import Tag


@dataclass(frozen=True, slots=True)
class Node:
    """A metadata node: strings, references (`!0`) and nodes; anything else in it is opaque."""

    items: tuple[str | Reference | Node | None, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Reference:
    """`!0`."""

    name: str
    span: Span


def parse_tags(cursor: Cursor, token: Token) -> frozenset[Tag]:
    """Return the tags of a `# prefix:suffix …` token."""
    tags = set()
    for match in re.finditer(r"[^\s,]+", token.value):
        prefix, colon, suffix = match[0].partition(":")
        span = Span(token.span.line, token.span.column + 1 + match.start(), len(match[0]))
        if match.start() == 0 and match[0].isdigit():
            continue
        if not colon or not prefix or not suffix:
            hint = "tags run to the end of the line; a comment starts with ';'"
            cursor.error(span, f"'{match[0]}' is not a tag: expected prefix:suffix", hint)
        else:
            tags.add((prefix, suffix))
    return frozenset(tags)


def definitions(cursor: Cursor) -> dict[str, Node]:
    """Read every `!N = !{…}` of the text, wherever it stands, and leave the cursor where it was."""
    found: dict[str, Node] = {}
    for index in range(len(cursor.tokens) - 2):
        first, second = cursor.tokens[index], cursor.tokens[index + 1]
        begins_line = index == 0 or cursor.tokens[index - 1].kind in ("newline", "{")
        if first.kind == "metadata" and second.kind == "=" and begins_line:
            quiet = Cursor(cursor.source, cursor.tokens, [])
            quiet.index = index
            try:
                name, node = parse_definition(quiet)
            except Unparsable:
                continue
            if name.value in found:
                cursor.error(name.span, f"metadata '!{name.value}' is defined twice")
            found[name.value] = node
    return found


def parse_definition(cursor: Cursor) -> tuple[Token, Node]:
    """Read `!0 = !{!"p", !"s"}` (also `= distinct !{…}` and `= {…}`), with an optional remark after `#`."""
    name = cursor.expect("metadata", "a metadata name")
    cursor.expect("=", "'='")
    cursor.accept_word("distinct")
    node = _node(cursor)
    cursor.accept("tags")
    return name, node


def _node(cursor: Cursor) -> Node:
    start = cursor.peek().span
    cursor.deeper(start)
    if not cursor.at("!{", "{"):
        cursor.fail_expected("a metadata node '!{…}'")
    cursor.next()
    items: list[str | Reference | Node | None] = []
    while not cursor.at("}"):
        items.append(_item(cursor))
        if not cursor.accept(","):
            break
    cursor.expect("}", "',' or '}'")
    cursor.depth -= 1
    return Node(tuple(items), cursor.since(start))


def _item(cursor: Cursor) -> str | Reference | Node | None:
    if cursor.at("metastring"):
        return cursor.next().value
    if cursor.at("metadata"):
        token = cursor.next()
        return Reference(token.value, token.span)
    if cursor.at("!{", "{"):
        return _node(cursor)
    if not cursor.at("name", "number", "-"):
        cursor.fail_expected("a metadata string, node or reference")
    while cursor.at("name", "number", "-"):
        cursor.next()
    return None


def parse_node(cursor: Cursor) -> Node | Reference:
    """Read the node that is attached: `!{…}`, `{…}` or `!0`."""
    if cursor.at("metadata"):
        token = cursor.next()
        return Reference(token.value, token.span)
    return _node(cursor)


def tags_of(cursor: Cursor, node: Node | Reference, known: dict[str, Node]) -> frozenset[Tag]:
    """Return the tags a node stands for; refuse what is neither a tag nor a list of tags.

    A node that is referred to many times is looked at once.
    """
    tags: set[Tag] = set()
    seen: set[str] = set()
    ahead: list[str | Reference | Node | None] = [node]
    while ahead:
        match ahead.pop():
            case Reference(name, span):
                if name not in known:
                    raise cursor.fail(span, f"metadata '!{name}' is not defined", f"add !{name} = !{{…}}")
                if name not in seen:
                    seen.add(name)
                    ahead.append(known[name])
            case Node((str(prefix), str(suffix))):
                tags.add((prefix, suffix))
            case Node(items):
                ahead += reversed(items)
            case _:
                hint = 'a tag is !{!"prefix", !"suffix"}; a set of tags is !{!0, !1}'
                raise cursor.fail(node.span, "this metadata is not an MMRA tag", hint)
    return frozenset(tags)


def named_string(cursor: Cursor, node: Node | Reference, known: dict[str, Node]) -> str:
    """Return the single string of a node such as `!{!"agent"}`, which names a scope."""
    if isinstance(node, Reference):
        if node.name not in known:
            raise cursor.fail(node.span, f"metadata '!{node.name}' is not defined", f"add !{node.name} = !{{…}}")
        found = known[node.name]
    else:
        found = node
    if len(found.items) == 1 and isinstance(found.items[0], str):
        return found.items[0]
    raise cursor.fail(node.span, "a scope is a metadata string", 'write metadata !"agent"')
