"""Types and values of LLVM IR as a module writes them.

What goes in: a cursor at a type or a value. What comes out: an `IRType`, an `Operand`; what cannot be read raises
`Unparsable`, with a diagnostic at the cursor. Named types are those of the module, wherever they stand in it.
"""

from __future__ import annotations

import re
import struct

from axmem.formats.ir.syntax import ConstantExpression, Operand, Value
from axmem.formats.ir.types import FLOATS, LABEL, METADATA, WORDS, IRType, integer
from axmem.front.source import did_you_mean
from axmem.litmus.cursor import Cursor
from axmem.litmus.lexer import Token, numeral
from axmem.litmus.spelling import ARITHMETIC
from axmem.litmus.syntax import AddressOf, Number, Register, UndefValue, VectorOf

CASTS = frozenset({"bitcast", "inttoptr", "ptrtoint", "addrspacecast", "trunc", "ptrtoaddr"})
_EXPRESSIONS = CASTS | ARITHMETIC | {"getelementptr", "extractelement", "insertelement", "shufflevector"}
NUMBERED = frozenset({"align", "alignstack", "cc"})
"""Attributes and conventions that a number follows."""
MOST_BITS = 1 << 23
"""So many bits LLVM lets an integer have."""
_INTEGER = re.compile(r"i[1-9][0-9]*")
_FORMATS = {16: "e", 32: "f", 64: "d"}


