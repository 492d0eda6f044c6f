"""A place among the tokens, with what every parser of the room needs.

What goes in: tokens. What comes out: the next token, or a recorded diagnostic and `Unparsable`, which the caller at the
next statement boundary catches. Invariant: `Unparsable` is raised only after its reason has been recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from axmem.front.source import ENOUGH, Diagnostic, Source, Span
from axmem.litmus.lexer import Token, TokenLines, WordLine
from axmem.litmus.words import AMDGPU

Read = TypeVar("Read")

CONTINUING = frozenset({"/\\", "\\/", "=>", "else"})
"""The words that, like strings, go on at the beginning of a line with what stands in the lines before it."""


class Unparsable(Exception):
    """The rest of this statement cannot be read; its reason is among the cursor's diagnostics."""


def spanning(first: Span, last: Span) -> Span:
    """Return the span from the first character of one to the last of the other (cut at the line's end)."""
    if first.line != last.line:
        return first
    length = last.column + last.length - first.column
    return tuple.__new__(Span, (first.line, first.column, length if length > first.length else first.length))


class Cursor:
    """The tokens of one source, a position in them, and the test's levels; `broken` once something cannot be read.

    With `any_scope` a scope that is none of the levels is read, too, as that of a level of its own. After `most` errors
    the rest is not read.
    """

    def __init__(self, source: Source, tokens: list[Token], diagnostics: list[Diagnostic]) -> None:
        self.source = source
        self.tokens = tokens
        self.diagnostics = diagnostics
        self.index = 0
        self.depth = 0
        self.operators = 0
        self.levels = AMDGPU
        self.any_scope = False
        self.most: float = ENOUGH
        self.broken = bool(diagnostics)
        self.lines: dict[int, WordLine] = tokens.lines if isinstance(tokens, TokenLines) else {}

    def peek(self, ahead: int = 0) -> Token:
        """Return the token `ahead` of the current one, or the `end` token."""
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1) if ahead else self.index]

    def next(self) -> Token:
        """Return the current token and step over it (never past `end`)."""
        token = self.tokens[self.index]
        if token.kind != "end":
            self.index += 1
        return token

    def at(self, *kinds: str) -> bool:
        """Say whether the current token is of one of these kinds."""
        return self.tokens[self.index].kind in kinds

    def at_word(self, *words: str, ahead: int = 0) -> bool:
        """Say whether the token is one of these bare words."""
        token = self.peek(ahead) if ahead else self.tokens[self.index]
        return token.kind == "name" and token.text in words

    def accept(self, kind: str) -> Token | None:
        """Step over the current token if it is of this kind."""
        return self.next() if self.tokens[self.index].kind == kind else None

    def accept_word(self, *words: str) -> Token | None:
        """Step over the current token if it is one of these bare words."""
        return self.next() if self.at_word(*words) else None

    def expect(self, kind: str, what: str, hint: str = "") -> Token:
        """Step over a token of this kind, or fail with `expected WHAT`."""
        if self.tokens[self.index].kind != kind:
            self.fail_expected(what, hint)
        return self.next()

    def expect_word(self, word: str) -> Token:
        """Step over this bare word, or fail."""
        if not self.at_word(word):
            self.fail_expected(f"'{word}'")
        return self.next()

    def error(self, span: Span, message: str, hint: str = "") -> None:
        """Record an error and go on; after too many, at the end."""
        self.diagnostics.append(Diagnostic(self.source, span, message, hint))
        if len(self.diagnostics) > self.most:
            self.index, self.broken = len(self.tokens) - 1, True

    def fail(self, span: Span, message: str, hint: str = "") -> Unparsable:
        """Record an error and return the exception to raise."""
        self.error(span, message, hint)
        self.broken = True
        return Unparsable(message)

    def fail_expected(self, what: str, hint: str = "") -> None:
        """Raise for a token that is not what the grammar asks for here."""
        token = self.peek()
        if token.kind == "bad":
            raise Unparsable("reported by the lexer")
        raise self.fail(token.span, f"expected {what}, found {described(token)}", hint)

    def deeper(self, span: Span) -> None:
        """Enter one more level of nesting, or fail: a text must not exhaust the stack."""
        self.depth += 1
        if self.depth > 60:
            raise self.fail(span, "nested too deeply (more than 60 levels)")

    def longer(self, span: Span) -> None:
        """Count one more operator of this statement or condition, or fail: its tree must not exhaust the stack."""
        self.operators += 1
        if self.operators > 200:
            raise self.fail(
                span, "too long (more than 200 operators)", "name a part of it in a register, or use 'filter'"
            )

    def skip_newlines(self) -> None:
        """Step over line ends."""
        tokens, index = self.tokens, self.index
        while tokens[index].kind == "newline":
            index += 1
        self.index = index

    def skip_line(self) -> None:
        """Step to the end of the current line, without stepping over it."""
        while not self.at("newline", "end"):
            self.next()

    def kept(self, what: Hashable, read: Callable[[], Read]) -> Read:
        """Return what `read` reads here; of a whole line without mistakes it is kept for where the line stands again.

        `what` stands for the reader, and all that it depends on besides words and depth. Levels of a test's own, and
        what the next line goes on with, are read anew.
        """
        index = self.index
        line = self.lines.get(index)
        if line is None or self.levels is not AMDGPU:
            return read()
        stop = ahead = index + len(line.tokens)
        while self.tokens[ahead].kind == "newline":
            ahead += 1
        if self.tokens[ahead].kind == "string" or self.tokens[ahead].text in CONTINUING:
            return read()
        key = what, self.depth
        found: Read | None = line.read.get(key)  # type: ignore[assignment]
        if found is not None:
            self.index = stop
            return found
        wrong = len(self.diagnostics)
        found = read()
        if self.index == stop and len(self.diagnostics) == wrong and self.tokens[stop].kind == "newline":
            line.read[key] = found
        return found

    def since(self, first: Span) -> Span:
        """Return the span from `first` to the token before the current one."""
        return spanning(first, self.tokens[max(0, self.index - 1)].span)


def described(token: Token) -> str:
    """Return how a message names a token."""
    named = {"newline": "the end of the line", "end": "the end of the file", "tags": f"the tags '{token.text}'"}
    return named.get(token.kind, f"'{token.text}'")
