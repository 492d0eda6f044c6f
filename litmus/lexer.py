"""The words of the test language.

What goes in: a `Source`. What comes out: its tokens, ending in one `end` token, and the diagnostics about characters
that begin no word. Invariant: every token carries its span, and a line end is a token, since it ends a statement.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import lru_cache
from typing import NamedTuple

from axmem.front.source import ENOUGH, Diagnostic, Source, Span


class Token(NamedTuple):
    """One word. `kind` is a class of words or, for punctuation, the text itself; `value` is the text without sigils.

    The classes: `name`, `local` (`%r`), `global` (`@x`), `number`, `partial` (`0xuu01`), `float` (`1.5`), `string`,
    `test` (the name in the header), `metadata` (`!mmra`, `!0`), `metastring` (`!"s"`), `tags` (`# p:s …`), `newline`,
    `end`, and `bad` (already reported).
    """

    kind: str
    text: str
    value: str
    span: Span


NAME = r"[A-Za-z_$][A-Za-z0-9_$]*(?:\.(?!\.)[A-Za-z0-9_$]*)*"
"""What a name of a test is, of a location for one."""

LONGEST_NUMBER = 1000
TOO_LONG = rf"[0-9]{{{LONGEST_NUMBER + 1},}} | 0[xX][0-9A-Fa-f]{{{LONGEST_NUMBER - 1},}}"
"""A number with which nobody computes (a verbose pattern)."""

_WORDS = re.compile(
    rf"""
    [ \t\r\f\v]*
  (?: (?P<name>(?:load-visible|store-available)\b | {NAME})
    | ;[^\n]*
    | (?P<float>[0-9]{{1,999}}\.[0-9]{{1,999}}(?:[eE][+-]?[0-9]{{1,3}})?(?!(?u:\w)|\.(?!\.)))
    | (?P<partial>0x[0-9a-fu]*u[0-9a-fu]* | 0b[01u]*u[01u]*)(?!(?u:\w))
    | (?P<malformed>(?>0[xX][0-9A-Fa-f]+|[0-9]+)(?u:\w|\.(?!\.))+ | {TOO_LONG})
    | (?P<number>0[xX][0-9A-Fa-f]+|[0-9]+)
    | (?P<punctuation>/\\ | \.\.\.? | \\/ | => | == | != | <= | >= | << | >> | && | \|\| | !\{{
        | [][(){{}}<>,:=~+\-*&|^?] | @(?![A-Za-z0-9_.$]))
    | (?P<tags>\#[^\n;]*)
    | (?P<local>%(?=[A-Za-z0-9_$]|\.(?!\.))[A-Za-z0-9_$]*(?:\.(?!\.)[A-Za-z0-9_$]*)*) | (?P<global>@[A-Za-z0-9_.$]+)
    | (?P<string>"[^"\n]*") | (?P<metastring>!"[^"\n]*") | (?P<metadata>![A-Za-z_$0-9][\w.$-]*)
    | (?P<unknown>["'][^\n]* | [^\n\x20\t\r\f\v])
  )
    """,
    re.VERBOSE | re.ASCII,
)
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]+|[0-9]+", re.ASCII)
_HEADER = re.compile(r"^[ \t\r\f\v]*(litmus)[ \t]+([^\s\";]+)", re.MULTILINE)
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|\\)")


def decoded(text: str) -> str:
    r"""Return the characters of a string's inside, in which `\hh` and `\\` are LLVM's escapes."""
    return _ESCAPE.sub(lambda m: "\\" if m[1] == "\\" else chr(int(m[1], 16)), text)


def numeral(text: str) -> int:
    """Return the value of a number; leading zeros mean nothing, as in LLVM."""
    return int(text, 16) if text[:2] in ("0x", "0X") else int(text)


def encoded(text: str) -> str:
    """Return a string literal that `decoded` turns back into `text` (characters above U+00FF stay as they are)."""
    inside = "".join(
        "\\\\" if c == "\\" else f"\\{ord(c):02X}" if c == '"' or ord(c) < 32 or 127 <= ord(c) < 160 else c
        for c in text
    )
    return f'"{inside}"'


class WordLine:
    """A line's words without its end, and what is wrong in it; `read` is what parsers have read of it (`Cursor.kept`).

    Suites repeat their lines: one with the same words at the same place of a text is one object, as long as it is kept.
    """

    __slots__ = ("faults", "read", "tokens")

    def __init__(self, tokens: tuple[Token, ...], faults: list[Fault]) -> None:
        self.tokens = tokens
        self.faults = faults
        self.read: dict[Hashable, object] = {}


Fault = tuple[Span, str, str]
"""What is wrong at a place: a message and a hint."""


class TokenLines(list[Token]):
    """The tokens of a text; `lines` are those that hold no header, by the index of their first token."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[int, WordLine] = {}


class _Lexer:
    """Takes words from a text; `line` is the number of the line, `start` where it begins."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = TokenLines()
        self.diagnostics: list[Diagnostic] = []
        self.line, self.start = 1, 0

    def all(self) -> None:
        """Take all words; those of the header, where a name may have any characters, are its own."""
        text = self.source.text
        header = _HEADER.search(text)
        if header is None:
            self.words(0, len(text), begun=False)
        else:
            self.words(0, header.start(1), begun=False)
            for kind, part in (("name", 1), ("test", 2)):
                span = Span(self.line, header.start(part) - self.start + 1, len(header[part]))
                self.tokens.append(Token(kind, header[part], header[part], span))
            self.words(header.end(), len(text), begun=True)
        self.newline(len(text))
        self.tokens.append(Token("end", "", "", Span(self.line, len(text) - self.start + 1)))

    def words(self, first: int, last: int, *, begun: bool) -> None:
        """Take the words of a part of the text; on a line that has `begun` a `#` begins tags, elsewhere a remark."""
        text, tokens = self.source.text, self.tokens
        while len(self.diagnostics) <= ENOUGH:
            end = text.find("\n", first, last)
            stop = last if end < 0 else end
            line = (_kept_line if stop - first <= _SHORT else _line)(
                text[first:stop], self.line, first - self.start + 1, begun
            )
            tokens.lines[len(tokens)] = line
            tokens += line.tokens
            for span, message, hint in line.faults:
                self.diagnostics.append(Diagnostic(self.source, span, message, hint))
            if end < 0:
                return
            self.newline(end)
            first, begun = self.start, False

    def newline(self, at: int) -> None:
        """End the line before a place of the text."""
        length = at - self.start
        if length and self.source.text[at - 1] == "\r":
            length = len(self.source.text[self.start : at].rstrip("\r"))
        self.tokens.append(tuple.__new__(Token, ("newline", "", "", tuple.__new__(Span, (self.line, length + 1, 1)))))
        if at < len(self.source.text):
            self.line, self.start = self.line + 1, at + 1


_SHORT = 200
"""The most characters of a line that is kept."""


def _line(text: str, number: int, column: int, begun: bool) -> WordLine:
    """Return the words of (the rest of) the line of this number, which begins at a column."""
    new = tuple.__new__
    tokens: list[Token] = []
    faults: list[Fault] = []
    # Blanks at the end of a line are before no word: at each of them a search would look through all that follow.
    for match in _WORDS.finditer(text, 0, len(text.rstrip(" \t\r\f\v"))):
        kind = match.lastgroup
        if kind is None:
            continue
        found = match[kind]
        at = match.end() - len(found)
        if kind == "tags" and begun:
            found = found.rstrip()
        span = new(Span, (number, at + column, len(found)))
        if kind == "name" or kind == "number" or kind == "float" or kind == "partial":
            tokens.append(new(Token, (kind, found, found, span)))
        elif kind == "punctuation":
            tokens.append(new(Token, (found, found, found, span)))
        elif kind == "malformed" or kind == "unknown":
            fault = _mistaken(kind, found, span, text[at : at + 2])
            faults.append(fault)
            tokens.append(Token("bad", "", "", fault[0]))
            if len(faults) > ENOUGH:
                break
        elif kind != "tags" or begun:
            tokens.append(Token(kind, found, _value(kind, found), span))
        begun = begun or kind != "tags"
    return WordLine(tuple(tokens), faults)


_kept_line = lru_cache(maxsize=4096)(_line)


def forget_lines() -> None:
    """Let go what is kept of lines: the next text is read as the first of a process is."""
    _kept_line.cache_clear()


def _mistaken(kind: str, found: str, span: Span, begins: str) -> Fault:
    """Say what is wrong with what is no word; a part of the text `begins` with it."""
    if kind == "malformed":
        long = _NUMBER.fullmatch(found)
        more = f"this number has more than {LONGEST_NUMBER} digits"
        return span, more if long else f"malformed number '{found}'", ""
    if found[0] == '"':
        return span, "this string has no end on its line", ""
    if begins == "//":
        return span, "'//' begins no comment", "a comment starts with ';'"
    shown = found[0] if found[0].isprintable() else f"U+{ord(found[0]):04X}"
    return span._replace(length=1), f"unexpected character '{shown}'", ""


def _value(kind: str, found: str) -> str:
    """Return a word that has a sigil or quotes without them."""
    if kind == "string":
        return decoded(found[1:-1])
    if kind == "metastring":
        return decoded(found[2:-1])
    return found[1:]


def tokens(source: Source) -> tuple[TokenLines, list[Diagnostic]]:
    """Return the tokens of a text and what is wrong with its characters."""
    lexer = _Lexer(source)
    lexer.all()
    return lexer.tokens, lexer.diagnostics


def tokens_between(source: Source, start: int, end: int) -> tuple[list[Token], list[Diagnostic]]:
    """Return the same for a part of a text, which has no header of a test; its last line ends in a `newline`, too."""
    lexer = _Lexer(source)
    lexer.line, lexer.start = source.text.count("\n", 0, start) + 1, source.text.rfind("\n", 0, start) + 1
    lexer.words(start, end, begun=True)
    span = Span(lexer.line, end - lexer.start + 1)
    return [*lexer.tokens, Token("newline", "", "", span), Token("end", "", "", span)], lexer.diagnostics