class IrOperands:
    """Reads types and values; `named` are the types that the module defines.

    `said` are the words of attributes that have been read, and `poisons` counts the values that are poison.
    """

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.named: dict[str, IRType] = {}
        self.ahead: dict[str, int] = {}
        self.said: list[str] = []
        self.passed: IRType | None = None
        """What the last `byref` says."""
        self.poisons = 0

    def find_types(self) -> None:
        """Note where every `%T = type …` of the text stands, since types may be used before that."""
        words = self.cursor.tokens
        for index in range(len(words) - 3):
            if words[index].kind == "local" and words[index + 2].text == "type" and words[index + 1].kind == "=":
                self.ahead[words[index].value] = index + 3

    # ------------------------------------------------ types

    def at_type(self) -> bool:
        """Say whether a type begins at the cursor."""
        token = self.cursor.peek()
        if token.kind in ("<", "[", "{"):
            return True
        if token.kind == "local":
            return token.value in self.ahead
        if token.kind != "name":
            return False
        word = token.text
        return word in ("ptr", "target") or word in WORDS or word in FLOATS or bool(_INTEGER.fullmatch(word))

    def type(self) -> IRType:
        """Read a type; parameters in parentheses behind it make it that of a function."""
        cursor = self.cursor
        start = cursor.peek()
        cursor.deeper(start.span)
        found = self._type(start)
        while cursor.at("("):
            cursor.next()
            found = IRType("function", element=found, fields=self._types(")"))
        if cursor.at("*"):
            hint = "since LLVM 17 there is one type of pointers: ptr"
            raise cursor.fail(cursor.peek().span, "a pointer has no element type", hint)
        cursor.depth -= 1
        return found

    def _type(self, start: Token) -> IRType:
        cursor = self.cursor
        if start.kind == "local":
            return self._named(cursor.next())
        if cursor.accept("["):
            return self._sequence("array", "]")
        if cursor.accept("<"):
            if not cursor.at("{"):
                return self._sequence("vector", ">")
            cursor.next()
            fields = self._types("}")
            cursor.expect(">", "'>'")
            return IRType("struct", fields=fields, packed=True)
        if cursor.accept("{"):
            return IRType("struct", fields=self._types("}"))
        if start.kind != "name":
            cursor.fail_expected("a type")
        word = cursor.next().text
        if word == "ptr":
            return IRType("ptr", space=self.space())
        if word == "target":
            return self._target()
        if word in FLOATS:
            return IRType("float", bits=FLOATS[word], name=word)
        if word in WORDS:
            return IRType(word)
        if not _INTEGER.fullmatch(word):
            hint = did_you_mean(word, ["i1", "i8", "i16", "i32", "i64", "ptr", "void", *FLOATS])
            raise cursor.fail(start.span, f"unknown type '{word}'", hint)
        if len(word) > len(str(MOST_BITS)) + 1 or int(word[1:]) > MOST_BITS:
            raise cursor.fail(start.span, f"an integer of LLVM has at most {MOST_BITS} bits")
        return integer(int(word[1:]))

    def _named(self, token: Token) -> IRType:
        """Return the type that a name stands for, which is read where it is defined."""
        cursor = self.cursor
        if token.value not in self.named:
            if token.value not in self.ahead:
                raise cursor.fail(token.span, f"no type is named '%{token.value}'")
            back, cursor.index = cursor.index, self.ahead.pop(token.value)
            self.named[token.value] = IRType("opaque", name=token.text)
            found = self.type()
            cursor.index = back
            self.ahead[token.value] = 0
            self.named[token.value] = IRType(
                found.kind, found.bits, found.space, found.count, found.element, found.fields, found.packed,
                token.text,
            )  # fmt: skip
        return self.named[token.value]

    def _types(self, closing: str) -> tuple[IRType, ...]:
        """Read types up to a closing token, and that; `...` and attributes of parameters mean nothing."""
        cursor, found = self.cursor, []
        while not cursor.accept(closing):
            cursor.skip_newlines()
            if not cursor.accept("..."):
                found.append(self.type())
            cursor.skip_newlines()
            if not cursor.accept(",") and not cursor.at(closing):
                cursor.fail_expected(f"',' or '{closing}'")
        return tuple(found)

    def _sequence(self, kind: str, closing: str) -> IRType:
        cursor = self.cursor
        if cursor.at_word("vscale"):
            raise cursor.fail(cursor.peek().span, "a vector whose length is not known has no meaning in a test")
        count = numeral(cursor.expect("number", "the number of elements").text)
        cursor.expect_word("x")
        found = IRType(kind, count=count, element=self.type())
        cursor.expect(closing, f"'{closing}'")
        return found

    def _target(self) -> IRType:
        cursor = self.cursor
        cursor.expect("(", "'('")
        begin = cursor.index
        cursor.expect("string", "the name of a type")
        skip_to(cursor, ")")
        words = " ".join(each.text for each in cursor.tokens[begin : cursor.index - 1])
        return IRType("target", name=f"target({words.replace(' ,', ',')})")

    def space(self) -> int:
        """Read `addrspace(3)`, if it stands here."""
        cursor = self.cursor
        if not cursor.accept_word("addrspace"):
            return 0
        cursor.expect("(", "'('")
        token = cursor.next()
        cursor.expect(")", "')'")
        if token.kind != "number":
            raise cursor.fail(token.span, "an address space has a number")
        return numeral(token.text)

    # ------------------------------------------------ values

    def operand(self) -> Operand:
        """Read a value with its type before it; of metadata and labels the name alone counts."""
        cursor = self.cursor
        start = cursor.peek().span
        type_ = self.type()
        begin = cursor.index
        self.attributes()
        words = tuple([each.text for each in cursor.tokens[begin : cursor.index]]) if cursor.index > begin else ()
        if type_ == METADATA:
            return Operand(type_, self._metadata(), cursor.since(start))
        if type_ == LABEL:
            return Operand(
                type_, ConstantExpression(cursor.expect("local", "the label of a block").value), cursor.since(start)
            )
        return Operand(type_, self.value(type_), cursor.since(start), words)

    def attributes(self) -> tuple[str, ...]:
        """Read the attributes of a parameter or an argument: words, `align 8`, `range(…)`, `"a"="b"`, `#0`.

        Words and their arguments are returned, one after the other.
        """
        cursor, found = self.cursor, list[str]()
        while True:
            if cursor.at("name") and cursor.peek().text not in _BEHIND and not self.at_type():
                begin, word = cursor.index, cursor.next().text
                if cursor.accept("("):
                    self.passed = self.type() if word == "byref" else self.passed
                    skip_to(cursor, ")")
                elif word in NUMBERED:
                    cursor.accept("number")
                found += (token.text for token in cursor.tokens[begin : cursor.index])
            elif cursor.at("string"):
                begin = cursor.index
                cursor.next()
                if cursor.accept("="):
                    cursor.expect("string", "a string")
                self.said += (token.text for token in cursor.tokens[begin : cursor.index])
            elif not cursor.accept("attributes"):
                self.said += found
                return tuple(found)

    def _metadata(self) -> Value:
        """Read what stands behind `metadata`: a node by its number, a string, or a value."""
        cursor = self.cursor
        if cursor.at("metadata", "metastring"):
            token = cursor.next()
            if cursor.at("("):
                cursor.next()
                skip_to(cursor, ")")
            return ConstantExpression(token.text)
        if cursor.accept("!{"):
            inside = cursor.peek()
            skip_to(cursor, "}")
            return ConstantExpression(inside.text)
        return self.operand().value

    def value(self, type_: IRType) -> Value:
        """Read a value of a type."""
        cursor = self.cursor
        token = cursor.peek()
        cursor.deeper(token.span)
        found = self._value(token, type_)
        cursor.depth -= 1
        return found

    def _value(self, token: Token, type_: IRType) -> Value:
        cursor = self.cursor
        match token.kind:
            case "local":
                return Register(cursor.next().value, span=token.span)
            case "global":
                return AddressOf(cursor.next().value, span=token.span)
            case "number" | "-":
                return self._number(token, type_)
            case "float":
                cursor.next()
                return Number(_bits(cursor, token, type_), span=token.span)
            case "bytes":
                cursor.next()
                return VectorOf(tuple(Number(ord(c), span=token.span) for c in token.value), span=token.span)
            case "<" | "[" | "{":
                return self._aggregate(token)
            case "name":
                return self._word(token, type_)
        cursor.fail_expected("a value")
        raise AssertionError

    def _number(self, token: Token, type_: IRType) -> Number:
        cursor = self.cursor
        negative = cursor.accept("-") is not None
        if cursor.at("float"):
            digits = cursor.next()
            return Number(_bits(cursor, digits, type_, negative=negative), span=token.span)
        value = numeral(cursor.expect("number", "a number").text)
        span = cursor.since(token.span)
        if type_.kind != "int":
            raise cursor.fail(span, f"a value of type {type_} is no integer")
        if not -(1 << (type_.bits - 1)) <= (-value if negative else value) < 1 << type_.bits:
            raise cursor.fail(span, f"the number does not fit into {type_}")
        return Number(-value if negative else value, span=span)

    def _aggregate(self, token: Token) -> Value:
        """Read `<…>`, `[…]`, `{…}` or `<{…}>` with typed elements."""
        cursor = self.cursor
        opening = cursor.next().kind
        packed = opening == "<" and cursor.accept("{") is not None
        closing = "}" if packed else {"<": ">", "[": "]", "{": "}"}[opening]
        found: list[Operand] = []
        cursor.skip_newlines()
        while not cursor.accept(closing):
            found.append(self.operand())
            cursor.skip_newlines()
            if not cursor.accept(",") and not cursor.at(closing):
                cursor.fail_expected(f"',' or '{closing}'")
            cursor.skip_newlines()
        if packed:
            cursor.expect(">", "'>'")
        return ConstantExpression("aggregate", operands=tuple(found), span=cursor.since(token.span))

    def _word(self, token: Token, type_: IRType) -> Value:
        cursor, word = self.cursor, token.text
        if word in _EXPRESSIONS:
            return self._expression(cursor.next())
        if word not in _VALUES:
            cursor.fail_expected("a value")
        cursor.next()
        if word in ("undef", "poison"):
            self.poisons += word == "poison"
            return UndefValue(span=token.span, poison=word == "poison")
        if word in ("true", "false"):
            return Number(int(word == "true"), span=token.span)
        if word in ("null", "zeroinitializer"):
            return Number(0, span=token.span)
        if word == "splat":
            cursor.expect("(", "'('")
            inside = self.operand()
            cursor.expect(")", "')'")
            return ConstantExpression(
                "aggregate", operands=(inside,) * max(1, type_.count), span=cursor.since(token.span)
            )
        begin = cursor.index
        if cursor.accept("("):
            skip_to(cursor, ")")
        words = tuple(each.text for each in cursor.tokens[begin : cursor.index])
        return ConstantExpression(word, span=token.span, words=words)

    def _expression(self, token: Token) -> ConstantExpression:
        """Read the rest of `getelementptr inbounds (T, ptr @x, i64 1)`, `ptrtoint (ptr @x to i64)` and their like."""
        cursor, begin = self.cursor, self.cursor.index
        while cursor.at("name"):
            cursor.next()
            if cursor.accept("("):
                if self.at_type():
                    cursor.index -= 1
                    break
                skip_to(cursor, ")")
        words = tuple(each.text for each in cursor.tokens[begin : cursor.index])
        cursor.expect("(", "'('")
        counted: IRType | None = None
        if token.text == "getelementptr":
            counted = self.type()
            cursor.expect(",", "','")
        found = [self.operand()]
        while cursor.accept(","):
            found.append(self.operand())
        if token.text in CASTS:
            cursor.expect_word("to")
            counted = self.type()
        cursor.expect(")", "')'")
        return ConstantExpression(token.text, counted, tuple(found), cursor.since(token.span), words)


