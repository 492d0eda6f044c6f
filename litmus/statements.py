"""Statements.

What goes in: a cursor at the first word of a statement. What comes out: an untyped statement whose bare names are not
resolved yet. Invariant: after an error the cursor stands at the end of the line, the error is recorded, and the
statements after it are read as if it were not there.
"""

from __future__ import annotations

from axmem.front.records import replace
from axmem.front.source import Span, did_you_mean
from axmem.litmus.addresses import parse_address
from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.expressions import parse_expression, parse_numbers
from axmem.litmus.floats import FLOAT_UPDATES, FORMATS, IGNORING
from axmem.litmus.intrinsics import AV_NAME, Intrinsics
from axmem.litmus.lexer import Token
from axmem.litmus.metadata import MetadataNode, parse_definition
from axmem.litmus.modes import (
    Attributes,
    mode_of,
    modes_of,
    parse_leading,
    parse_trailing,
    refuse_modifiers,
)
from axmem.litmus.spelling import RESERVED, RMW_OPERATIONS, at_type, parse_type
from axmem.litmus.syntax import (
    Assign,
    Assume,
    AtomicRmw,
    Barrier,
    CmpXchg,
    Expr,
    Fence,
    If,
    Load,
    Statement,
    Store,
    Type,
)
from axmem.litmus.words import OperationKind

KEYWORDS = (
    *("litmus", "global", "lds", "private", "barrier", "thread", "Thread", "kernel", "declare", "exists", "not"),
    *("forall", "filter", "observe", "expect", "outcomes", "bound", "dma", "model"),
)
"""The words that begin what stands outside the threads."""
OPERATIONS = frozenset({"load", "store", "atomicrmw", "cmpxchg", "fence", "call", "barrier", "if", "assume"})
CONTROL_FLOW = frozenset({"br", "switch", "phi", "indirectbr", "invoke", "unreachable", "goto"})
TAGGED = "tags belong to accesses, atomics, fences and make operations"
CONTROL_FLOW_HINT = "write 'if CONDITION { … } else { … }'; registers keep their values after it"


