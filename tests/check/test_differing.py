"""What the solver says of registers and branches that memory decides: the exact column of `axmem kernel uniform`."""

from __future__ import annotations

from random import Random

import pytest

from axmem.check.uniform import UniformityAnswer, uniform
from axmem.convergence import kernels
from axmem.convergence.function import Sort
from axmem.convergence.kernels import Threads, function_of
from axmem.convergence.uniformity import sound
from axmem.litmus.parser import parse
from axmem.litmus.syntax import Call, Load, Statement
from tests.check.across import compared
from tests.convergence.kernels import kernel_test, written


def exact(body: str) -> dict[str, bool | None]:
    """Return of each register, and of branches by `->` and their blocks, whether it is uniform; None: not asked."""
    test = kernel_test(body)
    (kernel,) = test.kernels
    answers = uniform(test, kernel).answers
    return {a.register or f"->{a.block}": not a.differs if a.asked else None for a in answers}


def test_the_first_lane_that_has_a_value_is_compared_with() -> None:
    # Lane 0 has undef, the others 1, 1 and 2 more than x holds; u is the same in all that have it.
    found = exact("""\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %z = load i32, ptr addrspace(1) %p
  %c = icmp eq i32 %tid, 0
  %d = icmp eq i32 %tid, 3
  %one = add i32 %z, 1
  %two = add i32 %z, 2
  %more = select i1 %d, i32 %two, i32 %one
  %v = select i1 %c, i32 undef, i32 %more
  %u = select i1 %c, i32 undef, i32 %one
  ret void
""")
    assert (found["v"], found["u"]) == (False, True)


def test_undef_in_a_later_iteration_hides_no_difference() -> None:
    found = exact("""\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %z = load i32, ptr addrspace(1) %p
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i1, %h ]
  %s = phi i32 [ %tid, %entry ], [ undef, %h ]
  %v = add i32 %s, %z
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i1, 2
  br i1 %c, label %h, label %x
x:
  ret void
""")
    assert (found["v"], found["->h"]) == (False, True)


def test_a_branch_is_asked_where_lanes_meet_that_left_a_loop_at_different_iterations() -> None:
    # b is the same in each iteration of h; lane t carries that of iteration t to x.
    found = exact("""\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %z = load i32, ptr addrspace(1) %p
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i1, %h ]
  %j = add i32 %i, %z
  %b = icmp eq i32 %j, 1
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i, %tid
  br i1 %c, label %h, label %x
x:
  br i1 %b, label %y, label %w
y:
  br label %w
w:
  ret void
""")
    assert (found["b"], found["->x"], found["->h"]) == (True, False, False)


def test_a_branch_is_asked_of_the_lanes_that_come_to_it() -> None:
    # Lanes 0 and 1 to 3 differ in b; those that come to r do not.
    found = exact("""\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %z = load i32, ptr addrspace(1) %p
  %c = icmp eq i32 %tid, 0
  %j = add i32 %tid, %z
  %b = icmp eq i32 %j, 0
  br i1 %c, label %w, label %r
r:
  br i1 %b, label %y, label %w
y:
  br label %w
w:
  ret void
""")
    assert (found["b"], found["->entry"], found["->r"]) == (False, False, True)


def test_numbers_for_which_a_switch_goes_one_way_do_not_differ() -> None:
    text = """\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %z = load i32, ptr addrspace(1) %p
  %j = add i32 %tid, %z
  switch i32 %j, label %y [ i32 0, label %w i32 1, label %w i32 2, label %w i32 3, label LAST ]
y:
  br label %w
w:
  ret void
"""
    same, apart = exact(text.replace("LAST", "%w")), exact(text.replace("LAST", "%y"))
    assert (same["j"], same["->entry"], apart["->entry"]) == (False, True, False)


def across(body: str, threads: Threads, shape: str = "wavefronts 2, lanes 2") -> dict[str, UniformityAnswer]:
    """Return what is said of the registers and branches of a kernel beside a thread that writes x."""
    writer = 'thread P @ workgroup 1 {\n  store atomic 1, x syncscope("agent") monotonic\n}'
    declared = "declare void @conv() convergent"
    head = f"litmus w\nglobal x = 0\n{declared}\nkernel K() @ workgroup 0 {shape} {{"
    test = parse(f"{head}\n{body}\n}}\n{writer}\nexists (x=0)\n")
    (kernel,) = test.kernels
    return {a.register or f"->{a.block}": a for a in uniform(test, kernel, "sc", threads=threads).answers}


