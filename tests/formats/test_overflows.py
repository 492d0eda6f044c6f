"""Sums, differences and products that say whether they overflow, or stop at a bound, as arithmetic: computed here.

What is expected is Python's arithmetic without bounds.
"""

from __future__ import annotations

import operator
from itertools import product

import pytest

from axmem.formats.ir.counting import with_counts
from axmem.formats.ir.syntax import Block, Function, Instruction, Operand
from axmem.formats.ir.types import VOID, IRType, integer
from axmem.litmus.syntax import Number, Register

EXACT = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
COMPARED = {"eq": operator.eq, "ne": operator.ne, "ult": operator.lt, "slt": operator.lt}


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def computed(call: Instruction, *given: int) -> object:
    """Return what the instructions give that stand for a call: a number, or a pair of them."""
    values: dict[str, object] = dict(zip("ab", given, strict=True))
    (block,) = with_counts(Function("f", VOID, (), (Block("b", (call,)),))).blocks
    assert all(each.operation != "call" for each in block.instructions)
    for each in block.instructions:
        found = [o.value.value if isinstance(o.value, Number) else values.get(getattr(o.value, "name", ""), (0, 0))
                 for o in each.operands]  # fmt: skip
        values[each.result] = step(each, found)
    return values["r"]


def step(each: Instruction, found: list) -> object:  # type: ignore[type-arg]  # numbers, and pairs of them
    bits = each.operands[0].type.bits
    match each.operation:
        case "icmp":
            if each.words[0].startswith("s"):
                found = [signed(value, bits) for value in found]
            return int(COMPARED[each.words[0]](*found))
        case "select":
            return found[1] if found[0] else found[2]
        case "insertvalue":
            return tuple(found[1] if k == each.indices[0] else old for k, old in enumerate(found[0]))
        case "sext" | "zext":
            return signed(found[0], bits) % (1 << each.type.bits) if each.operation == "sext" else found[0]
        case "xor" | "and":
            return {"xor": operator.xor, "and": operator.and_}[each.operation](*found)
        case "ashr":
            return (signed(found[0], bits) >> found[1]) % (1 << bits)
        case "lshr":
            return found[0] >> found[1]
        case "udiv":
            return found[0] // found[1]
        case "sdiv":
            one, other = (signed(value, bits) for value in found)
            assert (one, other) != (-(1 << (bits - 1)), -1)
            return (abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)) % (1 << bits)
    return EXACT[each.operation](*found) % (1 << bits)


def call(name: str, type_: IRType, bits: int) -> Instruction:
    operands = tuple(Operand(integer(bits), Register(each)) for each in "ab")
    return Instruction("call", "r", type_, operands, callee=f"llvm.{name}.i{bits}")


def numbers(bits: int) -> list[int]:
    half = 1 << (bits - 1)
    near = (
        *range(-3, 4),
        7,
        11,
        half,
        half + 1,
        half - 1,
        half // 2,
        half // 2 + 1,
        (1 << bits // 2) - 1,
        1 << bits // 2,
    )
    return sorted({each % (1 << bits) for each in near})


@pytest.mark.parametrize(("sign", "word", "bits"), [*product("su", EXACT, (8, 16, 32, 64))])
def test_what_overflows_is_said(sign: str, word: str, bits: int) -> None:
    type_ = IRType("struct", fields=(integer(bits), integer(1)))
    for one, other in product(numbers(bits), repeat=2):
        a, b = (signed(each, bits) if sign == "s" else each for each in (one, other))
        whole = EXACT[word](a, b)
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if sign == "s" else (0, (1 << bits) - 1)
        found = computed(call(f"{sign}{word}.with.overflow", type_, bits), one, other)
        assert found == (whole % (1 << bits), int(not low <= whole <= high)), (one, other)


@pytest.mark.parametrize(("word", "bits"), [*product(("add", "sub"), (8, 16, 32, 64))])
def test_signed_numbers_stop_at_their_bounds(word: str, bits: int) -> None:
    least = -(1 << (bits - 1))
    for one, other in product(numbers(bits), repeat=2):
        whole = EXACT[word](signed(one, bits), signed(other, bits))
        found = computed(call(f"s{word}.sat", integer(bits), bits), one, other)
        assert found == min(max(whole, least), -least - 1) % (1 << bits), (one, other)
