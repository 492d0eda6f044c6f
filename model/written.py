"""The text of a model as one file: each include is the text that it means, and overrides are in their places.

What goes in: the text of a model and a choice of variants. What comes out: cat text without an `include`, a reading or
an override, which defines the same model: it can be read, changed and loaded. A variant that is not at its default is
declared with the one value that the text has, since engines may read it; a model's own `if` stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from axmem.front.source import Source, Span
from axmem.model.doccomments import is_directive
from axmem.model.elaborate import Elaborator
from axmem.model.files import Finder
from axmem.model.lexer import Lexer, Token, TokenKind
from axmem.model.overrides import ElaboratedStatement
from axmem.model.parser import parse
from axmem.model.syntax import (
    After,
    Binding,
    Check,
    Conditional,
    Declaration,
    Default,
    Include,
    Let,
    Override,
    Readings,
    Statement,
    Undef,
)

Edit = tuple[int, int, str]
"""From where to where a text is replaced, and by what."""


def written(source: Source, variants: Mapping[str, str], include: Finder) -> str:
    """Return the text of a model under a choice of variants. Raises InputError for what is wrong with either."""
    whole = Elaborator(variants, include)
    tree = parse(source)
    whole.whole(source, tree)
    whole.check()
    writer = _Writer(whole, include)
    body = writer.file(source)
    own = set(writer.declared)
    values = {v.name: whole.variants.value(v) for v in whole.variants.declared.values() if v.name not in own}
    changed = {name: value for name, value in values.items() if value != plain(whole)[name]}
    texts = {v.name: v.text for v in whole.variants.declared.values()}
    head = "".join(f"(** @variant {name} = *{value} : {texts[name]} *)\n" for name, value in sorted(changed.items()))
    added = "".join(f"\n{writer.statement(file, statement)}\n" for file, statement in whole.added)
    title = f'"{tree.title or source.name}"\n'
    return re.sub(r"\n{3,}", "\n\n", f"{title}\n{head}\n{body.strip()}\n{added}")


def plain(whole: Elaborator) -> dict[str, str]:
    """Return the values of a model's variants at which no reading replaces anything: those of their declarations."""
    found = {v.name: v.default for v in whole.variants.declared.values()}
    for file in whole.readings.values():
        found |= {s.name: s.default for s in parse(file).statements if isinstance(s, Declaration)}
    return found


def plain_choice(source: Source, include: Finder) -> dict[str, str]:
    """Return the choice of variants under which a model's text stands as it is written, without overrides."""
    whole = Elaborator({}, include)
    whole.whole(source, parse(source))
    whole.check()
    return plain(whole)


