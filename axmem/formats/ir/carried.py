"""Integers that carry pointers between memory and pointers: how clang writes `std::atomic<T *>`.

What goes in: a function. What comes out: the function with pointers in the place of integers that are nothing but
pointers: `load atomic i64` and `inttoptr`, `ptrtoint` and `cmpxchg`, with the phis and selects between. Invariant: an
integer that is computed with, returned, passed on, or compared with another number than 0 stays an integer, and so does
all that shares its value. So the result accesses the same bytes, in the same way, and its values are the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from axmem.formats.ir.flow import ADDRESSED
from axmem.formats.ir.syntax import Block, ConstantExpression, Function, Instruction, Operand, Value
from axmem.formats.ir.types import IRType, size
from axmem.front.records import replace
from axmem.litmus.syntax import Number, Register

POINTER, INTEGER, _CAST = "inttoptr", "ptrtoint", "addrspacecast"
SAME_NUMBERS = {0, 1}
"""The numbers of the address spaces, generic and global, between which a cast keeps the number of an address."""
_CARRYING = {
    "load": (), "store": (0,), "atomicrmw": (1,), "cmpxchg": (1, 2), "phi": None, "select": (1, 2), "freeze": (0,),
    "icmp": (0, 1), "extractvalue": (0,),
}  # fmt: skip
"""Which operands of an instruction are values that it passes on, stores or compares; None: all."""


def carried(function: Function) -> Function:
    """Return a function in which integers that are nothing but pointers are pointers."""
    function = _cast(function)
    return replace(function, blocks=tuple(map(_Carried(function).block, function.blocks)))


def _cast(function: Function) -> Function:
    """Return a function without what clang writes for pointers in address spaces where it does not optimize.

    A pair of `ptrtoint` and `inttoptr` between the generic address space and the global one, whose addresses are the
    same numbers ([AMDGPUUsage] "Address Spaces"), is a cast; what is only accessed through a cast of the address of an
    alloca is the alloca's.
    """
    everything = [each for block in function.blocks for each in block.instructions]
    made = {each.result: each for each in everything if each.operation in (INTEGER, "alloca", _CAST)}
    accessed = {each.result for each in everything if each.operation == _CAST}
    for each in everything:
        accessed -= {o.value.name for k, o in enumerate(each.operands) if isinstance(o.value, Register)
                     and ADDRESSED.get(each.operation) != k}  # fmt: skip
    known: dict[str, Value] = {}
    for name in accessed:
        pointer = made[name].operands[0]
        source = made.get(_name(pointer.value))
        if source is not None and source.operation == "alloca":
            known[name] = pointer.value

    def meant(each: Instruction) -> Instruction:
        number = made.get(_name(each.operands[0].value)) if each.operation == POINTER else None
        if number is not None and number.operation == INTEGER and _same_numbers(number, each):
            return replace(each, operation=_CAST, operands=number.operands)
        at = ADDRESSED.get(each.operation)
        name = _name(each.operands[at].value) if at is not None else ""
        if at is None or name not in known:
            return each
        operands = (*each.operands[:at], made[name].operands[0], *each.operands[at + 1 :])
        return replace(each, operands=operands)

    found = [replace(block, instructions=tuple(map(meant, block.instructions))) for block in function.blocks]
    wanted = {name for block in found for each in block.instructions for name in _names(each)}
    unused = {name for name, each in made.items() if name not in wanted and each.operation != "alloca"}
    blocks = (replace(b, instructions=tuple(i for i in b.instructions if i.result not in unused)) for b in found)
    return replace(function, blocks=tuple(blocks))


def _same_numbers(number: Instruction, pointer: Instruction) -> bool:
    """Say whether `ptrtoint` and `inttoptr` keep the number of an address, from one address space to another."""
    (operand,) = number.operands
    if pointer.type.kind != "ptr" or operand.type.kind != "ptr" or size(number.type) != size(pointer.type):
        return False
    return {operand.type.space, pointer.type.space} == SAME_NUMBERS


class _Carried:
    """Classes of integers that share a value; `pointers` gives for the members of some the type of the pointers."""

    def __init__(self, function: Function) -> None:
        self.leader: dict[str, str] = {}
        self.apart: set[str] = {each.name for each in function.parameters}
        self.types: dict[str, set[IRType]] = {}
        for block in function.blocks:
            for each in block.instructions:
                self.note(each)
        kept = {self.found(name) for name in self.apart}
        types: dict[str, set[IRType]] = {}
        for name, found in self.types.items():
            types.setdefault(self.found(name), set()).update(found)
        of = {name: next(iter(found)) for name, found in types.items() if len(found) == 1 and name not in kept}
        self.pointers = {name: of[self.found(name)] for name in self.leader if self.found(name) in of}

    def found(self, name: str) -> str:
        """Return the leader of a value's class."""
        while (above := self.leader.setdefault(name, name)) != name:
            name = above
        return name

    def note(self, each: Instruction) -> None:
        """Note what an instruction says of the integers that it uses and makes."""
        if each.operation in (POINTER, INTEGER):
            integer, pointer = (each.operands[0].type, each.type)
            name = _name(each.operands[0].value)
            if each.operation == INTEGER:
                integer, pointer, name = each.type, each.operands[0].type, each.result
            if not name or pointer.kind != "ptr" or integer.kind != "int" or size(integer) != size(pointer):
                self.apart.update(_names(each))
            else:
                self.types.setdefault(self.found(name), set()).add(pointer)
            return
        passed = list(_passed(each))
        names = [name for operand in passed if (name := _name(operand.value))]
        if each.operation in ("phi", "select", "freeze", "atomicrmw", "cmpxchg", "extractvalue"):
            names += [each.result] * (each.operation != "extractvalue" or each.indices == (0,))
        elif each.operation == "load":
            names = [each.result]
        for one, other in pairwise(names):
            self.leader[self.found(one)] = self.found(other)
        if names:
            self.found(names[0])
        self.apart |= _names(each) - {_name(operand.value) for operand in passed}
        if each.operation not in _CARRYING:
            self.apart.add(each.result)
        elif _computes(each) or not all(_name(o.value) or o.value == Number(0) or _address(o) for o in passed):
            self.apart.update(names)
        elif names and (addresses := [found for o in passed if (found := _address(o))]):
            self.types.setdefault(self.found(names[0]), set()).update(found.type for found in addresses)

    # ------------------------------------------------ rewriting

    def block(self, block: Block) -> Block:
        """Return a block with pointers in the place of integers."""
        return replace(block, instructions=tuple(map(self.instruction, block.instructions)))

    def instruction(self, each: Instruction) -> Instruction:
        """Return an instruction with pointers in the place of integers."""
        named = [name for name in (each.result, *sorted(_names(each))) if name in self.pointers]
        alone = _address(each.operands[0]) if each.operation == "store" and not _name(each.operands[0].value) else None
        if not named and alone is None:
            return each
        type_ = self.pointers[named[0]] if alone is None else alone.type
        if each.operation in (POINTER, INTEGER):
            return replace(each, operation="bitcast", type=type_, operands=(replace(each.operands[0], type=type_),))
        passed = {id(operand) for operand in _passed(each)}
        operands = tuple(_operand(each, o, type_) if id(o) in passed else o for o in each.operands)
        made = each.type
        if each.operation == "cmpxchg":
            made = replace(each.type, fields=(type_, *each.type.fields[1:]))
        elif each.result in self.pointers:
            made = type_
        return replace(each, type=made, operands=operands)


