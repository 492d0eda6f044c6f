"""The expressions of one thread in C, and its calls.

What goes in: a cursor at an expression. What comes out: its value; the statements that it needs are those of
`c_memory.Memory`. Every access of memory is a statement of its own, in the order in which operands stand; `&&`, `||`
and `?:` become branches where an arm accesses memory. An access to an atomic type by `*` is seq_cst, as C says.
"""

from __future__ import annotations

from collections.abc import Callable

from axmem.formats.herd.c_calls import Calls
from axmem.formats.herd.c_memory import Arm, CallArgument, ThreadVariables
from axmem.formats.herd.c_types import TRUTH, CType, Value, common, converted, is_type_word, truth, type_of
from axmem.front.records import replace
from axmem.front.source import Span
from axmem.front.typing import override
from axmem.litmus.cursor import Cursor, described
from axmem.litmus.lexer import numeral
from axmem.litmus.syntax import (
    Address,
    AddressOf,
    Assign,
    Expr,
    IntegerOperation,
    Number,
    Register,
)
from axmem.litmus.words import Scope

_BINARY = {
    "|": 1, "^": 2, "&": 3, "==": 4, "!=": 4, "<": 5, "<=": 5, ">": 5, ">=": 5, "<<": 6, ">>": 6, "+": 7, "-": 7,
    "*": 8, "/": 8, "%": 8,
}  # fmt: skip
"""How tightly C's operators bind that evaluate both operands."""
_ARITHMETIC = {"|": "or", "^": "xor", "&": "and", "+": "add", "-": "sub", "*": "mul", "<<": "shl"}
_COMPARED = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_ENDS = frozenset({",", ")"})
"""What stands after an argument."""
_NO_ARGUMENTS = frozenset({"end", ";", "{", "}"})
_ALONE = frozenset({",", ")", "]", ";"})
"""What stands after an expression of one word, or of the last one."""
_BRACKETS = {"(": 1, "[": 1, ")": -1, "]": -1}
_SUFFIXES = frozenset({"u", "l", "ul", "lu", "ll", "ull", "llu"})


