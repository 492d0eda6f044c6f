"""What is known of the soundness of a transformation, as text and as JSON.

What goes in: what `axmem.refinement.soundness` found. What comes out: lines to print, or records whose keys keep their
order; of a counterexample both tests, the new outcome, and why it is allowed after and forbidden before. Times are left
out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from axmem.explanations.explanation import Explanation
from axmem.front.output import counted
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.contexts import HOLDS, REFUTED, UNKNOWN, Counterexample, Finding
from axmem.refinement.contexts import VERDICT_OF as VERDICT_OF
from axmem.refinement.inclusion import SOUND
from axmem.refinement.pairs import refine
from axmem.refinement.participants import Participants
from axmem.refinement.soundness import SAME, Ending, Outcomes
from axmem.refinement.spaces import space_words
from axmem.refinement.weakest import Weakest
from axmem.report.explanation import lines, record


def outcome_lines(title: str, found: Outcomes, model: ModelChoice) -> Iterator[str]:
    """Yield the verdict on outcomes with what was searched, and of a counterexample the tests and why they are one."""
    if found.how == SAME:
        yield f"{title}  {found.model}  {SOUND} in every context: {found.how}"
        return
    without = ", ".join(found.without) if found.finding.status == HOLDS else ""
    without = f"if contexts have none of {without}: " if without else ""
    yield f"{title}  {found.model}  {without}{VERDICT_OF[found.finding.status]}{extent(found.finding)}: {found.how}"
    if found.left_out:
        yield f"    not compared: {', '.join(found.left_out)}"
    yield f"    space: {space_words(found.space)}"
    yield from (f"    {reason}" for reason in found.finding.reasons)
    shown = found.finding.counterexample
    if shown is None:
        return
    for text in (shown.before, shown.after):
        yield ""
        yield from (f"  {line}".rstrip() for line in text.splitlines())
    yield ""
    yield f"  + {shown.outcome or '(no values)'}"
    for explanation in _explanations(shown, model):
        yield ""
        yield from (f"  {line}".rstrip() for line in lines(explanation))


def extent(found: Finding) -> str:
    """Return how far a finding goes."""
    number = counted(found.events, "operation")
    if not found.events:
        return "" if found.status == UNKNOWN else " as it is"
    return {HOLDS: f" in contexts of up to {number}", REFUTED: f" in a context of {number}"}.get(
        found.status, f" in contexts of {number}"
    )


def _explanations(shown: Counterexample, model: ModelChoice) -> tuple[Explanation, ...]:
    """Return why the outcome is allowed after and forbidden before.

    Of kernels that is asked of what registers hold at last, which may be the same in every outcome: then there is none.
    """
    return refine(shown.before, shown.after, model).explanations


def participant_lines(found: Participants) -> Iterator[str]:
    """Yield the verdict on convergent operations."""
    yield f"participants  {found.verdict}"
    yield from (f"    {reason}" for reason in found.reasons)


def ending_lines(found: Ending) -> Iterator[str]:
    """Yield whether what ended ends."""
    before, after = found.before.verdict.value, found.after.verdict.value
    yield f"progress {found.model.value}  {found.verdict}: before {before}, after {after}"


def outcome_record(title: str, found: Outcomes, model: ModelChoice) -> dict[str, Any]:
    """Return the verdict on outcomes as JSON."""
    shown = found.finding.counterexample
    return {
        "transformation": title,
        "model": found.model,
        "verdict": VERDICT_OF[found.finding.status],
        "context": found.finding.events,
        "how": found.how,
        "space": space_words(found.space),
        "without": list(found.without),
        "left_out": list(found.left_out),
        "reasons": list(found.finding.reasons),
        "counterexample": None
        if shown is None
        else {
            "before": shown.before,
            "after": shown.after,
            "outcome": shown.outcome,
            "explanations": [record(e) for e in _explanations(shown, model)],
        },
    }


def weakest_lines(title: str, events: int, found: Weakest, without: tuple[str, ...]) -> Iterator[str]:
    """Yield the choices of strength at the border between sound and unsound; what contexts lack (`without`) first."""
    lack = f", which have none of {', '.join(without)}" if without else ""
    yield f"{title}  {counted(found.tried, 'choice')} in contexts of up to {counted(events, 'operation')}{lack}"
    for what, choices in (("sound up to", found.sound), ("unsound from", found.unsound)):
        for choice in choices:
            yield f"  {what}"
            yield from (f"    {statement}" for statement in choice.statements)
    if found.unknown:
        yield f"  {counted(found.unknown, 'choice')} of which nothing is known"
    if found.impossible:
        yield f"  {counted(found.impossible, 'choice')} for which it cannot be done"


def weakest_record(model: str, found: Weakest, without: tuple[str, ...]) -> dict[str, Any]:
    """Return the same as JSON."""
    sides = {"sound": found.sound, "unsound": found.unsound}
    choices = {name: [list(choice.statements) for choice in side] for name, side in sides.items()}
    numbers = {"tried": found.tried, "unknown": found.unknown, "impossible": found.impossible}
    return {"model": model, "without": list(without), **numbers, **choices}


def participant_record(found: Participants) -> dict[str, Any]:
    """Return the verdict on convergent operations as JSON."""
    return {"verdict": found.verdict, "reasons": list(found.reasons)}


def ending_record(found: Ending) -> dict[str, Any]:
    """Return whether what ended ends as JSON."""
    before, after = found.before.verdict.value, found.after.verdict.value
    return {"progress": found.model.value, "verdict": found.verdict, "before": before, "after": after}
