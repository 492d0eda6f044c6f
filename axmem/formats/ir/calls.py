"""The parts of a call in LLVM IR besides its type and its operands.

What goes in: a cursor inside a call. What comes out: what is called, and what its operand bundles say. What a test
cannot mean, a call through a pointer or inline assembly, raises `Unparsable` with a diagnostic at its place.
"""

from __future__ import annotations

from axmem.formats.ir.operands import NUMBERED, skip_to
from axmem.formats.ir.syntax import Promise
from axmem.litmus.cursor import Cursor


def read_callee(cursor: Cursor, *, opened: bool) -> str:
    """Read what a call names: a function, or what the reader of `opened` modules takes for one."""
    if cursor.at("global"):
        return cursor.next().value
    assembly = cursor.at_word("asm")
    if not opened and assembly:
        hint = "declare what it does with instructions, or leave it out"
        raise cursor.fail(cursor.peek().span, "inline assembly has no meaning in a test", hint)
    if not opened or not (assembly or cursor.at("local")):
        hint = "a test knows which function is called: call it by its name"
        raise cursor.fail(cursor.peek().span, "a call through a pointer has no meaning in a test", hint)
    start = cursor.index
    cursor.next()
    while not cursor.at("(", "newline", "end"):
        cursor.next()
    return " ".join(each.text for each in cursor.tokens[start : cursor.index])


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


def read_bundles(cursor: Cursor) -> tuple[str, list[Promise]]:
    """Read operand bundles: the convergence token that one of them names, and what the others promise."""
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
            inside = (each.text for each in cursor.tokens[begin : cursor.index - 1] if each.kind != "local")
            promises.append(Promise(f'"{name.value}"', " ".join(inside), lasting=True))
        cursor.accept(",")
    return token, promises
