"""Modifiers, orderings, scopes, alignment and metadata of one memory operation.

What goes in: a cursor before or after the operands of an operation. What comes out: its `AccessMode`. Orderings and
scopes may stand on either side of the operands. Invariant: a mode that comes out is legal (`axmem.litmus.legality`) for
its operation, or an error has been recorded at the offending word.
"""

from __future__ import annotations

from axmem.front.records import dataclass, field
from axmem.front.source import Span, did_you_mean
from axmem.litmus.cursor import Cursor
from axmem.litmus.legality import ORDERED, alignment_faults, faults, named
from axmem.litmus.lexer import numeral
from axmem.litmus.loop_metadata import GROUP, LOOP, PARALLEL, promises_of
from axmem.litmus.metadata import MetadataNode, Reference, parse_node, parse_tags, tags_of
from axmem.litmus.spelling import MODIFIERS, ORDERINGS, parse_syncscope
from axmem.litmus.syntax import AccessMode, Promises
from axmem.litmus.words import SYSTEM_SCOPE, OperationKind, Ordering, SyncScope, Tag, failure_of

ACCESSES = (
    *(OperationKind.LOAD, OperationKind.STORE, OperationKind.RMW, OperationKind.CMPXCHG),
    *(OperationKind.AV_LOAD, OperationKind.AV_STORE),
)
"""The operations that may be said to be parallel in a loop."""


@dataclass(slots=True)
class Attributes:
    """What has been read about an operation besides its operands; spans tell where."""

    span: Span
    modifiers: dict[str, Span] = field(default_factory=dict)
    orderings: list[tuple[Ordering, Span]] = field(default_factory=list)
    scope: tuple[SyncScope, Span] | None = None
    align: int | None = None
    align_span: Span | None = None
    tags: frozenset[Tag] = frozenset()
    tags_span: Span | None = None
    promises: Promises | None = None
    promises_span: Span | None = None
    attached: dict[str, tuple[Span, MetadataNode | Reference]] = field(default_factory=dict)
    """Metadata by kinds."""
    strict: bool = False
    """Whether tags are written as LLVM's verifier wants them."""

    @property
    def ordering(self) -> Ordering:
        """The first ordering written, or `NOT_ATOMIC`."""
        return self.orderings[0][0] if self.orderings else Ordering.NOT_ATOMIC

    @property
    def places(self) -> dict[str, Span]:
        """Where the parts of the operation are written, as `axmem.litmus.legality.Fault` names them."""
        found = dict(self.modifiers)
        found |= {part: span for part, (_, span) in zip(("ordering", "failure"), self.orderings, strict=False)}
        if self.scope is not None:
            found["syncscope"] = self.scope[1]
        return found if self.align_span is None else {**found, "align": self.align_span}


def parse_leading(cursor: Cursor, attributes: Attributes) -> None:
    """Read the modifiers, orderings and scope that stand before the operands."""
    while cursor.at("name"):
        word = cursor.peek().text
        if word in MODIFIERS:
            token = cursor.next()
            if word in attributes.modifiers:
                cursor.error(token.span, f"'{word}' stands here twice")
            attributes.modifiers[word] = token.span
        elif not _ordering_or_scope(cursor, attributes):
            return


def parse_trailing(cursor: Cursor, attributes: Attributes, known: dict[str, MetadataNode]) -> None:
    """Read what follows the operands: orderings, scope, `, align N`, metadata, tags."""
    while True:
        if _ordering_or_scope(cursor, attributes):
            continue
        comma = cursor.accept(",")
        if cursor.at("metadata"):
            _attachment(cursor, attributes, known)
        elif comma and cursor.at_word("align"):
            _align(cursor, attributes)
        elif comma:
            cursor.fail_expected("'align' or metadata after ','")
        elif cursor.at("tags"):
            token = cursor.next()
            attributes.tags |= parse_tags(cursor, token)
            attributes.tags_span = token.span
        else:
            _refuse_unknown_word(cursor)
            return


def _refuse_unknown_word(cursor: Cursor) -> None:
    """Fail at a word that is neither an ordering nor anything else that may follow the operands."""
    if cursor.at("name"):
        token = cursor.peek()
        hint = did_you_mean(token.text, [*ORDERINGS, "syncscope", "align"])
        if token.text in MODIFIERS:
            hint = "it stands right after the operation's name"
            raise cursor.fail(token.span, f"'{token.text}' stands in the wrong place", hint)
        if token.text == "relaxed":
            hint = "LLVM's word is 'monotonic'"
        raise cursor.fail(token.span, f"unknown ordering '{token.text}'", hint)


