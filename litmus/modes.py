"""Modifiers, orderings, scopes, alignment and metadata of one memory operation.

What goes in: a cursor before or after the operands of an operation. What comes out: its `AccessMode`. Orderings and
scopes may stand on either side of the operands. Invariant: a mode that comes out obeys the rules that LLVM's verifier
has for that operation, or an error has been recorded at the offending word.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from axmem.front.source import Span, did_you_mean
from axmem.litmus.cursor import Cursor
from axmem.litmus.lexer import numeral
from axmem.litmus.metadata import Node, parse_node, parse_tags, tags_of
from axmem.litmus.spelling import MODIFIERS, ORDERINGS, parse_syncscope
from axmem.litmus.syntax import AccessMode, Ordering, SyncScope, Tag


@dataclass(slots=True)
class Attributes:
    """What has been read about an operation besides its operands; spans tell where."""

    span: Span
    modifiers: dict[str, Span] = field(default_factory=dict)
    orderings: list[tuple[Ordering, Span]] = field(default_factory=list)
    scope: tuple[SyncScope, Span] | None = None
    align: int | None = None
    tags: frozenset[Tag] = frozenset()
    tags_span: Span | None = None

    @property
    def ordering(self) -> Ordering:
        """The first ordering written, or `NOT_ATOMIC`."""
        return self.orderings[0][0] if self.orderings else Ordering.NOT_ATOMIC


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


def parse_trailing(cursor: Cursor, attributes: Attributes, known: dict[str, Node]) -> None:
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
    value = numeral(token.text)
    if value < 1 or value & (value - 1):
        cursor.error(token.span, f"alignment {value} is not a power of two")
    attributes.align = value


def _attachment(cursor: Cursor, attributes: Attributes, known: dict[str, Node]) -> None:
    name = cursor.next()
    node = parse_node(cursor)
    if name.value == "mmra":
        attributes.tags |= tags_of(cursor, node, known)
        attributes.tags_span = name.span
    elif name.value == "nontemporal":
        attributes.modifiers["nontemporal"] = name.span


def refuse_modifiers(cursor: Cursor, attributes: Attributes, what: str, *refused: str) -> None:
    """Record an error at each of these modifiers."""
    for word in refused:
        if word in attributes.modifiers:
            cursor.error(attributes.modifiers[word], f"{what} cannot be {word}")


def _at_most(cursor: Cursor, attributes: Attributes, count: int, what: str) -> None:
    for _, span in attributes.orderings[count:]:
        allowed = "one ordering" if count == 1 else "two orderings, for success and for failure"
        cursor.error(span, f"{what} has {allowed}")


def access_mode(cursor: Cursor, attributes: Attributes, what: str, ordering: Ordering | None = None) -> AccessMode:
    """Return the mode of an operation whose attributes have been checked."""
    modifiers = attributes.modifiers
    return AccessMode(
        ordering=attributes.ordering if ordering is None else ordering,
        scope=attributes.scope[0] if attributes.scope else SyncScope(),
        volatile="volatile" in modifiers,
        elementwise="elementwise" in modifiers,
        nontemporal="nontemporal" in modifiers,
        av=what.startswith("av "),
        tags=attributes.tags,
        align=attributes.align,
    )


_HALF = {
    "load": (frozenset({Ordering.RELEASE, Ordering.ACQ_REL}), "release", "it writes nothing that could be released"),
    "store": (frozenset({Ordering.ACQUIRE, Ordering.ACQ_REL}), "acquire", "it reads nothing that could be acquired"),
}


def load_store_mode(cursor: Cursor, attributes: Attributes, what: str) -> AccessMode:
    """Check and return the mode of a `load` or `store`; an ordering implies `atomic`."""
    _at_most(cursor, attributes, 1, f"a {what}")
    refused, half, reason = _HALF[what]
    for ordering, span in attributes.orderings[:1]:
        if ordering is Ordering.NOT_ATOMIC:
            cursor.error(span, f"'not_atomic' is what a {what} without an ordering is", "leave it out")
        elif ordering in refused:
            cursor.error(span, f"a {what} cannot have {half} ordering '{ordering.value}': {reason}")
    if not attributes.orderings:
        if "atomic" in attributes.modifiers:
            hint = "add monotonic, or a stronger ordering"
            cursor.error(attributes.modifiers["atomic"], f"an atomic {what} needs an ordering", hint)
        elif attributes.scope is not None:
            hint = "add an ordering, or leave the scope out"
            cursor.error(attributes.scope[1], f"a {what} that is not atomic cannot have a syncscope", hint)
        elif "elementwise" in attributes.modifiers:
            cursor.error(attributes.modifiers["elementwise"], f"an elementwise {what} must be atomic")
    _refuse_seq_cst_elementwise(cursor, attributes, what)
    return access_mode(cursor, attributes, what)


def _refuse_seq_cst_elementwise(cursor: Cursor, attributes: Attributes, what: str) -> None:
    if "elementwise" in attributes.modifiers and attributes.ordering is Ordering.SEQ_CST:
        reason = "its elements are separate accesses without one place in the total order"
        cursor.error(attributes.orderings[0][1], f"an elementwise {what} cannot be seq_cst: {reason}")


def rmw_mode(cursor: Cursor, attributes: Attributes) -> AccessMode:
    """Check and return the mode of an `atomicrmw`."""
    _at_most(cursor, attributes, 1, "an atomicrmw")
    _refuse_weak(cursor, attributes, "an atomicrmw")
    _refuse_seq_cst_elementwise(cursor, attributes, "atomicrmw")
    return access_mode(cursor, attributes, "atomicrmw")


def _refuse_weak(cursor: Cursor, attributes: Attributes, what: str) -> None:
    if not attributes.orderings:
        cursor.error(attributes.span, f"{what} needs an ordering", "add monotonic, or a stronger ordering")
        return
    ordering, span = attributes.orderings[0]
    if ordering in (Ordering.UNORDERED, Ordering.NOT_ATOMIC):
        reason = "is atomic, so it has at least monotonic ordering"
        cursor.error(span, f"{what} cannot be {ordering.value}: a read-modify-write {reason}")


def cmpxchg_modes(cursor: Cursor, attributes: Attributes) -> tuple[AccessMode, Ordering]:
    """Check the two orderings of a `cmpxchg`; failure defaults to success without its release part."""
    _at_most(cursor, attributes, 2, "a cmpxchg")
    _refuse_weak(cursor, attributes, "a cmpxchg")
    refuse_modifiers(cursor, attributes, "a cmpxchg", "elementwise")
    without_release = {Ordering.RELEASE: Ordering.MONOTONIC, Ordering.ACQ_REL: Ordering.ACQUIRE}
    success = attributes.ordering
    failure = without_release.get(success, success)
    for ordering, span in attributes.orderings[1:2]:
        failure = ordering
        if ordering in (Ordering.RELEASE, Ordering.ACQ_REL):
            cursor.error(span, f"a cmpxchg cannot fail with {ordering.value}: a failed one writes nothing to release")
        elif ordering in (Ordering.UNORDERED, Ordering.NOT_ATOMIC):
            cursor.error(span, f"a cmpxchg cannot fail with {ordering.value}: its read is at least monotonic")
    return access_mode(cursor, attributes, "cmpxchg"), failure


def fence_mode(cursor: Cursor, attributes: Attributes) -> AccessMode:
    """Check and return the mode of a `fence`."""
    _at_most(cursor, attributes, 1, "a fence")
    refuse_modifiers(cursor, attributes, "a fence", "atomic", "volatile", "elementwise", "nontemporal")
    if not attributes.orderings:
        cursor.error(attributes.span, "a fence needs an ordering", "acquire, release, acq_rel or seq_cst")
    elif attributes.ordering in (Ordering.UNORDERED, Ordering.MONOTONIC, Ordering.NOT_ATOMIC):
        message = f"a fence cannot be {attributes.ordering.value}: it would order nothing"
        cursor.error(attributes.orderings[0][1], message, "acquire, release, acq_rel or seq_cst")
    if attributes.align is not None:
        cursor.error(attributes.span, "a fence accesses no memory that could be aligned")
    return access_mode(cursor, attributes, "fence")


def av_mode(cursor: Cursor, attributes: Attributes, what: str) -> AccessMode:
    """Check and return the mode of an av intrinsic, which is neither atomic nor volatile; no scope means system."""
    refuse_modifiers(cursor, attributes, f"an {what}", "atomic", "volatile", "elementwise")
    for _, span in attributes.orderings:
        cursor.error(span, f"an {what} is not atomic and has no ordering", "its scope says how far the value travels")
    return access_mode(cursor, attributes, what, Ordering.NOT_ATOMIC)
