"""The fixed words of the language: orderings, scopes, types, operations, reserved names.

What goes in: a cursor at such a word. What comes out: the value it stands for; another word raises `Unparsable`. Every
table is the one place that says how its notion is spelled; the printer reads the same tables backwards.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache

from axmem.front.source import Span, did_you_mean
from axmem.litmus.arithmetic import DIVISIONS, FROZEN
from axmem.litmus.cursor import Cursor
from axmem.litmus.floats import BRAIN_UPDATES, FLOAT_CASTS, FLOAT_COMPARISONS, FLOAT_UPDATES, FLOATING, FORMATS
from axmem.litmus.lexer import numeral
from axmem.litmus.syntax import POINTER, AddressSpace, Ordering, SyncScope, Type
from axmem.litmus.words import Scope, hierarchy, syncscopes

ORDERINGS = {o.value: o for o in Ordering}
INTEGERS = {f"i{bits}": Type(bits) for bits in (1, 8, 16, 32, 64, 128)}
FLOATS = frozenset(["half", "bfloat", "float", "double", "fp128", "x86_fp80", "ppc_fp128"])
NUMBERED_SPACES = {0: AddressSpace.GENERIC, 1: AddressSpace.GLOBAL, 3: AddressSpace.LDS, 4: AddressSpace.GLOBAL,
                   5: AddressSpace.PRIVATE}  # fmt: skip
RMW_OPERATIONS = frozenset(
    {"xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin"}
    | {"uinc_wrap", "udec_wrap", "usub_cond", "usub_sat"}
    | {*FLOAT_UPDATES, *BRAIN_UPDATES}
)
AV_TYPES = {8: Type(8), 16: Type(16), 32: Type(32), 64: Type(32, 2), 128: Type(32, 4)}
"""What the intrinsics `llvm.amdgcn.av.{load,store}.bN` carry."""
TO_LDS, FROM_LDS = "load.async.to.lds", "store.async.from.lds"
"""What initiates a DMA operation."""
MARK, WAIT, ARRIVE = "asyncmark", "wait.asyncmark", "async.barrier.arrive"
"""What tells of its completion."""
MODIFIERS = frozenset({"atomic", "volatile", "elementwise", "nontemporal"})
ARITHMETIC = frozenset(["add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"]) | DIVISIONS
COMPARISONS = frozenset(["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"])
CASTS = frozenset(["zext", "sext", "trunc"])
COMPARING = COMPARISONS | FLOAT_COMPARISONS
"""The operations whose result is a truth value, those of floating point with `fcmp` before the predicate."""
CONVERSIONS = CASTS | FLOAT_CASTS
"""The operations whose result has a type that is stated."""
CONSTANTS = frozenset(["true", "false", "undef", "poison", "zeroinitializer", "null", "splat"])
UNSUPPORTED = {
    "freeze": "a register that may be undef can be tested in the condition instead",
    "insertelement": "write the vector out: {a, b, c, d}", "shufflevector": "write the vector out: {a, b, c, d}",
    "insertvalue": "keep the two values in two registers", "ptrtoint": "pointers stay pointers; compare them with ==",
    "inttoptr": "pointers stay pointers; write &x + 4", "bitcast": "load the bytes with the other type",
    "addrspacecast": "a pointer converts by itself",
    "frem": "divide outside the test",
}  # fmt: skip
RESERVED = (
    frozenset(ORDERINGS)
    | MODIFIERS
    | CONSTANTS
    | ARITHMETIC
    | CONVERSIONS
    | FLOATING.keys()
    | frozenset(INTEGERS)
    | FLOATS
    | frozenset(UNSUPPORTED)
    | frozenset(
        {"load", "store", "atomicrmw", "cmpxchg", "fence", "barrier", "if", "else", "assume", "call", "icmp", "select"}
    )
    | {"fcmp", "getelementptr", "extractelement", "extractvalue", "syncscope", "addrspace", "align", "metadata", "void"}
    | {FROZEN, "not", "thread", "litmus", "load-visible", "store-available", MARK}
)
"""Words that name no register and no location (with a sigil, `%load`, they may name a register)."""


def is_floating(type_: Type) -> bool:
    """Say whether values of a type may be the bits of a number of floating point that is computed."""
    return type_.bits in FORMATS.values() and type_.pointer is None and not type_.pair


def parse_syncscope(cursor: Cursor) -> SyncScope:
    """Read `syncscope("agent")`, the word itself being current."""
    cursor.expect_word("syncscope")
    cursor.expect("(", "'('")
    scope = scope_named(cursor)
    cursor.expect(")", "')'")
    return scope


def scope_named(cursor: Cursor) -> SyncScope:
    """Read the string (or metadata string) that names a scope."""
    if not cursor.at("string", "metastring"):
        cursor.fail_expected("the scope's name in quotes")
    token = cursor.next()
    if token.value == "system":
        raise cursor.fail(token.span, "unknown scope 'system'", 'the system scope is the default; its name is ""')
    return known_scope(cursor, token.value, token.span)


def known_scope(cursor: Cursor, name: str, span: Span) -> SyncScope:
    """Return the scope of this name; fail if the levels of the test have none."""
    scopes = syncscopes(cursor.levels)
    if name not in scopes and cursor.any_scope:
        with suppress(ValueError):
            return SyncScope(hierarchy((name, Scope.SYSTEM.word))[0])
    if name not in scopes:
        names = ", ".join(f'"{n}"' for n in scopes)
        hint = did_you_mean(name, [n for n in scopes if n]) or f"the scopes are {names}"
        raise cursor.fail(span, f"unknown scope '{name}'", hint)
    return scopes[name]


def parse_addrspace(cursor: Cursor) -> AddressSpace:
    """Read `addrspace(3)`."""
    cursor.expect_word("addrspace")
    cursor.expect("(", "'('")
    token = cursor.expect("number", "the number of an address space")
    cursor.expect(")", "')'")
    space = NUMBERED_SPACES.get(numeral(token.text))
    if space is None:
        hint = "0 generic, 1 global, 3 LDS (workgroup), 4 constant, 5 private"
        raise cursor.fail(token.span, f"no memory of a test lives in address space {token.text}", hint)
    return space


@cache
def pointer_to(space: AddressSpace) -> Type:
    """Return the type of a pointer into this space: 32 bits for LDS and private memory, otherwise 64."""
    return Type(32 if space in (AddressSpace.LDS, AddressSpace.PRIVATE) else 64, 0, space)


def at_type(cursor: Cursor) -> bool:
    """Say whether a type begins here; `ptr` before a comma or at the end of an operand is a name instead."""
    token = cursor.peek()
    if token.kind in ("<", "["):
        return cursor.peek(1).kind == "number" and cursor.at_word("x", ahead=2)
    if token.kind != "name":
        return False
    if token.text == "ptr":
        after = cursor.peek(1)
        return after.kind in ("name", "local", "global", "{", "<", "&", "(", "number") and not (
            after.kind == "name" and (after.text in ORDERINGS or after.text in ("syncscope", "to"))
        )
    return bool(re.fullmatch(r"i[0-9]+", token.text)) or token.text in FLOATS


def parse_type(cursor: Cursor, *, floating: bool = False) -> Type:
    """Read a type: `i32`, `ptr addrspace(1)`, `<4 x i32>`, `[4 x i32]` (laid out as the vector is).

    Where it is one of floating point, as `float` or `<2 x half>`, the integer of its bits is returned.
    """
    opening = cursor.peek()
    if opening.kind in ("<", "["):
        cursor.next()
        count = cursor.expect("number", "the number of elements")
        cursor.expect_word("x")
        element = parse_type(cursor, floating=floating)
        cursor.expect(">" if opening.kind == "<" else "]", "the end of the type")
        lanes = numeral(count.text)
        if element.lanes or not 1 <= lanes <= 64:
            span = cursor.since(opening.span)
            raise cursor.fail(span, "a vector or array has 1 to 64 elements, none of them a vector")
        return Type(element.bits, lanes, element.pointer)
    token = cursor.expect("name", "a type")
    if token.text == "ptr":
        return pointer_to(parse_addrspace(cursor)) if cursor.at_word("addrspace") else POINTER
    if floating:
        if token.text not in FORMATS:
            hint = f"the types are {', '.join(FORMATS)}"
            raise cursor.fail(token.span, f"'{token.text}' is no type of floating point that is computed here", hint)
        return INTEGERS[f"i{FORMATS[token.text]}"]
    if token.text in FLOATS:
        hint = "values are bits: use the integer of the same width"
        raise cursor.fail(token.span, f"floating-point type '{token.text}' is not supported here", hint)
    if token.text not in INTEGERS:
        raise cursor.fail(token.span, f"unknown type '{token.text}'", f"the integers are {', '.join(INTEGERS)}")
    return INTEGERS[token.text]


def type_name(type_: Type) -> str:
    """Return a type as the language spells it."""
    if type_.pair:
        return f"{{ {type_name(Type(type_.bits, 0, type_.pointer))}, i1 }}"
    if type_.lanes:
        return f"<{type_.lanes} x {type_name(type_.element)}>"
    if type_.pointer is not None:
        return "ptr" if type_.pointer is AddressSpace.GENERIC else f"ptr addrspace({int(type_.pointer)})"
    return f"i{type_.bits}"


_NAMES = {bits: name for name, bits in FORMATS.items()}


def floating_name(type_: Type) -> str:
    """Return the type of floating point whose bits a type holds, as the language spells it."""
    name = _NAMES[type_.bits]
    return f"<{type_.lanes} x {name}>" if type_.lanes else name
