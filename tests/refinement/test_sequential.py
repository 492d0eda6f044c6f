"""Updates that compute nothing, whatever memory holds, are no arithmetic that another tool would have to decide."""

from __future__ import annotations

from itertools import product

import pytest

from axmem.formats.ir.pairs import function_pairs
from axmem.front.source import Source
from axmem.litmus.arithmetic import apply_operation
from axmem.refinement.sequential import other_arithmetic

WORDS = ("add", "sub", "or", "xor", "and", "nand", "umin", "umax", "min", "max")


def arithmetic(before: str, after: str, type_: str = "i8") -> tuple[str, ...]:
    first, second = (f" %r = atomicrmw {each} monotonic, align 8\n ret {type_} %r\n" for each in (before, after))
    return computed(first, second, f"{type_} @{{}}(ptr %p)")


def computed(before: str, after: str, head: str) -> tuple[str, ...]:
    """Return what is said of two bodies of functions."""
    sides = (("src", before), ("tgt", after))
    text = "".join(f"define {head.format(name)} {{\n{body}}}\n" for name, body in sides)
    ((pair),) = function_pairs(Source("t.ll", text))
    return other_arithmetic(pair.before.function, pair.after.function)


@pytest.mark.parametrize("word", WORDS)
def test_an_update_is_no_arithmetic_if_it_keeps_or_replaces_every_number(word: str) -> None:
    for number in (0, 1, 0x55, 0x7F, 0x80, 0xFF):
        made = [apply_operation("not", 8, (), (apply_operation("and", 8, (), (old, number)),)) if word == "nand"
                else apply_operation(word, 8, (), (old, number)) for old in range(256)]  # fmt: skip
        nothing = made == list(range(256)) or len(set(made)) == 1
        assert (arithmetic("xchg ptr %p, i8 3", f"{word} ptr %p, i8 {number}") == ()) == nothing, number


def test_every_other_update_is() -> None:
    for one, other in product(("or", "xor"), ("add", "and")):
        assert arithmetic(f"{one} ptr %p, i8 3", f"{other} ptr %p, i8 3")[0] == f"atomicrmw {other} i8 only after"


SHIFT = " %s = shl {} i8 %x, {}\n ret i8 %s\n"
EQUAL = [("add i8 %x, %x", 1), *((f"mul i8 %x, {1 << bits & 255}", bits) for bits in range(1, 7))]


@pytest.mark.parametrize("flags", ["", "nuw", "nsw", "nuw nsw"])
@pytest.mark.parametrize(("made", "bits"), EQUAL)
def test_a_shift_is_the_product_or_the_sum_that_it_was(made: str, bits: int, flags: str) -> None:
    """Of all numbers, also of those that flags make poison; a flag that is new is another arithmetic."""
    name, operands = made.split(" ", 1)
    before = f" %s = {name} {flags} {operands}\n ret i8 %s\n"
    assert computed(before, SHIFT.format(flags, bits), "i8 @{}(i8 %x)") == ()
    assert computed(before, SHIFT.format("", bits), "i8 @{}(i8 %x)") == ()
    if not flags:
        assert computed(before, SHIFT.format("nuw", bits), "i8 @{}(i8 %x)")
        assert computed(before, SHIFT.format("nsw", bits), "i8 @{}(i8 %x)")
    for x in range(256):
        signed = x - (x >> 7 << 8)
        factor = int(operands.rsplit(" ", 1)[1]) if name == "mul" else 2
        assert x * factor & 255 == x << bits & 255
        wrapped = (x << bits & 255) - ((x << bits & 255) >> 7 << 8)
        assert (signed * factor == wrapped) == (wrapped >> bits == signed), "nsw: what was shifted out are signs"
        assert (x * factor < 256) == (x << bits >> 8 == 0), "nuw: what was shifted out are zeros"


@pytest.mark.parametrize(("before", "bits"), [
    ("add i8 %x, %x", 2), ("add i8 %x, 1", 1), ("mul i8 %x, 3", 1), ("mul i8 %x, 2", 2), ("mul i8 %x, 4", 1),
    ("mul nsw i8 %x, -128", 7), ("or i8 %x, %x", 1), ("shl i8 %x, 2", 1),
])  # fmt: skip
def test_another_shift_is_other_arithmetic(before: str, bits: int) -> None:
    assert computed(f" %s = {before}\n ret i8 %s\n", SHIFT.format("", bits), "i8 @{}(i8 %x)")


