"""Calls of the library of atomics as the accesses that they are.

What goes in: a function. What comes out: the function with accesses in the place of calls of `__atomic_load_4`,
`__atomic_compare_exchange` and the others that GCC's and LLVM's documents have. Invariant: a call whose order is no
constant, or which takes or leaves values in memory that others may see, stays a call.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from axmem.formats.ir.syntax import Function, Instruction, Operand
from axmem.formats.ir.types import IRType, integer
from axmem.front.records import replace
from axmem.litmus.syntax import AccessMode, Number, Ordering, Register

_OPERATIONS = "load|store|exchange|compare_exchange|fetch_(?:add|sub|and|or|xor|nand)"
_NAME = re.compile(rf"__atomic_({_OPERATIONS})(?:_(1|2|4|8|16))?")
_ORDERS = (
    Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.ACQUIRE, Ordering.RELEASE, Ordering.ACQ_REL, Ordering.SEQ_CST
)  # fmt: skip
"""By the numbers that C gives them; what consumes is an acquire."""
_SIZES = (1, 2, 4, 8, 16)


def library_atomics(function: Function) -> Function:
    """Return a function without calls of the library of atomics that are understood."""
    own = {each.result for block in function.blocks for each in block.instructions if each.operation == "alloca"}
    blocks = tuple(
        replace(block, instructions=tuple(i for each in block.instructions for i in _accesses(each, own)))
        for block in function.blocks
    )
    return replace(function, blocks=blocks) if blocks != function.blocks else function


def _accesses(call: Instruction, own: Collection[str]) -> Iterator[Instruction]:
    """Yield what a call is; an instruction that is none of the library is itself."""
    match = _NAME.fullmatch(call.callee)
    operands = list(call.operands)
    size = int(match[2]) if match and match[2] else 0
    if match and not size and operands and isinstance(given := operands[0].value, Number):
        size, operands = given.value, operands[1:]
    count = 2 if match and match[1] == "compare_exchange" else 1
    orders = [_order(each) for each in operands[-count:]]
    places = [each for each in operands[1:-count] if each.type.kind == "ptr"]
    if match is None or size not in _SIZES or None in orders or not all(_named(each) in own for each in places):
        yield call
        return
    yield from _access(call, match[1], integer(8 * size), operands[:-count], [o for o in orders if o is not None])


def _access(
    call: Instruction, what: str, type_: IRType, operands: list[Operand], orders: list[Ordering]
) -> Iterator[Instruction]:
    span, name = call.span, call.result or f"{call.callee}.{call.span.line}"
    address, *values = operands
    mode = AccessMode(ordering=orders[0])
    # Without a size in its name a call takes and leaves values in memory.
    left = values.pop() if what in ("load", "exchange") and values and values[-1].type.kind == "ptr" else None
    taken = []
    for index, each in enumerate(values):
        if each.type.kind == "ptr":
            yield Instruction("load", f"{name}.{index}", type_, (each,), span=span)
            taken.append(Operand(type_, Register(f"{name}.{index}"), span))
        else:
            taken.append(each)
    result = f"{name}.old" if left is not None or what == "compare_exchange" else call.result
    if what == "load":
        yield Instruction("load", result, type_, (address,), mode=mode, span=span)
    elif what == "store":
        yield Instruction("store", operands=(taken[0], address), mode=mode, span=span)
    elif what == "compare_exchange":
        pair = IRType("struct", fields=(type_, integer(1)))
        yield Instruction("cmpxchg", f"{name}.pair", pair, (address, *taken), (), mode, orders[1], span=span)
        whole = (Operand(pair, Register(f"{name}.pair"), span),)
        yield Instruction("extractvalue", result, type_, whole, indices=(0,), span=span)
        if call.result:
            yield Instruction("extractvalue", call.result, integer(1), whole, indices=(1,), span=span)
        left = values[0]
    else:
        word = "xchg" if what == "exchange" else what.removeprefix("fetch_")
        yield Instruction("atomicrmw", result, type_, (address, taken[0]), (word,), mode, span=span)
    if left is not None:
        # What a compare-exchange expected is what it found, if it has succeeded.
        yield Instruction("store", operands=(Operand(type_, Register(result), span), left), span=span)


def _order(operand: Operand) -> Ordering | None:
    value = operand.value
    known = isinstance(value, Number) and 0 <= value.value < len(_ORDERS)
    return _ORDERS[value.value] if known and isinstance(value, Number) else None


def _named(operand: Operand) -> str:
    return operand.value.name if isinstance(operand.value, Register) else ""
