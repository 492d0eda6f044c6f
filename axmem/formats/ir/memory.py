"""Variables of a module as locations of a test.

What goes in: a `Global`, or the type of an alloca. What comes out: a `Location` of the same size: of a structure the
location is an array of equal pieces, none of which is larger than any of its fields. What memory of a test cannot hold
is an error at its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from axmem.formats.ir.names import FreshNames
from axmem.formats.ir.syntax import ConstantExpression, Global, Module, Operand
from axmem.formats.ir.types import VOID, IRType, grain, offsets, scalars, size, value_type
from axmem.front.records import replace
from axmem.front.source import Diagnostic, Span
from axmem.litmus.layout import natural_alignment
from axmem.litmus.spelling import NUMBERED_SPACES
from axmem.litmus.syntax import (
    AccessMode,
    AddressOf,
    AddressSpace,
    Expr,
    IntegerOperation,
    Location,
    Number,
    Type,
    UndefValue,
    VectorOf,
)
from axmem.litmus.terms import I64, POINTER
from axmem.litmus.words import Ordering

MOST_LANES = 64
"""So many elements a location has at most, as the test language says."""
LARGEST = 16
"""So many bytes the largest integer of the test language has."""
EXTERNAL = frozenset({"external", "extern_weak"})
"""Words of a variable that another module defines."""


class Unspeakable(Exception):
    """Something has no meaning in a test; a diagnostic says so."""

    def __init__(self, span: Span, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.span, self.message, self.hint = span, message, hint

    def about(self, module: Module) -> Diagnostic:
        """Return what is printed of it."""
        return Diagnostic(module.source, self.span, self.message, self.hint)


def space_of(number: int, span: Span) -> AddressSpace:
    """Return the address space of this number."""
    if number not in NUMBERED_SPACES:
        hint = "0 generic, 1 global, 3 LDS (workgroup), 4 constant, 5 private"
        raise Unspeakable(span, f"no memory of a test lives in address space {number}", hint)
    return NUMBERED_SPACES[number]


def memory_type(type_: IRType, span: Span) -> Type:
    """Return the type of a location that holds such a value."""
    if not type_.sized:
        raise Unspeakable(span, f"memory holds no {type_}")
    parts = scalars(type_)
    if not parts or not size(type_):
        hint = "a launch of the kernel gives it as much as is accessed: ; axmem: launch k<<<2, 64>>>(x)"
        raise Unspeakable(span, f"{type_} has no bytes, and memory of a test has some", hint)
    first = value_type(parts[0][1])
    if len(parts) == 1 and first is not None and first.size == size(type_):
        return Type(8) if first.bits == 1 else first
    pointers = {value_type(each) for _, each in parts}
    lane = first if len(pointers) == 1 and first is not None and first.bits > 1 else None
    piece = lane.size if lane is not None else gcd(LARGEST, grain(type_))
    lane = lane or Type(8 * piece)
    count = size(type_) // piece
    if count > MOST_LANES:
        hint = f"a location has at most {MOST_LANES} elements"
        raise Unspeakable(span, f"{type_} has {count} elements: that is more than memory of a test has", hint)
    return Type(lane.bits, count, lane.pointer)


def location(variable: Global, module: Module, names: FreshNames) -> Location:
    """Return the location of a variable; one without a type, which a snippet has, gets that of its accesses."""
    if "thread_local" in variable.words:
        hint = "each thread has memory of its own with an alloca"
        raise Unspeakable(variable.span, f"'@{variable.name}' is thread-local, which no memory of a test is", hint)
    space = space_of(variable.space, variable.span)
    space = AddressSpace.GLOBAL if space is AddressSpace.GENERIC else space
    if variable.type == VOID:
        zero = Number(0) if space is AddressSpace.GLOBAL else None
        return Location(names[variable.name], space, None, zero, variable.span)
    type_ = memory_type(variable.type, variable.span)
    initial: Expr | None = None
    if variable.initial is not None and not EXTERNAL & set(variable.words):
        type_, initial = _initial(variable.initial, type_, module, names)
    if space in (AddressSpace.LDS, AddressSpace.PRIVATE) and isinstance(initial, UndefValue):
        initial = None
    return Location(names[variable.name], space, type_, initial, variable.span)


def _initial(operand: Operand, type_: Type, module: Module, names: FreshNames) -> tuple[Type, Expr]:
    """Return an initial value, and the type of its location: one of addresses if there is one among the pieces."""
    value = operand.value
    if isinstance(value, UndefValue):
        return type_, UndefValue(span=value.span)
    if isinstance(value, Number) and value.value == 0:
        return type_, Number(0, span=value.span)
    data: list[int | None] = [0] * type_.size
    addresses: dict[int, Expr] = {}
    written: dict[int, Expr] = {}
    for at, each, part in _pieces(operand, 0):
        if isinstance(part, Number) and size(each) == type_.element.size:
            written[at] = Number(part.value, span=part.span)
        if isinstance(part, UndefValue):
            data[at : at + size(each)] = [None] * size(each)
        elif isinstance(part, Number):
            data[at : at + size(each)] = (part.value & (1 << 8 * size(each)) - 1).to_bytes(size(each), "little")
        else:
            addresses[at] = _address(part, module, names, operand.span)
    if addresses and type_.pointer is None:
        if type_.size % POINTER.size or any(at % POINTER.size for at in addresses):
            raise Unspeakable(operand.span, "an address that is not aligned to 8 bytes is no initial value of a test")
        type_ = Type(POINTER.bits, type_.size // POINTER.size, POINTER.pointer)
    step = type_.element.size
    if type_.pointer is None:
        addresses |= written
    lanes = [addresses.get(at) or _lane(data[at : at + step], type_) for at in range(0, type_.size, step)]
    return type_, VectorOf(tuple(lanes), span=operand.span) if type_.lanes else lanes[0]


def _lane(data: Sequence[int | None], type_: Type) -> Expr:
    """Return what bytes are as one element; a number among addresses is so many bytes from null."""
    if None in data:
        return UndefValue()
    number = int.from_bytes(bytes(each or 0 for each in data), "little")
    if type_.pointer is None or not number:
        return Number(number)
    return IntegerOperation("add", (Number(0, POINTER), Number(number, I64)))


def _address(value: object, module: Module, names: FreshNames, span: Span) -> Expr:
    if isinstance(value, AddressOf) and value.location in module.globals:
        return AddressOf(names[value.location], span=value.span)
    if isinstance(value, ConstantExpression) and value.operation == "addrspacecast":
        return _address(value.operands[0].value, module, names, span)
    if isinstance(value, ConstantExpression) and value.operation == "getelementptr" and value.type is not None:
        base, *indices = value.operands
        numbers = [getattr(index.value, "value", None) for index in indices]
        if all(isinstance(number, int) for number in numbers):
            offset = constant_offset(value.type, [int(n) for n in numbers if n is not None])
            inner = _address(base.value, module, names, span)
            return IntegerOperation("add", (inner, Number(offset, I64)), span=value.span) if offset else inner
    raise Unspeakable(span, "this initial value is no address of a variable")


def constant_offset(type_: IRType, indices: list[int]) -> int:
    """Return how many bytes constant indices of a getelementptr count."""
    found = indices[0] * size(type_)
    for index in indices[1:]:
        if type_.kind == "struct":
            found += offsets(type_)[index]
            type_ = type_.fields[index]
        else:
            type_ = type_.element or type_
            found += index * size(type_)
    return found


def _pieces(operand: Operand, at: int) -> list[tuple[int, IRType, object]]:
    """Return the numbers and addresses of an initial value, each with its offset and type."""
    value, type_ = operand.value, operand.type
    parts = scalars(type_)
    if isinstance(value, ConstantExpression) and value.operation == "aggregate":
        if type_.kind == "struct":
            places = offsets(type_)
        else:
            step = size(type_.element or type_)
            places = tuple(step * index for index in range(type_.count))
        if len(places) != len(value.operands):
            raise Unspeakable(operand.span, f"{type_} has {len(places)} elements, not {len(value.operands)}")
        return [
            piece for place, each in zip(places, value.operands, strict=True) for piece in _pieces(each, at + place)
        ]
    if isinstance(value, VectorOf):
        return [(at + i, type_.element or type_, each) for i, each in enumerate(value.elements)]
    if len(parts) == 1 and not isinstance(value, UndefValue):
        return [(at, parts[0][1], value)]
    return [(at + place, each, value) for place, each in parts]


def aligned(mode: AccessMode, type_: Type) -> AccessMode:
    """Return a mode that states an alignment only if it is not the one that the type has anyway."""
    natural = natural_alignment(type_.size)
    if mode.align == natural or (mode.align and mode.align > natural and mode.ordering is Ordering.NOT_ATOMIC):
        return replace(mode, align=None)
    return mode
