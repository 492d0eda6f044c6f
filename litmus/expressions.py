"""Expressions.

What goes in: a cursor at an expression. What comes out: an untyped `Expr`. A bare or `%` name becomes a
`Register` and `@x` or `&x` an `AddressOf`; which bare names are locations, the name pass decides. Where the text
states a type (`i64 5`, `ptr addrspace(1) %p`), the node's `type` holds it as a claim that the type pass checks. What
cannot be read raises `Unparsable`, with a diagnostic at the cursor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from axmem.front.records import replace
from axmem.front.source import Span, did_you_mean
from axmem.litmus.arithmetic import FROZEN
from axmem.litmus.cursor import Cursor, spanning
from axmem.litmus.float_numbers import at_float, float_digits, parse_float
from axmem.litmus.floats import (
    FLOAT_CASTS,
    FLOATING,
    FORMATS,
    FROM_INTEGER,
    PREDICATES,
    TO_INTEGER,
)
from axmem.litmus.lexer import Token, numeral
from axmem.litmus.poison import POISONING
from axmem.litmus.spelling import (
    ARITHMETIC,
    CASTS,
    COMPARISONS,
    CONVERSIONS,
    INTEGERS,
    RESERVED,
    UNSUPPORTED,
    at_type,
    parse_type,
)
from axmem.litmus.syntax import (
    I1,
    POINTER,
    AddressOf,
    Element,
    Expr,
    IntegerOperation,
    Number,
    Register,
    Type,
    UndefValue,
    VectorOf,
)

LEVELS: tuple[dict[str, str], ...] = (
    {"|": "or"},
    {"^": "xor"},
    {"&": "and"},
    {"==": "eq", "!=": "ne"},
    {"<": "ult", "<=": "ule", ">": "ugt", ">=": "uge"},
    {"<<": "shl", ">>": "lshr"},
    {"+": "add", "-": "sub"},
    {"*": "mul"},
)
"""The infix operators from the loosest to the tightest, as in C; comparisons and `>>` are unsigned."""
_INFIX = {symbol: (level, name) for level, names in enumerate(LEVELS) for symbol, name in names.items()}
MNEMONICS = (
    ARITHMETIC
    | CONVERSIONS
    | FLOATING.keys()
    | {"icmp", "fcmp", "select", FROZEN, "getelementptr", "extractelement", "extractvalue"}
)
FAST = frozenset({"fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"})
"""The flags by which LLVM may compute something else than the rounded number."""
SHIFT_LEVEL = 5
"""Lanes of LLVM's `<i32 1, …>` begin here: a `>` ends the vector there."""


def parse_expression(cursor: Cursor) -> Expr:
    """Read an expression, including `c ? a : b`."""
    start = cursor.peek().span
    cursor.deeper(start)
    condition = parse_infix(cursor, 0)
    if cursor.at("&&", "||"):
        token = cursor.next()
        hint = f"comparisons are bits: write '{token.text[0]}'"
        raise cursor.fail(token.span, f"'{token.text}' is not an operator", hint)
    if not cursor.accept("?"):
        cursor.depth -= 1
        return condition
    yes = parse_expression(cursor)
    cursor.expect(":", "':' and the value for 'otherwise'")
    no = parse_expression(cursor)
    cursor.depth -= 1
    return IntegerOperation("select", (condition, yes, no), span=cursor.since(start))


def parse_infix(cursor: Cursor, level: int, left: Expr | None = None) -> Expr:
    """Read operators of at least this level; `left` is an operand that has been read already."""
    result = parse_unary(cursor) if left is None else left
    while (known := _INFIX.get(cursor.peek().kind)) and known[0] >= level:
        token = cursor.next()
        cursor.longer(token.span)
        right = parse_infix(cursor, known[0] + 1)
        result = IntegerOperation(known[1], (result, right), span=spanning(result.span, right.span))
    return result


