"""The statements of cat that models of other tools have, and ours do not.

What goes in: a `Cursor` at the keyword of such a form. What comes out: its tree, the cursor behind it. These are the
statements `with … from`, `procedure` and `call`.
"""

from __future__ import annotations

from collections.abc import Callable

from axmem.model.cursor import Cursor
from axmem.model.expressions import arguments, expression, parameter_list
from axmem.model.lexer import TokenKind
from axmem.model.syntax import Call, Procedure, Statement, With
from axmem.model.terms import Doc


def statement(cursor: Cursor, doc: Doc, statements: Callable[[], list[Statement]]) -> Statement:
    """Parse a `with`, a `procedure` or a `call`; `statements` reads those up to an `end`."""
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
