"""Arithmetic of floating point in a function of LLVM IR.

What goes in: instructions and calls of intrinsics on halves, floats and doubles, and expressions of their operands.
What comes out: operations of the test language. Flags and attributes by which LLVM may compute something else than the
rounded number raise `Unspeakable`, but for two: what `nnan` makes poison, a NaN, is undef anyway; and by `contract` the
sum of a product may be rounded once or twice, which is what `fmuladd` may (undef where that makes a difference).
"""

from __future__ import annotations

import re

from axmem.formats.ir import brain
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.syntax import Function, Instruction, Module, Operand
from axmem.formats.ir.types import IRType
from axmem.front.records import replace
from axmem.front.source import Span, did_you_mean
from axmem.litmus.expressions import FAST
from axmem.litmus.floats import BETWEEN, FORMATS, FROM_INTEGER, IGNORING, PREDICATES
from axmem.litmus.floats import INTRINSICS as NAMES
from axmem.litmus.syntax import I1, Expr, IntegerOperation, Register, UndefValue

ARITHMETIC = frozenset({"fadd", "fsub", "fmul", "fdiv"})
CASTS = FROM_INTEGER | BETWEEN | {"fptosi", "fptoui"}
INTRINSICS = {f"llvm.{name}": operation for operation, name in NAMES.items()}
IMPRECISE = frozenset({"fpmath", IGNORING})
"""The metadata by which the result of an operation need not be the rounded one."""
_COMPUTING = ARITHMETIC | {"fma", "fmuladd", "fneg", "fabs", "fcmp"} | CASTS | set(INTRINSICS.values())
_DIRECT = ARITHMETIC | {"fcmp", "fptosi", "fptoui"}
"""What may use a product without carrying it to a sum."""
_HARMLESS = {"select": {"contract", "reassoc", "arcp", "afn"}, "phi": {"contract", "reassoc", "arcp", "afn"}}
_SUMS = ARITHMETIC | {"fma", "fmuladd"}
_UNDEFINED = {"contract", "nnan"}
_ENVIRONMENT = re.compile(
    r'"denormal-fp-math(?:-f32)?"\s*=\s*"(?!ieee(?:,ieee)?")[^"]*"|\bdenormal_fpenv\([^)]*\)|\bstrictfp\b'
    r'|"(?:unsafe-fp-math|no-nans-fp-math|no-infs-fp-math|no-signed-zeros-fp-math|approx-func-fp-math)"\s*=\s*"true"'
)
"""Attributes by which the results of functions are others."""


def is_imprecise(each: Instruction) -> bool:
    """Say whether a result need not be the rounded number."""
    return bool({*each.words} & (FAST | IMPRECISE))


def loosened(function: Function, *, everywhere: bool) -> Function | None:
    """Return a function in which what need not be the rounded number is any; None if it is written to memory at once.

    `everywhere`: by the attributes of the function no sum and no product need be.
    """

    def loose(each: Instruction) -> Instruction:
        named = each.operation in _COMPUTING or each.callee in INTRINSICS
        if not is_imprecise(each) and not (everywhere and named):
            return each
        return Instruction("bitcast", each.result, each.type, (Operand(each.type, UndefValue()),), span=each.span)

    everything = [each for block in function.blocks for each in block.instructions]
    if any(each.operation == "atomicrmw" and (is_imprecise(each) or everywhere) for each in everything):
        return None
    blocks = (replace(block, instructions=tuple(map(loose, block.instructions))) for block in function.blocks)
    return replace(function, blocks=tuple(blocks))


