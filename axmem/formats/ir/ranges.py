"""Promised numbers as arithmetic: what is not in its range is poison.

What goes in: a function. What comes out: the function in which a value with `!range` or `range(…)` — what a load reads,
a call or the function returns, a parameter is — is poison where it is no number of the range; in which to return undef
or poison where `noundef` is promised, or to load it where `!noundef` is, is undefined behaviour; in which null is
poison where what is not null (`!nonnull`, `nonnull`) is compared with it; and in which what a call returns that is one
of its arguments (`returned`) is that argument ([LangRef] "Metadata", "Parameter Attributes").
Invariant: of numbers nothing else is promised by these; vectors, and numbers without a meaning in a test, stay as they
are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from axmem.formats.ir.attributes import by_attributes
from axmem.formats.ir.counting import Arithmetic
from axmem.formats.ir.flow import FunctionFlow
from axmem.formats.ir.mnemonics import ASSUME
from axmem.formats.ir.promises import PARAMETER
from axmem.formats.ir.renaming import with_values
from axmem.formats.ir.returned import Returned
from axmem.formats.ir.syntax import (
    ConstantExpression,
    Function,
    Instruction,
    Module,
    Operand,
    Parameter,
    Promise,
    Value,
)
from axmem.formats.ir.types import IRType, integer, value_type
from axmem.formats.ir.uses import is_defined, undefined
from axmem.front.records import replace
from axmem.litmus.syntax import Number, Register, UndefValue

NOUNDEF, LOADED = "noundef", "!noundef"
"""How it is promised that something is neither undef nor poison: of what is returned, of what a load reads."""
POSSIBLE = ".possible"
"""What is in the names of instructions that ask whether a number is one that it may be."""
_RETURNED = re.compile(r"returned of argument (\d+)")
Pairs = tuple[tuple[int, int], ...]
"""The first number and the one behind the last, of parts of a range."""


def is_range(promise: Promise) -> bool:
    """Say whether a promise is a range of numbers that is poison where it is broken."""
    return promise.shown == "!range" or promise.shown.startswith("range(")


def meant(promise: Promise, function: Function, *, called: bool) -> bool:
    """Say whether a promise of a function is one that its arithmetic has; `called`: by another one, which is judged."""
    if not promise.of:  # Of what is called the results stand in the arithmetic without what is promised of them.
        return not called and (is_range(promise) or promise.shown == NOUNDEF) and _counted(function.result)
    if not is_range(promise) and promise.shown != LOADED:
        return False
    match promise.of:
        case (kind, index) if kind == PARAMETER:
            return _counted(function.parameters[int(index)].type)
        case (("load" | "call"), type_, *_):
            return bool(re.fullmatch(r"i(1|8|16|32|64)", type_)) and " of argument" not in promise.says
    return False


def bounded(module: Module, function: Function, before: Function | None = None) -> Function:
    """Return a function in which promised ranges are arithmetic; `before`: what the function was before a change."""
    work = _Bounding(module, function, () if before is None else before.words)
    blocks = [
        replace(b, instructions=tuple(made for each in b.instructions for made in work.meant(each)))
        for b in function.blocks
    ]
    entered, known = list[Instruction](), dict[str, Value]()
    for parameter in function.parameters:
        pairs = _pairs(by_attributes(parameter.attributes), parameter.type)
        if pairs:
            name = f"{parameter.name}.within"
            operand = Operand(parameter.type, Register(parameter.name), parameter.span)
            entered += _within(name, operand, pairs)
            known[parameter.name] = Register(name)
    if known:
        blocks = [replace(b, instructions=tuple(with_values(each, known) for each in b.instructions)) for b in blocks]
        blocks[0] = replace(blocks[0], instructions=(*entered, *blocks[0].instructions))
    return replace(function, blocks=tuple(blocks))


class _Bounding:
    def __init__(self, module: Module, function: Function, before: tuple[str, ...]) -> None:
        """`before` are the words of the function before a change: what it promised need not be shown again."""
        self.module = module
        self.result: Pairs = ()
        self.unsure: set[str] | None = None
        """What may be undef or poison, if that must not be returned."""
        pairs = _pairs(by_attributes(function.words), function.result)
        if pairs or (NOUNDEF in function.words and _counted(function.result)):
            returned = Returned(FunctionFlow(function))
            self.result = () if returned.within(function.result.bits, pairs) else pairs
            if NOUNDEF in function.words and NOUNDEF not in before and (self.result or not returned.defined()):
                self.unsure = undefined(function)
        self.full = {
            each.result
            for block in function.blocks
            for each in block.instructions
            if each.type.kind == "ptr" and any(p.shown in ("!nonnull", "nonnull") for p in self._promises(each))
        } | {p.name for p in function.parameters if p.type.kind == "ptr" and "nonnull" in p.attributes}
        self.returns = 0

    def meant(self, each: Instruction) -> Iterator[Instruction]:
        """Yield what an instruction is."""
        if each.operation == "ret" and each.operands:
            yield from self._return(each)
        elif each.operation == "icmp" and each.words[0] in ("eq", "ne") and self._with_null(each):
            name = f"{each.result}.plain"
            yield replace(each, result=name)
            truth = Operand(integer(1), Register(name), each.span)
            poison = Operand(integer(1), UndefValue(poison=True), each.span)
            operands = (truth, poison, truth) if each.words[0] == "eq" else (truth, truth, poison)
            yield Instruction("select", each.result, integer(1), operands, span=each.span)
        elif each.operation in ("load", "call") and each.result:
            yield from self._read(each)
        else:
            yield each

    def _return(self, each: Instruction) -> Iterator[Instruction]:
        """Yield what is returned, as far as it is in the range; of undef nothing is equal to itself, nor assumed."""
        self.returns += 1
        (operand,) = each.operands
        unsure = self.unsure is not None and (bool(self.result) or not is_defined(operand, self.unsure))
        if self.result:
            name = f"returned.within{self.returns}"
            yield from _within(name, operand, self.result)
            operand = replace(operand, value=Register(name))
        if unsure:
            yield from _defined(f"returned.defined{self.returns}", operand)
        yield replace(each, operands=(operand,))

    def _read(self, each: Instruction) -> Iterator[Instruction]:
        promises = self._promises(each)
        same = next(self._returned(each), None)
        if same is not None and same.type == each.type:
            yield replace(each, result="")
            yield Instruction("bitcast", each.result, each.type, (same,), span=each.span)
        elif pairs := _pairs(promises, each.type):
            name = f"{each.result}.any"
            yield replace(each, result=name)
            yield from _within(each.result, Operand(each.type, Register(name), each.span), pairs)
        else:
            yield each
        if each.operation == "load" and _counted(each.type) and any(p.shown == LOADED for p in promises):
            yield from _defined(f"{each.result}.defined", Operand(each.type, Register(each.result), each.span))

    def _returned(self, call: Instruction) -> Iterator[Operand]:
        """Yield the arguments that a call returns."""
        yield from (call.operands[int(at[1]) - 1] for p in call.promises if (at := _RETURNED.fullmatch(p.says)))
        callee = self.module.functions.get(call.callee)
        for operand, parameter in zip(call.operands, callee.parameters if callee is not None else (), strict=False):
            if "returned" in parameter.attributes:
                yield operand

    def _promises(self, each: Instruction) -> list[Promise]:
        """Return what an instruction promises, and what it calls promises of its result."""
        callee = self.module.functions.get(each.callee) if each.operation == "call" else None
        words = callee.words if callee is not None and not callee.blocks else ()
        return [*each.promises, *by_attributes(words)]

    def _with_null(self, comparison: Instruction) -> bool:
        """Say whether what is not null is compared with null."""
        values = [operand.value for operand in comparison.operands]
        full = any(isinstance(value, Register) and value.name in self.full for value in values)
        return full and any(_is_null(value) for value in values)


def _is_null(value: Value) -> bool:
    return (isinstance(value, Number) and not value.value) or (
        isinstance(value, ConstantExpression) and value.operation == "null"
    )


def _counted(type_: IRType) -> bool:
    """Say whether numbers of a type have a meaning in a test."""
    found = value_type(type_)
    return type_.kind == "int" and found is not None and not found.lanes


def _pairs(promises: Iterator[Promise] | Sequence[Promise], type_: IRType) -> Pairs:
    """Return the parts of the ranges that a number is promised to be in; of several promises the first."""
    if not _counted(type_):
        return ()
    for each in promises:
        if not is_range(each) or " of argument" in each.says:
            continue
        if found := parts(each.says, type_.bits):
            return found
    return ()


def parts(text: str, bits: int) -> Pairs:
    """Return the parts of a range of numbers of so many bits, as a promise says it; none if that is not understood.

    From 0 to 0 is nothing.
    """
    text = re.sub(r"\bi\d+\b", " ", text.replace("- ", "-"))
    numbers = [int(n) for n in re.findall(r"(?<![\w-])(-?\d+)\b", text)]
    whole = 1 << bits
    found = [(low % whole, high % whole) for low, high in zip(numbers[::2], numbers[1::2], strict=False)]
    understood = len(numbers) % 2 == 0 and all(low != high or not high for low, high in found)
    return tuple(found) if understood else ()


def _defined(result: str, operand: Operand) -> Iterator[Instruction]:
    """Yield the instructions by which it is undefined behaviour that an operand is undef or poison."""
    work = Arithmetic(Instruction("icmp", result, operand.type, span=operand.span), operand.type)
    truth = work.truth("eq", operand, operand)
    yield from work.instructions
    yield Instruction("call", operands=(truth,), callee=ASSUME, span=operand.span)


def assumed_within(parameter: Parameter, pairs: Pairs) -> Iterator[Instruction]:
    """Yield the instructions by which it is undefined behaviour that a parameter is in no part of a range."""
    name = f"{parameter.name}{POSSIBLE}"
    operand = Operand(parameter.type, Register(parameter.name), parameter.span)
    yield from _within(name, operand, pairs)
    yield from _defined(f"{name}.defined", replace(operand, value=Register(name)))


def _within(result: str, operand: Operand, pairs: Pairs) -> list[Instruction]:
    """Return the instructions by which a number is poison that is in no part of a range."""
    type_ = operand.type
    work = Arithmetic(Instruction("select", result, type_, span=operand.span), type_)
    found = Operand(type_, UndefValue(poison=True), operand.span)
    for left, (low, high) in zip(reversed(range(len(pairs))), pairs, strict=True):
        inside = work.truth("ult", work.made("sub", operand, low), high - low)
        found = work.either(inside, operand, found, "" if left else result)
    return work.instructions
