"""Modes of transformations and what transform-warning says.

The rows are what `opt-22 -passes=transform-warning` of LLVM 22.1.8 says of one loop with these attributes. The modes
are derived by hand from the document's sections on each transformation ("is interpreted as forced if ...") and, for
what they leave out, from the same measurements.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from axmem.transform.attributes import followups, is_set
from axmem.transform.modes import Mode, because, deciding, left, mode
from tests.transform.metadata import attributes, loop_id, written

WARNED = {
    "unroll.enable": ["unrolled"],
    "unroll.full": ["unrolled"],
    "unroll.count=4": ["unrolled"],
    "unroll.count=1": [],
    "unroll.disable": [],
    "unroll.disable unroll.count=4": [],
    "unroll.enable disable_nonforced": ["unrolled"],
    "unroll.runtime.disable": [],
    "disable_nonforced": [],
    "unroll_and_jam.enable": ["unroll-and-jammed"],
    "unroll_and_jam.count=4": ["unroll-and-jammed"],
    "unroll_and_jam.count=1": [],
    "unroll_and_jam.disable unroll_and_jam.count=4": [],
    "vectorize.enable=1": ["vectorized"],
    "vectorize.enable=0": [],
    "vectorize.width=4": [],
    "vectorize.width=4 vectorize.enable=true": ["vectorized"],
    "vectorize.enable=true vectorize.width=1": ["interleaved"],
    "vectorize.enable=true vectorize.width=1 interleave.count=1": [],
    "vectorize.enable=true vectorize.width=1 interleave.count=2": ["interleaved"],
    "vectorize.enable=true isvectorized": [],
    "interleave.count=2": [],
    "distribute.enable=1": ["distributed"],
    "distribute.enable=0": [],
    "distribute.enable": ["distributed"],
    "distribute.enable=1 isdistributed": ["distributed"],
    "interchange.enable": [],
    "licm_versioning.disable": [],
    "vectorize.followup_all={unroll.enable}": [],
    "unroll.enable unroll_and_jam.enable vectorize.enable=1 distribute.enable=1": [
        "unrolled", "unroll-and-jammed", "vectorized", "distributed",
    ],
}  # fmt: skip
"""What warns of 30 combinations; the 31st, a function with optnone, cannot be written in a kernel."""

MODES = [
    ("unroll", "unroll.disable unroll.enable", Mode.SUPPRESSED),
    ("unroll", "unroll.count=0", Mode.FORCED),
    ("unroll", "unroll.count=1 unroll.enable", Mode.SUPPRESSED),
    ("unroll", "unroll.enable=false", Mode.HEURISTIC),
    ("unroll", "unroll.enable disable_nonforced", Mode.FORCED),
    ("unroll", "unroll.full disable_nonforced", Mode.FORCED),
    ("unroll", "vectorize.enable=true disable_nonforced", Mode.DISABLED),
    ("unroll", "disable_nonforced=0", Mode.HEURISTIC),
    ("unroll", "", Mode.HEURISTIC),
    ("unroll-and-jam", "unroll.count=4", Mode.HEURISTIC),
    ("unroll-and-jam", "unroll_and_jam.count=2", Mode.FORCED),
    ("unroll-and-jam", "unroll_and_jam.count=1 unroll_and_jam.enable", Mode.SUPPRESSED),
    ("vectorize", "vectorize.enable=0 vectorize.width=4", Mode.SUPPRESSED),
    ("vectorize", "isvectorized vectorize.enable=1", Mode.DISABLED),
    ("vectorize", "isvectorized=0 vectorize.enable=1", Mode.FORCED),
    ("vectorize", "vectorize.width=1 interleave.count=1", Mode.DISABLED),
    ("vectorize", "vectorize.width=1", Mode.HEURISTIC),
    ("vectorize", "vectorize.width=4 disable_nonforced", Mode.ENABLED),
    ("vectorize", "interleave.count=2", Mode.ENABLED),
    ("vectorize", "vectorize.width=1 vectorize.scalable.enable vectorize.enable interleave.count=1", Mode.FORCED),
    ("vectorize", "disable_nonforced", Mode.DISABLED),
    ("distribute", "distribute.enable isdistributed", Mode.FORCED),
    ("distribute", "distribute.enable=0 disable_nonforced", Mode.DISABLED),
    ("interchange", "disable_nonforced", Mode.HEURISTIC),
    ("versioning-licm", "licm_versioning.disable", Mode.SUPPRESSED),
    ("versioning-licm", "licm_versioning.disable=0", Mode.HEURISTIC),
    ("versioning-licm", "disable_nonforced", Mode.DISABLED),
]


@pytest.mark.parametrize("texts", WARNED)
def test_what_transform_warning_says(texts: str) -> None:
    said = [text.removeprefix("loop not ") for _, text in left(attributes(*texts.split()))]
    assert said == WARNED[texts]


@pytest.mark.parametrize(("transformation", "texts", "expected"), MODES)
def test_modes(transformation: str, texts: str, expected: Mode) -> None:
    assert mode(attributes(*texts.split()), transformation) is expected


def test_what_decides_is_named() -> None:
    given = attributes("user", "vectorize.width=1", "vectorize.enable=1", "interleave.count=1")
    found, why = deciding(given, "vectorize")
    assert found is Mode.SUPPRESSED
    assert because(why) == "vectorize.enable 1 and vectorize.width 1 and interleave.count 1"


def test_of_two_attributes_of_one_name_the_first_counts() -> None:
    assert is_set(attributes("vectorize.enable=0", "vectorize.enable=1"), "llvm.loop.vectorize.enable") is False


def test_followups_are_given_by_empty_lists_and_by_lists_of_loop_ids() -> None:
    names = ("llvm.loop.unroll.followup_all", "llvm.loop.unroll.followup_unrolled")
    assert followups(attributes("user"), names) is None
    assert followups(attributes("unroll.followup_all={}"), names) == ()
    both = followups(attributes("unroll.followup_unrolled={b;c=3}", "unroll.followup_all={a}"), names)
    assert both is not None and [written(each) for each in both] == ["a", "b", "c=3"]
    (old,) = attributes("unroll.followup_all={}")
    assert [written(a) for a in followups([replace(old, loop_ids=(loop_id("b"),))], names) or ()] == ["ID"]
