"""The code that the document "Code Transformation Metadata" prints, before and after each transformation, executed.

Every test names the section it is of. What its loops do, and how often they go round, is carried out by hand, for trip
counts from none to more than two rounds: `a3` is a load of a[3], `a3=` a store to it.
"""

from __future__ import annotations

import pytest

from tests.transform.orders import Ran, ran

STATEMENT = "for i in 0..n {\nr = load i32, a[i]\nstore i32 r, b[i]\n}"
"""`for (int i = 0; i < n; i+=1) Stmt(i)`."""
COUNTS = range(10)


def kinds(found: Ran) -> list[str]:
    return sorted(made.kind for made in found.after.loops.values())


def each(statements: range) -> list[str]:
    return [word for i in statements for word in (f"a{i}", f"b{i}=")]


@pytest.mark.parametrize("name", ["vectorize", "interleave"])
@pytest.mark.parametrize("n", COUNTS)
def test_loop_vectorization_and_interleaving(name: str, n: int) -> None:
    """Section "Loop Vectorization and Interleaving": `i + 3 < n` rounds of Stmt(i:i+3), and an epilogue loop.

    Both are one transformation; there is no check here, as nothing has to be found out.
    """
    found = ran(STATEMENT, f"{name}(for1, 4)", n=n)
    together = [
        word
        for i in range(0, n - n % 4, 4)
        for word in (*(f"a{i + k}" for k in range(4)), *(f"b{i + k}=" for k in range(4)))
    ]
    assert found.order.split() == together + each(range(n - n % 4, n))


@pytest.mark.parametrize("n", COUNTS)
def test_loop_unrolling(n: int) -> None:
    """Section "Loop Unrolling": by a factor of 4 there are n / 4 rounds, and n % 4 of the remainder loop."""
    found = ran(STATEMENT, "unroll(for1, 4, epilogue)", n=n)
    assert found.order.split() == each(range(n))
    assert found.rounds.get("unrolled", 0) == n // 4
    assert kinds(found) == ["remainder", "unrolled"]


def test_of_a_loop_that_is_unrolled_fully_nothing_is_left() -> None:
    """Section "Loop Unrolling": there is no loop for a followup then, nor of a remainder of one iteration."""
    full = ran(STATEMENT.replace("..n", "..3"), "unroll(for1)")
    assert (full.order.split(), kinds(full)) == (each(range(3)), [])
    assert kinds(ran(STATEMENT, "unroll(for1, 2, epilogue)")) == ["unrolled"]


def test_a_trip_count_that_is_a_multiple_has_no_remainder() -> None:
    """Section "Loop Unrolling": partial unrolling of a constant trip count."""
    found = ran(STATEMENT.replace("..n", "..8"), "unroll(for1, 4)")
    assert (found.order.split(), kinds(found)) == (each(range(8)), ["unrolled"])


NEST = (
    "for i in 0..n {\nf = load i32, a[i]\nr = 4 * i\n"
    "for j in 0..m {\ns = load i32, b[r + j]\n}\nt = load i32, c[i]\n}"
)
"""Fore(i) is a load of a[i], SubLoop(i, j) of b[4 * i + j], Aft(i) of c[i]; m = 2."""


def test_unroll_and_jam() -> None:
    """Section "Unroll-And-Jam": Fore, Fore, SubLoops in turn, Aft, Aft; and the loops of the remainder."""
    found = ran(NEST, "jam(for1, 2)")
    rounds = ("a0 a1 b0 b4 b1 b5 c0 c1", "a2 a3 b8 b12 b9 b13 c2 c3", "a4 b16 b17 c4")
    assert found.order == " ".join(rounds)
    # The remainder of one outer iteration is no loop; the one inside it is.
    assert kinds(found) == ["inner", "outer", "remainder inner"]
    threefold = ran(NEST, "jam(for1, 3)")
    assert threefold.order == "a0 a1 a2 b0 b4 b8 b1 b5 b9 c0 c1 c2 a3 b12 b13 c3 a4 b16 b17 c4"
    assert kinds(threefold) == ["inner", "outer", "remainder inner", "remainder outer"]


DISTRIBUTED = (
    "for i in 1..n {\nstore i32 i, p[i]\nr = load i32, q[i]\nstore i32 2 + r, q[i]\n"
    "v = load i32, c[i - 1]\nstore i32 3 + v, c[i]\n}"
)


def test_loop_distribution() -> None:
    """Section "Loop Distribution": two coincident loops and a sequential one if the check holds, else the fallback."""
    apart = ran(DISTRIBUTED, "distribute(for1)", n=3)
    assert apart.order == "a1= a2= b1 b1= b2 b2= c0 c1= c1 c2="
    assert kinds(apart) == ["coincident", "coincident", "fallback", "sequential"]
    aliased = ran(DISTRIBUTED, "distribute(for1)", n=3, aliased=True)
    assert aliased.order == "a1= a1 a1= c0 c1= a2= a2 a2= c1 c2="


def test_versioning_licm() -> None:
    """Section "Versioning LICM": `A[i] = B[0]` loads B[0] once if it is apart from A, else in every iteration."""
    body = "for i in 0..3 {\nr = load i32, a[0]\nstore i32 r, q[i]\n}"
    assert ran(body, "version(for1)").order == "a0 b0= b1= b2="
    assert ran(body, "version(for1)", aliased=True).order == "a0 a0= a0 a1= a0 a2="
    assert kinds(ran(body, "version(for1)")) == ["unversioned", "versioned"]
