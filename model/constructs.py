"""The forms of cat that models of other tools have, and ours do not: what the parser of `axmem.model` loads for them.

What goes in: a `Cursor` at the keyword of such a form. What comes out: its tree, the cursor behind it. These are the
statements `with … from`, `procedure` and `call`, and the expressions `try`, `fun` and `match` on what a set is made of.
"""

from __future__ import annotations

from collections.abc import Callable

from axmem.model import expressions
from axmem.model.cursor import Cursor
from axmem.model.expressions import arguments, parameter_list
from axmem.model.lexer import TokenKind
from axmem.model.syntax import Binding, Call, Expression, Lambda, Match, Procedure, Statement, Try, With
from axmem.model.terms import Doc


def expression(cursor: Cursor) -> Expression:
    """Parse a `try`, a `fun` or a `match`."""
    start = cursor.advance()
    if start.text == "try":
        body = expressions.expression(cursor)
        cursor.expect("with", "after what is tried")
        return Try(body, expressions.expression(cursor), cursor.since(start))
    if start.text == "match":
        return _match(cursor)
    if cursor.take("("):
        parameters = parameter_list(cursor)
    else:
        parameters = (cursor.expect_kind(TokenKind.NAME, "as a parameter").text,)
    cursor.expect("->", "after the parameters")
    body = expressions.expression(cursor)
    return Lambda(Binding("fun", parameters, body, Doc(), start.span), cursor.since(start))


def _match(cursor: Cursor) -> Expression:
    """Parse the rest of a match; its two cases may stand in either order."""
    start = cursor.tokens[cursor.index - 1]
    value = expressions.expression(cursor)
    cursor.expect("with", "after what is matched")
    nothing: Expression | None = None
    some: tuple[str, str, Expression] | None = None
    while not cursor.take("end"):
        cursor.expect("||", "before a case of the `match`")
        case = cursor.token
        if cursor.take("{"):
            cursor.expect("}", "in the case of the empty set")
            cursor.expect("->", "after the case")
            nothing = expressions.expression(cursor)
            continue
        if case.kind is not TokenKind.NAME:
            raise cursor.refuse(
                f"expected a case, found {cursor.shown()}", "a set is `{}` or `first ++ rest`; tags are not supported"
            )
        cursor.advance()
        cursor.expect("++", "in the case of a set that is not empty")
        rest = cursor.expect_kind(TokenKind.NAME, "for the rest of the set")
        cursor.expect("->", "after the case")
        some = case.text, rest.text, expressions.expression(cursor)
    if nothing is None or some is None:
        hint = "it needs `|| {} -> …` and `|| first ++ rest -> …`"
        raise cursor.refuse("this `match` lacks a case", hint, start.span)
    return Match(value, nothing, *some, cursor.since(start))


def statement(cursor: Cursor, doc: Doc, statements: Callable[[], list[Statement]]) -> Statement:
    """Parse a `with`, a `procedure` or a `call`; `statements` reads those up to an `end`."""
    start = cursor.advance()
    name = cursor.expect_kind(TokenKind.NAME, f"after `{start.text}`")
    if start.text == "with":
        if not (cursor.token.kind is TokenKind.KEYWORD and cursor.take("from")):
            raise cursor.refuse(f"expected `from` after `with {name.text}`, found {cursor.shown()}")
        return With(name.text, expressions.expression(cursor), doc, cursor.since(start))
    if start.text == "call":
        given = arguments(cursor) if cursor.at("(") else ()
        return Call(name.text, given, cursor.since(start))
    cursor.expect("(", f"after the name of the procedure `{name.text}`")
    parameters = parameter_list(cursor)
    cursor.expect("=", f"in the definition of `{name.text}`")
    with cursor.nested():
        body = statements()
        cursor.expect("end", f"to close the procedure of line {start.span.line}")
    return Procedure(name.text, parameters, tuple(body), cursor.since(start))