class CExpressions(ThreadVariables):
    """Reads the expressions of one function."""

    def __init__(self, cursor: Cursor, parameters: dict[str, CType], locals_: dict[str, CType], scope: Scope) -> None:
        super().__init__(cursor, parameters, locals_, scope)
        self.calls = Calls(self, scope)

    # ------------------------------------------------ statements

    def called(self) -> Value | None:
        """Read a call."""
        cursor = self.cursor
        name = cursor.next()
        cursor.next()
        found: list[CallArgument] = []
        while not cursor.at(")"):
            found.append(self.argument())
            if not cursor.accept(","):
                break
        cursor.expect(")", "',' or ')'")
        after = cursor.index
        value = self.calls.call(name.text, name.span, found)
        cursor.index = after
        return value

    def argument(self) -> CallArgument:
        """Step over an argument."""
        cursor = self.cursor
        tokens, start, depth = cursor.tokens, cursor.index, 0
        index = start
        while (kind := tokens[index].kind) not in _ENDS or depth:
            if kind in _NO_ARGUMENTS:
                cursor.index = index
                cursor.fail_expected("',' or ')'")
            depth += _BRACKETS.get(kind, 0)
            index += 1
        cursor.index, first = index, tokens[start]
        if index == start:
            cursor.fail_expected("an argument")
        if index == start + 1:
            return CallArgument(start, index, first.text if first.kind == "name" else "", first.span)
        return CallArgument(start, index, "", cursor.since(first.span))

    @override
    def expression(self) -> Value:
        """Read an expression; assignments in expressions are none here."""
        cursor, start = self.cursor, self.cursor.peek().span
        if cursor.at("name", "number") and cursor.peek(1).kind in _ALONE:
            return self.primary()
        cursor.deeper(start)
        condition = self.either()
        if cursor.accept("?"):
            then, first = self.inside(self.expression)
            cursor.expect(":", "':'")
            otherwise, second = self.inside(self.expression)
            condition = self.chosen(condition, (then, first), (otherwise, second), cursor.since(start))
        cursor.depth -= 1
        return condition

    def chosen(self, condition: Value, then: Arm, otherwise: Arm, span: Span) -> Value:
        """Return one of two values."""
        pointer = next((v.type for v, _ in (then, otherwise) if v.type.target is not None), None)
        type_ = pointer or common(then[0], otherwise[0])
        arms = [(converted(value, type_), statements) for value, statements in (then, otherwise)]
        if not any(statements for _, statements in arms):
            return Value(IntegerOperation("select", (truth(condition), arms[0][0], arms[1][0]), None, span), type_)
        name = self.fresh()
        bodies = [(*statements, Assign(name, value, span=span)) for value, statements in arms]
        self.branch(condition, bodies[0], bodies[1], span)
        return Value(Register(name), type_)

    def either(self) -> Value:
        """Read what `||` connects."""
        return self.connected("||", lambda: self.connected("&&", self.binary))

    def connected(self, symbol: str, read: Callable[[], Value]) -> Value:
        """Read a chain of `&&` or `||`, whose right operands are evaluated only if they decide."""
        start = self.cursor.peek().span
        left = read()
        while self.cursor.accept(symbol):
            self.cursor.longer(start)
            right, statements = self.inside(read)
            span = self.cursor.since(start)
            if not statements:
                operation = "and" if symbol == "&&" else "or"
                left = Value(IntegerOperation(operation, (truth(left), truth(right)), None, span), TRUTH)
                continue
            further: Arm = Value(truth(right), TRUTH), statements
            short: Arm = Value(Number(int(symbol == "||"))), ()
            left = (
                self.chosen(left, further, short, span) if symbol == "&&" else self.chosen(left, short, further, span)
            )
        return left

    def binary(self, least: int = 1) -> Value:
        """Read operands and operators that bind at least so tightly."""
        cursor, start = self.cursor, self.cursor.peek().span
        left = self.unary()
        while (tightness := _BINARY.get(cursor.peek().kind, 0)) >= least:
            cursor.longer(start)
            symbol = cursor.next()
            if symbol.kind in ("/", "%"):
                raise cursor.fail(symbol.span, f"'{symbol.kind}' is not computed here", "divide outside the test")
            left = self.computed(symbol.kind, left, self.binary(tightness + 1), start)
        return left

    def computed(self, symbol: str, left: Value, right: Value, start: Span) -> Value:
        """Return the value of an operation."""
        span = self.cursor.since(start)
        if left.type.target is not None or right.type.target is not None:
            return self.with_pointers(symbol, left, right, span)
        type_ = common(left, right)
        operands = (converted(left, type_), converted(right, type_))
        sign = "s" if type_.signed else "u"
        if symbol in _COMPARED:
            name = _COMPARED[symbol]
            return Value(IntegerOperation(name if name in ("eq", "ne") else sign + name, operands, None, span), TRUTH)
        if symbol == ">>":
            type_ = common(left, left)
            operands = (converted(left, type_), converted(right, type_))
            return Value(IntegerOperation("ashr" if type_.signed else "lshr", operands, None, span), type_)
        return Value(IntegerOperation(_ARITHMETIC[symbol], operands, None, span), type_)

    def with_pointers(self, symbol: str, left: Value, right: Value, span: Span) -> Value:
        """Return the value of an operation on a pointer: a comparison, or an element further on."""
        if symbol in ("==", "!="):
            return Value(IntegerOperation(_COMPARED[symbol], (left.expr, right.expr), None, span), TRUTH)
        if right.type.target is not None:
            left, right = right, left
        target = left.type.target
        if symbol != "+" or target is None or right.type.target is not None:
            raise self.fail(span, f"'{symbol}' does not compute with pointers here")
        return Value(IntegerOperation("add", (left.expr, self.bytes_of(right, target)), None, span), left.type)

    def bytes_of(self, index: Value, target: CType) -> Expr:
        """Return how many bytes so many elements are."""
        size = target.type.size
        if isinstance(index.expr, Number):
            return replace(index.expr, value=index.expr.value * size)
        wide = converted(index, CType(64))
        return wide if size == 1 else IntegerOperation("mul", (wide, Number(size)))

    def unary(self) -> Value:
        """Read an operand with what stands before it."""
        cursor, token = self.cursor, self.cursor.peek()
        cursor.deeper(token.span)
        value = self.prefixed()
        cursor.depth -= 1
        return value

    def prefixed(self) -> Value:
        """Read what stands before an operand, or the operand."""
        cursor, token = self.cursor, self.cursor.peek()
        if cursor.accept("!"):
            return Value(
                IntegerOperation("eq", (truth(self.unary()), Number(0)), None, cursor.since(token.span)), TRUTH
            )
        if cursor.at("~", "-"):
            cursor.next()
            operand = self.unary()
            if isinstance(operand.expr, Number) and token.kind == "-":
                return replace(operand, expr=Number(-operand.expr.value, span=cursor.since(token.span)))
            type_ = common(operand, operand)
            inner = converted(operand, type_)
            if token.kind == "~":
                return Value(IntegerOperation("not", (inner,), None, cursor.since(token.span)), type_)
            return Value(IntegerOperation("sub", (Number(0), inner), None, cursor.since(token.span)), type_)
        if cursor.at("*"):
            address, target = self.place()
            return self.access(address, target, cursor.since(token.span))
        if cursor.accept("&"):
            return self.address()
        if cursor.at("++", "--"):
            raise cursor.fail(token.span, f"'{token.kind}' is not read here", "write r = r + 1")
        if cursor.at("(") and cursor.peek(1).kind == "name" and is_type_word(cursor.peek(1).text):
            return self.cast()
        return self.primary()

    def cast(self) -> Value:
        """Read `(int) …`."""
        cursor = self.cursor
        start = cursor.next().span
        type_ = pointed_to(cursor, base_type(cursor))
        cursor.expect(")", "')'")
        value = self.unary()
        return Value(self.fitting(value, type_, start), type_)

    def place(self) -> tuple[Address, CType]:
        """Read what `*p` or `p[i]` means."""
        cursor, token = self.cursor, self.cursor.peek()
        if cursor.accept("*"):
            return self.pointing(self.unary(), cursor.since(token.span))
        value = self.named()
        return self.indexed(value, token.span)

    def indexed(self, value: Value, start: Span) -> tuple[Address, CType]:
        """Read the brackets after a pointer."""
        cursor = self.cursor
        cursor.expect("[", "'['")
        index = self.expression()
        cursor.expect("]", "']'")
        address, target = self.pointing(value, cursor.since(start))
        return replace(address, index=index.expr), target

    def address(self) -> Value:
        """Read what follows `&`."""
        cursor, token = self.cursor, self.cursor.peek()
        if token.kind == "name" and cursor.peek(1).kind != "[":
            cursor.next()
            if token.text in self.parameters:
                hint = f"'{token.text}' is the address of a location already"
                raise cursor.fail(token.span, "the address of a parameter is not represented here", hint)
            hint = "that of a compare-exchange's expected value aside"
            raise cursor.fail(token.span, "addresses of local variables are not represented here", hint)
        place, target = self.place()
        span = cursor.since(token.span)
        if place.index is None:
            return Value(place.base, CType(64, target=target))
        offset = self.bytes_of(Value(place.index), target)
        return Value(IntegerOperation("add", (place.base, offset), None, span), CType(64, target=target))

    def primary(self) -> Value:
        """Read an operand, and the brackets after it."""
        cursor, token = self.cursor, self.cursor.peek()
        if cursor.accept("("):
            value = self.expression()
            cursor.expect(")", "an operator or ')'")
        elif cursor.accept("number"):
            value = Value(Number(numeral(token.text), span=token.span))
            if cursor.at("name") and cursor.peek().text.lower() in _SUFFIXES and _touches(token.span, cursor):
                cursor.next()
        elif token.kind == "name" and cursor.peek(1).kind == "(":
            found = self.called()
            if found is None:
                raise cursor.fail(cursor.since(token.span), f"'{token.text}' gives no value")
            value = found
        else:
            value = self.named()
        while cursor.at("["):
            address, target = self.indexed(value, token.span)
            value = self.access(address, target, cursor.since(token.span))
        if cursor.at("++", "--"):
            raise cursor.fail(cursor.peek().span, f"'{cursor.peek().kind}' is not read here", "write r = r + 1")
        return value

    def named(self) -> Value:
        """Read a variable, or a parameter, whose value is the address of its location."""
        cursor, token = self.cursor, self.cursor.peek()
        if token.kind != "name":
            cursor.fail_expected("a value")
        cursor.next()
        if token.text in ("NULL", "true", "false"):
            return Value(Number(int(token.text == "true"), span=token.span))
        if token.text in self.parameters:
            return Value(AddressOf(token.text, span=token.span), CType(64, target=self.parameters[token.text]))
        if token.text not in self.locals:
            hint = "a local variable is declared, as in int r0; a location is a parameter, as in P0 (atomic_int* x)"
            raise cursor.fail(token.span, f"{described(token)} is neither a variable nor a parameter", hint)
        return Value(Register(token.text, span=token.span), self.locals[token.text])


