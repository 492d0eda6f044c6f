"""Functions of LLVM IR that are no kernels, and workgroups whose size is promised, as opt-22 22.1.8 answers of them."""

from __future__ import annotations

import shutil

import pytest

from axmem.check.uniform import uniform
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.kernels import Threads
from axmem.convergence.modules import flow_of
from axmem.convergence.uniformity import uniformity
from axmem.formats.ir.whole import whole
from axmem.formats.reading import parse
from axmem.front.source import Source
from tests.uniformity.folder import of_module

HEAD = "declare i32 @llvm.amdgcn.workitem.id.x()\n"
ARGUMENTS = """\
define CONVENTION void @f(i32 %a, i32 inreg %b, ptr addrspace(1) %p, ptr addrspace(1) inreg %q) {
  %s = add i32 %a, 1
  %t = add i32 %b, 1
  %u = load i32, ptr addrspace(1) %p
  %v = load i32, ptr addrspace(1) %q
  %c = icmp eq i32 %b, 1
  br i1 %c, label %then, label %end
then:
  %d = icmp eq i32 %a, 1
  br i1 %d, label %far, label %end
far:
  br label %end
end:
  %w = phi i32 [ 1, %0 ], [ 2, %then ], [ 3, %far ]
  ret void
}
"""
CONVENTIONS = {
    "": "->then a d p s u w",
    "amdgpu_kernel": "",
    "spir_kernel": "",
    "amdgpu_gfx": "->then a d p s u w",
    "fastcc": "->then a d p s u w",
}
SIZES = """\
define amdgpu_kernel void @f(i32 %n) PROMISE {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %w = lshr i32 %x, 6
  %s = ashr i32 %x, 7
  %v = lshr i32 %x, 5
  %m = and i32 %x, -64
  %l = and i32 %x, 32
  %r = atomicrmw add ptr addrspace(1) @g, i32 1 monotonic
  %c = icmp ult i32 %x, %n
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %p = phi i32 [ 0, %0 ], [ 1, %a ]
  ret void
}
@g = addrspace(1) global i32 0
!0 = !{i32 SIZE}
"""
EVERYTHING, WITHIN, NOTHING = "->0 c l m p r s v w", "->0 c l p r v", ""
PROMISES = {
    ("", ""): EVERYTHING,
    ("!reqd_work_group_size !0", "1, i32 1, i32 1"): NOTHING,
    ('"amdgpu-flat-work-group-size"="1,1"', ""): NOTHING,
    ("#0", ""): NOTHING,
    ('"amdgpu-flat-work-group-size"="1,64"', ""): EVERYTHING,
    ("!reqd_work_group_size !0", "1, i32 64, i32 1"): WITHIN,
    ("!reqd_work_group_size !0", "48, i32 1, i32 1"): WITHIN,
    ("!reqd_work_group_size !0", "32, i32 3, i32 2"): WITHIN,
    ("!reqd_work_group_size !0", "96, i32 2, i32 1"): EVERYTHING,
}
GROUP = 'attributes #0 = { nounwind "amdgpu-flat-work-group-size"="1,1" }\n'


def divergent(module: str, threads: Threads = Threads.WAVE) -> str:
    """Return what is divergent in the function of a module, sorted; opt-22 is asked too, if it is there."""
    read = whole(Source("f.ll", module))
    assert read.names() == ("f",)
    if shutil.which("opt-22"):
        assert not of_module("f.ll", module).differences
    function = flow_of(read.module, read.module.functions["f"], threads)
    found = uniformity(function, llvm_hierarchy(function.graph))
    values = {function.blocks[place.block].instructions[place.number].register for place in found.values}
    return " ".join(sorted([*(values - {"x", ""}), *(f"->{block}" for block in found.branches)]))


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_parameters_of_what_is_no_kernel_are_divergent(convention: str) -> None:
    assert divergent(ARGUMENTS.replace("CONVENTION", convention)) == CONVENTIONS[convention]


@pytest.mark.parametrize("promise", PROMISES)
def test_the_size_of_a_workgroup_decides(promise: tuple[str, str]) -> None:
    words, size = promise
    text = HEAD + SIZES.replace("PROMISE", words).replace("i32 SIZE", f"i32 {size}" if size else "") + GROUP
    assert divergent(text) == PROMISES[promise]


def test_lanes_are_executed_with_arguments_of_their_own() -> None:
    # LLVM is not imprecise there: two lanes may be called with 0 and 1; but x is one number in all of them.
    comment = "; axmem: kernel @f(in {0, 1}, in {0, 1}) workgroups 1, wavefronts 1, lanes 2\n"
    text = "define void @f(i32 %a, i32 inreg %b) {\n  %s = add i32 %a, 1\n  %t = add i32 %b, 1\n"
    text += "  %x = and i32 %a, 4\n  ret void\n}\n"
    test = parse(comment + text, "f.ll")
    report = uniform(test, test.kernels[0])
    found = {a.register: (a.llvm is None, a.asked and not a.differs, a.marks("no cycle")) for a in report.answers}
    assert found["s"] == (False, False, ())
    assert found["t"] == (True, True, ())
    assert found["x"] == (False, True, ("imprecise",))
    said = next(a.differs for a in report.answers if a.register == "s")
    assert said == {"no cycle": "with b=0, f.0.0.0 (a=0) has 1, f.0.0.1 (a=1) has 2"}
