"""Refinements as text and as JSON.

What goes in: refinements of pairs of tests, or of models test by test. What comes out: lines to print, or records whose
keys keep their order. Nothing depends on time or place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from axmem.check.selection import label
from axmem.explain.explanation import Explanation
from axmem.front.output import tally
from axmem.refinement.inclusion import SOUND, VERDICTS
from axmem.refinement.models import ModelRefinement
from axmem.refinement.pairs import Refinement
from axmem.report.explanation import lines as explanation_lines
from axmem.report.explanation import record


def pair_lines(found: Refinement) -> Iterator[str]:
    """Yield a refinement of one test by another as text, the explanations last."""
    closed = " if nothing else runs" if found.verdict == SOUND else ""
    yield f"{found.before} -> {found.after}  {found.model}  {found.verdict}{closed}"
    names = [b if a == b else f"{b} as {a}" for b, a in found.compared]
    yield f"    compared: {', '.join(names)}"
    if found.left_out:
        yield f"    not compared: {', '.join(found.left_out)}"
    yield from _findings(found.new, found.undefined, found.reasons)
    for explanation in found.explanations:
        yield ""
        yield from (f"  {line}".rstrip() for line in explanation_lines(explanation))


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


def pair_record(found: Refinement) -> dict[str, Any]:
    """Return a refinement of one test by another as JSON."""
    return {
        "before": found.before,
        "after": found.after,
        "model": found.model,
        "verdict": found.verdict,
        "closed": True,
        "compared": [list(pair) for pair in found.compared],
        "left_out": list(found.left_out),
        "new": list(found.new),
        "undefined": list(found.undefined),
        "reasons": list(found.reasons),
        "explanations": [record(e) for e in found.explanations],
    }


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
