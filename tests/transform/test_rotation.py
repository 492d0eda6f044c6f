"""Loop rotation: the header is copied before the loop, and is its end (LLVM's loop-rotate)."""

from __future__ import annotations

import pytest

from axmem.litmus.blocks import control_flow
from axmem.litmus.parser import parse
from axmem.litmus.syntax import Load
from axmem.transform.applying import Refused, apply_all
from axmem.transform.loops import loops
from axmem.transform.trips import trip_count
from tests.transform.agreement import differences
from tests.transform.programs import program
from tests.transform.test_unrolling import DOWN, NEST, ROTATED, TWO_EXITS, WHILE, kernel_test

HEADER = """\
entry:
  br h
h:
  %i = phi i32 [ 0, entry ], [ %j, b ]
  acc = load x
  store acc + %i, y
  br %i < LIMIT, b, z
b:
  %j = add i32 %i, 1
  store %j, x
  br h
z:
  store acc, x
"""


@pytest.mark.parametrize("body", [WHILE, DOWN, NEST, TWO_EXITS, HEADER])
@pytest.mark.parametrize("limit", [0, 1, 2, 5])
def test_a_rotated_loop_does_what_the_loop_did(body: str, limit: int) -> None:
    test = kernel_test(body, limit)
    first = loops(control_flow(test.kernels[0]))[0].header
    assert differences(test, f"rotate({first})", ("acc",)) == []


def test_the_test_is_at_the_end_and_the_header_stands_twice() -> None:
    test = kernel_test(HEADER, 3)
    made = apply_all(test.kernels[0], "rotate(h)")
    flow = control_flow(made.kernel)
    (loop,) = loops(flow)
    assert (loop.header, loop.exiting) == ("b", (loop.latch,))
    assert sum(isinstance(s, Load) for b in flow.blocks for s in b.statements) == 2
    assert trip_count(flow, loop) == 3
    assert {header: (of.source, of.kind) for header, of in made.loops.items()} == {"b": ("h", "rotated")}


def test_a_rotated_loop_is_unrolled_like_any() -> None:
    test = kernel_test(HEADER, 6)
    assert differences(test, "rotate(h); unroll(b, 2)", ("acc",)) == []


def test_there_is_nothing_to_rotate() -> None:
    with pytest.raises(Refused, match="its header has no test"):
        apply_all(kernel_test(ROTATED, 3).kernels[0], "rotate(h)")


def test_the_phis_of_an_inner_loop_are_their_own() -> None:
    """The outer header's `acc` is what the inner one's last held; instance by instance the inner one's is itself."""
    assert differences(parse(program(7000030), "nest"), "rotate(for1)") == []
