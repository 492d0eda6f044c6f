"""Bits that are counted, divisions, variables of functions that nobody has optimized, and how far indices reach.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from itertools import product

import pytest

import axmem
from axmem.formats.ir.counting import with_counts
from axmem.formats.ir.syntax import Block, Function, Instruction, Operand
from axmem.formats.ir.types import integer
from axmem.formats.reading import parse
from axmem.front.source import InputError
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import Number, Register
from tests.drawn import some

CALLS = {
    "call i32 @llvm.ctpop.i32(i32 %v)": lambda v: v.bit_count(),
    "call i32 @llvm.cttz.i32(i32 %v, i1 false)": lambda v: (v & -v).bit_length() - 1 if v else 32,
    "call i32 @llvm.ctlz.i32(i32 %v, i1 false)": lambda v: 32 - v.bit_length(),
    "call i32 @llvm.bitreverse.i32(i32 %v)": lambda v: int(f"{v:032b}"[::-1], 2),
    "call i32 @llvm.bswap.i32(i32 %v)": lambda v: int.from_bytes(v.to_bytes(4, "little"), "big"),
    "call i32 @llvm.fshl.i32(i32 %v, i32 -2, i32 33)": lambda v: (v << 1 | 1) % 2**32,
    "call i32 @llvm.fshr.i32(i32 5, i32 %v, i32 3)": lambda v: (5 << 32 | v) >> 3 & (2**32 - 1),
    "call i32 @llvm.fshl.i32(i32 %v, i32 -1, i32 64)": lambda v: v,
    "call i32 @llvm.fshr.i32(i32 9, i32 %v, i32 32)": lambda v: v,
    "call i32 @llvm.abs.i32(i32 %v, i1 false)": lambda v: v if v < 2**31 else 2**32 - v,
    "call i32 @llvm.usub.sat.i32(i32 %v, i32 7)": lambda v: max(v - 7, 0),
    "call i32 @llvm.uadd.sat.i32(i32 %v, i32 7)": lambda v: min(v + 7, 2**32 - 1),
    "udiv i32 %v, 8": lambda v: v // 8,
    "urem i32 %v, 8": lambda v: v % 8,
    "udiv i32 %v, -2147483648": lambda v: v >> 31,
    "urem i32 %v, -2147483648": lambda v: v % (1 << 31),
}
MODULE = """
define amdgpu_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %v = load atomic i32, ptr addrspace(1) %a monotonic, align 4
  %r = CALL
  store atomic i32 %r, ptr addrspace(1) %b monotonic, align 4
  ret void
}
define amdgpu_kernel void @put(ptr addrspace(1) %a) {
  store atomic i32 VALUE, ptr addrspace(1) %a monotonic, align 4
  ret void
}
"""


@pytest.mark.parametrize(("call", "value"), some([*product(CALLS, (1, 0x80000000, 0x00F0F00A, 0xFFFFFFFF))], of=5))
def test_bits_are_counted(call: str, value: int) -> None:
    text = MODULE.replace("CALL", call).replace("VALUE", str(value))
    launched = "; axmem: launch k<<<1, 1>>>(a, b); put<<<1, 1>>>(a)\n; axmem: exists (b="
    found = {r: axmem.outcomes(parse(f"{launched}{r})\n{text}", "m.ll"), "amdgpu").verdict
             for r in (CALLS[call](value), CALLS[call](0), 77)}  # fmt: skip
    assert found[77] == "never"
    assert {found[CALLS[call](value)], found[CALLS[call](0)]} == {"sometimes"} or CALLS[call](0) == CALLS[call](value)


@pytest.mark.parametrize("word", ["udiv", "urem"])
def test_a_divisor_below_zero_is_a_large_number(word: str) -> None:
    """-4 is 2**32 - 4, which is no power of two: such a division is not computed here."""
    value = Operand(integer(32), Register("v"))
    division = Instruction(word, "r", integer(32), (value, Operand(integer(32), Number(-4))))
    function = Function("f", integer(32), (), (Block("b", (division,)),))
    assert with_counts(function).blocks[0].instructions == (division,)


MASKED = """
; axmem: launch k<<<1, 4>>>(a)
; axmem: forall (a={0,0,1,2})
define amdgpu_kernel void @k(ptr addrspace(1) %a) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 MASK, i32 0)
  %n = call i32 @llvm.amdgcn.mbcnt.hi(i32 MASK, i32 %lo)
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 %n, ptr addrspace(1) %p, align 4
  ret void
}
"""


@pytest.mark.parametrize(("mask", "verdict"), [(0b0110, "always"), (0b0111, "never")])
def test_lanes_below_are_counted_in_a_mask(mask: int, verdict: str) -> None:
    """Of lanes 1 and 2 there are none below lanes 0 and 1, one below lane 2, both below lane 3."""
    test = parse(MASKED.replace("MASK", str(mask)), "m.ll")
    assert axmem.outcomes(test, "amdgpu").verdict == verdict


UNOPTIMIZED = """
; axmem: launch k<<<2, 1>>>(a)
define amdgpu_kernel void @k(ptr addrspace(1) %a) optnone noinline {
entry:
  %slot = alloca ptr, align 8, addrspace(5)
  %i = alloca i32, align 4, addrspace(5)
  %slot.cast = addrspacecast ptr addrspace(5) %slot to ptr
  %i.cast = addrspacecast ptr addrspace(5) %i to ptr
  store ptr addrspace(1) %a, ptr %slot.cast, align 8
  store i32 0, ptr %i.cast, align 4
  br label %head
head:
  %n = load i32, ptr %i.cast, align 4
  %more = icmp ult i32 %n, 2
  br i1 %more, label %body, label %end
body:
  %p = load ptr, ptr %slot.cast, align 8
  %was = atomicrmw add ptr %p, i32 1 monotonic, align 4
  %m = load i32, ptr %i.cast, align 4
  %next = add i32 %m, 1
  store i32 %next, ptr %i.cast, align 4
  br label %head
end:
  ESCAPE
  ret void
}
declare void @f(ptr)
"""


def test_variables_of_its_own_are_values() -> None:
    printed = print_test(parse(UNOPTIMIZED.replace("ESCAPE", ""), "m.ll"))
    assert "private" not in printed and "i.0.head = phi i32 [ 0, entry ]" in printed
    assert "atomicrmw add a, 1" in printed


def test_a_variable_whose_address_goes_elsewhere_stays() -> None:
    printed = print_test(parse(UNOPTIMIZED.replace("ESCAPE", "store ptr %i.cast, ptr addrspace(1) %a"), "m.ll"))
    assert "phi" not in printed


REACHING = """
; axmem: launch k<<<1, 2>>>(a, b)
define amdgpu_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  %q = getelementptr i8, ptr addrspace(1) %p, i64 24
  %v = load i32, ptr addrspace(1) %q, align 4
  %w = getelementptr i32, ptr addrspace(1) %b, i32 %i
  store i32 %v, ptr addrspace(1) %w, align 4
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}
"""


def test_memory_is_as_large_as_indices_say() -> None:
    sizes = {each.name: each.type.lanes for each in parse(REACHING, "m.ll").locations if each.type is not None}
    assert sizes == {"a": 8, "b": 2}


TRAPPING = """
; axmem: launch k<<<1, 1>>>(a); put<<<1, 1>>>(a)
define amdgpu_kernel void @k(ptr addrspace(1) %a) {
  %v = load atomic i32, ptr addrspace(1) %a monotonic, align 4
  %bad = icmp eq i32 %v, 2
  br i1 %bad, label %no, label %yes
no:
  call void @llvm.trap()
  unreachable
yes:
  ret void
}
define amdgpu_kernel void @put(ptr addrspace(1) %a) {
  store atomic i32 VALUE, ptr addrspace(1) %a monotonic, align 4
  ret void
}
declare void @llvm.trap()
"""


@pytest.mark.parametrize(("value", "verdict"), [(1, "always"), (2, "undefined")])
def test_a_trap_that_is_reached_is_a_fault(value: int, verdict: str) -> None:
    assert axmem.outcomes(parse(TRAPPING.replace("VALUE", str(value)), "m.ll"), "amdgpu").verdict == verdict


def test_a_function_that_only_stops_is_a_fault() -> None:
    text = "; axmem: launch k<<<1, 1>>>(a)\ndefine amdgpu_kernel void @k(ptr addrspace(1) %a) {\n  unreachable\n}\n"
    assert axmem.outcomes(parse(text, "m.ll"), "amdgpu").verdict == "undefined"
    with pytest.raises(InputError, match="no thread of this accesses memory"):
        parse(text.replace("unreachable", "ret void"), "m.ll")
