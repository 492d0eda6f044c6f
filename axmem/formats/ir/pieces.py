"""Memory of a function's own, as a variable for each piece that is accessed.

What goes in: a function without calls of defined functions. What comes out: the function with an alloca for each piece
of one that is accessed at constant distances, through casts too, and copied, alone. Bytes that two accesses have in
common, and one has not, are pieces of their own: a value of several is put together. Invariant: the result does to
other memory what the function does, except that padding is copied only where something has filled it; an alloca of
which something else is done, or whose pointers are cut, stays as it is.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import pairwise
from math import gcd

from axmem.formats.ir.intrinsics import has_no_effect
from axmem.formats.ir.memory import constant_offset
from axmem.formats.ir.syntax import Block, Function, Instruction, Operand, Value
from axmem.formats.ir.transfers import WIDE, aligned, behind, filled, is_transfer, transferred, transferred_bytes
from axmem.formats.ir.types import Bytes, IRType, covering, integer, scalars, size
from axmem.formats.ir.uses import promoted
from axmem.front.records import replace
from axmem.front.source import Span
from axmem.litmus.syntax import AccessMode, Number, Register, UndefValue
from axmem.litmus.words import Ordering

_CASTS = ("addrspacecast", "bitcast")
_WIDTHS = (1, 8, 16, 32, 64, 128)
"""Bits of integers that are not taken apart without need."""
Place = tuple[str, int]
"""An alloca, and how many bytes behind its start."""


def in_pieces(function: Function) -> Function:
    """Return a function with an alloca for each piece of its memory; itself if there is none of which that is known."""
    work = _Splitting(function)
    if any(work.vector(each) for each in work.instructions):
        blocks = (Block(b.name, tuple(i for each in b.instructions for i in work.lanes(each)), b.span)
                  for b in function.blocks)  # fmt: skip
        work = _Splitting(replace(function, blocks=tuple(blocks)))
    return work.function() if work.pieces else function


class _Splitting:
    """The allocas that are split: `pieces` has those of each, by their offsets, `inside` pointers into them."""

    def __init__(self, function: Function) -> None:
        self.before = function
        self.instructions = [each for block in function.blocks for each in block.instructions]
        plain = promoted(function)
        self.allocas = {
            each.result: each
            for each in self.instructions
            if each.operation == "alloca" and each.type.sized and each.result not in plain
        }
        self.names = {each.result for each in self.instructions} | {p.name for p in function.parameters}
        self.inside: dict[str, Place] = {name: (name, 0) for name in self.allocas}
        self.accessed: dict[str, dict[Bytes, IRType]] = {}
        self.promised: list[tuple[Place, IRType]] = []
        """Accesses of which something is promised."""
        self.pieces: dict[str, dict[int, IRType]] = {}
        if self.allocas:
            self.follow()
            self.split()
        self.spaces = {name: IRType("ptr", space=(each.indices or (0,))[0]) for name, each in self.allocas.items()}

    def follow(self) -> None:
        """Find the pointers at constant distances."""
        before = 0
        while before != len(self.inside):
            before = len(self.inside)
            for each in self.instructions:
                if each.operation in (*_CASTS, "getelementptr") and (at := self.at(each.operands[0].value)) is not None:
                    numbers = [o.value.value for o in each.operands[1:] if isinstance(o.value, Number)]
                    if each.operation in _CASTS and each.type.kind == "ptr":
                        self.inside[each.result] = at
                    elif each.operation == "getelementptr" and len(numbers) == len(each.operands) - 1:
                        self.inside[each.result] = at[0], at[1] + constant_offset(each.type, numbers)

    def at(self, value: Value) -> Place | None:
        """Return into which alloca a pointer leads, and how far; None if into none, or that is not known."""
        return self.inside.get(value.name) if isinstance(value, Register) else None

    def vector(self, each: Instruction) -> IRType | None:
        """Return the type of a vector that an instruction loads from such memory, or stores there; else None."""
        place = {"load": 0, "store": 1}.get(each.operation)
        if place is None or self.at(each.operands[place].value) is None or not _is_plain(each):
            return None
        type_ = each.type if each.operation == "load" else each.operands[0].type
        element = type_.element if type_.kind == "vector" else None
        return type_ if element is not None and size(element) * type_.count == size(type_) else None

    def lanes(self, each: Instruction) -> Iterator[Instruction]:
        """Yield an access of each lane in the place of one of a vector."""
        type_ = self.vector(each)
        if type_ is None or type_.element is None:
            yield each
            return
        *value, pointer = each.operands
        whole, name = Operand(type_, UndefValue()), each.result or self.fresh("stored")
        for lane in range(type_.count):
            place, held = self.fresh(f"{name}.at{lane}"), self.fresh(f"{name}.lane{lane}")
            at, part = replace(pointer, value=Register(place)), Operand(type_.element, Register(held), each.span)
            index = Operand(WIDE, Number(lane), each.span)
            yield behind(place, pointer, lane * size(type_.element), each.span)
            if value:
                yield Instruction("extractelement", held, type_.element, (*value, index), span=each.span)
                yield replace(each, operands=(part, at), mode=replace(each.mode, align=None))
            else:
                mode = replace(each.mode, align=None)
                yield replace(each, result=held, type=type_.element, operands=(at,), mode=mode)
                result = name if lane == type_.count - 1 else self.fresh(f"{name}.whole{lane}")
                yield Instruction("insertelement", result, type_, (whole, part, index), span=each.span)
                whole = Operand(type_, Register(result), each.span)

    # ------------------------------------------------ which pieces

    def split(self) -> None:
        """Find the pieces of the allocas that can be split."""
        left = set(self.allocas)
        while True:
            self.accessed = {name: {} for name in self.allocas if name in left}
            spoilt = {name for each in self.instructions for name in self.spoilt(each)} & left
            spoilt |= self.shared() if not spoilt else set()
            self.pieces = {name: _pieces(found) for name, found in self.accessed.items()}
            spoilt |= {name for name in left if self.cut(name)} | set(self.no_pointers())
            spoilt |= {at[0] for at, type_ in self.promised if self.covered(at, _length(type_)) != [(0, type_)]} & left
            if not spoilt:
                break
            left -= spoilt

    def spoilt(self, each: Instruction) -> Iterator[str]:
        """Note what an instruction accesses; yield the allocas with which it does something else."""
        for index, operand in enumerate(each.operands):
            at = self.at(operand.value)
            if at is None or at[0] not in self.accessed or each.result in self.inside or has_no_effect(each.callee):
                continue
            if is_transfer(each.callee) and index < 2 and _copies(each):
                continue
            place = {"load": 0, "store": 1}.get(each.operation)
            type_ = each.type if each.operation == "load" else each.operands[0].type
            if each.promises:
                self.promised.append((at, type_))
            if place != index or not _is_plain(each) or not self.note(at[0], _bytes(at[1], type_), type_):
                yield at[0]

    def note(self, name: str, where: Bytes, type_: IRType) -> bool:
        """Note that bytes are accessed as a type; say whether that can be one with what is known of them."""
        known = self.accessed[name].setdefault(where, type_)
        alike = known.kind == type_.kind or {known.kind, type_.kind} == {"int", "float"}
        inside = where[0] >= 0 and where[1] <= size(self.allocas[name].type)
        return alike and inside and known.bits == type_.bits and type_.kind in ("int", "float", "ptr")

    def cut(self, name: str) -> bool:
        """Say whether a pointer is cut into pieces, or what is no whole number of bytes."""
        return any(
            self.pieces[name].get(begin) != type_
            and (type_.kind == "ptr" or 8 * (end - begin) != type_.bits or type_.bits > _WIDTHS[-1])
            for (begin, end), type_ in self.accessed[name].items()
        )

    def no_pointers(self) -> Iterator[str]:
        """Yield the allocas in which pointers are filled with bytes that are not zero."""
        for call in self.instructions:
            if is_transfer(call.callee) and transferred(call)[1] is None and call.operands[1].value != Number(0):
                at = self.split_at(call.operands[0].value)
                if at and any(type_.kind == "ptr" for _, type_ in self.covered(at, transferred_bytes(call) or 0)):
                    yield at[0]

    def shared(self) -> set[str]:
        """Give both sides of each copy the same pieces; return the allocas of which that is not possible."""
        transfers = [each for each in self.instructions if is_transfer(each.callee)]
        copies = [(call, *self.sides(call), transferred_bytes(call) or 0) for call in transfers]
        spoilt = self.spread(copies)
        padding = any(to and not origin for _, to, origin, _ in copies) and any(o and not to for _, to, o, _ in copies)
        for call, to, origin, length in copies:
            if (to is None) != (origin is None) and transferred(call)[1] is not None:
                align = aligned(call, 1 if to else 0)
                spoilt |= self.fill(to or origin or ("", 0), length, align, padding=padding)
        return spoilt | self.spread(copies)

    def spread(self, copies: Sequence[tuple[Instruction, Place | None, Place | None, int]]) -> set[str]:
        """Note of what is copied on one side what is noted on the other; return where that is not possible."""
        spoilt: set[str] = set()
        before = -1
        while before != (before := sum(map(len, self.accessed.values()))):
            for _, to, origin, length in copies:
                sides = [each for each in (to, origin) if each is not None]
                for name, begin in sides:
                    for (low, high), type_ in [*self.accessed[name].items()]:
                        start, end = max(low, begin), min(high, begin + length)
                        if start < end:
                            part = type_ if (start, end) == (low, high) else integer(8 * (end - start))
                            places = [(other, at - begin) for other, at in sides]
                            spoilt |= {o for o, by in places if not self.note(o, (start + by, end + by), part)}
        return spoilt

    def fill(self, at: Place, length: int, align: int, *, padding: bool) -> set[str]:
        """Note every byte of what other memory is copied from or to, perhaps the padding; return what is spoilt.

        `align` is that of the other memory.
        """
        name, begin = at
        known = {byte for low, high in self.accessed[name] for byte in range(low, high)}
        missing = set(range(begin, begin + length)) - known
        noted, bytes_ = [], set[int]()
        for offset, type_ in scalars(self.allocas[name].type):
            where = _bytes(offset, type_)
            if missing.issuperset(range(*where)) and type_.bits != 8:
                noted.append((where, type_))
                missing.difference_update(range(*where))
            bytes_ |= missing & set(range(*where))
        noted += covering(missing if padding else bytes_, begin, align)
        return {name for where, type_ in noted if not self.note(name, where, type_)}

    # ------------------------------------------------ the function

    def function(self) -> Function:
        """Return the function."""
        blocks = (Block(b.name, tuple(self.block(b)), b.span) for b in self.before.blocks)
        return replace(self.before, blocks=tuple(blocks))

    def block(self, block: Block) -> Iterator[Instruction]:
        """Yield the instructions of a block."""
        for each in block.instructions:
            split = [at for o in each.operands if (at := self.split_at(o.value)) is not None]
            if each.result in self.pieces:
                for offset, type_ in self.pieces[each.result].items():
                    yield replace(each, result=self.piece(each.result, offset), type=type_, mode=AccessMode())
            elif not split:
                yield each
            elif is_transfer(each.callee):
                yield from self.copies(each)
            elif each.operation == "load":
                yield from self.load(each, split[0])
            elif each.operation == "store":
                yield from self.store(each, split[0])

    def piece(self, name: str, offset: int) -> str:
        """Return the name of a piece."""
        return f"{name}.{offset}"

    def place(self, at: Place, span: Span) -> Operand:
        """Return the pointer to a piece."""
        return Operand(self.spaces[at[0]], Register(self.piece(*at)), span)

    def covered(self, at: Place, length: int) -> list[tuple[int, IRType]]:
        """Return the pieces of so many bytes, each with its offset there."""
        name, begin = at
        found = self.pieces.get(name, {}).items()
        return [(offset - begin, type_) for offset, type_ in found if begin <= offset < begin + length]

    def load(self, each: Instruction, at: Place) -> Iterator[Instruction]:
        """Yield a load of each piece, and what makes of them what was asked for."""
        pieces, span, whole = self.covered(at, _length(each.type)), each.span, integer(8 * _length(each.type))
        if pieces == [(0, each.type)]:
            yield replace(each, operands=(self.place(at, span),), mode=AccessMode())
            return
        parts: list[Operand] = []
        for offset, type_ in pieces:
            part = Operand(type_, Register(self.fresh(f"{each.result}.held")), span)
            place = self.place((at[0], at[1] + offset), span)
            yield Instruction("load", _name(part), type_, (place,), span=span)
            if len(pieces) > 1:
                part = yield from self.steps(part, ("bitcast", integer(type_.bits)), ("zext", whole))
                by = Operand(whole, Number(8 * offset), span)
                part = (yield from self.steps(part, ("shl", whole), by=by)) if offset else part
            parts.append(part)
        found = parts[0]
        for part in parts[1:]:
            found = yield from self.steps(found, ("or", whole), by=part)
        yield Instruction(_cast(found.type), each.result, each.type, (found,), span=span)

    def store(self, each: Instruction, at: Place) -> Iterator[Instruction]:
        """Yield a store of each piece, in the type in which it is held."""
        value, span = each.operands[0], each.span
        pieces, whole = self.covered(at, _length(value.type)), integer(8 * _length(value.type))
        for offset, type_ in pieces:
            held = value
            if len(pieces) > 1:
                held = yield from self.steps(held, ("bitcast", whole))
                by = Operand(whole, Number(8 * offset), span)
                held = (yield from self.steps(held, ("lshr", whole), by=by)) if offset else held
                held = yield from self.steps(held, ("trunc", integer(type_.bits)))
            held = yield from self.steps(held, (_cast(type_), type_))
            yield replace(each, operands=(held, self.place((at[0], at[1] + offset), span)), mode=AccessMode())

    def steps(
        self, value: Operand, *steps: tuple[str, IRType], by: Operand | None = None
    ) -> Generator[Instruction, None, Operand]:
        """Yield operations on a value, but those that only give it the type that it has; return what they make."""
        for word, type_ in steps:
            if by is not None or type_ != value.type:
                made = Operand(type_, Register(self.fresh(f"{_name(value)}.{word}")), value.span)
                yield Instruction(word, _name(made), type_, (value, by) if by else (value,), span=value.span)
                value = made
        return value

    def copies(self, call: Instruction) -> Iterator[Instruction]:
        """Yield a copy of each piece: everything is read before anything is written."""
        (to, origin), span = self.sides(call), call.span
        stores: list[Instruction] = []
        for offset, type_ in self.covered(to or origin or ("", 0), transferred_bytes(call) or 0):
            copied = Operand(type_, Register(self.fresh("copied")), span)
            if transferred(call)[1] is None:
                copied = replace(copied, type=type_ if type_.kind == "ptr" else integer(type_.bits))
                yield from filled(call.operands[1], copied.type, _name(copied), call)
            else:
                place, mode, found = self.side(call, 1, origin, offset)
                yield from (*found, Instruction("load", _name(copied), type_, (place,), mode=mode, span=span))
            place, mode, found = self.side(call, 0, to, offset)
            stores += [*found, Instruction("store", operands=(copied, place), mode=mode, span=span)]
        yield from stores

    def sides(self, call: Instruction) -> tuple[Place | None, Place | None]:
        """Return into which allocas that are split a copy goes, and from which it comes."""
        to, source = transferred(call)
        return self.split_at(to), None if source is None else self.split_at(source)

    def split_at(self, value: Value) -> Place | None:
        """Return into which alloca that is split a pointer leads, and how far."""
        at = self.at(value)
        return at if at is not None and at[0] in self.accessed else None

    def side(
        self, call: Instruction, argument: int, at: Place | None, offset: int
    ) -> tuple[Operand, AccessMode, list[Instruction]]:
        """Return the place of a piece on one side of a copy, how that is accessed, and what computes it."""
        pointer = call.operands[argument]
        if at is not None:
            return self.place((at[0], at[1] + offset), call.span), AccessMode(), []
        name, align = self.fresh("piece.at"), gcd(aligned(call, argument), offset)
        place = replace(pointer, value=Register(name), words=())
        return place, AccessMode(align=align), [behind(name, pointer, offset, call.span)]

    def fresh(self, name: str) -> str:
        """Return a name that nothing has."""
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name


def _pieces(accessed: Mapping[Bytes, IRType]) -> dict[int, IRType]:
    """Return the pieces of bytes that are accessed together, by their offsets."""
    found: dict[int, IRType] = {}
    ends = sorted({end for where in accessed for end in where})
    for low, high in pairwise(ends):
        if any(begin <= low and high <= end for begin, end in accessed):
            whole = accessed.get((low, high))
            alone = whole is not None and (whole.kind != "int" or whole.bits % 8 or whole in map(integer, _WIDTHS))
            pieces = [((low, high), whole)] if alone and whole is not None else covering(range(low, high), 0, 8)
            found |= {begin: type_ for (begin, _), type_ in pieces}
    return found


def _is_plain(each: Instruction) -> bool:
    return each.mode.ordering is Ordering.NOT_ATOMIC and not each.mode.volatile


def _copies(call: Instruction) -> bool:
    """Say whether a call copies or fills so many bytes as are known, and is not volatile."""
    return (
        isinstance(call.operands[2].value, Number)
        and "element" not in call.callee
        and call.operands[3].value == Number(0)
    )


def _length(type_: IRType) -> int:
    """Return how many bytes an access of a number or pointer has."""
    return size(type_) if type_.kind == "ptr" else -(-type_.bits // 8)


def _bytes(offset: int, type_: IRType) -> Bytes:
    return offset, offset + _length(type_)


def _cast(type_: IRType) -> str:
    return "addrspacecast" if type_.kind == "ptr" else "bitcast"


def _name(operand: Operand) -> str:
    return operand.value.name if isinstance(operand.value, Register) else "value"
