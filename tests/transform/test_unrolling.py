"""Unrolled loops: their shapes, as LLVM has them ([CodeTransformationMetadata]), and that they do what the loop did.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import pytest

from axmem.litmus.blocks import control_flow
from axmem.litmus.kernels import ConvergenceToken
from axmem.litmus.parser import parse
from axmem.litmus.syntax import Call, LitmusTest, Load
from axmem.transform.applying import Refused, Transformed, apply_all
from axmem.transform.loops import loops
from tests.drawn import some
from tests.transform.agreement import differences

ROTATED = """\
entry:
  br h
h:
  %i = phi i32 [ 0, entry ], [ %j, h ]
  acc = load x
  store acc + %i, x
  %j = add i32 %i, 1
  store %j, y
  br %j < LIMIT, h, z
z:
  store acc, y
"""
WHILE = "acc = 0\nfor i in 0..LIMIT {\n acc = load x\n store acc + i, x\n store i, y\n }\nstore i, y"
DOWN = "acc = 0\ni = LIMIT\nwhile i != 0 {\n i = i - 1\n acc = load x\n store acc + i, x\n }"
TWO_EXITS = """\
acc = 0
i = 0
while i < LIMIT {
  acc = load x
  if acc == 3 { i = i + 1 }
  store acc + 1, x
  i = i + 1
}
"""
NEST = "acc = 0\nfor i in 0..LIMIT {\n for j in 0..2 {\n acc = load x\n store acc + i + j, x\n }\n}"
BODIES = {"rotated": ROTATED, "while": WHILE, "down": DOWN, "branching": TWO_EXITS, "nest": NEST}


def kernel_test(body: str, limit: int | str, m: int = 0, shape: str = "") -> LitmusTest:
    """Return a test with a kernel of this body, whose loops go up to a limit."""
    head = f"declare void @conv() convergent\nkernel K(i32 %m = {m}) {shape} {{"
    return parse(
        f"litmus k\nglobal x = 0, y = 0\n{head}\n{body.replace('LIMIT', str(limit))}\n}}\nexists (true)\n", "k"
    )


def headers(test: LitmusTest) -> list[str]:
    return [loop.header for loop in loops(control_flow(test.kernels[0]))]


CONSTANT = [
    "",
    ", 2",
    ", 3",
    ", 4",
    ", 8",
    ", 3, tests",
    ", 3, epilogue",
    ", 2, epilogue",
    ", 2, prologue",
    ", 4, prologue",
]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("arguments", some(CONSTANT, of=4))
def test_an_unrolled_loop_does_what_the_loop_did(body: str, arguments: str) -> None:
    """Memory, what is asked for, and instance by instance what registers hold, for every small trip count."""
    for limit in (0, 1, 2, 3, 5, 6):
        test = kernel_test(BODIES[body], limit)
        text = "; ".join(f"unroll({header}{arguments})" for header in headers(test)[:1])
        try:
            assert differences(test, text, ("acc",)) == [], limit
        except Refused as refused:
            assert body == "branching" and "trip count" in str(refused)


@pytest.mark.parametrize("body", ["rotated", "while", "down", "nest"])
@pytest.mark.parametrize("arguments", some([", 2", ", 3", ", 5", ", 2, prologue", ", 4, prologue", ", 3, tests"], of=4))
def test_so_does_one_whose_trip_count_is_an_argument(body: str, arguments: str) -> None:
    for m in (0, 1, 2, 4, 5, 9):
        test = kernel_test(BODIES[body], "%m", m)
        assert differences(test, f"unroll({headers(test)[0]}{arguments})", ("acc",)) == [], m


def test_several_in_order_are_composed() -> None:
    test = kernel_test(NEST, 6)
    outer, inner = headers(test)
    for text in (f"unroll({outer}, 2); unroll({outer}, 3)", f"unroll({inner}); unroll({outer}, 3); unroll({outer})"):
        assert differences(test, text, ("acc",)) == []


def after(test: LitmusTest, text: str, *, force: bool = False) -> Transformed:
    return apply_all(test.kernels[0], text, force=force)


def shape(made: Transformed) -> tuple[int, int, int]:
    """Return how many loops, loads and conditional branches a kernel has."""
    flow = control_flow(made.kernel)
    loads = sum(isinstance(s, Load) for b in flow.blocks for s in b.statements)
    return len(loops(flow)), loads, sum(len(flow.successors[b.name]) > 1 for b in flow.blocks)


def test_the_shapes() -> None:
    """CONVERGENCE's f5: full; (A) one test per round; (B) a test in each copy; (C) another loop for the remainder.

    A remainder of a factor of 2 is no loop: one iteration that is done or not.
    """
    assert shape(after(kernel_test(ROTATED, 4), "unroll(h)")) == (0, 4, 0)
    assert shape(after(kernel_test(ROTATED, 4), "unroll(h, 2)")) == (1, 2, 1)
    assert shape(after(kernel_test(ROTATED, 5), "unroll(h, 2)")) == (1, 2, 2)
    # Is there a round, another, a remainder?
    assert shape(after(kernel_test(ROTATED, "%m"), "unroll(h, 2)")) == (1, 3, 3)
    assert shape(after(kernel_test(ROTATED, "%m"), "unroll(h, 4)")) == (2, 5, 4)
    made = after(kernel_test(ROTATED, "%m"), "unroll(h, 4)")
    assert {(header, of.source, of.kind) for header, of in made.loops.items()} == {
        ("h", "h", "unrolled"), ("h.1", "h", "remainder"),
    }  # fmt: skip


# ---------------------------------------------------------------- convergent operations

TOKENS = {
    "uncontrolled": ("", "", ""),
    "anchor": ("", "%t = call token @llvm.experimental.convergence.anchor()", "%t"),
    "heart": (
        "%e = call token @llvm.experimental.convergence.entry()",
        '%t = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %e) ]',
        "%t",
    ),
    "outside": ("%e = call token @llvm.experimental.convergence.entry()", "", "%e"),
}


def convergent(kind: str, limit: str) -> LitmusTest:
    entry, inside, token = TOKENS[kind]
    bundle = f' [ "convergencectrl"(token {token}) ]' if token else ""
    body = f"""\
