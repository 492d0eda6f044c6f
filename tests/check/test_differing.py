"""What the solver says of registers and branches that memory decides: the exact column of `axmem uniform`."""

from __future__ import annotations

from axmem.check.uniform import uniform
from tests.convergence.kernels import kernel_test


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
