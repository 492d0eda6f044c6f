"""Functions of LLVM IR as they stand, in the shapes of LLVM's tests of uniformity, as opt-22 22.1.8 answers of them.

Each line of a body says behind `;` what is divergent of it: `D` for LLVM, `?` by the sound rules alone.
"""

from __future__ import annotations

import re
import shutil

import pytest

from axmem.check.uniform import uniform_alone
from axmem.convergence.kernels import Threads
from axmem.formats.ir.whole import whole
from axmem.front.source import Source
from tests.uniformity.folder import of_module

HEAD = "define amdgpu_kernel void @f(i32 %n, ptr addrspace(1) %g, ptr %q, ptr addrspace(8) %r, <4 x i32> %w) {\n"
END = """
declare i32 @other(i32)
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i64 @llvm.amdgcn.icmp.i64.i32(i32, i32, i32)
declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)
declare i32 @llvm.amdgcn.permlane16.i32(i32, i32, i32, i32, i1, i1)
declare i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32, ptr addrspace(8), i32, i32, i32)
declare i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8), i32, i32, i32)
declare { i1, i64 } @llvm.amdgcn.if.i64(i1)
declare float @llvm.sqrt.f32(float)
declare { i32, i1 } @llvm.smul.with.overflow.i32(i32, i32)
declare i64 @llvm.read_register.i64(metadata)
!0 = !{!"exec"}
!1 = !{!"v0"}
"""
BODIES = {
    "ids and updates": """
  %x = call i32 @llvm.amdgcn.workitem.id.x() ; D
  %y = call i32 @llvm.amdgcn.workitem.id.y() ; D
  %z = call i32 @llvm.amdgcn.workgroup.id.z()
  %m = call i32 @llvm.amdgcn.mbcnt.lo(i32 5, i32 0) ; D
  %a = atomicrmw add ptr addrspace(1) %g, i32 1 monotonic ; D
  %b = cmpxchg ptr addrspace(1) %g, i32 0, i32 1 monotonic monotonic ; D
  %c = extractvalue { i32, i1 } %b, 1 ; D
  %d = load i32, ptr %q ; D
  %e = load i32, ptr addrspace(1) %g
  ret void""",
    "calls": """
  %x = call i32 @llvm.amdgcn.workitem.id.x() ; D
  %a = call i32 @other(i32 %n) ; D
  %b = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  %c = call i64 @llvm.amdgcn.icmp.i64.i32(i32 %x, i32 0, i32 33)
  %d = call i32 @llvm.amdgcn.ds.swizzle(i32 %n, i32 100) ; D
  %e = call i32 @llvm.amdgcn.permlane16.i32(i32 %n, i32 %n, i32 %n, i32 %n, i1 false, i1 false) ; D
  %h = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 %n, ptr addrspace(8) %r, i32 0, i32 0, i32 0) ; D
  %i = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 0, i32 0, i32 0) ; ?
  %j = call i64 @llvm.read_register.i64(metadata !0) ; ?
  %k = call i64 @llvm.read_register.i64(metadata !1) ; D
  %l = add i64 %j, 1 ; ?
  ret void""",
    "values of any type": """
  %x = call i32 @llvm.amdgcn.workitem.id.x() ; D
  %f = bitcast i32 %n to float
  %a = call float @llvm.sqrt.f32(float %f)
  %b = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %n, i32 %x) ; D
  %c = extractvalue { i32, i1 } %b, 0 ; D
  %d = zext i32 %n to i128
  %e = udiv i128 %d, 7
  %h = freeze i128 %e
  %i = icmp eq <4 x i32> %w, zeroinitializer
  %j = insertelement <4 x i32> %w, i32 %x, i32 0 ; D
  %k = ptrtoint ptr %q to i64
  %l = inttoptr i64 %k to ptr
  %m = insertvalue { i33, ptr } poison, ptr %l, 1
  ret void""",
    "assembly": """
  %x = call i32 @llvm.amdgcn.workitem.id.x() ; D
  %a = call i32 asm "s_mov_b32 $0, 1", "=s"()
  %b = call i32 asm "v_mov_b32 $0, 1", "=v"() ; D
  %c = call i32 asm sideeffect "v_readfirstlane_b32 $0, $1", "=s,v"(i32 %x)
  %d = call { i32, i32 } asm "; $0 $1", "=s,=v"() ; D
  %e = extractvalue { i32, i32 } %d, 0
  %h = extractvalue { i32, i32 } %d, 1 ; D
  %i = call i32 asm "; $0", "={s5}"()
  %j = call i32 asm "; $0", "={v5}"() ; D
  ret void""",
    "masks": """
  %x = call i32 @llvm.amdgcn.workitem.id.x() ; D
  %c = icmp eq i32 %x, 0 ; D
  %a = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %c) ; D
  %b = extractvalue { i1, i64 } %a, 0 ; D
  %d = extractvalue { i1, i64 } %a, 1
  br i1 %b, label %then, label %end ; D
then:
  br label %end
end:
  %p = phi i128 [ 0, %0 ], [ 1, %then ] ; D
  %s = phi i128 [ 0, %0 ], [ undef, %then ]
  ret void""",
    "exceptions": """
  %x = call i32 @llvm.amdgcn.workitem.id.x() ; D
  %a = invoke i32 @other(i32 %n)
          to label %on unwind label %away ; D?
on:
  %b = add i32 %a, 1 ; ?
  switch i32 %n, label %far [
    i32 1, label %end
  ]
far:
  br label %end
away:
  %e = landingpad { ptr, i32 } ; ?
          cleanup
  resume { ptr, i32 } %e ; ?
end:
  ret void""",
}


