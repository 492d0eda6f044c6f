"""`freeze` of what may be undef or poison, as a number that nobody chooses.

What goes in: a function, or one before and after a change. What comes out: functions in which each `freeze` of a number
that may be undef names a parameter, the number that it takes: one of each type and place in the order of the text, on
both sides the same. Before a change more is possible than that one number, after it every number is. Invariant: what is
frozen in a loop is another number each time, of which nothing is decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from axmem.formats.ir.flow import FunctionFlow
from axmem.formats.ir.folding import thawed
from axmem.formats.ir.syntax import Block, Function, Instruction, Operand, Parameter
from axmem.formats.ir.types import value_type
from axmem.front.records import dataclass, replace
from axmem.litmus.syntax import Register

_NAME = "frozen.{}.{}"


@dataclass(frozen=True, slots=True)
class Frozen:
    """Functions whose last parameters are what is frozen; why a change is not decided, and why it may be right."""

    functions: tuple[Function, ...]
    undecided: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()


def named_freezes(functions: Sequence[Function]) -> Frozen:
    """Return functions in which what may be undef is frozen to a parameter."""
    found = [_freezes(function) for function in functions]
    most = Counter[str]()
    for freezes in found:
        most |= Counter(str(each.type) for each in freezes.values())
    if not most:
        return Frozen(tuple(functions))
    types = {str(each.type): each.type for freezes in found for each in freezes.values()}
    added = tuple(
        Parameter(_NAME.format(name, k), types[name], ("noundef",)) for name in sorted(most) for k in range(most[name])
    )
    undecided = tuple(
        f"%{name} is frozen in a loop, and may be another number each time"
        for function, freezes in zip(functions, found, strict=True)
        for name in _again(function, freezes)
    )
    doubtful = ("what is frozen before the change may be another number",) if found[0] and len(functions) > 1 else ()
    named = (_named(function, freezes, added) for function, freezes in zip(functions, found, strict=True))
    return Frozen(tuple(named), undecided, doubtful)


def _freezes(function: Function) -> dict[str, Instruction]:
    """Return the instructions that freeze a number that may be undef, by their results, in the order of the text."""
    if not any(_is_freeze(each) for block in function.blocks for each in block.instructions):
        return {}
    undef = {each.name for each in function.parameters if "noundef" not in each.attributes}
    everything = (each for block in thawed(function, undef).blocks for each in block.instructions)
    return {each.result: each for each in everything if _is_freeze(each)}


def _again(function: Function, freezes: Collection[str]) -> Iterator[str]:
    """Yield those of some results that may be computed again."""
    flow = FunctionFlow(function)
    for block in function.blocks:
        results = [each.result for each in block.instructions if each.result in freezes]
        yield from results if results and flow.loops(block.name) else ()


def _is_freeze(each: Instruction) -> bool:
    found = value_type(each.type) if each.operation == "freeze" and each.type.kind == "int" else None
    return found is not None and len(each.operands) == 1


def _named(function: Function, freezes: Collection[str], added: tuple[Parameter, ...]) -> Function:
    """Return a function whose instructions name what they freeze to."""
    seen = Counter[str]()

    def named(each: Instruction) -> Instruction:
        if each.result not in freezes:
            return each
        name = str(each.type)
        number = Operand(each.type, Register(_NAME.format(name, seen[name])), each.span)
        seen[name] += 1
        return replace(each, operands=(*each.operands, number))

    blocks = tuple(Block(b.name, tuple(map(named, b.instructions)), b.span) for b in function.blocks)
    return replace(function, blocks=blocks, parameters=(*function.parameters, *added))
