"""Unroll-and-jam: what it makes, that this does what the loops did, and when it would be wrong (CONVERGENCE's f6)."""

from __future__ import annotations

import pytest

from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest
from axmem.transform.applying import Refused, apply_all
from tests.drawn import some
from tests.transform.agreement import differences


def nest(fore: str, sub: str, aft: str, outer: str = "4", inner: str = "2", m: int = 3) -> LitmusTest:
    """Return a kernel of two loops, with statements before the inner loop, in it and behind it."""
    memory = "global <8 x i32> a = {0, 0, 0, 0, 0, 0, 0, 0}, b = {1, 2, 3, 4, 5, 6, 7, 8}\nglobal x = 0, y = 0"
    body = f"acc = 0\nfor i in 0..{outer} {{\n{fore}\nfor j in 0..{inner} {{\n{sub}\n}}\n{aft}\n}}"
    return parse(f"litmus k\n{memory}\nkernel K(i32 %m = {m}) {{\n{body}\n}}\nexists (true)\n", "k")


FREE = nest("f = load i32, b[i]", "acc = load i32, b[j]\nstore i32 acc + f, a[i]", "g = f + 1", "%m")
"""Each outer iteration writes an element of its own."""


@pytest.mark.parametrize("outer", some(["4", "5", "2", "%m"], of=2))
@pytest.mark.parametrize("factor", [2, 3])
@pytest.mark.parametrize("inner", ["2", "0", "1"])
def test_the_jammed_loops_do_what_the_loops_did(outer: str, factor: int, inner: str) -> None:
    test = nest("f = load i32, b[i]", "store i32 f + j, a[i]", "g = f + i\nstore i32 g, b[i]", outer, inner, 5)
    if outer == "2" and factor == 3:
        with pytest.raises(Refused, match="goes round 2 times only"):
            apply_all(test.kernels[0], f"jam(for1, {factor})")
        return
    assert differences(test, f"jam(for1, {factor})", ()) == []


def test_the_bodies_of_the_inner_loop_follow_one_another() -> None:
    made = apply_all(FREE.kernels[0], "jam(for1, 2)")
    kinds = {header: (of.source, of.kind) for header, of in made.loops.items()}
    # A remainder of one iteration is no loop, but the loop inside it is one.
    assert kinds == {"for1": ("for1", "outer"), "for2": ("for2", "inner"), "for2.1": ("for2", "remainder inner")}


def refused(test: LitmusTest) -> str:
    with pytest.raises(Refused) as caught:
        apply_all(test.kernels[0], "jam(for1, 2)")
    return str(caught.value)


RELEASE, ACQUIRE = "store atomic i32 1, y release", "r = load atomic i32, y acquire"
DATA, READ = "store i32 i, a[i]", "s = load i32, b[i]"

# f6: a moved access may move before a release, and after an acquire, never the reverse. What stands in the inner loop
# of the second iteration moves before what stands behind it in the first.
ORDERINGS = [
    (DATA, RELEASE.replace("y", "b[i]"), ""),
    (RELEASE.replace("y", "b[i]"), DATA, "nothing moves down over a release"),
    (READ, ACQUIRE.replace("y", "a[i]"), "nothing moves up over an acquire"),
    # Also before what stands in it, in a later iteration of the inner loop: the first acquire is crossed by the second.
    (ACQUIRE.replace("y", "a[i]"), READ, "nothing moves up over an acquire"),
    (DATA, "fence release", ""),
    ("fence release", DATA, "nothing moves down over a release"),
]


@pytest.mark.parametrize(("sub", "aft", "reason"), ORDERINGS)
def test_what_changes_places_is_asked_of_the_table(sub: str, aft: str, reason: str) -> None:
    test = nest("", sub, aft)
    if not reason:
        assert differences(test, "jam(for1, 2)", ()) == []
        return
    assert reason in refused(test)
    # Regardless of the reason one lane alone sees no difference.
    assert apply_all(test.kernels[0], "jam(for1, 2)", force=True).refusals


def test_one_inner_iteration_is_crossed_by_none() -> None:
    test = nest("", ACQUIRE.replace("y", "a[i]"), READ, inner="1")
    assert differences(test, "jam(for1, 2)", ()) == []


def test_what_cannot_be_done_at_all() -> None:
    assert "depends on 'for1'" in refused(nest("", "store i32 1, a[j]", "", inner="i"))
    assert "there is no loop inside" in refused(
        parse("litmus k\nkernel K() {\nfor i in 0..4 { r = i }\n}\nexists (true)\n")
    )
    assert "the body branches" in refused(nest("", "if i == j { store i32 1, a[j] }", ""))
    assert "is needed before it is executed" in refused(
        nest("store i32 acc, a[i]", "store i32 i, b[j]", "acc = load x")
    )


def test_what_the_inner_loop_leaves_is_not_there_for_the_next_iteration() -> None:
    """A sum goes through the inner loop, and is read before it in the next iteration of the outer."""
    assert "is needed before it is executed" in refused(nest("old = acc ^ acc", "acc = acc + j", ""))