_VALUES = _EXPRESSIONS | {
    *("undef", "poison", "true", "false", "null", "zeroinitializer", "none", "splat", "asm"),
    *("blockaddress", "dso_local_equivalent", "no_cfi", "ptrauth"),
}
"""Words that begin a value."""
_BEHIND = _VALUES | {"to", "unwind"}
"""Words that are no attribute."""


def skip_to(cursor: Cursor, closing: str) -> None:
    """Step over everything up to the bracket that closes the one before the cursor, and that."""
    depth = 1
    while depth:
        token = cursor.next()
        if token.kind == "end":
            raise cursor.fail(token.span, f"expected '{closing}', found the end of the file")
        if token.kind in ("(", "[", "{", "!{"):
            depth += 1
        elif token.kind in (")", "]", "}"):
            depth -= 1


def _bits(cursor: Cursor, token: Token, type_: IRType, *, negative: bool = False) -> int:
    """Return the bits of a number of floating point; hexadecimal digits are those of a double."""
    text = token.text
    if type_.kind == "int" and text[:1] in "us" and not negative:
        return int(text[3:], 16)
    if type_.kind != "float" or type_.bits not in _FORMATS or text[:1] in "us":
        raise cursor.fail(token.span, f"this number is no value of type {type_} that is known here")
    try:
        if text[:3] == "0xR":
            return int(text[3:], 16)
        if type_.name == "bfloat":
            # The digits are those of what a bfloat is exactly: the upper half of a float.
            return _bits(cursor, token, IRType("float", bits=32, name="float"), negative=negative) >> 16
        if text[:3] == "0xH":
            return int(text[3:], 16)
        if text[:2] == "0x":
            value = struct.unpack(">d", bytes.fromhex(text[2:].zfill(16)))[0]
        else:
            value = -float(text) if negative else float(text)
        return int.from_bytes(struct.pack(f">{_FORMATS[type_.bits]}", value), "big")
    except (ValueError, OverflowError, struct.error):
        raise cursor.fail(token.span, f"the number does not fit into {type_}") from None
