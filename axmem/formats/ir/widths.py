"""Integers of widths that no test has, as wider ones: what clang makes of bit fields, and of sums over loops.

What goes in: a function. What comes out: the function in which an integer of 24 bits is one of 32 whose other bits are
zero, and its access one of each piece of it. Invariant: a function in which something is done with such integers that
is not known here is itself.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from math import gcd

from axmem.formats.ir.syntax import Block, Function, Instruction, Operand
from axmem.formats.ir.transfers import behind
from axmem.formats.ir.types import IRType, covering, integer, value_type
from axmem.front.records import replace
from axmem.litmus.syntax import AccessMode, Number, Ordering, Register, UndefValue

WIDTHS = (8, 16, 32, 64, 128)
_SIGNED = frozenset({"slt", "sle", "sgt", "sge"})
_ORDERED = frozenset({"eq", "ne", "ult", "ule", "ugt", "uge"})
_FLAGS: dict[str, set[str]] = {
    "zext": {"nneg"}, "trunc": {"nuw", "nsw"}, "sext": set(), "bitcast": set(), "add": {"nuw", "nsw"}, "sub": {"nsw"},
    "mul": {"nuw", "nsw"}, "shl": set(), "lshr": {"exact"}, "ashr": set(), "and": set(), "or": {"disjoint"},
    "xor": set(),
}  # fmt: skip
"""The flags that are known of each operation."""

Made = Generator[Instruction, None, Operand]


def with_widths(function: Function) -> Function:
    """Return a function whose integers have widths that tests have, if that can be said of all it does with them."""
    work = _Widening(function)
    if not any(map(_odd_one, work.instructions)) or not all(map(_known, work.instructions)):
        return function
    blocks = (Block(b.name, tuple(made for each in b.instructions for made in work.instruction(each)), b.span)
              for b in function.blocks)  # fmt: skip
    return replace(function, blocks=tuple(blocks))


def _odd(type_: IRType) -> bool:
    return type_.kind == "int" and value_type(type_) is None and type_.bits < WIDTHS[-1]


def _odd_one(each: Instruction) -> bool:
    return _odd(each.type) or any(_odd(operand.type) for operand in each.operands)


def _known(each: Instruction) -> bool:
    """Say whether what an instruction does with such integers is known here."""
    if not _odd_one(each):
        return True
    if any(_odd(o.type) and not isinstance(o.value, Number | Register) for o in each.operands):
        return False
    match each.operation:
        case "load" | "store":
            type_ = each.type if each.operation == "load" else each.operands[0].type
            plain = each.mode.ordering is Ordering.NOT_ATOMIC and not each.mode.volatile and not each.promises
            return plain and type_.bits % 8 == 0
        case "icmp":
            return len(each.words) == 1 and each.words[0] in _SIGNED | _ORDERED
        case "phi" | "select":
            return not each.words
        case "shl" | "lshr" | "ashr":
            amount = each.operands[1].value
            if not isinstance(amount, Number) or not 0 <= amount.value < each.type.bits:
                return False
        case "mul" if each.words and 2 * each.type.bits > WIDTHS[-1]:
            return False
        case "bitcast" if each.operands[0].type != each.type:
            return False
    return each.operation in _FLAGS and _FLAGS[each.operation].issuperset(each.words)


def _wide(type_: IRType) -> IRType:
    """Return the type that has the values of another."""
    return integer(next(each for each in WIDTHS if each >= type_.bits)) if _odd(type_) else type_


def _room(each: Instruction) -> IRType:
    """Return a type in which no operation on numbers of some bits without a flag goes beyond, if one has flags."""
    bits = max(operand.type.bits for operand in each.operands)
    flagged = not {"nsw", "nuw"}.isdisjoint(each.words)
    return integer(
        next(width for width in WIDTHS if width >= (2 * bits if flagged and each.operation == "mul" else bits))
    )


class _Widening:
    def __init__(self, function: Function) -> None:
        self.instructions = [each for block in function.blocks for each in block.instructions]
        self.names = {each.result for each in self.instructions} | {p.name for p in function.parameters}

    def instruction(self, each: Instruction) -> Iterator[Instruction]:
        """Yield what an instruction is."""
        if not _odd_one(each):
            yield each
            return
        match each.operation:
            case "load":
                yield from self.load(each)
            case "store":
                yield from self.store(each)
            case "phi" | "select":
                yield replace(each, type=_wide(each.type), operands=tuple(map(_held, each.operands)))
            case "icmp":
                one, other = each.operands
                if each.words[0] in _SIGNED:
                    one, other = (yield from self.signed(one, one.type)), (yield from self.signed(other, one.type))
                yield replace(each, operands=(_held(one), _held(other)))
            case _:
                found = yield from self.computed(each)
                yield Instruction("bitcast", each.result, _wide(each.type), (found,), span=each.span)

    def computed(self, each: Instruction) -> Made:
        """Yield what computes an operation; return its value."""
        own, type_, operation = each.operands[0], _wide(each.type), each.operation
        if operation in ("zext", "bitcast"):
            found = yield from self.cast(_held(own), "zext", type_)
            return (yield from self.unless(found, _held(own), own.type.bits - 1)) if each.words else found
        if operation == "sext":
            found = yield from self.cast((yield from self.signed(own, own.type)), "sext", type_)
            return (yield from self.masked(found, each.type))
        if operation == "ashr":
            found = yield from self.made("ashr", (yield from self.signed(own, own.type)), _held(each.operands[1]))
            return (yield from self.masked(found, each.type))
        room = _room(each)
        signed = ("nsw",) if "nsw" in each.words else ()
        wholes = []
        for flag in (*signed, ""):
            given = []
            for operand in each.operands:
                unsigned = self.cast(_held(operand), "zext", room)
                given.append((yield from self.signed(operand, room) if flag else unsigned))
            words = tuple(word for word in each.words if word in ("disjoint", "exact"))
            one = given[0]
            wholes.append(one if operation == "trunc" else (yield from self.made(operation, one, given[1], words)))
        whole = wholes[-1]
        narrow = yield from self.masked(whole, each.type)
        found = yield from self.cast(narrow, "trunc", type_)
        if "nuw" in each.words:
            found = yield from self.unless(found, whole, each.type.bits)
        if signed:
            again = yield from self.signed(replace(found, type=each.type), room)
            wrong = yield from self.made("sub", wholes[0], again)
            found = yield from self.unless(found, wrong, 0)
        return found

    def made(self, operation: str, one: Operand, other: Operand, words: tuple[str, ...] = ()) -> Made:
        """Yield an operation; return its value."""
        found = Operand(one.type, Register(self.fresh()), one.span)
        yield Instruction(operation, _name(found), one.type, (one, other), words, span=one.span)
        return found

    def cast(self, value: Operand, operation: str, type_: IRType) -> Made:
        """Yield a conversion to a type, if it is another; return the value."""
        if value.type == type_:
            return value
        found = Operand(type_, Register(self.fresh()), value.span)
        yield Instruction(operation, _name(found), type_, (value,), span=value.span)
        return found

    def masked(self, value: Operand, type_: IRType) -> Made:
        """Yield what makes the bits zero that a type does not have; return the value."""
        mask = Operand(value.type, Number((1 << type_.bits) - 1), value.span)
        return (yield from self.made("and", value, mask)) if value.type.bits > type_.bits else value

    def signed(self, operand: Operand, type_: IRType) -> Made:
        """Yield what gives a value the bits of its sign in the type that has the values of another; return it."""
        held = yield from self.cast(_held(operand), "zext", _wide(type_))
        if held.type.bits == operand.type.bits:
            return held
        by = Operand(held.type, Number(held.type.bits - operand.type.bits), operand.span)
        return (yield from self.made("ashr", (yield from self.made("shl", held, by)), by))

    def unless(self, value: Operand, asked: Operand, bits: int) -> Made:
        """Yield what makes poison where another value has more bits than so many; return the value."""
        more = Operand(integer(1), Register(self.fresh()), value.span)
        limit = Operand(asked.type, Number((1 << bits) - 1), value.span)
        yield Instruction("icmp", _name(more), integer(1), (asked, limit), ("ugt",), span=value.span)
        found = Operand(value.type, Register(self.fresh()), value.span)
        poison = Operand(value.type, UndefValue(poison=True), value.span)
        yield Instruction("select", _name(found), value.type, (more, poison, value), span=value.span)
        return found

    # ------------------------------------------------ memory

    def pieces(
        self, each: Instruction, type_: IRType, pointer: Operand
    ) -> Iterator[tuple[int, IRType, Operand, AccessMode]]:
        """Yield the pieces of an access, with their first bit, their places, and how they are accessed."""
        align = each.mode.align or 1
        for (low, _), part in covering(range(type_.bits // 8), 0, 8):
            place = replace(pointer, value=Register(self.fresh())) if low else pointer
            yield 8 * low, part, place, AccessMode(align=gcd(align, low) if low else align)

    def load(self, each: Instruction) -> Iterator[Instruction]:
        """Yield a load of each piece, and what puts them together."""
        (pointer,), type_ = each.operands, _wide(each.type)
        found: Operand | None = None
        for bit, part, place, mode in self.pieces(each, each.type, pointer):
            if bit:
                yield behind(_name(place), pointer, bit // 8, each.span)
            held = Operand(part, Register(self.fresh()), each.span)
            yield replace(each, result=_name(held), type=part, operands=(place,), mode=mode)
            held = yield from self.cast(held, "zext", type_)
            if bit:
                held = yield from self.made("shl", held, Operand(type_, Number(bit), each.span))
            found = held if found is None else (yield from self.made("or", found, held))
        assert found is not None
        yield Instruction("bitcast", each.result, type_, (found,), span=each.span)

    def store(self, each: Instruction) -> Iterator[Instruction]:
        """Yield a store of each piece."""
        value, pointer = each.operands
        for bit, part, place, mode in self.pieces(each, value.type, pointer):
            if bit:
                yield behind(_name(place), pointer, bit // 8, each.span)
            held = _held(value)
            if bit:
                held = yield from self.made("lshr", held, Operand(held.type, Number(bit), each.span))
            held = yield from self.cast(held, "trunc", part)
            yield replace(each, operands=(held, place), mode=mode)

    def fresh(self) -> str:
        """Return a name that nothing has."""
        name = f"wide{len(self.names)}"
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name


def _held(operand: Operand) -> Operand:
    """Return an operand in the type that has its values."""
    if not _odd(operand.type):
        return operand
    value = operand.value
    if isinstance(value, Number):
        value = Number(value.value & ((1 << operand.type.bits) - 1), span=value.span)
    return replace(operand, type=_wide(operand.type), value=value)


def _name(operand: Operand) -> str:
    return operand.value.name if isinstance(operand.value, Register) else ""
