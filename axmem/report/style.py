"""The colours of relations, the same in every drawing; those that herd draws have herd's."""

from __future__ import annotations

from axmem.explanations.story import Stress
from axmem.model.primitives import PICTURED
from axmem.report.picture import MarkedEdge, Picture

COLOURS = ("#404040", "#c00000", "#1040c0", "#d07000", "#8000a0", "#007050", "#0080a8", "#408000", "#806000")
"""The colours of what pictures have names for, in the order of `Picture.labels`."""
OTHERS = ("#a03060", "#305080", "#607000", "#5030a0", "#a05020")
ALARM = "#ff0040"
"""The colour of what breaks a rule and of what is missing."""


def colour(relation: str, shown: Picture) -> str:
    """Return the colour of a relation; one that a picture has no name for has one by its name."""
    label = PICTURED.get(relation, relation)
    if label in shown.labels[: len(COLOURS)]:
        return COLOURS[shown.labels.index(label)]
    return OTHERS[sum(map(ord, relation)) % len(OTHERS)]


def stressed(mark: MarkedEdge, shown: Picture) -> tuple[str, str]:
    """Return how to write and in which colour to draw an edge that is stressed."""
    if mark.stress is Stress.REASON:
        return mark.label, colour(mark.label, shown)
    return f"no {mark.label}" if mark.stress is Stress.MISSING else mark.label, ALARM
