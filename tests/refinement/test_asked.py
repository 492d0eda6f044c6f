"""What a lane asks of its launch is any number that it may be, and constant memory is written by nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.refinement.test_functions import SOUND, UNKNOWN, UNSOUND, asked, pair

NAMES = ("workitem.id.x", "workitem.id.y", "workgroup.id.z", "wavefrontsize")
DECLARED = "".join(f"declare i32 @llvm.amdgcn.{name}()\n" for name in NAMES) + (
    "declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)\ndeclare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)\n"
    "declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()\n!0 = !{}\n"
)
X, Y, Z, SIZE = (f"%{to} = call i32 @llvm.amdgcn.{name}(); " for to, name in zip("xywe", NAMES, strict=True))
LOW = "%l = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0); "
LANE = LOW + "%h = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %l); "
IMPLICIT = "%a = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr(); "
ARGUMENT = "%v = load i32, ptr addrspace(4) %a; "
STORE = "store i32 7, ptr addrspace(1) %g; "
PARAMETERS = "ptr addrspace(1) %g, ptr addrspace(4) %c, i1 noundef %z"


def answer(before: str, after: str, tmp_path: Path, attributes: str = "") -> int:
    text = pair(before, after, parameters=PARAMETERS) + DECLARED
    return asked(tmp_path, text.replace(") {", f") {attributes} {{"), "--model", "llvm")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (X + "ret i32 %x", "ret i32 0", UNSOUND),
        (Y + "ret i32 %y", "ret i32 0", UNSOUND),
        (Z + "ret i32 %w", "ret i32 0", UNSOUND),
        (X + Y + "%s = sub i32 %x, %y; ret i32 %s", "ret i32 0", UNSOUND),
        (X + X.replace("%x", "%u") + "%s = sub i32 %x, %u; ret i32 %s", "ret i32 0", SOUND),
        (X + "ret i32 %x", X + "%s = and i32 %x, 1023; ret i32 %s", SOUND),
        (X + "ret i32 %x", X + "%s = and i32 %x, 511; ret i32 %s", UNSOUND),
        (Z + "ret i32 %w", Z + "%s = and i32 %w, 65535; ret i32 %s", UNSOUND),
        # It does no harm to ask, wherever that is.
        ("ret i32 0", X + "%s = lshr i32 %x, 10; ret i32 %s", SOUND),
        ("ret i32 0", X + "%s = lshr i32 %x, 9; ret i32 %s", UNSOUND),
        (LANE + "%s = lshr i32 %h, 6; ret i32 %s", "ret i32 0", SOUND),
        (LANE + "ret i32 %h", LANE + "%s = and i32 %h, 31; ret i32 %s", UNSOUND),
        (LOW + "ret i32 %l", "ret i32 0", UNSOUND),
        # What several answers have to do with one another, and which target it is, is not known.
        (LOW + X + "%s = sub i32 %l, %x; ret i32 %s", "ret i32 0", UNKNOWN),
        (SIZE + "ret i32 %e", "ret i32 64", UNKNOWN),
    ],
)  # fmt: skip
def test_what_a_lane_asks_of_its_launch_is_open(before: str, after: str, expected: int, tmp_path: Path) -> None:
    assert answer(before, after, tmp_path) == expected


@pytest.mark.parametrize(
    ("attributes", "before", "after", "expected"),
    [
        ('"amdgpu-flat-work-group-size"="1,64"', X + "ret i32 %x", X + "%s = and i32 %x, 63; ret i32 %s", SOUND),
        ('"amdgpu-flat-work-group-size"="1,65"', X + "ret i32 %x", X + "%s = and i32 %x, 63; ret i32 %s", UNSOUND),
        ('"target-cpu"="gfx942"', SIZE + "ret i32 %e", "ret i32 64", SOUND),
        ('"target-cpu"="gfx1100"', SIZE + "ret i32 %e", "ret i32 32", SOUND),
    ],
)
def test_what_is_promised_of_a_launch_is_known(
    attributes: str, before: str, after: str, expected: int, tmp_path: Path
) -> None:
    assert answer(before, after, tmp_path, attributes) == expected


ACQUIRE = '%k = load atomic i32, ptr addrspace(1) %g syncscope("agent") acquire, align 4; '
CONSTANT = "%v = load i32, ptr addrspace(4) %c; "
INVARIANT = "%v = load i32, ptr addrspace(1) %g, !invariant.load !0; "
BARE = "%v = load i32, ptr addrspace(1) %g; "
ATOMIC = CONSTANT.replace("load", "load atomic").replace("%c", "%c monotonic, align 4")
SUB = "%w = sub i32 %v, %u; ret i32 %w"
BRANCH = "br i1 %z, label %a, label %b; a: "


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (STORE + CONSTANT + "ret i32 %v", CONSTANT + STORE + "ret i32 %v", SOUND),
        (STORE + BARE + "ret i32 %v", BARE + STORE + "ret i32 %v", UNSOUND),
        (STORE + CONSTANT + "ret i32 %v", STORE + CONSTANT + "ret i32 7", UNSOUND),
        (IMPLICIT + STORE + ARGUMENT + "ret i32 %v", IMPLICIT + ARGUMENT + STORE + "ret i32 %v", SOUND),
        # Other threads do not write it either.
        (ATOMIC + ATOMIC.replace("%v", "%u") + SUB, "ret i32 0", SOUND),
        (ATOMIC + "ret i32 %v", ATOMIC + ATOMIC.replace("%v", "%u") + "ret i32 %u", SOUND),
        # To write it is undefined behaviour where it is done, and only there.
        (BRANCH + STORE + "ret i32 1; b: " + CONSTANT + "ret i32 %v",
         BRANCH + STORE + "ret i32 2; b: " + CONSTANT + "ret i32 %v", UNSOUND),
        # What is read by such loads alone does not change; what is read otherwise, too, perhaps.
        (INVARIANT + "ret i32 %v", INVARIANT + BARE.replace("%v", "%u") + "ret i32 %u", SOUND),
        (BARE + "ret i32 %v", INVARIANT + "ret i32 %v", UNKNOWN),
        (STORE + INVARIANT + "ret i32 %v", INVARIANT + STORE + "ret i32 %v", UNKNOWN),
    ],
)  # fmt: skip
def test_constant_memory_does_not_change(before: str, after: str, expected: int, tmp_path: Path) -> None:
    assert answer(before, after, tmp_path) == expected


GLOBAL = "%m = mul i32 %w, 64; %i = add i32 %m, %x; "
WITHIN = "%t = icmp ult i32 %i, %n; br i1 %t, label %a, label %b; a: "
AT = "%e = zext i32 %i to i64; %p = getelementptr i32, ptr %d, i64 %e; "
NEXT = "%j = add nuw i32 %i, 1; %f = zext i32 %j to i64; %q = getelementptr i32, ptr %d, i64 %f; "
OTHER = "%o = getelementptr i32, ptr %c, i64 %e; "
PUT, READ = "store i32 7, ptr %p; ", "%v = load i32, ptr %p; "
END = "ret i32 %v; b: ret i32 0"
BEGIN = X + Z + GLOBAL + WITHIN + AT


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # Whichever element it is, and whichever number that has.
        (BEGIN + PUT + READ + END, BEGIN + PUT + "ret i32 7; b: ret i32 0", SOUND),
        (BEGIN + PUT + READ + END, BEGIN + PUT + "ret i32 8; b: ret i32 0", UNSOUND),
        (BEGIN + READ + END, BEGIN.replace("mul i32 %w, 64", "shl i32 %w, 6") + READ + END, SOUND),
        (BEGIN + READ + END, X + Z + GLOBAL + AT + READ + WITHIN + END, UNSOUND),
        (BEGIN + PUT + "ret i32 %i; b: ret i32 0", BEGIN + PUT + "%g = and i32 %i, 4095; ret i32 %g; b: ret i32 0",
         UNSOUND),
        # Of two pointers the elements may be one, of one pointer they are as far apart as they are.
        (BEGIN + OTHER + PUT + "store i32 8, ptr %o; " + READ + END,
         BEGIN + OTHER + PUT + "store i32 8, ptr %o; ret i32 7; b: ret i32 0", UNSOUND),
        (BEGIN + NEXT + PUT + "store i32 8, ptr %q; " + READ + END,
         BEGIN + NEXT + PUT + "store i32 8, ptr %q; ret i32 7; b: ret i32 0", SOUND),
        # Another index is another element.
        (BEGIN + PUT + READ + END, X + Z + GLOBAL + WITHIN + AT.replace("zext", "sext") + PUT + READ + END, UNKNOWN),
        (BEGIN + READ + END, X + Z + GLOBAL + WITHIN.replace("%i,", "%x,") + AT + READ + END, UNSOUND),
    ],
)  # fmt: skip
def test_an_index_is_open_where_one_element_is_accessed(before: str, after: str, expected: int, tmp_path: Path) -> None:
    text = pair(before, after, parameters="ptr noundef %d, ptr noundef %c, i32 noundef %n") + DECLARED
    seconds = "2" if expected == UNKNOWN else "60"
    assert asked(tmp_path, text, "--model", "llvm", "--timeout", seconds) == expected


SLOT = "%s = alloca ptr addrspace(1), align 8, addrspace(5); %t = addrspacecast ptr addrspace(5) %s to ptr; "
SPILLED = SLOT + "store ptr addrspace(1) %g, ptr %t; %p = load ptr addrspace(1), ptr %t; "
CONVERTED = "%n = ptrtoint ptr addrspace(1) %g to i64; %p = inttoptr i64 %n to ptr; "
UPDATE = (
    'atomicrmw add ptr addrspace(1) {}, i32 {} syncscope("agent") monotonic, align 4, !amdgpu.no.remote.memory !0; '
)
STORED = "%r = {}br i1 %z, label %a, label %b; a: ret i32 %r; b: ret i32 0"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # A pointer that leads nowhere is no address of what contexts have of their own.
        (SPILLED + STORED.format(UPDATE.format("%p", 1)), STORED.format(UPDATE.format("%g", 1)), SOUND),
        (SPILLED + STORED.format(UPDATE.format("%p", 1)), STORED.format(UPDATE.format("%g", 2)), UNSOUND),
        # What clang writes of a kernel's pointers is a cast.
        (CONVERTED + "store i32 1, ptr %p; ret i32 0", "store i32 1, ptr addrspace(1) %g; ret i32 0", SOUND),
        (CONVERTED + "store i32 1, ptr %p; ret i32 0", "store i32 2, ptr addrspace(1) %g; ret i32 0", UNSOUND),
        # Memory of its own is the same where only one side has branches.
        (SLOT + "store i32 1, ptr %t; br i1 %z, label %a, label %b; a: store i32 2, ptr %t; br label %b; "
         "b: %v = load i32, ptr %t; ret i32 %v",
         SLOT + "%v = select i1 %z, i32 2, i32 1; store i32 %v, ptr %t; ret i32 %v", SOUND),
        (SLOT + "store i32 1, ptr %t; br i1 %z, label %a, label %b; a: store i32 2, ptr %t; br label %b; "
         "b: %v = load i32, ptr %t; ret i32 %v",
         SLOT + "%v = select i1 %z, i32 1, i32 2; store i32 %v, ptr %t; ret i32 %v", UNSOUND),
    ],
)  # fmt: skip
def test_what_clang_writes_of_kernels_is_read(before: str, after: str, expected: int, tmp_path: Path) -> None:
    assert answer(before, after, tmp_path) == expected
