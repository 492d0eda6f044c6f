"""The initial values of a test of herd's form: `{ x = 0; int y; 0:X1 = x; int a[2] = {1, 2}; }`.

What goes in: the text between the braces. What comes out: `Initial`s in the order of the text; what is no initial value
is recorded with its place.
"""

from __future__ import annotations

from axmem.formats.herd.ending import thread_named
from axmem.formats.herd.text import HerdText, tokens
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, Span
from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.lexer import numeral
from axmem.litmus.syntax import AddressOf, Expr, Number, VectorOf

_TYPED = frozenset({"name", "*", "number", "["})
"""What may follow the word of a type."""


@dataclass(frozen=True, slots=True)
class Initial:
    """One initial value: of a location, or of a register if there is a `thread`.

    `type` are the words before the name (`atomic_int`, `uint64_t`, `_Atomic int`), to which `pointers` stars belong;
    `length` is that of an array. No `value` is 0.
    """

    thread: str
    name: str
    type: tuple[str, ...]
    pointers: int
    length: int | None
    value: Expr | None
    span: Span


def parse_initial(text: HerdText, start: int, end: int, diagnostics: list[Diagnostic]) -> tuple[Initial, ...]:
    """Return the initial values between two offsets."""
    words, more = tokens(text, start, end)
    diagnostics += more
    cursor = Cursor(text.source, words, diagnostics)
    found: list[Initial] = []
    while not cursor.at("end"):
        if cursor.accept(";"):
            continue
        try:
            found.append(_initial(cursor))
            if not cursor.at(";", "end"):
                cursor.fail_expected("';' after an initial value")
        except Unparsable:
            while not cursor.at(";", "end"):
                cursor.next()
    seen: set[tuple[str, str]] = set()
    for each in found:
        if (each.thread, each.name) in seen:
            what = f"{each.thread}:{each.name}" if each.thread else each.name
            diagnostics.append(Diagnostic(text.source, each.span, f"'{what}' has an initial value already"))
        seen.add((each.thread, each.name))
    return tuple(found)


def _initial(cursor: Cursor) -> Initial:
    start = cursor.peek().span
    type_: list[str] = []
    pointers = 0
    while (cursor.peek(1).kind in _TYPED and cursor.at("name")) or cursor.at("*"):
        if cursor.peek(1).kind == "[" and not _before_location(cursor):
            break
        token = cursor.next()
        pointers += token.kind == "*"
        if token.kind == "name":
            type_.append(token.text)
    thread, name, span = _named(cursor)
    length = None
    if cursor.accept("["):
        length = numeral(cursor.expect("number", "the number of elements").text)
        cursor.expect("]", "']'")
    value = _value(cursor) if cursor.accept("=") else None
    return Initial(thread, name, tuple(type_), pointers, length, value, span if span.line else start)


def _before_location(cursor: Cursor) -> bool:
    """Say whether what stands before a bracket is a type, as in `int [x]`, and no array, as in `a[2]`."""
    return cursor.peek(2).kind == "name"


def _named(cursor: Cursor) -> tuple[str, str, Span]:
    """Read `x`, `[x]`, `0:r0` or `P0:r0` and return the thread, the name and the place."""
    start = cursor.peek()
    if start.kind == "[":
        cursor.next()
        name = cursor.expect("name", "the name of a location")
        cursor.expect("]", "']'")
        return "", name.text, name.span
    if cursor.peek(1).kind == ":":
        thread = thread_named(cursor)
        cursor.next()
        register = cursor.expect("name", "a register")
        return thread, register.text, cursor.since(start.span)
    name = cursor.expect("name", "a location or a register such as 0:r0")
    return "", name.text, name.span


def _value(cursor: Cursor) -> Expr:
    """Read a number, an address (`x`, `&x`), `ATOMIC_INIT(1)`, or `{1, 2}`."""
    token = cursor.peek()
    start = token.span
    if token.kind == "number":
        cursor.next()
        return Number(numeral(token.text), span=start)
    if token.kind == "name" and token.text != "ATOMIC_INIT":
        cursor.next()
        return AddressOf(token.text, span=start)
    if cursor.accept("-"):
        number = cursor.expect("number", "a number")
        return Number(-numeral(number.text), span=cursor.since(start))
    if cursor.accept("{"):
        elements = [_value(cursor)]
        while cursor.accept(","):
            elements.append(_value(cursor))
        cursor.expect("}", "',' or '}'")
        return VectorOf(tuple(elements), span=cursor.since(start))
    if cursor.accept_word("ATOMIC_INIT"):
        cursor.expect("(", "'('")
        value = _value(cursor)
        cursor.expect(")", "')'")
        return value
    cursor.accept("&")
    name = cursor.expect("name", "a number or the name of a location")
    return AddressOf(name.text, span=name.span)