class StatementParser:
    """Reads the statements of one thread."""

    def __init__(self, cursor: Cursor, known: dict[str, MetadataNode]) -> None:
        self.cursor = cursor
        self.known = known
        self.intrinsics = Intrinsics(cursor, known)
        self.keeps = not known
        """Whether a statement depends on nothing but its words."""

    def block(self) -> tuple[Statement, ...]:
        """Read statements up to the closing brace, and the brace."""
        cursor = self.cursor
        found: list[Statement] = []
        while True:
            cursor.skip_newlines()
            if cursor.accept("}"):
                return tuple(found)
            if cursor.at("end"):
                cursor.fail_expected("'}' at the end of the block")
            found += self.line()

    def line(self) -> list[Statement]:
        """Read one statement and its line end; return nothing if it cannot be read."""
        cursor = self.cursor
        depth = cursor.depth
        cursor.operators = 0
        try:
            statement = cursor.kept(StatementParser, self.statement) if self.keeps else self.statement()
            if not cursor.at("newline", "}", "end"):
                _refuse_rest(cursor)
            return [statement] if statement is not None else []
        except Unparsable:
            cursor.depth = depth
            self.recover()
            return []

    def recover(self) -> None:
        """Step to the end of the line; a block that begins on it is read for its own errors."""
        cursor = self.cursor
        cursor.skip_line()
        opens = cursor.tokens[cursor.index - 1].kind == "{"
        cursor.deeper(cursor.peek().span)
        while opens and cursor.at("newline"):
            self.block()
            opens = cursor.at_word("else") and cursor.peek(1).kind == "{"
            if opens:
                cursor.skip_line()
        cursor.depth -= 1

    def statement(self) -> Statement | None:
        """Read a statement with its label; None for what has no effect (`ret void`, a metadata definition)."""
        cursor = self.cursor
        label = ""
        if cursor.at("name") and cursor.peek(1).kind == ":":
            label = cursor.next().text
            cursor.next()
            cursor.skip_newlines()
        start = cursor.peek()
        if start.kind == "metadata":
            parse_definition(cursor)
            return None
        two = cursor.peek(1).kind == "," and cursor.peek(3).kind == "="
        if start.kind in ("local", "name") and (cursor.peek(1).kind == "=" or two):
            return self.assignment(label)
        if (start.kind == "global" and AV_NAME.fullmatch(start.value)) or start.text.startswith("@llvm."):
            return self.intrinsics.called("", label, None)
        if start.kind != "name":
            cursor.fail_expected("a statement")
        return self.operation("", label)

    def operation(self, register: str, label: str) -> Statement | None:
        """Read what follows `r =`, or a statement without a result; the current token is a bare word."""
        cursor = self.cursor
        word = cursor.peek().text
        start = cursor.next()
        if word == "load":
            return self.load(register, label, start)
        if word == "atomicrmw":
            return self.atomicrmw(register, label, start)
        if word == "cmpxchg":
            return self.cmpxchg(register, "", label, start)
        if word == "call" or (word == "tail" and cursor.accept_word("call")):
            result = parse_type(cursor) if at_type(cursor) else None
            cursor.accept_word("void")
            return self.intrinsics.called(register, label, result)
        if self.intrinsics.begins(word):
            return self.intrinsics.short(register, label, start)
        if word in CONTROL_FLOW:
            return self.controls(label, start)
        if not register:
            return self.effect(label, start)
        raise cursor.fail(start.span, f"'{word}' has no result")

    def controls(self, label: str, start: Token) -> Statement:
        """Refuse what straight threads do not have."""
        raise self.cursor.fail(start.span, f"'{start.text}' is not supported", CONTROL_FLOW_HINT)

    def effect(self, label: str, start: Token) -> Statement | None:
        """Read a statement that has no result."""
        cursor, word = self.cursor, start.text
        if word == "store":
            return self.store(label, start)
        if word == "fence":
            attributes = Attributes(start.span)
            parse_leading(cursor, attributes)
            parse_trailing(cursor, attributes, self.known)
            return Fence(mode_of(cursor, attributes, OperationKind.FENCE), label, cursor.since(start.span))
        if word in ("barrier", "s.barrier"):
            name = cursor.next().text if cursor.at("name") else ""
            self.refuse_tags("a barrier")
            return Barrier(name, label, cursor.since(start.span))
        if word == "if":
            return self.conditional(label, start)
        if word == "assume":
            condition = parse_expression(cursor)
            self.refuse_tags("an assumption")
            return Assume(condition, label, cursor.since(start.span))
        if word == "ret":
            self.returns(start.span)
            return None
        if word in ("alloca", "malloc"):
            hint = "declare the memory: 'private p' above the threads"
            raise cursor.fail(start.span, f"'{word}' is not supported", hint)
        hint = did_you_mean(word, [*sorted(OPERATIONS), "make.available", "make.visible"])
        raise cursor.fail(start.span, f"'{word}' begins no statement", hint or "a statement is an operation or 'r = …'")

    def returns(self, span: Span) -> None:
        """Accept `ret void` at the very end of a thread."""
        cursor = self.cursor
        if not cursor.accept_word("void"):
            raise cursor.fail(span, "a thread returns nothing", "the condition may name its registers")
        ahead = 0
        while cursor.peek(ahead).kind == "newline":
            ahead += 1
        after = cursor.peek(ahead)
        if after.kind not in ("}", "end", "global", "~") and after.text not in KEYWORDS:
            raise cursor.fail(span, "'ret' may only stand at the end of a thread", CONTROL_FLOW_HINT)

    def refuse_tags(self, what: str) -> None:
        """Record an error for tags on a statement that neither accesses memory nor synchronizes."""
        cursor = self.cursor
        if cursor.at("tags", "metadata") or (cursor.at(",") and cursor.peek(1).kind == "metadata"):
            span = cursor.peek(1 if cursor.at(",") else 0).span
            cursor.error(span, f"{what} carries no tags", TAGGED)
            cursor.skip_line()

    def result_name(self) -> Token:
        """Read the register on the left of `=`."""
        cursor = self.cursor
        if not cursor.at("name", "local"):
            cursor.fail_expected("a register")
        token = cursor.next()
        if token.kind == "name" and token.text in RESERVED:
            raise cursor.fail(token.span, f"'{token.text}' is reserved and names no register", f"write '%{token.text}'")
        return token

    def assignment(self, label: str) -> Statement | None:
        """Read `r = …` or `old, ok = cmpxchg …`."""
        cursor = self.cursor
        register = self.result_name()
        if cursor.accept(","):
            ok = self.result_name()
            cursor.expect("=", "'='")
            start = cursor.expect_word("cmpxchg")
            if ok.value == register.value:
                raise cursor.fail(ok.span, f"both results go to the register '{ok.value}'")
            found: Statement | None = self.cmpxchg(register.value, ok.value, label, start)
            return found and replace(found, span=cursor.since(register.span))
        cursor.expect("=", "'='")
        start = cursor.peek()
        if start.kind == "name" and self.begins_operation(start.text):
            found = self.operation(register.value, label)
            return found and replace(found, span=cursor.since(register.span))
        if start.kind == "global" and AV_NAME.fullmatch(start.value):
            return self.intrinsics.called(register.value, label, None)
        value = parse_expression(cursor)
        span = cursor.since(register.span)
        self.refuse_tags("an assignment")
        return Assign(register.value, value, label, span)

    def begins_operation(self, word: str) -> bool:
        """Say whether a word after `r =` begins an operation rather than an expression."""
        return word in OPERATIONS | CONTROL_FLOW | {"tail"} or self.intrinsics.begins(word)

    def load(self, register: str, label: str, start: Token) -> Statement:
        """Read a load after its first word."""
        cursor, attributes = self.cursor, Attributes(start.span)
        parse_leading(cursor, attributes)
        type_ = self.accessed_type()
        address = parse_address(cursor)
        parse_trailing(cursor, attributes, self.known)
        mode = mode_of(cursor, attributes, OperationKind.LOAD)
        return Load(
            register=register,
            type=type_,
            address=address,
            mode=mode,
            label=label,
            span=cursor.since(start.span),
        )

    def accessed_type(self) -> Type | None:
        """Read the type of a load; a pointer type without a comma after it describes the address instead."""
        cursor = self.cursor
        follows = cursor.peek(2).kind == "name" and cursor.peek(2).text != "align"
        named_ptr = cursor.at_word("ptr") and cursor.peek(1).kind == "," and (
            follows or cursor.peek(2).kind in ("local", "global", "(")
        )  # fmt: skip
        if not (at_type(cursor) or named_ptr):
            return None
        before = cursor.index
        type_ = parse_type(cursor)
        if not cursor.accept(",") and type_.pointer is not None and not type_.lanes:
            cursor.index = before
            return None
        return type_

    def operand(self) -> tuple[Type | None, Expr]:
        """Read a value operand; a type before it is the accessed type."""
        cursor = self.cursor
        if not at_type(cursor) or cursor.at_word(*FORMATS):
            return None, parse_expression(cursor)
        type_ = parse_type(cursor)
        return type_, parse_expression(cursor)

    def number(self) -> tuple[Type | None, Expr]:
        """Read a number of floating point with or without its type."""
        type_, (value,) = parse_numbers(self.cursor, 1)
        return type_, value

    def store(self, label: str, start: Token) -> Statement:
        """Read a store after its first word."""
        cursor, attributes = self.cursor, Attributes(start.span)
        parse_leading(cursor, attributes)
        type_, value = self.operand()
        cursor.expect(",", "',' and an address", "a store needs a value and an address: store 1, x")
        address = parse_address(cursor)
        parse_trailing(cursor, attributes, self.known)
        mode = mode_of(cursor, attributes, OperationKind.STORE)
        return Store(value=value, type=type_, address=address, mode=mode, label=label, span=cursor.since(start.span))

    def atomicrmw(self, register: str, label: str, start: Token) -> Statement:
        """Read an atomicrmw after its first word."""
        cursor, attributes = self.cursor, Attributes(start.span)
        parse_leading(cursor, attributes)
        refuse_modifiers(cursor, attributes, "an atomicrmw", "nontemporal")
        operation = cursor.expect("name", "an operation such as 'add'")
        if operation.text not in RMW_OPERATIONS:
            hint = did_you_mean(operation.text, sorted(RMW_OPERATIONS))
            hint = hint or f"the operations are {', '.join(sorted(RMW_OPERATIONS))}"
            raise cursor.fail(operation.span, f"unknown atomicrmw operation '{operation.text}'", hint)
        parse_leading(cursor, attributes)
        address = parse_address(cursor)
        cursor.expect(",", "',' and a value", "an atomicrmw needs an address and a value: atomicrmw add x, 1 monotonic")
        type_, value = self.number() if operation.text in FLOAT_UPDATES else self.operand()
        parse_trailing(cursor, attributes, self.known)
        if IGNORING in attributes.attached:
            message = f"'{IGNORING}' permits results that a test cannot follow"
            cursor.error(attributes.attached[IGNORING][0], message, "leave it out: denormals are kept in a test")
        mode = mode_of(cursor, attributes, OperationKind.RMW)
        return AtomicRmw(
            register=register,
            operation=operation.text,
            type=type_,
            address=address,
            value=value,
            mode=mode,
            label=label,
            span=cursor.since(start.span),
        )

    def cmpxchg(self, register: str, ok: str, label: str, start: Token) -> Statement:
        """Read a cmpxchg after its first word."""
        cursor, attributes = self.cursor, Attributes(start.span)
        weak = self._weak()
        parse_leading(cursor, attributes)
        refuse_modifiers(cursor, attributes, "a cmpxchg", "nontemporal")
        weak = self._weak() or weak
        address = parse_address(cursor)
        needs = "a cmpxchg needs an address and two values: cmpxchg x, 0, 1 acq_rel"
        cursor.expect(",", "',' and the expected value", needs)
        expected_type, expected = self.operand()
        cursor.expect(",", "',' and the new value", needs)
        desired_type, desired = self.operand()
        if expected_type and desired_type and expected_type != desired_type:
            cursor.error(desired.span, "the two values of a cmpxchg have different types")
        type_ = expected_type or desired_type
        parse_trailing(cursor, attributes, self.known)
        mode, failure = modes_of(cursor, attributes, OperationKind.CMPXCHG)
        span = cursor.since(start.span)
        return CmpXchg(
            register=register,
            ok_register=ok,
            weak=weak,
            type=type_,
            address=address,
            expected=expected,
            desired=desired,
            mode=mode,
            failure=failure,
            label=label,
            span=span,
        )

    def _weak(self) -> bool:
        """Read `weak` if it is there; where nothing is accessed behind it, it is a location of this name."""
        named = self.cursor.peek(1).kind in (",", "[", "+")
        return not named and self.cursor.accept_word("weak") is not None

    def conditional(self, label: str, start: Token) -> Statement:
        """Read `if c { … } else if d { … } else { … }` after its first word."""
        cursor = self.cursor
        cursor.deeper(start.span)
        condition = parse_expression(cursor)
        span = cursor.since(start.span)
        cursor.expect("{", "'{'")
        then = self.block()
        otherwise: tuple[Statement, ...] = ()
        ahead = 0
        while cursor.peek(ahead).kind == "newline":
            ahead += 1
        if cursor.at_word("else", ahead=ahead):
            cursor.skip_newlines()
            cursor.next()
            nested = cursor.accept_word("if")
            if nested:
                otherwise = (self.conditional("", nested),)
            else:
                cursor.expect("{", "'{' or 'if'")
                otherwise = self.block()
        cursor.depth -= 1
        return If(condition, then, otherwise, label, span)


def _refuse_rest(cursor: Cursor) -> None:
    """Fail at what follows a complete statement on its line."""
    if cursor.at("tags"):
        raise cursor.fail(cursor.peek().span, TAGGED)
    cursor.fail_expected("the end of the statement")
