"""What is called and is not here, and what is promised of numbers, stays open: it is no number that is tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.refinement.test_functions import SOUND, UNKNOWN, UNSOUND, asked, pair

PURE = """
declare i32 @g(i32 noundef) memory(none) nounwind willreturn
declare i32 @h() memory(none) nounwind willreturn
declare i32 @fast(i32 noundef) memory(none) nounwind willreturn speculatable
declare void @v(i32 noundef) memory(none) nounwind willreturn
declare ptr @m(i32) memory(none) nounwind willreturn
declare ptr @any(i32)
declare noalias ptr @new(i32)
declare i32 @same(i32 returned) memory(none) nounwind willreturn
"""
N = "i32 noundef %n, i32 noundef %k, i1 noundef %c"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # A result that is not known is no number.
        ("%r = call i32 @h(); ret i32 %r", "%r = call i32 @h(); ret i32 1", UNSOUND),
        ("%r = call i32 @h(); ret i32 %r", "ret i32 1", UNKNOWN),
        ("%r = call i32 @h(); %s = mul i32 %r, %r; ret i32 %s", "%r = call i32 @h(); ret i32 %r", UNSOUND),
        ("%r = call i32 @h(); %s = sub i32 %r, %r; ret i32 %s", "ret i32 0", SOUND),
        # One of the same is the same, and of others is another.
        ("%r = call i32 @g(i32 %n); %s = call i32 @g(i32 %n); %t = sub i32 %r, %s; ret i32 %t", "ret i32 0", SOUND),
        (
            "%r = call i32 @g(i32 %n); %s = call i32 @g(i32 %k); %t = sub i32 %r, %s; ret i32 %t",
            "%r = call i32 @g(i32 %n); %s = call i32 @g(i32 %k); ret i32 0",
            UNSOUND,
        ),
        ("%r = call i32 @g(i32 %n); ret i32 %r", "%r = call i32 @g(i32 %k); ret i32 %r", UNKNOWN),
        (
            "%a = add i32 %n, 1; %r = call i32 @g(i32 %a); ret i32 %r",
            "%b = add i32 %n, 1; %r = call i32 @g(i32 %b); ret i32 %r",
            SOUND,
        ),
        (
            "%a = load i32, ptr @x; %r = call i32 @g(i32 %a); ret i32 %r",
            "%a = load i32, ptr @x; %r = call i32 @g(i32 %a); ret i32 1",
            UNKNOWN,
        ),
        # Whether a call is undefined behaviour is not known either, where it was not made before.
        (
            "br i1 %c, label %a, label %b; a: %r = call i32 @g(i32 %n); ret i32 %r; b: ret i32 0",
            "%r = call i32 @g(i32 %n); br i1 %c, label %a, label %b; a: ret i32 %r; b: ret i32 0",
            UNSOUND,
        ),
        (
            "br i1 %c, label %a, label %b; a: %r = call i32 @fast(i32 %n); ret i32 %r; b: ret i32 0",
            "%r = call i32 @fast(i32 %n); br i1 %c, label %a, label %b; a: ret i32 %r; b: ret i32 0",
            SOUND,
        ),
        (
            "%r = call i32 @g(i32 %n); br i1 %c, label %a, label %b; a: ret i32 %r; b: ret i32 0",
            "br i1 %c, label %a, label %b; a: %r = call i32 @g(i32 %n); ret i32 %r; b: ret i32 0",
            SOUND,
        ),
        ("call void @v(i32 %n); ret i32 0", "ret i32 0", SOUND),
        ("ret i32 0", "call void @v(i32 %n); ret i32 0", UNKNOWN),
        ("%r = call i32 @same(i32 %n); ret i32 %r", "ret i32 %n", SOUND),
        ("%r = call i32 @same(i32 %n); ret i32 %r", "%r = call i32 @same(i32 %n); ret i32 %k", UNSOUND),
        # Addresses may be the same.
        (
            "%p = call ptr @m(i32 1); %q = call ptr @m(i32 2); store i32 1, ptr %p; store i32 2, ptr %q; "
            "%v = load i32, ptr %p; ret i32 %v",
            "%p = call ptr @m(i32 1); %q = call ptr @m(i32 2); store i32 1, ptr %p; store i32 2, ptr %q; ret i32 1",
            UNSOUND,
        ),
        (
            "%p = call ptr @any(i32 1); store i32 1, ptr @x; store i32 2, ptr %p; %v = load i32, ptr @x; ret i32 %v",
            "%p = call ptr @any(i32 1); store i32 1, ptr @x; store i32 2, ptr %p; ret i32 1",
            UNSOUND,
        ),
        (
            "%p = call ptr @new(i32 1); store i32 1, ptr @x; store i32 2, ptr %p; %v = load i32, ptr @x; ret i32 %v",
            "%p = call ptr @new(i32 1); store i32 1, ptr @x; store i32 2, ptr %p; ret i32 1",
            SOUND,
        ),
    ],
)
def test_what_is_called_and_is_not_here_is_open(before: str, after: str, expected: int, tmp_path: Path) -> None:
    text = pair(before, after, parameters=N) + PURE + "@x = global i32 0\n"
    assert asked(tmp_path, text, "--model", "llvm") == expected


RANGED = "i32 noundef range(i32 0, 10) %n, ptr nonnull noundef %p"
READ, BARE = "%b = load i32, ptr @x, !range !1; ", "%b = load i32, ptr @x; "
NODES = "@x = global i32 0\n!0 = !{}\n!1 = !{i32 0, i32 5}\n!2 = !{i32 0, i32 5, i32 8, i32 9}\n!3 = !{i32 -2, i32 3}\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("%a = icmp ult i32 %n, 10; ret i1 %a", "ret i1 true", SOUND),
        ("%a = icmp ult i32 %n, 9; ret i1 %a", "ret i1 true", UNSOUND),
        (READ + "%a = icmp ult i32 %b, 5; ret i1 %a", READ + "ret i1 true", SOUND),
        (READ + "%a = icmp ult i32 %b, 4; ret i1 %a", READ + "ret i1 true", UNSOUND),
        (READ.replace("1;", "2;") + "%a = icmp ult i32 %b, 5; ret i1 %a", "ret i1 true", UNSOUND),
        (READ.replace("1;", "2;") + "%a = icmp ult i32 %b, 9; ret i1 %a", "ret i1 true", SOUND),
        (READ.replace("1;", "3;") + "%a = icmp slt i32 %b, 3; ret i1 %a", "ret i1 true", SOUND),
        (READ.replace("1;", "3;") + "%a = icmp sgt i32 %b, -2; ret i1 %a", "ret i1 true", UNSOUND),
        # What is promised only after may be broken, and what is no longer promised need not be kept.
        (BARE + "%a = icmp ult i32 %b, 7; ret i1 %a", READ + "%a = icmp ult i32 %b, 7; ret i1 %a", UNSOUND),
        (READ + "%a = icmp ult i32 %b, 7; ret i1 %a", BARE + "%a = icmp ult i32 %b, 7; ret i1 %a", SOUND),
        ("%b = load ptr, ptr %p, !nonnull !0; %a = icmp eq ptr %b, null; ret i1 %a",
         "%b = load ptr, ptr %p, !nonnull !0; ret i1 false", SOUND),
        ("%b = load ptr, ptr %p, !nonnull !0; %a = icmp ne ptr %b, null; ret i1 %a",
         "%b = load ptr, ptr %p, !nonnull !0; ret i1 false", UNSOUND),
        ("%a = icmp eq ptr %p, null; ret i1 %a", "ret i1 false", SOUND),
    ],
)  # fmt: skip
def test_a_number_out_of_its_range_is_poison(before: str, after: str, expected: int, tmp_path: Path) -> None:
    text = pair(before, after, parameters=RANGED, result="i1") + NODES
    assert asked(tmp_path, text, "--model", "llvm") == expected


SURE = "%b = load i32, ptr @x, !noundef !0; "
TWICE, SUM = "%a = mul i32 %b, 2; ret i32 %a", "%a = add i32 %b, %b; ret i32 %a"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # Undef where none may be loaded is undefined behaviour: another thread writes meanwhile, or it was there.
        (SURE + TWICE, SURE + SUM, SOUND),
        (SURE + TWICE, BARE + SUM, SOUND),
        (BARE + TWICE, BARE + SUM, UNSOUND),
        (BARE + "ret i32 %b", SURE + "ret i32 %b", UNSOUND),
        (SURE + "ret i32 %b", BARE + "ret i32 %b", SOUND),
        (SURE + "%a = freeze i32 %b; ret i32 %a", SURE + "ret i32 %b", SOUND),
        (BARE + "%a = freeze i32 %b; ret i32 %a", SURE + "ret i32 %b", UNKNOWN),
        (SURE + "ret i32 7", "ret i32 7", SOUND),
        ("ret i32 7", SURE + "ret i32 7", UNSOUND),
        (SURE + TWICE, SURE + "%a = mul i32 %b, 3; ret i32 %a", UNSOUND),
        # What is in no range is poison, which must not be loaded either.
        (SURE.replace("!0;", "!0, !range !1;") + "ret i32 %b",
         SURE.replace("!0;", "!0, !range !1;") + "%a = and i32 %b, 7; ret i32 %a", SOUND),
        (SURE + "ret i32 %b", SURE.replace("!0;", "!0, !range !1;") + "ret i32 %b", UNSOUND),
    ],
)  # fmt: skip
def test_to_load_undef_where_none_is_promised_is_undefined_behaviour(
    before: str, after: str, expected: int, tmp_path: Path
) -> None:
    assert asked(tmp_path, pair(before, after) + NODES, "--model", "llvm") == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("%a = icmp ult i32 %n, 8; call void @llvm.assume(i1 %a); ret i32 %n", "ret i32 %n", SOUND),
        ("%a = icmp ult i32 %n, 8; call void @llvm.assume(i1 %a); %b = and i32 %n, 7; ret i32 %b", "ret i32 %n", SOUND),
        ("%a = icmp ult i32 %n, 9; call void @llvm.assume(i1 %a); %b = and i32 %n, 7; ret i32 %b", "ret i32 %n",
         UNSOUND),
        ("ret i32 %n", "%a = icmp ult i32 %n, 8; call void @llvm.assume(i1 %a); ret i32 %n", UNSOUND),
        ("%a = icmp eq i32 %n, 8; br i1 %a, label %y, label %z; y: ret i32 1; z: unreachable", "ret i32 1", SOUND),
        ("%a = icmp eq i32 %n, 8; br i1 %a, label %y, label %z; y: ret i32 1; z: unreachable", "ret i32 2", UNSOUND),
        ("call void @llvm.assume(i1 true) [\"nonnull\"(ptr @x)]; ret i32 0", "ret i32 0", SOUND),
        ("ret i32 0", "call void @llvm.assume(i1 true) [\"nonnull\"(ptr @x)]; ret i32 0", UNKNOWN),
    ],
)  # fmt: skip
def test_what_is_assumed_is_so_or_behaviour_is_undefined(
    before: str, after: str, expected: int, tmp_path: Path
) -> None:
    text = pair(before, after, parameters=N) + "declare void @llvm.assume(i1)\n@x = global i32 0\n"
    assert asked(tmp_path, text, "--model", "llvm") == expected


def test_parameters_are_the_same_by_their_places_and_not_by_their_names(tmp_path: Path) -> None:
    first, second = "%r = call i32 @g(i32 %a); ret i32 %r", "%r = call i32 @g(i32 %b); ret i32 %r"
    swapped = "i32 noundef %b, i32 noundef %a"
    before = pair(first, first, parameters="i32 noundef %a, i32 noundef %b").split("define i32 @tgt")[0]
    for body, expected in ((first, UNKNOWN), (second, SOUND)):
        after = pair(body, body, parameters=swapped).split("define i32 @tgt")[1]
        assert asked(tmp_path, f"{before}define i32 @tgt{after}{PURE}", "--model", "llvm") == expected
