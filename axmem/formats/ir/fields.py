"""Structures that kernels take by value, as their fields.

What goes in: a module whose kernels take structures by value (`byref`). What comes out: kernels that take each field,
and have the structure in memory of their own. Invariant: the result does to other memory what the function does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from axmem.formats.ir.attributes import KERNELS
from axmem.formats.ir.syntax import Function, Instruction, Module, Operand, Parameter
from axmem.formats.ir.transfers import behind
from axmem.formats.ir.types import IRType, covering, offsets, scalars, size
from axmem.front.records import replace
from axmem.litmus.syntax import Register

_UNION = re.compile(r"%\"?union\.")
"""How clang names the type of a union."""
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
        fields = [(_called(each.name, number), at, type_) for number, (at, type_) in enumerate(_fields(each.passed))]
        parameters += [
            Parameter(name, type_, ("noundef",), each.span, part_of=each.name, at=at) for name, at, type_ in fields
        ]
        first += _received(each, each.passed, fields)
    entry, *others = function.blocks
    entry = replace(entry, instructions=(*first, *entry.instructions))
    return replace(function, parameters=tuple(parameters), blocks=(entry, *others))


def _fields(type_: IRType, start: int = 0) -> list[tuple[int, IRType]]:
    """Return the numbers and pointers of a structure, each with its offset.

    In a union clang has the type of one of its members, in which others have padding: that is integers here.
    """
    if type_.kind == "array" and type_.element is not None:
        return [each for n in range(type_.count) for each in _fields(type_.element, start + n * size(type_.element))]
    found = [(start + at, each) for at, each in scalars(type_)]
    if _UNION.match(type_.name):
        known = {byte for at, each in found for byte in range(at, at + size(each))}
        gaps = covering(set(range(start, start + size(type_))) - known, 0, 8)
        return sorted([*found, *((low, each) for (low, _), each in gaps)], key=lambda field: field[0])
    inside = zip(offsets(type_), type_.fields, strict=True)
    return [each for at, field in inside for each in _fields(field, start + at)] if type_.kind == "struct" else found


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
        yield behind(f"{name}.at", own, at, span)
        place = Operand(pointer, Register(f"{name}.at"), span)
        yield Instruction("store", operands=(Operand(field, Register(name), span), place), span=span)
    yield Instruction("addrspacecast", whole.name, whole.type, (own,), span=span)
