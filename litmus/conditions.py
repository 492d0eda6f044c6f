"""Conditions, observables, expectations and outcome sets: the part of a test after its threads.

What goes in: a cursor at the keyword. What comes out: the trees of `axmem.litmus.syntax`, with names as written and
values without types; what cannot be read raises `Unparsable`. A condition may run over several lines inside
parentheses or before a connective.
"""

from __future__ import annotations

from axmem.front.records import replace
from axmem.front.source import Span, did_you_mean
from axmem.litmus.cursor import Cursor
from axmem.litmus.declarations import end_of_line
from axmem.litmus.expressions import constant
from axmem.litmus.float_numbers import parse_float
from axmem.litmus.floats import FORMATS
from axmem.litmus.lexer import numeral
from axmem.litmus.syntax import (
    I1,
    AddressOf,
    Both,
    Condition,
    Either,
    Expectation,
    Expr,
    FinalValue,
    IntegerOperation,
    ModelChoice,
    Not,
    Number,
    Observable,
    OfLanes,
    Operand,
    OutcomeSet,
    Quantifier,
    RegisterOf,
    Truth,
    UndefValue,
    ValueComparison,
    VectorOf,
)
from axmem.litmus.undef import partial_of

VERDICTS = ("never", "sometimes", "always", "undefined", "unknown")
POSSIBLE = "possible"
"""What an expectation may ask instead of a verdict: sometimes or always."""
EXPECTED = (*VERDICTS, POSSIBLE)
RELATIONS = {"=": "=", "==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def parse_quantifier(cursor: Cursor) -> Quantifier:
    """Read the quantifier of a condition: `exists`, `forall`, `~exists` or `not exists`."""
    start = cursor.next()
    if start.text in ("~", "not"):
        cursor.expect_word("exists")
        return Quantifier.NOT_EXISTS
    return Quantifier.FORALL if start.text == "forall" else Quantifier.EXISTS


def parse_condition(cursor: Cursor) -> Condition:
    r"""Read a condition; `=>` binds loosest and to the right, then `\/`, `/\`, `~`."""
    start = cursor.peek().span
    cursor.deeper(start)
    left = _chain(cursor, "\\/")
    if _connective(cursor, "=>"):
        left = Either(Not(left, left.span), parse_condition(cursor), cursor.since(start))
    cursor.depth -= 1
    return left


def _connective(cursor: Cursor, kind: str) -> bool:
    """Step over a connective, which may begin the next line; a condition may go on after it on another one."""
    ahead = 0
    while cursor.peek(ahead).kind == "newline":
        ahead += 1
    if cursor.peek(ahead).kind != kind:
        return False
    cursor.skip_newlines()
    cursor.next()
    cursor.skip_newlines()
    return True


def _chain(cursor: Cursor, kind: str) -> Condition:
    start = cursor.peek().span
    left = _chain(cursor, "/\\") if kind == "\\/" else _negation(cursor)
    while _connective(cursor, kind):
        cursor.longer(start)
        right = _chain(cursor, "/\\") if kind == "\\/" else _negation(cursor)
        node = Either if kind == "\\/" else Both
        left = node(left, right, cursor.since(start))
    return left


def _negation(cursor: Cursor) -> Condition:
    token = cursor.peek()
    if token.kind in ("&&", "||"):
        cursor.fail_expected("a condition")
    if cursor.accept("~") or cursor.accept_word("not"):
        cursor.deeper(token.span)
        inner = _negation(cursor)
        cursor.depth -= 1
        return Not(inner, cursor.since(token.span))
    if cursor.accept("("):
        cursor.skip_newlines()
        inner = parse_condition(cursor)
        cursor.skip_newlines()
        _close(cursor)
        return inner
    if cursor.at_word("true", "false") and cursor.peek(1).kind not in RELATIONS:
        return Truth(cursor.next().text == "true", token.span)
    return _comparison(cursor)


def _close(cursor: Cursor) -> None:
    hint = ""
    if cursor.at("&&", "||") or cursor.at_word("and", "or"):
        hint = "the connectives are /\\ and \\/"
    cursor.expect(")", "a connective or ')'", hint)


def _comparison(cursor: Cursor) -> Condition:
    start = cursor.peek().span
    lanes = None
    if cursor.at_word(*(word.value for word in OfLanes)) and cursor.peek(1).kind == "name":
        lanes = OfLanes(cursor.next().text)
    if cursor.at("number") and cursor.peek(1).kind == ":":
        number = cursor.peek()
        hint = f"herd's {number.text}:r0 is P{number.text}:r0"
        raise cursor.fail(number.span, f"'{number.text}' names no thread", hint)
    left = parse_operand(cursor)
    if cursor.peek().kind not in RELATIONS:
        cursor.fail_expected("'=' or another comparison")
    op = RELATIONS[cursor.next().kind]
    right = parse_operand(cursor)
    return ValueComparison(op, left, right, lanes, span=cursor.since(start))


def parse_operand(cursor: Cursor) -> Operand:
    """Read what a condition compares: an observable, a number, `undef`, `&x`, `&x+4`, `{1, undef}`."""
    if cursor.at("name") and cursor.peek().text not in ("true", "false", "undef", "poison", *FORMATS):
        return parse_observable(cursor)
    if cursor.at("global"):
        return parse_observable(cursor)
    return parse_value(cursor)


def parse_value(cursor: Cursor) -> Operand:
    """Read the value an outcome gives to an observable."""
    token = cursor.peek()
    if token.kind in ("number", "-"):
        cursor.next()
        value = constant(cursor) if token.kind == "-" else numeral(token.text)
        return Number(-value if token.kind == "-" else value, span=cursor.since(token.span))
    if cursor.at_word(*FORMATS):
        return replace(parse_float(cursor), type=None)
    if cursor.accept("partial"):
        return UndefValue(span=token.span, partly=partial_of(token.text))
    if cursor.accept_word("undef", "poison"):
        return UndefValue(span=token.span)
    if cursor.accept_word("true", "false"):
        return Number(int(token.text == "true"), I1, token.span)
    if cursor.accept("&"):
        if not cursor.at("name", "global"):
            cursor.fail_expected("a location")
        base = AddressOf(cursor.next().value, span=cursor.since(token.span))
        if not cursor.at("+"):
            return base
        cursor.next()
        number = cursor.peek()
        offset = Number(constant(cursor), span=number.span)
        return IntegerOperation("add", (base, offset), span=cursor.since(token.span))
    if cursor.accept("{"):
        return _vector_value(cursor)
    cursor.fail_expected("a value")
    raise AssertionError


def _vector_value(cursor: Cursor) -> VectorOf:
    start = cursor.tokens[cursor.index - 1].span
    lanes: list[Expr] = []
    while True:
        lane = parse_value(cursor) if not cursor.at("{") else None
        if lane is None or isinstance(lane, RegisterOf | FinalValue):
            cursor.fail_expected("the value of a lane")
        else:
            lanes.append(lane)
        if not cursor.accept(","):
            break
    cursor.expect("}", "',' or '}'")
    return VectorOf(tuple(lanes), span=cursor.since(start))


def parse_observable(cursor: Cursor) -> Observable:
    """Read `P1:r0`, `P1:r0[1]`, `x` or `x[1]`; LLVM's `@P1:%r0` is the same."""
    start = cursor.peek()
    if not cursor.at("name", "global"):
        cursor.fail_expected("a thread's register such as P0:r0, or a location")
    cursor.next()
    if cursor.accept(":"):
        if not cursor.at("name", "local"):
            number = cursor.peek().text if cursor.at("number") else ""
            cursor.fail_expected("a register", f"the register %{number} is {start.text}:%{number}" if number else "")
        register = cursor.next().value
        return RegisterOf(start.value, register, _lane(cursor), cursor.since(start.span))
    return FinalValue(start.value, _lane(cursor), cursor.since(start.span))


def _lane(cursor: Cursor) -> int | None:
    if not cursor.accept("["):
        return None
    index = constant(cursor)
    cursor.expect("]", "']'")
    return index


# ---------------------------------------------------------------- expectations


def _joined(cursor: Cursor, what: str) -> str:
    """Read a word that may contain hyphens and digits: `amdgpu-doc`, `ptx-v7.5`, `literal`."""
    if not cursor.at("name", "number"):
        cursor.fail_expected(what)
    text, last = cursor.peek().text, cursor.next().span
    while cursor.at("-", "name", "number", ".") and cursor.peek().span == _after(last, cursor.peek().span.length):
        token = cursor.next()
        text, last = text + token.text, token.span
    return text


def _after(span: Span, length: int) -> Span:
    """Return the span of a word of this length that touches the end of another."""
    return Span(span.line, span.column + span.length, length)


def parse_model(cursor: Cursor) -> ModelChoice:
    """Read `amdgpu` or `amdgpu[vis.instance=literal, coh=langref]`."""
    start = cursor.peek().span
    name = _joined(cursor, "the name of a model")
    variants: list[tuple[str, str]] = []
    if cursor.accept("["):
        while True:
            key_span = cursor.peek().span
            key = _joined(cursor, "the name of a variant")
            cursor.expect("=", "'=' and the variant's value")
            if key in (k for k, _ in variants):
                cursor.error(key_span, f"variant '{key}' is set twice")
            variants.append((key, _joined(cursor, "the variant's value")))
            if not cursor.accept(","):
                break
        cursor.expect("]", "',' or ']'")
    return ModelChoice(name, tuple(variants), cursor.since(start))


def parse_models(cursor: Cursor) -> list[ModelChoice]:
    """Read `model MODELS`, those that the test is run under where nobody names others."""
    cursor.next()
    models = [parse_model(cursor)]
    while not cursor.at("newline", "end"):
        cursor.accept(",")
        models.append(parse_model(cursor))
    return models


def parse_expectation(cursor: Cursor) -> Expectation:
    """Read `expect MODELS VERDICT ["reason"]`; strings on the following lines continue the reason."""
    start = cursor.next().span
    models: list[ModelChoice] = []
    while not cursor.at_word(*EXPECTED):
        if models and cursor.at("newline", "end", "string"):
            last = models.pop()
            hint = did_you_mean(last.model, EXPECTED) or f"the verdicts are {', '.join(EXPECTED)}"
            raise cursor.fail(last.span, f"unknown verdict '{last.model}'", hint)
        models.append(parse_model(cursor))
        cursor.accept(",")
    verdict = cursor.next()
    if not models:
        raise cursor.fail(verdict.span, "an expectation names at least one model", "expect llvm never")
    span = cursor.since(start)
    reason = parse_strings(cursor)
    return Expectation(tuple(models), verdict.text, reason, span)


def parse_strings(cursor: Cursor) -> str:
    """Read adjacent strings, on this and the following lines, as one."""
    text = ""
    while True:
        if cursor.at("string"):
            text += cursor.next().value
            continue
        ahead = 0
        while cursor.peek(ahead).kind == "newline":
            ahead += 1
        if cursor.peek(ahead).kind != "string":
            end_of_line(cursor)
            return text
        cursor.skip_newlines()


def parse_outcomes(cursor: Cursor) -> OutcomeSet:
    """Read `outcomes MODELS { rows }`, one row per line."""
    start = cursor.next().span
    models: list[ModelChoice] = []
    while not cursor.at("{"):
        models.append(parse_model(cursor))
        cursor.accept(",")
    if not models:
        cursor.fail_expected("the name of a model")
    span = cursor.since(start)
    cursor.next()
    rows: list[tuple[tuple[Observable, Operand], ...]] = []
    while True:
        cursor.skip_newlines()
        if cursor.accept("}"):
            end_of_line(cursor)
            return OutcomeSet(tuple(models), tuple(rows), span)
        if cursor.at("end"):
            cursor.fail_expected("'}' at the end of the outcomes")
        _row(cursor, rows)


def _row(cursor: Cursor, rows: list[tuple[tuple[Observable, Operand], ...]]) -> None:
    """Read one row and check it against the rows before it."""
    start = cursor.peek().span
    row: list[tuple[Observable, Operand]] = []
    while not cursor.at("newline", "}", "end"):
        observable = parse_observable(cursor)
        cursor.expect("=", "'=' and a value")
        if observable in (o for o, _ in row):
            cursor.error(observable.span, "this row gives a value to the same observable twice")
        row.append((observable, parse_value(cursor)))
        cursor.accept(",")
    span = cursor.since(start)
    if rows and {o for o, _ in row} != {o for o, _ in rows[0]}:
        cursor.error(span, "every row must give values to the same observables as the first row")
    elif set(row) in [set(r) for r in rows]:
        cursor.error(span, "this row stands here twice")
    rows.append(tuple(row))
