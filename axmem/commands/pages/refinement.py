"""Refinements of models, test by test.

What goes in: refinements of models test by test. What comes out: sections, or records whose keys keep
their order. Nothing depends on time or place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from axmem.check.selection import label
from axmem.explanations.explanation import Explanation
from axmem.front.output import tally
from axmem.refinement.inclusion import VERDICTS
from axmem.refinement.models import ModelRefinement
from axmem.report.explanation import record
from axmem.report.tree import Paragraph, Section


def model_section(found: ModelRefinement) -> Section:
    """Return whether one model refines the other on a test."""
    first, second = (label(choice) for choice in found.models)
    said = [Paragraph(reason, aside=True) for reason in found.reasons]
    said += [Paragraph(f"! new undefined behaviour: {reason}") for reason in found.undefined]
    said += [Paragraph(f"+ {state or '(no values)'}") for state in found.new]
    return Section(f"{found.test.name}  {first} within {second}  {found.verdict}", tuple(said))


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