entry:
  {entry}
  br h
h:
  %i = phi i32 [ 0, entry ], [ %j, h ]
  {inside}
  call void @conv(){bundle}
  %j = add i32 %i, 1
  br %j < {limit}, h, z
z:
  ret void
"""
    return kernel_test(body, "", 3, "lanes 2")


def counted(made: Transformed) -> tuple[int, int]:
    """Return how many calls and how many definitions of tokens a kernel has, that of its entry aside."""
    body = made.kernel.body
    tokens = sum(isinstance(s, ConvergenceToken) and s.kind != "entry" for s in body)
    return sum(isinstance(s, Call) for s in body), tokens


# Numbers of calls and tokens as `convergent_unroll_22.1.8` has them, by opt-22: 4 iterations by 2, fully, and an
# argument's number by 2.
COUNTS = {
    "uncontrolled": ((2, 0), (4, 0)),
    "anchor": ((2, 2), (4, 4)),
    "heart": ((2, 1), (4, 1)),
    "outside": ((2, 0), (4, 0)),
}


@pytest.mark.parametrize("kind", COUNTS)
def test_hearts_stay_once_and_anchors_are_copied(kind: str) -> None:
    test = convergent(kind, "4")
    assert (counted(after(test, "unroll(h, 2)")), counted(after(test, "unroll(h)"))) == COUNTS[kind]


@pytest.mark.parametrize("kind", COUNTS)
def test_a_remainder_splits_lanes_that_took_part_together(kind: str) -> None:
    """Where lanes leave the loop in different iterations, some are in a round and others in the remainder."""
    test = convergent(kind, "workitem.id")
    if kind == "anchor":
        assert counted(after(test, "unroll(h, 2)")) == (3, 3)
        return
    with pytest.raises(Refused, match="other lanes may take part"):
        after(test, "unroll(h, 2)")
    assert counted(after(test, "unroll(h, 2)", force=True))[0] == 3
    # With a number of iterations that all lanes share none is left behind.
    assert counted(after(convergent(kind, "%m"), "unroll(h, 2)"))[0] == 3


def test_copies_with_tests_keep_a_hearts_lanes() -> None:
    assert counted(after(convergent("heart", "workitem.id"), "unroll(h, 2, tests)")) == (2, 1)
    with pytest.raises(Refused, match="in copies with a test each"):
        after(convergent("uncontrolled", "workitem.id"), "unroll(h, 2, tests)")
