"""Values and addresses as text.

What goes in: a typed expression, and the type its surroundings give it. What comes out: its short spelling. Invariant:
read in the same surroundings, the text gives the same tree; a type is written out only where the surroundings do not
imply it.
"""

from __future__ import annotations

import re

from axmem.litmus.expressions import LEVELS
from axmem.litmus.floats import (
    FLOAT_CASTS,
    FLOAT_COMPARISONS,
    FLOATING,
    FROM_INTEGER,
    TO_INTEGER,
    float_text,
)
from axmem.litmus.spelling import CASTS, COMPARING, CONVERSIONS, RESERVED, floating_name, type_name
from axmem.litmus.syntax import (
    I1,
    I32,
    I64,
    Address,
    AddressOf,
    AddressSpace,
    Element,
    Expr,
    Given,
    IntegerOperation,
    Number,
    Register,
    Type,
    UndefValue,
    VectorOf,
)
from axmem.litmus.undef import text_of

INFIX = {name: (level, symbol) for level, names in enumerate(LEVELS) for symbol, name in names.items()}
_STATED = CONVERSIONS | COMPARING | FLOATING.keys()
"""The operations whose text says what they are of."""
UNARY = len(LEVELS)
LOOSEST = -1
"""How tightly an expression binds: `?:` and mnemonics loosest, then the infix levels, then prefixes and operands."""


def register_text(name: str) -> str:
    """Return a register's name, with the sigil where the bare word would mean something else."""
    plain = re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_.$]*", name)
    typelike = re.fullmatch(r"i[0-9]+|ptr", name) or name.startswith(("av.", "make.", "llvm."))
    return name if plain and name not in RESERVED and not typelike else f"%{name}"


def natural(expr: Expr) -> Type | None:
    """Return the type a printed expression has without its surroundings; None if it adapts to them."""
    if isinstance(expr, Number | UndefValue):
        return I1 if expr.type == I1 and isinstance(expr, Number) else None
    if isinstance(expr, VectorOf):
        return None if all(natural(e) is None for e in expr.elements) else expr.type
    if isinstance(expr, IntegerOperation) and expr.name not in _STATED:
        branches = expr.operands[1:] if expr.name == "select" else expr.operands
        return None if all(natural(o) is None for o in branches) else expr.type
    return expr.type


def value_text(expr: Expr, known: Type | None, outer: int = LOOSEST) -> str:
    """Return an expression as text, in parentheses if it binds more loosely than `outer` asks for."""
    text, level = _value(expr, known)
    return f"({text})" if level < outer else text


def _value(expr: Expr, known: Type | None) -> tuple[str, int]:
    known = I32 if known is None else known
    match expr:
        case Number(value=value, type=type_):
            if type_ == I1:
                return ("true" if value else "false"), UNARY
            if type_ is not None and type_.pointer is not None:
                # `null` is generic; a number takes the type of what it is used with.
                return "null" if type_.pointer is AddressSpace.GENERIC else "0", UNARY
            return _stated(str(value), type_, known), UNARY
        case Given(index=index, type=type_, undef=undef, frozen=frozen):
            own = f"parameter {index}{' or undef' if undef else ''}"
            return _stated(own if frozen is None else f"frozen parameter {frozen}", type_, known), UNARY
        case UndefValue(type=type_, poison=poison, partly=partly):
            return _stated("poison" if poison else "undef" if partly is None else text_of(partly), type_, known), UNARY
        case Register(name=name):
            return register_text(name), UNARY
        case AddressOf(location=location):
            return f"&{location}", UNARY
        case VectorOf(elements=elements, type=type_):
            lane = type_.element if type_ is not None else I32
            given = natural(expr) or known
            inside = ", ".join(value_text(e, lane if type_ == given or natural(expr) else I32) for e in elements)
            return _stated(f"{{{inside}}}", type_, given), UNARY
        case Element(value=value, index=index):
            return f"{value_text(value, None, UNARY)}[{index}]", UNARY
        case IntegerOperation():
            return _operation(expr, known)


