"""Tags and metadata: `# prefix:suffix` and LLVM's `!mmra !{!"prefix", !"suffix"}`.

What goes in: a cursor at tags or metadata. What comes out: nodes, sets of `Tag`, or scopes; anything else raises
`Unparsable`. Invariant: a node of tags is either one tag (two strings) or a list of nodes, whose tags are united; one
that contains itself adds nothing by that. In LLVM IR lists contain tags alone. What nodes say of loops is read in
`axmem.litmus.loop_metadata`.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from axmem.front.records import dataclass, replace
from axmem.front.source import Span
from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.lexer import Token, numeral
from axmem.litmus.spelling import INTEGERS
from axmem.litmus.syntax import Number, Tag


@dataclass(frozen=True, slots=True)
class MetadataNode:
    """A metadata node: strings, references (`!0`), nodes and integers (`i32 4`); anything else in it is opaque.

    A `broken` one could not be read, which is said where it stands.
    """

    items: tuple[Item, ...]
    span: Span
    distinct: bool = False
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """`!0`."""

    name: str
    span: Span


Item: TypeAlias = str | Reference | MetadataNode | Number | None


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


def definitions(cursor: Cursor) -> dict[str, MetadataNode]:
    """Read every `!N = !{…}` of the text, wherever it stands, and leave the cursor where it was."""
    found: dict[str, MetadataNode] = {}
    for index, first in enumerate(cursor.tokens[:-2]):
        if first.kind != "metadata" or cursor.tokens[index + 1].kind != "=":
            continue
        if index == 0 or cursor.tokens[index - 1].kind in ("newline", "{"):
            quiet = Cursor(cursor.source, cursor.tokens, [])
            quiet.index = index
            try:
                name, node = parse_definition(quiet)
            except Unparsable:
                found.setdefault(first.value, MetadataNode((), first.span, broken=True))
                continue
            if name.value in found:
                cursor.error(name.span, f"metadata '!{name.value}' is defined twice")
            found[name.value] = node
    return found


def parse_definition(cursor: Cursor) -> tuple[Token, MetadataNode]:
    """Read `!0 = !{!"p", !"s"}` (also `= distinct !{…}` and `= {…}`), with an optional remark after `#`."""
    name = cursor.expect("metadata", "a metadata name")
    cursor.expect("=", "'='")
    distinct = cursor.accept_word("distinct") is not None
    node = replace(_node(cursor), distinct=distinct)
    cursor.accept("tags")
    return name, node


def _node(cursor: Cursor) -> MetadataNode:
    start = cursor.peek().span
    cursor.deeper(start)
    if not cursor.at("!{", "{"):
        cursor.fail_expected("a metadata node '!{…}'")
    cursor.next()
    items: list[Item] = []
    while not cursor.at("}"):
        items.append(_item(cursor))
        if not cursor.accept(","):
            break
    cursor.expect("}", "',' or '}'")
    cursor.depth -= 1
    return MetadataNode(tuple(items), cursor.since(start))


def _item(cursor: Cursor) -> Item:
    if cursor.at("metastring"):
        return cursor.next().value
    if cursor.at("string"):
        token = cursor.next()
        cursor.error(token.span, "a string of metadata begins with '!'", f"write !{token.text}")
        return token.value
    if cursor.at("metadata"):
        token = cursor.next()
        return Reference(token.value, token.span)
    if cursor.at("!{", "{"):
        return _node(cursor)
    if not cursor.at("name", "number", "-"):
        cursor.fail_expected("a metadata string, node or reference")
    start = cursor.index
    while cursor.at("name", "number", "-", "float", "global"):
        cursor.next()
    return _integer(cursor, cursor.tokens[start : cursor.index])


def _integer(cursor: Cursor, words: list[Token]) -> Number | None:
    """Return what `i32 4`, `i32 -1` and `i1 true` stand for; None of anything else."""
    texts = [word.text for word in words]
    span = cursor.since(words[0].span)
    match texts:
        case [type_, "true" | "false" as value] if type_ in INTEGERS:
            return Number(int(value == "true"), INTEGERS[type_], span)
        case [type_, *sign, value] if type_ in INTEGERS and sign in ([], ["-"]) and words[-1].kind == "number":
            return Number(-numeral(value) if sign else numeral(value), INTEGERS[type_], span)
    return None


def parse_node(cursor: Cursor) -> MetadataNode | Reference:
    """Read the node that is attached: `!{…}`, `{…}` or `!0`."""
    if cursor.at("metadata"):
        token = cursor.next()
        return Reference(token.value, token.span)
    return _node(cursor)


def defined(cursor: Cursor, reference: Reference, known: dict[str, MetadataNode]) -> MetadataNode:
    """Return the node that a reference means, or fail."""
    if reference.name not in known:
        hint = f"add !{reference.name} = !{{…}}"
        raise cursor.fail(reference.span, f"metadata '!{reference.name}' is not defined", hint)
    if known[reference.name].broken:
        raise Unparsable("said where it stands")
    return known[reference.name]


def tags_of(
    cursor: Cursor, node: MetadataNode | Reference, known: dict[str, MetadataNode], *, strict: bool
) -> frozenset[Tag]:
    """Return the tags a node stands for; refuse what is neither a tag nor a list of tags.

    As LLVM's verifier has it (`strict`) no list contains another or itself; else lists are united, and one that
    contains itself adds nothing by that, but something by what else is in it.
    """
    whole = defined(cursor, node, known) if isinstance(node, Reference) else node
    tags = _flat(cursor, whole, known) if strict or _tag(whole) else _united(cursor, whole, known)
    if tags is None or (whole.items and not tags):
        hint = 'a tag is !{!"prefix", !"suffix"}; a set of tags is !{!0, !1}'
        raise cursor.fail(node.span, "this metadata is not an MMRA tag", hint)
    return frozenset(tags)


def _flat(cursor: Cursor, whole: MetadataNode, known: dict[str, MetadataNode]) -> set[Tag] | None:
    """Return the tags of a tag or of a list of tags; None of anything else."""
    found = [_tag(_meant(cursor, item, known)) for item in ((whole,) if _tag(whole) else whole.items)]
    return None if None in found else {tag for tag in found if tag is not None}


def _united(cursor: Cursor, whole: MetadataNode, known: dict[str, MetadataNode]) -> set[Tag] | None:
    """Return the tags of a list of tags and lists; None of anything else. What is named often is looked at once."""
    tags: set[Tag] = set()
    seen: set[str] = set()
    ahead: list[Item] = list(whole.items)
    while ahead:
        item = ahead.pop()
        if isinstance(item, Reference):
            if item.name not in seen:
                seen.add(item.name)
                ahead.append(_meant(cursor, item, known))
        elif tag := _tag(item):
            tags.add(tag)
        elif isinstance(item, MetadataNode):
            ahead += item.items
        else:
            return None
    return tags


def _meant(cursor: Cursor, item: Item, known: dict[str, MetadataNode]) -> Item:
    """Return an item, or what it refers to."""
    return defined(cursor, item, known) if isinstance(item, Reference) else item


def _tag(item: Item) -> Tag | None:
    """Return the tag that a node is, if it is one: two strings."""
    match item:
        case MetadataNode((str(prefix), str(suffix))):
            return prefix, suffix
    return None


def named_string(cursor: Cursor, node: MetadataNode | Reference, known: dict[str, MetadataNode]) -> str:
    """Return the single string of a node such as `!{!"agent"}`, which names a scope."""
    found = defined(cursor, node, known) if isinstance(node, Reference) else node
    if len(found.items) == 1 and isinstance(found.items[0], str):
        return found.items[0]
    raise cursor.fail(node.span, "a scope is a metadata string", 'write metadata !"agent"')
