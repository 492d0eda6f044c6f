"""Why a program cannot compute what is asked for: which value it is, and which there are.

What goes in: the condition of a test, and the values of what is observed. What comes out: a sentence. That the program
computes other values follows from its text, whatever a model says.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.check import conditions
from axmem.check.results import format_lanes
from axmem.encoder.execution import OneHot
from axmem.events.graph import EventGraph
from axmem.litmus import syntax as ast
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.walk import comparisons

IMPOSSIBLE = "the program cannot compute these values, whichever writes its reads read from"
MOST = 6
"""How many values are listed."""


def impossible(
    test: ast.LitmusTest, graph: EventGraph, lanes: Sequence[Sequence[OneHot]], holds: Sequence[bool]
) -> str:
    """Return that no choice of what reads read from gives an outcome; `holds` says so of each comparison.

    `lanes` are the values of what is observed.
    """
    found = [c for c, possible in zip(comparisons(test.condition), holds, strict=True) if not possible]
    texts = [text for c in found if (text := _values(c, graph, lanes))]
    return f"{IMPOSSIBLE}: {'; '.join(texts)}" if texts else IMPOSSIBLE


def _values(comparison: ast.ValueComparison, graph: EventGraph, lanes: Sequence[Sequence[OneHot]]) -> str:
    """Return which values there are of what is compared, if they are few."""
    sides = [s for s in (comparison.left, comparison.right) if isinstance(s, ast.RegisterOf | ast.FinalValue)]
    names = {conditions.name_of(side) for side in sides}
    for observed, values in zip(graph.observed, lanes, strict=True):
        if names == {observed.name} and len(values) == 1 and len(values[0]) <= MOST:
            known = [format_lanes((v,), observed.type, graph.locations) for v in values[0] if isinstance(v, int)]
            return f"{condition_text(comparison)} is not among {{{', '.join(known)}}}" if known else ""
    return ""
