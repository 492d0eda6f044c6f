"""Divisions: their numbers, those that are none, and what refine says of moving them.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import axmem
from axmem.formats.reading import parse
from axmem.front.source import InputError
from axmem.litmus.arithmetic import apply_operation
from axmem.litmus.undef import POISONED
from tests.drawn import in_full
from tests.refinement.test_functions import SOUND, UNSOUND, asked

NUMBERS = {
    ("udiv", 200, 7): 28, ("urem", 200, 7): 4, ("sdiv", 200, 7): -8, ("srem", 200, 7): 0, ("sdiv", 7, -2): -3,
    ("srem", 7, -2): 1, ("srem", -7, 2): -1, ("sdiv", -128, 1): -128, ("udiv", 128, 255): 0, ("sdiv", -127, -1): 127,
}  # fmt: skip
NONE = [("udiv", 1, 0), ("urem", 0, 0), ("sdiv", 1, 0), ("srem", 1, 0), ("sdiv", -128, -1), ("srem", -128, -1)]


@pytest.mark.parametrize(("word", "value", "by"), [*NUMBERS, *NONE])
def test_numbers_of_eight_bits(word: str, value: int, by: int) -> None:
    found = apply_operation(word, 8, (), (value % 256, by % 256))
    wanted = NUMBERS.get((word, value, by))
    assert found == (POISONED if wanted is None else wanted % 256)


MODULE = """
; axmem: launch k<<<1, 1>>>(a, b); put<<<1, 1>>>(a)
; axmem: exists (b=RESULT)
define amdgpu_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %v = load atomic i8, ptr addrspace(1) %a monotonic, align 1
  %more = add i8 %v, MORE
  %r = DIVISION
  store atomic i8 %r, ptr addrspace(1) %b monotonic, align 1
  ret void
}
define amdgpu_kernel void @put(ptr addrspace(1) %a) {
  store atomic i8 VALUE, ptr addrspace(1) %a monotonic, align 1
  ret void
}
"""


def module(division: str, value: int, more: int = 1, result: int = 77) -> str:
    words = {"DIVISION": division, "VALUE": str(value), "MORE": str(more), "RESULT": str(result)}
    text = MODULE
    for word, stands in words.items():
        text = text.replace(word, stands)
    return text


def verdict(division: str, value: int, more: int = 1, result: int = 77) -> str:
    return axmem.outcomes(parse(module(division, value, more, result), "m.ll"), "amdgpu").verdict


@pytest.mark.parametrize(
    ("division", "value", "result"),
    [
        ("udiv i8 100, %more", 2, 33),
        ("urem i8 100, %more", 2, 1),
        ("sdiv i8 %more, -7", -22, 3),
        ("srem i8 %v, 7", -6, -6),
    ],
)
def test_a_division_by_what_is_loaded(division: str, value: int, result: int) -> None:
    assert verdict(division, value, result=result) == "sometimes"
    assert verdict(division, value, result=result + 1) == "never"


@pytest.mark.parametrize(
    ("division", "value", "more"),
    [
        ("udiv i8 1, %v", 0, 1),
        ("srem i8 1, %more", 3, -3),
        ("sdiv i8 %v, %more", -128, 127),
        ("sdiv i8 %v, -1", -128, 1),
    ],
)
def test_a_division_that_is_none_is_undefined_behaviour(division: str, value: int, more: int) -> None:
    assert verdict(division, value, more) == "undefined"


def test_the_reason_is_said() -> None:
    said = axmem.outcomes(parse(module("sdiv i8 1, %v", 0), "m.ll"), "amdgpu").undefined
    assert said == ("a division by zero, or of the least number by -1",)


def test_the_least_number_by_minus_one_is_asked_of_signed_divisions_alone() -> None:
    assert verdict("udiv i8 %v, -1", -128, result=0) == "always"


def test_lanes_of_vectors_are_divided_by_constants() -> None:
    text = (Path(__file__).parent.parent / "malformed/llvm-ir/division.ll").read_text(encoding="utf-8")
    with pytest.raises(InputError, match="a division of vectors by what is no constant"):
        parse(text, "m.ll")
    parse(text.replace("<i32 8, i32 9>, %a", "%a, <i32 8, i32 9>"), "m.ll")
    with pytest.raises(InputError, match="a division of vectors by what is no constant"):
        parse(text.replace("<i32 8, i32 9>, %a", "%a, <i32 8, i32 0>"), "m.ll")


WITHIN = """
define i32 @SIDE(i32 noundef %a, i32 noundef %b, i1 noundef %c, ptr %p) {
  br i1 %c, label %y, label %n
y:
  %d = WORD i32 %a, %b
  store atomic i32 %d, ptr %p monotonic, align 4
  ret i32 %d
n:
  ret i32 0
}
"""
BEFORE = """
define i32 @SIDE(i32 noundef %a, i32 noundef %b, i1 noundef %c, ptr %p) {
  %d = WORD i32 %a, %b
  br i1 %c, label %y, label %n
y:
  store atomic i32 %d, ptr %p monotonic, align 4
  ret i32 %d
n:
  ret i32 0
}
"""


def sides(before: tuple[str, str], after: tuple[str, str]) -> str:
    both = (("src", *before), ("tgt", *after))
    return "".join(text.replace("SIDE", side).replace("WORD", word) for side, text, word in both)


@pytest.mark.parametrize(
    ("before", "after", "answer"),
    [
        ((BEFORE, "udiv"), (WITHIN, "udiv"), SOUND),
        ((WITHIN, "udiv"), (BEFORE, "udiv"), UNSOUND),
        pytest.param((WITHIN, "sdiv exact"), (WITHIN, "sdiv"), SOUND, marks=in_full),
        ((WITHIN, "sdiv"), (WITHIN, "sdiv exact"), UNSOUND),
        ((WITHIN, "sdiv"), (WITHIN, "udiv"), UNSOUND),
    ],
)
def test_what_refine_says_of_divisions(
    tmp_path: Path, before: tuple[str, str], after: tuple[str, str], answer: int
) -> None:
    assert asked(tmp_path, sides(before, after)) == answer
