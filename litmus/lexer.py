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
    [ \t\r\f\v]*
  (?: (?P<name>(?:load-visible|store-available)\b | [A-Za-z_$][A-Za-z0-9_$]*(?:\.(?!\.)[A-Za-z0-9_$]*)*)
    | (?P<newline>\n) | ;[^\n]*
    | (?P<malformed>(?>0[xX][0-9A-Fa-f]+|[0-9]+)(?u:\w|\.(?!\.))+ | [0-9]{1001,} | 0[xX][0-9A-Fa-f]{999,})
    | (?P<number>0[xX][0-9A-Fa-f]+|[0-9]+)
    | (?P<punctuation>/\\ | \.\.\.? | \\/ | => | == | != | <= | >= | << | >> | && | \|\| | !\{
        | [][(){}<>,:=~+\-*&|^?] | @(?![A-Za-z0-9_.$]))
    | (?P<tags>\#[^\n;]*)
    | (?P<local>%(?=[A-Za-z0-9_$]|\.(?!\.))[A-Za-z0-9_$]*(?:\.(?!\.)[A-Za-z0-9_$]*)*) | (?P<global>@[A-Za-z0-9_.$]+)
    | (?P<string>"[^"\n]*") | (?P<metastring>!"[^"\n]*") | (?P<metadata>![A-Za-z_$0-9][\w.$-]*)
    | (?P<unknown>["'][^\n]* | [^\n\x20\t\r\f\v])
  )
    """,
    re.VERBOSE | re.ASCII,
)
LONGEST_NUMBER = 1000
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


class _Lexer:
    """Takes words from a text; `line` is the number of the line, `start` where it begins."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens: list[Token] = []
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
        new, tokens = tuple.__new__, self.tokens
        line, start = self.line, self.start
        for match in _WORDS.finditer(self.source.text, first, last):
            kind = match.lastgroup
            if kind is None:
                continue
            found = match[kind]
            at = match.end() - len(found)
            if kind == "name" or kind == "number" or kind == "punctuation":
                begun = True
                if kind == "punctuation":
                    kind = found
                span = new(Span, (line, at - start + 1, len(found)))
                tokens.append(new(Token, (kind, found, found, span)))
            elif kind == "newline":
                self.newline(at)
                line, start, begun = self.line, self.start, False
            elif kind == "tags":
                if begun:
                    found = found.rstrip()
                    tokens.append(Token("tags", found, found[1:], Span(line, at - start + 1, len(found))))
            elif kind == "malformed" or kind == "unknown":
                begun = True
                self.mistaken(match)
                if len(self.diagnostics) > ENOUGH:
                    break
            else:
                begun = True
                tokens.append(Token(kind, found, _value(kind, found), Span(line, at - start + 1, len(found))))

    def newline(self, at: int) -> None:
        """End the line before a place of the text."""
        length = len(self.source.text[self.start : at].rstrip("\r"))
        self.tokens.append(Token("newline", "", "", Span(self.line, length + 1)))
        if at < len(self.source.text):
            self.line, self.start = self.line + 1, at + 1

    def mistaken(self, match: re.Match[str]) -> None:
        """Report what is no word."""
        found = match[str(match.lastgroup)]
        at = match.end() - len(found)
        span = Span(self.line, at - self.start + 1, len(found))
        if match.lastgroup == "malformed":
            long = _NUMBER.fullmatch(found)
            more = f"this number has more than {LONGEST_NUMBER} digits"
            self.error(span, more if long else f"malformed number '{found}'")
        elif found[0] == '"':
            self.error(span, "this string has no end on its line")
        elif found == "/" and self.source.text.startswith("//", at):
            self.error(span, "'//' begins no comment", "a comment starts with ';'")
        else:
            shown = found[0] if found[0].isprintable() else f"U+{ord(found[0]):04X}"
            self.error(span._replace(length=1), f"unexpected character '{shown}'")

    def error(self, span: Span, message: str, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(self.source, span, message, hint))
        self.tokens.append(Token("bad", "", "", span))


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
    lexer.all()
    return lexer.tokens, lexer.diagnostics


def tokens_between(source: Source, start: int, end: int) -> tuple[list[Token], list[Diagnostic]]:
    """Return the same for a part of a text, which has no header of a test; its last line ends in a `newline`, too."""
    lexer = _Lexer(source)
    lexer.line, lexer.start = source.text.count("\n", 0, start) + 1, source.text.rfind("\n", 0, start) + 1
    lexer.words(start, end, begun=True)
    span = Span(lexer.line, end - lexer.start + 1)
    return [*lexer.tokens, Token("newline", "", "", span), Token("end", "", "", span)], lexer.diagnostics
