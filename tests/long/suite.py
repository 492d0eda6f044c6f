"""The tests of the long comparison.

What comes out: tests of all cycles of up to four edges, as text: with each kind of edge, with each decoration of the
synchronizing accesses at the places of threads that distinguish scopes, and with plain data and what AMDGPU adds. And
for runs at scale, some 40,000 of up to six edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from axmem.generate.cycles import Cycle
from axmem.generate.edges import matching_edges
from axmem.generate.enumeration import Decorations, cycles
from axmem.generate.marks import PLAIN, parse_mark, parse_scope
from axmem.generate.places import parse_places
from axmem.generate.suites import Generated, Placing, suite

SIZE = 4
LARGER = 6
COMMUNICATIONS = "Rfe Fre Wse"
EVERY_EDGE = (
    f"{COMMUNICATIONS} Rfi Wsi Fri Rmw Pod** Pos** Dp* "
    "Fence.acq.d** Fence.rel.d** Fence.acq_rel.d** Fence.sc.d** Fence.sc.ag!none.d**"
)
ORDERED = "Mono Acq Rel Sc"
AMDGPU = "Mono Acq!none Rel!none Acq Rel Av#vulkan:private"
PLACES = ("0.0.0,0.0.1", "0.0.0,0.1.0")


@cache
def generated_tests() -> tuple[Generated, ...]:
    """Return the tests, always in the same order; names are unique within a part only."""
    return tuple(small_tests())


def small_tests() -> Iterator[Generated]:
    """Yield the tests as they are made: who wants a few waits for no more."""
    yield from suite(_cycles(EVERY_EDGE), Decorations(), Placing())
    yield from suite(_cycles(EVERY_EDGE), Decorations(access=PLAIN), Placing())
    placing = Placing(tuple(map(parse_places, PLACES)))
    yield from suite(_cycles(f"{COMMUNICATIONS} Pod** Pos**"), _decorations(ORDERED, "wg"), placing)
    yield from suite(_cycles("Rfe Fre Wse PodWW PodRR PosRR"), _decorations(ORDERED, "ag wg"), placing)
    plain = _decorations(AMDGPU, "ag wg", plain=True)
    yield from suite(_cycles("Rfe Fre PodWW PodRR"), plain, placing)


def many_tests() -> Iterator[Generated]:
    """Yield the same tests, and after them larger ones."""
    yield from small_tests()
    yield from suite(_cycles(f"{COMMUNICATIONS} Pod**", LARGER), _decorations(ORDERED, "ag wg"), Placing())


def _cycles(words: str, size: int = SIZE) -> Iterator[Cycle]:
    edges = dict.fromkeys(edge for word in words.split() for edge in matching_edges(word))
    return cycles(tuple(edges), size)


def _decorations(orderings: str, scopes: str, *, plain: bool = False) -> Decorations:
    marks = tuple(map(parse_mark, orderings.split()))
    found = tuple(map(parse_scope, scopes.split()))
    return Decorations(PLAIN, marks, found) if plain else Decorations(orderings=marks, scopes=found)
