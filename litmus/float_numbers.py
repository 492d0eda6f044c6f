"""Numbers of floating point in the text of a test.

What goes in: a cursor at a number. What comes out: a `Number` that holds the bits of the value in its format.
"""

from __future__ import annotations

from math import inf

from axmem.front.source import Span
from axmem.litmus.cursor import Cursor
from axmem.litmus.floats import float_bits, number_at
from axmem.litmus.lexer import numeral
from axmem.litmus.spelling import floating_name, parse_type
from axmem.litmus.syntax import Number, Type


def parse_float(cursor: Cursor) -> Number:
    """Read `float 1.5`, `half -0.25`, `double 0x7FF0000000000000`: a number of floating point, as its bits."""
    start = cursor.peek().span
    type_ = parse_type(cursor, floating=True)
    if type_.lanes or not at_float(cursor):
        hint = "values are bits: of anything else than a number, state the integer of the same width"
        raise cursor.fail(start, "a type of floating point stands here only before a number", hint)
    return float_digits(cursor, type_, start)


def at_float(cursor: Cursor) -> bool:
    """Tell whether digits of floating point stand here, perhaps after a sign."""
    return cursor.at("float", "number") or (cursor.at("-") and cursor.peek(1).kind == "float")


def float_digits(cursor: Cursor, type_: Type, start: Span) -> Number:
    """Read the digits of a number of floating point; those in hexadecimal, and 0, are its bits."""
    bits = type_.bits
    negative = cursor.accept("-") is not None
    token = cursor.next()
    if token.kind == "float":
        value = float_bits(token.text, bits) ^ negative << bits - 1
        if number_at(value, bits) in (inf, -inf):
            raise cursor.fail(token.span, f"the number is too large for a {floating_name(type_)}")
    else:
        value = numeral(token.text)
        if value and token.text[:2] not in ("0x", "0X"):
            hint = f"write {token.text}.0, or the bits in hexadecimal"
            raise cursor.fail(token.span, "an integer is no number of floating point", hint)
    return Number(value, type_, cursor.since(start))
