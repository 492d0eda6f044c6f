"""Memory of a workgroup whose size the launch says, vectors that become one number, and what clang assumes."""

from __future__ import annotations

import pytest

import axmem
from axmem.formats.reading import parse
from axmem.front.source import InputError

MODULE = """
; axmem: launch k<<<LAUNCH>>>(out)
; axmem: exists (out=OUT)
@buf = external local_unnamed_addr addrspace(3) global [0 x i32], align 4
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr [0 x i32], ptr addrspace(3) @buf, i32 0, i32 %i
  %n = add i32 %i, 1
  store i32 %n, ptr addrspace(3) %p, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %first = icmp eq i32 %i, 0
  br i1 %first, label %sum, label %end
sum:
  %v = load <2 x i32>, ptr addrspace(3) @buf, align 4
  %s = call i32 @llvm.vector.reduce.add.v2i32(<2 x i32> %v)
  store i32 %s, ptr addrspace(1) %out, align 4
  br label %end
end:
  ret void
}
"""


def module(launch: str, out: int) -> str:
    return MODULE.replace("LAUNCH", launch).replace("OUT", str(out))


@pytest.mark.parametrize(("launch", "out", "verdict"), [("1, 2", 3, "always"), ("1, 2", 2, "never")])
def test_it_is_as_large_as_it_is_accessed(launch: str, out: int, verdict: str) -> None:
    test = parse(module(launch, out), "m.ll")
    assert axmem.outcomes(test, "amdgpu").verdict == verdict


def test_each_workgroup_has_its_own_of_which_nothing_is_known_at_first() -> None:
    (kernel,) = parse(module("2, 4", 3), "m.ll").kernels
    (memory,) = kernel.memory
    assert memory.name == "buf" and memory.initial is None
    assert memory.type is not None and memory.type.size >= 16


def test_one_lane_has_room_for_what_it_accesses() -> None:
    (kernel,) = parse(module("1, 1", 3), "m.ll").kernels
    assert [each.type.size for each in kernel.memory if each.type is not None] == [8]


def test_two_names_of_it_are_one_memory() -> None:
    """The control: what has a size of its own is other memory."""
    other, sized = "external addrspace(3) global [0 x i64]", "internal addrspace(3) global [2 x i64] undef"
    for kind, count in ((other, 1), (sized, 2)):
        text = module("1, 2", 3).replace("define", f"@other = {kind}\ndefine")
        text = text.replace("  ret void", "  store i64 1, ptr addrspace(3) @other\n  ret void", 1)
        (kernel,) = parse(text, "m.ll").kernels
        assert len(kernel.memory) == count


def test_without_a_launch_it_has_no_size() -> None:
    text = module("1, 2", 3).replace("launch k<<<1, 2>>>(out)", "kernel @k(@out) workgroups 1, lanes 2")
    with pytest.raises(InputError, match="has no bytes") as raised:
        parse(text.replace("@buf", "@out = global i32 0\n@buf", 1), "m.ll")
    assert "axmem: launch" in raised.value.diagnostics[0].hint


REDUCING = """
; axmem: launch k<<<1, 1>>>(a, out)
; axmem: exists (out=OUT)
define amdgpu_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  store <4 x i8> <i8 3, i8 -2, i8 6, i8 5>, ptr addrspace(1) %a, align 4
  %v = load <4 x i8>, ptr addrspace(1) %a, align 4
  %r = call i8 @llvm.vector.reduce.WORD.v4i8(<4 x i8> %v)
  store i8 %r, ptr addrspace(1) %out, align 1
  ret void
}
"""
REDUCED = {"add": 12, "mul": 76, "and": 0, "or": 255, "xor": 254, "smax": 6, "smin": 254, "umax": 254, "umin": 3}


@pytest.mark.parametrize("word", REDUCED)
def test_lanes_become_one_number(word: str) -> None:
    text = REDUCING.replace("WORD", word)
    verdicts = [
        axmem.outcomes(parse(text.replace("OUT", str(number)), "m.ll"), "amdgpu").verdict
        for number in (REDUCED[word], REDUCED[word] ^ 1)
    ]
    assert verdicts == ["always", "never"]


def test_an_assumption_is_no_unknown_call(capsys: pytest.CaptureFixture[str]) -> None:
    """A call of anything else is named as one that may do anything."""
    text = module("1, 2", 3).replace("br i1", "call void @CALLEE(i1 %first)\n  br i1")
    parse(text.replace("CALLEE", "llvm.assume"), "assumed.ll")
    assert "assume" not in capsys.readouterr().err
    parse(text.replace("CALLEE", "outside") + "declare void @outside(i1)\n", "outside.ll")
    assert "call of @outside" in capsys.readouterr().err