def _stated(text: str, type_: Type | None, known: Type) -> str:
    """Put the type before a literal that would otherwise get another one."""
    return text if type_ is None or type_ == known else f"{type_name(type_)} {text}"


def _operation(expr: IntegerOperation, known: Type) -> tuple[str, int]:
    if expr.name in CASTS:
        operand = value_text(expr.operands[0], natural(expr.operands[0]))
        return f"{expr.name} {operand} to {type_name(expr.type or I32)}", LOOSEST
    if expr.name in FLOAT_CASTS:
        shown = _numbers(expr) if expr.name not in FROM_INTEGER else _integers(expr.operands[0])
        target = type_name(expr.type or I32) if expr.name in TO_INTEGER else floating_name(expr.type or I32)
        return f"{expr.name} {shown} to {target}", LOOSEST
    if expr.name in FLOATING or expr.name in FLOAT_COMPARISONS:
        return f"{expr.name} {_numbers(expr)}", LOOSEST
    if expr.name == "select":
        condition, yes, no = expr.operands
        lane = natural(expr) or known
        text = f"{value_text(condition, I1, 0)} ? {_branch(yes, lane)} : {_branch(no, lane)}"
        return text, LOOSEST
    inner = _operand_type(expr, known)
    if expr.name == "not":
        return f"~{value_text(expr.operands[0], inner, UNARY)}", UNARY
    left, right = expr.operands
    if expr.type is not None and expr.type.pointer is not None:
        level = INFIX["add"][0]
        return f"{value_text(left, None, level)} + {value_text(right, I64, level + 1)}", level
    if expr.name not in INFIX:
        word = f"icmp {expr.name}" if expr.name in COMPARING else expr.name
        return f"{word} {value_text(left, inner, 0)}, {value_text(right, inner, 0)}", LOOSEST
    level, symbol = INFIX[expr.name]
    return f"{value_text(left, inner, level)} {symbol} {value_text(right, inner, level + 1)}", level


def _numbers(expr: IntegerOperation) -> str:
    """Return operands that are numbers of floating point, after their type."""
    type_ = expr.operands[0].type or I32
    return f"{floating_name(type_)} {', '.join(_number(operand, type_) for operand in expr.operands)}"


def number_text(expr: Expr, type_: Type) -> str:
    """Return a number of floating point as text, after its type."""
    return f"{floating_name(type_)} {_number(expr, type_)}"


def _number(expr: Expr, type_: Type) -> str:
    return float_text(expr.value, type_.bits) if isinstance(expr, Number) else value_text(expr, type_, UNARY)


def _integers(expr: Expr) -> str:
    """Return an operand as text with a type where it has none of its own."""
    return value_text(expr, natural(expr), 0)


def _branch(expr: Expr, known: Type) -> str:
    return value_text(expr, known, 0)


def _operand_type(expr: IntegerOperation, known: Type) -> Type:
    """Return the type that the operands of an operation give each other, or that they are given."""
    found = next((t for o in expr.operands if (t := natural(o)) is not None), None)
    if expr.name in COMPARING:
        return found or I32
    return found or known


def address_text(address: Address) -> str:
    """Return an address as text: `x`, `p[1]`, `x + 4`, `x[r0 ^ r0]`."""
    base = _base_text(address.base, address.index is not None)
    return base if address.index is None else f"{base}[{value_text(address.index, None)}]"


def _base_text(base: Expr, indexed: bool) -> str:
    if isinstance(base, AddressOf):
        return base.location
    if isinstance(base, Register):
        return register_text(base.name)
    if isinstance(base, IntegerOperation) and base.name == "add" and not indexed:
        left, right = base.operands
        level = INFIX["add"][0]
        first = _base_text(left, False)
        return f"{first} + {value_text(right, I64, level + 1)}"
    return f"({value_text(base, None)})"
