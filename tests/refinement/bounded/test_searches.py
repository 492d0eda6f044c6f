"""The two searches over families of programs check each other: telling models apart, and including one in another."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from axmem.check.results import outcomes
from axmem.check.selection import loaded, parse_choice
from axmem.encoder.solve import Deadline
from axmem.encoder.solver import Session
from axmem.litmus.walk import located
from axmem.litmus.words import OperationKind, Ordering, Scope
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.skeleton import shapes
from axmem.refinement.bounded_check import HOLDS, REFUTED, check, models_claim
from axmem.refinement.contexts.families import ShapeSearch
from axmem.refinement.inclusion import UNSOUND
from axmem.refinement.models import refines
from tests.corpus import corpus_test
from tests.drawn import some
from tests.paths import CORPUS_TESTS

LOAD, STORE, RMW, FENCE = OperationKind.LOAD, OperationKind.STORE, OperationKind.RMW, OperationKind.FENCE
COHERENCE = Bound(kinds=(LOAD, STORE, RMW), locations=1, orderings=(Ordering.MONOTONIC,), apart=True, finals=False)
MESSAGES = Bound(
    kinds=(LOAD, STORE, FENCE),
    orderings=(Ordering.NOT_ATOMIC, Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.RELEASE),
    scopes=(Scope.WORKGROUP, Scope.SYSTEM),
    levels=(Scope.WORKGROUP,),
    none=True,
    finals=False,
)
TAGGED = Bound(
    orderings=(Ordering.NOT_ATOMIC, Ordering.RELEASE),
    locations=1,
    tags=(("f", "a"), ("f", "b")),
    apart=True,
    finals=False,
)
UPDATES = Bound(kinds=(STORE, RMW), locations=1, orderings=(Ordering.MONOTONIC,), scopes=(Scope.SINGLETHREAD,))
BUFFERS = Bound(kinds=(LOAD, STORE), orderings=(Ordering.MONOTONIC,))


def told_apart(bound: Bound, first: str, second: str, most: int) -> int:
    """Return the size of the smallest program on which the second model lacks an outcome of the first, or 0."""
    models = [loaded(parse_choice(text)) for text in (first, second)]
    for events in range(1, most + 1):
        for shape in shapes(events):
            search = ShapeSearch(replace(bound, events=events), shape, models[0], models[1], Session(), Deadline(None))
            if next(search.programs(), None) is not None:
                return events
    return 0


@pytest.mark.parametrize(
    ("bound", "first", "second", "most", "expected"),
    some(
        [
            (COHERENCE, "llvm[coh=langref]", "llvm", 3, 3),
            (COHERENCE, "llvm", "llvm[coh=langref]", 3, 0),
            (MESSAGES, "llvm", "amdgpu", 2, 0),
            (MESSAGES, "amdgpu", "llvm", 2, 0),
            (MESSAGES, "amdgpu-doc", "amdgpu", 2, 2),
            (MESSAGES, "amdgpu", "amdgpu-doc", 2, 0),
            (TAGGED, "amdgpu[lo.readpo=off]", "amdgpu", 2, 2),
            (TAGGED, "amdgpu", "amdgpu[lo.readpo=off]", 2, 0),
            # Only what memory holds at last tells these apart.
            (UPDATES, "vulkan", "rc11", 2, 2),
            (UPDATES, "rc11", "vulkan", 2, 0),
            (replace(UPDATES, finals=False), "vulkan", "rc11", 2, 0),
            (BUFFERS, "tso", "sc", 4, 4),
            (BUFFERS, "sc", "tso", 4, 0),
            (BUFFERS, "rc11", "sc", 4, 4),
            (BUFFERS, "sc", "llvm", 4, 0),
        ]
    ),
)
def test_both_searches_give_one_answer(bound: Bound, first: str, second: str, most: int, expected: int) -> None:
    """Over one bound: the one finds a program where the other refutes inclusion, and none where it proves it."""
    found = check(models_claim(parse_choice(first), parse_choice(second), bound), most)
    assert found.status == (REFUTED if expected else HOLDS)
    assert found.events == (expected or most)
    assert told_apart(bound, first, second, most) == expected


PAIRS = [*permutations(("aarch64", "llvm", "opencl", "rc11", "sc", "tso"), 2)]


@pytest.mark.parametrize(("first", "second"), some(PAIRS, of=5))
def test_what_a_test_of_the_corpus_separates_is_not_included(first: str, second: str) -> None:
    """Store buffering, message passing, coherence: tests of at most three operations, and of four for some pairs."""
    choices = parse_choice(first), parse_choice(second)
    most = 4 if {first, second} <= {"rc11", "sc", "tso"} else 3
    separating = []
    for test in (corpus_test(path) for path in CORPUS_TESTS if path.parent.name == "classic"):
        size = sum(1 for _ in located(test))
        if size <= most and not test.kernels:
            one, other = (outcomes(test, loaded(choice)) for choice in choices)
            separating += [size] * (refines(test, choices, (one, other)).verdict == UNSOUND)
    if separating:
        found = check(models_claim(*choices), min(separating))
        assert found.status == REFUTED
        assert found.events <= min(separating)
