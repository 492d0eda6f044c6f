from __future__ import annotations

from axmem.convergence.loads import LoadClass, loads
from tests.convergence.kernels import kernel_test


def selected(body: str) -> dict[str, tuple[LoadClass, str]]:
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
        "plain": LoadClass.SCALAR, "own": LoadClass.DIVERGENT, "atomic": LoadClass.ATOMIC,
        "volatile": LoadClass.ATOMIC, "short": LoadClass.NARROW,
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
    assert found["a"] == found["b"] == (LoadClass.SCALAR, "K")
    assert found["c"] == found["d"] == (LoadClass.CLOBBERED, "")
    acquired = body.replace("monotonic, align 4", "acquire, align 4")
    assert selected(acquired)["a"][0] is LoadClass.SCALAR
    assert selected(acquired)["b"][0] is LoadClass.CLOBBERED


def test_ordered_stores_count_wherever_they_go() -> None:
    # Seen in what opt 22 annotates: for its alias analysis a store that is more than unordered may write anywhere.
    body = """\
entry:
  STORE
  %a = load i32, ptr addrspace(1) @x
  ret void
}

global y = 0
kernel L() {
"""
    for store, selection in (
        ("store atomic i32 1, ptr addrspace(1) @y monotonic, align 4", LoadClass.CLOBBERED),
        ("store atomic i32 1, ptr addrspace(1) @y unordered, align 4", LoadClass.SCALAR),
        ("store volatile i32 1, ptr addrspace(1) @y", LoadClass.SCALAR),
        ("%r = atomicrmw add ptr addrspace(1) @y, i32 1 acq_rel", LoadClass.SCALAR),
    ):
        assert selected(body.replace("STORE", store))["a"][0] is selection


def test_stores_beside_a_load_do_not_count_unless_a_loop_moves_it() -> None:
    # A constant distance from the same pointer tells them apart; in a loop only if the address is plainly the same in
    # each iteration, as one from a parameter is, and one from a register that the loop makes is not.
    body = """\
entry:
  br label %h
h:
  %r = add ptr addrspace(1) %p, 4
  %far = load i32, ptr addrspace(1) %p[4]
  %own = load i32, ptr addrspace(1) %r[3]
  store i32 1, ptr addrspace(1) %p[1]
  %last = load i32, ptr addrspace(1) %r[3]
  %same = load i32, ptr addrspace(1) %r
  %again = icmp eq i32 %n, 0
  br i1 %again, label %h, label %x
x:
  ret void
"""
    found = {register: selection for register, (selection, _) in selected(body).items()}
    assert found == {"far": LoadClass.SCALAR, "own": LoadClass.CLOBBERED, "last": LoadClass.CLOBBERED,
                     "same": LoadClass.CLOBBERED}  # fmt: skip


def test_what_paths_bring_counts_as_it_is() -> None:
    # Behind a fence in a branch the search goes on with the last state of each path, and a volatile load is one; where
    # no path writes it goes on above them.
    body = """\
entry:
  %v = load volatile i32, ptr addrspace(1) @x
  %c = icmp eq i32 %n, 0
  br i1 %c, label %a, label %j
a:
  BRANCH
  br label %j
j:
  %b = load i32, ptr addrspace(1) @x
  ret void
"""
    for branch, selection in (
        ("fence acquire", LoadClass.CLOBBERED),
        ("%w = load volatile i32, ptr addrspace(1) @x", LoadClass.SCALAR),
        ("%w = load i32, ptr addrspace(1) @x", LoadClass.SCALAR),
    ):
        assert selected(body.replace("BRANCH", branch))["b"][0] is selection
    without = body.replace("BRANCH", "fence acquire").replace("load volatile", "load")
    assert selected(without)["b"][0] is LoadClass.SCALAR


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
    assert (found["near"], found["behind"]) == (LoadClass.SCALAR, LoadClass.CLOBBERED)
    for before in ("volatile i32, ptr addrspace(1) %p", "i32, ptr addrspace(1) %p"):
        plain = selected(body.replace("atomic i32, ptr addrspace(1) %p monotonic, align 4", before))
        assert plain["behind"][0] is LoadClass.SCALAR
