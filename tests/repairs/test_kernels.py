"""Kernels whose data races go, with the lines of their source."""

from __future__ import annotations

from pathlib import Path

import pytest

import axmem
from axmem.check.races import race
from axmem.check.selection import loaded
from axmem.cli import main
from axmem.formats.reading import parse
from axmem.front.source import InputError, Source
from axmem.litmus.blocks import control_flow
from axmem.litmus.kernels import Call
from axmem.litmus.syntax import AccessMode, AtomicRmw, Fence, Load, SyncScope
from axmem.litmus.words import Ordering, Scope
from axmem.repairs.edits import source_patch
from axmem.repairs.repair import RepairSearch, RepairStatus
from axmem.repairs.sites import kernel_points
from axmem.repairs.task import Aim
from tests.formats.test_sources import with_clang

MESSAGE = """#include <hip/hip_runtime.h>
// axmem: launch give<<<1, 1>>>(data, flag); take<<<1, 1>>>(data, flag, out)
__global__ void give(int *data, int *flag) {
  *data = 1;
  __threadfence_block();
  __hip_atomic_store(flag, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__global__ void take(int *data, int *flag, int *out) {
  if (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
    *out = *data;
}
"""
SHARED = """litmus shared
kernel k() workgroups 1, lanes 2 {
  lds <2 x i32> a
  store workitem.id, a[workitem.id]
  BRANCH
  n = load a[1 - workitem.id]
  END
}
"""


@with_clang
def test_a_message_between_workgroups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "message.hip"
    path.write_text(MESSAGE, encoding="utf-8")
    assert main(["repair", str(path), "--limit", "1"]) == 0
    said = capsys.readouterr().out
    assert "message: have no data race" in said and "give:6" in said
    assert "- __hip_atomic_store(flag, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);" in said
    assert "+ __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);" in said


@with_clang
def test_a_patched_source_has_no_race() -> None:
    """Each repair whose line of the source is known is made there, and asked again."""
    found = axmem.repair(parse(MESSAGE, "message.hip"), ["amdgpu"], search=RepairSearch(limit=9))
    assert found.task.aim is Aim.RACELESS and found.exhausted
    tried: list[str] = []
    for repair in found.repairs:
        (change,) = repair.changes
        old, new = change.source
        lines = MESSAGE.split("\n")
        assert lines[change.line - 1].strip() == old
        if new:
            lines[change.line - 1] = new if change.before else f"{new}\n{old}"
            test = parse("\n".join(lines), f"patched-{len(tried)}.hip")
            assert race(test, loaded("amdgpu")).pair is None
            tried.append(new)
    assert "__threadfence();" in tried and len(tried) >= 3
    assert race(parse(MESSAGE, "message.hip"), loaded("amdgpu")).pair is not None


FLOW = """litmus flow
kernel k() workgroups 1, lanes 2 {
  lds <2 x i32> a
s:
  store 1, a[0]
  br h
h:
  n = load a[0]
  c = n == 1
  br c, h, y
y:
  store 2, a[1]
  d = workitem.id == 1
  br d, z, e
z:
  store 3, a[1]
  br e
e:
  store 4, a[1]
  ret void
}
"""


def shared(branch: str = "", end: str = "") -> str:
    return SHARED.replace("BRANCH", branch).replace("END", end)


def test_a_barrier_where_every_lane_comes() -> None:
    found = axmem.repair(shared(), ["amdgpu"])
    assert found.status is RepairStatus.FOUND and found.exhausted
    (repair,) = found.repairs
    (change,) = repair.changes
    assert change.after.split("; ")[1] == "s.barrier" and repair.verdicts == (("amdgpu", "no race"),)
    assert axmem.repair(repair.text, ["amdgpu"]).status is RepairStatus.NEEDLESS


def test_no_barrier_where_some_lanes_come() -> None:
    """Lane 1 alone reads: a barrier there would wait for ever."""
    inside = shared("if workitem.id == 1 {", "}")
    (repair,) = axmem.repair(inside, ["amdgpu"]).repairs
    ((change,),) = [repair.changes]
    (kernel,) = parse(repair.text).kernels
    (barrier,) = [b for b in control_flow(kernel).blocks if any(isinstance(s, Call) for s in b.statements)]
    assert barrier is control_flow(kernel).entry
    without = axmem.repair(shared(), ["amdgpu"], search=RepairSearch(edits={"fence", "ordering", "scope"}))
    assert without.status is RepairStatus.IMPOSSIBLE
    assert change.words == ("inserted",)


def test_where_every_lane_comes_once() -> None:
    (kernel,) = parse(FLOW).kernels
    names = {path: block.name for block in control_flow(kernel).blocks for path in block.paths}
    points = {(names[path[1:]], once) for path, once in kernel_points(kernel, 0)}
    assert points == {("s", True), ("h", False), ("y", True), ("z", False), ("e", True)}


def test_what_kernels_are_asked() -> None:
    asked = f"{shared()}\nexists (k.0.0.1:n=7)\n"
    assert axmem.repair(asked, ["amdgpu"]).task.aim is Aim.FORBID
    assert axmem.repair(asked, ["amdgpu"], races=True).task.aim is Aim.RACELESS
    with pytest.raises(InputError, match="axmem repair --weaken knows no kernels"):
        axmem.repair(asked, ["amdgpu"], weaken=True)
    with pytest.raises(InputError, match="no condition to forbid"):
        axmem.repair("litmus t\nglobal x = 0\nthread P0 { store 1, x }\n", ["amdgpu"])


def patched(text: str, before: object, after: object, name: str = "k.hip") -> str:
    return source_patch(Source(name, f"\n  {text}\n"), 2, before, after)[1]  # type: ignore[arg-type]


def fence(ordering: Ordering, scope: Scope) -> Fence:
    return Fence(AccessMode(ordering, SyncScope(scope)))


def test_words_of_the_source() -> None:
    load = Load("r", None, None, AccessMode(Ordering.MONOTONIC, SyncScope(Scope.WORKGROUP)))  # type: ignore[arg-type]
    wide = Load("r", None, None, AccessMode(Ordering.ACQUIRE, SyncScope(Scope.AGENT)))  # type: ignore[arg-type]
    both = "__hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP)"
    assert patched(both, load, wide) == "__hip_atomic_load(p, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)"
    assert patched(f"f({both}, {both})", load, wide) == ""
    opencl = "atomic_load_explicit(p, memory_order_relaxed, memory_scope_work_group)"
    wanted = "atomic_load_explicit(p, memory_order_acquire, memory_scope_device)"
    assert patched(opencl, load, wide, "k.cl") == wanted
    narrow, agent = fence(Ordering.SEQ_CST, Scope.WORKGROUP), fence(Ordering.SEQ_CST, Scope.AGENT)
    assert patched("__threadfence_block();", narrow, agent) == "__threadfence();"
    assert patched("f();", narrow, agent) == ""
    assert patched("f();", None, agent) == "__threadfence();"
    assert "memory_order_seq_cst, memory_scope_device" in patched("f();", None, agent, "k.cl")
    rmw = AtomicRmw("r", "add", None, None, None, AccessMode(Ordering.MONOTONIC, SyncScope(Scope.WORKGROUP)))  # type: ignore[arg-type]
    device = AtomicRmw("r", "add", None, None, None, AccessMode(Ordering.MONOTONIC, SyncScope(Scope.AGENT)))  # type: ignore[arg-type]
    assert patched("atomicAdd_block(p, 1);", rmw, device) == "atomicAdd(p, 1);"
    assert source_patch(Source("k.ll", "\nf\n"), 2, None, agent) == ("", "")
