"""A finding over all programs up to a bound.

What goes in: a claim that one side refines the other, and its finding. What comes out: a section or a record; of a
counterexample the programs, and the two explanations that `axmem refine` gives of programs. Times are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from axmem.check.selection import label
from axmem.explanations.explanation import Explanation, explain
from axmem.front.output import counted
from axmem.litmus.parser import parse
from axmem.refinement.bounded_check import HOLDS, REFUTED, UNKNOWN, Claim, Counterexample, Finding, model_of, space_text
from axmem.report.explanation import record, section
from axmem.report.tree import Block, Paragraph, Program, Section


def finding_section(title: str, claim: Claim, found: Finding, verdict: str, seconds: float | None) -> Section:
    """Return the verdict with what was searched, and of a counterexample the programs and why they are one."""
    about = [f"space: {space_text(claim)}", *found.reasons]
    blocks: list[Block] = [Paragraph(line, aside=True) for line in about]
    if found.counterexample is not None:
        why = map(section, explanations(claim, found.counterexample, seconds))
        blocks += [*counterexample(_programs(found.counterexample), found.counterexample.outcome), *why]
    return Section(f"{title}  {verdict}{extent(claim, found)}", tuple(blocks))


def counterexample(programs: Sequence[str], outcome: str) -> tuple[Block, ...]:
    """Return programs, and the outcome that is new in the last."""
    return (*(Program(text) for text in programs), Paragraph(f"+ {outcome or '(no values)'}"))


def extent(claim: Claim, found: Finding) -> str:
    """Return how far a finding goes: how many operations programs have, or the contexts of a rule."""
    if claim.lost:
        return " of executions of any size" * (found.status == HOLDS)
    number = counted(found.events, "operation")
    if claim.rule and not found.events:
        return "" if found.status == UNKNOWN else " in an empty context"
    if claim.rule:
        return f" in contexts of up to {number}" if found.status == HOLDS else f" in a context of {number}"
    return {HOLDS: f" up to {number}", REFUTED: f" with {number}"}.get(found.status, f" from {number} on")


def _programs(found: Counterexample) -> tuple[str, ...]:
    """Return the programs of a counterexample, one if nothing was changed."""
    same = found.before.split("\n", 1)[1] == found.after.split("\n", 1)[1]
    return (found.after.replace("litmus after", "litmus both", 1),) if same else (found.before, found.after)


def explanations(claim: Claim, found: Counterexample, seconds: float | None) -> tuple[Explanation, ...]:
    """Return why the outcome is allowed after the change, and why it is forbidden before it."""
    condition = found.outcome.replace("  ", " /\\ ")
    sides = ((found.after, "after", claim.after), (found.before, "before", claim.before))
    return tuple(
        explain(parse(text, side), model_of(claim, side), outcome=condition, label=label(choice), seconds=seconds)
        for text, side, choice in sides
    )


def finding_record(title: str, claim: Claim, found: Finding, verdict: str, seconds: float | None) -> dict[str, Any]:
    """Return a finding as JSON."""
    shown = found.counterexample
    return {
        "claim": title,
        "before": label(claim.before),
        "after": label(claim.after),
        "verdict": verdict,
        "context" if claim.rule else "operations": found.events,
        "space": space_text(claim),
        "families": found.families,
        "reasons": list(found.reasons),
        "counterexample": None
        if shown is None
        else {
            "before": shown.before,
            "after": shown.after,
            "outcome": shown.outcome,
            "explanations": [record(e) for e in explanations(claim, shown, seconds)],
        },
    }
