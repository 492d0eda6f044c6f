"""The statements of cat: from a `Source` to a `syntax.File`.

After a statement that cannot be read the parser goes on at the next line that begins with a statement's keyword, so
one run reports several mistakes; it raises them together as one `InputError`, in the order of the text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from axmem.front.source import ENOUGH, Diagnostic, InputError, Source, first_errors
from axmem.model import doccomments
from axmem.model.cursor import Cursor, Refusal
from axmem.model.expressions import arguments, bindings, condition, expression, parameter_list
from axmem.model.lexer import CAT, OVERRIDE, Dialect, DocComment, Lexer, TokenKind
from axmem.model.remarks import DocError
from axmem.model.syntax import Call, Check, Conditional, File, Include, Let, Override, Procedure, Statement, Undef, With
from axmem.model.terms import AxiomKind, Doc

AXIOMS = tuple(kind.value for kind in AxiomKind)

COMPUTED = frozenset({"addr", "data", "ctrl", "pick-addr-dep", "pick-data-dep", "pick-ctrl-dep", "pick-dep"})
"""Dependencies, which a file that says `catdep` computes from events of registers. Here a test gives them."""

FURTHER = ("procedure", "call", "with")
"""Statements that models of other tools have; `axmem.model.parser`, which reads them, is loaded then."""

STATEMENTS = frozenset((
    *AXIOMS, "~", "let", OVERRIDE, "flag", "undefined_unless", "show", "unshow", "include", "undef", "if", "assert",
    "catdep", *FURTHER,
))  # fmt: skip

OPTIONS = frozenset({"withco", "withoutco", "withinit", "withoutinit", "withsc", "withoutsc"})
"""What may follow the title of a model of herd's; the engine chooses coherence orders in any case."""

UNSUPPORTED = {
    "forall": "`forall … do` is not supported",
    "match": "a `match … with` is an expression",
    "enum": "`enum` belongs to bell files, which are not supported",
    "instructions": "`instructions` belongs to bell files, which are not supported",
    "default": "`default` belongs to bell files, which are not supported",
    "debug": "`debug` is not supported",
}

BLOCKS = frozenset(("forall", "match"))
"""Unsupported statements that end with `end`."""


@lru_cache(maxsize=64)
def parse(source: Source, language: Dialect = CAT) -> File:
    """Return the syntax tree of a file of cat, or raise `InputError` with everything that is wrong with its form."""
    tree, diagnostics = read(source, language)
    found = first_errors(diagnostics)
    if found:
        raise InputError(found)
    return tree


def read(source: Source, language: Dialect = CAT) -> tuple[File, list[Diagnostic]]:
    """Return the syntax tree of what can be read of a file of cat, and what is wrong with the rest."""
    lexer = Lexer(source, language)
    parser = _Parser(Cursor(source, lexer.run()))
    return parser.file(), lexer.diagnostics + parser.diagnostics


