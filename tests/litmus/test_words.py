"""The words of the language: what is legal, stronger, synchronizing; each fact against another way to say it."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axmem.litmus.words import (
    FAILURES,
    SYNCHRONIZING,
    OperationKind,
    Ordering,
    atomic_for,
    failure_of,
    legal_for,
    tags_compatible,
    tags_united,
)


def test_strength_is_a_partial_order_in_which_only_acquire_and_release_are_incomparable() -> None:
    for a, b, c in product(Ordering, repeat=3):
        assert not (a.at_least(b) and b.at_least(c)) or a.at_least(c)
        assert a.at_least(a) and (a is b or not (a.at_least(b) and b.at_least(a)))
        incomparable = {a, b} == {Ordering.ACQUIRE, Ordering.RELEASE}
        assert incomparable == (not a.at_least(b) and not b.at_least(a))


def test_what_acquires_or_releases_synchronizes() -> None:
    assert {o for o in Ordering if o.acquires} == {Ordering.ACQUIRE, Ordering.ACQ_REL, Ordering.SEQ_CST}
    assert {o for o in Ordering if o.releases} == {Ordering.RELEASE, Ordering.ACQ_REL, Ordering.SEQ_CST}
    assert set(SYNCHRONIZING) == {o for o in Ordering if o.acquires or o.releases}


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("load", "not_atomic unordered monotonic acquire seq_cst"),
        ("store", "not_atomic unordered monotonic release seq_cst"),
        ("rmw", "monotonic acquire release acq_rel seq_cst"),
        ("cmpxchg", "monotonic acquire release acq_rel seq_cst"),
        ("fence", "acquire release acq_rel seq_cst"),
        ("av-load", "not_atomic"),
        ("make.visible", "not_atomic"),
    ],
)
def test_the_legal_orderings_are_those_of_llvms_verifier(kind: str, words: str) -> None:
    assert [o.value for o in legal_for(OperationKind(kind))] == words.split()
    assert [o.value for o in atomic_for(kind)] == [w for w in words.split() if w != "not_atomic"]


def test_a_cmpxchg_fails_with_what_its_success_has_without_the_release() -> None:
    for success in legal_for(OperationKind.CMPXCHG):
        failure = failure_of(success)
        assert failure in FAILURES and success.at_least(failure)
        assert failure.acquires == success.acquires


TAGS = st.frozensets(st.tuples(st.sampled_from("pqr"), st.sampled_from("ab")), max_size=4)


@given(TAGS, TAGS)
def test_tags_are_compatible_by_prefix(one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]]) -> None:
    suffixes = [({s for p, s in one if p == prefix}, {s for p, s in other if p == prefix}) for prefix in "pqr"]
    expected = all(not a or not b or a & b for a, b in suffixes)
    assert tags_compatible(one, other) == tags_compatible(other, one) == expected


@given(TAGS, TAGS, TAGS)
def test_united_tags_are_compatible_with_whatever_either_was(
    one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]], third: frozenset[tuple[str, str]]
) -> None:
    united = tags_united(one, other)
    assert united == tags_united(other, one) <= one | other
    assert tags_compatible(united, third) or not (tags_compatible(one, third) or tags_compatible(other, third))


def test_tags_are_united_prefix_by_prefix() -> None:
    """[MMRA] "Merging": the union of the tags of each prefix that both have; a prefix that one lacks goes."""
    one, other = frozenset({("p", "a"), ("q", "a")}), frozenset({("p", "b"), ("r", "a")})
    assert tags_united(one, other) == {("p", "a"), ("p", "b")}
    assert tags_united(one, frozenset()) == frozenset()
