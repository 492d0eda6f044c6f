"""The space of programs of a bound: each program once up to symmetry, none left out, all of them well-formed.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import product

import pytest

from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.words import PLACED, Ordering, Scope
from axmem.refinement.bounded.bound import KINDS, Bound, operations
from axmem.refinement.bounded.operations import BoundedProgram
from axmem.refinement.bounded.placements import canonical, forms, placements
from axmem.refinement.bounded.programs import litmus_test
from axmem.refinement.bounded.skeleton import shapes
from tests.drawn import WHOLE
from tests.refinement.bounded.enumeration import count, programs, raw_count

SMALL = Bound(
    2,
    threads=2,
    kinds=frozenset(KINDS),
    orderings=frozenset({Ordering.NOT_ATOMIC, Ordering.MONOTONIC, Ordering.ACQ_REL} if WHOLE else {Ordering.ACQ_REL}),
    scopes=frozenset({Scope.WORKGROUP, Scope.SYSTEM}),
    tags=(("f", "a"), ("f", "b")),
    levels=(Scope.WORKGROUP,),
)
RICH = Bound(
    1,
    threads=1,
    locations=1,
    kinds=frozenset(KINDS),
    scopes=frozenset(Scope),
    tags=(("f", "a"), ("amdgpu-synchronize-as", "local")),
    none=True,
    av=True,
    volatile=True,
)


@cache
def space(bound: Bound) -> tuple[BoundedProgram, ...]:
    return tuple(programs(bound))


def _everything(bound: Bound) -> set[BoundedProgram]:
    """Every program of two operations or fewer, with all names told apart."""
    single = [op for x in range(-1, bound.locations) for op in operations(bound, x)]
    found = {BoundedProgram(((op,),), places) for op in single for places in placements(1, bound)}
    for a, b in product(single, repeat=2):
        found |= {BoundedProgram(((a, b),), places) for places in placements(1, bound)}
        found |= {BoundedProgram(((a,), (b,)), places) for places in placements(2, bound)}
    return found


def test_every_program_has_one_form_in_the_space() -> None:
    found, every = space(SMALL), _everything(SMALL)
    assert len(found) == len(set(found))
    assert {canonical(p, SMALL.tags) for p in every} == set(found)
    assert len(every) == raw_count(SMALL)
    assert [p.size for p in found] == sorted(p.size for p in found)


def test_forms_of_one_program_have_one_canonical_form() -> None:
    chosen = random.Random(1).sample(space(SMALL), 40)
    for program in chosen:
        assert {canonical(form, SMALL.tags) for form in forms(program, SMALL.tags)} == {program}


@pytest.mark.parametrize("bound", [SMALL, RICH])
def test_programs_are_tests_that_read_back(bound: Bound) -> None:
    for k, program in enumerate(space(bound)[::7]):
        test = litmus_test(program, f"p{k}")
        assert parse(print_test(test)) == test


def test_counts() -> None:
    assert count(Bound(2, 2, 1, orderings=frozenset({Ordering.NOT_ATOMIC}))) == 2 + 4 + 3
    assert list(shapes(4, 3)) == [(4,), (3, 1), (2, 2), (2, 1, 1)]


def test_placements_are_those_of_the_levels_that_vary() -> None:
    assert list(placements(2, Bound(2))) == [((0, 0, 0, 0), (0, 0, 1, 0))]
    assert list(placements(2, Bound(2, levels=(Scope.WAVEFRONT,)))) == [
        ((0, 0, 0, 0), (0, 0, 0, 0)),
        ((0, 0, 0, 0), (0, 0, 0, 1)),
    ]
    assert len(list(placements(3, Bound(3, levels=(Scope.AGENT, Scope.WORKGROUP, Scope.WAVEFRONT))))) == 22
    assert len(set(placements(3, Bound(3, levels=PLACED)))) == 35
