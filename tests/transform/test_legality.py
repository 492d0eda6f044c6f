"""What is known of the loops of a kernel. Each expectation is read off the text of the loop by hand."""

from __future__ import annotations

import pytest

from axmem.litmus.parser import parse
from axmem.transform.forest import Content, Dependence, Facts, Tree
from axmem.transform.legality import forest
from tests.loopmd.shapes import BODIES, NESTS, Generated, nest_lines, single_lines, text_of


def facts(shape: str, bound: str = "8") -> Facts:
    (tree,) = trees(Generated(shape, ((),), single_lines(shape, bound)))
    return tree.facts


def trees(generated: Generated) -> tuple[Tree, ...]:
    return forest(parse(text_of([generated])).kernels[0])


DEPENDENCES = {
    "map": Dependence.NONE,
    "two": Dependence.NONE,
    "recurrence": Dependence.SERIAL,  # a[i+1] needs a[i]
    "pointers": Dependence.NONE,  # once they are checked
    "apart": Dependence.PARTLY,  # a alone
    "invariant": Dependence.NONE,  # once the pointers are checked
}
CONTENTS = {
    "monotonic": {Content.ATOMIC},
    "unordered": {Content.UNORDERED},
    "volatile": {Content.VOLATILE},
    "rmw": {Content.RMW},
    "fence": {Content.FENCE},
    "barrier": {Content.BARRIER},
    "crosslane": {Content.CROSS_LANE},
    "call": {Content.CALL},
}


@pytest.mark.parametrize("shape", DEPENDENCES)
def test_dependences(shape: str) -> None:
    found = facts(shape)
    assert found.dependence is DEPENDENCES[shape]
    assert found.checks is (shape in ("pointers", "invariant"))
    assert found.contents == set()


@pytest.mark.parametrize("shape", CONTENTS)
def test_contents(shape: str) -> None:
    assert facts(shape).contents == CONTENTS[shape]


def test_every_shape_has_its_expectation() -> None:
    assert {*BODIES} == {*DEPENDENCES, *CONTENTS}


def test_trip_counts() -> None:
    assert (facts("map", "8").trips, facts("map", "8").counted) == (8, True)
    assert (facts("map", "%n").trips, facts("map", "%n").counted) == (None, True)
    assert facts("map", "%n").checks is None


def test_addresses_that_do_not_follow_from_constants_alone_may_be_checked_for_wrapping() -> None:
    """Of `columns` the address depends on the counter of the loop around; that of `rows` on the own counter alone."""
    for shape, expected in (("columns", None), ("rows", False)):
        (outer,) = trees(Generated(shape, ((), ()), nest_lines(shape, ["6", "7"])))
        assert outer.inner[0].facts.checks is expected


def test_distribution_makes_a_loop_of_the_cycle_and_one_of_the_rest() -> None:
    assert facts("apart").partitions == ("sequential", "coincident")
    assert facts("recurrence").partitions == ("sequential",)


@pytest.mark.parametrize(("shape", "expected"), [("sums", True), ("rows", None)])
def test_iterations_are_jammed_if_no_two_accesses_meet(shape: str, expected: bool | None) -> None:
    """Of `rows` every iteration of the outer loop writes the same row."""
    (outer,) = trees(Generated(shape, ((), ()), nest_lines(shape, ["6", "7"])))
    assert (outer.name, [each.name for each in outer.inner]) == ("o", ["h"])
    assert (outer.facts.trips, outer.inner[0].facts.trips) == (6, 7)
    assert outer.facts.jams is expected
    assert outer.inner[0].facts.dependence is Dependence.UNKNOWN
    assert {*NESTS} == {"sums", "rows", "atomics", "columns"}
