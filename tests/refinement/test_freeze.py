"""What is frozen is one number of those that it may be: of poison any, of a number that number."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.refinement.test_functions import SOUND, UNKNOWN, UNSOUND, asked, pair

PARAMETERS = "i32 %a, i32 noundef %n, i1 %c"
LOAD = "%v = load i32, ptr @x; "


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # Of what may be undef, or poison, one number.
        (LOAD + "%f = freeze i32 %v; %r = xor i32 %f, %f; ret i32 %r", "ret i32 0", SOUND),
        (LOAD + "%r = xor i32 %v, %v; ret i32 %r", LOAD + "%f = freeze i32 %v; ret i32 %f", UNSOUND),
        (LOAD + "%f = freeze i32 %v; ret i32 %f", LOAD + "ret i32 %v", UNKNOWN),
        (LOAD + "ret i32 %v", LOAD + "%f = freeze i32 %v; ret i32 %f", SOUND),
        (LOAD + "%r = add i32 %v, %v; ret i32 %r", LOAD + "%f = freeze i32 %v; %r = shl i32 %f, 1; ret i32 %r", SOUND),
        (
            LOAD + "%f = freeze i32 %v; %r = add i32 %f, %f; ret i32 %r",
            LOAD + "%f = freeze i32 %v; %r = shl i32 %f, 1; ret i32 %r",
            SOUND,
        ),
        # It may be the sum that wraps, but is taken for one number that is not known.
        ("%p = add nsw i32 %n, 1; %f = freeze i32 %p; ret i32 %f", "%f = add i32 %n, 1; ret i32 %f", UNKNOWN),
        ("%p = add nsw i32 %n, 1; ret i32 %p", "%p = add nsw i32 %n, 1; %f = freeze i32 %p; ret i32 %f", SOUND),
        ("%p = add i32 %n, 1; ret i32 %p", "%p = add nsw i32 %n, 1; %f = freeze i32 %p; ret i32 %f", UNSOUND),
        ("%f = freeze i32 %n; ret i32 %f", "ret i32 %n", SOUND),
        ("%p = shl i32 1, %n; %f = freeze i32 %p; ret i32 %f", "%p = shl i32 1, %n; ret i32 %p", UNKNOWN),
        # A branch on what is frozen is none on poison.
        (
            "%p = add nsw i32 %n, 1; %t = icmp sgt i32 %p, %n; %r = select i1 %t, i32 1, i32 2; ret i32 %r",
            "%p = add nsw i32 %n, 1; %t = icmp sgt i32 %p, %n; %f = freeze i1 %t; br i1 %f, label %y, label %z; y:; "
            "ret i32 1; z:; ret i32 2",
            SOUND,
        ),
        (
            "%p = add nsw i32 %n, 1; %t = icmp sgt i32 %p, 5; %r = select i1 %t, i32 1, i32 2; ret i32 %r",
            "%p = add nsw i32 %n, 1; %t = icmp sgt i32 %p, 5; br i1 %t, label %y, label %z; y:; ret i32 1; z:; "
            "ret i32 2",
            UNSOUND,
        ),
        # What is poison by a flag is so where it is frozen or not chosen, and nowhere else.
        ("%p = sub nuw i32 %n, 64; %f = freeze i32 %p; ret i32 %f", "%p = sub nuw i32 %n, 64; ret i32 %p", UNKNOWN),
        (
            "%p = sub nuw i32 %n, 64; %q = and i32 %p, -1; %f = freeze i32 %q; ret i32 %f",
            "%p = sub nuw i32 %n, 64; %q = and i32 %p, -1; %f = add i32 %q, 0; ret i32 %f",
            UNKNOWN,
        ),
        (
            "%p = add nsw i32 %n, 1; %t = icmp ult i32 %n, 5; %r = select i1 %t, i32 %p, i32 0; ret i32 %r",
            "%p = add nsw i32 %n, 1; %t = icmp ult i32 %n, 5; %m = sext i1 %t to i32; %r = and i32 %m, %p; ret i32 %r",
            UNSOUND,
        ),
        # Two of them are two numbers.
        (
            LOAD + "%f = freeze i32 %v; %r = sub i32 %f, %f; ret i32 %r",
            LOAD + "%f = freeze i32 %v; %g = freeze i32 %v; %r = sub i32 %f, %g; ret i32 %r",
            UNKNOWN,
        ),
        # A parameter, too, which is frozen to one number before the change, and again after it.
        ("ret i32 0", "%f = freeze i32 %a; %g = freeze i32 %a; %r = sub i32 %f, %g; ret i32 %r", UNSOUND),
        (
            "%r = sub i32 %a, %a; ret i32 %r",
            "%f = freeze i32 %a; %g = freeze i32 %a; %r = sub i32 %f, %g; ret i32 %r",
            SOUND,
        ),
        ("%f = freeze i32 %a; %g = freeze i32 %a; %r = sub i32 %f, %g; ret i32 %r", "ret i32 0", SOUND),
        (
            "%f = freeze i32 %a; %r = sub i32 %f, %f; ret i32 %r",
            "%f = freeze i32 %a; %g = freeze i32 %a; %r = sub i32 %f, %g; ret i32 %r",
            UNKNOWN,
        ),
        ("%f = freeze i32 %a; %g = freeze i32 %a; %r = sub i32 %f, %g; ret i32 %r", "ret i32 1", UNSOUND),
        ("%f = freeze i32 %n; %g = freeze i32 %n; %r = sub i32 %f, %g; ret i32 %r", "ret i32 0", SOUND),
        # In a loop each time another.
        (
            "br label %l; l:; " + LOAD + "%f = freeze i32 %v; store i32 %f, ptr @x; %t = icmp eq i32 %f, 7; "
            "br i1 %t, label %l, label %e; e:; ret i32 0",
            "br label %l; l:; " + LOAD + "%f = freeze i32 %v; store i32 %f, ptr @x; %t = icmp eq i32 %f, 7; "
            "br i1 %t, label %l, label %e; e:; ret i32 1",
            UNKNOWN,
        ),
    ],
)
def test_what_is_frozen_is_one_number(before: str, after: str, expected: int, tmp_path: Path) -> None:
    before, after = (each.replace(":; ", ":\n  ") for each in (before, after))
    text = pair(before, after, parameters=PARAMETERS) + "@x = global i32 0\n"
    assert asked(tmp_path, text, "--model", "llvm") == expected
