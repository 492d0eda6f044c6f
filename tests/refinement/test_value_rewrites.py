"""Rewrites of what is computed, with known answers: of a number that is loaded, one that is no undef, one that may be.

Each is `before -> after`, in which `%a` is loaded, `%n` is noundef and `%m` may be undef or poison; the last name is
what is stored and returned. After InstCombine's rules, and after what breaks each of them.
`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drawn import some
from tests.refinement.test_functions import SOUND, UNKNOWN, UNSOUND, asked, pair

RIGHT = """
%r = mul i32 %a, 8 -> %r = shl i32 %a, 3
%r = add i32 %a, %a -> %r = shl i32 %a, 1
%r = udiv i32 %a, 16 -> %r = lshr i32 %a, 4
%r = urem i32 %a, 16 -> %r = and i32 %a, 15
%r = sub i32 %n, %n -> %r = add i32 0, 0
%r = xor i32 %a, %a -> %r = add i32 0, 0
%r = and i32 %a, 0 -> %r = add i32 0, 0
%r = mul i32 %m, 0 -> %r = add i32 0, 0
%x = xor i32 %a, -1; %r = xor i32 %x, -1 -> %r = or i32 %a, 0
%x = sub i32 0, %a; %r = add i32 %x, %n -> %r = sub i32 %n, %a
%x = and i32 %a, %n; %y = or i32 %a, %n; %r = add i32 %x, %y -> %r = add i32 %a, %n
%x = xor i32 %n, -1; %r = add i32 %x, 1 -> %r = sub i32 0, %n
%x = shl i32 %a, 24; %r = lshr i32 %x, 24 -> %r = and i32 %a, 255
%x = trunc i32 %a to i8; %r = zext i8 %x to i32 -> %r = and i32 %a, 255
%x = trunc i32 %n to i16; %r = sext i16 %x to i32 -> %x = shl i32 %n, 16; %r = ashr i32 %x, 16
%c = icmp slt i32 %a, 0; %r = zext i1 %c to i32 -> %r = lshr i32 %a, 31
%c = icmp slt i32 %m, 0; %r = sext i1 %c to i32 -> %r = ashr i32 %m, 31
%c = icmp ult i32 %a, 1; %r = zext i1 %c to i32 -> %c = icmp eq i32 %a, 0; %r = zext i1 %c to i32
%c = icmp ugt i32 %a, %n; %r = zext i1 %c to i32 -> %c = icmp ult i32 %n, %a; %r = zext i1 %c to i32
%c = icmp sle i32 %a, 7; %r = zext i1 %c to i32 -> %c = icmp slt i32 %a, 8; %r = zext i1 %c to i32
%c = icmp eq i32 %n, 0; %r = select i1 %c, i32 0, i32 %n -> %r = or i32 %n, 0
%r = add nsw i32 %a, %n -> %r = add i32 %n, %a
%r = shl nuw i32 %m, 4 -> %r = mul i32 %m, 16
%r = udiv exact i32 %n, 4 -> %r = lshr exact i32 %n, 2
%x = sub nuw i32 %n, %a; %r = and i32 %x, 0 -> %x = sub nuw i32 %n, %a; %r = mul i32 %x, 0
%f = freeze i32 %m; %r = mul i32 %f, 3 -> %f = freeze i32 %m; %x = shl i32 %f, 1; %r = add i32 %x, %f
"""
WRONG = """
%r = mul i32 %a, 8 -> %r = shl i32 %a, 2
%r = add i32 %n, %n -> %r = shl i32 %n, 2
%r = udiv i32 %a, 16 -> %r = ashr i32 %a, 4
%r = lshr i32 %n, 2 -> %r = udiv exact i32 %n, 4
%r = and i32 %n, 0 -> %x = sub nuw i32 %n, %a; %r = and i32 %x, 0
%r = urem i32 %a, 16 -> %r = and i32 %a, 16
%r = add i32 0, 0 -> %r = sub i32 %m, %m
%r = add i32 0, 0 -> %r = xor i32 %m, %m
%r = add i32 0, 0 -> %r = and i32 %m, 0
%r = shl i32 %m, 1 -> %r = add i32 %m, %m
%x = xor i32 %a, -1; %r = xor i32 %x, -1 -> %r = xor i32 %a, -1
%x = sub i32 0, %a; %r = add i32 %x, %n -> %r = sub i32 %a, %n
%x = and i32 %a, %n; %y = or i32 %a, %n; %r = add i32 %x, %y -> %r = or i32 %a, %n
%x = xor i32 %n, -1; %r = add i32 %x, 1 -> %r = sub i32 1, %n
%x = shl i32 %a, 24; %r = ashr i32 %x, 24 -> %r = and i32 %a, 255
%x = trunc i32 %a to i8; %r = zext i8 %x to i32 -> %r = and i32 %a, 511
%x = trunc i32 %n to i16; %r = sext i16 %x to i32 -> %x = shl i32 %n, 16; %r = lshr i32 %x, 16
%c = icmp slt i32 %a, 0; %r = zext i1 %c to i32 -> %r = lshr i32 %a, 30
%c = icmp slt i32 %n, 0; %r = sext i1 %c to i32 -> %r = lshr i32 %n, 31
%c = icmp ult i32 %a, 1; %r = zext i1 %c to i32 -> %c = icmp slt i32 %a, 1; %r = zext i1 %c to i32
%c = icmp ugt i32 %a, %n; %r = zext i1 %c to i32 -> %c = icmp sgt i32 %a, %n; %r = zext i1 %c to i32
%c = icmp sle i32 %a, 7; %r = zext i1 %c to i32 -> %c = icmp ule i32 %a, 7; %r = zext i1 %c to i32
%c = icmp eq i32 %n, 0; %r = select i1 %c, i32 1, i32 %n -> %r = or i32 %n, 0
%r = add i32 %a, %n -> %r = add nsw i32 %n, %a
%r = mul i32 %m, 16 -> %r = shl nuw i32 %m, 4
%f = freeze i32 %m; %r = mul i32 %f, 3 -> %x = shl i32 %m, 1; %r = add i32 %x, %m
"""
CASES = [(line, verdict) for table, verdict in ((RIGHT, SOUND), (WRONG, UNSOUND)) for line in table.strip().split("\n")]


@pytest.mark.parametrize(("line", "verdict"), some(CASES, of=3))
def test_a_rewrite_has_its_known_answer(line: str, verdict: int, tmp_path: Path) -> None:
    load = "%a = load atomic i32, ptr %p acquire, align 4; "
    store = "; store atomic i32 %r, ptr %q release, align 4; ret i32 %r"
    before, after = line.split(" -> ")
    text = pair(f"{load}{before}{store}", f"{load}{after}{store}", parameters="ptr %p, ptr %q, i32 noundef %n, i32 %m")
    assert asked(tmp_path, text, "--context", "0") == verdict


def test_there_are_as_many_as_are_said() -> None:
    assert len(CASES) == 52


TAILS = (
    "%r = and i32 %x, 0",
    "%r = or i32 %x, -1",
    "%r = mul i32 %x, 0",
    "%y = lshr i32 %x, 16; %r = lshr i32 %y, 16",
    "%c = icmp ult i32 %x, 0; %r = zext i1 %c to i32",
    "%c = icmp ult i32 %x, 9; %r = select i1 %c, i32 3, i32 3",
    "%r = urem i32 %x, 1",
    "%y = shl i32 %x, 1; %z = trunc i32 %y to i1; %r = zext i1 %z to i32",
)


@pytest.mark.parametrize("tail", TAILS)
def test_poison_is_no_number_even_where_all_numbers_give_one(tail: str, tmp_path: Path) -> None:
    """Z3 knows that the numbers are equal; that one of them is poison is asked besides."""
    before, after = (f"%x = sub {flag}i32 %n, 7; {tail}; ret i32 %r" for flag in ("", "nuw "))
    assert asked(tmp_path, pair(before, after, parameters="i32 noundef %n")) == UNSOUND
    assert asked(tmp_path, pair(after, before, parameters="i32 noundef %n")) == SOUND


DIVIDED = (
    "%w = zext i8 %n to i16; %m = mul i16 %w, 71; %h = lshr i16 %m, 8; %q = trunc i16 %h to i8; "
    "%d = sub i8 %n, %q; %e = lshr i8 %d, 1; %s = add {}i8 %q, %e; %r = lshr i8 %s, 7; ret i8 %r"
)


@pytest.mark.parametrize(("word", "said"), [("", UNKNOWN), ("noundef ", SOUND)])
def test_what_undef_is_not_known_to_be_is_no_counterexample(word: str, said: int, tmp_path: Path) -> None:
    """Of `mul undef, 71` each bit is undef, and yet it is not every number: the sum does not wrap."""
    text = pair(DIVIDED.format(""), DIVIDED.format("nuw "), parameters=f"i8 {word}%n", result="i8")
    assert asked(tmp_path, text) == said


FAST = "%x = fadd {} float %f, 1.0; %r = fadd {} float %x, {}; store float %r, ptr @x; "


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("%r = fadd float 1.0, 2.0; store float %r, ptr @x; ", "store float 4.0, ptr @x; ", UNSOUND),
        ("%r = fadd fast float 1.0, 2.0; store float %r, ptr @x; ", "store float 4.0, ptr @x; ", UNKNOWN),
        # Another sum is one that reassoc permits, and 1.0 is one that nobody looks for.
        (FAST.format("reassoc", "reassoc", "2.0"), "%r = fadd float %f, 3.0; store float %r, ptr @x; ", UNKNOWN),
        (FAST.format("fast", "fast", "2.0"), FAST.format("fast", "fast", "2.0"), SOUND),
        # What is wrong whatever the sum is.
        (
            FAST.format("reassoc", "reassoc", "2.0") + "store atomic i32 1, ptr @y release, align 4; ",
            FAST.format("reassoc", "reassoc", "2.0") + "store atomic i32 2, ptr @y release, align 4; ",
            UNSOUND,
        ),
    ],
)
def test_arithmetic_that_need_not_be_rounded_refutes_nothing(
    before: str, after: str, expected: int, tmp_path: Path
) -> None:
    memory = "@x = global float 0.0\n@y = global i32 0\n"
    text = memory + pair(before + "ret i32 0", after + "ret i32 0", parameters="float noundef %f")
    assert asked(tmp_path, text, "--model", "llvm") == expected


def test_flags_are_not_asked_of_bits_of_undef_one_by_one(tmp_path: Path) -> None:
    """A byte of `%v` may be undef in a race, and the sum does not wrap whatever it is."""
    loads = "%q = getelementptr i8, ptr %p, i64 1; %v = load i16, ptr %q, align 1; "
    more = "%a = load i8, ptr %p, align 1; %s = getelementptr i8, ptr %p, i64 2; %b = load i16, ptr %s, align 1; "
    added = "%z = zext i16 %v to i32; %t = zext i8 %n to i32; %r = add {}i32 %z, %t; ret i32 %r"
    parameters = "ptr noundef %p, i8 noundef %n"
    text = pair(loads + more + added.format(""), loads + added.format("nuw nsw "), parameters=parameters)
    assert asked(tmp_path, text, "--model", "llvm") != UNSOUND
