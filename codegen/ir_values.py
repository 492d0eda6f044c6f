"""Expressions of a thread as LLVM instructions.

What goes in: a typed expression of a well-formed test. What comes out: an operand of LLVM IR, without its type, and the
instructions that compute it, in `lines`. Invariant: every operand has the type that was asked for; pointers are
cast between address spaces where a test lets them convert by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

from axmem.front.records import replace
from axmem.litmus.floats import (
    FLOAT_CASTS,
    FLOAT_COMPARISONS,
    FLOATING,
    FROM_INTEGER,
    INTRINSICS,
    TO_INTEGER,
)
from axmem.litmus.poison import unflagged
from axmem.litmus.spelling import ARITHMETIC, CASTS, COMPARISONS, floating_name, pointer_to, type_name
from axmem.litmus.syntax import (
    I32,
    I64,
    POINTER,
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


class IrValues:
    """The instructions of one function so far. `places` names locations, `registers` the operands of registers.

    If they are `typed`, an index counts elements as it does in the test, and no bytes. An address made from a location
    gets the offset `lane` added, if there is one: an operand of type i64.
    """

    def __init__(self, places: Mapping[str, str], temporary: str) -> None:
        self.places = places
        self.temporary = temporary
        self.lane = ""
        self.lines: list[str] = []
        self.registers: dict[str, str] = {}
        self.typed = False
        self._count = 0

    def emit(self, text: str) -> None:
        """Add an instruction without a result."""
        self.lines.append(f"  {text}")

    def label(self, name: str) -> None:
        """Begin a block."""
        self.lines.append(f"{name}:")

    def fresh(self) -> str:
        """Return a name that nothing has yet, without its sigil."""
        self._count += 1
        return f"{self.temporary}{self._count}"

    def result(self, text: str) -> str:
        """Add an instruction and return the name of its result."""
        name = f"%{self.fresh()}"
        self.emit(f"{name} = {text}")
        return name

    def name(self, name: str, expr: Expr, type_: Type) -> None:
        """Add instructions that compute an expression, the last of which has a name."""
        before = len(self.lines)
        operand = self.operand(expr, type_)
        start = f"  {operand} = "
        if len(self.lines) > before and self.lines[-1].startswith(start):
            self.lines[-1] = f"  {name} = {self.lines[-1].removeprefix(start)}"
        else:
            self.emit(f"{name} = bitcast {type_name(type_)} {operand} to {type_name(type_)}")

    # ------------------------------------------------ operands

    def operand(self, expr: Expr, type_: Type | None = None) -> str:
        """Return an expression as an operand of a type, which is its own unless it is a pointer."""
        own = expr.type or I32
        wanted = own if type_ is None else type_
        if own.pointer is not None and wanted.pointer is not None and own != wanted:
            return self._cast(expr, own, wanted)
        if wanted.lanes and not own.lanes:
            return self._value(VectorOf((expr,) * wanted.lanes, wanted))
        return self._value(expr)

    def _cast(self, expr: Expr, own: Type, wanted: Type) -> str:
        if isinstance(expr, Number | UndefValue):
            return self._value(replace(expr, type=wanted))
        operand = self._value(expr)
        return self.result(f"addrspacecast {type_name(own)} {operand} to {type_name(wanted)}")

    def _value(self, expr: Expr) -> str:
        match expr:
            case Number(value=value, type=type_):
                return _number(value, type_ or I32)
            case UndefValue():
                return "undef"
            case Given(index=index):
                raise AssertionError(f"parameter {index} is open")
            case Register(name=name, type=type_):
                return self.registers.get(name, zero(type_ or I32))
            case AddressOf(location=location, type=type_):
                place = self.places[location]
                return self._moved(place, type_ or POINTER, self.lane) if self.lane else place
            case VectorOf():
                return self._vector(expr)
            case Element(value=value, index=index):
                whole = value.type or I32
                if whole.pair:
                    return self.result(f"extractvalue {type_name(whole)} {self._value(value)}, {index}")
                return self.result(f"extractelement {type_name(whole)} {self._value(value)}, i32 {index}")
            case IntegerOperation():
                return self._operation(expr)

    def _vector(self, expr: VectorOf) -> str:
        """Return a vector: a constant, or the lanes inserted one by one."""
        type_ = expr.type or Type(32, len(expr.elements))
        lane = type_.element
        parts = [self.operand(element, lane) for element in expr.elements]
        if all(isinstance(element, Number | UndefValue) for element in expr.elements):
            return "<" + ", ".join(f"{type_name(lane)} {part}" for part in parts) + ">"
        made = "undef"
        for index, part in enumerate(parts):
            made = self.result(f"insertelement {type_name(type_)} {made}, {type_name(lane)} {part}, i32 {index}")
        return made

    def _operation(self, expr: IntegerOperation) -> str:
        flagged = unflagged(expr)
        if flagged is not None:
            return self._flagged(*flagged)
        type_, name = expr.type or I32, expr.name
        first = expr.operands[0].type or I32
        if name == "select":
            yes, no = (self.operand(operand, type_) for operand in expr.operands[1:])
            condition = self.operand(expr.operands[0])
            shown = type_name(type_)
            return self.result(f"select i1 {condition}, {shown} {yes}, {shown} {no}")
        if name in CASTS:
            return self.result(f"{name} {type_name(first)} {self.operand(expr.operands[0])} to {type_name(type_)}")
        if name == "not":
            ones = self.operand(Number(-1, first), first)
            return self.result(f"xor {type_name(first)} {self.operand(expr.operands[0])}, {ones}")
        if type_.pointer is not None:
            base, amount = expr.operands
            return self._moved(self.operand(base, type_), type_, self._wide(amount, "zext"))
        if name in FLOATING or name in FLOAT_COMPARISONS or name in FLOAT_CASTS:
            return self._floating(expr, type_, first)
        left, right = (self.operand(operand, first) for operand in expr.operands)
        assert name in ARITHMETIC or name in COMPARISONS, name
        word = f"icmp {name}" if name in COMPARISONS else name
        return self.result(f"{word} {type_name(first)} {left}, {right}")

    def _flagged(self, expr: IntegerOperation, flags: tuple[str, ...]) -> str:
        """Return an operation with flags, as LLVM has it."""
        first, shown = expr.operands[0].type or I32, " ".join(flags)
        if expr.name in CASTS:
            target = type_name(expr.type or I32)
            return self.result(f"{expr.name} {shown} {type_name(first)} {self.operand(expr.operands[0])} to {target}")
        left, right = (self.operand(operand, first) for operand in expr.operands)
        word = f"icmp {shown} {expr.name}" if expr.name in COMPARISONS else f"{expr.name} {shown}"
        return self.result(f"{word} {type_name(first)} {left}, {right}")

    def _floating(self, expr: IntegerOperation, type_: Type, first: Type) -> str:
        """Return the bits of the result of an operation on numbers of floating point, which are bits elsewhere."""
        name = expr.name
        own = type_name(first) if name in FROM_INTEGER else floating_name(first)
        whole = name in TO_INTEGER or name in FLOAT_COMPARISONS
        result = type_name(type_) if whole else floating_name(type_)
        values = [self.operand(operand, first) for operand in expr.operands]
        if name not in FROM_INTEGER:
            values = [self.result(f"bitcast {type_name(first)} {value} to {own}") for value in values]
        if name in INTRINSICS:
            suffix = f".{_overloaded(type_)}.{_overloaded(first, 'f')}" if whole else f".{_overloaded(first, 'f')}"
            arguments = ", ".join(f"{own} {value}" for value in values)
            found = self.result(f"call {result} @llvm.{INTRINSICS[name]}{suffix}({arguments})")
        elif name in FLOAT_CASTS:
            found = self.result(f"{name} {own} {values[0]} to {result}")
        else:
            found = self.result(f"{name} {own} {', '.join(values)}")
        return found if whole else self.result(f"bitcast {result} {found} to {type_name(type_)}")

    # ------------------------------------------------ addresses

    def address(self, address: Address, type_: Type) -> tuple[str, Type]:
        """Return where an access goes, and the pointer's type."""
        pointer = address.base.type or POINTER
        base = self.operand(address.base)
        if address.index is None:
            return base, pointer
        if self.typed:
            index = address.index.type or I64
            shown = f"{type_name(pointer)} {base}, {type_name(index)} {self.operand(address.index)}"
            return self.result(f"getelementptr {type_name(type_)}, {shown}"), pointer
        if isinstance(address.index, Number):
            return self._moved(base, pointer, str(address.index.value * type_.size)), pointer
        scaled = self._wide(address.index, "sext")
        if type_.size > 1:
            scaled = self.result(f"mul i64 {scaled}, {type_.size}")
        return self._moved(base, pointer, scaled), pointer

    def _moved(self, base: str, pointer: Type, amount: str) -> str:
        return base if amount == "0" else self.result(f"getelementptr i8, {type_name(pointer)} {base}, i64 {amount}")

    def _wide(self, expr: Expr, how: str) -> str:
        """Return an integer as an i64."""
        own = expr.type or I64
        if isinstance(expr, Number):
            return str(expr.value)
        operand = self.operand(expr)
        return operand if own.bits == 64 else self.result(f"{how} {type_name(own)} {operand} to i64")


