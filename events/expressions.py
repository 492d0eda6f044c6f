"""Expressions and addresses of a thread, as expressions over what reads return.

What goes in: resolved syntax and the registers' values. What comes out: `values.Expr` lanes, and for an address that is
not known the places it may be. Constants of the test are collected on the way.
"""

from __future__ import annotations

from collections.abc import Mapping

from axmem.events.graph import ADDRESS_SHIFT, address_of, location_at
from axmem.events.values import GIVEN, POISON, UNDEF, ZERO, Apply, Constant, Expr, apply, possible_values
from axmem.litmus import syntax as ast
from axmem.litmus.arithmetic import DEFINED, told

Lanes = tuple[Expr, ...]
Registers = Mapping[str, Lanes]


class Expressions:
    """Translates the expressions of one test, or of a lane whose names of locations are at `places`.

    `constants` are the numbers met so far.
    """

    def __init__(
        self, test: ast.LitmusTest, places: Mapping[str, int] | None = None, constants: set[int] | None = None
    ) -> None:
        self.locations = places or {location.name: k for k, location in enumerate(test.locations)}
        self.constants: set[int] = set() if constants is None else constants

    def lanes(self, expr: ast.Expr, type_: ast.Type | None, registers: Registers) -> Lanes:
        """Return the lanes of an expression; a scalar stands for every lane where a vector is wanted."""
        count = max(1, type_.lanes) if type_ else 1
        lanes = self._value(expr, registers)
        return lanes * count if len(lanes) == 1 < count else lanes

    def address(self, address: ast.Address, type_: ast.Type, registers: Registers) -> Expr:
        """Return the address: the base plus the index times the size of the accessed type."""
        base = self._value(address.base, registers)[0]
        if address.index is None:
            return base
        index = self._value(address.index, registers)[0]
        bits = address.index.type.bits if address.index.type else 64
        wide = index if bits >= 64 else apply("sext", 64, index, parameters=(bits,))
        return apply("add", 64, base, apply("mul", 64, wide, Constant(type_.size)))

    def _value(self, expr: ast.Expr, registers: Registers) -> Lanes:
        match expr:
            case ast.Number(value, type_):
                wrapped = value & ((1 << (type_.bits if type_ else 64)) - 1)
                self.constants.add(wrapped)
                return (Constant(wrapped),)
            case ast.Given(index, type_, undef=undef, frozen=frozen):
                bits = type_.bits if type_ else 64
                own = _given(bits, index, undef=undef)
                return (own if frozen is None else apply(DEFINED, bits, _given(bits, frozen, undef=True), own),)
            case ast.UndefValue(type_, poison=True):
                return (Apply(POISON, type_.bits if type_ else 64, ()),) * (max(1, type_.lanes) if type_ else 1)
            case ast.UndefValue(type_):
                return (Constant(UNDEF),) * (max(1, type_.lanes) if type_ else 1)
            case ast.Register(name, type_):
                lanes = max(1, type_.lanes) if type_ else 1
                return registers.get(name, (ZERO,) * (lanes + int(bool(type_ and type_.pair))))
            case ast.AddressOf(location):
                address = address_of(self.locations[location])
                self.constants.add(address)
                return (Constant(address),)
            case ast.VectorOf(elements):
                return tuple(self._value(e, registers)[0] for e in elements)
            case ast.Element(value, index):
                return (self._value(value, registers)[index],)
            case ast.IntegerOperation():
                return self._operation(expr, registers)

    def _operation(self, expr: ast.IntegerOperation, registers: Registers) -> Lanes:
        bits = expr.type.bits if expr.type else 64
        lanes = [self._value(o, registers) for o in expr.operands]
        width = max(len(x) for x in lanes)
        spread = [x * width if len(x) == 1 else x for x in lanes]
        operand = expr.operands[0].type
        parameters = told(expr.name, operand.bits) if operand else ()
        return tuple(apply(expr.name, bits, *lane, parameters=parameters) for lane in zip(*spread, strict=True))


OUTSIDE = "access outside every location"
NO_SIZE = "and nothing says how large that is"
"""What stands at the end of a reason that is none if the memory is larger."""


def inside(test: ast.LitmusTest, address: int, type_: ast.Type) -> bool:
    """Tell whether an access of a type at an address lies inside one location."""
    index, offset = location_at(address)
    if not 0 <= index < len(test.locations):
        return False
    whole = test.locations[index].type
    assert whole is not None
    return offset + type_.size <= whole.size


def why_outside(test: ast.LitmusTest, expr: Expr, type_: ast.Type) -> str:
    """Return why an access outside every location is undefined behaviour; of memory without a size that is not known.

    The address is outside for some value of the expression.
    """
    known = possible_values(expr)
    places = [Constant(each) for each in known if not inside(test, each, type_)] if known is not None else [expr]
    bases = [_base_location(test, each) for each in places]
    anywhere = known is None and None in bases
    near = range(len(test.locations)) if anywhere else [each for each in bases if each is not None]
    found = next((test.locations[i] for i in near if i < len(test.locations) and test.locations[i].roomy), None)
    return OUTSIDE if found is None else f"access outside what is known of '{found.name}', {NO_SIZE}"


def possible_addresses(
    test: ast.LitmusTest, expr: Expr, type_: ast.Type, pointed: frozenset[str] = frozenset()
) -> list[int]:
    """Return the addresses that an expression may be, in increasing order.

    Where nothing is known of it, those are the aligned addresses of the locations that are pointed to (of every one if
    that is not said), or of the one from whose address the expression starts.
    """
    known = possible_values(expr)
    if known is not None:
        return sorted(known)
    base = _base_location(test, expr)
    step = type_.element.size if type_.lanes else type_.size
    found = []
    for k, location in enumerate(test.locations):
        assert location.type is not None
        if base == k or (base is None and (not pointed or location.name in pointed)):
            found += [address_of(k, offset) for offset in range(0, location.type.size - type_.size + 1, step)]
    return found


def _base_location(test: ast.LitmusTest, expr: Expr) -> int | None:
    """Return the location that an address expression is an offset into, if it starts from a known address.

    It may start a little before the location, as compilers write `a[i - 1]`: then that is the nearest one.
    """
    match expr:
        case Constant(value) if isinstance(value, int) and value >> ADDRESS_SHIFT:
            index, offset = location_at(value)
            type_ = test.locations[index].type if index < len(test.locations) else None
            behind = offset - (type_.size if type_ is not None else 0)
            return index + 1 if behind > (1 << ADDRESS_SHIFT) - offset else index
        case Apply("add", _, (a, _)):
            return _base_location(test, a)
    return None


def _given(bits: int, index: int, *, undef: bool) -> Expr:
    """Return a parameter of which nothing is known; `may_be_undef` tells whether it may be undef."""
    return Apply(GIVEN, bits, (), (index, 1) if undef else (index,))
