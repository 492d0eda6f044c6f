"""Tails merged and duplicated, and sinking; orders of accesses are written down by hand."""

from __future__ import annotations

import pytest

from axmem.litmus.syntax import Load, Store
from tests.transform.orders import ran, refused

ARMS = (
    "if n < {limit} {{\nr = load i32, a[1]\nstore i32 r, c[0]\n}} else {{\ns = load i32, b[2]\nstore i32 s, c[0]\n}}\n"
)


@pytest.mark.parametrize(("limit", "order"), [(9, "a1 c0= a5"), (2, "b2 c0= a5")])
def test_the_stores_of_two_ways_become_one(limit: int, order: str) -> None:
    body = f"{ARMS.format(limit=limit)}t = load i32, a[5]"
    assert ran(body, "merge-tails(if1.end)").order == ran(body, "drop-tags()").order == order
    after = ran(body, "merge-tails(if1.end)").after.kernel
    assert sum(isinstance(s, Store) for s in after.body) == 1
    again = ran(body, "merge-tails(if1.end); duplicate-tail(if1.end)")
    assert again.order == order and sum(isinstance(s, Store) for s in again.after.kernel.body) == 2


def test_addresses_that_differ_meet_in_a_phi() -> None:
    body = "if n < {limit} {{\nstore i32 n, a[1]\n}} else {{\nstore i32 7, a[m]\n}}"
    assert ran(body.format(limit=9), "merge-tails(if1.end)").order == "a1="
    assert ran(body.format(limit=1), "merge-tails(if1.end)").order == "a2="


def test_loads_that_meet_in_a_phi_become_one() -> None:
    body = "if n < {limit} {{\nr = load i32, a[1]\n}} else {{\nr = load i32, a[1]\n}}\nstore i32 r, b[r]"
    found = ran(body.format(limit=9), "merge-tails(if1.end)")
    assert found.order == "a1 b1=" and sum(isinstance(s, Load) for s in found.after.kernel.body) == 1
    alone = "if n < 9 {\nr = load i32, a[1]\n} else {\ns = load i32, a[1]\n}"
    assert "does not meet what the others give" in refused(alone, "merge-tails(if1.end)")


def test_what_stands_for_two_has_the_tags_of_each_prefix_that_both_have() -> None:
    body = "if n < 9 {\nstore 1, a[1]  # f:a g:x\n} else {\nstore 2, a[1]  # f:b\n}"
    (store,) = (s for s in ran(body, "merge-tails(if1.end)").after.kernel.body if isinstance(s, Store))
    assert store.mode.tags == {("f", "a"), ("f", "b")}


def test_what_is_read_behind_a_duplicated_tail_is_merged() -> None:
    body = f"{ARMS.format(limit=9)}t = load i32, c[0]\nu = load i32, b[t]\nif u < 50 {{\nstore i32 t, a[u]\n}}"
    found = ran(body, "duplicate-tail(if1.end)")
    assert found.order == "a1 c0= c0 b1 a1="
    assert sum(isinstance(s, Load) for s in found.after.kernel.body) == 6


def test_a_load_sinks_to_where_it_is_used() -> None:
    body = "r = load i32, a[1]\nt = load i32, b[2]\nif t < {limit} {{\nstore i32 r, c[r]\n}}"
    assert ran(body.format(limit=9), "sink(r, if1.then)").order == "b2 a1 c1="
    assert ran(body.format(limit=1), "sink(r, if1.then)").order == "b2"


@pytest.mark.parametrize(
    ("body", "text", "why"),
    [
        (ARMS.format(limit=9), "merge-tails(entry)", "one block at most goes to 'entry'"),
        (
            "if n < 9 {\nfence acquire\n} else {\nfence release\n}",
            "merge-tails(if1.end)",
            "more than tags and operands",
        ),
        ("if n < 9 {\nstore 1, a[1]\n}", "merge-tails(if1.end)", "goes elsewhere, too"),
        ("if n < 9 {\ns.barrier\n} else {\ns.barrier\n}", "merge-tails(if1.end)", "lanes of all ways would take part"),
        (f"{ARMS.format(limit=9)}\ns.barrier", "duplicate-tail(if1.end)", "lanes of each way would be by themselves"),
        ("for i in 0..n {\nstore i32 1, a[i]\n}", "duplicate-tail(for1)", "the header or the latch of a loop"),
        ("r = load i32, a[1]\nif n < 9 {\nstore 1, b[0]\n}\nstore i32 r, b[1]", "sink(r, if1.then)", "read outside"),
        ("r = load i32, a[1]\nstore 5, a[1]\nif n < 9 {\nstore i32 r, b[1]\n}", "sink(r, if1.then)", "same location"),
        ("r = load atomic i32, a[1] monotonic\nif n < 9 {\nstore i32 r, b[1]\n}", "sink(r, if1.then)", "is not plain"),
        ("s1: store 1, a[1]\nif n < 9 {\nstore 2, b[1]\n}", "sink(s1, if1.then)", "not be executed on the other way"),
        ("r = load i32, a[1]\nif n < 9 {\nstore i32 r, b[1]\n}", "sink(r, if1.end)", "does not follow 'entry' alone"),
        (
            "id = workitem.id\nr = readfirstlane id\nif id < 1 {\nstore i32 r, b[1]\n}",
            "sink(r, if1.then)",
            "the branch of 'entry' is divergent",
        ),
    ],
)
def test_refusals(body: str, text: str, why: str) -> None:
    assert why in refused(body, text)


def test_a_convergent_operation_may_sink_over_a_uniform_branch() -> None:
    body = "id = workitem.id\nr = readfirstlane id\nif n < 1 {\nstore i32 r, b[1]\n}"
    assert refused(body, "sink(r, if1.then)") == ""
