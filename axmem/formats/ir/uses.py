"""How a function of LLVM IR uses its values: as addresses, before they are defined, as variables of its own."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count, pairwise

from axmem.formats.ir.blocks import reached, successors
from axmem.formats.ir.bodies import FunctionComments
from axmem.formats.ir.intrinsics import has_no_effect
from axmem.formats.ir.syntax import ConstantExpression, Function, Instruction, Operand
from axmem.formats.ir.types import value_type
from axmem.front.records import replace
from axmem.litmus.syntax import AddressOf, Number, Register, VectorOf
from axmem.litmus.words import Ordering

ADDRESS = {"load": 0, "store": 1, "atomicrmw": 0, "cmpxchg": 0, "getelementptr": 0, "addrspacecast": 0, "bitcast": 0}
"""Which operand of an instruction only says where memory is."""
DEFINED = frozenset({"add", "sub", "mul", "and", "or", "xor", "zext", "sext", "trunc", "icmp", "select", "phi"})
"""Instructions that are neither undef nor poison if their operands are not, and they have no flags."""


def escaping(function: Function) -> set[str]:
    """Return the names of pointers that are used otherwise than to address memory."""
    found: set[str] = set()
    for block in function.blocks:
        for instruction in block.instructions:
            where = ADDRESS.get(instruction.operation)
            for index, operand in enumerate(instruction.operands):
                if isinstance(operand.value, Register) and index != where:
                    found.add(operand.value.name)
    return found


def used_early(function: Function, known: Iterable[str]) -> set[str]:
    """Return the results that are used before the text defines them, as phis of loops do; `known` are no results."""
    seen = set(known)
    results = {each.result for block in function.blocks for each in block.instructions}
    found = set()
    for block in function.blocks:
        for instruction in block.instructions:
            named = {o.value.name for o in instruction.operands if isinstance(o.value, Register)}
            found |= {name for name in named - seen if name in results}
            seen.add(instruction.result)
    return found


def parts_in_phis(function: Function) -> set[str]:
    """Return the parts of structures and vectors of which phis take values: a phi takes registers and constants."""
    everything = [each for block in function.blocks for each in block.instructions]
    parts = {each.result for each in everything if each.operation in ("extractvalue", "extractelement")}
    merged = (o.value for i in everything if i.operation == "phi" for o in i.operands)
    return parts & {value.name for value in merged if isinstance(value, Register)}


def with_plain_phis(function: Function) -> Function:
    """Return a function whose phis take no constant that is computed: it is computed at the end of its block."""
    added: dict[str, list[Instruction]] = {}
    given: dict[tuple[str, str], str] = {}
    names = {each.result for block in function.blocks for each in block.instructions}
    names |= {parameter.name for parameter in function.parameters}

    def moved(block: str, operand: Operand, result: str) -> Operand:
        computed = isinstance(operand.value, ConstantExpression | VectorOf)
        if not computed and not (isinstance(operand.value, Number) and operand.type.kind == "vector"):
            return operand
        if (block, result) not in given:
            name = next(name for k in count() if (name := f"{result}.{block}{k or ''}") not in names)
            names.add(name)
            made = Instruction("bitcast", name, operand.type, (operand,), span=operand.span)
            added.setdefault(block, []).append(made)
            given[block, result] = name
        return replace(operand, value=Register(given[block, result], span=operand.span))

    def plain(each: Instruction) -> Instruction:
        if each.operation != "phi":
            return each
        pairs = zip(each.targets, each.operands, strict=True)
        return replace(each, operands=tuple(moved(block, operand, each.result) for block, operand in pairs))

    blocks = [replace(b, instructions=tuple(map(plain, b.instructions))) for b in function.blocks]
    found = tuple(
        replace(b, instructions=(*b.instructions[:-1], *added.get(b.name, ()), b.instructions[-1])) for b in blocks
    )
    return replace(function, blocks=found) if added else function


def promoted(function: Function) -> list[str]:
    """Return the allocas that are variables of the thread alone: stored and loaded as a whole, never named else."""
    allocas = [e for block in function.blocks for e in block.instructions if e.operation == "alloca"]
    types = {each.result: value_type(each.type) for each in allocas}
    found = {name for name, type_ in types.items() if type_ is not None and not type_.lanes}
    for block in function.blocks:
        for each in block.instructions:
            for index, operand in enumerate(each.operands):
                name = operand.value.name if isinstance(operand.value, Register) else ""
                if name in found and not has_no_effect(each.callee):
                    accessed = each.type if each.operation == "load" else each.operands[0].type
                    whole = each.operation in ("load", "store") and index == ADDRESS[each.operation]
                    plain = each.mode.ordering is Ordering.NOT_ATOMIC and not each.mode.volatile
                    if not (whole and plain and value_type(accessed) == types[name]):
                        found.discard(name)
    return [name for name in types if name in found]


def named_bits(function: Function, said: FunctionComments) -> dict[str, str]:
    """Return the registers that have the bits of numbers that updates return, by the temporary names of these."""
    found = {}
    for block in function.blocks:
        for update, cast in pairwise(block.instructions):
            if update.operation == "atomicrmw" and cast.operation == "bitcast" and said.is_temporary(update.result):
                value = cast.operands[0].value
                if isinstance(value, Register) and value.name == update.result:
                    found[update.result] = cast.result
    return found


def halves(instructions: Iterable[Instruction], pair: Instruction) -> tuple[str, str] | None:
    """Return the results that are the two parts of a pair; None if one of them is not taken."""
    found = {
        each.indices[0]: each.result
        for each in instructions
        if each.operation == "extractvalue" and each.operands[0].value == Register(pair.result)
    }
    return (found[0], found[1]) if len(found) == 2 else None


def repeats(function: Function, name: str) -> bool:
    """Say whether a block of a function may be executed again."""
    after = successors(function)
    return name in reached(after, after[name])


def undefined(function: Function) -> set[str]:
    """Return the names of what may be undef or poison.

    What comes round a loop is defined if all that comes into it is: names are added until none is missing.
    """
    found = {each.name for each in function.parameters if "noundef" not in each.attributes}
    everything = [each for block in function.blocks for each in block.instructions]
    while True:
        before = len(found)
        for each in everything:
            flags = each.words[1:] if each.operation == "icmp" else each.words
            pure = each.operation in DEFINED and not flags and all(is_defined(o, found) for o in each.operands)
            if each.result and not pure and each.operation != "freeze":
                found.add(each.result)
        if len(found) == before:
            return found


def is_defined(operand: Operand, undefined: set[str]) -> bool:
    """Whether an operand is surely neither undef nor poison, given the names of what may be."""
    value = operand.value
    return value.name not in undefined if isinstance(value, Register) else isinstance(value, Number | AddressOf)
