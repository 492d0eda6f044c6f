r"""From the characters of a cat file to its tokens.

What goes in: a `Source`. What comes out: the tokens with their spans, the last of kind END, and the diagnostics of
characters that are no token. Each token carries the doc comments (`(** … *)`) that stand before it, so that the
parser can tie a comment to the definition under it. As in herd7 comments nest, `//` and `#` comment out a line, and a
name may contain `-` and `.`: `po-loc` is one name, while `po\loc` is three tokens. What stands between `/*` and the
next `*/` is a comment, too. `!` and `^2` are what older models write for `~` and for the product of a set with itself.
In `FLAT` text, as Dartagnan has it, a comment ends at the first `*)`.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable
from enum import Enum

from axmem.front.records import dataclass, replace
from axmem.front.source import ENOUGH, Diagnostic, Source, Span

_HERD = """
    acyclic and as assert begin call catdep debug default do else empty end enum flag forall from fun if in include
    instructions irreflexive let match procedure rec show then try undefined_unless unshow when with yield
"""

KEYWORDS = frozenset((*_HERD.split(), "undef"))
"""The reserved words: those of herd7 and `undef`."""

OVERRIDE = "override"
"""A keyword where a definition or a rule follows on its line, and a name elsewhere: models of herd's may have it."""

REPLACED = r"[ \t]+(?:~|(?:acyclic|empty|flag|irreflexive|let|undef)\b)"
"""What follows that keyword on its line."""
_REPLACED = re.compile(REPLACED)

_TOKEN = r"""
    (?P<BLANK>  [ \t\r\n\f\v]+ | (?://|\#)[^\n]* | /\*(?s:.*?)\*/ )
  | (?P<NAME>   _?[A-Za-z][A-Za-z0-9_.\-]*'* )
  | (?P<STRING> "[^"\n]*" )
  | (?P<TAG>    '_?[A-Za-z][A-Za-z0-9_.\-]* )
    # `-1` is a token of its own for `^-1`; a `-` elsewhere is part of a name. `0` is the empty set, no number.
  | (?P<SYMBOL> && | \|\| | \+\+ | -> | -1 | [()\[\]{}|&*~!+^\\?=;,_02] )
"""


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """What a language that contains cat's expressions reserves, and the tokens it has."""

    keywords: frozenset[str]
    token: re.Pattern[str]
    nested: bool = True
    """Whether comments nest; otherwise one ends at the first `*)`."""


def dialect(keywords: Iterable[str] = (), symbols: str = "") -> Dialect:
    """Return cat with further reserved words and symbols, the latter as alternatives of a pattern."""
    more = f"{symbols} | " if symbols else ""
    pattern = _TOKEN.replace("(?P<SYMBOL>", f"(?P<SYMBOL> {more}")
    return Dialect(KEYWORDS | frozenset(keywords), re.compile(pattern, re.VERBOSE))


CAT = dialect()
FLAT = replace(CAT, nested=False)
"""Cat as Dartagnan reads it."""
_BLANK_LINE = re.compile(r"[ \t\r]*\n[ \t\r]*\n")
_COMMENT_MARK = re.compile(r"\(\*|\*\)")


class TokenKind(Enum):
    """What a token is."""

    NAME = "a name"
    KEYWORD = "a keyword"
    STRING = "a string"
    TAG = "a tag"
    SYMBOL = "a symbol"
    END = "the end of the file"


