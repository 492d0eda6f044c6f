"""Refinements as text and as JSON.

What goes in: refinements of models test by test. What comes out: lines to print, or records whose
keys keep their order. Nothing depends on time or place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from axmem.check.selection import label
from axmem.explanations.explanation import Explanation
from axmem.front.output import tally
from axmem.refinement.inclusion import VERDICTS
from axmem.refinement.models import ModelRefinement
from axmem.report.explanation import lines as explanation_lines
from axmem.report.explanation import record


def model_lines(found: ModelRefinement) -> Iterator[str]:
    """Yield whether one model refines the other on a test."""
    first, second = (label(choice) for choice in found.models)
    yield f"{found.test.name}  {first} within {second}  {found.verdict}"
    yield from _findings(found.new, found.undefined, found.reasons)


def explained(explanations: Sequence[Explanation]) -> Iterator[str]:
    """Yield explanations below each other."""
    for explanation in explanations:
        yield ""
        yield from explanation_lines(explanation)


def _findings(new: Sequence[str], undefined: Sequence[str], reasons: Sequence[str]) -> Iterator[str]:
    yield from (f"    {reason}" for reason in reasons)
    yield from (f"  ! new undefined behaviour: {reason}" for reason in undefined)
    yield from (f"  + {state or '(no values)'}" for state in new)


def summary(verdicts: Iterable[str]) -> str:
    """Return the counts: `12 tests: 11 sound, 1 unsound`."""
    return tally(verdicts, VERDICTS, "nothing compared")


def model_record(found: ModelRefinement, explanations: Sequence[Explanation]) -> dict[str, Any]:
    """Return the verdict on one test under two models as JSON."""
    first, second = (label(choice) for choice in found.models)
    return {
        "test": found.test.name,
        "first": first,
        "second": second,
        "verdict": found.verdict,
        "new": list(found.new),
        "undefined": list(found.undefined),
        "reasons": list(found.reasons),
        "explanations": [record(e) for e in explanations],
    }