def parse_unary(cursor: Cursor) -> Expr:
    """Read `-e`, `~e`, `&x`, or an operand with its indices."""
    token = cursor.peek()
    if token.kind in ("-", "~", "&"):
        cursor.next()
        cursor.deeper(token.span)
        result = _prefixed(cursor, token)
        cursor.depth -= 1
        return result
    return _indexed(cursor, parse_primary(cursor))


def _prefixed(cursor: Cursor, token: Token) -> Expr:
    if token.kind == "&":
        name = _name(cursor, "a location")
        return AddressOf(name.value, span=spanning(token.span, name.span))
    operand = parse_unary(cursor)
    span = spanning(token.span, operand.span)
    if token.kind == "~":
        return IntegerOperation("not", (operand,), span=span)
    if isinstance(operand, Number) and operand.type is None:
        return Number(-operand.value, span=span)
    return IntegerOperation("sub", (Number(0, span=token.span), operand), span=span)


def _indexed(cursor: Cursor, value: Expr) -> Expr:
    while cursor.at("[") and cursor.peek(1).kind != "string":
        cursor.longer(cursor.next().span)
        index = constant(cursor)
        cursor.expect("]", "']'")
        value = Element(value, index, span=cursor.since(value.span))
    return value


def constant(cursor: Cursor) -> int:
    """Read a non-negative number."""
    return numeral(cursor.expect("number", "a number").text)


def _name(cursor: Cursor, what: str) -> Token:
    if not cursor.at("name", "local", "global"):
        cursor.fail_expected(what)
    if cursor.at("name") and cursor.peek().text in RESERVED:
        cursor.fail_expected(what, "this word is reserved; another name will do")
    return cursor.next()


def parse_primary(cursor: Cursor) -> Expr:
    """Read an operand without operators around it."""
    token = cursor.peek()
    cursor.deeper(token.span)
    result = _primary(cursor, token)
    cursor.depth -= 1
    return result


def _primary(cursor: Cursor, token: Token) -> Expr:
    if token.kind == "number":
        cursor.next()
        return Number(numeral(token.text), span=token.span)
    if token.kind == "float":
        hint = f"write float {token.text}, or half, or double"
        raise cursor.fail(token.span, "a number of floating point has its type before it", hint)
    if token.kind == "(":
        cursor.next()
        inner = parse_expression(cursor)
        cursor.expect(")", "')'")
        return inner
    if token.kind == "{":
        return _vector(cursor, "}")
    if at_type(cursor):
        return _claimed(cursor)
    if token.kind == "<":
        return _vector(cursor, ">")
    if token.kind == "local":
        cursor.next()
        return Register(token.value, span=token.span)
    if token.kind == "global":
        cursor.next()
        return AddressOf(token.value, span=token.span)
    if token.kind == "name":
        return _word(cursor, token)
    cursor.fail_expected("a value")
    raise AssertionError


def _claimed(cursor: Cursor) -> Expr:
    """Read `i64 5`, `ptr addrspace(1) %p`, `<4 x i32> %v`: an operand with its type, as LLVM writes it."""
    start = cursor.peek().span
    if cursor.at_word(*FORMATS):
        number = parse_float(cursor)
        if cursor.peek().kind in _INFIX:
            hint = "of floating point there are fadd, fsub, fmul, fdiv and fcmp"
            raise cursor.fail(cursor.peek().span, "infix operators are those of integers", hint)
        return number
    type_ = parse_type(cursor)
    operand = parse_unary(cursor)
    return claim(cursor, operand, type_, start)


def claim(cursor: Cursor, operand: Expr, type_: Type, start: Span) -> Expr:
    """Return the operand with its stated type; refuse two different ones."""
    if operand.type is not None and operand.type != type_ and not isinstance(operand, IntegerOperation):
        raise cursor.fail(cursor.since(start), "this operand has two different types")
    return replace(operand, type=type_, span=cursor.since(start))


def _vector(cursor: Cursor, closing: str) -> Expr:
    start = cursor.next().span
    elements = []
    while True:
        cursor.skip_newlines()
        elements.append(parse_expression(cursor) if closing == "}" else parse_infix(cursor, SHIFT_LEVEL))
        cursor.skip_newlines()
        if not cursor.accept(","):
            break
    cursor.expect(closing, f"',' or '{closing}'")
    return VectorOf(tuple(elements), span=cursor.since(start))


