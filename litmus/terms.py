"""Types and expressions of a litmus test.

What the statements and conditions of `axmem.litmus.syntax` are made of. After the passes every expression carries its
type.
"""

from __future__ import annotations

from typing import TypeAlias

from axmem.front.records import dataclass, field
from axmem.front.source import NOWHERE, Span
from axmem.litmus.undef import Partial
from axmem.litmus.words import AddressSpace


@dataclass(frozen=True, slots=True)
class Type:
    """An integer (`bits`, 1 for a truth value), a pointer (`pointer` set, bits 64 or 32), or a vector of them.

    `lanes` is 0 for a scalar. The result of `cmpxchg` is the pair `{ T, i1 }`: `pair` set, `bits` those of T.
    """

    bits: int
    lanes: int = 0
    pointer: AddressSpace | None = None
    pair: bool = False

    @property
    def size(self) -> int:
        """The size in memory, in bytes."""
        return max(1, self.bits // 8) * max(1, self.lanes)

    @property
    def element(self) -> Type:
        """The type of one lane (the type itself if scalar)."""
        return Type(self.bits, 0, self.pointer)


I1 = Type(1)
I32 = Type(32)
I64 = Type(64)
POINTER = Type(64, 0, AddressSpace.GENERIC)


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Number:
    """An integer literal; negative ones are kept as written and wrap to `type`."""

    value: int
    type: Type | None = None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Given:
    """A parameter of a function of which nothing is known, by its number: no text has one.

    Whoever asks about all numbers at once keeps it open; single tests have a number in its place, or undef if it may be
    that (`undef`), or poison. `frozen` is the parameter that it is, unless that is undef: then it is any number.
    `astray`: it is a pointer, and no address of a location.
    """

    index: int
    type: Type | None = None
    span: Span = field(default=NOWHERE, compare=False)
    undef: bool = False
    frozen: int | None = None
    astray: bool = False


@dataclass(frozen=True, slots=True)
class UndefValue:
    """`undef`, or `poison`: which makes poison of what is computed from it, and which undef does not stand for.

    In a condition some bits may be known (`partly`).
    """

    type: Type | None = None
    span: Span = field(default=NOWHERE, compare=False)
    poison: bool = False
    partly: Partial | None = None


@dataclass(frozen=True, slots=True)
class Register:
    """A register of the enclosing thread, without its sigil."""

    name: str
    type: Type | None = None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class AddressOf:
    """The address of a location."""

    location: str
    type: Type | None = None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class VectorOf:
    """`{a, b, c, d}` (LLVM: `<i32 a, i32 b, …>`): one expression per lane."""

    elements: tuple[Expr, ...]
    type: Type | None = None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class IntegerOperation:
    """An integer operation, lane by lane, on operands of one width.

    `name` is LLVM's: add sub mul and or xor shl lshr ashr udiv sdiv urem srem; `icmp eq` … as
    `eq ne ult ule ugt uge slt sle sgt sge` (result i1); `select` (three operands); `zext sext trunc` (one operand, to
    `type`); `not` (bitwise complement). On pointers `add` counts in bytes.
    """

    name: str
    operands: tuple[Expr, ...]
    type: Type | None = None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Element:
    """`v[2]`: lane of a vector (extractelement), or field 0 (old value) / 1 (success) of a cmpxchg's result."""

    value: Expr
    index: int
    type: Type | None = None
    span: Span = field(default=NOWHERE, compare=False)


Expr: TypeAlias = Number | Given | UndefValue | Register | AddressOf | VectorOf | IntegerOperation | Element
