"""Functions in which nothing but numbers goes from block to block: no pairs, and not whether an exchange succeeded.

What goes in: a function. What comes out: one that computes the same from what is read. InstCombine moves `extractvalue`
behind a phi of what two compare-exchanges return, which is the same as a phi of numbers; and where it is asked whether
a strong one has read what it expects, it asks whether it has succeeded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from axmem.formats.ir.flow import used
from axmem.formats.ir.syntax import ConstantExpression, Function, Instruction, Operand
from axmem.formats.ir.types import IRType, integer
from axmem.front.records import replace
from axmem.litmus.syntax import Number, Register, UndefValue
from axmem.passes.modules import body, with_body

EXCHANGED = IRType("struct", fields=(integer(32), integer(1)))
"""What a compare-exchange of integers returns."""


def scalars(function: Function) -> Function:
    """Return a function without phis of pairs that are only taken apart, and without constants of several values."""
    lines = [each for line in body(function) for each in _filled(line)]
    for phi in [each for each in lines if each.operation == "phi" and each.type.kind == "struct"]:
        lines = _without(lines, phi)
    return with_body(function, lines)


def _filled(line: Instruction) -> Iterator[Instruction]:
    """Yield what fills a result that is a constant, or of which a part is one, as what fills it from the beginning."""
    constant = line.operands[0].value if line.operation in ("insertvalue", "ret") and line.operands else None
    if not isinstance(constant, ConstantExpression) or not constant.operands:
        yield line
        return
    rows, whole = filled(line.result or "returned", line.operands[0].type, constant.operands)
    yield from (*rows, replace(line, operands=(whole, *line.operands[1:])))


def filled(name: str, type_: IRType, values: Sequence[Operand]) -> tuple[list[Instruction], Operand]:
    """Return what fills a structure with values from the beginning, the names of which begin with one; and that."""
    found: list[Instruction] = []
    whole = Operand(type_, UndefValue(poison=True))
    for k, value in enumerate(values):
        if not (isinstance(value.value, UndefValue) and value.value.poison):
            found.append(Instruction("insertvalue", f"{name}.{k}", type_, (whole, value), indices=(k,)))
            whole = replace(whole, value=Register(f"{name}.{k}"))
    return found, whole


def _without(lines: list[Instruction], phi: Instruction) -> list[Instruction]:
    """Return lines without a phi of pairs; as they are if something else is done with it."""
    uses = [line for line in lines if phi.result in used(line) and line is not phi]
    names = [o.value.name if isinstance(o.value, Register) else "" for o in phi.operands]
    made = {line.result for line in lines if line.operation != "phi" and line.result and line.result in names}
    if not all(line.operation == "extractvalue" for line in uses) or not made.issuperset(names):
        return lines
    found: list[Instruction] = []
    for line in lines:
        if line is phi:
            for each in uses:
                rows = tuple(Operand(each.type, Register(f"{name}.{each.result}")) for name in names)
                found.append(replace(phi, result=each.result, type=each.type, operands=rows))
        elif line not in uses:
            found.append(line)
        if line.result in made:
            whole = Operand(phi.type, Register(line.result))
            found += (replace(each, result=f"{line.result}.{each.result}", operands=(whole,)) for each in uses)
    return found


def succeeded(before: Function, after: Function) -> Function:
    """Return a function that asks what a strong compare-exchange has read instead of whether it has succeeded.

    As the one before it does. If what was read is undef, so is that; so if this is sound, what was there is, too.
    """
    if any(map(_asks, body(before))):
        return after
    expected: dict[object, Operand] = {
        Register(line.result): line.operands[1]
        for line in body(after)
        if line.operation == "cmpxchg" and not line.words and isinstance(line.operands[1].value, Number)
    }
    found: list[Instruction] = []
    for line in body(after):
        known = expected.get(line.operands[0].value) if _asks(line) else None
        if known is None:
            found.append(line)
            continue
        read = Operand(known.type, Register(f"{line.result}.read"))
        found.append(replace(line, result=f"{line.result}.read", type=known.type, indices=(0,)))
        found.append(Instruction("icmp", line.result, integer(1), (read, known), ("eq",)))
    return with_body(after, found)


def _asks(line: Instruction) -> bool:
    """Whether a line takes of a compare-exchange whether it has succeeded."""
    return line.operation == "extractvalue" and line.operands[0].type == EXCHANGED and line.indices == (1,)
