"""The statements of one thread in C.

What goes in: a cursor after the brace of a function, the locations that its parameters name, the local variables that
have initial values. What comes out: statements of axmem. Loops and jumps are refused: what they are in a test of axmem
is a kernel.
"""

from __future__ import annotations

from axmem.formats.herd.c_expressions import CExpressions, base_type, pointed_to
from axmem.formats.herd.c_types import is_type_word, of_register
from axmem.front.records import replace
from axmem.litmus.cursor import Unparsable
from axmem.litmus.lexer import Token
from axmem.litmus.syntax import AtomicRmw, Register, Statement
from axmem.litmus.walk import changed

_NO_LOOPS = frozenset({"while", "for", "do", "goto", "break", "continue"})
_WORDS = _NO_LOOPS | {"if", "else", "return", "switch", "case", "struct", "asm", "__asm__"}


class FunctionReader(CExpressions):
    """Reads one function."""

    def block(self) -> None:
        """Read statements up to the closing brace, and the brace; after an error the next statement is read."""
        cursor = self.cursor
        while not cursor.accept("}"):
            if cursor.at("end"):
                cursor.fail_expected("'}' at the end of the function")
            depth, index = cursor.depth, cursor.index
            try:
                self.statement()
            except Unparsable:
                cursor.depth = depth
                self.recover(index)

    def recover(self, index: int) -> None:
        """Step behind the statement that began at a token."""
        cursor = self.cursor
        cursor.index = max(cursor.index, index)
        while not cursor.at(";", "}", "end"):
            cursor.next()
        cursor.accept(";")

    def statement(self) -> None:
        """Read a statement."""
        cursor, token = self.cursor, self.cursor.peek()
        cursor.operators = 0
        cursor.deeper(token.span)
        if token.kind == "name" and token.text in _WORDS:
            self.worded(token)
        elif token.kind == "name" and is_type_word(token.text):
            self.declaration()
        elif cursor.accept("{"):
            self.block()
        elif not cursor.accept(";"):
            self.effect()
            cursor.expect(";", "';' after a statement")
        cursor.depth -= 1

    def worded(self, token: Token) -> None:
        """Read a statement that begins with one of C's words."""
        if token.text == "if":
            self.conditional()
        elif token.text == "else":
            self.cursor.fail_expected("a statement")
        elif token.text in _NO_LOOPS:
            hint = "write the iterations out, or the test in axmem's language as a kernel"
            raise self.fail(token.span, f"'{token.text}': loops and jumps are not read in C tests", hint)
        else:
            raise self.fail(token.span, f"'{token.text}' is not read in C tests")

    def conditional(self) -> None:
        """Read `if (…) … else …`."""
        cursor = self.cursor
        start = cursor.next().span
        cursor.expect("(", "'('")
        condition = self.expression()
        cursor.expect(")", "an operator or ')'")
        span = cursor.since(start)
        _, then = self.inside(self.statement)
        otherwise: tuple[Statement, ...] = ()
        if cursor.accept_word("else"):
            _, otherwise = self.inside(self.statement)
        self.branch(condition, then, otherwise, span)

    def declaration(self) -> None:
        """Read `int r0 = …, *p;`."""
        cursor = self.cursor
        base = base_type(cursor)
        while True:
            type_ = pointed_to(cursor, base)
            name = cursor.expect("name", "the name of a variable")
            if name.text in self.parameters:
                raise cursor.fail(name.span, f"'{name.text}' is a parameter already")
            if cursor.at("["):
                raise cursor.fail(cursor.peek().span, "local arrays are not represented here")
            self.locals[name.text] = changed(type_, atomic=False, volatile=False)
            if cursor.accept("="):
                value = self.expression()
                self.assign(name.text, self.fitting(value, self.locals[name.text], name.span), cursor.since(name.span))
            if not cursor.accept(","):
                break
        cursor.expect(";", "',' or ';'")

    def effect(self) -> None:
        """Read an assignment or a call."""
        cursor, token = self.cursor, self.cursor.peek()
        if token.kind == "name" and cursor.peek(1).kind == "=":
            cursor.next()
            cursor.next()
            if token.text in self.parameters:
                hint = f"write *{token.text} = …"
                raise cursor.fail(token.span, f"'{token.text}' is the address of a location", hint)
            value = self.expression()
            type_ = self.locals.setdefault(token.text, of_register(value.type))
            self.assign(token.text, self.fitting(value, type_, token.span), cursor.since(token.span))
        elif token.kind == "*" or (token.kind == "name" and cursor.peek(1).kind == "["):
            address, target = self.place()
            cursor.expect("=", "'=' and a value")
            value = self.expression()
            for statement in self.stored(address, target, value, cursor.since(token.span)):
                self.emit(statement)
        elif token.kind == "name" and cursor.peek(1).kind == "(":
            result = self.called()
            last = self.out[-1] if self.out else None
            if result is not None and isinstance(last, AtomicRmw) and result.expr == Register(last.register):
                self.out[-1] = replace(last, register="")
        elif token.kind == "name":
            cursor.next()
            cursor.fail_expected("'=' or '('")
        else:
            cursor.fail_expected("a statement")
