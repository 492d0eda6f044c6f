"""Tags and loop metadata dropped, accesses merged; what is expected is [MMRA] "Consequences" and "Merging" by hand."""

from __future__ import annotations

import pytest

from axmem.litmus.kernels import Branch
from axmem.litmus.printer import statement_line
from axmem.litmus.syntax import Fence, Load, Store
from axmem.litmus.words import Tag
from axmem.transform.applying import Transformed
from tests.transform.orders import loop_test, ran, refused


def tags(after: Transformed) -> list[set[Tag]]:
    return [set(s.mode.tags) for s in after.kernel.body if isinstance(s, Load | Store | Fence)]


def lines(after: Transformed, body: str) -> list[str]:
    return [statement_line(loop_test(body), s) for s in after.kernel.body]


TAGGED = "r = load i32, a[0]  # f:a g:x\none: store i32 r, b[0]  # f:b\nfence acquire  # f:a"


def test_tags_are_dropped_as_whole_sets() -> None:
    assert tags(ran(TAGGED, "drop-tags()").after) == [set(), set(), set()]
    assert tags(ran(TAGGED, "drop-tags(one)").after) == [{("f", "a"), ("g", "x")}, set(), {("f", "a")}]
    assert tags(ran(TAGGED, "drop-tags(r)").after)[0] == set()


LOOP = "for i in 0..n {\nstore i32 i, a[i]\n}, !llvm.loop !{}\n"


def test_loop_metadata_is_dropped() -> None:
    body = """\
br h
h:
i = phi i32 [ 0, entry ], [ k, h ]
store i32 i, a[i]
k = i + 1
c1 = k < n
br c1, h, x, !llvm.loop !0
x:
ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
kernel L() {"""
    test = loop_test(body)
    assert any(isinstance(s, Branch) and s.loop is not None for s in test.kernels[0].body)
    after = ran(body, "drop-loop-metadata(h)").after
    assert not any(isinstance(s, Branch) and s.loop is not None for s in after.kernel.body)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("f:a", "f:b", {("f", "a"), ("f", "b")}),
        ("f:a g:x", "f:a", {("f", "a")}),
        ("f:a", "g:x", set()),
        ("f:a", "", set()),
    ],
)
def test_the_tags_of_a_merged_load_are_those_of_each_prefix_that_both_have(
    first: str, second: str, kept: set[Tag]
) -> None:
    texts = (f"  # {each}" if each else "" for each in (first, second))
    body = "r = load i32, a[1]{}\ns = load i32, a[1]{}\nstore i32 s, b[0]".format(*texts)
    found = ran(body, "merge(r, s)")
    assert found.order == "a1 b0=" and tags(found.after)[0] == kept


def test_of_two_stores_and_fences_the_second_stays() -> None:
    found = ran("one: store i32 1, a[1]  # f:a\ntwo: store i32 2, a[1]  # f:b", "merge(one, two)")
    assert found.order == "a1=" and tags(found.after) == [{("f", "a"), ("f", "b")}]
    body = "one: fence release  # f:a\nr = load i32, a[0]\ntwo: fence release  # f:a g:a"
    assert tags(ran(body, "merge(one, two)").after)[1:] == [{("f", "a")}]


@pytest.mark.parametrize(
    ("body", "text", "why"),
    [
        ("r = load i32, a[0]\ns = load i32, a[1]", "merge(r, s)", "need not access the same bytes"),
        ("r = load i32, a[0]\ns = load i32, a[0]", "merge(s, r)", "does not follow"),
        ("r = load i32, a[0]\ns = load atomic i32, a[0] monotonic", "merge(r, s)", "in more than their tags"),
        ("r = load volatile i32, a[0]\ns = load volatile i32, a[0]", "merge(r, s)", "is volatile"),
        ("r = load i32, a[0]\nstore i32 1, a[0]\ns = load i32, a[0]", "merge(r, s)", "same location"),
        ("r = load i32, a[0]\nfence acquire\ns = load i32, a[0]", "merge(r, s)", "up over an acquire"),
        ("one: store i32 1, a[0]\nfence release\ntwo: store i32 2, a[0]", "merge(one, two)", "down over a release"),
        ("one: store i32 1, a[0]\nr = load i32, p[0]\ntwo: store i32 2, a[0]", "merge(one, two)", "same location"),
        ("one: s.barrier\ntwo: s.barrier", "merge(one, two)", "are not two loads, stores or fences"),
    ],
)
def test_refusals(body: str, text: str, why: str) -> None:
    assert why in refused(body, text)