def _word(cursor: Cursor, token: Token) -> Expr:
    word = token.text
    if word in CONSTANT_READERS:
        cursor.next()
        return CONSTANT_READERS[word](cursor, token)
    if word in MNEMONICS:
        return _mnemonic(cursor, cursor.next())
    if word in UNSUPPORTED:
        raise cursor.fail(token.span, f"'{word}' is not supported", UNSUPPORTED[word])
    if word in RESERVED:
        cursor.fail_expected("a value")
    cursor.next()
    return Register(word, span=token.span)


def _splat(cursor: Cursor, token: Token) -> Expr:
    cursor.expect("(", "'('")
    value = parse_expression(cursor)
    cursor.expect(")", "')'")
    return replace(value, type=None, span=cursor.since(token.span))


CONSTANT_READERS: dict[str, Callable[[Cursor, Token], Expr]] = {
    "true": lambda c, t: Number(1, I1, t.span),
    "false": lambda c, t: Number(0, I1, t.span),
    "undef": lambda c, t: UndefValue(span=t.span),
    "poison": lambda c, t: UndefValue(span=t.span, poison=True),
    "zeroinitializer": lambda c, t: Number(0, span=t.span),
    "null": lambda c, t: Number(0, POINTER, t.span),
    "splat": _splat,
}


# ---------------------------------------------------------------- LLVM's mnemonics


def _mnemonic(cursor: Cursor, token: Token) -> Expr:
    """Read LLVM's own spelling of an operation: `add i32 %a, 1`, `icmp eq i32 %a, 1`, `zext i1 %c to i32`, …"""
    word = token.text
    flag = cursor.peek()
    if flag.kind == "name" and flag.text in POISONING and word != "getelementptr":
        hint = "leave the flag out: the result is then the wrapped number"
        raise cursor.fail(flag.span, f"'{flag.text}' makes poison, which a test cannot follow", hint)
    if word == "getelementptr":
        return _getelementptr(cursor, token)
    if word == "icmp":
        return _icmp(cursor, token)
    if word == "fcmp" or word in FLOATING:
        return _floating(cursor, token)
    if word in FLOAT_CASTS:
        return _conversion(cursor, token)
    if word == "extractvalue" and cursor.at("{"):
        _pair_type(cursor)
    first = parse_expression(cursor)
    if word in CASTS:
        cursor.expect_word("to")
        return IntegerOperation(word, (first,), parse_type(cursor), cursor.since(token.span))
    cursor.expect(",", "',' and another operand")
    if word in ("extractelement", "extractvalue"):
        if at_type(cursor):
            parse_type(cursor)
        return Element(replace(first, type=None), constant(cursor), span=cursor.since(token.span))
    operands = [first, parse_expression(cursor)]
    if word == "select":
        cursor.expect(",", "',' and the value for 'otherwise'")
        operands.append(parse_expression(cursor))
    return IntegerOperation(word, tuple(operands), span=cursor.since(token.span))


def _pair_type(cursor: Cursor) -> None:
    """Step over `{ i32, i1 }`, the type of what a cmpxchg gives; the type pass knows it anyway."""
    cursor.next()
    parse_type(cursor)
    cursor.expect(",", "','")
    parse_type(cursor)
    cursor.expect("}", "'}'")


def _floating(cursor: Cursor, token: Token) -> Expr:
    """Read `fadd float %a, 1.5`, `fcmp olt float %a, %b`, and their like; the type holds for every operand."""
    name, count = token.text, FLOATING.get(token.text, 2)
    _slow(cursor)
    if name == "fcmp":
        name = f"fcmp {_predicate(cursor, PREDICATES)}"
    type_, operands = parse_numbers(cursor, count)
    return IntegerOperation(name, operands, type_ if count == 1 else None, cursor.since(token.span))


