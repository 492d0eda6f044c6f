"""The places of threads and kernels as texts.

What goes in: a test. What comes out: what stands after the name of each thread and kernel, ` @ agent 0, workgroup 1`.
Invariant: places are as short as gives the same places when they are filled in.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.front.records import replace
from axmem.litmus.placement import fill, placed, single_lanes
from axmem.litmus.syntax import LitmusTest, Placement
from axmem.litmus.words import Hierarchy, Level, placed_levels


def place_texts(test: LitmusTest, *, always: bool = False) -> dict[str, str]:
    """Return the places of threads and kernels as text, by name; none where the others' imply it, but for `always`."""
    singles = single_lanes(test)
    texts = _shortest_places([unit.placement for unit in singles], test.levels, always=always)
    found = {unit.name: text for unit, text in zip(singles, texts, strict=True)}
    launches = [kernel for kernel in test.kernels if not kernel.lane_of_thread]
    if launches:
        unplaced = tuple(k if k.lane_of_thread else replace(k, placement=Placement()) for k in test.kernels)
        shown = always or fill(replace(test, kernels=unplaced))[0].kernels != test.kernels
        levels = placed_levels(test.levels)
        found |= {k.name: _place_text(zip(levels, k.placement.numbers[:3], strict=False)) * shown for k in launches}
    return found


def _shortest_places(places: list[Placement], hierarchy: Hierarchy, *, always: bool) -> list[str]:
    """Return the places as text, all with the same levels, as few as give the same places when filled in.

    Levels that are rare are tried last.
    """
    levels = placed_levels(hierarchy)
    usual = [level for level in levels if not level.rare]
    for shown in (*([] if always else [[]]), *(usual[:n] for n in range(2, len(usual) + 1)), levels[:-1], levels):
        partial = [Placement(tuple(p[level] if level in shown else None for level in levels)) for p in places]
        if list(placed(partial, hierarchy)) == places:
            break
    return [_place_text(zip(levels, place.numbers, strict=True)) for place in partial]


def _place_text(place: Iterable[tuple[Level, int | None]]) -> str:
    shown = [f"{level.place} {number}" for level, number in place if number is not None]
    return f" @ {', '.join(shown)}" if shown else ""
