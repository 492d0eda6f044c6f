"""Modules of LLVM IR as they stand, for questions that need no values.

What goes in: the text of a module. What comes out: its tree with every function, and by function what is wrong with it.
Invariant: no instruction of LLVM is refused. What has no meaning in a test (exceptions, inline assembly, calls through
pointers, types of other machines) is kept with its word, operands, result, type and targets; whoever asks for more says
so.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import inf

from axmem.formats.ir.attributes import ATTRIBUTES, HINTS
from axmem.formats.ir.lexer import LONG_WORDS, tokens
from axmem.formats.ir.mnemonics import EXCEPTIONAL
from axmem.formats.ir.parser import ModuleParser
from axmem.formats.ir.syntax import BLANK, ConstantExpression, Global, Instruction, Module, Operand, Promise, Value
from axmem.formats.ir.types import UNKNOWN, VOID, IRType
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Source, did_you_mean, first_errors, mistake
from axmem.front.typing import override
from axmem.litmus.lexer import Token, numeral
from axmem.litmus.modes import Attributes, modes_of, parse_leading
from axmem.litmus.syntax import AccessMode, Number, Register
from axmem.litmus.words import OperationKind

OPTION = "--function"
LAUNCHED = re.compile(r"^[ \t]*;[ \t]*axmem:[ \t]*(?:kernel|launch|thread)\b", re.MULTILINE)
"""A comment that says what of a module is launched."""
GENERIC = (*(EXCEPTIONAL - {"invoke"}), "landingpad", "catchpad", "cleanuppad", "indirectbr", "va_arg")
"""Instructions of which the operands and the targets are what is asked."""
_GOES_ON = ((ATTRIBUTES | HINTS) - {"tail"}) | {
    *("to", "unwind", "catch", "cleanup", "filter", "label", "align", "void", "ptr"),
}
"""Words with which a line goes on with what stands above it."""
_TYPE = re.compile(r"i[0-9]+|half|bfloat|float|double")
LAST_USE = "!amdgpu.last.use"
"""The metadata of a load after which nobody needs what the line holds."""
_POINTER = IRType("ptr")
_SKIPPED = ("uselistorder", "uselistorder_bb")


@dataclass(frozen=True, slots=True)
class WholeModule:
    """A module, and what is wrong with each of its functions, or (`""`) outside of them."""

    module: Module
    wrong: dict[str, tuple[Diagnostic, ...]]

    def names(self, chosen: str | None = None) -> tuple[str, ...]:
        """Return the functions that the module defines, or the one that is chosen. Raises `InputError`."""
        defined = (name for name, each in self.module.functions.items() if each.blocks or name in self.wrong)
        found = tuple(dict.fromkeys((*defined, *filter(None, self.wrong))))
        if chosen is None:
            return found
        name = chosen.removeprefix("@")
        if name not in found:
            hint = did_you_mean(name, found) or f"there are {', '.join(found) or 'none'}"
            raise mistake(OPTION, f"{self.module.source.name} defines no such function", hint, text=name)
        return (name,)

    def check(self, name: str) -> None:
        """Raise `InputError` for a function that could not be read."""
        if name in self.wrong:
            raise InputError(first_errors(self.wrong[name]))


@lru_cache(maxsize=1)
def whole(source: Source) -> WholeModule:
    """Return a module as it stands."""
    parser = WholeParser(source)
    module = parser.module()
    wrong: dict[str, list[Diagnostic]] = {}
    for index, each in enumerate(parser.diagnostics):
        inside = (name for name, (first, last) in parser.read.items() if first <= index < last)
        wrong.setdefault(next(inside, ""), []).append(each)
    return WholeModule(module, {name: tuple(each) for name, each in wrong.items()})


class WholeParser(ModuleParser):
    """Reads a module in which anything may stand; `read` are the numbers of the diagnostics of its functions."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.opened = True
        self.cursor.any_scope, self.cursor.most = True, inf
        self.read: dict[str, tuple[int, int]] = {}
        self.readers |= {"invoke": self.invoke, "callbr": self.callbr, **dict.fromkeys(GENERIC, self.generic)}

    @override
    def words(self, source: Source) -> tuple[list[Token], list[Diagnostic]]:
        """Return the words of the text without the line ends behind which an instruction goes on."""
        found, wrong = tokens(source, LONG_WORDS)
        ends = zip(found, [*found[1:], found[-1]], strict=True)
        found = [word for word, after in ends if not word.kind == after.kind == "newline"]
        ahead = zip(found, [*found[1:], found[-1]], [*found[2:], *found[-1:] * 2], strict=True)
        return [word for word, *after in ahead if word.kind != "newline" or _begins(*after)], wrong

    # ------------------------------------------------ modules

    @override
    def item(self, token: Token) -> None:
        """Read one line of a module, or a function."""
        cursor = self.cursor
        word = token.text if token.kind == "name" else ""
        if word == "module":
            cursor.skip_line()
            return
        ahead = (cursor.peek(k).text for k in range(1, 12))
        if token.kind == "global" and any(text in ("alias", "ifunc") for text in ahead):
            self.globals[token.value] = Global(token.value, VOID, 0, None, (), token.span)
            cursor.skip_line()
            return
        if word != "define":
            super().item(token)
            return
        name = next((t.value for t in cursor.tokens[cursor.index :] if t.kind in ("global", "newline")), "")
        first = len(self.diagnostics)
        try:
            super().item(token)
        finally:
            self.read[name] = first, len(self.diagnostics)

    @override
    def line(self) -> list[Instruction]:
        """Read one instruction; nothing if it cannot be read, or says nothing."""
        if self.cursor.at_word(*_SKIPPED):
            self.cursor.skip_line()
            return []
        return super().line()

    # ------------------------------------------------ types and values

    @override
    def _sequence(self, kind: str, closing: str) -> IRType:
        scalable = self.cursor.accept_word("vscale")
        if scalable:
            self.cursor.expect_word("x")
        found = super()._sequence(kind, closing)
        if not scalable:
            return found
        return replace(found, kind="scalable", name=f"<vscale x {found.count} x {found.element}>")

    @override
    def _value(self, token: Token, type_: IRType) -> Value:
        cursor = self.cursor
        if token.kind == "+" and cursor.peek(1).kind == "float":
            cursor.next()
            token = cursor.peek()
        digits = cursor.peek(1) if token.kind == "-" else token
        if digits.kind == "float" and (type_.kind != "float" or type_.bits > 64):
            cursor.index += 1 + (token.kind == "-")
            return ConstantExpression(f"{'-' * (token.kind == '-')}{digits.text}", span=token.span)
        found = super()._value(token, type_)
        if token.text in ("dso_local_equivalent", "no_cfi") and cursor.at("global"):
            return ConstantExpression(f"{token.text} {cursor.next().text}", span=token.span)
        return found

    # ------------------------------------------------ instructions

    @override
    def alloca(self, result: str, word: Token) -> Instruction:
        """Read an alloca after its word, of as many as an operand says."""
        cursor, space, align = self.cursor, 0, None
        while cursor.accept_word("inalloca", "swifterror"):
            pass
        type_, operands = self.type(), list[Operand]()
        while self.comma():
            if cursor.at_word("addrspace"):
                space = self.space()
            elif cursor.accept_word("align"):
                align = numeral(cursor.expect("number", "the alignment in bytes").text)
            else:
                operands.append(self.operand())
        if operands and isinstance(number := operands[0].value, Number):
            type_, operands = IRType("array", count=number.value, element=type_), []
        return Instruction("alloca", result, type_, tuple(operands), mode=AccessMode(align=align), indices=(space,))

    @override
    def atomicrmw(self, result: str, word: Token) -> Instruction:
        """Read an atomicrmw after its word, whichever its operation is."""
        cursor, attributes = self.cursor, Attributes(word.span, strict=True)
        parse_leading(cursor, attributes)
        operation = cursor.expect("name", "an operation such as 'add'")
        address = self.pointer()
        self.expect_comma("a value")
        value = self.operand()
        self.trailing(attributes)
        mode, _ = modes_of(cursor, attributes, OperationKind.RMW)
        return Instruction("atomicrmw", result, value.type, (address, value), (operation.text,), mode)

    @override
    def trailing(self, attributes: Attributes) -> None:
        """Read what follows the operands of an access or a call."""
        super().trailing(attributes)
        if LAST_USE[1:] in attributes.attached:
            self.promises.append(Promise(LAST_USE, ""))

    @override
    def callee(self) -> str:
        """Read what a call names: a function, a pointer, inline assembly."""
        cursor = self.cursor
        if cursor.at("global", "local") or cursor.at_word("asm"):
            return super().callee()
        begin = cursor.index
        self.value(_POINTER)
        return " ".join(each.text for each in cursor.tokens[begin : cursor.index])

    def invoke(self, result: str, word: Token) -> Instruction:
        """Read an invoke after its word: where it returns to, and where it unwinds to."""
        found = self.called(result)
        self.cursor.expect_word("to")
        first = self.label()
        self.cursor.expect_word("unwind")
        return replace(found, operation="invoke", targets=(first, self.label()))

    def callbr(self, result: str, word: Token) -> Instruction:
        """Read a callbr after its word: where it goes on, and where it may go."""
        cursor, found = self.cursor, self.called(result)
        cursor.expect_word("to")
        targets = [self.label()]
        cursor.expect("[", "'[' and labels")
        while not cursor.accept("]"):
            targets.append(self.label())
            cursor.accept(",")
        return replace(found, operation="callbr", targets=tuple(targets))

    def generic(self, result: str, word: Token) -> Instruction:
        """Read an instruction of which no more is asked than what it uses and where it goes."""
        cursor, operands, targets, words = self.cursor, list[Operand](), list[str](), list[str]()
        type_ = self.type() if word.text == "landingpad" else UNKNOWN
        words += [] if type_ is UNKNOWN else [str(type_)]
        while True:
            if cursor.at("newline", "end") or (cursor.at(",") and cursor.peek(1).kind == "metadata"):
                break
            token = cursor.next()
            if token.text == "label":
                targets.append(cursor.expect("local", "the label of a block").value)
                words += (token.text, BLANK)
            elif token.kind == "local" and token.value not in self.ahead:
                operands.append(Operand(UNKNOWN, Register(token.value, span=token.span), token.span))
                words.append(BLANK)
            elif word.text == "va_arg" and token.kind == "," and self.at_type():
                type_ = self.type()
                words += (token.text, str(type_))
            else:
                words.append(token.text)
        return Instruction(word.text, result, type_, tuple(operands), tuple(words), targets=tuple(targets))


def _begins(word: Token, following: Token) -> bool:
    """Say whether a line begins with two words that does not go on with what stands above it."""
    if word.kind == "name":
        return word.text not in _GOES_ON and not _TYPE.fullmatch(word.text)
    if word.kind in ("local", "global", "metadata", "comdat"):
        return following.kind == "="
    return word.kind in ("label", "}", "newline", "end", "summary")
