"""Which accesses may meet: against counting the bytes that each touches, iteration by iteration."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axmem.litmus.loops import PARALLEL_ACCESSES, Attribute, LoopID, Promises
from axmem.litmus.parser import parse
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import AddressSpace, Load, Ordering, Store
from axmem.transform.dependence import ANY, EARLIER, LATER, SAME, AccessPlace, Dependences, IterationDistance, may_meet
from axmem.transform.linear import Iteration, Linear, Start, Term
from axmem.transform.loops import loops

ARRAYS = "".join(f"global <64 x i32> {name}\n" for name in "abc")
HEAD = "kernel K(i32 %n = 3, ptr addrspace(1) %p = &a, ptr addrspace(1) %q = &b, ptr addrspace(3) %l = &t) {"


def dependences(body: str, header: str = "") -> Dependences:
    """Return what is known of the first loop of a kernel, or of that with a header."""
    (kernel,) = parse(f"litmus k\n{ARRAYS}lds t = 0\n{HEAD}\n{body}\n}}\n", "k").kernels
    flow = single_assignment(kernel)
    found = loops(flow)
    return Dependences(flow, next(each for each in found if header in ("", each.header)))


def meeting(body: str, header: str = "", **steps: IterationDistance) -> bool:
    """Return whether the first two accesses of a loop may meet."""
    found = dependences(body, header)
    (block, first), (other, second) = found.statements[:2]
    return may_meet(found.place(first, block), found.place(second, other), steps or {found.loop.header: LATER})


def counted(first: str, second: str, last: str = "n") -> str:
    return f"for i in 0..{last} {{\n{first}\n{second}\n}}"


@pytest.mark.parametrize(
    ("first", "second", "later", "same", "earlier"),
    [
        # a[i] and a[i] meet in the same iteration alone.
        ("store 1, a[i]", "r = load i32, a[i]", False, True, False),
        # a[i + 1] is a[i] of the next iteration.
        ("store 1, a[i + 1]", "r = load i32, a[i]", True, False, False),
        ("r = load i32, a[i]", "store 1, a[i + 1]", False, False, True),
        # a[2i] and a[2i + 1] never meet, by the divisor; a[2i] and a[4i + 2] do, a later one before and not behind.
        ("store 1, a[i * 2]", "store 1, a[i * 2 + 1]", False, False, False),
        ("store 1, a[i * 2]", "store 1, a[i * 4 + 2]", False, False, True),
        # a[0] meets itself in all iterations, b is another location.
        ("store 1, a", "store 2, a", True, True, True),
        ("store 1, a[i]", "store 1, b[i]", False, False, False),
        # Two pointers may be anything, one pointer is itself; of two address spaces there is no common byte.
        ("store i32 1, p[i]", "store i32 1, q[i]", True, True, True),
        ("store i32 1, p[i]", "store i32 1, p[i + 1]", False, False, True),
        ("store i32 1, p[i]", "store i32 1, l", False, False, False),
        ("store i32 1, p[i]", "store 1, b[i]", True, True, True),
        # Of a parameter nothing is known but that it stays the same.
        ("store 1, a[i + n]", "store 1, a[i + n]", False, True, False),
        ("store 1, a[i + n]", "store 1, a[i]", True, True, True),
        # Eight bytes at a[i] reach into a[i + 1].
        ("store i64 1, p[i]", "store i32 1, p[i * 2 + 1]", False, True, False),
    ],
)
def test_accesses_of_a_loop(first: str, second: str, *, later: bool, same: bool, earlier: bool) -> None:
    for wanted, steps in ((later, LATER), (same, SAME), (earlier, EARLIER)):
        assert meeting(counted(first, second), for1=steps) == wanted


def test_a_number_of_iterations_apart() -> None:
    """a[i + 4] is met four iterations later: not within three, nor in a loop of four."""
    body = counted("store 1, a[i + 4]", "r = load i32, a[i]")
    assert not meeting(body, for1=IterationDistance(1, 3)) and meeting(body, for1=IterationDistance(1, 4))
    assert not meeting(counted("store 1, a[i + 4]", "r = load i32, a[i]", "4"))
    assert meeting(counted("store 1, a[i + 4]", "r = load i32, a[i]", "5"))


def test_what_is_loaded_is_any_index() -> None:
    assert meeting(counted("r = load i32, b[i]", "store 1, a[i]")) is False
    assert meeting("for i in 0..n {\nr = load i32, b[i]\nstore 1, b[r]\n}")


def test_narrow_counters_may_go_round() -> None:
    """a[i & 1] and a counter of eight bits have no linear form."""
    assert meeting(counted("store 1, a[i & 1]", "store 1, a[i]"))
    assert meeting("for i in i8 0..i8 9 {\nstore 1, a[i]\nstore 1, a[i]\n}")


NEST = "for i in 0..4 {\nfor j in 0..4 {\nstore 1, a[i * 4 + j]\nr = load i32, a[i * 4 + j + 5]\n}\n}"


def test_a_nest() -> None:
    """a[i][j] is written one row and one column later than it is read: with both later, not with a column before."""
    steps = {"for1": IterationDistance(-1, -1), "for2": IterationDistance(-1, -1)}
    assert meeting(NEST, "for1", **steps)
    assert not meeting(NEST, "for1", for1=LATER, for2=EARLIER)
    assert not meeting(NEST, "for1", for1=SAME, for2=ANY)
    assert meeting(NEST, "for1", for1=EARLIER, for2=ANY)
    # In the inner loop i is no iteration, and stays the same.
    assert not meeting(NEST, "for2", for2=ANY)


def test_the_start_of_an_inner_loop_moves_with_the_outer() -> None:
    assert not meeting("for i in 0..4 {\nfor j in i..5 {\nstore 1, a[j]\nstore 1, b[j]\n}\n}", "for1", for1=LATER)
    assert meeting("for i in 0..4 {\nfor j in i..5 {\nstore 1, a[j]\nstore 1, a[j]\n}\n}", "for1", for1=LATER)


def test_reasons() -> None:
    found = dependences(counted("store atomic 1, a[i] release", "r = load i32, b[i]"))
    store, load = found.statements
    assert found.hindrance(store, load, {"for1": LATER}) == ""
    assert "down over a release" in found.hindrance(load, store, {"for1": LATER})
    found = dependences(counted("store 1, a[i + 1]", "r = load i32, a[i]"))
    store, load = found.statements
    assert "same location" in found.hindrance(store, load, {"for1": LATER})
    assert found.hindrance(load, store, {"for1": LATER}) == ""


# ---------------------------------------------------------------- counting bytes

COEFFICIENT, CONSTANT, TURNS = st.integers(-3, 3), st.integers(-8, 8), st.integers(1, 4)
STEPS = st.sampled_from([SAME, LATER, EARLIER, ANY, IterationDistance(1, 2), IterationDistance(-2, 1)])


def place(constant: int, factors: dict[str, int], size: int, turns: dict[str, int]) -> AccessPlace:
    terms: dict[Term, int] = {Iteration(header): factor for header, factor in factors.items() if factor}
    return AccessPlace(Linear(constant, terms | {Start("a"): 1}), size, AddressSpace.GLOBAL, turns)


@given(
    st.tuples(CONSTANT, COEFFICIENT, COEFFICIENT, st.sampled_from([1, 2, 4])),
    st.tuples(CONSTANT, COEFFICIENT, COEFFICIENT, st.sampled_from([1, 2, 4])),
    st.tuples(TURNS, TURNS),
    st.tuples(STEPS, STEPS),
)
def test_what_meets_is_never_called_apart(
    first: tuple[int, ...],
    second: tuple[int, ...],
    turns: tuple[int, int],
    steps: tuple[IterationDistance, IterationDistance],
) -> None:
    """Every pair of iterations is tried; where one counter is alone and counts alike for both, the answer is exact."""
    counts = dict(zip("ij", turns, strict=True))
    one, other = (place(c, {"i": i, "j": j}, size, counts) for c, i, j, size in (first, second))
    met = False
    for i1, i2, j1, j2 in product(*(range(n) for n in turns for _ in range(2))):
        apart = [(i2 - i1, steps[0]), (j2 - j1, steps[1])]
        if all(s.least <= d <= s.most for d, s in apart):
            a = first[0] + first[1] * i1 + first[2] * j1
            b = second[0] + second[1] * i2 + second[2] * j2
            met |= a < b + second[3] and b < a + first[3]
    found = may_meet(one, other, dict(zip("ij", steps, strict=True)))
    assert found or not met
    if first[1] == second[1] and first[2] == second[2] == 0 and first[3] == second[3] == 1:
        assert found == met


def test_a_promise_of_parallel_accesses_is_of_different_iterations_and_of_plain_ones() -> None:
    """Two iterations of one loop do not meet at accesses of a listed group; atomic ones have no promise."""
    group, node = Promises(groups=("1",)), LoopID("0", (Attribute(PARALLEL_ACCESSES, groups=("1",)),))
    found = dependences(counted("store i32 1, p[i]", "r = load i32, q[i]"))
    found.loop = replace(found.loop, identity=node)
    (block, store), (_, load) = found.statements
    assert isinstance(store, Store) and isinstance(load, Load)
    mine = replace(store, mode=replace(store.mode, promises=group))
    other = replace(load, mode=replace(load.mode, promises=group))
    atomic = replace(load, mode=replace(other.mode, ordering=Ordering.MONOTONIC))
    assert found.hindrance((block, mine), (block, other), {"for1": LATER}) == ""
    assert found.hindrance((block, mine), (block, other), {"for1": SAME}) != ""
    assert found.hindrance((block, mine), (block, load), {"for1": LATER}) != ""
    assert found.hindrance((block, mine), (block, atomic), {"for1": LATER}) != ""
