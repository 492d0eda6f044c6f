"""Structures in memory of a function's own, as a variable for each field.

What goes in: a module whose kernels take structures by value (`byref`), or a function without calls of defined
functions. What comes out: kernels that take each field, and have the structure in memory of their own; the function
with an alloca for each part of one that is accessed at constant distances, and copied, alone. Invariant: the result
does to other memory what the function does, but for padding that is copied; an alloca of which something else is done
stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from axmem.formats.ir.attributes import KERNELS
from axmem.formats.ir.intrinsics import has_no_effect
from axmem.formats.ir.memory import constant_offset
from axmem.formats.ir.syntax import Block, Function, Instruction, Module, Operand, Parameter, Value
from axmem.formats.ir.transfers import BYTE, WIDE, is_transfer, transferred, transferred_bytes
from axmem.formats.ir.types import IRType, scalars, size
from axmem.front.records import replace
from axmem.front.source import Span
from axmem.litmus.syntax import AccessMode, Number, Register, UndefValue
from axmem.litmus.words import Ordering

_CASTS = ("addrspacecast", "bitcast")
_OWN = 5
"""The address space of memory of one lane."""


def with_fields(module: Module) -> Module:
    """Return a module whose kernels take the fields of structures that they take by value."""
    functions = {name: _with_fields(function) for name, function in module.functions.items()}
    return replace(module, functions=functions)


def _with_fields(function: Function) -> Function:
    taken = [each for each in function.parameters if each.passed is not None and each.passed.sized]
    if not taken or not function.blocks or KERNELS.isdisjoint(function.words):
        return function
    parameters: list[Parameter] = []
    first: list[Instruction] = []
    for each in function.parameters:
        if each.passed is None or each not in taken:
            parameters.append(each)
            continue
        fields = [(_called(each.name, number), at, type_) for number, (at, type_) in enumerate(scalars(each.passed))]
        parameters += [
            Parameter(name, type_, ("noundef",), each.span, part_of=each.name, at=at) for name, at, type_ in fields
        ]
        first += _received(each, each.passed, fields)
    entry, *others = function.blocks
    entry = replace(entry, instructions=(*first, *entry.instructions))
    return replace(function, parameters=tuple(parameters), blocks=(entry, *others))


def by_place(parameters: Sequence[Parameter]) -> list[list[Parameter]]:
    """Return parameters by the argument that a call gives them: all fields of a structure together."""
    return [list(each) for _, each in groupby(parameters, lambda each: each.part_of or each)]


def _called(name: str, number: int) -> str:
    return f"{'arg' * name.isdecimal()}{name}_{number}"


def _received(whole: Parameter, type_: IRType, fields: list[tuple[str, int, IRType]]) -> Iterator[Instruction]:
    """Yield what puts fields into memory of the function's own, to which the parameter points."""
    span, pointer = whole.span, IRType("ptr", space=_OWN)
    own = Operand(pointer, Register(f"{whole.name}.own"), span)
    yield Instruction("alloca", f"{whole.name}.own", type_, indices=(_OWN,), span=span)
    for name, at, field in fields:
        yield _step(f"{name}.at", own, at, span)
        place = Operand(pointer, Register(f"{name}.at"), span)
        yield Instruction("store", operands=(Operand(field, Register(name), span), place), span=span)
    yield Instruction("addrspacecast", whole.name, whole.type, (own,), span=span)


def _step(result: str, pointer: Operand, offset: int, span: Span) -> Instruction:
    """Return what computes the place that is so many bytes behind a pointer."""
    operands = (pointer, Operand(WIDE, Number(offset), span))
    return Instruction("getelementptr", result, BYTE, operands, span=span)


# ---------------------------------------------------------------- one function


def in_fields(function: Function) -> Function:
    """Return a function with an alloca for each part of a structure; itself if there is none of which that is known."""
    work = _Splitting(function)
    if any(work.vector(each) for each in work.instructions):
        blocks = (Block(b.name, tuple(i for each in b.instructions for i in work.lanes(each)), b.span)
                  for b in function.blocks)  # fmt: skip
        work = _Splitting(replace(function, blocks=tuple(blocks)))
    return work.function() if work.slots else function