class _Writer:
    """The files of one elaboration, each with the tokens that it is made of."""

    def __init__(self, whole: Elaborator, include: Finder) -> None:
        self.whole = whole
        self.include = include
        self.declared: list[str] = []
        """The variants that the texts themselves declare."""
        self._tokens: dict[Source, tuple[list[Token], dict[tuple[int, int], int]]] = {}
        self._replaced = {
            (source, statement.span, _names(statement)): placed
            for source, statement, placed in whole.overrides.replaced
        }

    def file(self, source: Source) -> str:
        """Return the text of a file from below its title."""
        tokens, _ = self.tokens(source)
        tree = parse(source)
        begin = 0
        for token in tokens[:2]:
            if token.kind in (TokenKind.STRING, TokenKind.NAME) and token.text == tree.title:
                begin = token.end
        edits = sorted(self.edits(source, tree.statements))
        out, at = [], begin
        for start, end, text in edits:
            if start >= at:
                out += [source.text[at:start], text]
                at = end
        return "".join([*out, source.text[at:]])

    def edits(self, source: Source, statements: tuple[Statement, ...]) -> Iterator[Edit]:
        """Yield what stands otherwise in a file than it is written."""
        for statement in statements:
            match statement:
                case Let() | Check() | Undef():
                    placed = self._replaced.get((source, statement.span, _names(statement)))
                    if placed is not None:
                        start, end = self.extent(source, statement.span)
                        yield start, end, "\n".join(map(self.placed, placed))
                case Include():
                    _, end = self.place(source, statement.span)
                    found = self.include(statement.file, source)
                    assert found is not None, statement.file
                    keyword = source.text.rfind("include", 0, self.place(source, statement.span)[0])
                    yield keyword, end, self.file(found).strip()
                case Conditional():
                    yield from self.edits(source, (*statement.yes, *statement.no))
                case Override():
                    yield (*self.extent(source, statement.span), "")
                case Readings() | After() | Default():
                    yield (*self.place(source, statement.span), "")
                case Declaration():
                    yield self.declaration(source, statement)
                case _:
                    pass

    def declaration(self, source: Source, statement: Declaration) -> Edit:
        """Return the declaration of a variant with the chosen value as its default."""
        self.declared.append(statement.name)
        chosen = self.whole.variants.value(self.whole.variants.declared[statement.name])
        values = " | ".join(f"*{value}" if value == chosen else value for value in statement.values)
        decides = f" : {statement.text}" if statement.text else ""
        return (*self.place(source, statement.span), f"(** @variant {statement.name} = {values}{decides} *)")

    def placed(self, one: ElaboratedStatement) -> str:
        """Return the text of what stands in a place."""
        statement = one.statement
        if not isinstance(statement, Let):
            return self.statement(one.source, statement)
        parts = []
        for i, binding in enumerate(statement.bindings):
            word = "and" if i else "let rec" if statement.recursive else "let"
            parts.append(self.binding(one.sources.get(binding.name, one.source), binding, word))
        return "\n".join(parts)

    def statement(self, source: Source, statement: Statement) -> str:
        """Return the text of a statement with the doc comments above it."""
        if isinstance(statement, Let):
            return self.placed(ElaboratedStatement(source, statement, {}))
        start, end = self.extent(source, statement.span)
        text = re.sub(r"(?m)^(\s*)override (?=[a-z~])", r"\1", source.text[start:end], count=1)
        return _flush(source, start, text)

    def binding(self, source: Source, binding: Binding, word: str) -> str:
        """Return the text of one definition with the doc comments above it."""
        tokens, index = self.tokens(source)
        at = index[binding.span.line, binding.span.column]
        first = at
        while tokens[first].text not in ("let", "and"):
            first -= 1
        if tokens[first - 1].text == "override":
            first -= 1
        start, end = self.docs(source, tokens[first].start), tokens[at].start + binding.extent.length
        docs = source.text[start : tokens[first].start]
        return _flush(source, start, f"{docs}{word} {source.text[tokens[at].start : end]}")

    def docs(self, source: Source, start: int) -> int:
        """Return where the doc comments of the token at an offset begin, or the token if it has none."""
        tokens, _ = self.tokens(source)
        token = next(token for token in tokens if token.start == start)
        adjacent = [c for c in token.comments if c.adjacent and not is_directive(c)]
        return self.place(source, adjacent[0].span)[0] if adjacent else start

    def extent(self, source: Source, span: Span) -> tuple[int, int]:
        """Return where a statement begins, with an `override` before it and the doc comments above it, and ends."""
        start, end = self.place(source, span)
        tokens, index = self.tokens(source)
        at = index[span.line, span.column]
        if at and tokens[at - 1].text == "override":
            start = tokens[at - 1].start
        return self.docs(source, start), end

    def place(self, source: Source, span: Span) -> tuple[int, int]:
        """Return the offsets of a span."""
        start = 0
        for _ in range(span.line - 1):
            start = source.text.index("\n", start) + 1
        start += span.column - 1
        return start, start + span.length

    def tokens(self, source: Source) -> tuple[list[Token], dict[tuple[int, int], int]]:
        """Return the tokens of a file, and their indices by line and column."""
        if source not in self._tokens:
            found = Lexer(source).run()
            self._tokens[source] = found, {(t.span.line, t.span.column): i for i, t in enumerate(found)}
        return self._tokens[source]


def _names(statement: Statement) -> tuple[str, ...]:
    return tuple(b.name for b in statement.bindings) if isinstance(statement, Let) else ()


def _flush(source: Source, start: int, text: str) -> str:
    """Return a text without the blanks that the lines of its place begin with."""
    indent = start - (source.text.rfind("\n", 0, start) + 1)
    return re.sub(rf"\n {{1,{indent}}}", "\n", text) if indent else text
