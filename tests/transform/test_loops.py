"""Loops of small kernels; what is expected of each is counted by hand."""

from __future__ import annotations

import pytest

from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import Kernel
from axmem.transform.constants import number_of
from axmem.transform.loops import Loop, divergent, induction, irregular, loops, nest
from axmem.transform.trips import trip_count, trips
from tests.convergence.kernels import kernel_test


def kernel(body: str) -> Kernel:
    (found,) = kernel_test(body).kernels
    return found


def found(body: str) -> tuple[Loop, ...]:
    return loops(single_assignment(kernel(body)))


def rotated(start: str, step: str, test: str) -> str:
    """Return a loop with its test in its latch."""
    return f"""\
entry:
  br label %h
h:
  %i = phi i32 [ {start}, %entry ], [ %i1, %h ]
  store i32 %i, ptr addrspace(1) %p
  %i1 = {step}
  %c = icmp {test}
  br i1 %c, label %h, label %x
x:
  ret void
"""


NEST = """\
i = 0
while i < 2 {
  j = 0
  while j < n {
    store j, x
    j = j + 1
  }
  i = i + 1
}
"""


def test_a_nest_outer_before_inner() -> None:
    outer, inner = found(NEST)
    assert (outer.header, outer.latch, outer.parent) == ("while1", "while2.end", None)
    assert (inner.header, inner.latch, inner.parent) == ("while2", "while2.body", "while1")
    assert inner.blocks == {"while2", "while2.body"} and inner.blocks < outer.blocks
    assert outer.exits == (("while1", "while1.end"),)
    assert (outer.preheader, inner.preheader) == ("entry", "while1.body")
    assert nest((outer, inner), inner) == (outer, inner)


# How often the latch is executed: from the first value, the step and the comparison, counted by hand.
COUNTS = [
    ("0", "add i32 %i, 1", "ult i32 %i1, 3", 3),  # 1, 2 go on, 3 does not
    ("0", "add i32 %i, 1", "ult i32 %i, 3", 4),  # 0, 1, 2 go on, 3 does not
    ("0", "add i32 %i, 1", "ne i32 %i1, 5", 5),
    ("0", "add i32 %i, 1", "ugt i32 %i1, 5", 1),  # 1 > 5 fails at once
    ("7", "add i32 %i, 1", "ult i32 %i1, 3", 1),
    ("4", "sub i32 %i, 1", "ugt i32 %i1, 0", 4),  # 3, 2, 1 go on
    ("4", "add i32 %i, -1", "sgt i32 %i1, -2", 6),  # 3, 2, 1, 0, -1 go on
    ("0", "add i32 %i, 2", "ult i32 %i1, 5", 3),  # 2, 4 go on, 6 does not
    ("1", "shl i32 %i, 1", "ult i32 %i1, 9", 4),  # 2, 4, 8 go on, 16 does not
    ("0", "add i32 %i, 1", "ule i32 %i1, 3", 4),
    ("-2", "add i32 %i, 1", "slt i32 %i1, 2", 4),  # -1, 0, 1 go on
]


@pytest.mark.parametrize(("start", "step", "test", "count"), COUNTS)
def test_constant_trip_counts(start: str, step: str, test: str, count: int) -> None:
    flow = single_assignment(kernel(rotated(start, step, test)))
    (loop,) = loops(flow)
    assert trip_count(flow, loop) == count


def test_a_loop_with_its_test_in_the_header_counts_its_body() -> None:
    flow = single_assignment(kernel("for i in 1..4 { store i, x }"))
    (loop,) = loops(flow)
    counted = trips(flow, loop)
    assert counted is not None and not counted.rotated and counted.exit == loop.header
    assert trip_count(flow, loop) == 3
    (each,) = induction(flow, loop)
    assert number_of(each.start) == 1 and each.step == 1


def test_an_argument_gives_a_formula_and_no_count() -> None:
    flow = single_assignment(kernel(rotated("0", "add i32 %i, 1", "ult i32 %i1, %n")))
    (loop,) = loops(flow)
    counted = trips(flow, loop)
    assert trip_count(flow, loop) is None and counted is not None and counted.rotated
    # The first test is of 1: with a smaller limit the loop never goes back.
    assert str(counted.taken).count("name='n'") == 2


@pytest.mark.parametrize("test", ["ult i32 %i, %i1", "eq i32 %n, 0"])
def test_no_count_where_none_is_known(test: str) -> None:
    flow = single_assignment(kernel(rotated("0", "add i32 %i, 1", test)))
    (loop,) = loops(flow)
    assert trip_count(flow, loop) is None


TWO_EXITS = """\
entry:
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i1, %l ]
  %d = icmp eq i32 %n, %i
  br i1 %d, label %x, label %l
l:
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i1, 5
  br i1 %c, label %h, label %x
x:
  ret void
"""


def test_two_exits_have_no_trip_count() -> None:
    flow = single_assignment(kernel(TWO_EXITS))
    (loop,) = loops(flow)
    assert loop.exits == (("h", "x"), ("l", "x")) and loop.exiting == ("h", "l")
    assert trips(flow, loop) is None


TWO_LATCHES = """\
entry:
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ 1, %a ], [ 2, %b ]
  %c = icmp eq i32 %i, 0
  br i1 %c, label %a, label %b
a:
  br label %h
b:
  %d = icmp eq i32 %i, 1
  br i1 %d, label %h, label %x
x:
  ret void
"""

TWO_ENTRIES = """\
entry:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %d = icmp eq i32 %m, 0
  br i1 %d, label %a, label %x
x:
  ret void
"""


@pytest.mark.parametrize(
    ("body", "reason"),
    [(TWO_LATCHES, "'a' and 'b' go back to its header"), (TWO_ENTRIES, "it is entered at 'b' and 'a'")],
)
def test_cycles_that_are_no_loops(body: str, reason: str) -> None:
    flow = single_assignment(kernel(body))
    assert loops(flow) == ()
    (cycle,) = irregular(flow)
    assert cycle.reason == reason


def test_trip_counts_that_differ_between_lanes() -> None:
    uniform = rotated("0", "add i32 %i, 1", "ult i32 %i1, %n")
    assert divergent(kernel(uniform)) == frozenset()
    assert divergent(kernel(uniform.replace("%n", "%workitem.id"))) == {"h"}
    assert divergent(kernel("for i in 0..n {\nfor j in 0..workitem.id {\nstore i, x\n}\n}")) == {"for2"}
