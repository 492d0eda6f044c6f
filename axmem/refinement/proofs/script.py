"""Files of lemmas: from a `Source` to a `Script`.

What goes in: text of the language that docs/prove.md describes: cat's definitions and expressions, and statements that
say what is to be proved, by which lemmas, from what. What comes out: its statements in order, each with its place.
After a statement that cannot be read the parser goes on at the next; what it found is raised together as one
`InputError`.
"""

from __future__ import annotations

from typing import TypeAlias

from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, InputError, Source, Span
from axmem.model.cursor import Cursor, Refusal
from axmem.model.expressions import bindings, expression
from axmem.model.lexer import Lexer, Token, TokenKind, dialect
from axmem.model.syntax import Expression, Let
from axmem.model.terms import Doc

_STATEMENTS = (
    *("theorem", "rule", "model", "premise", "let", "include", "lemma", "show", "within", "around", "axiom", "undef"),
)
_HINTS = ("by", "unfolding", "using")

_LANGUAGE = dialect((*_STATEMENTS, *_HINTS), "<= | :")


@dataclass(frozen=True, slots=True)
class Word:
    """A name or a string with its place."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Hints:
    """How a step is proved: by induction or in one step, which definitions are written out, what else is supposed."""

    induction: bool = False
    unfolding: tuple[Word, ...] = ()
    using: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class InclusionClaim:
    """`smaller <= larger`, and this text."""

    smaller: Expression
    larger: Expression
    text: str


@dataclass(frozen=True, slots=True)
class Lemma:
    """`lemma name: A <= B, C <= D`; with `shown` set `show`, which is what the file is to prove."""

    name: str
    parts: tuple[InclusionClaim, ...]
    hints: Hints
    shown: bool
    span: Span


@dataclass(frozen=True, slots=True)
class CarriedOver:
    """`within a, b`: each definition of the execution that follows lies in that of the first; `around`: holds it."""

    names: tuple[Word, ...]
    around: bool
    hints: Hints
    span: Span


@dataclass(frozen=True, slots=True)
class Hinted:
    """`axiom name …` and `undef …`: how what the theorem asks of a rule is proved; the name of `undef` is empty."""

    name: Word
    hints: Hints


@dataclass(frozen=True, slots=True)
class About:
    """`theorem "key", …`, `rule "name"`, `model "name[…]"`, `premise name, …` or `include "file"`, as `kind` says."""

    kind: str
    words: tuple[Word, ...]


Statement: TypeAlias = Let | Lemma | CarriedOver | Hinted | About


@dataclass(frozen=True, slots=True)
class Script:
    """A file's statements in order."""

    source: Source
    statements: tuple[Statement, ...]

    def about(self, kind: str) -> tuple[Word, ...]:
        """Return the words of all statements of a kind."""
        return tuple(w for s in self.statements if isinstance(s, About) and s.kind == kind for w in s.words)


def parse(source: Source) -> Script:
    """Return the statements of a file of lemmas, or raise `InputError` with everything that is wrong with its form."""
    lexer = Lexer(source, _LANGUAGE)
    cursor = Cursor(source, lexer.run())
    statements: list[Statement] = []
    found: list[Diagnostic] = [*lexer.diagnostics]
    while not _ended(cursor):
        begin = cursor.index
        try:
            statements.append(_statement(cursor))
        except Refusal as refusal:
            found.append(refusal.diagnostic)
            cursor.index = max(cursor.index, begin + 1)
            while not _ended(cursor) and not cursor.at(*_STATEMENTS):
                cursor.advance()
    if found:
        raise InputError(sorted(found, key=lambda d: (d.span.line, d.span.column)))
    return Script(source, tuple(statements))


def _ended(cursor: Cursor) -> bool:
    return cursor.token.kind is TokenKind.END


def _statement(cursor: Cursor) -> Statement:
    start = cursor.token
    if not cursor.at(*_STATEMENTS):
        raise cursor.refuse(
            f"expected a statement, found {cursor.shown()}", f"statements begin with {', '.join(_STATEMENTS)}"
        )
    kind = cursor.advance().text
    match kind:
        case "let":
            recursive = cursor.take("rec")
            return Let(bindings(cursor, Doc()), recursive, cursor.since(start))
        case "theorem" | "rule" | "model" | "include":
            return About(kind, _listed(cursor, TokenKind.STRING, f"after `{kind}`"))
        case "premise":
            return About(kind, _listed(cursor, TokenKind.NAME, "after `premise`"))
        case "lemma" | "show":
            return _lemma(cursor, start, shown=kind == "show")
        case "within" | "around":
            names = _listed(cursor, TokenKind.NAME, f"after `{kind}`")
            span = cursor.since(start)
            return CarriedOver(names, kind == "around", _hints(cursor), span)
    name = Word("", start.span) if kind == "undef" else _word(cursor, TokenKind.NAME, "after `axiom`")
    return Hinted(name, _hints(cursor))


def _lemma(cursor: Cursor, start: Token, *, shown: bool) -> Lemma:
    name = _word(cursor, TokenKind.NAME, "for the lemma").text
    cursor.expect(":", f"after the name `{name}`")
    parts = [_part(cursor)]
    while cursor.take(","):
        parts.append(_part(cursor))
    span = cursor.since(start)
    return Lemma(name, tuple(parts), _hints(cursor), shown, span)


def _part(cursor: Cursor) -> InclusionClaim:
    start = cursor.token
    smaller = expression(cursor)
    cursor.expect("<=", "between what is smaller and what is larger")
    larger = expression(cursor)
    return InclusionClaim(smaller, larger, cursor.text_since(start))


def _hints(cursor: Cursor) -> Hints:
    induction = False
    unfolding: tuple[Word, ...] = ()
    using: tuple[Word, ...] = ()
    while cursor.at(*_HINTS):
        match cursor.advance().text:
            case "by":
                word = _word(cursor, TokenKind.NAME, "after `by`")
                if word.text != "induction":
                    raise cursor.refuse(f"a step is proved `by induction`, not by `{word.text}`", span=word.span)
                induction = True
            case "unfolding":
                unfolding = (*unfolding, *_listed(cursor, TokenKind.NAME, "after `unfolding`"))
            case _:
                using = (*using, *_listed(cursor, TokenKind.NAME, "after `using`"))
    return Hints(induction, unfolding, using)


def _listed(cursor: Cursor, kind: TokenKind, where: str) -> tuple[Word, ...]:
    words = [_word(cursor, kind, where)]
    while cursor.take(","):
        words.append(_word(cursor, kind, where))
    return tuple(words)


def _word(cursor: Cursor, kind: TokenKind, where: str) -> Word:
    token = cursor.expect_kind(kind, where)
    return Word(token.text, token.span)