class Floats:
    """The arithmetic of one function; its products that a sum may contract are `products`."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module = module
        everything = [each for block in function.blocks for each in block.instructions]
        self.products = {i.result: i for i in everything if i.operation == "fmul" and "contract" in i.words}
        self.sums = {i.result for i in everything if i.operation in ARITHMETIC and i.result not in self.products}
        self.carried = any(
            isinstance(operand.value, Register) and operand.value.name in self.products
            for i in everything
            if i.operation not in _DIRECT
            for operand in i.operands
        )
        self.factors: dict[str, tuple[Expr, Expr]] = {}

    def computed(self, instruction: Instruction, operation: str, operands: tuple[Expr, ...]) -> Expr:
        """Return the result of an operation of the language on these operands."""
        span, words = instruction.span, instruction.words
        if operation == "fcmp":
            if words[0] in ("true", "false"):
                hint = "the result is a constant: write it"
                raise Unspeakable(span, f"'fcmp {words[0]}' has no meaning in a test", hint)
            if words[0] not in PREDICATES:
                raise Unspeakable(span, f"unknown predicate '{words[0]}'", did_you_mean(words[0], PREDICATES))
            operation, words = f"fcmp {words[0]}", words[1:]
        if operation not in (*_COMPUTING, *(f"fcmp {each}" for each in PREDICATES)):
            raise Unspeakable(span, f"'{operation}' has no meaning in a test", "divide outside the test")
        self.permitted(words, operation, span)
        types = (instruction.operands[0].type, instruction.type)
        apart = "contract" not in words or self.module.rounded
        value = brain.computed(instruction, operation, operands) if apart and any(map(brain.is_brain, types)) else None
        if value is not None:
            return value
        for type_ in types:
            known_type(type_, span)
        found = None if apart else self.contracted(instruction, operands)
        if operation == "fmul" and instruction.result in self.products:
            self.factors[instruction.result] = (operands[0], operands[1])
        return found or IntegerOperation(operation, operands, None, span)

    def permitted(self, words: tuple[str, ...], operation: str, span: Span) -> None:
        """Refuse flags and attributes by which the result may be another."""
        if self.module.rounded:
            return
        fine = _HARMLESS.get(operation, _UNDEFINED if operation in _SUMS else {"contract"})
        for word in words:
            if word in FAST | IMPRECISE and word not in fine:
                hint = "compile without it: -ffast-math and its parts, and -fno-hip-fp32-correctly-rounded-divide-sqrt"
                if word == IGNORING:
                    hint = "compile without it: -munsafe-fp-atomics and -fatomic-ignore-denormal-mode"
                raise Unspeakable(span, f"'{word}' permits results that a test cannot follow", hint)
        attribute = _ENVIRONMENT.search(self.module.source.text)
        if attribute is not None and operation not in _HARMLESS:
            hint = "numbers are rounded to nearest and denormals kept in a test"
            raise Unspeakable(span, f"'{attribute[0]}' permits results that a test cannot follow", hint)

    def contracted(self, instruction: Instruction, operands: tuple[Expr, ...]) -> Expr | None:
        """Return a sum of products that may be rounded once or twice; None if it is none."""
        name, span = instruction.operation, instruction.span
        if name not in ("fadd", "fsub") and instruction.callee.find("fmuladd") < 0:
            return None
        values = [operand.value for operand in instruction.operands]
        names = [value.name if isinstance(value, Register) else "" for value in values]
        found: list[Expr] = []
        for index, each in enumerate(names):
            if each in self.products and name == "call":
                if index == 2:
                    hint = "compile with -ffp-contract=on or off"
                    raise Unspeakable(span, "'contract' lets this be computed in more ways than a test follows", hint)
            elif each in self.products:
                a, b = self.factors[each]
                c = operands[1 - index]
                if name == "fsub":
                    a, c = (a, IntegerOperation("fneg", (c,))) if not index else (IntegerOperation("fneg", (a,)), c)
                found.append(IntegerOperation("fmuladd", (a, b, c), None, span))
            elif each and self.carried and each not in self.sums:
                message = "'contract' lets this be computed with a product that is stored or merged"
                raise Unspeakable(span, message, "compile with -ffp-contract=on or off")
        if len(found) == 2:
            same = IntegerOperation("eq", (found[0], found[1]), I1)
            return IntegerOperation("select", (same, found[0], UndefValue()), None, span)
        return found[0] if found else None


def environment(module: Module, function: Function) -> list[str]:
    """Return the attributes of a function by which its results are others."""
    text = " ".join(function.attributes).replace(" = ", "=")
    return [each.group() for each in _ENVIRONMENT.finditer(text)]


def known_type(type_: IRType, span: Span) -> None:
    """Refuse a type of floating point whose values are not computed."""
    lane = type_.element or type_ if type_.kind == "vector" else type_
    if lane.kind == "float" and lane.name not in FORMATS:
        hint = f"the types are {', '.join(FORMATS)}, bfloat"
        raise Unspeakable(span, f"arithmetic of {lane.name} has no meaning in a test", hint)
