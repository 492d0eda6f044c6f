"""Places of the threads of a test.

What goes in: a number of threads, or text such as `0.0.0,0.1.0`. What comes out: placements by agent, workgroup and
wavefront. Invariant: `all_places` gives each way for the threads to share agents, workgroups and wavefronts once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from axmem.front.source import Diagnostic, InputError, Source, Span
from axmem.generate.cycles import Cycle
from axmem.litmus.syntax import Placement
from axmem.litmus.words import Scope
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.operations import Place
from axmem.refinement.bounded.placements import placements, renumbered

Places = tuple[Placement, ...]
_LEVELS = (Scope.AGENT, Scope.WORKGROUP, Scope.WAVEFRONT)
_WORDS = [level.place for level in _LEVELS]
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
        places.append(Placement.at(**dict(zip(_WORDS, map(int, place.groups()), strict=True))))
        column += len(word) + 1
    return tuple(places)


def places_text(places: Places) -> str:
    """Return places as names of tests spell them, `0.0.0-0.1.0`."""
    return "-".join(".".join(str(p[level]) for level in _LEVELS) for p in places)


def all_places(threads: int) -> Iterator[Places]:
    """Yield every way to place threads, from all in one wavefront to all in agents of their own."""
    for places in placements(threads, Bound(levels=_LEVELS)):
        yield _placements(places)


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


def _placements(places: Sequence[Place]) -> Places:
    return tuple(Placement((*place, None)) for place in places)


def _renumbered(places: Places) -> Places:
    """Return the places with agents, workgroups and wavefronts numbered by their first thread."""
    return _placements(renumbered([tuple(number or 0 for number in place.numbers[:-1]) for place in places]))
