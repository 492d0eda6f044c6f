"""Registers, operands and addresses of AArch64 instructions."""

from __future__ import annotations

import re
from functools import cache

from axmem.formats.herd.assembly import MachineReader, Named
from axmem.front.typing import override
from axmem.litmus.cursor import Cursor
from axmem.litmus.lexer import Token, numeral
from axmem.litmus.syntax import Address, Expr, IntegerOperation, Number, Register, Type

WORDS = re.compile(
    r"(?P<name>[A-Za-z_.][\w.]*)|(?P<immediate>\#-?(?:0[xX][0-9A-Fa-f]+|[0-9]+))"
    r"|(?P<number>-?(?:0[xX][0-9A-Fa-f]+|[0-9]+))|(?P<punctuation>[\[\],:!])",
    re.ASCII,
)
EXTENDS = {"SXTW": "sext", "UXTW": "zext"}
_REGISTER = re.compile(r"([XW])([0-9]|[12][0-9]|30)|([XW])ZR", re.IGNORECASE)
ZERO = "XZR"


@cache
def register_named(word: str) -> tuple[str, int] | None:
    """Return the family and the bits of a register by its name; None if the word names none."""
    match = _REGISTER.fullmatch(word)
    if match is None:
        return None
    bits = 64 if (match[1] or match[3]).upper() == "X" else 32
    return (f"X{match[2]}" if match[1] else ZERO), bits


class AArch64Operands(MachineReader):
    """Reads the operands of one column's instructions."""

    model = "aarch64"
    words = WORDS

    @classmethod
    @override
    def register_named(cls, word: str) -> tuple[str, int] | None:
        """Return the family, `X0` of X0 and W0, and the bits."""
        return register_named(word)

    def register(self, cursor: Cursor) -> Named:
        """Read a register."""
        token = cursor.peek()
        named = register_named(token.text) if token.kind == "name" else None
        if named is None:
            hint = "registers are X0 to X30, W0 to W30, XZR and WZR"
            raise cursor.fail(token.span, f"expected a register, found '{token.text or 'the end'}'", hint)
        cursor.next()
        return Named(*named, token.span)

    def operand(self, cursor: Cursor, bits: int) -> Expr:
        """Read a register or a number as an operand of so many bits."""
        token = cursor.peek()
        if cursor.at("immediate", "number"):
            cursor.next()
            return number(token)
        register = self.register(cursor)
        if cursor.at(",") and cursor.peek(1).text.upper() in EXTENDS:
            cursor.next()
            return self.extended(register, cursor.next(), cursor)
        if register.bits != bits:
            raise cursor.fail(register.span, f"this register has {register.bits} bits, and the others {bits}")
        return self.get(register)

    def extended(self, register: Named, how: Token, cursor: Cursor) -> Expr:
        """Return a register of 32 bits as one of 64."""
        if register.bits != 32:
            raise cursor.fail(how.span, f"{how.text.upper()} extends a register of 32 bits")
        if cursor.at("immediate", "number"):
            raise cursor.fail(cursor.peek().span, "an amount of shift is not read")
        return IntegerOperation(EXTENDS[how.text.upper()], (self.get(register),), Type(64), register.span)

    @override
    def get(self, register: Named) -> Expr:
        """Return the value of a register."""
        return Number(0, span=register.span) if register.family == ZERO else super().get(register)

    def address(self, cursor: Cursor, *, alone: bool = False) -> Address:
        """Read `[X1]`, `[X1,#4]`, `[X1,X2]` or `[X1,W2,SXTW]`; `alone` takes the first only."""
        start = cursor.expect("[", "'[' and an address").span
        base = self.register(cursor)
        if base.bits != 64:
            raise cursor.fail(base.span, "an address has 64 bits", f"write X{base.family[1:]}")
        value = self.get(base)
        if isinstance(value, Number):
            raise cursor.fail(base.span, "this register holds no address", "initial values say it: 0:X1=x")
        if cursor.accept(","):
            if alone:
                raise cursor.fail(cursor.peek().span, "this instruction takes a register alone as its address")
            offset = self.offset(cursor)
            value = IntegerOperation("add", (value, offset), None, cursor.since(start))
        cursor.expect("]", "']'")
        if cursor.at("!", ","):
            raise cursor.fail(cursor.peek().span, "addresses that change their register are not read")
        return Address(value, span=cursor.since(start))

    def offset(self, cursor: Cursor) -> Expr:
        """Read what is added to an address."""
        token = cursor.peek()
        if cursor.at("immediate", "number"):
            cursor.next()
            return number(token)
        register = self.register(cursor)
        if cursor.accept(","):
            how = cursor.expect("name", "SXTW or UXTW")
            if how.text.upper() not in EXTENDS:
                raise cursor.fail(how.span, f"'{how.text}' of an address is not read", "SXTW and UXTW are")
            return self.extended(register, how, cursor)
        if register.bits != 64:
            raise cursor.fail(register.span, "a register of 32 bits is extended here", f"W{register.family[1:]},SXTW")
        return self.get(register)

    def target(self, cursor: Cursor) -> Named:
        """Read the register that an instruction assigns, and the comma."""
        register = self.register(cursor)
        cursor.expect(",", "','")
        return register if register.family != ZERO else Named("XZR", register.bits, register.span)

    def part(self, register: Named, bits: int, cursor: Cursor) -> Named:
        """Return the lower bits of a register, as an access of bytes or halves takes them; all of it without `bits`."""
        if not bits:
            return register
        if register.bits != 32:
            raise cursor.fail(
                register.span, "bytes and halves are those of a register of 32 bits", f"W{register.family[1:]}"
            )
        return Named(register.family, bits, register.span)

    def accessed(self, register: Named) -> Type | None:
        """Return the type of an access by a register; None of an address, which has its own."""
        known = self.get(register)
        pointer = register.family in self.bases or not isinstance(known, Number | Register | IntegerOperation)
        return None if pointer else Type(register.bits)


def number(token: Token) -> Number:
    """Return an immediate or a number as an expression."""
    text = token.text.removeprefix("#")
    return Number(-numeral(text[1:]) if text.startswith("-") else numeral(text), span=token.span)