TWO_WAVES = """\
entry:
  %w = call i32 @llvm.amdgcn.wave.id()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %l = load atomic i32, ptr addrspace(1) @x monotonic, align 4
  %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %l)
  %same = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %g)
  %v = add i32 %w, 5
  %c = icmp eq i32 %w, 0
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %p = phi i32 [ 1, %entry ], [ 2, %a ]
  ret void
"""


def test_waves_of_a_workgroup_differ_where_lanes_of_a_wave_do_not() -> None:
    wave, group = across(TWO_WAVES, Threads.WAVE), across(TWO_WAVES, Threads.WORKGROUP)
    assert not any(a.sound for a in wave.values()) and wave["l"].committed
    uniform_ = {name for name, a in group.items() if a.sound is None}
    assert uniform_ == {"same"} == {name for name, a in group.items() if a.asked and not a.differs}
    assert {name for name, a in group.items() if a.differs} == {"wave.id", "l", "f", "v", "c", "->entry", "p"}
    assert not any(a.by_llvm or a.marks("no cycle") or a.committed for a in group.values())


def test_lanes_are_executed_across_waves_too() -> None:
    body = """\
entry:
  %w = call i32 @llvm.amdgcn.wave.id()
  %v = add i32 %w, 5
  %u = xor i32 %v, %v
  ret void
"""
    wave, group = across(body, Threads.WAVE), across(body, Threads.WORKGROUP)
    assert not any(a.differs for a in wave.values())
    assert group["v"].differs == {"no cycle": "K.0.0.0 has 5, K.0.1.0 has 6"}
    assert not group["u"].differs and group["u"].sound is not None


def test_nothing_is_asked_across_a_workgroup_in_the_region_of_a_token() -> None:
    body = """\
entry:
  %t = call token @llvm.experimental.convergence.anchor()
  %l = load atomic i32, ptr addrspace(1) @x monotonic, align 4
  %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %l) [ "convergencectrl"(token %t) ]
  call void @conv() [ "convergencectrl"(token %t) ]
  %m = load atomic i32, ptr addrspace(1) @x monotonic, align 4
  ret void
"""
    group = across(body, Threads.WORKGROUP, "wavefronts 2, lanes 1")
    assert (group["f"].asked, group["m"].asked) == (False, True)
    assert across(body, Threads.WAVE, "wavefronts 2, lanes 2")["f"].asked
    assert group["f"].sound is not None


def test_where_divergence_across_a_workgroup_comes_from() -> None:
    # Cross-lane results are each wave's own, but that of the first lane of what is alike in all.
    body = """\
entry:
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %yes = icmp eq i32 %g, 0
  %a = load i32, ptr addrspace(1) %p
  %b = call i64 @llvm.amdgcn.ballot.i64(i1 %yes)
  %r = call i32 @llvm.amdgcn.readlane.i32(i32 %g, i32 0)
  %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %g)
  %h = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %a)
  ret void
"""
    (kernel,) = kernel_test(body).kernels
    of = function_of(kernel, Threads.WORKGROUP)
    assert written(of, sound(of)) == "a b h r"


def test_what_is_called_uniform_across_either_set_is_in_random_kernels() -> None:
    assert compared(Random(0), 6) > 30


def _cross_lane_is_uniform(statement: Statement) -> Sort | None:
    return Sort.UNIFORM if isinstance(statement, Call) else None


def _loads_follow(statement: Statement) -> Sort | None:
    return Sort.OPERANDS if isinstance(statement, Load) else None


@pytest.mark.parametrize("fault", [_cross_lane_is_uniform, _loads_follow])
def test_random_kernels_catch_wrong_rules(fault: object, monkeypatch: pytest.MonkeyPatch) -> None:
    right = kernels._sort_in_workgroup
    assert callable(fault)
    monkeypatch.setattr(kernels, "_sort_in_workgroup", lambda s: fault(s) or right(s))
    with pytest.raises(AssertionError, match="DivergenceQuestion"):
        compared(Random(0), 40)