NAN, OTHER, SIGNALING = "0x7FF8000000000000", "0x7FF8000000000001", "0x7FF00000FFFFFFFF"
INF, LEAST = "0x7FF0000000000000", "0xFFF0000000000000"


@pytest.mark.parametrize(("before", "after"), [
    ("fsub ptr %p, double 1.5", "fadd ptr %p, double -1.5"), ("fadd ptr %p, double -1.5", "fsub ptr %p, double 1.5"),
    ("fsub ptr %p, double 0.0", "fadd ptr %p, double -0.0"), ("fsub ptr %p, double -0.0", "fadd ptr %p, double 0.0"),
    ("fadd ptr %p, double " + NAN, "xchg ptr %p, double " + NAN),
    ("fadd ptr %p, double " + SIGNALING, "xchg ptr %p, double " + SIGNALING),
    ("fmax ptr %p, double " + INF, "xchg ptr %p, double " + INF),
    ("fmin ptr %p, double " + LEAST, "xchg ptr %p, double " + LEAST),
])  # fmt: skip
def test_the_same_update_of_numbers_of_floating_point(before: str, after: str) -> None:
    assert arithmetic(before, after, "double") == ()


@pytest.mark.parametrize(("before", "after"), [
    ("fsub ptr %p, double 1.5", "fadd ptr %p, double 1.5"), ("fadd ptr %p, double 0.0", "fadd ptr %p, double -0.0"),
    ("fadd ptr %p, double " + NAN, "xchg ptr %p, double 1.0"),
    ("fadd ptr %p, double " + NAN, "xchg ptr %p, double 0.0"),
    ("fadd ptr %p, double " + NAN, "xchg ptr %p, double " + OTHER),
    ("fadd ptr %p, double " + NAN, "xchg ptr %p, double " + INF),
    ("fadd ptr %p, double 1.0", "xchg ptr %p, double " + NAN),
    ("fadd ptr %p, double " + INF, "xchg ptr %p, double " + INF),
    ("fmax ptr %p, double " + LEAST, "xchg ptr %p, double " + LEAST),
    ("fmin ptr %p, double " + INF, "xchg ptr %p, double " + INF),
    ("fmaximum ptr %p, double " + INF, "xchg ptr %p, double " + INF),
    ("fmax ptr %p, double " + NAN, "xchg ptr %p, double " + NAN),
])  # fmt: skip
def test_another_update_of_numbers_of_floating_point(before: str, after: str) -> None:
    """None of these may be called sound, though what is computed with a NaN is undef here, and matches everything."""
    assert arithmetic(before, after, "double")


def test_an_address_is_the_same_on_another_line() -> None:
    """Where a number stands in the text is no part of it."""
    line = " %a = getelementptr inbounds nuw i8, ptr %p, i64 {}\n"
    used = "load i8, ptr %a\n ret i8 %v\n"
    moved = computed(f"{line.format(4)} %v = {used}", f" fence acquire\n{line.format(4)} %v = {used}", "i8 @{}(ptr %p)")
    assert moved == ()
    assert computed(f"{line.format(4)} %v = {used}", f"{line.format(8)} %v = {used}", "i8 @{}(ptr %p)")


ARMS = """ %q = getelementptr inbounds nuw i8, ptr %p, i64 4
 br i1 %c, label %a, label %b
a:
 store i32 1, ptr %p
 ret void
b:
 store i32 1, ptr %q
 ret void
"""
CHOSEN = """ %o = select i1 %c, i64 {}, i64 {}
 %q = getelementptr {}i8, ptr %p, i64 %o
 store i32 1, ptr %q
 ret void
"""


@pytest.mark.parametrize(("first", "second", "flags", "known"), [
    (0, 4, "inbounds nuw ", True), (4, 0, "inbounds nuw ", True), (0, 4, "", True), (4, 4, "inbounds nuw ", True),
    (0, 8, "inbounds nuw ", False), (1, 4, "inbounds nuw ", False), (0, 4, "inbounds nuw nusw ", False),
])  # fmt: skip
def test_an_address_at_one_of_two_offsets_is_one_of_two_addresses(
    first: int, second: int, flags: str, known: bool
) -> None:
    """Which address it is the tests show; what is new are offsets, and flags that make it poison."""
    found = computed(ARMS, CHOSEN.format(first, second, flags), "void @{}(ptr %p, i1 %c)")
    assert (found == ()) == known
