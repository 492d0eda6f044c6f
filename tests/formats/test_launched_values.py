"""Pointers and their distances, poison in vectors, and what is frozen, in what is launched: numbers derived by hand."""

from __future__ import annotations

import pytest

import axmem
from axmem.formats.reading import parse

HEAD = "; axmem: launch k<<<1, 1>>>(b, 5)\n; axmem: exists (b="
KERNEL = "define amdgpu_kernel void @k(ptr addrspace(1) %b, i32 %n) {\n"
STORED = "store atomic i32 %r, ptr addrspace(1) %b monotonic, align 4\n  ret void\n}\n"
BACKWARDS = f"""{KERNEL}
  %t = alloca [5 x i32], addrspace(5)
  %all = addrspacecast ptr addrspace(5) %t to ptr
  %first = ptrtoint ptr %all to i64
  %last = getelementptr i32, ptr addrspace(5) %t, i32 4
  br label %loop
more:
  %q = getelementptr inbounds i8, ptr addrspace(5) %p, i32 -4
  br label %loop
loop:
  %p = phi ptr addrspace(5) [ %last, %0 ], [ %q, %more ]
  %wide = addrspacecast ptr addrspace(5) %p to ptr
  %here = ptrtoint ptr %wide to i64
  %bytes = sub i64 %here, %first
  %index = lshr exact i64 %bytes, 2
  %i = trunc i64 %index to i32
  store i32 %i, ptr addrspace(5) %p
  %z = icmp eq ptr addrspace(5) %p, %t
  br i1 %z, label %out, label %more
out:
  %m = and i32 %n, 3
  %at = getelementptr i32, ptr addrspace(5) %t, i32 %m
  %left = load i32, ptr addrspace(5) %at
  %third = getelementptr [5 x i32], ptr addrspace(5) %t, i32 0, i32 3
  %more3 = load i32, ptr addrspace(5) %third
  %ten = mul i32 %more3, 10
  %r = add i32 %left, %ten
  {STORED}"""
TEXTS = {
    "an array is filled from its end with how far each place is from its start": (BACKWARDS, 31),
    "indices that are computed, and fields": (f"""%s = type {{ i32, [3 x i16] }}
{KERNEL}
  %t = alloca [4 x %s]
  %m = and i32 %n, 3
  %from = getelementptr [4 x %s], ptr %t, i64 0, i32 %m, i32 1, i64 2
  %to = getelementptr %s, ptr %t, i64 3
  %one = ptrtoint ptr %to to i64
  %other = ptrtoint ptr %from to i64
  %d = sub i64 %one, %other
  %r = trunc i64 %d to i32
  {STORED}""", 3 * 12 - (12 + 4 + 4)),
    "a lane is poison, and the other is not": (f"""{KERNEL}
  %v0 = insertelement <2 x i32> poison, i32 %n, i64 0
  %v = insertelement <2 x i32> %v0, i32 7, i64 1
  %sum = add nsw <2 x i32> %v, <i32 2147483647, i32 3>
  %r = extractelement <2 x i32> %sum, i64 1
  {STORED}""", 10),
    "lanes are halved, and joined, beside one that is poison": (f"""{KERNEL}
  %long = zext i32 %n to i64
  %v = insertelement <4 x i64> <i64 poison, i64 poison, i64 1280, i64 poison>, i64 %long, i64 0
  %halves = bitcast <4 x i64> %v to <8 x i32>
  %first = extractelement <8 x i32> %halves, i64 0
  %two = shufflevector <8 x i32> %halves, <8 x i32> poison, <4 x i32> <i32 4, i32 0, i32 2, i32 3>
  %wide = bitcast <4 x i32> %two to <2 x i64>
  %joined = extractelement <2 x i64> %wide, i64 0
  %high = lshr i64 %joined, 32
  %low = trunc i64 %high to i32
  %whole = trunc i64 %joined to i32
  %sum = add i32 %low, %whole
  %r = add i32 %sum, %first
  {STORED}""", 1290),
    "what an update read is frozen": (f"""{KERNEL}
  %old = atomicrmw add ptr addrspace(1) %b, i32 4 monotonic, align 4
  %same = freeze i32 %old
  %r = add i32 %same, %n
  {STORED}""", 5),
}  # fmt: skip


@pytest.mark.parametrize("what", TEXTS)
def test_what_is_left(what: str) -> None:
    text, expected = TEXTS[what]
    found = {number: axmem.outcomes(parse(f"{HEAD}{number})\n{text}", "m.ll"), "amdgpu").verdict
             for number in (expected, expected + 1)}  # fmt: skip
    assert found == {expected: "always", expected + 1: "never"}


def test_a_branch_on_a_lane_that_is_poison_is_undefined() -> None:
    text, _ = TEXTS["a lane is poison, and the other is not"]
    branch = text.replace("i64 1\n  store", "i64 0\n  store").replace(
        "ret void",
        "%c = icmp eq i32 %r, 3\n  br i1 %c, label %l, label %l2\nl:\n  store i32 9, ptr addrspace(1) %b\n"
        "  br label %l2\nl2:\n  ret void",
    )
    assert axmem.outcomes(parse(f"{HEAD}1)\n{branch}", "m.ll"), "amdgpu").verdict == "undefined"


def test_memory_behind_an_index_that_is_not_known_is_there() -> None:
    """A pool of blocks behind the word that says which are taken: nothing says how many there are."""
    text = """; axmem: launch k<<<2, 1>>>(pool)
define amdgpu_kernel void @k(ptr addrspace(1) %pool) {
  %blocks = getelementptr i8, ptr addrspace(1) %pool, i64 4
  %n = atomicrmw add ptr addrspace(1) %pool, i32 1 monotonic, align 4
  %at = zext i32 %n to i64
  %mine = getelementptr {i32, i32}, ptr addrspace(1) %blocks, i64 %at
  %free = icmp ult i32 %n, 2
  br i1 %free, label %some, label %end
some:
  br label %use
use:
  %p = phi ptr addrspace(1) [ %mine, %some ]
  %second = getelementptr i8, ptr addrspace(1) %p, i64 4
  store i32 5, ptr addrspace(1) %second
  br label %end
end:
  ret void
}
"""
    found = axmem.outcomes(parse(text, "m.ll"), "amdgpu")
    assert found.complete and not found.undefined and not found.flags


def test_an_array_with_an_index_that_is_not_known_has_four_elements() -> None:
    """More are more memory for models and machine to look at; two lanes draw two of them."""
    text = """; axmem: launch k<<<2, 1>>>(next, tasks)
define amdgpu_kernel void @k(ptr addrspace(1) %next, ptr addrspace(1) %tasks) {
  %n = atomicrmw add ptr addrspace(1) %next, i32 1 monotonic, align 4
  %at = sext i32 %n to i64
  %mine = getelementptr i32, ptr addrspace(1) %tasks, i64 %at
  store i32 5, ptr addrspace(1) %mine
  ret void
}
"""
    test = parse(text, "m.ll")
    assert {each.name: each.type and each.type.lanes for each in test.locations} == {"next": 0, "tasks": 4}
    found = axmem.outcomes(test, "amdgpu")
    assert found.complete and not found.undefined and not found.flags
