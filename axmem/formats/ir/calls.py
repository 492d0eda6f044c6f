"""Calls of LLVM IR.

What goes in: a cursor behind the word of a call. What comes out: the call with its arguments, what its attributes and
its operand bundles promise. What a test cannot mean, a call through a pointer or inline assembly, raises `Unparsable`
with a diagnostic at its place.
"""

from __future__ import annotations

import re

from axmem.formats.ir.attributes import by_attributes
from axmem.formats.ir.mnemonics import ASSUME, FLAGS
from axmem.formats.ir.operands import NUMBERED, IrOperands, skip_to
from axmem.formats.ir.syntax import Instruction, Operand, Promise
from axmem.formats.ir.types import VOID
from axmem.litmus.cursor import Cursor

WAITING = "llvm.amdgcn.s.nop"
"""What a call of inline assembly that only waits is: for the machine that executes it, and for nobody else."""
_LINES, _COMMENT = re.compile(r"\n|\\0[aA]|\\n"), re.compile(r"(;|//).*")
_WAIT = re.compile(r"s_(wait\w*|nop|sleep|setprio|delay_alu)\b")


def step_over_word(cursor: Cursor) -> bool:
    """Step over a calling convention or an attribute of the result, if one stands here."""
    if not cursor.at("name"):
        return False
    word = cursor.next().text
    if cursor.accept("("):
        skip_to(cursor, ")")
    elif word in NUMBERED:
        cursor.accept("number")
    return True


def read_bundles(cursor: Cursor, *, assumed: bool = False) -> tuple[str, list[Promise]]:
    """Read operand bundles: the convergence token that one of them names, and what the others promise.

    Those of what is `assumed` promise something of the values that they name, and nothing by their absence.
    """
    token = ""
    promises: list[Promise] = []
    if not cursor.accept("["):
        return token, promises
    while not cursor.accept("]"):
        name = cursor.expect("string", "the name of a bundle")
        cursor.expect("(", "'('")
        if name.value == "convergencectrl":
            cursor.expect_word("token")
            token = cursor.expect("local", "a token").value
            cursor.expect(")", "')'")
        else:
            begin = cursor.index
            skip_to(cursor, ")")
            words = cursor.tokens[begin : cursor.index - 1]
            inside = (each.text for each in words if assumed or each.kind != "local")
            promises.append(Promise(f'"{name.value}"', " ".join(inside), lasting=not assumed))
        cursor.accept(",")
    return token, promises


class Calls(IrOperands):
    """Reads calls, of anything if they are `opened`; `promises` are those of the instruction that is read.

    Where the code is `executed`, inline assembly that only waits is nothing: it orders for a machine, not for a model.
    """

    def __init__(self, cursor: Cursor) -> None:
        super().__init__(cursor)
        self.opened = False
        self.executed = True
        self.promises: list[Promise] = []

    def flags(self) -> tuple[str, ...]:
        """Read flags such as `nuw`."""
        cursor, found = self.cursor, []
        while cursor.at("name") and cursor.peek().text in FLAGS | {"inrange"}:
            found.append(cursor.next().text)
            if found[-1] == "inrange" and cursor.accept("("):
                skip_to(cursor, ")")
        return tuple(found)

    def called(self, result: str) -> Instruction:
        """Read a call behind its word, without what follows on its line."""
        cursor, flags = self.cursor, self.flags()
        while not self.at_type():
            begin = cursor.index
            if not step_over_word(cursor):
                cursor.fail_expected("the type of the result")
            self.said += (each.text for each in cursor.tokens[begin : cursor.index])
        self.promises += by_attributes(self.said)
        leading, begin = self.said, cursor.index
        type_ = self.type()
        if type_.kind == "function":
            if any(each.text == "..." for each in cursor.tokens[begin : cursor.index]):
                leading.append(f"({', '.join(map(str, (*type_.fields, '...')))})")
            type_ = type_.element or VOID
        callee = self.callee()
        cursor.expect("(", "'('")
        found: list[Operand] = []
        while not cursor.accept(")"):
            if self.opened and cursor.accept("..."):
                continue
            self.said = []
            found.append(self.operand())
            self.promises += by_attributes(self.said, f" of argument {len(found)}")
            if not cursor.accept(",") and not cursor.at(")"):
                cursor.fail_expected("',' or ')'")
        start, self.said = cursor.index, []
        self.attributes()
        flags = (*flags, *(each.text for each in cursor.tokens[start : cursor.index]))
        self.promises += by_attributes(self.said)
        start = cursor.index
        token, promised = read_bundles(cursor, assumed=callee == ASSUME)
        self.promises += promised
        bundles = tuple(each.text for each in cursor.tokens[start : cursor.index]) if promised else ()
        return Instruction(
            "call", result, type_, tuple(found), flags, callee=callee, token=token, leading=tuple(leading),
            bundles=bundles,
        )  # fmt: skip

    def waits(self) -> bool:
        """Pass inline assembly that has no results and does nothing but wait or pause; say whether it is that."""
        ahead, strings = 1, list[str]()
        while (token := self.cursor.peek(ahead)).kind not in ("(", "newline", "end"):
            strings += [token.value] if token.kind == "string" else []
            ahead += 1
        if len(strings) != 2 or not all(each.startswith("~") for each in strings[1].split(",") if each):
            return False
        lines = (_COMMENT.sub("", line).strip() for line in _LINES.split(strings[0]))
        if not all(_WAIT.match(line) for line in lines if line):
            return False
        self.cursor.index += ahead
        return True

    def callee(self) -> str:
        """Read what a call names: a function, or what the reader of `opened` modules takes for one."""
        cursor = self.cursor
        if cursor.at("global"):
            return cursor.next().value
        assembly = cursor.at_word("asm")
        if assembly and self.executed and self.waits():
            return WAITING
        if not self.opened and assembly:
            hint = "declare what it does with instructions, or leave it out"
            raise cursor.fail(cursor.peek().span, "inline assembly has no meaning in a test", hint)
        if not self.opened or not (assembly or cursor.at("local")):
            hint = "a test knows which function is called: call it by its name"
            raise cursor.fail(cursor.peek().span, "a call through a pointer has no meaning in a test", hint)
        start = cursor.index
        cursor.next()
        while not cursor.at("(", "newline", "end"):
            cursor.next()
        return " ".join(each.text for each in cursor.tokens[start : cursor.index])
