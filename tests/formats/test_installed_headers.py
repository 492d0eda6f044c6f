"""Sources in HIP that need more than our header has, and what the headers of HIP that are installed call.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import axmem
from axmem.check.races import race
from axmem.check.selection import loaded
from axmem.formats.reading import parse
from axmem.formats.sources import HIP_PATH
from axmem.front.source import InputError
from tests.drawn import some
from tests.formats.test_sources import with_clang

HEADER = """#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
extern "C" __device__ unsigned long __ockl_get_group_id(unsigned);
extern "C" __device__ void __atomic_work_item_fence(unsigned, unsigned, unsigned);
__device__ inline unsigned my_group() { return __ockl_get_group_id(0); }
__device__ inline void my_fence() { __atomic_work_item_fence(0, 5, SCOPE); }
"""
SOURCE = """// axmem: launch k<<<2, 1>>>(x, f, y)
#include <hip/hip_runtime.h>
__global__ void k(int *x, int *f, int *y) {
  if (my_group() == 0) {
    *x = 1;
    my_fence();
    __hip_atomic_store(f, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  } else {
    while (!__hip_atomic_load(f, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {}
    my_fence();
    *y = *x;
  }
}
"""


def installed(folder: Path, text: str) -> None:
    (folder / "include" / "hip").mkdir(parents=True)
    (folder / "include" / "hip" / "hip_runtime.h").write_text(text, encoding="utf-8")


@with_clang
@pytest.mark.parametrize(("scope", "races"), some([(2, False), (3, False), (0, True), (1, True)], of=2))
def test_a_source_is_compiled_with_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], scope: int, races: bool
) -> None:
    """OpenCL numbers the scopes: 1 is the workgroup's, 2 the agent's, 3 the system's; of 0 a fence orders nothing."""
    installed(tmp_path, HEADER.replace("SCOPE", str(scope)))
    monkeypatch.setenv(HIP_PATH, str(tmp_path))
    test = parse(f"// {scope}\n{SOURCE}", f"installed-{scope}.hip")
    assert "compiled with those in" in capsys.readouterr().err
    found = race(test, loaded("amdgpu"))
    assert (found.pair is not None) == races and not found.limits
    stores = [s.span.line for k in test.kernels for s in k.body if type(s).__name__ == "Store"]
    assert sorted({*stores}) == [6, 8, 12]


@with_clang
def test_what_ours_has_is_compiled_with_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(tmp_path, "#error not this one\n")
    monkeypatch.setenv(HIP_PATH, str(tmp_path))
    text = SOURCE.replace("my_fence", "__threadfence").replace("my_group()", "blockIdx.x")
    assert race(parse(text, "ours.hip"), loaded("amdgpu")).pair is None
    assert "compiled with" not in capsys.readouterr().err


@with_clang
def test_what_neither_has_is_said_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, HEADER.replace("my_fence", "another"))
    monkeypatch.setenv(HIP_PATH, str(tmp_path))
    with pytest.raises(InputError, match=r"neither.hip:4:7: error: clang says: use of undeclared identifier 'my_gr"):
        parse(SOURCE, "neither.hip")


@with_clang
def test_lines_are_where_a_header_is_used() -> None:
    """A fence in line 52 of the header, which the source has, too, is at the line of its call."""
    text = "// axmem: launch k<<<1, 1>>>(x)\n" + "\n" * 80 + "__global__ void k(int *x) {\n  atomicAdd(x, 1);\n}\n"
    (kernel,) = parse(text, "lines.hip").kernels
    assert [s.span.line for s in kernel.body if type(s).__name__ == "AtomicRmw"] == [83]


VOTE = """
; axmem: launch k<<<1, 4>>>(a)
; axmem: exists (a=MASK)
define amdgpu_kernel void @k(ptr addrspace(1) %a) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %m = call i64 @llvm.amdgcn.icmp.i64.i32(i32 %i, i32 2, i32 WHICH)
  %c = icmp eq i32 %i, 0
  br i1 %c, label %yes, label %no
yes:
  store i64 %m, ptr addrspace(1) %a, align 8
  br label %no
no:
  ret void
}
"""


@pytest.mark.parametrize(("which", "mask"), [(32, 0b0100), (33, 0b1011), (36, 0b0011), (39, 0b1100)])
def test_a_comparison_of_all_lanes(which: int, mask: int) -> None:
    verdicts = [
        axmem.outcomes(parse(VOTE.replace("WHICH", str(which)).replace("MASK", str(m)), "m.ll"), "amdgpu").verdict
        for m in (mask, mask ^ 1)
    ]
    assert verdicts == ["always", "never"]
    with pytest.raises(InputError, match=r"llvm.amdgcn.icmp.i64.i32' has no meaning"):
        parse(VOTE.replace("WHICH", "7").replace("MASK", "1"), "m.ll")