def _overloaded(type_: Type, letter: str = "i") -> str:
    """Return a type as it stands in the name of an intrinsic."""
    lane = f"{letter}{type_.bits}"
    return f"v{type_.lanes}{lane}" if type_.lanes else lane


def _number(value: int, type_: Type) -> str:
    if type_.pointer is not None:
        return "null"
    return ("true" if value & 1 else "false") if type_.bits == 1 else str(value)


def zero(type_: Type) -> str:
    """Return the value of a register that nothing has assigned yet."""
    if type_.lanes or type_.pair:
        return "zeroinitializer"
    return _number(0, type_)


def initial_value(expr: Expr, type_: Type) -> str:
    """Return the initial value of a global, a constant."""
    match expr:
        case Number() | UndefValue():
            text = IrValues({}, "").operand(expr, type_ if not type_.lanes else None)
            return text if not type_.lanes or text == "undef" else _splat(text, type_)
        case VectorOf(elements=elements):
            lane = type_.element
            return "<" + ", ".join(f"{type_name(lane)} {initial_value(e, lane)}" for e in elements) + ">"
        case AddressOf(location=location, type=own):
            pointer = own or pointer_to(AddressSpace.GLOBAL)
            plain = f"{type_name(pointer)} @{location}"
            return f"@{location}" if pointer == type_ else f"addrspacecast ({plain} to {type_name(type_)})"
    raise AssertionError(f"no constant: {expr}")


def _splat(text: str, type_: Type) -> str:
    return "<" + ", ".join([f"{type_name(type_.element)} {text}"] * type_.lanes) + ">"
