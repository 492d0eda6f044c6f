"""`freeze` of what may be undef or poison, as a number that nobody chooses.

What goes in: a function, or one before and after a change. What comes out: functions in which each `freeze` of a number
that may be undef names a parameter, the number that it takes: one of each type and place in the order of the text, on
both sides the same. Before a change more is possible than that one number, after it every number is. A parameter is
one number wherever it is frozen before the change, and where it is first after it. Invariant: what is frozen in a loop
is another number each time, of which nothing is decided.
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
OTHER = "what is frozen before the change may be another number"


@dataclass(frozen=True, slots=True)
class Frozen:
    """Functions whose last parameters are what is frozen; why a change is not decided, and why it may be right.

    `unsure`: why it may be right where parameters are undef.
    """

    functions: tuple[Function, ...]
    undecided: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    unsure: str = ""


def named_freezes(functions: Sequence[Function]) -> Frozen:
    """Return functions in which what may be undef is frozen to a parameter."""
    pair = len(functions) > 1
    several = [_several(function) for function in functions]
    found = [_freezes(f, () if pair and not k else several[k]) for k, f in enumerate(functions)]
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
    doubtful = (OTHER,) if pair and found[0] else ()
    unsure = OTHER if pair and any(several) and _frozen_parameters(functions[0]) else ""
    named = (_named(function, freezes, added) for function, freezes in zip(functions, found, strict=True))
    return Frozen(tuple(named), undecided, doubtful, unsure)


def _several(function: Function) -> tuple[str, ...]:
    """Return the freezes of a parameter that may be another number than the first one's, if it is undef."""
    flow, found, seen = None, [], set[str]()
    for block, each in _frozen_parameters(function):
        flow = flow or FunctionFlow(function)
        name = _operand(each)
        found += [each.result] if name in seen or flow.loops(block.name) else []
        seen.add(name)
    return tuple(found)


def _frozen_parameters(function: Function) -> list[tuple[Block, Instruction]]:
    """Return the instructions that freeze a parameter that may be undef, each with its block."""
    undef = _undef(function)
    everything = [(block, each) for block in function.blocks for each in block.instructions]
    return [(block, each) for block, each in everything if _is_freeze(each) and _operand(each) in undef]


def _undef(function: Function) -> set[str]:
    return {each.name for each in function.parameters if "noundef" not in each.attributes}


def _operand(freeze: Instruction) -> str:
    """Return the register that is frozen."""
    value = freeze.operands[0].value
    return value.name if isinstance(value, Register) else ""


def _freezes(function: Function, several: Collection[str]) -> dict[str, Instruction]:
    """Return the instructions that freeze a number that may be undef, by their results, in the order of the text.

    Of those that freeze a parameter they are `several`.
    """
    everything = [each for block in function.blocks for each in block.instructions if _is_freeze(each)]
    if not everything:
        return {}
    kept = {i.result for b in thawed(function, _undef(function)).blocks for i in b.instructions if _is_freeze(i)}
    return {each.result: each for each in everything if each.result in kept or each.result in several}


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