@dataclass(frozen=True, slots=True)
class DocComment:
    """The text of a `(** … *)` without its marks; `adjacent` says that no blank line follows it."""

    text: str
    span: Span
    adjacent: bool


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is what the file shows (a string without its quotes); `start` and `end` are offsets into the text."""

    kind: TokenKind
    text: str
    span: Span
    start: int
    end: int
    comments: tuple[DocComment, ...] = ()


class Places:
    """The map from offsets of a text to lines and columns."""

    def __init__(self, text: str) -> None:
        self._starts = [0] + [i + 1 for i, c in enumerate(text) if c == "\n"]

    def span(self, start: int, end: int) -> Span:
        """Return the span of `text[start:end]`."""
        line = bisect.bisect_right(self._starts, start)
        return Span(line, start - self._starts[line - 1] + 1, max(1, end - start))


class Lexer:
    """One run over one text."""

    def __init__(self, source: Source, language: Dialect = CAT) -> None:
        self.source = source
        self.language = language
        self.text = source.text
        self.places = Places(source.text)
        self.tokens: list[Token] = []
        self.diagnostics: list[Diagnostic] = []
        self._pending: list[tuple[int, int]] = []

    def run(self) -> list[Token]:
        """Fill `tokens` and `diagnostics`, and return the tokens."""
        position = 0
        while position < len(self.text) and len(self.diagnostics) <= ENOUGH:
            position = self._step(position)
        self._add(TokenKind.END, "", position, position)
        return self.tokens

    def _step(self, position: int) -> int:
        """Read one token, comment or stretch of blanks, and return the place after it."""
        if self.text.startswith("(*", position):
            return self._comment(position)
        match = self.language.token.match(self.text, position)
        if match is None:
            return self._unexpected(position)
        shown, group = match.group(), match.lastgroup
        if group == "BLANK":
            return match.end()
        if group == "NAME" and (shown in self.language.keywords or self._overrides(match)):
            return self._add(TokenKind.KEYWORD, shown, position, match.end())
        return self._add(TokenKind[str(group)], shown.strip('"'), position, match.end())

    def _overrides(self, word: re.Match[str]) -> bool:
        """Tell whether a word says that what follows on its line replaces a statement."""
        return word.group() == OVERRIDE and _REPLACED.match(self.text, word.end()) is not None

    def _unexpected(self, position: int) -> int:
        if self.text[position] == '"':
            end = self.text.find("\n", position)
            end = len(self.text) if end < 0 else end
            self._fail(position, end, "this string does not end on its line", 'add the closing "')
            return self._add(TokenKind.STRING, self.text[position + 1 : end], position, end)
        return self._fail(position, position + 1, f"unexpected character {self.text[position]!r}")

    def _comment(self, position: int) -> int:
        # Marks are found from left to right and do not overlap: `(*)` opens and does not close.
        depth = 0
        for match in _COMMENT_MARK.finditer(self.text, position):
            opens = match.group() == "(*"
            depth = 1 if opens and not self.language.nested else depth + (1 if opens else -1)
            if depth == 0:
                if self._is_doc(position, match.end()):
                    self._pending.append((position, match.end()))
                return match.end()
        hint = "comments nest: each `(*` needs its `*)`" if self.language.nested else "add the closing `*)`"
        self._fail(position, position + 2, "this comment is never closed", hint)
        return len(self.text)

    def _is_doc(self, start: int, end: int) -> bool:
        """Tell a doc comment from a plain one and from a banner of stars."""
        body = self.text[start + 2 : end - 2]
        return body.startswith("*") and not body.startswith("**") and body.strip("*").strip() != ""

    def _add(self, kind: TokenKind, text: str, start: int, end: int) -> int:
        comments: tuple[DocComment, ...] = ()
        if self._pending:
            comments = tuple(self._doc_comment(*place) for place in self._pending)
            self._pending = []
        self.tokens.append(
            Token(
                kind=kind,
                text=text,
                span=self.places.span(start, end),
                start=start,
                end=end,
                comments=comments,
            )
        )
        return end

    def _doc_comment(self, start: int, end: int) -> DocComment:
        adjacent = _BLANK_LINE.match(self.text, end) is None
        return DocComment(self.text[start + 3 : end - 2], self.places.span(start, end), adjacent)

    def _fail(self, start: int, end: int, message: str, hint: str = "") -> int:
        self.diagnostics.append(Diagnostic(self.source, self.places.span(start, end), message, hint))
        return end
