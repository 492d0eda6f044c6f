"""A place in a list of tokens, and how the parsers move it.

`Refusal` is raised at the first token that fits no rule; whoever parses statements catches it, keeps its diagnostic
and goes on at the next statement. `MAX_DEPTH` bounds how deeply expressions may nest, so that no text exhausts the
interpreter's stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from axmem.front.records import replace
from axmem.front.source import Diagnostic, Source, Span
from axmem.model.lexer import Token, TokenKind

MAX_DEPTH = 50


class Refusal(Exception):
    """What stopped the reading of one statement: a diagnostic, and the use of a function in which it arose."""

    def __init__(self, diagnostic: Diagnostic, use: str = "") -> None:
        super().__init__(diagnostic.message)
        self._diagnostic = diagnostic
        self._use = use

    @property
    def diagnostic(self) -> Diagnostic:
        """The diagnostic to show."""
        hint = "; ".join(part for part in (self._diagnostic.hint, self._use) if part)
        return replace(self._diagnostic, hint=hint)

    def used(self, where: str) -> Refusal:
        """Return the same refusal, seen from the use of a function around the one it names."""
        return type(self)(self._diagnostic, where)


class Cursor:
    """The tokens of one file and the index of the next one."""

    def __init__(self, source: Source, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.index = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.index]

    @property
    def following(self) -> Token:
        """The token after the next."""
        # The last token is END, and what follows it is END again: no caller asks whether there is a next one.
        return self.tokens[min(self.index + 1, len(self.tokens) - 1)]

    def advance(self) -> Token:
        """Return the next token and move past it (never past the end)."""
        token = self.token
        if token.kind is not TokenKind.END:
            self.index += 1
        return token

    def at(self, *texts: str) -> bool:
        """Tell whether the next token is one of these keywords or symbols."""
        return self.token.kind in (TokenKind.KEYWORD, TokenKind.SYMBOL) and self.token.text in texts

    def take(self, text: str) -> bool:
        """Move past this keyword or symbol if it comes next, and tell whether it did."""
        if self.at(text):
            self.advance()
            return True
        return False

    def expect(self, text: str, where: str) -> Token:
        """Move past this keyword or symbol, which must come next; `where` ends the message."""
        if not self.at(text):
            raise self.refuse(f"expected `{text}` {where}, found {self.shown()}")
        return self.advance()

    def expect_kind(self, kind: TokenKind, where: str) -> Token:
        """Move past a token of this kind, which must come next; `where` ends the message."""
        if self.token.kind is not kind:
            raise self.refuse(f"expected {kind.value} {where}, found {self.shown()}")
        return self.advance()

    def shown(self) -> str:
        """Return the next token as messages name it."""
        match self.token.kind:
            case TokenKind.END:
                return "the end of the file"
            case TokenKind.KEYWORD:
                return f"the keyword `{self.token.text}`"
            case TokenKind.STRING:
                return f'`"{self.token.text}"`'
        return f"`{self.token.text}`"

    def refuse(self, message: str, hint: str = "", span: Span | None = None) -> Refusal:
        """Return the error to raise about the next token or about `span`."""
        return Refusal(Diagnostic(self.source, span or self.token.span, message, hint))

    def since(self, start: Token) -> Span:
        """Return the span from `start` to the end of the last token taken."""
        # Offsets, not columns: a span may run over several lines, and is shown on the first.
        last = self.tokens[max(self.index - 1, 0)]
        return Span(start.span.line, start.span.column, max(1, last.end - start.start))

    def text_since(self, start: Token) -> str:
        """Return the text from `start` to the last token taken, on one line."""
        last = self.tokens[max(self.index - 1, 0)]
        return " ".join(self.source.text[start.start : last.end].split())

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Count one level of nesting, and refuse to go too deep."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.refuse("this nests too deeply", f"at most {MAX_DEPTH} levels are read: name a part with `let`")
        try:
            yield
        finally:
            self.depth -= 1
