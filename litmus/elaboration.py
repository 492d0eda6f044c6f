"""The type pass: every expression gets its type, every literal its width.

What goes in: a tree whose names are resolved, and the types that inference found. What comes out: the tree with every
`type` filled in, scalars spread over the lanes of vectors, truth values where conditions need them; and a diagnostic at
every place where two types disagree. What could not be typed stands as `undef`, so that it is reported once.
"""

from __future__ import annotations

from axmem.front.source import Diagnostic, Source, Span
from axmem.litmus.floats import FLOAT_CASTS, FLOAT_COMPARISONS, FLOATING, FROM_INTEGER, TO_INTEGER
from axmem.litmus.inference import Types
from axmem.litmus.spelling import COMPARING, CONVERSIONS, is_floating, pointer_to, type_name
from axmem.litmus.syntax import (
    I1,
    I32,
    I64,
    POINTER,
    AddressOf,
    AddressSpace,
    Element,
    Expr,
    Given,
    IntegerOperation,
    Location,
    Number,
    Register,
    Type,
    UndefValue,
    VectorOf,
)
from axmem.litmus.walk import changed


def wrapped(expr: Expr) -> Expr:
    """Return a number as its bits: those of floating point have no sign of their own."""
    if isinstance(expr, Number) and expr.type is not None and expr.value < 0:
        return changed(expr, value=expr.value % (1 << expr.type.bits))
    return expr


def compatible(left: Type, right: Type) -> bool:
    """Say whether a value of one type can stand for one of the other: pointers convert between address spaces."""
    both_pointers = left.pointer is not None and right.pointer is not None
    return left == right or (both_pointers and left.lanes == right.lanes and left.pair == right.pair)