def _conversion(cursor: Cursor, token: Token) -> Expr:
    """Read `sitofp i32 %a to float` and its like."""
    _slow(cursor)
    first = parse_expression(cursor) if token.text in FROM_INTEGER else parse_numbers(cursor, 1)[1][0]
    cursor.expect_word("to")
    type_ = parse_type(cursor, floating=token.text not in TO_INTEGER)
    return IntegerOperation(token.text, (first,), type_, cursor.since(token.span))


def _slow(cursor: Cursor) -> None:
    """Refuse a flag by which the result may be another."""
    flag = cursor.peek()
    if flag.kind == "name" and flag.text in FAST:
        hint = "leave the flag out: the result is then the rounded number"
        raise cursor.fail(flag.span, f"'{flag.text}' permits results that a test cannot follow", hint)


def parse_numbers(cursor: Cursor, count: int) -> tuple[Type | None, tuple[Expr, ...]]:
    """Read operands of one type of floating point, which the first states, if any."""
    start = cursor.peek().span
    type_ = None
    if at_type(cursor):
        if re.fullmatch("i[0-9]+", cursor.peek().text):
            hint = f"write {', '.join(FORMATS)}, or no type"
            raise cursor.fail(start, "an operation of floating point does not state the type of an integer", hint)
        type_ = parse_type(cursor, floating=True)
    found: list[Expr] = []
    for index in range(count):
        if index:
            cursor.expect(",", "',' and another operand")
        if type_ is not None and not type_.lanes and at_float(cursor):
            found.append(float_digits(cursor, type_, cursor.peek().span))
            continue
        if cursor.at("number"):
            hint = "state the type, as fadd float, and write 1.0, or the bits in hexadecimal"
            raise cursor.fail(cursor.peek().span, "an integer is no number of floating point", hint)
        operand = parse_expression(cursor)
        found.append(operand if index or type_ is None else claim(cursor, operand, type_, start))
    return type_, tuple(found)


def _predicate(cursor: Cursor, known: Collection[str]) -> str:
    predicate = cursor.expect("name", f"a predicate such as '{'eq' if 'eq' in known else 'oeq'}'")
    if predicate.text not in known:
        hint = did_you_mean(predicate.text, sorted(known)) or f"the predicates are {', '.join(sorted(known))}"
        raise cursor.fail(predicate.span, f"unknown predicate '{predicate.text}'", hint)
    return predicate.text


def _icmp(cursor: Cursor, token: Token) -> Expr:
    predicate = _predicate(cursor, COMPARISONS)
    left = parse_expression(cursor)
    cursor.expect(",", "',' and another operand")
    return IntegerOperation(predicate, (left, parse_expression(cursor)), span=cursor.since(token.span))


def _getelementptr(cursor: Cursor, token: Token) -> Expr:
    """Read `getelementptr [inbounds] T, ptr X, i64 N[, i64 M]` as X plus a number of bytes."""
    while cursor.accept_word("inbounds", "nuw", "nusw"):
        pass
    wrapped = cursor.accept("(")
    if not (at_type(cursor) or cursor.at_word("ptr")):
        cursor.fail_expected("the type that the indices count in")
    unit = parse_type(cursor)
    cursor.expect(",", "',' and a pointer")
    result = parse_expression(cursor)
    sizes = [unit.size, unit.element.size] if unit.lanes else [unit.size]
    while cursor.accept(","):
        index = parse_expression(cursor)
        if not sizes:
            raise cursor.fail(index.span, "this type has no elements to index")
        result = _offset(result, index, sizes.pop(0), cursor.since(token.span))
    if wrapped:
        cursor.expect(")", "')'")
    return result


def _offset(pointer: Expr, index: Expr, size: int, span: Span) -> Expr:
    if isinstance(index, Number):
        if index.value == 0:
            return pointer
        return IntegerOperation("add", (pointer, Number(index.value * size, INTEGERS["i64"], index.span)), span=span)
    scaled = index if size == 1 else IntegerOperation("mul", (index, Number(size, span=index.span)), span=index.span)
    return IntegerOperation("add", (pointer, scaled), span=span)
