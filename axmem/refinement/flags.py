"""Flags of LLVM's instructions that make poison, and that no test shows.

What goes in: functions before and after a change. What comes out: the instructions after it with a flag that only they
have, of the flags without a rule in `axmem.litmus.poison`: those of addresses, of floating point, of products of odd
widths; and whether addresses are ordered. Everything else of arithmetic is in the tests of a pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

from axmem.formats.ir.intrinsics import MINMAX, plain
from axmem.formats.ir.opaque import shown
from axmem.formats.ir.pairs import instructions
from axmem.formats.ir.syntax import ConstantExpression, Function, Instruction, Operand
from axmem.front.records import replace
from axmem.litmus.poison import ruled
from axmem.litmus.syntax import Number, Register

POISONING = frozenset({"nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw", "nnan", "ninf"})
"""Flags that make a result poison."""
_USING = frozenset({"store", "cmpxchg", "atomicrmw", "br", "switch", "ret", "call", "load"})
_FRESH = frozenset({"load", "call", "cmpxchg", "atomicrmw", "phi", "alloca"})
"""What may be another number each time."""
_DEPTH = 9


def new_flags(before: Function, after: Function) -> tuple[str, ...]:
    """Return the instructions with flags that only the function after has, in words, each once."""
    first, second = _flagged(_offset(before)), _flagged(_offset(after))
    return tuple(dict.fromkeys(words for key, words in second.items() if key not in first))


def chosen_twice(before: Function, after: Function) -> tuple[str, ...]:
    """Return the intrinsics that only the function before has of those that stand in tests as a choice by a comparison.

    These use an operand twice. Undef is one number to the intrinsic, and two to a comparison and a choice.
    """
    counts = [Counter(plain(each.callee) for each in instructions(f) if each.callee) for f in (before, after)]
    return tuple(sorted(name for name in MINMAX if counts[0][name] > counts[1][name]))


def compares_places(function: Function) -> bool:
    """Whether a function asks which of two addresses is less."""
    compared = (each for each in instructions(function) if each.operation == "icmp")
    return any(each.operands[0].type.kind == "ptr" and each.words[-1] not in ("eq", "ne") for each in compared)


def same_memory_operations(before: Function, after: Function) -> bool:
    """Whether two functions do the same operations on memory, in the same order, and call the same."""
    return [*_operations(before)] == [*_operations(after)]


def _operations(function: Function) -> Iterator[Hashable]:
    for each in instructions(function):
        if each.operation in ("load", "store", "fence", "cmpxchg", "atomicrmw", "call"):
            type_ = each.operands[0].type if each.operation == "store" else each.type
            yield each.operation, type_, each.mode, each.failure, each.callee, each.words


def _offset(function: Function) -> Function:
    """Return a function in which an address at one of two constant offsets is one of two addresses.

    No offset is no computation ([LangRef] "getelementptr").
    """
    made = {each.result: each for each in instructions(function) if each.result}

    def written(each: Instruction) -> Iterator[Instruction]:
        offset = each.operands[-1].value if each.operation == "getelementptr" and len(each.operands) == 2 else None
        chosen = made.get(offset.name) if isinstance(offset, Register) else None
        if chosen is None or chosen.operation != "select" or not all(_is_number(o) for o in chosen.operands[1:]):
            yield each
            return
        base, arms = each.operands[0], []
        for k, arm in enumerate(chosen.operands[1:]):
            if arm.value != Number(0):
                yield replace(each, result=f"{each.result}.{k}", operands=(base, arm))
            arms.append(base if arm.value == Number(0) else replace(base, value=Register(f"{each.result}.{k}")))
        yield replace(chosen, result=each.result, type=base.type, operands=(chosen.operands[0], *arms))

    blocks = (
        replace(block, instructions=tuple(line for each in block.instructions for line in written(each)))
        for block in function.blocks
    )
    return replace(function, blocks=tuple(blocks))


def _is_number(operand: Operand) -> bool:
    return isinstance(operand.value, Number)


def _flagged(function: Function) -> dict[Hashable, str]:
    """Return the instructions that may make poison and that something uses, by what they compute of what."""
    made = {each.result: each for each in instructions(function) if each.result}
    given = {each.name: k for k, each in enumerate(function.parameters)}
    fresh: dict[Hashable, list[str]] = {}

    def of(value: object, depth: int = _DEPTH) -> Hashable:
        if isinstance(value, ConstantExpression):
            return (value.operation, *(of(each.value, depth) for each in value.operands))
        if not isinstance(value, Register):
            return shown(value)  # type: ignore[arg-type]
        each = made.get(value.name)
        if each is None or not depth:
            return given.get(value.name, value.name)
        found: Hashable = (each.operation, each.words, str(each.type), *(of(o.value, depth - 1) for o in each.operands))
        if each.operation in _FRESH:
            same = fresh.setdefault(found, [])
            same += [each.result] if each.result not in same else []
            return found, same.index(each.result)
        return found

    for each in made.values():
        of(Register(each.result))
    used = _used(function, made)
    found: dict[Hashable, str] = {}
    for each in made.values():
        flags = sorted(flag for flag in POISONING.intersection(each.words) if not _shown(each, flag))
        if flags and each.result in used:
            key = (each.operation, *flags, *(of(o.value) for o in each.operands))
            found[key] = f"{each.operation} {' '.join(flags)}"
    return found


def _shown(each: Instruction, flag: str) -> bool:
    """Whether the tests of a pair show that a flag is broken."""
    return each.operation != "getelementptr" and ruled(each.operation, flag, each.operands[0].type.bits)


def _used(function: Function, made: dict[str, Instruction]) -> set[str]:
    """Return the values of a function that something uses."""
    found: set[str] = set()
    ahead = [each for each in instructions(function) if each.operation in _USING]
    while ahead:
        for name in {n for operand in ahead.pop().operands for n in _names(operand.value)} - found:
            found.add(name)
            ahead += [made[name]] if name in made else []
    return found


def _names(value: object) -> Iterator[str]:
    if isinstance(value, Register):
        yield value.name
    elif isinstance(value, ConstantExpression):
        for operand in value.operands:
            yield from _names(operand.value)
