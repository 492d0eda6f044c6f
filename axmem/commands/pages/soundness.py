"""What is known of the soundness of a transformation.

What goes in: what `axmem.refinement.soundness` found. What comes out: sections, or records whose keys keep their
order; of a counterexample both tests, the new outcome, and why it is allowed after and forbidden before. Times are left
out.
"""

from __future__ import annotations

from typing import Any

from axmem.commands.pages.bounded import counterexample
from axmem.explanations.explanation import Explanation
from axmem.front.output import counted
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded_check import HOLDS, REFUTED, UNKNOWN, Counterexample, Finding, verdict_of
from axmem.refinement.bounded_check import VERDICT_OF as VERDICT_OF
from axmem.refinement.inclusion import SOUND
from axmem.refinement.pairs import refine
from axmem.refinement.participants import Participants
from axmem.refinement.soundness import SAME, Ending, Outcomes
from axmem.refinement.spaces import space_words
from axmem.refinement.weakest import Weakest
from axmem.report.explanation import record, section
from axmem.report.tree import Block, Item, List, Paragraph, Section, bullets


def outcome_section(title: str, found: Outcomes, model: ModelChoice) -> Section:
    """Return the verdict on outcomes with what was searched, and of a counterexample the tests and why they are one."""
    if found.how == SAME:
        return Section(f"{title}  {found.model}  {SOUND} in every context: {found.how}")
    without = ", ".join(found.without) if found.finding.status == HOLDS else ""
    without = f"if contexts have none of {without}: " if without else ""
    about = [f"not compared: {', '.join(found.left_out)}"] if found.left_out else []
    about += [f"space: {space_words(found.space)}", *found.finding.reasons]
    blocks: list[Block] = [Paragraph(line, aside=True) for line in about]
    shown = found.finding.counterexample
    if shown is not None:
        blocks += counterexample((shown.before, shown.after), shown.outcome)
        blocks += map(section, _explanations(shown, model))
    verdict = f"{without}{outcome_verdict(found)}{extent(found.finding)}: {found.how}"
    return Section(f"{title}  {found.model}  {verdict}", tuple(blocks))


def outcome_verdict(found: Outcomes) -> str:
    """Return the verdict on outcomes: sound is what is the same, and of what is searched no counterexample is known."""
    return SOUND if found.how == SAME else verdict_of(found.finding)


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


def participant_section(found: Participants) -> Section:
    """Return the verdict on convergent operations."""
    return Section(f"participants  {found.verdict}", tuple(Paragraph(r, aside=True) for r in found.reasons))


def ending_line(found: Ending) -> Paragraph:
    """Return whether what ended ends."""
    before, after = found.before.verdict.value, found.after.verdict.value
    return Paragraph(f"progress {found.model.value}  {found.verdict}: before {before}, after {after}")


def outcome_record(title: str, found: Outcomes, model: ModelChoice) -> dict[str, Any]:
    """Return the verdict on outcomes as JSON."""
    shown = found.finding.counterexample
    return {
        "transformation": title,
        "model": found.model,
        "verdict": outcome_verdict(found),
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


def weakest_section(title: str, events: int, found: Weakest, without: tuple[str, ...]) -> Section:
    """Return the choices of strength at the border between sound and unsound; what contexts lack (`without`) first."""
    sides = (("sound up to", found.sound), ("unsound from", found.unsound))
    choices = [Item(what, (bullets(c.statements),)) for what, side in sides for c in side]
    said = [f"{counted(found.unknown, 'choice')} of which nothing is known"] if found.unknown else []
    said += [f"{counted(found.impossible, 'choice')} for which it cannot be done"] if found.impossible else []
    tried = f"{counted(found.tried, 'choice')} in contexts of up to {counted(events, 'operation')}"
    tried += f", which have none of {', '.join(without)}" if without else ""
    return Section(f"{title}  {tried}", (List(tuple(choices)), *map(Paragraph, said)))


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
