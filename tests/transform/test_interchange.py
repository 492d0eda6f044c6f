"""Loop interchange; the orders of accesses are written down by hand."""

from __future__ import annotations

import pytest

from axmem.transform.transformation import MadeLoop
from tests.transform.orders import ran, refused


def nest(body: str, *, inner: str = "0..3", before: str = "", after: str = "") -> str:
    return f"for i in 0..m {{\n{before}\nfor j in {inner} {{\n{body}\n}}\n{after}\n}}"


STORE = "store i32 1, a[i * 4 + j]"


def test_columns_before_rows() -> None:
    found = ran(nest(STORE), "interchange(for1, for2)")
    assert found.order == "a0= a4= a1= a5= a2= a6="
    assert found.after.loops == {"for2": MadeLoop("for2", "outer"), "for1": MadeLoop("for1", "inner")}
    assert ran(nest(STORE), "interchange(for1, for2); interchange(for2, for1)").order == "a0= a1= a2= a4= a5= a6="


def test_computations_between_the_loops_go_along() -> None:
    body = nest("store i32 row, a[row + j]", before="row = i * 8")
    assert ran(body, "interchange(for1, for2)").order == "a0= a8= a1= a9= a2= a10="


def test_loops_with_their_test_at_the_end() -> None:
    body = """\
i = 0
br h
h:
j = 0
br k
k:
store i32 1, a[i * 4 + j]
j = j + 1
s = j < 2
br s, k, l
l:
i = i + 1
t = i < n
br t, h, x
x:"""
    assert ran(body, "interchange(h, k)").order == "a0= a4= a8= a12= a16= a1= a5= a9= a13= a17="


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (nest(STORE, before="store 1, b[i]"), "'store 1, b[i.2]' stands between the loops"),
        (nest(STORE, inner="0..i"), "how often 'for2' goes round depends on 'for1'"),
        (nest(STORE, inner="i..3"), "where 'j.2' begins depends on 'for1'"),
        (nest("if j < 1 {\nstore 1, a[j]\n}"), "the body branches"),
        (f"{nest(STORE)}\nstore i32 i, c[0]", "'i.2' is read after the loops"),
        ("s = 0\n" + nest("s = s + j"), "'s.2' goes from one iteration of 'for1' to the next"),
        (nest("store i32 1, a[i + j]"), "they may access the same location, and one of them writes"),
        # What is read was written in the row before, one column later: (1, -1) is turned round.
        (nest("r = load i32, a[i * 4 + j]\nstore i32 r, a[i * 4 + j + 3]"), "the same location"),
        (nest("r = atomicrmw add a[i * 4 + j], i32 1 monotonic"), "is a read-modify-write"),
        (nest("store atomic i32 1, a[i * 4 + j] release"), "down over a release"),
        (nest("fence release\nstore atomic i32 1, a[i * 4 + j] monotonic"), "release"),
        (nest("s.barrier"), "a convergent operation stays behind another"),
    ],
)
def test_refusals(body: str, why: str) -> None:
    assert why in refused(body, "interchange(for1, for2)")


def test_what_may_be_permuted() -> None:
    """transform_verdicts_rc11: relaxed stores to places of their own are; so is a recurrence along one direction."""
    assert refused(nest("store atomic i32 1, a[i * 4 + j] monotonic"), "interchange(for1, for2)") == ""
    assert refused(nest("r = load i32, a[i * 4 + j]\nstore i32 r, a[i * 4 + j + 4]"), "interchange(for1, for2)") == ""
    assert refused(nest("r = load i32, a[i * 4 + j]\nstore i32 r, a[i * 4 + j + 5]"), "interchange(for1, for2)") == ""


def test_lanes_that_leave_at_different_times() -> None:
    body = "id = workitem.id\n" + nest(STORE.replace("4 + j", "4 + j"), inner="0..id")
    assert "lanes leave the loop 'for2' in different iterations" in refused(body, "interchange(for1, for2)")


def test_two_loops_that_are_not_nested() -> None:
    body = "for i in 0..m {\nstore 1, a[i]\n}\nfor j in 0..m {\nstore 1, b[j]\n}"
    assert "'for2' is not the only loop inside 'for1'" in refused(body, "interchange(for1, for2)")
