"""The explorer of progress against the solver, keys of convergence, and paths that are walked one by one."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from axmem.check.progress.reach import BlockPlace, PathReach
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.keys import Key, next_key
from axmem.encoder.solver import Session
from tests.check.progress.compare import compared
from tests.convergence.graphs import random_graph, random_path
from tests.drawn import parts

SEEDS, CHUNK = 40, 10
STATES = 1000
SESSION = Session()


@pytest.mark.parametrize("first", [CHUNK * part for part in parts(SEEDS // CHUNK, of=4)])
def test_runs_have_the_outcomes_of_sequential_consistency(first: int) -> None:
    """And where lanes wait for each other, there are no others, and every run ends."""
    found = [compared(seed, SESSION, STATES) for seed in range(first, first + CHUNK)]
    for comparison in found:
        assert comparison is None or not comparison.difference, comparison.text
    assert any(comparison is not None and comparison.whole for comparison in found)


def test_places_are_keys() -> None:
    """Two executions of blocks have one place if they have one key, whatever paths lead there."""
    random = Random(1)
    for _ in range(300):
        graph = random_graph(random)
        hierarchy = llvm_hierarchy(graph)
        headers = hierarchy.all_headers()
        reach = PathReach(graph, hierarchy)
        every = frozenset(graph.successors)
        place_of: dict[Key, BlockPlace] = {}
        for _ in range(4):
            key, place = None, None
            for block in random_path(random, graph):
                key, place = next_key(block, key, headers), reach.moved(place, block, every)
                assert place_of.setdefault(key, place) == place
        assert len(set(place_of.values())) == len(place_of)


def test_where_a_lane_can_come_is_where_a_path_leads() -> None:
    """Walk all paths from a place as long as they are within the counts of a target, and see whether they meet it."""
    random = Random(2)
    asked = yes = 0
    for _ in range(400):
        graph = random_graph(random, 7)
        reach = PathReach(graph, llvm_hierarchy(graph))
        every = frozenset(graph.successors)
        places = []
        for _ in range(2):
            place = None
            for block in random_path(random, graph, 9):
                place = reach.moved(place, block, every)
                places.append(place)
        for _ in range(6):
            origin, target = random.choice(places), random.choice(places)
            found = target in _walked(reach, graph.successors, origin, most=max(target.counts, default=0) + 1)
            assert reach.reaches(origin, target) == found, (graph, origin, target)
            asked, yes = asked + 1, yes + found
    assert asked // 10 < yes < asked


def _walked(
    reach: PathReach, successors: Mapping[str, tuple[str, ...]], origin: BlockPlace, most: int
) -> set[BlockPlace]:
    """Return the places after one that have no count far above `most`, or above that of the first."""
    every = frozenset(successors)
    limit = max((most, *origin.counts)) + 1
    found, waiting = set[BlockPlace](), [origin]
    while waiting:
        here = waiting.pop()
        for block in successors[here.block]:
            after = reach.moved(here, block, every)
            if after not in found and all(count <= limit for count in after.counts):
                found.add(after)
                waiting.append(after)
    return found
