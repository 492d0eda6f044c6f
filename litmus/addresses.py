"""Addresses in the text of a test.

What goes in: a cursor at an address. What comes out: an untyped `Address`, an expression with perhaps an index. A type
that the text states becomes a claim on the expression, as in `expressions.py`.
"""

from __future__ import annotations

from axmem.front.source import Span
from axmem.litmus.cursor import Cursor
from axmem.litmus.expressions import claim, parse_expression, parse_infix, parse_primary
from axmem.litmus.spelling import RESERVED, at_type, parse_type
from axmem.litmus.syntax import Address, Expr, Type


def parse_address(cursor: Cursor) -> Address:
    """Read `x`, `x[i]`, `x + 4`, `p[r0 ^ r0]`, `ptr addrspace(1) @x`, `getelementptr (…)`."""
    start = cursor.peek().span
    stated = parse_type(cursor) if at_type(cursor) else None
    if cursor.at("&", "-", "~"):
        return Address(_stated(cursor, parse_infix(cursor, 0), stated, start), span=cursor.since(start))
    if not cursor.at("name", "local", "global", "("):
        cursor.fail_expected("an address")
    base: Expr = _pointer_word(cursor)
    index: Expr | None = None
    if cursor.accept("["):
        index = parse_expression(cursor)
        cursor.expect("]", "']'")
    else:
        base = parse_infix(cursor, 0, base)
    return Address(_stated(cursor, base, stated, start), index, cursor.since(start))


def _pointer_word(cursor: Cursor) -> Expr:
    token = cursor.peek()
    if token.kind == "name" and token.text in RESERVED and token.text != "getelementptr":
        cursor.fail_expected("an address")
    return parse_primary(cursor)


def _stated(cursor: Cursor, base: Expr, stated: Type | None, start: Span) -> Expr:
    if stated is None:
        return base
    if stated.pointer is None or stated.lanes:
        hint = "write the accessed type before it, with a comma after it"
        raise cursor.fail(start, "an address has a pointer type", hint)
    return claim(cursor, base, stated, start)
