"""Why a program cannot compute what is asked for, and which other annotations would forbid what it can.

What goes in: the condition of a test, and the values of what is observed. What comes out: a sentence which value it is,
and which there are. That the program computes other values follows from its text, whatever a model says. Of an outcome
that no order of two events would forbid a smallest set of annotations is found that would, each of them tried as in
`mending.py`; the sections then say so in place of the sentences that nothing helps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from axmem.check import conditions
from axmem.check.results import format_lanes
from axmem.encoder.execution import OneHot
from axmem.events.graph import Event, EventGraph, EventKind
from axmem.explanations.concrete import ModelView
from axmem.explanations.mending import changed, least
from axmem.explanations.names import enumeration
from axmem.explanations.statements import Statement
from axmem.explanations.story import Section, Story, section
from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.walk import comparisons
from axmem.litmus.words import Ordering

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


def with_what_forbids(
    story: Story, sections: tuple[Section, ...], forbids: Callable[[ModelView], bool]
) -> tuple[Section, ...]:
    """Return the sections about an outcome that is allowed, and would be forbidden with other annotations.

    `forbids` says whether the model forbids it to the program of a view.
    """
    if not any(statement.hopeless for each in sections for statement in each.statements):
        return sections
    changes = least(story.view, lambda some: forbids(changed(story.view, some)), _is_annotated)
    if changes is None:
        return sections
    other = Story(changed(story.view, changes), story.names)
    violation = other.view.violations[0]
    texts = enumeration(list(dict.fromkeys(story.words.change_text(change) for change in changes)))
    text = f"{texts}; otherwise {violation.rule.name} would forbid this: {other.brief(violation)}"
    by = violation.rule if violation.rule.doc.key else None
    instead = Statement(text, by, lacking=True, forbidding=changes)
    return tuple(
        replace(each, statements=section("", [instead if s.hopeless else s for s in each.statements]).statements)
        for each in sections
    )


def _is_annotated(event: Event) -> bool:
    """Tell whether an operation has an ordering or a scope: a plain access would first have to be another operation."""
    return event.ordering is not Ordering.NOT_ATOMIC or event.kind not in (EventKind.READ, EventKind.WRITE)
