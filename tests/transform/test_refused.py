"""What LLVM 22.1.8 refuses in loops, measured pass by pass with forced transformations.

The rows are what opt-22 did with a loop whose accesses are of an ordering, and that has an operation more. The body
that was taken for vectorizing was never vectorized, and what it refuses was measured on others.
"""

from __future__ import annotations

import pytest

from axmem.transform.answers import REFUSED, PassSettings
from axmem.transform.decisions import answer
from axmem.transform.followups import written
from axmem.transform.forest import Content, Dependence, Facts, Tree
from axmem.transform.passes import Profile, passes
from tests.transform.metadata import loop_id

PASSES = passes(Profile.LLVM_22)
EXTRA = {"fence": Content.FENCE, "barrier": Content.BARRIER, "readfirstlane": Content.CROSS_LANE}
PLAIN = {
    "distribute": {"fence": False, "barrier": False, "readfirstlane": True},
    "unroll-and-jam": {"fence": False, "barrier": False, "readfirstlane": False},
    "interchange": {"fence": True, "barrier": False, "readfirstlane": True},
    "versioning-licm": {"fence": False, "barrier": False, "readfirstlane": False},
}
"""Whether a loop of plain accesses is transformed that has one of these as well."""

REFUSING = ("distribute", "vectorize", "unroll-and-jam", "interchange", "versioning-licm")
"""Passes that transform no loop with an atomic or volatile load or store, whatever else stands in it."""


@pytest.mark.parametrize("name", PLAIN)
def test_operations_beside_plain_accesses(name: str) -> None:
    assert {extra: EXTRA[extra] not in REFUSED[name] for extra in EXTRA} == PLAIN[name]


@pytest.mark.parametrize("name", REFUSING)
def test_atomic_and_volatile_accesses(name: str) -> None:
    assert {Content.UNORDERED, Content.ATOMIC, Content.VOLATILE} <= REFUSED[name]


def test_interchange_takes_read_modify_writes() -> None:
    """Its results change; the findings have it."""
    assert Content.RMW not in REFUSED["interchange"]


UNROLLS = {
    # content: factor 2 of 4 iterations, of 5, of n; full of 4
    None: ("unrolled", "unrolled", "unrolled", "nothing"),
    Content.BARRIER: ("unrolled", "nothing", "", "nothing"),
    Content.CROSS_LANE: ("unrolled", "nothing", "", "nothing"),
    Content.HEART: ("unrolled", "nothing", "", "nothing"),
    Content.ANCHOR: ("unrolled", "unrolled", "unrolled", "nothing"),
    Content.ATOMIC: ("unrolled", "unrolled", "unrolled", "nothing"),
    Content.FENCE: ("unrolled", "unrolled", "unrolled", "nothing"),
    Content.VOLATILE: ("unrolled", "unrolled", "unrolled", "nothing"),
}
"""What is left of a loop whose unrolling is forced; empty: it is refused. Of a remainder of one iteration no loop."""


@pytest.mark.parametrize("content", UNROLLS)
def test_unrolling_with_convergent_operations(content: Content | None) -> None:
    asked = (("unroll.count=2", 4), ("unroll.count=2", 5), ("unroll.count=2", None), ("unroll.full", 4))
    for (attribute, trips), expected in zip(asked, UNROLLS[content], strict=True):
        facts = Facts(
            trips=trips, contents=frozenset({content} if content else ()), dependence=Dependence.SERIAL, size=4
        )
        said = answer(PASSES["unroll"], Tree("h", written(loop_id(attribute)), facts), None, PassSettings())
        left = [" ".join(each.kinds) or "nothing" for each in said.outcomes]
        assert left == [expected] * bool(expected), (attribute, trips)
        assert (said.done is False) is not bool(expected)
