"""What clang makes of a compare-exchange without optimization: what is expected is memory, and holds what was found.

The control: where the memory held another number than the one that was compared, or the blocks are others, it stays.
"""

from __future__ import annotations

import pytest

import axmem
from axmem.formats.reading import parse
from axmem.litmus.kernels import Phi
from axmem.litmus.walk import statements

MODULE = """
; axmem: launch k<<<2, 1>>>(lock, out)
; axmem: exists (out=CHECKED)
define amdgpu_kernel void @k(ptr addrspace(1) %lock, ptr addrspace(1) %out) #0 {
entry:
  %expected = alloca i32, addrspace(5)
  br label %while
while:
  store i32 HELD, ptr addrspace(5) %expected
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 syncscope("agent") acquire monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label BRANCH
failed:
  store i32 %old, ptr addrspace(5) %expected
  br label %on
on:
  %found = load i32, ptr addrspace(5) %expected
  %again = icmp ne i32 %found, HELD
  br i1 %again, label %while, label %end
end:
  %n = load i32, ptr addrspace(1) %out
  %m = add i32 %n, 1
  store i32 %m, ptr addrspace(1) %out
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  ret void
}
attributes #0 = { noinline optnone }
"""
RIGHT = "%on, label %failed"


def module(held: str, branch: str, checked: str = "2") -> str:
    return MODULE.replace("HELD", held).replace("BRANCH", branch).replace("CHECKED", checked)


@pytest.mark.parametrize(("held", "branch", "merged"), [
    ("0", RIGHT, 0), ("7", RIGHT, 1), ("0", "%failed, label %on", 1),
])  # fmt: skip
def test_what_was_expected_and_found_is_one_value(held: str, branch: str, merged: int) -> None:
    (kernel,) = parse(module(held, branch), "m.ll").kernels
    assert sum(isinstance(each, Phi) for each in statements(kernel.body)) == merged


def test_a_loop_that_tries_until_it_has_the_lock_ends_with_it() -> None:
    """The control: no lane sees that the other has done nothing."""
    for checked, verdict in (("2", "always"), ("1", "never")):
        assert axmem.outcomes(parse(module("0", RIGHT, checked), "m.ll"), "amdgpu").verdict == verdict
