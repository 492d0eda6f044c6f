"""Small kernels for tests of uniformity and tokens; each body says what it is about."""

from __future__ import annotations

from axmem.convergence.cycles import hierarchies, llvm_hierarchy
from axmem.convergence.function import FlowFunction
from axmem.convergence.kernels import function_of
from axmem.convergence.uniformity import Rules, Uniformity, sound, uniformity
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest

HEAD = "kernel K(i32 %n = 3, i32 %m = 1, ptr addrspace(1) %p = &x) lanes 4 {"


def kernel_test(body: str) -> LitmusTest:
    """Return a test whose kernel K(i32 %n, i32 %m, ptr %p) has this body."""
    declared = "declare void @conv() convergent\ndeclare void @plain()"
    return parse(f"litmus k\n\nglobal x = 0\n\n{declared}\n\n{HEAD}\n{body}\n}}\n\nexists (x=0)\n")


def function(body: str) -> FlowFunction:
    """Return the function of a body."""
    (kernel,) = kernel_test(body).kernels
    return function_of(kernel)


def divergent(body: str, rules: Rules | None = Rules.LLVM_22, header: str = "") -> str:
    """Return the divergent registers and branches (`->` and the block) of a body, sorted, None: by the sound rules.

    `header` is that of the first outermost cycle in the hierarchy that is asked; without it, it is LLVM's.
    """
    of = function(body)
    chosen = llvm_hierarchy(of.graph)
    if header:
        (chosen,) = (h for h in hierarchies(of.graph).found if h.cycles[0].header == header)
    return written(of, sound(of) if rules is None else uniformity(of, chosen, rules))


def written(of: FlowFunction, found: Uniformity) -> str:
    """Return what is divergent in one line, the lane's own number aside."""
    values = {of.blocks[place.block].instructions[place.number].register for place in found.values}
    return " ".join(sorted([*(values - {"workitem.id", "lane.id", ""}), *(f"->{block}" for block in found.branches)]))


EXIT_PHI = """\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i1, %l ]
  %cb = icmp eq i32 %i, %m
  br i1 %cb, label %x, label %l
l:
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i1, %tid
  br i1 %c, label %h, label %x
x:
  %u = phi i32 [ 1, %h ], [ 2, %l ]
  ret void
"""
"""Lanes with a small number leave at l with 2, the others in iteration m at h with 1."""

ORDER = """\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %ce = icmp eq i32 %n, 0
  br i1 %ce, label %A, label %B
A:
  %p1 = phi i32 [ 1, %entry ], [ 2, %A ], [ 3, %B ]
  %cd = icmp eq i32 %tid, 0
  br i1 %cd, label %A, label %B
B:
  %cb = icmp eq i32 %m, 0
  br i1 %cb, label %A, label %X
X:
  ret void
"""
"""The branch at the entry is uniform; the order of its targets decides which of A and B is the header."""

SIBLING = """\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i1, %l ]
  br label %g
g:
  %j = phi i32 [ 0, %h ], [ %j1, %k ]
  %d = icmp eq i32 %i, %tid
  br i1 %d, label %s, label %k
k:
  %j1 = add i32 %j, 1
  %u = icmp ult i32 %j1, %n
  br i1 %u, label %g, label %l
l:
  %i1 = add i32 %i, 1
  br label %h
s:
  %q = phi i32 [ 0, %g ], [ %q1, %s ]
  %v = add i32 %i, 100
  %q1 = add i32 %q, 1
  %w = icmp ult i32 %q1, %m
  br i1 %w, label %s, label %x
x:
  ret void
"""
"""Lane t leaves both nested cycles in iteration t, for another cycle, which takes the outer one's counter along."""
