"""Places of the threads of a test.

What goes in: a number of threads, or text such as `0.0.0,0.1.0`. What comes out: placements by agent, workgroup and
wavefront. Invariant: `all_places` gives each way for the threads to share agents, workgroups and wavefronts once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from axmem.front.source import Diagnostic, InputError, Source, Span
from axmem.generate.cycles import Cycle
from axmem.litmus.syntax import Placement
from axmem.litmus.words import Scope

Places = tuple[Placement, ...]
_LEVELS = (Scope.AGENT, Scope.WORKGROUP, Scope.WAVEFRONT)
_PLACE = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})")


def parse_places(text: str) -> Places:
    """Read one `AGENT.WORKGROUP.WAVEFRONT` for each thread, separated by commas."""
    places = []
    column = 1
    for word in text.split(","):
        place = _PLACE.fullmatch(word)
        if place is None:
            hint = "one AGENT.WORKGROUP.WAVEFRONT for each thread, for example 0.0.0,0.1.0"
            span = Span(1, column, max(1, len(word)))
            raise InputError([Diagnostic(Source("--places", text), span, f"'{word}' is no place", hint)])
        places.append(_placement(*map(int, place.groups())))
        column += len(word) + 1
    return tuple(places)


def places_text(places: Places) -> str:
    """Return places as names of tests spell them, `0.0.0-0.1.0`."""
    return "-".join(".".join(str(p[level]) for level in _LEVELS) for p in places)


def all_places(threads: int) -> Iterator[Places]:
    """Yield every way to place threads, from all in one wavefront to all in agents of their own."""
    for agents in _partitions(threads):
        for groups in filter(partial(_finer, coarser=agents), _partitions(threads)):
            for waves in _partitions(threads):
                if _finer(waves, groups):
                    yield tuple(
                        _placement(agents[t], _inside(groups, agents, t), _inside(waves, groups, t))
                        for t in range(threads)
                    )


def distinct_places(cycle: Cycle) -> Iterator[Places]:
    """Yield places of an oriented cycle's threads, those that a symmetry of the cycle makes equal only once."""
    threads = len(cycle.threads())
    starts = [thread[0] for thread in cycle.threads()]
    symmetries = [k for k, start in enumerate(starts) if k and cycle.rotated(start) == cycle]
    seen: set[Places] = set()
    for places in all_places(threads):
        if places not in seen:
            seen |= {_renumbered(places[k:] + places[:k]) for k in symmetries} | {places}
            yield places


def _placement(agent: int, workgroup: int, wavefront: int) -> Placement:
    return Placement.at(agent=agent, workgroup=workgroup, wavefront=wavefront)


def _partitions(size: int) -> Iterator[tuple[int, ...]]:
    """Yield every partition of the threads, as the number of each one's block, blocks by their first thread."""
    if not size:
        yield ()
        return
    for rest in _partitions(size - 1):
        for block in range(max(rest, default=-1) + 2):
            yield (*rest, block)


def _finer(blocks: Sequence[int], coarser: Sequence[int]) -> bool:
    return len(set(zip(blocks, coarser, strict=True))) == len(set(blocks))


def _inside(blocks: Sequence[int], coarser: Sequence[int], thread: int) -> int:
    """Return the number of a thread's block among those inside its coarser block."""
    inside = [b for b, c in zip(blocks, coarser, strict=True) if c == coarser[thread]]
    return list(dict.fromkeys(inside)).index(blocks[thread])


def _renumbered(places: Places) -> Places:
    """Return the places with agents, workgroups and wavefronts numbered by their first thread."""
    keys = [tuple(p[level] for level in _LEVELS) for p in places]
    agents, groups, waves = ([key[:depth] for key in keys] for depth in (1, 2, 3))
    numbers = [list(dict.fromkeys(level)) for level in (agents, groups, waves)]
    a, g, w = ([n.index(k) for k in level] for n, level in zip(numbers, (agents, groups, waves), strict=True))
    return tuple(_placement(a[t], _inside(g, a, t), _inside(w, g, t)) for t in range(len(places)))
