from __future__ import annotations

from axmem.convergence.loads import Selection, loads
from tests.convergence.kernels import kernel_test


def selected(body: str) -> dict[str, tuple[Selection, str]]:
    test = kernel_test(body)
    return {f.register: (f.selection, f.stale) for f in loads(test, test.kernels[0])}


def test_what_loads_become() -> None:
    # What llc 22 was seen to select: a plain load of a uniform global address is scalar, an atomic or volatile one and
    # one of a divergent address are not.
    body = """\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %plain = load i32, ptr addrspace(1) %p
  %own = load i32, ptr addrspace(1) %p[%tid]
  %atomic = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %volatile = load volatile i32, ptr addrspace(1) %p
  %short = load i16, ptr addrspace(1) %p
  ret void
"""
    assert {register: selection for register, (selection, _) in selected(body).items()} == {
        "plain": Selection.SCALAR, "own": Selection.DIVERGENT, "atomic": Selection.ATOMIC,
        "volatile": Selection.ATOMIC, "short": Selection.NARROW,
    }  # fmt: skip


def test_what_is_on_the_way_to_a_load() -> None:
    # Fences, barriers and monotonic loads do not count, stores and acquire loads do, around a loop, too; the kernel's
    # own store makes a load before it stale in another lane.
    body = """\
entry:
  %a = load i32, ptr addrspace(1) @x
  fence acquire
  call void @llvm.amdgcn.s.barrier()
  %m = load atomic i32, ptr addrspace(1) @x monotonic, align 4
  %b = load i32, ptr addrspace(1) @x
  br label %h
h:
  %c = load i32, ptr addrspace(1) @x
  store i32 1, ptr addrspace(1) @x
  %again = icmp eq i32 %n, 0
  br i1 %again, label %h, label %x
x:
  %d = load i32, ptr addrspace(1) @x
  ret void
"""
    found = selected(body)
    assert found["a"] == found["b"] == (Selection.SCALAR, "K")
    assert found["c"] == found["d"] == (Selection.CLOBBERED, "")
    acquired = body.replace("monotonic, align 4", "acquire, align 4")
    assert selected(acquired)["a"][0] is Selection.SCALAR
    assert selected(acquired)["b"][0] is Selection.CLOBBERED


def test_a_monotonic_load_before_a_fence_or_barrier_counts() -> None:
    # Seen in what llc 22 emits: its search stops at the fence and goes on without the load that it began with.
    body = """\
entry:
  %flag = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %near = load i32, ptr addrspace(1) %p
  fence acquire
  %behind = load i32, ptr addrspace(1) %p
  ret void
"""
    found = {register: selection for register, (selection, _) in selected(body).items()}
    assert (found["near"], found["behind"]) == (Selection.SCALAR, Selection.CLOBBERED)
    for before in ("volatile i32, ptr addrspace(1) %p", "i32, ptr addrspace(1) %p"):
        plain = selected(body.replace("atomic i32, ptr addrspace(1) %p monotonic, align 4", before))
        assert plain["behind"][0] is Selection.SCALAR
