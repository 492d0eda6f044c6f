"""The colours of relations, the same in every drawing; those that herd draws have herd's."""

from __future__ import annotations

from axmem.explain.story import Stress
from axmem.report.picture import MarkedEdge

COLOURS = {
    "po": "#404040",
    "rf": "#c00000",
    "mo": "#1040c0",
    "co": "#1040c0",
    "fr": "#d07000",
    "sw": "#8000a0",
    "hb": "#007050",
    "av": "#0080a8",
    "vis": "#408000",
    "lo": "#806000",
}
OTHERS = ("#a03060", "#305080", "#607000", "#5030a0", "#a05020")
ALARM = "#ff0040"
"""The colour of what breaks a rule and of what is missing."""


def colour(relation: str) -> str:
    """Return the colour of a relation; one that is not known has one by its name."""
    return COLOURS.get(relation) or OTHERS[sum(map(ord, relation)) % len(OTHERS)]


def stressed(mark: MarkedEdge) -> tuple[str, str]:
    """Return how to write and in which colour to draw an edge that is stressed."""
    if mark.stress is Stress.REASON:
        return mark.label, colour(mark.label)
    return f"no {mark.label}" if mark.stress is Stress.MISSING else mark.label, ALARM
