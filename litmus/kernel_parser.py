"""Kernels: their heads, and the statements that threads do not have.

What goes in: a cursor at `kernel`, or at a statement of a body. What comes out: an untyped `Kernel`, whose body is a
sequence of statements with labels and branches among them. LLVM's spelling and the short one give the same tree.
"""

from __future__ import annotations

from axmem.front.records import replace
from axmem.front.typing import override
from axmem.litmus.call_parser import CallParser
from axmem.litmus.cursor import Cursor
from axmem.litmus.declarations import parse_locations, parse_placement, parse_thread_name
from axmem.litmus.expressions import parse_expression, parse_infix, parse_unary
from axmem.litmus.kernels import (
    SIGNATURES,
    Branch,
    Case,
    Declaration,
    Incoming,
    KernelParameter,
    Label,
    Launch,
    Phi,
    Return,
    Switch,
    Unreachable,
)
from axmem.litmus.lexer import Token, numeral
from axmem.litmus.loop_metadata import GROUP, LOOP, PARALLEL, loop_of
from axmem.litmus.metadata import MetadataNode, parse_node
from axmem.litmus.modes import refuse_loop, refuse_promises
from axmem.litmus.spelling import at_type, parse_type
from axmem.litmus.syntax import For, Kernel, Location, LoopID, Number, Placement, Statement, Type, While

LOOPS = frozenset({"while", "for"})
BRANCHES = frozenset({"br", "switch", "unreachable"}) | LOOPS
SHAPE = ("workgroups", "wavefronts", "lanes")
MOST_LANES = 256


def has_control_flow(cursor: Cursor) -> bool:
    """Say whether the block that begins at the cursor has branches, phis or loops, as a kernel has."""
    tokens, depth = cursor.tokens, 0
    for index in range(cursor.index, len(tokens) - 1):
        kind, text = tokens[index].kind, tokens[index].text
        if kind == "name":
            before = tokens[index - 1].kind
            if text in BRANCHES and before in ("newline", "{", ":") and tokens[index + 1].kind not in ("=", ":", ","):
                return True
            if text == "phi" and before == "=":
                return True
        elif kind in ("{", "!{"):
            depth += 1
        elif kind == "}":
            depth -= 1
            if depth == 0:
                return False
    return False


