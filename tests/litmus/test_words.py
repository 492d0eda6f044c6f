"""The words of the language: what is legal, stronger, synchronizing; each fact against another way to say it."""

from __future__ import annotations

from itertools import product

import pytest

from axmem.litmus.words import (
    FAILURES,
    SYNCHRONIZING,
    OperationKind,
    Ordering,
    atomic_for,
    failure_of,
    legal_for,
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
