"""A text of herd's form, with its comments blanked, and the places in it.

What goes in: a source. What comes out: `HerdText`, in which every character that is no part of a comment stands where
it stood, so that offsets are places of the source; and its tokens. Comments are `(* … *)`, which nest, `/* … */` and
`// …`; between the braces of C functions `(*` begins no comment, since `(*x)` is an expression there. A comment whose
first word is `axmem:` is a directive, and kept apart.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from itertools import accumulate

from axmem.front.records import dataclass, field
from axmem.front.source import Diagnostic, Source, Span
from axmem.litmus.lexer import Token

WORDS = re.compile(
    r"""
    (?P<name>[A-Za-z_%$][\w.$]*)
  | (?P<punctuation>/\\ | \\/ | => | == | != | <> | <= | >= | << | >> | && | \|\| | \+\+ | --
      | [][(){}<>,;:=~+\-*/&|^?!@.\#'])
  | (?P<number>0[xX][0-9A-Fa-f]+ | [0-9]+) | (?P<string>"[^"]*")
    """,
    re.VERBOSE | re.ASCII,
)
"""The words of initial values and conditions."""

C_WORDS = re.compile(
    WORDS.pattern.replace(r"[A-Za-z_%$][\w.$]*", r"[A-Za-z_]\w*").replace("&|^?", "%&|^?"), WORDS.flags
)
"""The words of C, in which `%` divides."""

_MARKS = re.compile(r"\(\*|\*\)|/\*|//[^\n]*|[{}]|\"[^\"\n]*\"")
_DIRECTIVE = re.compile(r"\s*axmem:")


@dataclass(frozen=True, slots=True)
class HerdText:
    """The text of a test without its comments; `directives` are the places (start, end) of what `axmem:` begins."""

    source: Source
    characters: str
    directives: tuple[tuple[int, int], ...]
    lines: tuple[int, ...] = field(repr=False)

    def span(self, start: int, end: int | None = None) -> Span:
        """Return the place of some characters, cut at the end of their first line."""
        number = bisect_right(self.lines, start)
        begin = self.lines[number - 1]
        last = self.lines[number] - 1 if number < len(self.lines) else len(self.characters)
        length = max(1, min(last, start + 1 if end is None else end) - start)
        return tuple.__new__(Span, (number, start - begin + 1, length))

    def error(self, start: int, end: int, message: str, hint: str = "") -> Diagnostic:
        """Return a diagnostic about some characters."""
        return Diagnostic(self.source, self.span(start, end), message, hint)


def without_comments(source: Source, *, code: bool) -> tuple[HerdText, list[Diagnostic]]:
    """Return a text without its comments; `code` says that the program is written in C."""
    characters = source.text
    starts = tuple(accumulate([len(line) + 1 for line in characters.split("\n")[:-1]], initial=0))
    parts, directives, diagnostics, kept = [], [], [], 0
    text = HerdText(source, "", (), starts)
    index, braces, initial, quotes = 0, 0, True, 0
    while match := _MARKS.search(characters, index):
        mark, start = match[0], match.start()
        quotes += characters.count('"', index, start)
        index = match.end()
        if initial and not braces and quotes % 2 and mark[0] in "/(*":
            # A description that goes over several lines: an address of the web begins no comment there.
            index = start + 2
            continue
        if mark in "{}":
            braces += 1 if mark == "{" else -1
            initial &= mark == "{" or braces > 0
            continue
        inside = code and braces > 0 and not initial
        if mark[0] == '"' or mark == "*)" or (mark == "(*" and inside):
            continue
        if mark in ("(*", "/*"):
            end = _closing(characters, index, mark)
            if end is None:
                diagnostics.append(text.error(start, start + 2, "this comment has no end"))
                end = len(characters)
            index = end
        if found := _DIRECTIVE.match(characters, start + 2):
            directives.append((found.end(), index - (0 if mark.startswith("//") else 2)))
        parts += [characters[kept:start], blanked(characters[start:index])]
        kept = index
    return HerdText(source, "".join((*parts, characters[kept:])), tuple(directives), starts), diagnostics


def blanked(characters: str) -> str:
    """Return as many blanks, on as many lines."""
    if "\n" not in characters:
        return " " * len(characters)
    return "\n".join([" " * len(line) for line in characters.split("\n")])


def _closing(characters: str, index: int, mark: str) -> int | None:
    """Return where a comment ends whose mark has been read; comments of OCaml's kind nest."""
    if mark == "/*":
        end = characters.find("*/", index)
        return None if end < 0 else end + 2
    depth = 1
    for match in re.compile(r"\(\*|\*\)").finditer(characters, index):
        depth += 1 if match[0] == "(*" else -1
        if not depth:
            return match.end()
    return None


def tokens(
    text: HerdText, start: int, end: int, words: re.Pattern[str] = WORDS
) -> tuple[list[Token], list[Diagnostic]]:
    """Return the tokens between two offsets, an `end` token after them, and what is wrong with their characters.

    `words` has a group for each kind of token; punctuation is of the kind of its own text.
    """
    found: list[Token] = []
    diagnostics: list[Diagnostic] = []
    characters, lines, new = text.characters, text.lines, tuple.__new__
    size, count = len(characters), len(lines)
    number = bisect_right(lines, start)
    before, following = lines[number - 1] - 1, lines[number] if number < count else size
    for match in _scanner(words).finditer(characters, start, start + len(characters[start:end].rstrip())):
        kind = match.lastgroup
        word = match[kind]  # type: ignore[index]
        index = match.end() - len(word)
        while index >= following:
            before, number = following - 1, number + 1
            following = lines[number] if number < count else size
        span = new(Span, (number, index - before, len(word)))
        if kind == "punctuation":
            found.append(new(Token, (word, word, word, span)))
        elif kind == "unknown":
            shown = word if word.isprintable() else f"U+{ord(word):04X}"
            diagnostics.append(Diagnostic(text.source, span, f"unexpected character '{shown}'"))
            found.append(Token("bad", "", "", span))
        else:
            found.append(new(Token, (kind, word, word[1:-1] if kind == "string" else word, span)))
    found.append(new(Token, ("end", "", "", text.span(min(end, max(0, size - 1))))))
    return found, diagnostics


@cache
def _scanner(words: re.Pattern[str]) -> re.Pattern[str]:
    """Return what finds a word, or a character that begins none, and the blanks before it."""
    return re.compile(rf"(?u:\s)*+(?:{words.pattern}|(?P<unknown>(?u:\S)))", words.flags)