def _ordering_or_scope(cursor: Cursor, attributes: Attributes) -> bool:
    token = cursor.peek()
    if token.kind != "name":
        return False
    if token.text == "syncscope":
        scope = parse_syncscope(cursor)
        if attributes.scope is not None:
            cursor.error(token.span, "'syncscope' stands here twice")
        attributes.scope = (scope, token.span)
        return True
    if token.text in ORDERINGS:
        cursor.next()
        attributes.orderings.append((ORDERINGS[token.text], token.span))
        return True
    return False


def _align(cursor: Cursor, attributes: Attributes) -> None:
    cursor.next()
    token = cursor.expect("number", "the alignment in bytes")
    attributes.align, attributes.align_span = numeral(token.text), token.span
    for fault in alignment_faults(attributes.align):
        cursor.error(token.span, fault.message)


def _attachment(cursor: Cursor, attributes: Attributes, known: dict[str, MetadataNode]) -> None:
    name = cursor.next()
    node = parse_node(cursor)
    attributes.attached[name.value] = name.span, node
    if name.value == "mmra":
        attributes.tags |= tags_of(cursor, node, known, strict=attributes.strict)
        attributes.tags_span = name.span
    elif name.value == "nontemporal":
        attributes.modifiers["nontemporal"] = name.span
    elif name.value in (GROUP, PARALLEL):
        attributes.promises = promises_of(cursor, name.value, node, known, attributes.promises)
        attributes.promises_span = name.span
    elif name.value == LOOP:
        refuse_loop(cursor, name.span)


def refuse_loop(cursor: Cursor, span: Span) -> None:
    """Record an error at loop metadata of what is no br."""
    hint = "it belongs to the br that ends the latch of a loop, or after the brace of a loop"
    cursor.error(span, "only a br carries loop metadata", hint)


def refuse_promises(cursor: Cursor, span: Span | None) -> None:
    """Record an error at a promise, if there is one, of what is no access."""
    if span is not None:
        hint = "the promise belongs to a load, store, atomicrmw or cmpxchg"
        cursor.error(span, "only accesses are said to be parallel", hint)


def refuse_modifiers(cursor: Cursor, attributes: Attributes, what: str, *refused: str) -> None:
    """Record an error at each of these modifiers."""
    for word in refused:
        if word in attributes.modifiers:
            cursor.error(attributes.modifiers[word], f"{what} cannot be {word}")


def mode_of(cursor: Cursor, attributes: Attributes, kind: OperationKind) -> AccessMode:
    """Return the mode of an operation; what is wrong with it is recorded at its words."""
    return modes_of(cursor, attributes, kind)[0]


def modes_of(cursor: Cursor, attributes: Attributes, kind: OperationKind) -> tuple[AccessMode, Ordering]:
    """Return the mode of an operation and, of a cmpxchg, the ordering with which it fails."""
    modifiers, orderings = attributes.modifiers, attributes.orderings
    mode = AccessMode(
        ordering=attributes.ordering,
        scope=attributes.scope[0] if attributes.scope else SYSTEM_SCOPE,
        volatile="volatile" in modifiers,
        elementwise="elementwise" in modifiers,
        nontemporal="nontemporal" in modifiers,
        av=kind in (OperationKind.AV_LOAD, OperationKind.AV_STORE),
        tags=attributes.tags,
        align=attributes.align,
        promises=attributes.promises,
    )
    if kind not in ACCESSES:
        refuse_promises(cursor, attributes.promises_span)
    failure = orderings[1][0] if len(orderings) > 1 else failure_of(mode.ordering)
    two = kind is OperationKind.CMPXCHG
    places = attributes.places
    if not two:
        places.pop("failure", None)
    for fault in faults(kind, mode, failure if two else None, places):
        cursor.error(places.get(fault.part, attributes.span), fault.message, fault.hint)
        if fault.part == "ordering" and kind not in ORDERED:
            for _, span in orderings[1:]:
                cursor.error(span, fault.message, fault.hint)
    for _, span in orderings[1 + two :] if kind in ORDERED else ():
        allowed = "two orderings, for success and for failure" if two else "one ordering"
        cursor.error(span, f"{named(kind)} has {allowed}")
    return mode, failure
