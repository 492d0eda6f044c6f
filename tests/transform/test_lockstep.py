"""Iterations in lock step; the orders of accesses are written down by hand.

The document's model of it ("Loop Vectorization and Interleaving"): `for (; i + 3 < n; i += 4) Stmt(i:i+3)`, entered if
the runtime check holds, and an epilogue loop for what is left.
"""

from __future__ import annotations

import pytest

from axmem.transform.transformation import MadeLoop
from tests.transform.orders import ran, refused

COPY = "for i in 0..n {\nr = load i32, a[i]\nstore i32 r, b[i]\n}"


def test_two_iterations_statement_by_statement_and_what_is_left() -> None:
    """n = 5: two pairs, and one iteration for the epilogue."""
    found = ran(COPY, "vectorize(for1, 2)")
    assert found.order == "a0 a1 b0= b1= a2 a3 b2= b3= a4 b4="
    assert found.after.loops == {
        "for1.vector.1": MadeLoop("for1", "vectorized"),
        "for1": MadeLoop("for1", "epilogue"),
    }
    assert ran(COPY, "interleave(for1, 2)").order == found.order


def test_too_few_iterations_are_all_left() -> None:
    assert ran(COPY, "vectorize(for1, 8)").order == "a0 b0= a1 b1= a2 b2= a3 b3= a4 b4="


def test_nothing_is_left_of_a_multiple() -> None:
    found = ran(COPY.replace("..n", "..4"), "vectorize(for1, 2)")
    assert found.order == "a0 a1 b0= b1= a2 a3 b2= b3=" and found.kinds == "vectorized"


def test_a_loop_with_its_test_at_the_end_leaves_from_between() -> None:
    lines = ("i = 0", "br h", "h:", "r = load i32, a[i]", "store i32 r, b[i]", "i = i + 1", "t = i < {n}")
    body = "\n".join((*lines, "br t, h, x", "x:", "store i32 i, c[9]"))
    assert ran(body.replace("{n}", "n"), "vectorize(h, 2)").order == "a0 a1 b0= b1= a2 a3 b2= b3= a4 b4= c9="
    assert ran(body.replace("{n}", "m"), "vectorize(h, 2)").order == "a0 a1 b0= b1= c9="
    found = ran(body.replace("{n}", "6"), "vectorize(h, 3)")
    assert found.order == "a0 a1 a2 b0= b1= b2= a3 a4 a5 b3= b4= b5= c9=" and found.kinds == "vectorized"


POINTERS = "for i in 0..n {\nr = load i32, p[i]\nstore i32 r, q[i + 1]\n}"


def test_a_check_at_run_time_keeps_pointers_apart() -> None:
    """q is b: lock step; q is a, where each iteration reads what the one before has written: the loop as it was."""
    assert ran(POINTERS, "vectorize(for1, 2)").order == "a0 a1 b1= b2= a2 a3 b3= b4= a4 b5="
    assert ran(POINTERS, "vectorize(for1, 2)", aliased=True).order == "a0 a1= a1 a2= a2 a3= a3 a4= a4 a5="


def test_a_distance_of_the_width_is_no_dependence() -> None:
    """a[i + 2] is read two iterations later, so two may go together, three may not."""
    body = "for i in 0..n {\nr = load i32, a[i]\nstore i32 r, a[i + 2]\n}"
    assert ran(body, "vectorize(for1, 2)").order == "a0 a1 a2= a3= a2 a3 a4= a5= a4 a6="
    assert "'r = load a[i.2]' of a later iteration would move before 'store r, a[i.2 + 2]'" in refused(
        body, "vectorize(for1, 3)"
    )


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("for i in 0..n {\nfor j in 0..n {\nstore 1, a[j]\n}\n}", "a loop inside"),
        ("for i in 0..n {\nif i < 2 {\nstore 1, a[i]\n}\n}", "its body branches"),
        ("i = 0\nwhile i < n {\ni = load i32, a[i]\n}", "is not known before it begins"),
        ("for i in 0..1 {\nstore 1, a[i]\n}", "it goes round 1 times only"),
        ("for i in 0..n {\ns = ballot 1\n}", "convergent"),
        ("for i in 0..n {\nr = load atomic i32, a[i] monotonic\n}", "is atomic, and no vector is"),
        ("for i in 0..n {\nfence acquire\nstore 1, a[i]\n}", "is atomic, and no vector is"),
        ("for i in 0..n {\nr = load i32, a[i]\nstore i32 r, a[i + 1]\n}", "would move before"),
        ("v = 0\nfor i in 0..n {\nstore i32 v, a[i]\nv = load i32, b[i]\n}", "is needed before it is executed"),
    ],
)
def test_refusals(body: str, why: str) -> None:
    assert why in refused(body, "vectorize(for1, 2)" if "while" not in body else "vectorize(while1, 2)")


@pytest.mark.parametrize(
    ("body", "sound"),
    [
        # The verdicts of the specification: a release may be behind what comes earlier than it, an acquire before.
        ("store atomic i32 1, a[i] monotonic\nstore atomic i32 1, b[i] release", True),
        ("store atomic i32 1, b[i] release\nstore atomic i32 1, a[i] monotonic", False),
        ("r = load atomic i32, b[i] acquire\ns = load atomic i32, a[i] monotonic", True),
        ("s = load atomic i32, a[i] monotonic\nr = load atomic i32, b[i] acquire", False),
    ],
)
def test_interleaving_asks_of_atomics_that_they_commute(body: str, *, sound: bool) -> None:
    """`vectorize(2)` of transform_verdicts_rc11: what moves are the copies of the second iteration, before the rest.

    The second statement's copies of the first iteration are crossed by the first statement's of the second iteration:
    that is a monotonic store before a release store, or an acquire load before a monotonic one.
    """
    loop = f"for i in 0..n {{\n{body}\n}}"
    assert (refused(loop, "interleave(for1, 2)") == "") == sound
    assert ran(loop, "interleave(for1, 2)", force=True).order.split()[0][1:].startswith("0")


def test_sums_and_computations_go_along() -> None:
    body = "s = 0\nfor i in 0..n {\nr = load i32, a[i]\nt = r * 2\ns = s + t\n}\nstore i32 s, c[0]"
    found = ran(body, "vectorize(for1, 4)")
    assert found.order == "a0 a1 a2 a3 a4 c0="