class KernelParser(CallParser):
    """Reads the statements of one kernel; `memory` and `barriers` are what its body declares."""

    def __init__(self, cursor: Cursor, known: dict[str, MetadataNode]) -> None:
        super().__init__(cursor, known)
        self.keeps = False
        self.memory: list[Location] = []
        self.barriers: list[str] = []

    def kernel(self) -> Kernel:
        """Read `kernel K(…) @ … workgroups 2, wavefronts 2, lanes 4 { … }` after its first word."""
        cursor = self.cursor
        name = parse_thread_name(cursor)
        if "." in name.text:
            cursor.error(name.span, "the name of a kernel has no '.'", "its lanes are the threads K.0.1.2")
        parameters = self.parameters() if cursor.accept("(") else ()
        placement = parse_placement(cursor)
        launch = self.launch()
        optnone = cursor.accept_word("optnone") is not None
        cursor.expect("{", "'{'", "a kernel is written kernel K() workgroups 2, lanes 4 { … }")
        body = self.block()
        return Kernel(
            name=name.text, parameters=parameters, launch=launch, placement=placement, memory=tuple(self.memory),
            barriers=tuple(self.barriers), body=body, optnone=optnone, span=name.span,
        )  # fmt: skip

    def thread(self, name: Token, placement: Placement) -> Kernel:
        """Read the body of a thread with control flow: a kernel of one lane."""
        self.cursor.next()
        body = self.block()
        return Kernel(
            name=name.text, parameters=(), launch=Launch(), placement=placement, memory=tuple(self.memory),
            barriers=tuple(self.barriers), body=body, lane_of_thread=True, span=name.span,
        )  # fmt: skip

    def parameters(self) -> tuple[KernelParameter, ...]:
        """Read the parameters and their closing parenthesis."""
        cursor = self.cursor
        found: list[KernelParameter] = []
        cursor.skip_newlines()
        while not cursor.accept(")"):
            found.append(self.parameter())
            cursor.skip_newlines()
            if not cursor.accept(",") and not cursor.at(")"):
                cursor.fail_expected("',' or ')'")
            cursor.skip_newlines()
        return tuple(found)

    def parameter(self) -> KernelParameter:
        """Read `i32 %n = 3` or `i32 %m in {0, 1}`."""
        cursor = self.cursor
        type_ = parse_type(cursor)
        name = self.result_name()
        choice = cursor.accept_word("in") is not None
        if not choice:
            cursor.expect("=", "'=' and the value of the parameter, or 'in' and its values")
            return KernelParameter(name.value, type_, (parse_infix(cursor, 0),), span=name.span)
        cursor.expect("{", "'{' and the values")
        values = [parse_infix(cursor, 0)]
        while cursor.accept(","):
            values.append(parse_infix(cursor, 0))
        cursor.expect("}", "',' or '}'")
        return KernelParameter(name.value, type_, tuple(values), choice=True, span=name.span)

    def launch(self) -> Launch:
        """Read the counts of workgroups, wavefronts and lanes; what is not said is one."""
        cursor = self.cursor
        counts: dict[str, int] = {}
        start = cursor.peek().span
        while cursor.at_word(*SHAPE):
            word = cursor.next()
            number = cursor.expect("number", f"the number of {word.text}")
            if word.text in counts:
                cursor.error(word.span, f"the launch says its {word.text} twice")
            counts[word.text] = numeral(number.text)
            if not counts[word.text]:
                cursor.error(number.span, f"a launch has at least one of its {word.text}, not 0")
                counts[word.text] = 1
            cursor.accept(",")
        launch = Launch(**counts)
        if launch.workgroups * launch.wavefronts * launch.lanes > MOST_LANES:
            cursor.error(cursor.since(start), f"a launch has at most {MOST_LANES} lanes")
            return Launch()
        return launch

    # ------------------------------------------------ statements

    @override
    def statement(self) -> Statement | None:
        """Read a statement or a label; None for what is none (a declaration)."""
        cursor = self.cursor
        start = cursor.peek()
        if start.kind in ("name", "number") and cursor.peek(1).kind == ":" and cursor.peek(2).kind == "newline":
            cursor.next()
            cursor.next()
            return Label(start.text, span=start.span)
        if cursor.at_word("lds", "private") and cursor.peek(1).kind != "=":
            self.declaration()
            return None
        return super().statement()

    def declaration(self) -> None:
        """Read `lds t = 0`, `private p`, `lds barrier b`."""
        cursor = self.cursor
        if not cursor.at_word("barrier", ahead=1):
            self.memory += parse_locations(cursor)
            return
        cursor.next()
        cursor.next()
        self.barriers.append(self.result_name().value)
        while cursor.accept(","):
            self.barriers.append(self.result_name().value)

    @override
    def begins_operation(self, word: str) -> bool:
        """Say whether a word after `r =` begins an operation rather than an expression."""
        return super().begins_operation(word) or word in SIGNATURES

    @override
    def operation(self, register: str, label: str) -> Statement | None:
        """Read what follows `r =`, or a statement without a result; the current token is a bare word."""
        cursor = self.cursor
        word = cursor.peek()
        if word.text == "phi":
            return self.phi(register, label, cursor.next())
        if word.text == "call" or (word.text == "tail" and cursor.at_word("call", ahead=1)):
            return self.call(register, label, word)
        if word.text in SIGNATURES or word.text == "barrier":
            cursor.next()
            return self.short_call(register, label, word)
        return super().operation(register, label)

    @override
    def controls(self, label: str, start: Token) -> Statement:
        """Read a terminator or a loop after its first word."""
        cursor, word = self.cursor, start.text
        if word == "br":
            return self.branch(label, start)
        if word == "switch":
            return self.switch(label, start)
        if word == "unreachable":
            return Unreachable(label, start.span)
        if word not in LOOPS:
            hint = "the terminators are br, switch, ret and unreachable"
            raise cursor.fail(start.span, f"'{word}' is not supported", hint)
        cursor.deeper(start.span)
        found = self.loop(label, start)
        cursor.depth -= 1
        return found

    @override
    def effect(self, label: str, start: Token) -> Statement | None:
        """Read a statement that has no result."""
        if start.text in LOOPS:
            return self.controls(label, start)
        if start.text == "ret":
            self.cursor.accept_word("void")
            return Return(label, self.cursor.since(start.span))
        return super().effect(label, start)

    def loop(self, label: str, start: Token) -> Statement:
        """Read `while c { … }` or `for i in a..b { … }` after its first word."""
        cursor = self.cursor
        if start.text == "while":
            condition = parse_expression(cursor)
            span = cursor.since(start.span)
            cursor.expect("{", "'{'")
            return While(condition, self.block(), self.attachments(latch=True), label, span)
        register = self.result_name()
        cursor.expect_word("in")
        first = parse_infix(cursor, 0)
        cursor.expect("..", "'..'", "for i in 0..3 { … }")
        last = parse_infix(cursor, 0)
        span = cursor.since(start.span)
        cursor.expect("{", "'{'")
        return For(register.value, first, last, self.block(), self.attachments(latch=True), label, span)

    def target(self) -> str:
        """Read `label %A` or `A`."""
        cursor = self.cursor
        cursor.accept_word("label")
        if not cursor.at("name", "local", "number"):
            cursor.fail_expected("the label of a block")
        return cursor.next().value

    def attachments(self, *, latch: bool = False) -> LoopID | None:
        """Read the metadata of a branch, phi or loop and return its LoopID, which only a `latch` may have."""
        cursor = self.cursor
        found: LoopID | None = None
        while cursor.at("metadata") or (cursor.at(",") and cursor.peek(1).kind == "metadata"):
            cursor.accept(",")
            name = cursor.next()
            node = parse_node(cursor)
            if name.value in (GROUP, PARALLEL):
                refuse_promises(cursor, name.span)
            elif name.value == LOOP and not latch:
                refuse_loop(cursor, name.span)
            elif name.value == LOOP:
                if found is not None:
                    hint = "a loop has one LoopID, which lists all its attributes"
                    cursor.error(name.span, f"a second '!{LOOP}'", hint)
                found = loop_of(cursor, node, self.known)
        return found

    def branch(self, label: str, start: Token) -> Statement:
        """Read a branch after its first word."""
        cursor = self.cursor
        after = cursor.peek(1)
        alone = after.kind in ("newline", "}", "end") or (after.kind == "," and cursor.peek(2).kind == "metadata")
        if alone or cursor.at_word("label"):
            found = Branch((self.target(),), label=label, span=cursor.since(start.span))
        else:
            condition = parse_expression(cursor)
            cursor.expect(",", "',' and the label where the condition holds")
            yes = self.target()
            cursor.expect(",", "',' and the label where it does not hold")
            found = Branch((yes, self.target()), condition, label=label, span=cursor.since(start.span))
        return replace(found, loop=self.attachments(latch=True))

    def switch(self, label: str, start: Token) -> Statement:
        """Read `switch i32 v, label %D [ i32 1, label %A … ]` after its first word."""
        cursor = self.cursor
        value = parse_expression(cursor)
        cursor.expect(",", "',' and the label of the default")
        default = self.target()
        span = cursor.since(start.span)
        cursor.expect("[", "'[' and the cases")
        cases: list[Case] = []
        cursor.skip_newlines()
        while not cursor.accept("]"):
            number = parse_unary(cursor)
            if not isinstance(number, Number):
                raise cursor.fail(number.span, "a case is a number")
            cursor.expect(",", "',' and a label")
            cases.append(Case(number, self.target(), number.span))
            cursor.accept(",")
            cursor.skip_newlines()
        self.attachments()
        return Switch(value, default, tuple(cases), label, span)

    def phi(self, register: str, label: str, start: Token) -> Statement:
        """Read `phi T [ a, %A ], …` after its first word."""
        cursor = self.cursor
        if not register:
            raise cursor.fail(start.span, "a phi needs a register", "r = phi [ a, A ], [ b, B ]")
        type_ = parse_type(cursor) if at_type(cursor) or cursor.at_word("ptr") else None
        incoming: list[Incoming] = []
        while not incoming or cursor.accept(","):
            opening = cursor.expect("[", "'[', a value and a block")
            value = parse_expression(cursor)
            cursor.expect(",", "',' and a block")
            block = self.target()
            cursor.expect("]", "']'")
            incoming.append(Incoming(value, block, cursor.since(opening.span)))
            if cursor.at(",") and cursor.peek(1).kind == "metadata":
                break
        self.attachments()
        return Phi(register, type_, tuple(incoming), label, cursor.since(start.span))

    # ------------------------------------------------ calls


def parse_declaration(cursor: Cursor) -> Declaration:
    """Read `declare void @f(i32) convergent` after its first word; other attributes mean nothing here."""
    cursor.expect_word("void")
    name = cursor.expect("global", "the name of a function")
    cursor.expect("(", "'('")
    parameters: list[Type] = []
    while not cursor.accept(")"):
        parameters.append(parse_type(cursor))
        if cursor.at("local"):
            cursor.next()
        if not cursor.accept(",") and not cursor.at(")"):
            cursor.fail_expected("',' or ')'")
    convergent = False
    while cursor.at("name"):
        convergent |= cursor.next().text == "convergent"
    return Declaration(name.value, tuple(parameters), convergent, name.span)


def parse_bound(cursor: Cursor) -> int:
    """Read the number after `bound`."""
    number = cursor.expect("number", "the number of iterations")
    value = numeral(number.text)
    if not 1 <= value <= 64:
        raise cursor.fail(number.span, f"a bound is between 1 and 64, not {value}")
    return value
