"""The words of the test language.

What goes in: a `Source`. What comes out: its tokens, ending in one `end` token, and the diagnostics about characters
that begin no word. Invariant: every token carries its span, and a line end is a token, since it ends a statement.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from axmem.front.source import ENOUGH, Diagnostic, Source, Span


class Token(NamedTuple):
    """One word. `kind` is a class of words or, for punctuation, the text itself; `value` is the text without sigils.

    The classes: `name`, `local` (`%r`), `global` (`@x`), `number`, `string`, `test` (the name in the header),
    `metadata` (`!mmra`, `!0`), `metastring` (`!"s"`), `tags` (`# p:s …`), `newline`, `end`, and `bad` (already
    reported).
    """

    kind: str
    text: str
    value: str
    span: Span


_WORDS = re.compile(
    r"""
    (?P<string>"[^"\n]*") | (?P<metastring>!"[^"\n]*") | (?P<metadata>![A-Za-z_$0-9][\w.$-]*)
  | (?P<name>(?:load-visible|store-available)\b | [A-Za-z_$](?:[A-Za-z0-9_$]|\.(?!\.))*)
  | (?P<local>%(?:[A-Za-z0-9_$]|\.(?!\.))+) | (?P<global>@[A-Za-z0-9_.$]+)
  | (?P<number>0[xX][0-9A-Fa-f]+ | [0-9]+)
  | (?P<punctuation>/\\ | \.\.\.? | \\/ | => | == | != | <= | >= | << | >> | && | \|\| | !\{ | [][(){}<>,:=~+\-*&|^?@])
    """,
    re.VERBOSE | re.ASCII,
)
LONGEST_NUMBER = 1000
_SIGILS = frozenset({"string", "metastring", "local", "global", "metadata"})
_HEADER = re.compile(r"(litmus)(?:[ \t]+([^\s\";]+))")
_RUN = re.compile(r"(?:\w|\.(?!\.))+")
_BLANKS = re.compile(r"[ \t\r\f\v]*")
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


class _Lexer:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens: list[Token] = []
        self.diagnostics: list[Diagnostic] = []

    def error(self, span: Span, message: str, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(self.source, span, message, hint))
        self.tokens.append(Token("bad", "", "", span))

    def line(self, number: int, text: str) -> None:
        """Split one line; a `#` that begins the line begins a remark, elsewhere it begins tags."""
        column, first = 0, True
        while (column := _BLANKS.match(text, column).end()) < len(text):  # type: ignore[union-attr]
            if len(self.diagnostics) > ENOUGH:
                return
            char = text[column]
            if char == ";" or (char == "#" and first):
                return
            if char == "#":
                body = text[column:].split(";", 1)[0].rstrip()
                self.tokens.append(Token("tags", body, body[1:], Span(number, column + 1, len(body))))
                column += len(body)
            else:
                column = self.word(number, text, column, first)
                first = False

    def word(self, number: int, text: str, column: int, first: bool) -> int:
        """Take one word that begins at `column` (0-based) and return where the next may begin."""
        header = _HEADER.match(text, column) if first else None
        if header and not any(t.kind == "test" for t in self.tokens):
            self.tokens.append(Token("name", "litmus", "litmus", Span(number, column + 1, 6)))
            span = Span(number, header.start(2) + 1, len(header[2]))
            self.tokens.append(Token("test", header[2], header[2], span))
            return header.end()
        match = _WORDS.match(text, column)
        if match is None:
            self.unknown(number, text, column)
            return len(text) if text[column] in "\"'" else column + 1
        kind, found = str(match.lastgroup), match[0]
        span = Span(number, column + 1, len(found))
        if kind == "number" and (tail := _RUN.match(text, match.end())):
            end = tail.end()
            self.error(Span(number, column + 1, end - column), f"malformed number '{text[column:end]}'")
            return end
        if kind == "number" and len(found) > LONGEST_NUMBER:
            self.error(span, f"this number has more than {LONGEST_NUMBER} digits")
            return match.end()
        if kind == "punctuation":
            kind = found
        self.tokens.append(Token(kind, found, _value(kind, found) if kind in _SIGILS else found, span))
        return match.end()

    def unknown(self, number: int, text: str, column: int) -> None:
        char = text[column]
        span = Span(number, column + 1, 1)
        if char == '"':
            self.error(Span(number, column + 1, len(text) - column), "this string has no end on its line")
        elif char == "/" and text.startswith("//", column):
            self.error(span, "'//' begins no comment", "a comment starts with ';'")
        else:
            shown = char if char.isprintable() else f"U+{ord(char):04X}"
            self.error(span, f"unexpected character '{shown}'")


def _value(kind: str, found: str) -> str:
    """Return a word that has a sigil or quotes without them."""
    if kind == "string":
        return decoded(found[1:-1])
    if kind == "metastring":
        return decoded(found[2:-1])
    return found[1:]


def tokens(source: Source) -> tuple[list[Token], list[Diagnostic]]:
    """Return the tokens of a text and what is wrong with its characters."""
    lexer = _Lexer(source)
    lines = source.text.split("\n")
    for number, text in enumerate(lines, 1):
        if len(lexer.diagnostics) > ENOUGH:
            break
        lexer.line(number, text)
        lexer.tokens.append(Token("newline", "", "", Span(number, len(text.rstrip("\r")) + 1)))
    lexer.tokens.append(Token("end", "", "", Span(len(lines), len(lines[-1]) + 1)))
    return lexer.tokens, lexer.diagnostics
