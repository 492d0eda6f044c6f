"""Lanes of vectors at an index that is computed, and what is said of values that are not known."""

from __future__ import annotations

import pytest

import axmem
from axmem.formats.reading import parse

MODULE = """
; axmem: launch k<<<1, 1>>>(a, b); put<<<1, 1>>>(a)
; axmem: observe @b
define amdgpu_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %i = load atomic i32, ptr addrspace(1) %a monotonic, align 4
  %put = insertelement <3 x i32> <i32 5, i32 6, i32 7>, i32 9, i32 %i
  %r = extractelement <3 x i32> VECTOR, i32 INDEX
  store atomic i32 %r, ptr addrspace(1) %b monotonic, align 4
  ret void
}
define amdgpu_kernel void @put(ptr addrspace(1) %a) {
  store atomic i32 VALUE, ptr addrspace(1) %a monotonic, align 4
  ret void
}
"""
WHOLE = "<i32 5, i32 6, i32 7>"


@pytest.mark.parametrize(
    ("vector", "index", "value", "results"),
    [
        (WHOLE, "%i", 2, {5, 7}),
        (WHOLE, "%i", 3, {5, "undef"}),
        ("%put", "1", 1, {6, 9}),
        ("%put", "2", 1, {7}),
        ("%put", "%i", 2, {9}),
        ("%put", "1", 4, {6, "undef"}),
        (WHOLE, "3", 1, {"undef"}),
    ],
)
def test_a_lane_at_an_index_that_is_read(vector: str, index: str, value: int, results: set[int | str]) -> None:
    """Where nothing was stored yet the index is 0."""
    text = MODULE.replace("VECTOR", vector).replace("INDEX", index).replace("VALUE", str(value))
    found = axmem.outcomes(parse(text, "m.ll"), "amdgpu")
    assert {row[-1] for row in found.texts} == {str(result) for result in results}


GUESSED = """
; axmem: launch k<<<2, 1>>>(a)
define amdgpu_kernel void @k(ptr addrspace(1) %a) {
  %v = load <2 x i32>, ptr addrspace(1) %a, align 8
  %c = udiv <2 x i32> <i32 1, i32 2>, %v
  %e = extractelement <2 x i32> %c, i32 0
  %b = icmp eq i32 %e, 0
  %n = select i1 %b, i32 1, i32 2
  store i32 %n, ptr addrspace(1) %a, align 4
  ret void
}
"""


def test_why_a_value_is_guessed_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    parse(GUESSED, "guessed.ll")
    said = capsys.readouterr().err
    assert "guessed of @k: %n: 1: can add and lose outcomes" in said
    assert "not known of @k: a division of vectors by what is no constant has no meaning in a test (line 5)" in said


def test_nothing_is_said_of_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    parse(GUESSED.replace("store i32 %n", "store i32 7"), "left-out.ll")
    assert "not known" not in capsys.readouterr().err


COMPARED = """
; axmem: launch f(a, o)
; axmem: observe @o
@a = global <2 x TYPE> <TYPE NUMBERS>
@o = global <2 x i32> zeroinitializer
define void @f(ptr %a, ptr %o) {
  %v = load <2 x TYPE>, ptr %a
  %c = COMPARISON <2 x TYPE> %v, <TYPE WITH>
  %s = select <2 x i1> %c, <2 x i32> <i32 100, i32 200>, <2 x i32> <i32 3, i32 4>
  %z = zext <2 x i1> %c to <2 x i32>
  %t = add <2 x i32> %s, %z
  store <2 x i32> %t, ptr %o
  ret void
}
"""


@pytest.mark.parametrize(
    ("type_", "numbers", "comparison", "with_", "result"),
    [
        ("i32", (5, -7), "icmp slt", (3, 4), "{3,201}"),
        ("i32", (5, -7), "icmp ult", (6, 4), "{101,4}"),
        ("i8", (5, -7), "icmp eq", (5, -7), "{101,201}"),
        ("float", ("5.0", "-7.0"), "fcmp olt", ("3.0", "4.0"), "{3,201}"),
    ],
)
def test_vectors_are_compared_lane_by_lane(
    type_: str, numbers: tuple[object, object], comparison: str, with_: tuple[object, object], result: str
) -> None:
    text = COMPARED.replace("NUMBERS", f", {type_} ".join(map(str, numbers))).replace("COMPARISON", comparison)
    text = text.replace("WITH", f", {type_} ".join(map(str, with_))).replace("TYPE", type_)
    found = axmem.outcomes(parse(text, "m.ll"), "amdgpu")
    assert {row[-1] for row in found.texts} == {result}
