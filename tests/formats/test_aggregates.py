"""Memory that is copied, and structures and arrays as values, in what is launched: numbers that are derived by hand."""

from __future__ import annotations

import pytest

import axmem
from axmem.formats.ir.extraction import extract
from axmem.formats.ir.slicing import SliceReason
from axmem.formats.reading import parse
from axmem.front.source import Source

LAUNCHED = "; axmem: launch k<<<1, 1>>>(b, 5)\n; axmem: exists (b="
MODULE = """
%s = type { i16, i64, [2 x i32] }
define amdgpu_kernel void @k(ptr addrspace(1) %b, i32 %n) {
  BODY
  store atomic i32 %r, ptr addrspace(1) %b monotonic, align 4
  ret void
}
define internal %s @changed(%s %given, i32 %k) {
  %a = extractvalue %s %given, 2, 1
  %sum = add i32 %a, %k
  %c = icmp eq i32 %k, 0
  br i1 %c, label %none, label %some
none:
  ret %s %given
some:
  %new = insertvalue %s %given, i32 %sum, 2, 1
  ret %s %new
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""
SET = """%p = alloca %s
  %q = alloca %s
  %p1 = getelementptr %s, ptr %p, i32 0, i32 2, i32 1
  %p0 = getelementptr %s, ptr %p, i32 0, i32 2, i32 0
  %q1 = getelementptr %s, ptr %q, i32 0, i32 2, i32 1
  store i32 40, ptr %p0
  store i32 %n, ptr %p1
"""
BODIES = {
    "a structure is copied": (f"""{SET}
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 24, i1 false)
  store i32 9, ptr %p1
  %r = load i32, ptr %q1""", 5),
    "what is read is read before anything is written": (f"""{SET}
  call void @llvm.memmove.p0.p0.i64(ptr %p1, ptr %p0, i64 4, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %q1, ptr %p1, i64 4, i1 false)
  %r = load i32, ptr %q1""", 40),
    "parts of what is moved lie over each other": ("""%t = alloca [4 x i16]
  %t1 = getelementptr i16, ptr %t, i64 1
  %t2 = getelementptr i16, ptr %t, i64 2
  store i16 3, ptr %t
  store i16 4, ptr %t1
  call void @llvm.memmove.p0.p0.i64(ptr %t1, ptr %t, i64 6, i1 false)
  %h = load i16, ptr %t2
  %r = zext i16 %h to i32""", 4),
    "memory is filled": ("""%t = alloca [2 x i32]
  %t1 = getelementptr i32, ptr %t, i64 1
  call void @llvm.memset.p0.i64(ptr %t, i8 1, i64 8, i1 false)
  %r = load i32, ptr %t1""", 0x01010101),
    "a structure is loaded, handed on, returned and stored": (f"""{SET}
  %v = load %s, ptr %p
  %w = call %s @changed(%s %v, i32 %n)
  store %s %w, ptr %q
  %r = load i32, ptr %q1""", 10),
    "a structure is returned as it was": (f"""{SET}
  %v = load %s, ptr %p
  %w = call %s @changed(%s %v, i32 0)
  %r = extractvalue %s %w, 2, 1""", 5),
    "one of two arrays": ("""%c = icmp eq i32 %n, 5
  %one = insertvalue [2 x i32] zeroinitializer, i32 %n, 1
  %a = select i1 %c, [2 x i32] %one, [2 x i32] [i32 7, i32 8]
  %x = extractvalue [2 x i32] %a, 0
  %y = extractvalue [2 x i32] %a, 1
  %t = mul i32 %x, 100
  %r = add i32 %t, %y""", 5),
    "a constant array": ("""%c = icmp ne i32 %n, 5
  %a = select i1 %c, [2 x i32] zeroinitializer, [2 x i32] [i32 7, i32 8]
  %x = extractvalue [2 x i32] %a, 0
  %y = extractvalue [2 x i32] %a, 1
  %t = mul i32 %x, 100
  %r = add i32 %t, %y""", 708),
    "what a compare-exchange gives is kept in memory": ("""%m = alloca i32
  %p = alloca { i32, i1 }
  store i32 6, ptr %m
  %both = cmpxchg ptr %m, i32 6, i32 7 monotonic monotonic
  store { i32, i1 } %both, ptr %p
  %was = load i32, ptr %p
  %ok = extractvalue { i32, i1 } %both, 1
  %one = zext i1 %ok to i32
  %r = add i32 %was, %one""", 7),
}  # fmt: skip


@pytest.mark.parametrize("what", BODIES)
def test_wholes_are_their_parts(what: str) -> None:
    body, expected = BODIES[what]
    text = MODULE.replace("BODY", body)
    found = {number: axmem.outcomes(parse(f"{LAUNCHED}{number})\n{text}", "m.ll"), "amdgpu").verdict
             for number in (expected, expected + 1)}  # fmt: skip
    assert found == {expected: "always", expected + 1: "never"}


def test_a_copy_of_a_length_that_is_not_known_is_left_out_and_said() -> None:
    body = """%l = zext i32 %n to i64
  %t = alloca [2 x i32]
  call void @llvm.memset.p0.i64(ptr %t, i8 1, i64 %l, i1 false)
  %r = load i32, ptr %t"""
    text = MODULE.replace("BODY", body)
    found = extract(Source("m.ll", f"; axmem: kernel @k workgroups 2\n{text}"))
    assert ("call of @llvm.memset.p0.i64", SliceReason.CALL) in [(each.word, each.reason) for each in found.left_out]
