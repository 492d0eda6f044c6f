"""Memory that is as large as the functions that are given it reach.

What goes in: threads as they were read, whose addresses name memory of which nothing is said; and that memory, as
variables of a module. What comes out: the variables with types that hold every access to them, and what they begin
with. Memory from which pointers are loaded holds the address of memory of its own. Invariant: an access at a constant
offset lies inside its variable; so does one at an index that is never more than some number, if that is not too far;
one at another index is left room for a few elements, and one more than what is accessed else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from axmem.formats.ir.indices import FARTHEST, behind
from axmem.formats.ir.memory import LARGEST, MOST_LANES, Unspeakable
from axmem.formats.ir.names import location_name
from axmem.formats.ir.syntax import ConstantExpression, Function, Global, Operand, Value
from axmem.formats.ir.types import VOID, IRType, integer, size
from axmem.front.records import dataclass, replace
from axmem.litmus import walk
from axmem.litmus.layout import location_of, offset_of
from axmem.litmus.syntax import (
    AccessStatement,
    Address,
    AddressOf,
    Assign,
    Expr,
    IntegerOperation,
    LitmusTest,
    Location,
    Number,
    Ordering,
    Register,
    Type,
    UndefValue,
)

ROOM = 4
"""So many elements there are where it is not known which is accessed."""
READ = frozenset(range(-1, ROOM))
"""What is read of which nothing is known: indices count from 0, or from behind a negative one."""
ALIGNED = 16
"""So many bytes the address is a multiple of that a function is given."""
POINTEE = ".pointee"


@dataclass(frozen=True, slots=True)
class Reached:
    """The bytes of a variable that are accessed, from `low` to before `high`, and the types of these accesses.

    `open`: some accesses go to an index that may be larger.
    """

    low: int
    high: int
    types: frozenset[Type]
    open: bool = False


def reached(tests: Iterable[LitmusTest]) -> dict[str, Reached]:
    """Return what is accessed of each location."""
    found: dict[str, Reached] = {}
    widest: dict[str, int] = {}
    opened = set[str]()
    for test in tests:
        ends, begins, unknown = behind(test, READ, FARTHEST)
        largest = max((each.size for _, _, each in _accesses(test)), default=1)
        for name, at, type_ in _accesses(test):
            begin, end = (0, ROOM * type_.size) if at is None else (at, at + type_.size)
            _reach(found, name, begin, end, type_)
            if at is None:
                widest[name] = max(type_.size, widest.get(name, 0))
        for name, offset in _computed(test):
            _reach(found, name, offset, offset + largest)
        for name in ends.keys() & widest.keys():
            most = found[name].low + FARTHEST * widest[name]
            least = found[name].high - FARTHEST * widest[name]
            _reach(found, name, max(begins.get(name, 0), least), min(ends[name], most))
            opened |= {name} if name in unknown or ends[name] > most or begins.get(name, 0) < least else set()
    for name in opened:
        found[name] = replace(found[name], high=found[name].high + widest[name], open=True)
    return found


def _reach(found: dict[str, Reached], name: str, begin: int, end: int, type_: Type | None = None) -> None:
    old = found.get(name, Reached(begin, end, frozenset()))
    types = old.types if type_ is None else old.types | {type_.element}
    found[name] = Reached(min(old.low, begin), max(old.high, end), types, old.open)


def _accesses(test: LitmusTest) -> Iterator[tuple[str, int | None, Type]]:
    """Yield the location of each access, where it begins if that is constant, and its type."""
    assigned = [each for _, each in walk.located(test) if isinstance(each, Assign)]
    once = {r for r, times in Counter(each.register for each in assigned).items() if times == 1}
    known = {each.register: each.value for each in assigned if each.register in once and _of_location(each.value)}

    def address(expr: Expr) -> Expr:
        return known.get(expr.name, expr) if isinstance(expr, Register) else expr

    for _, each in walk.located(test):
        if isinstance(each, AccessStatement) and each.type is not None:
            place = replace(each.address, base=walk.replaced(each.address.base, address))
            name = location_of(place)
            yield name or "", offset_of(place, each.type.size), each.type


def _of_location(expr: Expr) -> bool:
    """Whether an expression is an address at a constant offset of a location."""
    return offset_of(Address(expr), 1) is not None


def _computed(test: LitmusTest) -> Iterator[tuple[str, int]]:
    """Yield the addresses that are values of the test: a location and a constant offset."""
    for _, each in walk.located(test):
        through = [a.base for a in walk.addresses(each) if location_of(a) is None]
        for expr in (*through, *walk.operands(each)):
            for part in walk.parts(expr):
                if (name := location_of(Address(part))) is not None:
                    yield name, offset_of(Address(part), 1) or 0


class Room(NamedTuple):
    """Variables that hold what is accessed of them, at which byte of each the address is that is given, and how many
    bytes are behind it in those whose accesses may go further."""

    variables: dict[str, Global]
    begins: dict[str, int]
    limits: dict[str, int]


def given(variables: Mapping[str, Global], tests: Sequence[LitmusTest]) -> Room:
    """Return variables with room for what is accessed of them."""
    known = reached(tests)
    found: dict[str, Global] = {}
    begins: dict[str, int] = {}
    limits: dict[str, int] = {}
    for name, variable in variables.items():
        extent = known.get(location_name(name), Reached(0, 1, frozenset()))
        _refuse_beyond(variable, extent)
        begin = -(extent.low // ALIGNED) * ALIGNED if variable.type == VOID else 0
        begin += _shift(tests, location_name(name)) if variable.type == VOID else 0
        begins[name] = begin
        pointers = any(each.pointer is not None for each in extent.types)
        if variable.type != VOID:
            found[name] = _begun(variable, f"{name}{POINTEE}") if pointers else variable
        else:
            bits = min((each.bits for each in extent.types), default=32)
            same = pointers and all(each.bits == bits for each in extent.types)
            end = extent.high + begin
            while end * 8 > MOST_LANES * bits and bits < 8 * LARGEST:
                bits *= 2
            if end * 8 > MOST_LANES * bits:
                message = f"byte {extent.high - 1} of what '%{name}' points to is accessed"
                raise Unspeakable(variable.span, message, f"a location has at most {MOST_LANES * LARGEST} bytes")
            lane = IRType("ptr") if same and bits == 64 else integer(max(8, bits))
            count = max(1, -(-end // (max(8, bits) // 8)))
            type_ = lane if count == 1 else IRType("array", count=count, element=lane)
            begun = variable.initial.value if variable.initial is not None else None
            value: Value = begun if isinstance(begun, UndefValue) else Number(0)
            if lane.kind == "ptr":
                value = _addresses(type_, f"{name}{POINTEE}")
            found[name] = replace(variable, type=type_, initial=Operand(type_, value, variable.span))
            if extent.open:
                limits[name] = size(type_) - begin
        if f"{name}{POINTEE}" in _named(found[name].initial):
            whole = IRType("array", count=ROOM, element=integer(64))
            initial = Operand(whole, Number(0), variable.span)
            found[f"{name}{POINTEE}"] = Global(f"{name}{POINTEE}", whole, 0, initial, (), variable.span)
    return Room(found, begins, limits)


def indexed(
    variables: Mapping[str, Global], test: LitmusTest, count: int, listed: Mapping[str, int]
) -> dict[str, Global]:
    """Return variables of which those without a type that are accessed at an index have so many elements, or fewer.

    They have more where what is known of the indices says so, and as many as are `listed` where something lists them.
    """
    widest: dict[str, int] = {}
    narrowest: dict[str, int] = {}
    for name, at, type_ in _accesses(test):
        narrowest[name] = min(narrowest.get(name, type_.bits), type_.bits)
        if at is None:
            widest[name] = max(widest.get(name, 8), type_.bits * max(1, type_.lanes))
    ends, _, open_ = behind(test)
    found = dict(variables)
    for name, variable in variables.items():
        if name in listed and variable.type == VOID:
            element = integer(narrowest.get(location_name(name), 32))
            whole = IRType("array", count=listed[name], element=element)
            found[name] = replace(variable, type=whole, initial=Operand(whole, Number(0), variable.span))
            continue
        bits = widest.get(location_name(name), 32 if location_name(name) in open_ else 0)
        if bits and variable.type == VOID and bits <= 8 * LARGEST:
            end = ends.get(location_name(name), 0)
            while end * 8 > MOST_LANES * bits and bits < 8 * LARGEST:
                bits *= 2
            needed = max(count, -(-end * 8 // bits))
            whole = IRType("array", count=min(needed, MOST_LANES), element=integer(bits))
            initial = None if variable.initial is None else Operand(whole, Number(0), variable.span)
            found[name] = replace(variable, type=whole, initial=initial)
    return found


def choosing(function: Function) -> bool:
    """Say whether a function chooses among pointers, or among structures in a row, so that an access may go to any."""
    every = (each for block in function.blocks for each in block.instructions)
    return any(
        each.operands[-1].type.kind == "ptr" if each.operation in ("select", "phi")
        else each.operation == "getelementptr" and each.type.kind == "struct"
        and not isinstance(each.operands[1].value, Number)
        for each in every
    )  # fmt: skip


def roomy_memory(test: LitmusTest, names: Collection[str]) -> LitmusTest:
    """Return a test in which memory of these names is known as such of which nothing says how large it is."""
    known = {location_name(name) for name in names}

    def marked(locations: Iterable[Location]) -> tuple[Location, ...]:
        return tuple(replace(each, roomy=each.name in known) for each in locations)

    kernels = tuple(replace(each, memory=marked(each.memory)) for each in test.kernels)
    return replace(test, locations=marked(test.locations), kernels=kernels)


def _refuse_beyond(variable: Global, extent: Reached) -> None:
    """Raise `Unspeakable` for an access outside memory whose size is known although it has no type."""
    whole = variable.initial.type if variable.type == VOID and variable.initial is not None else VOID
    if whole.sized and (extent.low < 0 or extent.high > size(whole)):
        at = extent.low if extent.low < 0 else extent.high - 1
        message = f"byte {at} of '%{variable.name.partition('.')[0]}' is accessed, which has {size(whole)} bytes"
        raise Unspeakable(variable.span, message, "such an access is undefined behaviour")


def _shift(tests: Sequence[LitmusTest], name: str) -> int:
    """Return by how many bytes an address is off its alignment, so that atomic accesses behind it are aligned."""
    needed = {
        (offset, each.type.size)
        for test in tests
        for _, each in walk.located(test)
        if isinstance(each, AccessStatement) and each.type is not None
        and each.mode.ordering is not Ordering.NOT_ATOMIC and location_of(each.address) == name
        and (offset := offset_of(each.address, each.type.size)) is not None
    }  # fmt: skip
    return next((k for k in range(ALIGNED) if all((offset + k) % size == 0 for offset, size in needed)), 0)


def _begun(variable: Global, pointee: str) -> Global:
    """Return a variable of which pointers are loaded; what held none holds the address of other memory."""
    plain = variable.type.kind == "ptr" or (variable.type.element or VOID).kind == "ptr"
    if not plain or variable.constant or (variable.initial is not None and any(_named(variable.initial))):
        return variable
    value = _addresses(variable.type, pointee)
    words = tuple(word for word in variable.words if word not in ("external", "extern_weak", "available_externally"))
    return replace(variable, initial=Operand(variable.type, value, variable.span), words=words)


def _addresses(type_: IRType, name: str) -> Value:
    if type_.kind == "array" and type_.element is not None:
        return ConstantExpression("aggregate", operands=(Operand(type_.element, AddressOf(name)),) * type_.count)
    return AddressOf(name)


def _named(initial: Operand | None) -> Iterator[str]:
    """Yield the variables whose addresses an initial value has."""
    if initial is None:
        return
    value = initial.value
    if isinstance(value, AddressOf):
        yield value.location
    elif isinstance(value, ConstantExpression):
        for each in value.operands:
            yield from _named(each)


def address(name: str, begin: int) -> Expr:
    """Return the address that a function is given of memory, which may reach below it."""
    base = AddressOf(name)
    return IntegerOperation("add", (base, Number(begin))) if begin else base
