"""One sentence why an outcome is allowed, and one why it is forbidden.

What goes in: an `Explanation`. What comes out: its sections in one sentence, with the sentence of the specification
that decides. Every part of it is a sentence of the explanation, which is tested.
"""

from __future__ import annotations

from collections.abc import Sequence

from axmem.encoder.constraints import ModelRule
from axmem.explanations.explanation import ExplainedAnswer, Explanation
from axmem.explanations.story import Section
from axmem.report.explanation import cited, reference, said

FINAL = "the final read of "
"""What a section about memory at last begins with."""


def allowed(explanation: Explanation, read: str = "") -> str:
    """Return why an outcome is allowed, or why behaviour is undefined; of a read by its name if it says of that."""
    if explanation.answer is ExplainedAnswer.UNDEFINED:
        return f"undefined behaviour: {explanation.reason}"
    if explanation.answer is not ExplainedAnswer.ALLOWED:
        return explanation.reason or explanation.answer.value
    sections = explanation.sections
    reads = [each for each in sections if not each.title.startswith(FINAL)] or sections
    telling = [each for each in reads if each.title.startswith(f"{read} ")]
    telling = telling or [each for each in reads if any(s.lacking for s in each.statements)]
    telling = telling or [each for each in reads if " undef " in f" {each.title} "]
    if telling:
        rules = [f"{rule.name}{said(rule.doc)}" for rule in _decisive(telling[0])]
        return "; ".join([_joined(telling[0]), *rules])
    titles = "; ".join(each.title for each in reads)
    return f"no rule forbids it: {titles}" if titles else "no rule forbids it"


def forbidden(explanation: Explanation) -> str:
    """Return why an outcome is forbidden, with the rule that does it and where the specification says so."""
    if explanation.answer is not ExplainedAnswer.FORBIDDEN or not explanation.core:
        return explanation.reason or explanation.answer.value
    first = explanation.core[0]
    places = [] if first.rule.doc.key else [r for r in cited(explanation) if r.doc.key][:1]
    sources = [f"{first.rule.name}{said(first.rule.doc)}", *(f"{r.name}: {reference(r.doc)}" for r in places)]
    if not explanation.sections:
        return "; ".join([first.without, *sources])
    section = explanation.sections[0]
    breach, because = section.breach, _statements(section)
    told = breach if not because else f"{breach}, where {because}" if "→" in breach else f"{because}, but {breach}"
    return "; ".join([told, *sources])


def subject(explanation: Explanation) -> str:
    """Return the name of the event that a forbidden outcome is about, if a sentence begins with it."""
    return explanation.sections[0].breach.partition(" ")[0] if explanation.sections else ""


def _statements(section: Section) -> str:
    """Return what a section says in one sentence, without what only repeats a definition."""
    return ", ".join(s.text for s in section.statements if s.by is None or s.text != s.by.doc.text)


def _joined(section: Section) -> str:
    """Return a section with its title as one sentence."""
    return ": ".join(filter(None, (section.title, _statements(section))))


def _decisive(section: Section) -> Sequence[ModelRule]:
    """Return the rule that a section about a read rests on."""
    return [s.by for s in section.statements if s.by is not None and s.by.doc.key][:1]