def _touches(span: Span, cursor: Cursor) -> bool:
    after = cursor.peek().span
    return after.line == span.line and after.column == span.column + span.length


def base_type(cursor: Cursor) -> CType:
    """Read a type without the stars that belong to a name: `unsigned int`, `_Atomic(int *)`."""
    start = cursor.peek().span
    words = []
    while cursor.at("name") and is_type_word(cursor.peek().text):
        words.append(cursor.next().text)
        if words[-1] == "_Atomic" and cursor.accept("("):
            inner = pointed_to(cursor, base_type(cursor))
            cursor.expect(")", "')'")
            return replace(inner, atomic=True)
    found = type_of(tuple(words))
    if found is None:
        what = f"'{' '.join(words)}' is no type that is read" if words else "a type is needed here"
        raise cursor.fail(cursor.since(start) if words else start, what)
    return found


def pointed_to(cursor: Cursor, base: CType) -> CType:
    """Read the stars after the words of a type."""
    type_ = base
    while cursor.accept("*"):
        type_ = CType(64, target=type_)
        while cursor.at_word("const", "restrict", "volatile", "_Atomic"):
            word = cursor.next().text
            type_ = replace(
                type_, atomic=type_.atomic or word == "_Atomic", volatile=type_.volatile or word == "volatile"
            )
    return type_
