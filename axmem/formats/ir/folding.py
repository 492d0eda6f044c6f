"""A function whose parameters have values: what follows from these is computed.

What goes in: a function, and numbers for parameters. What comes out: the function with numbers in the place of these
parameters and of what integer instructions make of numbers alone; branches on them go one way. Invariant: a result
that is poison or undef is not computed, so that it stays what it is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from axmem.formats.ir.flow import ADDRESSED, FunctionFlow, Root, address, may_end
from axmem.formats.ir.inlining import executed
from axmem.formats.ir.layouts import extent, offset_of_root
from axmem.formats.ir.mnemonics import ASSUME
from axmem.formats.ir.renaming import with_values
from axmem.formats.ir.syntax import Block, Function, Instruction, Operand, Value
from axmem.formats.ir.transfers import is_transfer, places_lie_apart, transferred, transferred_bytes
from axmem.formats.ir.types import VOID, integer
from axmem.formats.ir.uses import promoted
from axmem.front.records import replace
from axmem.litmus.arithmetic import DIVISIONS, apply_operation, signed, told
from axmem.litmus.spelling import ARITHMETIC, COMPARISONS
from axmem.litmus.syntax import AddressOf, Number, Ordering, Register, UndefValue

_CASTS = ("zext", "sext", "trunc")
COMPUTING = ARITHMETIC | {*_CASTS, "icmp", "select", "getelementptr", "freeze"}
"""What computes its result of its operands alone."""
_SHIFTS = ("shl", "lshr", "ashr")
"""What is poison if it shifts by as many bits as there are, or more."""
_FLAGS = {"icmp": 1}
"""Behind how many words of an instruction its flags stand."""
FROZEN = ".frozen"
"""How the name of a parameter ends that stands for an undef one where that is frozen."""

_WHOLE: Mapping[str, Callable[..., int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "shl": operator.lshift, "trunc": operator.pos
}  # fmt: skip
"""What arithmetic gives that has no width."""
_SEEN: Mapping[str, Callable[[int, int], int]] = {"nuw": lambda number, bits: number, "nsw": signed}
"""As what number of so many bits a flag sees operands and result: what has no width is that, too."""


def folded(function: Function, given: Mapping[str, int]) -> Function:
    """Return a function with numbers for some of its parameters, without what is then never executed."""
    known: dict[str, Value] = {name: Number(value) for name, value in given.items()}
    while True:
        before = len(known)
        blocks = tuple(_block(block, known) for block in function.blocks)
        leads = {block.name: block.instructions[-1].targets for block in blocks}
        function = executed(replace(function, blocks=tuple(_entered(block, leads) for block in blocks)))
        if len(known) == before:
            return function


def thawed(function: Function, undef: Collection[str], *, read: bool = False) -> Function:
    """Return a function without `freeze` of what is no undef: of parameters but those that may be, or of addresses.

    With `read` it is taken for granted of what atomic accesses read: that is undef in races and fresh memory alone.
    A parameter that is undef is one number, of which nothing is known, where it is frozen: a parameter of its own, the
    same on both sides of a change, unless the `freeze` names another.
    """
    frozen = tuple(replace(p, name=f"{p.name}{FROZEN}") for p in function.parameters if p.name in undef)
    made = {i.result: i for block in function.blocks for i in block.instructions if i.result}

    def within(shift: Instruction) -> bool:
        by = shift.operands[1].value
        return isinstance(by, Number) and 0 <= by.value < shift.type.bits

    def settled(value: Value) -> bool:
        if isinstance(value, Register):
            each = made.get(value.name)
            if each is None:
                return value.name not in undef
            flags = each.words[_FLAGS.get(each.operation, 0) :]
            if each.operation in _SHIFTS and not within(each):
                return False
            if read and each.operation in ADDRESSED and each.mode.ordering is not Ordering.NOT_ATOMIC:
                return True
            known = each.operation in COMPUTING or (read and each.operation == "extractvalue")
            return not flags and known and all(settled(o.value) for o in each.operands)
        return isinstance(value, Number | AddressOf)

    def change(each: Instruction) -> Instruction:
        if each.operation != "freeze":
            return each
        operand = each.operands[0]
        named = len(each.operands) > 1
        if (
            not named
            and isinstance(operand.value, Register)
            and operand.value.name in undef
            and operand.type.kind == "int"
        ):
            value = Register(f"{operand.value.name}{FROZEN}")
            return replace(each, operation="bitcast", operands=(replace(operand, value=value),))
        return replace(each, operation="bitcast", operands=(operand,)) if settled(operand.value) else each

    blocks = tuple(replace(b, instructions=tuple(map(change, b.instructions))) for b in function.blocks)
    return replace(function, blocks=blocks, parameters=(*function.parameters, *frozen))


def without_slots(function: Function) -> Function:
    """Return a function without variables of its own that are stored once, at first: their loads are what is stored.

    So are parameters kept by a compiler that does not optimize.
    """
    slots, known, gone = {*promoted(function)}, dict[str, Value](), set[str]()
    everything = [each for block in function.blocks for each in block.instructions]
    for name in slots:
        users = [each for each in everything if any(o.value == Register(name) for o in each.operands)]
        first = next((each for each in users if each.operation in ("load", "store")), None)
        stores = [each for each in users if each.operation == "store"]
        if len(stores) == 1 and first is stores[0] and any(first is each for each in function.blocks[0].instructions):
            known |= {each.result: stores[0].operands[0].value for each in users if each.operation == "load"}
            gone.add(name)
    if not gone:
        return function

    def settled(value: Value) -> Value:
        while isinstance(value, Register) and value.name in known:
            value = known[value.name]
        return value

    known = {name: settled(value) for name, value in known.items()}
    ended = {Register(name) for name in gone}
    kept = (
        replace(b, instructions=tuple(
            i for i in b.instructions if i.result not in known and i.result not in gone
            and not any(o.value in ended for o in i.operands)
        ))
        for b in function.blocks
    )  # fmt: skip
    return replace(function, blocks=tuple(substituted(block, known) for block in kept))


class Place(NamedTuple):
    """Into which memory a parameter leads and how many bytes, and of how many bytes that is, if that is known."""

    memory: str
    offset: int
    size: int | None = None


def severed(function: Function, null: Collection[Root], inside: Mapping[Root, Place]) -> Function:
    """Return a function whose behaviour is undefined where it accesses no memory: by null, or parameters that are.

    Nor is there any before and behind a variable: `inside` says where parameters lead. Nor may the places overlap
    between which `memcpy` copies, but they may be one ([LangRef], of that intrinsic).
    """
    flow = FunctionFlow(function)
    blocks: list[Block] = []
    for block in function.blocks:
        nowhere = (_accesses_nothing(each, flow, null, inside) for each in block.instructions)
        cut = next((k for k, yes in enumerate(nowhere) if yes), None)
        if cut is None:
            blocks.append(block)
            continue
        # It returns, so that the function has a result.
        span, never = block.instructions[cut].span, Operand(integer(1), Number(0))
        assumed = Instruction("call", operands=(never,), callee=ASSUME, span=span)
        value = () if function.result == VOID else (Operand(function.result, UndefValue()),)
        result = Instruction("ret", type=function.result, operands=value, span=span)
        blocks.append(replace(block, instructions=(*block.instructions[:cut], assumed, result)))
    leads = {block.name: block.instructions[-1].targets for block in blocks}
    return executed(replace(function, blocks=tuple(_entered(block, leads) for block in blocks)))


def undefined_at_once(
    function: Function, null: Collection[Root] = (), inside: Mapping[Root, Place] | None = None
) -> bool:
    """Say whether the behaviour of a function is undefined whatever it is called with and whoever else runs.

    Of its pointers is known what `severed` is told.
    """
    flow = FunctionFlow(function)
    for each in function.blocks[0].instructions:
        if _accesses_nothing(each, flow, null, inside or {}):
            return True
        if may_end(each):
            return False
    return False


def _accesses_nothing(
    each: Instruction, flow: FunctionFlow, null: Collection[Root], inside: Mapping[Root, Place]
) -> bool:
    """Say whether an instruction accesses memory where none is, or copies a part of an element, or to where it reads.

    A volatile access of address 0 may mean something to the target ([LangRef] "Volatile Memory Accesses").
    """
    if is_transfer(each.callee):
        found, length = transferred(each), transferred_bytes(each)
        places = [place for place in found if place is not None] if length else []
        if places_lie_apart(each) and length and _overlap([_placed(flow, place, inside) for place in places], length):
            return True
    else:
        places = [place] if (place := address(each)) is not None else []
        length = 0
        known = _placed(flow, places[0], inside) if places else None
        room = None if known is None else known.size
        if known is not None and room is not None and not 0 <= known.offset <= room - extent(each)[0]:
            return True
    roots = [flow.roots(place) for place in places]
    undefined = length is None or any(isinstance(place, UndefValue) for place in places)
    if undefined or any(some and some <= {*null} for some in roots):
        return True
    if "null_pointer_is_valid" in flow.function.attributes or each.mode.volatile:
        return False
    return any(operand.type.space == 0 and operand.value == Number(0) and operand.value in places
               for operand in each.operands if operand.type.kind == "ptr")  # fmt: skip


def _placed(flow: FunctionFlow, at: Value, inside: Mapping[Root, Place]) -> Place | None:
    """Return where an address leads, if that is constant."""
    if (known := offset_of_root(flow, at)) is None:
        return None
    root, offset = known
    # No variable has the name of what a function makes.
    place = inside.get(root) or Place(root.name if root.variable else f"%{root.name}", 0)
    return place._replace(offset=place.offset + offset)


def _overlap(places: Sequence[Place | None], length: int) -> bool:
    """Say whether two places of so many bytes are known to overlap without being one."""
    one, other = places
    return (
        one is not None
        and other is not None
        and one.memory == other.memory
        and 0 < abs(one.offset - other.offset) < length
    )


def _block(block: Block, known: dict[str, Value]) -> Block:
    kept = []
    for instruction in block.instructions:
        each = with_values(instruction, known)
        if each.operation == "getelementptr":  # Indices are signed.
            each = replace(each, operands=(each.operands[0], *map(_signed, each.operands[1:])))
        value = value_of(each)
        if value is not None and each.result:
            known[each.result] = value
        else:
            kept.append(_terminator(each))
    return replace(block, instructions=tuple(kept))


def _signed(index: Operand) -> Operand:
    if not isinstance(index.value, Number) or index.type.kind != "int":
        return index
    bits = index.type.bits
    return replace(index, value=replace(index.value, value=signed(index.value.value % (1 << bits), bits)))


def substituted(block: Block, known: Mapping[str, Value]) -> Block:
    """Return a block with values in the place of some names."""
    return replace(block, instructions=tuple(with_values(each, known) for each in block.instructions))


def _entered(block: Block, leads: Mapping[str, tuple[str, ...]]) -> Block:
    """Return a block whose phis have values only from blocks that lead to it."""
    kept = []
    for each in block.instructions:
        if each.operation == "phi":
            pairs = [p for p in zip(each.operands, each.targets, strict=True) if block.name in leads.get(p[1], ())]
            each = replace(each, operands=tuple(o for o, _ in pairs), targets=tuple(t for _, t in pairs))
        kept.append(each)
    return replace(block, instructions=tuple(kept))


def value_of(instruction: Instruction) -> Value | None:
    """Return what an instruction computes of numbers alone."""
    operation, operands = instruction.operation, instruction.operands
    if operation == "phi" and operands:
        first = operands[0].value
        return first if isinstance(first, Number) and all(each.value == first for each in operands) else None
    if operation == "select" and operands[0].type.kind == "int" and isinstance(operands[0].value, Number):
        return operands[1 if operands[0].value.value & 1 else 2].value
    if any(each.type.kind != "int" for each in operands):
        return None
    numbers = [each.value.value for each in operands if isinstance(each.value, Number)]
    if not numbers or len(numbers) != len(operands) or operation in DIVISIONS:
        return None
    if operation == "freeze":
        return operands[0].value
    bits = operands[0].type.bits
    numbers = [number & (1 << bits) - 1 for number in numbers]
    flags = instruction.words
    if operation == "icmp" and flags[0] in COMPARISONS:
        operation, flags = flags[0], flags[1:]
    elif not (operation in ARITHMETIC or operation in _CASTS):
        return None
    width = instruction.type.bits
    found = apply_operation(operation, width, told(operation, bits), tuple(numbers))
    if not isinstance(found, int) or not all(keeps(operation, flag, bits, numbers, (width, found)) for flag in flags):
        return None
    return Number(found)


def keeps(operation: str, flag: str, bits: int, numbers: Sequence[int], result: tuple[int, int]) -> bool:
    """Say whether arithmetic on numbers of so many bits keeps a flag; `result` is how wide it is, and what it is."""
    width, found = result
    if flag in _SEEN and operation in _WHOLE:
        seen = _SEEN[flag]
        first, *second = (seen(n, bits) for n in numbers)
        second = [*numbers[1:]] if operation == "shl" else second
        return _WHOLE[operation](first, *second) == seen(found, width)
    match flag:
        case "exact":
            return found << numbers[1] & (1 << bits) - 1 == numbers[0]
        case "disjoint":
            return not numbers[0] & numbers[1]
        case "nneg":
            return signed(numbers[0], bits) >= 0
        case "samesign":
            return (signed(numbers[0], bits) < 0) == (signed(numbers[1], bits) < 0)
    return False


def _terminator(instruction: Instruction) -> Instruction:
    """Return a branch on a number as one without a condition."""
    operands = instruction.operands
    if instruction.operation not in ("br", "switch") or not operands or not isinstance(operands[0].value, Number):
        return instruction
    chosen = operands[0].value.value & (1 << operands[0].type.bits) - 1
    target = instruction.targets[0 if instruction.operation == "switch" or chosen else 1]
    for case, where in zip(operands[1:], instruction.targets[1:], strict=False):
        if isinstance(case.value, Number) and case.value.value & (1 << operands[0].type.bits) - 1 == chosen:
            target = where
    loop = instruction.loop
    return Instruction("br", targets=(target,), loop=loop, span=instruction.span)
