"""Values of a function of LLVM IR as expressions of the test language.

What goes in: operands and instructions that compute without touching memory. What comes out: expressions; what has no
meaning in a test raises `Unspeakable`. A getelementptr is a `Pointer`, which becomes the address of an access or an
expression. Invariant: where LLVM gives poison because of a flag (`nsw`), the expression gives undef, and only there.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.formats.ir.floats import ARITHMETIC as FLOATING
from axmem.formats.ir.floats import CASTS as FLOAT_CASTS
from axmem.formats.ir.floats import Floats
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.mnemonics import BINARY, CASTS, REFUSED
from axmem.formats.ir.names import FreshNames
from axmem.formats.ir.syntax import ConstantExpression, Function, Instruction, Module, Operand
from axmem.formats.ir.types import VOID, IRType, offsets, size, value_type
from axmem.front.records import dataclass, replace
from axmem.front.source import Span
from axmem.litmus.arithmetic import DIVISIONS, FROZEN
from axmem.litmus.poison import POISONING, divides, guarded
from axmem.litmus.spelling import ARITHMETIC
from axmem.litmus.spelling import CASTS as INTEGER_CASTS
from axmem.litmus.syntax import (
    I64,
    Address,
    AddressOf,
    Element,
    Expr,
    IntegerOperation,
    Number,
    Register,
    Type,
    UndefValue,
    VectorOf,
)


@dataclass(frozen=True, slots=True)
class Pointer:
    """A place in memory: `base` plus `offset` bytes, plus integers times a number of bytes.

    `scaled` has the integers with these numbers, and how many bits they have. `unit` is the size of what the last index
    counts, if it is the only one.
    """

    base: Expr
    offset: int = 0
    scaled: tuple[tuple[Expr, int, int], ...] = ()
    unit: int = 1

    @property
    def plain(self) -> bool:
        """Whether it is the base and nothing else."""
        return not self.offset and not self.scaled


def type_of(type_: IRType, span: Span) -> Type:
    """Return the type of a value."""
    found = value_type(type_)
    if found is None:
        hint = ""
        if type_.kind == "int":
            hint = "the integers of a test have 1, 8, 16, 32, 64 or 128 bits"
        raise Unspeakable(span, f"values of type {type_} have no meaning in a test", hint)
    return found


class Values:
    """The values of one function. `known` are those that have an expression of their own, by their names.

    `registers` gives the names of the others, `places` those of the variables of the module. `unsaid` are the
    parameters of which nothing is known, with what to write. `parts` are locations that are bytes of a variable, by its
    name and the first byte.
    """

    def __init__(self, module: Module, function: Function, registers: FreshNames, places: FreshNames) -> None:
        self.module = module
        self.floats = Floats(module, function)
        self.registers = registers
        self.places = places
        self.known: dict[str, Expr | Pointer] = {}
        self.types: dict[str, IRType] = {}
        self.unsaid: dict[str, str] = {}
        self.parts: dict[tuple[str, int], str] = {}

    # ------------------------------------------------ operands

    def expr(self, operand: Operand) -> Expr:
        """Return an operand as an expression."""
        found = self.held(operand)
        return found if not isinstance(found, Pointer) else moved(found)

    def pointer(self, operand: Operand) -> Pointer:
        """Return an operand that is a pointer as a place."""
        found = self.held(operand)
        return found if isinstance(found, Pointer) else Pointer(found)

    def address(self, operand: Operand, accessed: Type) -> Address:
        """Return an operand as the address of an access of a type."""
        place = self.pointer(operand)
        index: Expr | None = None
        if len(place.scaled) == 1 and place.scaled[0][1] == accessed.size:
            index, place = place.scaled[0][0], replace(place, scaled=())
        elif not place.scaled and place.offset and place.unit == accessed.size and place.unit > 1:
            index, place = Number(place.offset // place.unit, span=operand.span), Pointer(place.base)
        return Address(moved(place), index, operand.span)

    def held(self, operand: Operand) -> Expr | Pointer:
        """Return an operand as it is known here."""
        value, span = operand.value, operand.span
        match value:
            case Register(name=name):
                known = self.known.get(name)
                if known is not None:
                    return known
                if name in self.unsaid:
                    message = f"nothing says what the parameter '%{name}' is"
                    raise Unspeakable(value.span, message, self.unsaid[name])
                if name not in self.types:
                    raise Unspeakable(value.span, f"nothing assigns '%{name}' here")
                return Register(self.registers[name], span=value.span)
            case AddressOf(location=name):
                return self.variable(name, value.span)
            case UndefValue():
                return replace(value, type=value_type(operand.type))
            case Number(value=number):
                return self.number(number, type_of(operand.type, span), value.span)
            case VectorOf(elements=elements):
                return VectorOf(elements, span=value.span)
            case ConstantExpression(operation="aggregate", operands=operands) if operand.type.kind == "vector":
                return VectorOf(tuple(self.expr(each) for each in operands), span=value.span)
            case ConstantExpression(operation="getelementptr", type=type_, operands=operands):
                base = operands[0].value
                place = self.moved(type_ or VOID, operands, span)
                named = base.location if isinstance(base, AddressOf) else ""
                whole = self.parts.get((named, place.offset))
                return place if whole is None else AddressOf(whole, span=span)
            case ConstantExpression(operation=operation, type=type_, operands=operands) if (
                operands and type_ is not None
            ):
                return self.cast(operation, operands[0], type_, span)
        shown = value.operation if isinstance(value, ConstantExpression) else "this"
        raise Unspeakable(span, f"the constant '{shown}' has no meaning in a test")

    def variable(self, name: str, span: Span) -> Expr:
        """Return the address of a variable."""
        if name in self.module.functions:
            raise Unspeakable(span, f"the address of the function '@{name}' has no meaning in a test")
        if name not in self.module.globals:
            raise Unspeakable(span, f"no variable is named '@{name}'")
        if (name, 0) in self.parts:
            return AddressOf(self.parts[name, 0], span=span)
        return AddressOf(self.places[name], span=span)

    def number(self, number: int, type_: Type, span: Span) -> Expr:
        """Return a number of a type, which fills every lane of a vector."""
        if not type_.lanes:
            return Number(number, type_, span)
        return VectorOf((Number(number, type_.element, span),) * type_.lanes, span=span)

    # ------------------------------------------------ instructions

    def computed(self, instruction: Instruction) -> Expr | Pointer:
        """Return what an instruction computes that touches no memory."""
        operation, span = instruction.operation, instruction.span
        operands = instruction.operands
        if operation == "getelementptr":
            return self.moved(instruction.type, operands, span)
        if operation in FLOAT_CASTS:
            value = self.floats.computed(instruction, operation, tuple(map(self.expr, operands)))
            return self.flagged(instruction, replace(value, type=type_of(instruction.type, span)))
        if operation in FLOATING or operation in ("fneg", "fcmp", "frem"):
            if operation == "fcmp" and operands[0].type.kind == "vector":
                raise Unspeakable(span, "a comparison of vectors has no meaning in a test", "compare the lanes")
            return self.floats.computed(instruction, operation, tuple(map(self.expr, operands)))
        if operation in CASTS:
            found = self.cast(operation, operands[0], instruction.type, span)
            return self.flagged(instruction, found)
        if operation in BINARY:
            return self.flagged(instruction, self.arithmetic(instruction))
        if operation == "icmp":
            left, right = map(self.expr, operands)
            if operands[0].type.kind == "vector":
                raise Unspeakable(span, "a comparison of vectors has no meaning in a test", "compare the lanes")
            return self.flagged(instruction, IntegerOperation(instruction.words[0], (left, right), span=span))
        if operation == "select":
            condition, yes, no = map(self.expr, operands)
            self.floats.permitted(instruction.words, operation, span)
            return IntegerOperation("select", (condition, yes, no), span=span)
        if operation in ("extractelement", "insertelement", "shufflevector"):
            return self.vector(instruction)
        if operation == "freeze" and len(operands) > 1:  # To the number that the second one is.
            return IntegerOperation(FROZEN, tuple(map(self.expr, operands)), span=span)
        hint = {
            "freeze": "undef is one value here, and no arbitrary one: read it in the condition instead",
        }.get(operation, REFUSED.get(operation, ""))
        raise Unspeakable(span, f"'{operation}' has no meaning in a test", hint)

    def arithmetic(self, instruction: Instruction) -> Expr:
        """Return the result of an arithmetic operation, flags aside; divisions by powers of two are shifts."""
        operation, span = instruction.operation, instruction.span
        left, right = map(self.expr, instruction.operands)
        if operation in ARITHMETIC - DIVISIONS:
            return IntegerOperation(operation, (left, right), span=span)
        by = right.value if isinstance(right, Number) else 0
        if operation in ("udiv", "urem") and by > 0 and by & (by - 1) == 0:
            amount = by.bit_length() - 1 if operation == "udiv" else by - 1
            word = "lshr" if operation == "udiv" else "and"
            return IntegerOperation(word, (left, replace(right, value=amount)), span=span)  # type: ignore[arg-type]
        return IntegerOperation(operation, (left, right), span=span)

    def divides(self, instruction: Instruction) -> Expr | None:
        """Return what is true where a division is one, else undef; None of what always is, or is no division."""
        if instruction.operation not in DIVISIONS:
            return None
        operands = tuple(map(self.expr, instruction.operands))
        type_ = type_of(instruction.type, instruction.span)
        if type_.lanes:
            every = ([lane(operand, i) for operand in operands] for i in range(type_.lanes))
            if any(divides(instruction.operation, each, type_.element) is not None for each in every):
                message = "a division of vectors by what is no constant has no meaning in a test"
                raise Unspeakable(instruction.span, message, "divide the lanes")
            return None
        return divides(instruction.operation, operands, type_)

    def cast(self, operation: str, operand: Operand, type_: IRType, span: Span) -> Expr | Pointer:
        """Return a value as one of another type."""
        found = self.held(operand)
        if operation == "addrspacecast":
            return found
        if isinstance(found, UndefValue):
            found = replace(found, type=type_of(operand.type, span))
        if operation in INTEGER_CASTS:
            value = moved(found) if isinstance(found, Pointer) else found
            return IntegerOperation(operation, (value,), type_of(type_, span), span)
        if operation == "bitcast":
            return self.bits(found, type_of(operand.type, span), type_of(type_, span), span)
        hint = "pointers stay pointers in a test" if "ptr" in operation or "addr" in operation else "only integers"
        raise Unspeakable(span, f"'{operation}' has no meaning in a test", hint)

    def bits(self, value: Expr | Pointer, own: Type, wanted: Type, span: Span) -> Expr | Pointer:
        """Return the bits of a value as one of another type."""
        if own == wanted or isinstance(value, Pointer) or (own.pointer is not None and wanted.pointer is not None):
            return value
        one, other = own.element if own.lanes else own, wanted.element if wanted.lanes else wanted
        held = [lane(value, i) for i in range(own.lanes)] if own.lanes else [value]
        made = tuple(_part(held, one, other, i * other.bits, span) for i in range(max(1, wanted.lanes)))
        return VectorOf(made, span=span) if wanted.lanes else made[0]

    def vector(self, instruction: Instruction) -> Expr:
        """Return a lane of a vector, or a vector with other lanes."""
        span, operands = instruction.span, instruction.operands
        first = self.expr(operands[0])
        if instruction.operation == "shufflevector":
            mask = self.expr(operands[2])
            second, count = self.expr(operands[1]), operands[0].type.count
            chosen = [lane(mask, i) for i in range(operands[2].type.count)]
            both = [lane(first, i) for i in range(count)] + [lane(second, i) for i in range(count)]
            numbers = [each.value if isinstance(each, Number) else None for each in chosen]
            return VectorOf(tuple(UndefValue(poison=True) if n is None else both[n] for n in numbers), span=span)
        where = self.expr(operands[-1])
        lanes = [lane(first, i) for i in range(operands[0].type.count)]
        put = self.expr(operands[1]) if instruction.operation == "insertelement" else None
        if not isinstance(where, Number):
            return _computed_lane(where, lanes, put, operands[-1].type.bits, span)
        if not 0 <= where.value < len(lanes):
            return UndefValue(poison=True, span=span)
        if put is None:
            return lanes[where.value]
        lanes[where.value] = put
        return VectorOf(tuple(lanes), span=span)

    def moved(self, counted: IRType, operands: tuple[Operand, ...], span: Span) -> Pointer:
        """Return where a getelementptr points."""
        place = self.pointer(operands[0])
        type_, unit = counted, 1
        for number, index in enumerate(operands[1:]):
            value = self.expr(index)
            if number and type_.kind == "struct":
                fields = len(type_.fields)
                if not isinstance(value, Number) or not 0 <= value.value < fields:
                    raise Unspeakable(index.span, f"{type_} has no such field")
                place = replace(place, offset=place.offset + offsets(type_)[value.value])
                type_ = type_.fields[value.value]
                continue
            if number:
                if type_.element is None:
                    raise Unspeakable(index.span, f"{type_} has no elements")
                type_ = type_.element
            unit = size(type_) if type_.sized else 1
            if isinstance(value, Number):
                place = replace(place, offset=place.offset + value.value * unit)
            else:
                place = replace(place, scaled=(*place.scaled, (value, unit, index.type.bits)))
        alone = len(operands) == 2 and self.pointer(operands[0]).plain
        return replace(place, unit=unit if alone else 1)

    # ------------------------------------------------ flags

    def flagged(self, instruction: Instruction, value: Expr | Pointer) -> Expr | Pointer:
        """Return undef where a flag of an instruction makes its result poison, else its value."""
        if isinstance(value, Pointer):
            return value
        operands = [self.expr(operand) for operand in instruction.operands]
        types = [type_of(operand.type, operand.span) for operand in instruction.operands]
        found = guarded(instruction.operation, instruction.words, value, operands, types[0])
        if found is not value and types[0].lanes:
            flag = next(word for word in instruction.words if word in POISONING)
            raise Unspeakable(instruction.span, f"'{flag}' makes poison, which lanes of a vector do not have here")
        return found if found is value else replace(found, span=instruction.span)


def _computed_lane(where: Expr, lanes: list[Expr], put: Expr | None, bits: int, span: Span) -> Expr:
    """Return the lane that an expression says, or the lanes with another value there; poison where it says none."""
    is_lane = [IntegerOperation("eq", (where, Number(i, Type(bits)))) for i in range(len(lanes))]
    if put is not None:
        known = [IntegerOperation("select", (is_, put, lane_)) for is_, lane_ in zip(is_lane, lanes, strict=True)]
        if len(lanes) >= 1 << bits:
            return VectorOf(tuple(known), span=span)
        none, poison = IntegerOperation("uge", (where, Number(len(lanes), Type(bits)))), UndefValue(poison=True)
        return VectorOf(tuple(IntegerOperation("select", (none, poison, each)) for each in known), span=span)
    found: Expr = UndefValue(poison=True)
    for is_, lane_ in zip(reversed(is_lane), reversed(lanes), strict=True):
        found = IntegerOperation("select", (is_, lane_, found), span=span)
    return found


def moved(place: Pointer) -> Expr:
    """Return a place as an expression."""
    found = place.base
    if place.offset:
        found = IntegerOperation("add", (found, Number(place.offset, I64)), span=found.span)
    for index, unit, bits in place.scaled:
        wide = index if bits == I64.bits else IntegerOperation("sext" if bits < I64.bits else "trunc", (index,), I64)
        if unit != 1:
            wide = IntegerOperation("mul", (wide, Number(unit, I64)), span=index.span)
        found = IntegerOperation("add", (found, wide), span=found.span)
    return found


def placed(value: Expr) -> Expr | Pointer:
    """Return a number of bytes behind a location as a place, and every other expression as it is."""
    match value:
        case IntegerOperation(name="add", operands=(AddressOf() as base, Number(value=offset))):
            return Pointer(base, offset)
    return value


def _part(held: Sequence[Expr], own: Type, wanted: Type, low: int, span: Span) -> Expr:
    """Return the bits of some lanes from one on as a number of another type.

    It is of no other lanes, which may be poison.
    """
    found: Expr | None = None
    for at in range(low - low % own.bits, min(low + wanted.bits, own.bits * len(held)), own.bits):
        part = held[at // own.bits]
        if low > at:
            part = IntegerOperation("lshr", (part, Number(low - at, own)), span=span)
        if own.bits != wanted.bits:
            part = IntegerOperation("zext" if own.bits < wanted.bits else "trunc", (part,), wanted, span=span)
        if at > low:
            part = IntegerOperation("shl", (part, Number(at - low, wanted)), span=span)
        found = part if found is None else IntegerOperation("or", (found, part), span=span)
    assert found is not None
    return found


def lane(value: Expr, index: int) -> Expr:
    """Return a lane of a vector."""
    if isinstance(value, VectorOf):
        return value.elements[index]
    if isinstance(value, UndefValue):
        return UndefValue(span=value.span)
    return Element(value, index, span=value.span)
