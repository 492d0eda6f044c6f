"""Types and values of C as far as litmus tests have them.

What goes in: words of a declaration; values of two types. What comes out: a `CType`, and the operands after C's usual
conversions. An `int` has 32 bits and a pointer 64, as where LLVM's tests run; no type has padding.
"""

from __future__ import annotations

from functools import cache

from axmem.front.records import dataclass, replace
from axmem.litmus.syntax import (
    I1,
    POINTER,
    AddressSpace,
    Expr,
    IntegerOperation,
    Number,
    Register,
    Type,
)


@dataclass(frozen=True, slots=True)
class CType:
    """An integer of `bits`, a truth value (1), or, with a `target`, a pointer; as the type of memory also its kind."""

    bits: int
    signed: bool = True
    atomic: bool = False
    volatile: bool = False
    space: AddressSpace | None = None
    target: CType | None = None

    @property
    def type(self) -> Type:
        """The type of axmem."""
        return POINTER if self.target is not None else Type(self.bits)


INT = CType(32)
TRUTH = CType(1, signed=False)

_INTEGERS = {
    "bool": (8, False), "_Bool": (8, False), "flag": (8, False),
    "char": (8, True), "schar": (8, True), "uchar": (8, False),
    "short": (16, True), "ushort": (16, False), "int": (32, True), "uint": (32, False), "unsigned": (32, False),
    "signed": (32, True), "long": (64, True), "ulong": (64, False), "llong": (64, True), "ullong": (64, False),
    "size_t": (64, False), "intptr_t": (64, True), "uintptr_t": (64, False),
    **{f"{sign}int{bits}_t": (bits, not sign) for sign in ("", "u") for bits in (8, 16, 32, 64)},
}  # fmt: skip
QUALIFIERS = frozenset({"const", "volatile", "_Atomic", "unsigned", "signed", "static", "register", "restrict", "auto"})
SPACES = {
    "global": AddressSpace.GLOBAL, "local": AddressSpace.LDS, "private": AddressSpace.PRIVATE,
    "constant": AddressSpace.GLOBAL, "generic": AddressSpace.GENERIC,
}  # fmt: skip
"""OpenCL's words for address spaces, which may begin with two underscores."""


def space_named(word: str) -> AddressSpace | None:
    """Return the address space that a word names."""
    return SPACES.get(word.removeprefix("__"))


@cache
def is_type_word(word: str) -> bool:
    """Say whether a word belongs to a type."""
    return word in QUALIFIERS or word in _INTEGERS or _plain(word) in _INTEGERS or space_named(word) is not None


def _plain(word: str) -> str:
    """Return `int` of `atomic_int`, `_Atomic_int` and the like."""
    return word.removeprefix("atomic_")


@cache
def type_of(words: tuple[str, ...]) -> CType | None:
    """Return the integer type of the words of a declaration, without stars; None if they name none."""
    atomic = any(word == "_Atomic" or word.startswith("atomic_") for word in words)
    space = next((found for word in words if (found := space_named(word)) is not None), None)
    names = [_plain(word) for word in words if word not in QUALIFIERS - {"unsigned", "signed"}]
    names = [name for name in names if space_named(name) is None]
    unsigned = "unsigned" in names
    sized = [name for name in names if name not in ("unsigned", "signed")]
    if len(sized) == 2 and sized[-1] == "int" and sized[0] in ("short", "long"):
        sized.pop()
    if sized == ["long", "long"] or sized == ["long", "long", "int"]:
        sized = ["long"]
    if len(sized) > 1 or (sized and sized[0] not in _INTEGERS) or not names:
        return None
    bits, signed = _INTEGERS[sized[0]] if sized else (32, True)
    return CType(bits, signed and not unsigned, atomic, "volatile" in words, space)


@cache
def of_register(target: CType) -> CType:
    """Return the type of a register that holds a value of a type."""
    bare = replace(target, atomic=False, volatile=False, space=None)
    return INT if bare.bits == 1 else bare


@cache
def in_space(type_: CType, space: AddressSpace | None) -> CType:
    """Return the type of memory in an address space."""
    return replace(type_, space=space)


@dataclass(frozen=True, slots=True)
class Value:
    """The value of an expression and its type; of a number it adapts to the other operand's."""

    expr: Expr
    type: CType = INT

    @property
    def literal(self) -> bool:
        """Whether it is a number as it is written."""
        return isinstance(self.expr, Number)


def converted(value: Value, to: CType) -> Expr:
    """Return a value as one of another type: extended by its own sign, or cut."""
    own = value.type
    if isinstance(value.expr, Number):
        fits = -(1 << to.bits - 1) <= value.expr.value < 1 << to.bits
        return Number(value.expr.value if fits else value.expr.value % (1 << to.bits), to.type, value.expr.span)
    if to.target is not None or own.target is not None or own.bits == to.bits:
        return value.expr
    if to.bits == 1:
        return truth(value)
    name = "trunc" if to.bits < own.bits else "sext" if own.signed and own.bits > 1 else "zext"
    return IntegerOperation(name, (value.expr,), to.type, value.expr.span)


def truth(value: Value) -> Expr:
    """Return whether a value is not zero."""
    if value.type.bits == 1 and value.type.target is None:
        return value.expr
    if isinstance(value.expr, Number):
        return Number(int(value.expr.value != 0), I1, value.expr.span)
    zero = Number(0, POINTER if value.type.target is not None else None)
    return IntegerOperation("ne", (value.expr, zero), None, value.expr.span)


def _of_number(number: Expr) -> CType:
    """Return the first of `int`, `long` and `unsigned long` that has the value of a number."""
    assert isinstance(number, Number)
    return next(t for t in (INT, CType(64), CType(64, signed=False)) if number.value < 1 << t.bits - t.signed)


def common(left: Value, right: Value) -> CType:
    """Return the type in which two integers are computed: at least `int`, the wider one, unsigned if either is.

    A number beside a value adapts to it; two numbers have the first of C's types in which each fits (6.4.4.1).
    """
    sides = [side.type for side in (left, right) if not side.literal] or [_of_number(left.expr), _of_number(right.expr)]
    bits = max(32, *(side.bits for side in sides))
    signed = all(side.signed or side.bits < bits for side in sides)
    return CType(bits, signed)


def register(name: str, type_: CType) -> Value:
    """Return the value of a register."""
    return Value(Register(name), type_)
