"""What does the same with the same values on every path is found without a bound, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.formats.ir.pairs import function_pairs
from axmem.front.source import Source
from axmem.refinement.lockstep import in_lockstep
from tests.refinement.test_functions import SOUND, UNSOUND, asked, pair

DECLARED = """
declare void @llvm.amdgcn.s.barrier() convergent
declare void @g(i32)
declare void @k(ptr)
declare i32 @c(i32) convergent memory(none) nounwind willreturn speculatable
declare i32 @u(i32) memory(none) nounwind willreturn speculatable
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @__ockl_get_local_id(i32) convergent memory(none)
"""
PARAMETERS = "ptr %p, ptr %q, ptr addrspace(1) %o, i32 %n, i32 %m, i1 %c"
LOAD = "%a = load atomic i32, ptr %p monotonic, align 4; "
LOOP = "br label %h; h: %i = phi i32 [ 0, %e ], [ %j, %b ]; %k = icmp ult i32 %i, %n; br i1 %k, label %b, label %x; b: "
NEXT = "%j = add i32 %i, 1; br label %h; x: "
INDEXED = "%x = getelementptr i32, ptr %p, i64 %i; store i32 1, ptr %x; ret i32 0"
STORED = "a: store i32 1, ptr %p; br label %b; b: ret i32 0"
PRE = "br label %e; e: "


def alike(before: str, after: str) -> bool:
    text = pair(before, after, parameters=PARAMETERS) + DECLARED
    (only,) = function_pairs(Source("pair.ll", text))
    return in_lockstep(only)


SAME = {
    "common": ("%a = add i32 %n, %m; %b = add i32 %m, %n; store i32 %a, ptr %p; ret i32 %b",
               "%a = add i32 %n, %m; store i32 %a, ptr %p; ret i32 %a"),
    "hoisted": (PRE + LOOP + "%v = mul i32 %m, %m; store i32 %v, ptr %p; " + NEXT + "ret i32 %i",
                PRE + "%v = mul i32 %m, %m; " + LOOP + "store i32 %v, ptr %p; " + NEXT + "ret i32 %i"),
    "rotated": (PRE + LOOP + "store i32 %i, ptr %p; " + NEXT + "ret i32 0",
                "%g = icmp ult i32 0, %n; br i1 %g, label %b, label %x; b: %i = phi i32 [ 0, %0 ], [ %j, %b ]; "
                "store i32 %i, ptr %p; %j = add i32 %i, 1; %k = icmp ult i32 %j, %n; br i1 %k, label %b, label %x; "
                "x: ret i32 0"),
    "variable": ("%s = alloca i32; store i32 0, ptr %s; " + PRE + LOOP + "%v = load i32, ptr %s; %w = add i32 %v, %m; "
                 "store i32 %w, ptr %s; store i32 %w, ptr %p; " + NEXT + "%r = load i32, ptr %s; ret i32 %r",
                 "br label %h; h: %i = phi i32 [ 0, %0 ], [ %j, %b ]; %v = phi i32 [ 0, %0 ], [ %w, %b ]; "
                 "%k = icmp ult i32 %i, %n; br i1 %k, label %b, label %x; b: %w = add i32 %v, %m; "
                 "store i32 %w, ptr %p; %j = add i32 %i, 1; br label %h; x: ret i32 %v"),
    "turned": ("%k = icmp ult i32 %n, %m; br i1 %k, label %a, label %b; " + STORED,
               "%k = icmp uge i32 %n, %m; br i1 %k, label %b, label %a; " + STORED),
    "address": ("%x = getelementptr i32, ptr %p, i64 1; %y = getelementptr i32, ptr %x, i64 1; store i32 1, ptr %y; "
                "ret i32 0", "%y = getelementptr i8, ptr %p, i64 8; store i32 1, ptr %y; ret i32 0"),
    "cast": ("%x = addrspacecast ptr addrspace(1) %o to ptr; %y = getelementptr i32, ptr %x, i32 %n; "
             "store i32 1, ptr %y; ret i32 0",
             "%y = getelementptr i32, ptr addrspace(1) %o, i32 %n; store i32 1, ptr addrspace(1) %y; ret i32 0"),
    "flag dropped": ("%a = add nsw i32 %n, 1; ret i32 %a", "%a = add i32 %n, 1; ret i32 %a"),
    "barrier": ("%a = add i32 %n, 0; call void @llvm.amdgcn.s.barrier(); %b = add i32 %n, 0; ret i32 %b",
                "%a = add i32 %n, 0; call void @llvm.amdgcn.s.barrier(); ret i32 %a"),
    "asked": ("%a = call i64 @__ockl_get_local_id(i32 0); store i64 %a, ptr %p; "
              "%b = call i64 @__ockl_get_local_id(i32 0); store i64 %b, ptr %q; ret i32 0",
              "%a = call i64 @__ockl_get_local_id(i32 0); store i64 %a, ptr %p; store i64 %a, ptr %q; ret i32 0"),
    "pure": ("%a = call i32 @u(i32 %n); %b = call i32 @u(i32 %n); %s = sub i32 %a, %b; ret i32 %s",
             "%a = call i32 @u(i32 %n); %s = sub i32 %a, %a; ret i32 %s"),
}  # fmt: skip

OTHER = {
    "flag added": ("%a = add i32 %n, 1; ret i32 %a", "%a = add nsw i32 %n, 1; ret i32 %a"),
    "flag of one of two": ("%a = add nsw i32 %n, 1; %b = add i32 %n, 1; store i32 %a, ptr %p; ret i32 %b",
                           "%a = add nsw i32 %n, 1; store i32 %a, ptr %p; ret i32 %a"),
    "another order": ("store i32 1, ptr %p; store i32 2, ptr %q; ret i32 0",
                      "store i32 2, ptr %q; store i32 1, ptr %p; ret i32 0"),
    "a load less": (LOAD + "%b = load atomic i32, ptr %p monotonic, align 4; ret i32 %b", LOAD + "ret i32 %a"),
    "two loads": (LOAD + "%b = load atomic i32, ptr %p monotonic, align 4; %s = sub i32 %a, %b; ret i32 %s",
                  LOAD + "%b = load atomic i32, ptr %p monotonic, align 4; %s = sub i32 %b, %a; ret i32 %s"),
    "weaker": ("store atomic i32 1, ptr %p release, align 4; ret i32 0",
               "store atomic i32 1, ptr %p monotonic, align 4; ret i32 0"),
    "scope": ('fence syncscope("agent") release; ret i32 0', 'fence syncscope("workgroup") release; ret i32 0'),
    "aligned": ("%a = load i32, ptr %p, align 1; ret i32 %a", "%a = load i32, ptr %p, align 4; ret i32 %a"),
    "volatile": ("%a = load volatile i32, ptr %p; ret i32 %a", "%a = load i32, ptr %p; ret i32 %a"),
    "one freeze for two": ("%a = freeze i32 %n; %b = freeze i32 %n; %s = sub i32 %a, %b; ret i32 %s",
                           "%a = freeze i32 %n; %s = sub i32 %a, %a; ret i32 %s"),
    "division earlier": ("br i1 %c, label %a, label %b; a: %d = udiv i32 1, %n; ret i32 %d; b: ret i32 0",
                         "%d = udiv i32 1, %n; br i1 %c, label %a, label %b; a: ret i32 %d; b: ret i32 0"),
    "same arms": ("ret i32 %n", "%s = select i1 %c, i32 %n, i32 %n; ret i32 %s"),
    "assumed": ("ret i32 0", "call void @llvm.assume(i1 %c); ret i32 0"),
    "waits for lanes": ("br i1 %c, label %a, label %b; a: br label %z; b: br label %z; "
                        "z: call void @llvm.amdgcn.s.barrier(); ret i32 0",
                        "br i1 %c, label %a, label %b; a: call void @llvm.amdgcn.s.barrier(); br label %z; "
                        "b: call void @llvm.amdgcn.s.barrier(); br label %z; z: ret i32 0"),
    "convergent": ("%a = call i32 @c(i32 %n); %b = call i32 @c(i32 %n); ret i32 %b",
                   "%a = call i32 @c(i32 %n); ret i32 %a"),
    "called once": ("call void @g(i32 %n); call void @g(i32 %n); ret i32 0", "call void @g(i32 %n); ret i32 0"),
    "passed otherwise": ("call void @k(ptr byval(i32) %p); ret i32 0", "call void @k(ptr %p); ret i32 0"),
    "assumed aligned": ('call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 4) ]; ret i32 0',
                        'call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16) ]; ret i32 0'),
    "called with another": ("call void @g(i32 %n); ret i32 0", "call void @g(i32 %m); ret i32 0"),
    # What was read in an iteration before is not what is read in this one.
    "previous": (PRE + "br label %h; h: %l = phi i32 [ 0, %e ], [ %v, %h ]; "
                 "%v = load atomic i32, ptr %p monotonic, align 4; store i32 %v, ptr %q; %k = icmp eq i32 %v, %l; "
                 "br i1 %k, label %h, label %x; x: ret i32 0",
                 PRE + "br label %h; h: %l = phi i32 [ 0, %e ], [ %v, %h ]; "
                 "%v = load atomic i32, ptr %p monotonic, align 4; store i32 %l, ptr %q; %k = icmp eq i32 %v, %l; "
                 "br i1 %k, label %h, label %x; x: ret i32 0"),
    "exchanged": (PRE + "br label %h; h: %s = phi i32 [ %n, %e ], [ %t, %h ]; %t = phi i32 [ %m, %e ], [ %s, %h ]; "
                  "store i32 %s, ptr %p; %k = load i1, ptr %q; br i1 %k, label %h, label %x; x: ret i32 %s",
                  PRE + "br label %h; h: %s = phi i32 [ %n, %e ], [ %s, %h ]; %t = phi i32 [ %m, %e ], [ %t, %h ]; "
                  "store i32 %s, ptr %p; %k = load i1, ptr %q; br i1 %k, label %h, label %x; x: ret i32 %s"),
    # Of two paths each gives one of two values what the other path gives the other one.
    "crossed": ("br i1 %c, label %a, label %b; a: br label %z; b: br label %z; "
                "z: %s = phi i32 [ %n, %a ], [ %m, %b ]; %t = phi i32 [ %m, %a ], [ %n, %b ]; ret i32 %s",
                "br i1 %c, label %a, label %b; a: br label %z; b: br label %z; "
                "z: %s = phi i32 [ %n, %a ], [ %m, %b ]; %t = phi i32 [ %m, %a ], [ %n, %b ]; ret i32 %t"),
    "variable kept": ("%s = alloca i32; store i32 0, ptr %s; " + PRE + LOOP + "store i32 %i, ptr %s; " + NEXT
                      + "%r = load i32, ptr %s; ret i32 %r", PRE + LOOP + NEXT + "ret i32 0"),
    "counter": (PRE + LOOP + "store i32 %i, ptr %p; " + NEXT + "ret i32 0",
                PRE + LOOP.replace("[ 0, %e ]", "[ 1, %e ]") + "store i32 %i, ptr %p; " + NEXT + "ret i32 0"),
    "other branch": ("br i1 %c, label %a, label %b; a: ret i32 1; b: ret i32 0",
                     "br i1 %c, label %b, label %a; a: ret i32 1; b: ret i32 0"),
    "case": ("switch i32 %n, label %d [ i32 1, label %a ]; a: ret i32 1; d: ret i32 0",
             "switch i32 %n, label %d [ i32 2, label %a ]; a: ret i32 1; d: ret i32 0"),
    "another index": ("%i = zext i32 %n to i64; " + INDEXED, "%i = sext i32 %n to i64; " + INDEXED),
    "ends": ("ret i32 0", "unreachable"),
    "space": ("%v = load i32, ptr addrspace(1) %o; ret i32 %v", "%v = load i32, ptr %p; ret i32 %v"),
    "fast": ("%a = bitcast i32 %n to float; %b = fadd float %a, %a; %d = bitcast float %b to i32; ret i32 %d",
             "%a = bitcast i32 %n to float; %b = fadd fast float %a, %a; %d = bitcast float %b to i32; ret i32 %d"),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_what_does_the_same_is_found(name: str) -> None:
    assert alike(*SAME[name])


@pytest.mark.parametrize("name", OTHER)
def test_what_does_something_else_is_not(name: str) -> None:
    assert not alike(*OTHER[name])


def test_the_answer_is_sound_in_every_context(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = SAME["rotated"]
    assert asked(tmp_path, pair(before, after, parameters=PARAMETERS), "--model", "llvm") == SOUND
    assert "the same operations with the same values on every path" in capsys.readouterr().out
    before, after = OTHER["weaker"]
    assert asked(tmp_path, pair(before, after, parameters=PARAMETERS), "--context", "2") == UNSOUND