class _Splitting:
    """The allocas that are split: `slots` gives the parts of each, by their offsets, `inside` pointers into them."""

    def __init__(self, function: Function) -> None:
        self.before = function
        self.instructions = [each for block in function.blocks for each in block.instructions]
        allocas = {each.result: each for each in self.instructions if each.operation == "alloca"}
        self.allocas = {name: e for name, e in allocas.items() if e.type.kind in ("struct", "array") and e.type.sized}
        self.names = {each.result for each in self.instructions} | {p.name for p in function.parameters}
        self.inside: dict[str, tuple[str, int]] = {name: (name, 0) for name in self.allocas}
        self.slots: dict[str, dict[int, IRType]] = {}
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

    def at(self, value: Value) -> tuple[str, int] | None:
        """Return into which alloca a pointer leads, and how far; None if into none, or that is not known."""
        return self.inside.get(value.name) if isinstance(value, Register) else None

    def vector(self, each: Instruction) -> IRType | None:
        """Return the type of a vector that an instruction loads from a structure, or stores there; else None."""
        place = {"load": 0, "store": 1}.get(each.operation)
        if place is None or self.at(each.operands[place].value) is None:
            return None
        type_ = each.type if each.operation == "load" else each.operands[0].type
        element = type_.element if type_.kind == "vector" else None
        return type_ if element is not None and size(element) * type_.count == size(type_) else None

    def lanes(self, each: Instruction) -> Iterator[Instruction]:
        """Yield an access of each lane in the place of one of a vector in a structure."""
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
            yield _step(place, pointer, lane * size(type_.element), each.span)
            if value:
                yield Instruction("extractelement", held, type_.element, (*value, index), span=each.span)
                yield replace(each, operands=(part, at), mode=replace(each.mode, align=None))
            else:
                mode = replace(each.mode, align=None)
                yield replace(each, result=held, type=type_.element, operands=(at,), mode=mode)
                result = name if lane == type_.count - 1 else self.fresh(f"{name}.whole{lane}")
                yield Instruction("insertelement", result, type_, (whole, part, index), span=each.span)
                whole = Operand(type_, Register(result), each.span)

    # ------------------------------------------------ which parts

    def split(self) -> None:
        """Find the parts of the allocas that can be split."""
        left = set(self.allocas)
        while True:
            self.slots = {name: {} for name in self.allocas if name in left}
            spoilt = {name for each in self.instructions for name in self.spoilt(each)} & left
            spoilt |= self.shared() if not spoilt else set()
            spoilt |= {name for name in left if self.overlaps(name)}
            if not spoilt:
                break
            left -= spoilt

    def spoilt(self, each: Instruction) -> Iterator[str]:
        """Note which part an instruction accesses; yield the allocas with which it does something else."""
        for index, operand in enumerate(each.operands):
            at = self.at(operand.value)
            if at is None or at[0] not in self.slots or each.result in self.inside or has_no_effect(each.callee):
                continue
            if is_transfer(each.callee) and index < 2 and self.copies_parts(each):
                continue
            place = {"load": 0, "store": 1}.get(each.operation)
            plain = each.mode.ordering is Ordering.NOT_ATOMIC and not each.mode.volatile
            type_ = each.type if each.operation == "load" else each.operands[0].type
            fits = type_.kind in ("int", "float", "ptr")
            if place != index or not plain or not fits or not self.slot(at, type_):
                yield at[0]

    def slot(self, at: tuple[str, int], type_: IRType) -> bool:
        """Note a part; say whether it can be one with what is known of it."""
        name, offset = at
        known = self.slots[name].setdefault(offset, type_)
        alike = known.kind == type_.kind or {known.kind, type_.kind} == {"int", "float"}
        inside = offset >= 0 and offset + size(type_) <= size(self.allocas[name].type)
        return alike and inside and size(known) == size(type_)

    def copies_parts(self, call: Instruction) -> bool:
        """Say whether a call copies as many bytes as are known, or fills them with zeros."""
        filled = Number(0) if transferred(call)[1] is not None else call.operands[1].value
        known = isinstance(call.operands[2].value, Number) and "element" not in call.callee
        return known and filled == call.operands[3].value == Number(0)

    def shared(self) -> set[str]:
        """Give both sides of each copy the same parts; return the allocas that a copy cuts."""
        cut: set[str] = set()
        before = -1
        while before != (before := sum(map(len, self.slots.values()))):
            for call in (each for each in self.instructions if is_transfer(each.callee)):
                to, source = transferred(call)
                places = [at for value in (to, source) if value is not None and (at := self.at(value))]
                places = [at for at in places if at[0] in self.slots]
                length = transferred_bytes(call) or 0
                if len(places) == 1:
                    self.whole(places[0], length)
                for name, begin in places:
                    for other, start in places:
                        for offset, type_ in [*self.slots[name].items()]:
                            end = offset + size(type_)
                            if begin <= offset and end <= begin + length:
                                if not self.slot((other, offset - begin + start), type_):
                                    cut.add(other)
                            elif offset < begin + length and begin < end:
                                cut.add(name)
        return cut

    def whole(self, at: tuple[str, int], length: int) -> None:
        """Note every part of what other memory is copied from or to, except where parts are already."""
        name, begin = at
        for offset, type_ in scalars(self.allocas[name].type):
            if begin <= offset and offset + size(type_) <= begin + length:
                taken = any(o < offset + size(type_) and offset < o + size(t) for o, t in self.slots[name].items())
                if not taken:
                    self.slots[name][offset] = type_

    def overlaps(self, name: str) -> bool:
        """Say whether parts of an alloca have bytes in common."""
        ends = -1
        for offset, type_ in sorted(self.slots[name].items(), key=lambda item: item[0]):
            if offset < ends:
                return True
            ends = offset + size(type_)
        return False

    # ------------------------------------------------ the function

    def function(self) -> Function:
        """Return the function."""
        blocks = (Block(b.name, tuple(self.block(b)), b.span) for b in self.before.blocks)
        return replace(self.before, blocks=tuple(blocks))

    def block(self, block: Block) -> Iterator[Instruction]:
        """Yield the instructions of a block."""
        for each in block.instructions:
            split = [at for o in each.operands if (at := self.at(o.value)) is not None and at[0] in self.slots]
            if each.result in self.slots:
                for offset, type_ in sorted(self.slots[each.result].items(), key=lambda item: item[0]):
                    yield replace(each, result=self.part(each.result, offset), type=type_, mode=AccessMode())
            elif not split:
                yield each
            elif is_transfer(each.callee):
                yield from self.copies(each)
            elif each.operation == "load":
                yield from self.load(each, split[0])
            elif each.operation == "store":
                yield from self.store(each, split[0])

    def part(self, name: str, offset: int) -> str:
        """Return the name of a part."""
        return f"{name}.{offset}"

    def place(self, at: tuple[str, int], span: Span) -> Operand:
        """Return the pointer to a part."""
        return Operand(self.spaces[at[0]], Register(self.part(*at)), span)

    def load(self, each: Instruction, at: tuple[str, int]) -> Iterator[Instruction]:
        """Yield a load of a part, as it is held, and what makes of that what was asked for."""
        held = self.slots[at[0]][at[1]]
        found = replace(each, operands=(self.place(at, each.span),), mode=AccessMode())
        if held == each.type:
            yield found
            return
        name = self.fresh(f"{each.result}.held")
        yield replace(found, result=name, type=held)
        cast = "addrspacecast" if held.kind == "ptr" else "bitcast"
        yield Instruction(cast, each.result, each.type, (Operand(held, Register(name), each.span),), span=each.span)

    def store(self, each: Instruction, at: tuple[str, int]) -> Iterator[Instruction]:
        """Yield a store of a part, in the type in which it is held."""
        held, value = self.slots[at[0]][at[1]], each.operands[0]
        if held != value.type:
            name = self.fresh(f"{self.part(*at)}.stored")
            cast = "addrspacecast" if held.kind == "ptr" else "bitcast"
            yield Instruction(cast, name, held, (value,), span=each.span)
            value = Operand(held, Register(name), each.span)
        yield replace(each, operands=(value, self.place(at, each.span)), mode=AccessMode())

    def copies(self, call: Instruction) -> Iterator[Instruction]:
        """Yield a copy of each part: everything is read before anything is written."""
        to, source = transferred(call)
        target, origin = self.split_at(to), None if source is None else self.split_at(source)
        name, begin = target or origin or ("", 0)
        length = transferred_bytes(call) or 0
        stores: list[Instruction] = []
        for offset, type_ in sorted(self.slots[name].items(), key=lambda item: item[0]):
            if not begin <= offset < begin + length:
                continue
            value = Operand(type_, Number(0), call.span)
            if source is not None:
                copied = self.fresh(f"{self.part(name, offset)}.copied")
                value = replace(value, value=Register(copied))
                place, steps = self.side(call.operands[1], origin, offset - begin, call.span)
                yield from (*steps, Instruction("load", copied, type_, (place,), span=call.span))
            place, steps = self.side(call.operands[0], target, offset - begin, call.span)
            stores += (*steps, Instruction("store", operands=(value, place), span=call.span))
        yield from stores

    def split_at(self, value: Value) -> tuple[str, int] | None:
        """Return into which alloca that is split a pointer leads, and how far."""
        at = self.at(value)
        return at if at is not None and at[0] in self.slots else None

    def side(
        self, pointer: Operand, at: tuple[str, int] | None, behind: int, span: Span
    ) -> tuple[Operand, list[Instruction]]:
        """Return the place of a part on one side of a copy, and what computes it."""
        if at is not None:
            return self.place((at[0], at[1] + behind), span), []
        name = self.fresh("part.at")
        return replace(pointer, value=Register(name)), [_step(name, pointer, behind, span)]

    def fresh(self, name: str) -> str:
        """Return a name that nothing has."""
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name