class _Parser:
    """The statements of one file, and the diagnostics met on the way."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.diagnostics: list[Diagnostic] = []
        self.leading: list[Statement] = []
        self.computes = False

    def file(self) -> File:
        title = self._title()
        begin, at = self.cursor.tokens[0], self.cursor.index
        head = self.cursor.source.text[begin.start : self.cursor.tokens[at - 1].end] if at else ""
        statements: list[Statement] = []
        statements += self.statements()
        while self.cursor.at("end", "else"):
            self._report(self.cursor.refuse(f"{self.cursor.shown()} closes nothing").diagnostic)
            self.cursor.advance()
            statements += self.statements()
        statements += self._directives(self.cursor.token.comments)
        return File(title, tuple(statements), head.replace('"', ""))

    def _title(self) -> str:
        """Read `"title"`, `NAME`, or the two parts `ARCH NAME` and `ARCH "title"`; a file needs none."""
        cursor = self.cursor
        first = cursor.token
        if first.kind not in (TokenKind.NAME, TokenKind.STRING):
            return ""
        self.leading = self._directives(first.comments)
        title = cursor.advance().text
        if first.kind is TokenKind.NAME and cursor.token.kind in (TokenKind.NAME, TokenKind.STRING):
            title = cursor.advance().text if cursor.token.span.line == first.span.line else title
        while cursor.token.kind is TokenKind.NAME and cursor.token.text in OPTIONS:
            cursor.advance()
        return title

    def statements(self) -> list[Statement]:
        """Read statements up to `end`, `else` or the end of the file."""
        out, self.leading = self.leading, []
        cursor = self.cursor
        while cursor.token.kind is not TokenKind.END and not cursor.at("end", "else"):
            begin = cursor.index
            try:
                out += self._directives(cursor.token.comments)
                if (statement := self._statement()) is not None:
                    out.append(statement)
            except (Refusal, DocError) as error:
                self._report(error.diagnostic if isinstance(error, Refusal) else self._of_comment(error))
                self._recover(begin)
        if cursor.at("end", "else"):
            out += self._directives(cursor.token.comments)
        return out

    def _report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)
        if len(self.diagnostics) > ENOUGH:
            self.cursor.index = len(self.cursor.tokens) - 1

    def _recover(self, begin: int) -> None:
        """Move to the next statement that begins a line, at least one token on from `begin`."""
        cursor = self.cursor
        if cursor.index == begin:
            first = cursor.advance()
            if first.kind is TokenKind.KEYWORD and first.text in BLOCKS:
                self._skip_block()
        while cursor.token.kind is not TokenKind.END:
            begins_line = cursor.tokens[cursor.index - 1].span.line < cursor.token.span.line
            if begins_line and (cursor.at(*STATEMENTS) or cursor.at(*UNSUPPORTED) or cursor.at("end", "else")):
                return
            cursor.advance()

    def _skip_block(self) -> None:
        """Move behind the `end` of an unsupported block, or stay if it has none."""
        # An `end` inside an unsupported block closes what was opened in it, and no `if` of ours around it.
        cursor, depth = self.cursor, 1
        for index in range(cursor.index, len(cursor.tokens)):
            token = cursor.tokens[index]
            if token.kind is TokenKind.KEYWORD:
                depth += 1 if token.text in BLOCKS or token.text == "begin" else -1 if token.text == "end" else 0
            if depth == 0:
                cursor.index = index + 1
                return

    def _directives(self, comments: tuple[DocComment, ...]) -> list[Statement]:
        out: list[Statement] = []
        for comment in comments:
            if doccomments.is_about_nothing(comment, defines=self.cursor.at("let", OVERRIDE)):
                hint = "remarks belong directly above a `let` or an `and` of the file"
                self._report(Diagnostic(self.cursor.source, comment.span, "this speaks of no definition", hint))
            if doccomments.is_directive(comment):
                try:
                    out.append(doccomments.directive(comment))
                except DocError as error:
                    self._report(self._of_comment(error))
        return out

    def _of_comment(self, error: DocError) -> Diagnostic:
        return Diagnostic(self.cursor.source, error.span, error.message, error.hint)

    def _override(self, doc: Doc) -> Override:
        cursor = self.cursor
        start = cursor.advance()
        rule = not cursor.at("let")
        found = self._own(doc)
        assert isinstance(found, (Let, Check, Undef)), found
        if rule and cursor.tokens[cursor.index - 2].text != "as":
            hint = "end with `as name`"
            raise cursor.refuse("an override of a rule names the rule that it replaces", hint, cursor.since(start))
        return Override(found, cursor.since(start))

    def _statement(self) -> Statement | None:
        """Read one statement; None for those that only concern display."""
        doc = doccomments.doc(self.cursor.token.comments)
        return self._override(doc) if self.cursor.at(OVERRIDE) else self._own(doc)

    def _own(self, doc: Doc) -> Statement | None:
        cursor = self.cursor
        start = cursor.token
        if cursor.take("catdep"):
            self.computes = True
            return None
        if cursor.take("let"):
            recursive = cursor.take("rec")
            bound = bindings(cursor, doc)
            if self.computes and {b.name for b in bound} <= COMPUTED:
                return None
            if cursor.at("in"):
                raise cursor.refuse("a definition for the whole file has no `in`")
            span = cursor.since(start)
            when = self._check(Doc()) if recursive and cursor.take("when") else None
            return Let(bound, recursive, span, when)
        if cursor.at("flag", "undefined_unless", "assert", "~", *AXIOMS):
            return self._check(doc)
        if cursor.take("undef"):
            body = expression(cursor)
            name = self._name_of(cursor.text_since(start))
            return Undef(body, name, doc, cursor.since(start))
        if cursor.take("include"):
            file = cursor.expect_kind(TokenKind.STRING, "after `include`")
            return Include(file.text, file.span)
        if cursor.at("show", "unshow"):
            self._show()
            return None
        if cursor.at("if"):
            return self._conditional()
        if cursor.at(*FURTHER):
            return _of_other_tools(cursor, doc, self.statements)
        if start.kind is TokenKind.KEYWORD and start.text in UNSUPPORTED:
            raise cursor.refuse(UNSUPPORTED[start.text])
        raise cursor.refuse(
            f"expected a statement, found {cursor.shown()}",
            "statements begin with let, acyclic, irreflexive, empty, flag, undef, include, show or if",
        )

    def _check(self, doc: Doc) -> Check:
        cursor = self.cursor
        start = cursor.token
        unless = cursor.take("undefined_unless")
        asserted = not unless and cursor.take("assert")  # What does not hold is flagged.
        flag = unless or asserted or cursor.take("flag")
        negated = cursor.take("~")
        if not cursor.at(*AXIOMS):
            raise cursor.refuse(f"expected `acyclic`, `irreflexive` or `empty`, found {cursor.shown()}")
        kind = AxiomKind(cursor.advance().text)
        body = expression(cursor)
        name = self._name_of(cursor.text_since(start))
        return Check(kind, body, name, negated != (unless or asserted), flag, doc, cursor.since(start))

    def _name_of(self, text: str) -> str:
        if self.cursor.take("as"):
            return self.cursor.expect_kind(TokenKind.NAME, "after `as`").text
        return text

    def _show(self) -> None:
        cursor = self.cursor
        shows = cursor.advance().text == "show"
        expression(cursor)
        if shows and cursor.take("as"):
            cursor.expect_kind(TokenKind.NAME, "after `as`")
            return
        while cursor.take(","):
            expression(cursor)

    def _conditional(self) -> Conditional:
        cursor = self.cursor
        start = cursor.advance()
        with cursor.nested():
            asked = condition(cursor)
            span = cursor.since(start)
            cursor.take("then")
            yes = self.statements()
            no = self.statements() if cursor.take("else") else []
            cursor.expect("end", f"to close the `if` of line {start.span.line}")
            return Conditional(asked, tuple(yes), tuple(no), span)


def _of_other_tools(cursor: Cursor, doc: Doc, statements: Callable[[], list[Statement]]) -> Statement:
    """Parse a `with`, a `procedure` or a `call`, which our models lack; `statements` reads those up to an `end`."""
    start = cursor.advance()
    name = cursor.expect_kind(TokenKind.NAME, f"after `{start.text}`")
    if start.text == "with":
        if not (cursor.token.kind is TokenKind.KEYWORD and cursor.take("from")):
            raise cursor.refuse(f"expected `from` after `with {name.text}`, found {cursor.shown()}")
        return With(name.text, expression(cursor), doc, cursor.since(start))
    if start.text == "call":
        given = arguments(cursor) if cursor.at("(") else ()
        # herd can be told to leave a call of this name out.
        if cursor.take("as"):
            cursor.expect_kind(TokenKind.NAME, "after `as`")
        return Call(name.text, given, cursor.since(start))
    cursor.expect("(", f"after the name of the procedure `{name.text}`")
    parameters = parameter_list(cursor)
    cursor.expect("=", f"in the definition of `{name.text}`")
    with cursor.nested():
        body = statements()
        cursor.expect("end", f"to close the procedure of line {start.span.line}")
    return Procedure(name.text, parameters, tuple(body), cursor.since(start))
