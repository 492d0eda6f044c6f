"""Structures and arrays that are values, as their parts: what clang makes of structures that functions take and return.

What goes in: a function without calls of defined functions. What comes out: the function with a value for each part in
the place of a structure or array that is loaded, stored, chosen, merged, set or asked for a part: `%v.1` of `%v`. What
a cmpxchg or an unknown call gives is taken apart behind it; what goes into a call or is returned is put together before
it. Invariants: an access of a whole is one of each of its parts, none of its padding; a function whose structures are
those that `structures` understands is itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from math import gcd

from axmem.formats.ir.syntax import Block, ConstantExpression, Function, Instruction, Operand, Value
from axmem.formats.ir.transfers import written_out
from axmem.formats.ir.types import IRType, Path, integer, parts
from axmem.front.records import replace
from axmem.front.source import Span
from axmem.litmus.syntax import Number, Register, UndefValue

_APART = frozenset({"load", "store", "phi", "select", "freeze", "bitcast", "insertvalue", "extractvalue"})
_INDICES = frozenset({"insertvalue", "extractvalue"})


def in_parts(function: Function) -> Function:
    """Return a function without wholes, and without copies of memory whose length is known."""
    return written_out(parted(function), all_of_them=False)


def parted(function: Function) -> Function:
    """Return a function without values that are structures or arrays, but where they must be."""
    if not any(_calls_for_it(each) for block in function.blocks for each in block.instructions):
        return function
    work = _Parting(function)
    blocks = tuple(Block(b.name, tuple(work.block(b)), b.span) for b in function.blocks)
    return replace(function, blocks=blocks)


def _whole(type_: IRType) -> bool:
    return type_.kind in ("struct", "array")


def _calls_for_it(each: Instruction) -> bool:
    """Say whether an instruction does with a structure or array what no value of a test can."""
    if each.operation in _INDICES:
        type_ = each.operands[0].type
        return len(each.indices) > 1 or type_.kind == "array" or any(map(_whole, type_.fields))
    type_ = each.operands[0].type if each.operation == "store" else each.type
    return each.operation in _APART and _whole(type_) and type_.sized


class _Parting:
    def __init__(self, function: Function) -> None:
        self.names = {each.result for block in function.blocks for each in block.instructions}
        self.names |= {parameter.name for parameter in function.parameters}
        self.given: dict[str, str] = {}
        self.function = function
        everything = [each for block in function.blocks for each in block.instructions]
        self.made = {p.name for p in function.parameters}
        """Wholes that others make."""
        self.made |= {each.result for each in everything if each.operation not in _APART}
        apart = (each for each in everything if each.operation in _APART and not self.takes(each))
        taken = (o.value for each in apart for o in each.operands if _whole(o.type))
        self.needed = {each.name for each in taken if isinstance(each, Register)} & self.made

    def takes(self, each: Instruction) -> bool:
        """Say whether an instruction takes one part of a whole that others make, as it may."""
        value = each.operands[0].value if each.operation == "extractvalue" else None
        return (
            isinstance(value, Register) and value.name in self.made and not _whole(each.type) and len(each.indices) < 2
        )

    def block(self, block: Block) -> Iterator[Instruction]:
        """Yield the instructions of a block; what takes wholes that a phi merges apart stands behind the phis."""
        given = self.function.parameters if block.name == self.function.blocks[0].name else ()
        taken = [each for p in given if p.name in self.needed for each in self.apart(p.name, p.type, p.span)]
        for is_phi, found in groupby(block.instructions, lambda each: each.operation == "phi"):
            if not is_phi:
                yield from taken
                taken = []
            for each in found:
                yield from self.instruction(each)

    def instruction(self, each: Instruction) -> Iterator[Instruction]:
        """Yield what an instruction is."""
        match each.operation:
            case "store" if _whole(each.operands[0].type):
                yield from self.accesses(each, each.operands[0].type, each.operands[1])
            case "load" if _whole(each.type):
                yield from self.accesses(each, each.type, each.operands[0])
            case "phi" | "select" | "freeze" | "bitcast" if _whole(each.type):
                for path, type_, _ in parts(each.type):
                    by = tuple(self.part(o, path, type_) if o.type == each.type else o for o in each.operands)
                    yield replace(each, result=self.name(each.result, path), type=type_, operands=by)
            case "insertvalue":
                whole, given = each.operands
                count = len(each.indices)
                for path, type_, _ in parts(whole.type):
                    inside = path[:count] == each.indices
                    part = self.part(given, path[count:], type_) if inside else self.part(whole, path, type_)
                    yield Instruction("bitcast", self.name(each.result, path), type_, (part,), span=each.span)
            case "extractvalue" if not self.takes(each):
                for path, type_, _ in parts(each.type):
                    found = self.part(each.operands[0], (*each.indices, *path), type_)
                    yield Instruction("bitcast", self.name(each.result, path), type_, (found,), span=each.span)
            case _:
                operands = list(each.operands)
                for index, operand in enumerate(operands):
                    value = operand.value
                    if _whole(operand.type) and isinstance(value, Register) and value.name not in self.made:
                        made = list(self.together(operand, each))
                        yield from made
                        operands[index] = replace(operand, value=Register(made[-1].result)) if made else operand
                yield replace(each, operands=tuple(operands))
                if each.result in self.needed:
                    yield from self.apart(each.result, each.type, each.span)

    def accesses(self, each: Instruction, whole: IRType, pointer: Operand) -> Iterator[Instruction]:
        """Yield an access of each part."""
        name = each.result or self.fresh("stored")
        for path, type_, offset in parts(whole):
            result = self.name(name, path)
            to = self.fresh(f"{result}.at")
            by = (pointer, Operand(integer(64), Number(offset), each.span))
            yield Instruction("getelementptr", to, integer(8), by, span=each.span)
            align = each.mode.align
            mode = each.mode if align is None else replace(each.mode, align=gcd(align, offset) if offset else align)
            place = Operand(pointer.type, Register(to), each.span)
            if each.operation == "load":
                yield replace(each, result=result, type=type_, operands=(place,), mode=mode)
            else:
                yield replace(each, operands=(self.part(each.operands[0], path, type_), place), mode=mode)

    def apart(self, name: str, whole: IRType, span: Span) -> Iterator[Instruction]:
        """Yield the parts of a whole that something else makes."""
        operand = Operand(whole, Register(name), span)
        for path, type_, _ in parts(whole):
            yield Instruction("extractvalue", self.name(name, path), type_, (operand,), indices=path, span=span)

    def together(self, operand: Operand, user: Instruction) -> Iterator[Instruction]:
        """Yield what puts a whole together of its parts."""
        whole = replace(operand, value=UndefValue(), words=())
        for path, type_, _ in parts(operand.type):
            name = self.fresh("whole")
            by = (whole, self.part(operand, path, type_))
            yield Instruction("insertvalue", name, operand.type, by, indices=path, span=user.span)
            whole = replace(whole, value=Register(name))

    def part(self, operand: Operand, path: Path, type_: IRType) -> Operand:
        """Return a part of a whole; of what is none, itself."""
        return replace(operand, type=type_, value=self.value(operand.value, path)) if path else operand

    def value(self, value: Value, path: Path) -> Value:
        """Return what a part of a value is."""
        for index, step in enumerate(path):
            if isinstance(value, Register):
                return Register(self.name(value.name, path[index:]), span=value.span)
            if isinstance(value, ConstantExpression) and value.operation == "aggregate":
                value = value.operands[step].value
        return value

    def name(self, whole: str, path: Path) -> str:
        """Return the name of a part."""
        if not path:
            return whole
        shown = ".".join((whole, *map(str, path)))
        if shown not in self.given:
            self.given[shown] = self.fresh(shown)
        return self.given[shown]

    def fresh(self, name: str) -> str:
        """Return a name that nothing has."""
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name