def _operand(each: Instruction, operand: Operand, type_: IRType) -> Operand:
    """Return an operand as a pointer, or as a pair with one."""
    if each.operation == "extractvalue":
        return replace(operand, type=replace(operand.type, fields=(type_, *operand.type.fields[1:])))
    return _address(operand) or replace(operand, type=type_)


def _address(operand: Operand) -> Operand | None:
    """Return the pointer whose number a constant is; None if it is none."""
    value = operand.value
    if isinstance(value, ConstantExpression) and value.operation == INTEGER and len(value.operands) == 1:
        pointer = value.operands[0]
        if pointer.type.kind == "ptr" and size(pointer.type) == size(operand.type):
            return pointer
    return None


def _passed(each: Instruction) -> Iterator[Operand]:
    """Yield the operands that an instruction passes on, stores or compares."""
    if each.operation in _CARRYING:
        which = _CARRYING[each.operation]
        yield from each.operands if which is None else (each.operands[k] for k in which)


def _computes(each: Instruction) -> bool:
    """Say whether an instruction is of something else than one integer, makes another of it, or asks for an order."""
    match each.operation:
        case "atomicrmw":
            return each.words[0] != "xchg"
        case "icmp":
            return each.words[0] not in ("eq", "ne")
        case "load" | "phi" | "select" | "freeze":
            return each.type.kind != "int"
        case "extractvalue":
            return each.indices not in ((0,), (1,))
    return False


def _names(each: Instruction) -> set[str]:
    """Return the names of the values that an instruction uses."""
    found: set[str] = set()
    ahead = [operand.value for operand in each.operands]
    while ahead:
        value = ahead.pop()
        if isinstance(value, ConstantExpression):
            ahead += [operand.value for operand in value.operands]
        elif name := _name(value):
            found.add(name)
    return found


def _name(value: Value) -> str:
    return value.name if isinstance(value, Register) else ""