def text(name: str) -> str:
    personality = " personality ptr @other" if "landingpad" in BODIES[name] else ""
    return HEAD.replace(") {", f"){personality} {{") + BODIES[name].lstrip("\n") + "\n}\n" + END


@pytest.mark.parametrize("name", BODIES)
def test_what_llvm_says_of_instructions(name: str) -> None:
    read = whole(Source("f.ll", text(name)))
    assert not read.wrong
    report = uniform_alone(read.module, read.module.functions["f"])
    own = {a.register: (a.llvm is not None, a.sound is not None) for a in report.answers if a.register}
    for line in BODIES[name].splitlines():
        if made := re.match(r"  %(\w+) = ", line):
            said = "".join(re.findall(r"; ([D?]+)$", line))
            if "invoke" not in line:
                assert own[made[1]] == ("D" in said, bool(said)), line
    assert not any(answer.asked for answer in report.answers)


@pytest.mark.parametrize("name", BODIES)
def test_opt_says_the_same(name: str) -> None:
    if not shutil.which("opt-22"):
        pytest.skip("there is no opt-22")
    found = of_module("f.ll", text(name))
    assert (found.compared, found.differences) == (1, ())


def test_a_difference_is_seen() -> None:
    if not shutil.which("opt-22"):
        pytest.skip("there is no opt-22")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("axmem.convergence.divergence.UNIFORM", re.compile("no such intrinsic"))
        patch.setattr("axmem.convergence.divergence._matches", lambda pattern, name: bool(pattern.fullmatch(name)))
        assert of_module("f.ll", text("calls")).differences


def test_across_a_workgroup_what_waves_find_by_themselves_is_divergent() -> None:
    read = whole(Source("f.ll", text("calls")))
    report = uniform_alone(read.module, read.module.functions["f"], threads=Threads.WORKGROUP)
    uniform = {answer.register for answer in report.answers if answer.sound is None}
    assert uniform == set()
    read = whole(Source("f.ll", text("values of any type")))
    report = uniform_alone(read.module, read.module.functions["f"], threads=Threads.WORKGROUP)
    assert {a.register for a in report.answers if a.sound is None} == set("fadehiklm")
