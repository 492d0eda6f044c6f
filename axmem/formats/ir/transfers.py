"""Intrinsics that copy or fill memory, as the loads and stores that they are.

What goes in: a function in which lengths are numbers. What comes out: the function with accesses in the place of
`llvm.memcpy`, `llvm.memmove`, `llvm.memset` and those of theirs that access elements with unordered atomics. Invariant:
everything that a copy reads is read before anything is written, except by `memcpy`, whose places do not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from axmem.formats.ir.memory import MOST_LANES, Unspeakable
from axmem.formats.ir.syntax import Block, Function, Instruction, Operand, Value
from axmem.formats.ir.types import IRType, integer
from axmem.front.records import replace
from axmem.front.source import Span
from axmem.litmus.syntax import AccessMode, Number, Ordering, Register

_NAME = re.compile(r"llvm\.mem(cpy|move|set)(\.inline|\.element\.unordered\.atomic)?\.")
BYTE, WIDE = integer(8), integer(64)


def is_transfer(callee: str) -> bool:
    """Say whether a call of this function copies or fills memory."""
    return bool(_NAME.match(callee))


def places_lie_apart(call: Instruction) -> bool:
    """Say whether it is undefined behaviour that a call copies between places that overlap."""
    match = _NAME.match(call.callee)
    return match is not None and match[1] == "cpy"


def transferred(call: Instruction) -> tuple[Value, Value | None]:
    """Return where a call that copies or fills memory writes, and where it reads, if it does."""
    match = _NAME.match(call.callee)
    assert match is not None
    target, source = call.operands[:2]
    return target.value, None if match[1] == "set" else source.value


def transferred_bytes(call: Instruction) -> int | None:
    """Return how many bytes a call copies or fills; None if these are no whole number of elements: that is undefined.

    A length that is not known counts as 1.
    """
    match, length, last = _NAME.match(call.callee), call.operands[2], call.operands[3]
    assert match is not None
    if not isinstance(length.value, Number):
        return 1
    size = length.value.value & (1 << length.type.bits) - 1
    step = last.value.value if (match[2] or "").startswith(".element") and isinstance(last.value, Number) else 1
    return None if size % step else size


def aligned(call: Instruction, argument: int) -> int:
    """Return to how many bytes a pointer is aligned that a call copies by, as an attribute says; element-wise ones have
    it, and where it is not true the call is undefined behaviour."""
    return said_alignment(call.operands[argument].words)


def said_alignment(words: Sequence[str]) -> int:
    """Return to how many bytes attributes say that a pointer is aligned: `align 4`, `align(4)`; 1 if none does."""
    return int(next(w for w in words[words.index("align") :] if w.isdecimal())) if "align" in words else 1


def written_out(function: Function, *, all_of_them: bool = True) -> Function:
    """Return a function without intrinsics that copy or fill memory.

    Raises `Unspeakable` for what is too long, or leaves it if it need not be `all_of_them`.
    """
    blocks = tuple(_block(block, all_of_them) for block in function.blocks)
    return replace(function, blocks=blocks) if blocks != function.blocks else function


def _block(block: Block, all_of_them: bool) -> Block:
    found: list[Instruction] = []
    for index, each in enumerate(block.instructions):
        try:
            found += list(_accesses(each, f"{block.name}.{index}")) if is_transfer(each.callee) else [each]
        except Unspeakable:
            if all_of_them:
                raise
            found.append(each)
    return replace(block, instructions=tuple(found))


def _accesses(call: Instruction, name: str) -> Iterator[Instruction]:
    """Yield the loads and stores of a call."""
    match = _NAME.match(call.callee)
    assert match is not None
    target, source, length, last = call.operands
    atomic = (match[2] or "").startswith(".element")
    size, step = _number(length, call), _number(last, call) if atomic else 0
    if size == 0:
        return
    if atomic:
        mode, type_, places = AccessMode(ordering=Ordering.UNORDERED), integer(8 * step), range(0, size, step)
    else:
        mode = AccessMode(volatile=bool(_number(last, call)))
        unit = next(unit for unit in (8, 4, 2, 1) if size % unit == 0)
        type_, places = integer(8 * unit), range(1)
        type_ = type_ if size == unit else IRType("vector", count=size // unit, element=type_)
    if len(places) > MOST_LANES or type_.count > MOST_LANES:
        hint = f"at most {MOST_LANES} elements are copied"
        raise Unspeakable(call.span, f"'@{call.callee}' of {size} bytes has no meaning in a test", hint)
    loads, stores = [], []
    for number, at in enumerate(places):
        value = Operand(type_, Register(f"{name}.{number}"), call.span)
        if match[1] == "set":
            loads += filled(source, type_, f"{name}.{number}", call)
        else:
            loads.append(behind(f"{name}.{number}.from", source, at, call.span))
            place = Operand(source.type, Register(f"{name}.{number}.from"), call.span)
            loads.append(Instruction("load", f"{name}.{number}", type_, (place,), mode=mode, span=call.span))
        stores.append(behind(f"{name}.{number}.to", target, at, call.span))
        place = Operand(target.type, Register(f"{name}.{number}.to"), call.span)
        stores.append(Instruction("store", operands=(value, place), mode=mode, span=call.span))
        if match[1] == "cpy":
            yield from (*loads, *stores)
            loads, stores = [], []
    yield from (*loads, *stores)


def _number(operand: Operand, call: Instruction) -> int:
    if not isinstance(operand.value, Number):
        raise Unspeakable(call.span, f"'@{call.callee}' has no meaning in a test", "its length is no number")
    return operand.value.value & (1 << operand.type.bits) - 1


def behind(result: str, pointer: Operand, offset: int, span: Span) -> Instruction:
    """Return what computes the place that is so many bytes behind a pointer."""
    operands = (pointer, Operand(WIDE, Number(offset), span))
    return Instruction("getelementptr", result, BYTE, operands, span=span)


def filled(byte: Operand, type_: IRType, name: str, call: Instruction) -> list[Instruction]:
    """Return what computes a value all bytes of which are the same."""
    lane = type_.element or type_
    ones = sum(1 << 8 * index for index in range(lane.bits // 8))
    if isinstance(byte.value, Number):
        value = Operand(type_, Number((byte.value.value & 0xFF) * ones), call.span)
        return [Instruction("bitcast", name, type_, (value,), span=call.span)]
    if type_.kind == "vector":
        raise Unspeakable(call.span, f"'@{call.callee}' has no meaning in a test", "it fills memory with no constant")
    wide = Operand(type_, Register(f"{name}.byte"), call.span)
    one = Operand(type_, Number(ones), call.span)
    cast = Instruction("zext" if lane.bits > BYTE.bits else "bitcast", f"{name}.byte", type_, (byte,), span=call.span)
    return [cast, Instruction("mul", name, type_, (wide, one), span=call.span)]