class Elaboration:
    """Types the expressions of one test, thread by thread."""

    def __init__(self, source: Source, types: Types, spaces: dict[str, AddressSpace]) -> None:
        self.source = source
        self.types = types
        self.spaces = spaces
        self.thread = ""
        self.diagnostics: list[Diagnostic] = []

    def error(self, span: Span, message: str, hint: str = "") -> None:
        """Record a diagnostic."""
        self.diagnostics.append(Diagnostic(self.source, span, message, hint))

    def natural(self, expr: Expr) -> Type | None:
        """Return the type an expression has without its surroundings; None for what adapts to them."""
        match expr:
            case Number() | Given() | UndefValue():
                return expr.type
            case Register(name=name):
                return self.types.registers.get((self.thread, name), I32)
            case AddressOf(location=location):
                return pointer_to(self.spaces[location])
            case VectorOf(elements=elements):
                lane = next((t for e in elements if (t := self.natural(e)) is not None), None)
                return expr.type if lane is None else changed(lane, lanes=len(elements))
            case Element(value=value, index=index):
                return self.element_type(self.natural(value), index)
            case IntegerOperation(name=name, operands=operands):
                if name in CONVERSIONS:
                    return expr.type
                own = [self.natural(o) for o in (operands[1:] if name == "select" else operands)]
                pointer = next((t for t in own if t is not None and t.pointer is not None), None)
                widest = next((t for t in own if t is not None and t.lanes), None)
                known = pointer or widest or next((t for t in own if t is not None), None)
                if name in COMPARING:
                    return Type(1, known.lanes if known is not None else 0)
                return known if known is not None else expr.type

    def element_type(self, whole: Type | None, index: int) -> Type | None:
        """Return the type of a lane, or of a field of a cmpxchg's result."""
        if whole is not None and whole.pair:
            return I1 if index == 1 else changed(whole, pair=False)
        return whole.element if whole is not None else None

    def typed(self, expr: Expr, expected: Type | None = None) -> Expr:
        """Return the expression with its types, as a value of `expected` if that is given."""
        own = self.natural(expr)
        scalar = (own is None or not own.lanes) and not isinstance(expr, VectorOf)
        if expected is not None and expected.lanes and scalar:
            if isinstance(expr, UndefValue):
                return changed(expr, type=expected)
            if own is None or compatible(own, expected.element):
                lane = self.typed(expr, expected.element)
                return VectorOf((lane,) * expected.lanes, expected, expr.span)
        result = self.shaped(expr, expected)
        assert result.type is not None
        if expected is not None and not compatible(result.type, expected):
            message = f"this is {type_name(result.type)}, but {type_name(expected)} is needed here"
            pair = "a cmpxchg gives a pair: r[0] is the old value, r[1] whether it succeeded"
            hint = pair if result.type.pair else ""
            self.error(expr.span, message, hint)
            return UndefValue(expected, expr.span)
        return result

    def shaped(self, expr: Expr, expected: Type | None) -> Expr:
        """Return the expression with its own type, which `expected` decides only where nothing else does."""
        match expr:
            case Number(type=own):
                null = own == POINTER and expected is not None and expected.pointer is not None
                return self.number(expr, (expected if null else own) or expected or I32)
            case Given():
                return expr
            case UndefValue():
                return changed(expr, type=expr.type or expected or I32)
            case Register() | AddressOf():
                own = self.natural(expr) or I32
                self.check_claim(expr, own)
                return changed(expr, type=own)
            case VectorOf():
                return self.vector(expr, expected)
            case Element():
                return self.element(expr)
            case IntegerOperation():
                return self.operation(expr, expected)

    def check_claim(self, expr: Register | AddressOf, own: Type) -> None:
        """Check the type stated before an operand; a generic pointer may be stated for any."""
        claim = expr.type
        if claim is None or claim is own or claim == own:
            return
        if claim.pointer is not None and own.pointer is not None:
            if claim.pointer is AddressSpace.GENERIC or own.pointer is AddressSpace.GENERIC:
                return
            name = expr.location if isinstance(expr, AddressOf) else expr.name
            message = f"'{name}' is in address space {int(own.pointer)}, not {int(claim.pointer)}"
            self.error(expr.span, message, "address space 1 is global, 3 is LDS, 5 is private")
            return
        self.error(expr.span, f"this is {type_name(own)}, not {type_name(claim)}")

    def number(self, expr: Number, type_: Type) -> Expr:
        """Check that a literal fits its width."""
        if type_.lanes or type_.pair:
            return changed(expr, type=type_.element)
        if type_.pointer is not None:
            if expr.value != 0:
                self.error(expr.span, f"{expr.value} is not an address", "write &x, &x + 4, or null")
            return changed(expr, value=0, type=type_)
        if not -(1 << (type_.bits - 1)) <= expr.value < 1 << type_.bits:
            self.error(expr.span, f"{expr.value} does not fit {type_name(type_)}")
            return changed(expr, value=0, type=type_)
        return changed(expr, value=expr.value & 1 if type_.bits == 1 else expr.value, type=type_)

    def vector(self, expr: VectorOf, expected: Type | None) -> Expr:
        """Type the lanes of a vector alike."""
        own = self.natural(expr) or (expected if expected is not None and expected.lanes else None) or Type(32, 1)
        if expected is not None and expected.lanes and expected.lanes != len(expr.elements):
            message = f"this vector has {len(expr.elements)} lanes, but {type_name(expected)} is needed here"
            self.error(expr.span, message)
            return UndefValue(expected, expr.span)
        lane = expected.element if expected is not None and expected.lanes else own.element
        elements = tuple(self.typed(e, lane) for e in expr.elements)
        return changed(expr, elements=elements, type=changed(lane, lanes=len(elements)))

    def element(self, expr: Element) -> Expr:
        """Type a lane of a vector or a field of a cmpxchg's result."""
        value = self.typed(expr.value)
        whole = value.type or I32
        lanes = 2 if whole.pair else whole.lanes
        if not lanes:
            hint = "an index after a register takes a lane of a vector; in an address it counts elements"
            self.error(expr.span, f"this is {type_name(whole)}, which has no elements", hint)
            return UndefValue(whole, expr.span)
        if expr.index >= lanes:
            self.error(expr.span, f"there is no element {expr.index}: {type_name(whole)} has {lanes}")
            return UndefValue(whole.element, expr.span)
        return changed(expr, value=value, type=self.element_type(whole, expr.index))

    # ------------------------------------------------ operations

    def operation(self, expr: IntegerOperation, expected: Type | None) -> Expr:
        """Type an operation and its operands."""
        if expr.name in CONVERSIONS:
            return self.cast(expr)
        if expr.name == "select":
            return self.select(expr, expected)
        own = [self.natural(operand) for operand in expr.operands]
        if expr.name in FLOATING or expr.name in FLOAT_COMPARISONS:
            return self.floating(expr, self.common(expr, own) or expected or I32)
        if any(t is not None and t.pointer is not None for t in own) and expr.name not in COMPARING:
            return self.pointer_arithmetic(expr, own)
        common = self.common(expr, own)
        if expr.name in COMPARING:
            common = common or I32
            operands = tuple(self.typed(operand, common) for operand in expr.operands)
            return changed(expr, operands=operands, type=Type(1, common.lanes))
        common = common or expr.type or expected or I32
        if common.pointer is not None or common.pair:
            self.error(expr.span, f"'{expr.name}' needs integers, not {type_name(common)}")
            return UndefValue(common, expr.span)
        return changed(expr, operands=tuple(self.typed(o, common) for o in expr.operands), type=common)

    def floating(self, expr: IntegerOperation, common: Type) -> Expr:
        """Type an operation on bits of floating point."""
        if expr.name in FLOAT_COMPARISONS and not any(self.natural(operand) for operand in expr.operands):
            common = I32
        if not is_floating(common):
            hint = "values of 16, 32 and 64 bits can be a half, float or double"
            self.error(expr.span, f"'{expr.name}' needs bits of floating point, not {type_name(common)}", hint)
            return UndefValue(I1 if expr.name in FLOAT_COMPARISONS else common, expr.span)
        type_ = Type(1, common.lanes) if expr.name in FLOAT_COMPARISONS else common
        return changed(expr, operands=tuple(wrapped(self.typed(o, common)) for o in expr.operands), type=type_)

    def common(self, expr: IntegerOperation, own: list[Type | None]) -> Type | None:
        """Return the type that both operands have: the vector's if one is a vector, else the first that is known."""
        known = [t for t in own if t is not None]
        return next((t for t in known if t.lanes), known[0] if known else None)

    def pointer_arithmetic(self, expr: IntegerOperation, own: list[Type | None]) -> Expr:
        """Type a pointer plus or minus a number of bytes."""
        operands = list(expr.operands)
        if expr.name == "add" and (own[0] is None or own[0].pointer is None):
            operands.reverse()
            own = own[::-1]
        amount = operands[-1]
        if expr.name == "sub" and isinstance(amount, Number) and own[0] is not None and own[0].pointer is not None:
            operands[1] = changed(amount, value=-amount.value)
        elif expr.name != "add":
            pointer = own[0] or own[-1] or I64
            message = f"'{expr.name}' needs integers, not {type_name(pointer)}"
            self.error(expr.span, message, "a pointer plus a number moves it")
            return UndefValue(pointer, expr.span)
        base = self.typed(operands[0])
        bytes_ = self.typed(operands[1], self.natural(operands[1]) or I64)
        if bytes_.type is not None and (bytes_.type.pointer is not None or bytes_.type.lanes or bytes_.type.pair):
            self.error(amount.span, f"a pointer moves by an integer number of bytes, not by {type_name(bytes_.type)}")
            return UndefValue(base.type, expr.span)
        return changed(expr, name="add", operands=(base, bytes_), type=base.type)

    def cast(self, expr: IntegerOperation) -> Expr:
        """Type a conversion, whose target type is stated."""
        target = expr.type or I32
        value = self.typed(expr.operands[0], self.natural(expr.operands[0]) or I32)
        source = value.type or I32
        integers = source.pointer is None and target.pointer is None and not source.pair
        fits = {
            "zext": target.bits > source.bits, "sext": target.bits > source.bits, "trunc": target.bits < source.bits,
            "fpext": target.bits > source.bits, "fptrunc": target.bits < source.bits,
        }.get(expr.name, True)  # fmt: skip
        if expr.name in FLOAT_CASTS:
            fits &= (expr.name in FROM_INTEGER or is_floating(source)) and (
                expr.name in TO_INTEGER or is_floating(target)
            )
        if not integers or source.lanes != target.lanes or not fits:
            self.error(expr.span, f"'{expr.name}' cannot turn {type_name(source)} into {type_name(target)}")
            return UndefValue(target, expr.span)
        floating = expr.name in FLOAT_CASTS and expr.name not in FROM_INTEGER
        return changed(expr, operands=(wrapped(value) if floating else value,))

    def select(self, expr: IntegerOperation, expected: Type | None) -> Expr:
        """Type `c ? a : b`."""
        condition = self.truth(expr.operands[0])
        common = self.common(expr, [self.natural(o) for o in expr.operands[1:]]) or expected or I32
        yes, no = (self.typed(operand, common) for operand in expr.operands[1:])
        return changed(expr, operands=(condition, yes, no), type=yes.type)

    def truth(self, expr: Expr) -> Expr:
        """Type a condition; an integer is true if it is not zero."""
        value = self.typed(expr, I1 if self.natural(expr) is None else None)
        type_ = value.type or I1
        if type_ == I1:
            return value
        if type_.lanes or type_.pair or type_.pointer is not None:
            self.error(expr.span, f"a condition is a truth value, not {type_name(type_)}", "compare it with something")
            return UndefValue(I1, expr.span)
        return IntegerOperation("ne", (value, Number(0, type_, expr.span)), I1, expr.span)

    # ------------------------------------------------ locations

    def location(self, location: Location) -> Location:
        """Type a location and its initial value; lanes past the written ones of an untyped location are zero."""
        type_, access = self.types.extents[location.name], self.types.accesses[location.name]
        if location.initial is None:
            return changed(location, type=type_)
        initial = self.typed(location.initial, access)
        if type_ != access and isinstance(initial, UndefValue):
            initial = changed(initial, type=type_)
        elif type_ != access:
            zeros = (Number(0, access, initial.span),) * (type_.lanes - 1)
            initial = VectorOf((initial, *zeros), type_, initial.span)
        return changed(location, type=type_, initial=initial)
