"""Loop distribution; the orders of accesses are written down by hand."""

from __future__ import annotations

import pytest

from axmem.transform.transformation import MadeLoop
from tests.transform.orders import ran, refused

# "Loop Distribution" of the document, with its three statements.
DOCUMENT = """\
for i in 1..n {
store i32 i, p[i]
r = load i32, b[i]
s = 2 + r
store i32 s, b[i]
t = load i32, c[i - 1]
u = 3 + t
store i32 u, c[i]
}"""


def test_the_document_s_example() -> None:
    """A coincident loop for A, one for B, a sequential one for C; where A may be B or C, the loop as it was besides."""
    found = ran(DOCUMENT.replace("p[", "a["), "distribute(for1)")
    assert found.order == "a1= a2= a3= a4= b1 b1= b2 b2= b3 b3= b4 b4= c0 c1= c1 c2= c2 c3= c3 c4="
    assert sorted(made.kind for made in found.after.loops.values()) == ["coincident", "coincident", "sequential"]
    assert found.after.loops["for1"] == MadeLoop("for1", "sequential")
    checked = ran(DOCUMENT, "distribute(for1)")
    assert checked.order == found.order
    kinds = sorted(made.kind for made in checked.after.loops.values())
    assert kinds == ["coincident", "coincident", "fallback", "sequential"]


def test_the_fallback_is_the_loop_as_it_was() -> None:
    body = "for i in 0..n {\nstore i32 i, p[i]\nr = load i32, q[i + 1]\nstore i32 r, c[i]\n}"
    assert ran(body, "distribute(for1, 1)").order == "a0= a1= a2= a3= a4= b1 c0= b2 c1= b3 c2= b4 c3= b5 c4="
    as_it_was = "a0= a1 c0= a1= a2 c1= a2= a3 c2= a3= a4 c3= a4= a5 c4="
    assert ran(body, "distribute(for1, 1)", aliased=True).order == as_it_was


THREE = "for i in 0..m {\nstore i32 1, a[i]\nr = load i32, b[i]\nstore i32 r, c[i]\n}"


def test_cuts_by_number_and_by_name() -> None:
    order = "a0= a1= b0 c0= b1 c1="
    assert ran(THREE, "distribute(for1, 1)").order == ran(THREE, "distribute(for1, r)").order == order
    assert ran(THREE, "distribute(for1)").order == order
    labelled = THREE.replace("store i32 r", "out: store i32 r").replace("r, c", "3, c")
    assert ran(labelled, "distribute(for1, out)").order == "a0= b0 a1= b1 c0= c1="
    assert ran(labelled, "distribute(for1, r, out)").order == "a0= a1= b0 b1 c0= c1="


def test_at_most_one_loop_is_sequential() -> None:
    """Two recurrences with something between: one loop for all of them."""
    chain = "{0} = load i32, {1}[i]\nstore i32 {0}, {1}[i + 1]\n"
    body = f"for i in 0..m {{\nstore i32 1, q[i]\n{chain.format('r', 'a')}{chain.format('s', 'c')}}}"
    found = ran(body, "distribute(for1)")
    assert sorted(made.kind for made in found.after.loops.values()) == ["coincident", "fallback", "sequential"]
    assert found.order == "b0= b1= a0 a1= c0 c1= a1 a2= c1 c2="


@pytest.mark.parametrize(
    ("body", "text", "why"),
    [
        (THREE, "distribute(for1, 2)", "'store r, c[i.2]' reads what 'r = load b[i.2]' gives"),
        (THREE, "distribute(for1, 3)", "behind the cut '3': it has 3"),
        ("for i in 0..n {\nstore 1, a[i]\n}", "distribute(for1)", "it does one thing"),
        ("for i in 0..n {\nstore i32 1, a[i + 1]\nr = load i32, a[i + 2]\n}", "distribute(for1)", "same location"),
        (
            "i = 0\nwhile i < n {\ni = load i32, a[i]\nstore 1, b[i]\n}",
            "distribute(while1)",
            "where it goes depends on",
        ),
        ("for i in 0..n {\ns.barrier\nr = ballot 1\n}", "distribute(for1)", "a convergent operation stays"),
    ],
)
def test_refusals(body: str, text: str, why: str) -> None:
    assert why in refused(body, text)


@pytest.mark.parametrize(
    ("body", "sound"),
    [
        # transform_verdicts_rc11, the first five with distribute: what moves is a later iteration's first statement.
        ("store atomic i32 1, a[i] monotonic\nstore atomic i32 1, b[i] release", True),
        ("store atomic i32 1, b[i] release\nstore atomic i32 1, a[i] monotonic", False),
        ("store atomic i32 1, a[i] monotonic\nstore atomic i32 1, b[i] monotonic", True),
        ("r = load atomic i32, b[i] acquire\ns = load atomic i32, a[i] monotonic", True),
        ("s = load atomic i32, a[i] monotonic\nr = load atomic i32, b[i] acquire", False),
        # A fence moves before a store of the iteration before, or a store behind a fence of a later one.
        ("fence acquire\nstore i32 1, a[i]", True),
        ("store i32 1, a[i]\nfence acquire", False),
        ("store i32 1, a[i]\nfence release", True),
        ("fence release\nstore i32 1, a[i]", False),
    ],
)
def test_atomics_and_fences(body: str, *, sound: bool) -> None:
    loop = f"for i in 0..m {{\n{body}\n}}"
    assert (refused(loop, "distribute(for1, 1)") == "") == sound
    assert len(ran(loop, "distribute(for1, 1)", force=True).after.loops) == 2


def test_a_value_that_goes_round_stays_with_what_it_is_made_of() -> None:
    """The sum is in the loop of its load; what is read behind both loops comes from the one that has it."""
    body = "s = 0\nfor i in 0..m {\nr = load i32, a[i + 3]\ns = s + r\nstore i32 i, b[i]\n}\nstore i32 s, c[s]"
    found = ran(body, "distribute(for1, 1)")
    assert found.order == "a3 a4 b0= b1= c7="


@pytest.mark.parametrize(("far", "order"), [(3, "a0 a1 a2 a3= a4="), (2, "a0 a2= a1 a3= a2")])
def test_what_stands_before_the_test_is_executed_once_more(far: int, order: str) -> None:
    """m = 2, and the header loads q[0..2]: where p is q, a store to p[2] meets the third load, one to p[3] none."""
    lines = ("i = 0", "br h", "h:", "r = load i32, q[i]", "t = i < m", "br t, body, x", "body:")
    body = "\n".join((*lines, f"store i32 5, p[i + {far}]", "i = i + 1", "br h", "x:"))
    assert ran(body, "distribute(h, 1)").order == f"b0 b1 b2 a{far}= a{far + 1}="
    assert ran(body, "distribute(h, 1)", aliased=True).order == order
