"""Intrinsics that count, move and choose bits: they take undef once, and are arithmetic that takes it several times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.refinement.test_functions import SOUND, UNKNOWN, UNSOUND, asked, pair

DECLARED = """
@x = global i32 0
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.uadd.sat.i32(i32, i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare {i32, i1} @llvm.uadd.with.overflow.i32(i32, i32)
"""
SURE, UNSURE = "i32 noundef %a, i32 noundef %b", "i32 %a, i32 %b"


@pytest.mark.parametrize(
    ("before", "after", "sure", "unsure"),
    [
        (
            "%c = call i32 @llvm.ctpop.i32(i32 %a); %r = icmp eq i32 %c, 0; %z = zext i1 %r to i32; ret i32 %z",
            "%r = icmp eq i32 %a, 0; %z = zext i1 %r to i32; ret i32 %z",
            SOUND,
            SOUND,
        ),
        ("%c = call i32 @llvm.ctpop.i32(i32 %a); ret i32 %c", "%c = and i32 %a, 63; ret i32 %c", UNSOUND, UNSOUND),
        (
            "%c = call i32 @llvm.cttz.i32(i32 %a, i1 false); ret i32 %c",
            "%c = call i32 @llvm.cttz.i32(i32 %a, i1 true); ret i32 %c",
            UNSOUND,
            UNSOUND,
        ),
        (
            "%c = call i32 @llvm.ctlz.i32(i32 %a, i1 true); ret i32 %c",
            "%c = call i32 @llvm.ctlz.i32(i32 %a, i1 false); ret i32 %c",
            SOUND,
            SOUND,
        ),
        (
            "%c = call i32 @llvm.abs.i32(i32 %a, i1 false); ret i32 %c",
            "%c = call i32 @llvm.abs.i32(i32 %a, i1 true); ret i32 %c",
            UNSOUND,
            UNSOUND,
        ),
        (
            "%c = call i32 @llvm.abs.i32(i32 %a, i1 true); %d = icmp sge i32 %c, 0; %z = zext i1 %d to i32; ret i32 %z",
            "ret i32 1",
            SOUND,
            SOUND,
        ),
        (
            "%c = call i32 @llvm.abs.i32(i32 %a, i1 0); %d = icmp sge i32 %c, 0; %z = zext i1 %d to i32; ret i32 %z",
            "ret i32 1",
            UNSOUND,
            UNSOUND,
        ),
        (
            "%c = call i32 @llvm.bswap.i32(i32 %a); %d = call i32 @llvm.bswap.i32(i32 %c); ret i32 %d",
            "ret i32 %a",
            SOUND,
            SOUND,
        ),
        (
            "%c = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 8); ret i32 %c",
            "%c = shl i32 %a, 8; %d = lshr i32 %b, 24; %e = or i32 %c, %d; ret i32 %e",
            SOUND,
            SOUND,
        ),
        (
            "%c = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 8); ret i32 %c",
            "%c = shl i32 %a, 8; %d = lshr i32 %b, 23; %e = or i32 %c, %d; ret i32 %e",
            UNSOUND,
            UNSOUND,
        ),
        (
            "%c = call i32 @llvm.umin.i32(i32 %a, i32 5); %d = icmp ult i32 %c, 6; %z = zext i1 %d to i32; ret i32 %z",
            "ret i32 1",
            SOUND,
            SOUND,
        ),
        # It is poison of poison, and another number of undef each time.
        (
            "ret i32 0",
            "%d = call i32 @llvm.ctlz.i32(i32 %a, i1 false); %c = and i32 %d, 0; ret i32 %c",
            SOUND,
            UNSOUND,
        ),
        (
            "%c = and i32 %a, 0; ret i32 %c",
            "%d = call i32 @llvm.ctlz.i32(i32 %a, i1 false); %c = and i32 %d, 0; ret i32 %c",
            SOUND,
            SOUND,
        ),
        (
            "%c = and i32 %a, 0; ret i32 %c",
            "%d = call i32 @llvm.ctpop.i32(i32 %a); %e = call i32 @llvm.ctpop.i32(i32 %a); %c = sub i32 %d, %e; "
            "ret i32 %c",
            SOUND,
            UNSOUND,
        ),
        (
            "%c = and i32 %a, 0; ret i32 %c",
            "%d = call i32 @llvm.ctpop.i32(i32 %a); %c = sub i32 %d, %d; ret i32 %c",
            SOUND,
            SOUND,
        ),
        # Undef is one number to the intrinsic: what a comparison and a choice may give of it, it does not.
        ("%c = call i32 @llvm.umin.i32(i32 undef, i32 5); ret i32 %c", "ret i32 9", UNKNOWN, UNKNOWN),
        ("%c = call i32 @llvm.umin.i32(i32 undef, i32 5); ret i32 %c", "ret i32 3", UNKNOWN, UNKNOWN),
        (
            "%c = call i32 @llvm.umin.i32(i32 undef, i32 5); ret i32 %c",
            "%c = call i32 @llvm.umin.i32(i32 undef, i32 7); ret i32 %c",
            UNKNOWN,
            UNKNOWN,
        ),
        (
            "%c = call i32 @llvm.umin.i32(i32 %a, i32 5); ret i32 %c",
            "%c = icmp ult i32 %a, 5; %d = select i1 %c, i32 %a, i32 5; ret i32 %d",
            SOUND,
            UNKNOWN,
        ),
        (
            "%v = load i32, ptr @x; %c = call i32 @llvm.umin.i32(i32 %v, i32 5); ret i32 %c",
            "%v = load i32, ptr @x; %c = icmp ult i32 %v, 5; %d = select i1 %c, i32 %v, i32 5; ret i32 %d",
            UNKNOWN,
            UNKNOWN,
        ),
        (
            "%v = load i32, ptr @x; %w = load i32, ptr @x; %c = call i32 @llvm.umin.i32(i32 %v, i32 %a); ret i32 %c",
            "%v = load i32, ptr @x; %c = call i32 @llvm.umin.i32(i32 %v, i32 %a); ret i32 %c",
            SOUND,
            SOUND,
        ),
        # Sums whose operands change places are the same, and so is what nobody uses.
        (
            "%v = load i32, ptr @x; %c = call i32 @llvm.umax.i32(i32 %v, i32 %a); %d = xor i32 %v, %c; ret i32 %d",
            "%v = load i32, ptr @x; %c = call i32 @llvm.umax.i32(i32 %v, i32 %a); %d = xor i32 %c, %v; ret i32 %d",
            SOUND,
            SOUND,
        ),
        (
            "%v = load i32, ptr @x; %c = call i32 @llvm.umax.i32(i32 %v, i32 %a); %d = sub i32 %v, %c; ret i32 %d",
            "%v = load i32, ptr @x; %c = call i32 @llvm.umax.i32(i32 %v, i32 %a); %d = sub i32 %c, %v; ret i32 %d",
            UNSOUND,
            UNSOUND,
        ),
        (
            "%c = call i32 @llvm.uadd.sat.i32(i32 %a, i32 %b); ret i32 %c",
            "%s = add i32 %a, %b; %o = icmp ult i32 %s, %a; %c = select i1 %o, i32 -1, i32 %s; ret i32 %c",
            SOUND,
            UNKNOWN,
        ),
        (
            "%p = call {i32, i1} @llvm.uadd.with.overflow.i32(i32 %a, i32 %b); "
            "%c = extractvalue {i32, i1} %p, 0; ret i32 %c",
            "%c = add i32 %a, %b; ret i32 %c",
            SOUND,
            SOUND,
        ),
        (
            "%c = call i32 @llvm.umin.i32(i32 %a, i32 %b); %d = mul i32 %c, 3; %e = udiv i32 %d, 7; ret i32 %c",
            "%c = call i32 @llvm.umin.i32(i32 %a, i32 %b); ret i32 %c",
            SOUND,
            SOUND,
        ),
    ],
)
def test_what_counts_and_moves_bits_is_arithmetic(
    before: str, after: str, sure: int, unsure: int, tmp_path: Path
) -> None:
    for parameters, expected in ((SURE, sure), (UNSURE, unsure)):
        text = pair(before, after, parameters=parameters) + DECLARED
        assert asked(tmp_path, text, "--model", "llvm") == expected, parameters


def test_a_long_function_takes_no_longer_than_it_is(tmp_path: Path) -> None:
    """Each value is used twice by the next, so that written out it is longer than any memory."""
    lines = "; ".join(f"%v{k} = add i32 %v{k - 1}, %v{k - 1}" for k in range(1, 80))
    body = "%v0 = call i32 @llvm.umin.i32(i32 %a, i32 5); " + lines
    text = pair(f"{body}; ret i32 0", f"{body}; ret i32 1", parameters=SURE) + DECLARED
    assert asked(tmp_path, text, "--model", "llvm") == UNSOUND
