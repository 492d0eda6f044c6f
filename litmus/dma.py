"""DMA operations and what tells of their completion.

What goes in: a cursor behind the first word of such a statement, in the short spelling (`load.async.to.lds x, t`) or
before the operands of LLVM's call. What comes out: a `Transfer` or a `Track`. Operands stand in LLVM's order, which
names the memory before the LDS whichever way the data goes.
"""

from __future__ import annotations

import re

from axmem.litmus.addresses import parse_address
from axmem.litmus.cursor import Cursor
from axmem.litmus.lexer import Token, numeral
from axmem.litmus.metadata import MetadataNode
from axmem.litmus.modes import Attributes, parse_leading, parse_trailing, refuse_promises
from axmem.litmus.spelling import ARRIVE, AV_TYPES, FROM_LDS, MARK, TO_LDS, WAIT, at_type, parse_type
from axmem.litmus.syntax import Statement, SyncScope, Track, Transfer, Type

_LLVM = r"(?:llvm\.amdgcn\.)?"
TRANSFER_NAME = re.compile(_LLVM + r"(?:global\.)?(load\.async\.to|store\.async\.from)\.lds(?:\.b(8|32|64|128))?")
TRACK_NAME = re.compile(_LLVM + r"(asyncmark|wait\.asyncmark)|async\.barrier\.arrive")
DMA_NAMES = (TO_LDS, FROM_LDS, MARK, WAIT, ARRIVE)


def is_dma(word: str) -> bool:
    """Say whether a word is the name of one of these operations."""
    return bool(TRANSFER_NAME.fullmatch(word) or TRACK_NAME.fullmatch(word))


class Dma:
    """Reads one statement, whose first word has been read."""

    def __init__(self, cursor: Cursor, known: dict[str, MetadataNode], start: Token, label: str) -> None:
        self.cursor = cursor
        self.known = known
        self.start = start
        self.label = label
        self.attributes = Attributes(start.span)

    def statement(self, register: str) -> Statement:
        """Read the operands and what follows them."""
        cursor, name = self.cursor, self.start.value
        if register:
            raise cursor.fail(self.start.span, f"'{name}' has no result")
        parse_leading(cursor, self.attributes)
        called = name.startswith("llvm.") and cursor.accept("(") is not None
        transfer = TRANSFER_NAME.fullmatch(name)
        if transfer is None:
            word = name.removeprefix("llvm.amdgcn.")
            count = self._number() if word == WAIT else 0
            barrier = cursor.next().text if word == ARRIVE and cursor.at("name") else ""
            self._close(called)
            return Track(word, count, barrier, self.label, cursor.since(self.start.span))
        type_ = AV_TYPES[int(transfer[2])] if transfer[2] else self._type()
        memory = parse_address(cursor)
        cursor.expect(",", "',' and an address in LDS", f"it copies between two places: {name} x, t")
        lds = parse_address(cursor)
        if called:
            self._zeros()
        self._close(called)
        scope = self.attributes.scope[0] if self.attributes.scope else SyncScope(cursor.levels[0])
        return Transfer(
            to_lds=transfer[1].startswith("load"),
            type=type_,
            memory=memory,
            lds=lds,
            scope=scope,
            label=self.label,
            span=cursor.since(self.start.span),
        )

    def _number(self) -> int:
        """Read an integer, with its type in a call."""
        cursor = self.cursor
        if at_type(cursor):
            parse_type(cursor)
        return numeral(cursor.expect("number", "the number of asyncmarks that may be left").text)

    def _type(self) -> Type | None:
        """Read the type of what is copied; a pointer type without a comma after it describes the address."""
        cursor, before = self.cursor, self.cursor.index
        if not at_type(cursor):
            return None
        type_ = parse_type(cursor)
        if not cursor.accept(",") and type_.pointer is not None:
            cursor.index = before
            return None
        return type_

    def _zeros(self) -> None:
        """Read the offset and the cache policy of a call, of which the language has other spellings."""
        cursor = self.cursor
        for what, hint in (("offset", "add it to both addresses"), ("cache policy", 'write syncscope("…") for it')):
            cursor.expect(",", f"',' and the {what}")
            at = cursor.peek().span
            if self._number():
                cursor.error(at, f"the {what} of a DMA operation is 0 here", hint)

    def _close(self, called: bool) -> None:
        """Read what follows the operands: of a transfer a scope, and nothing else."""
        cursor, attributes, name = self.cursor, self.attributes, self.start.value
        if called:
            cursor.expect(")", "')'")
        parse_trailing(cursor, attributes, self.known)
        for word, span in attributes.places.items():
            if word == "syncscope" and TRANSFER_NAME.fullmatch(name):
                continue
            hint = "its scope says how far the data travels" if word == "ordering" else ""
            cursor.error(span, f"'{name}' has no {word}" if word in _PARTS else f"'{name}' cannot be {word}", hint)
        if attributes.tags_span is not None:
            cursor.error(attributes.tags_span, f"'{name}' carries no tags")
        refuse_promises(cursor, attributes.promises_span)


_PARTS = ("ordering", "failure", "syncscope", "align")
