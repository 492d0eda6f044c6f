"""Which other annotations would forbid an outcome, where none would order two events.

What goes in: the sections about an execution, and whether a program with other annotations still has the outcome. What
comes out: the sections with these annotations and the rule that would forbid it, in place of the sentences that say
that nothing helps. That a smallest set of changes is meant, and that each was tried, is as in `mending.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from axmem.events.graph import Event, EventKind
from axmem.explanations.concrete import ModelView
from axmem.explanations.mending import changed, least
from axmem.explanations.names import listed
from axmem.explanations.statements import Statement
from axmem.explanations.story import Section, Story, section
from axmem.front.records import replace
from axmem.litmus.words import Ordering


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
    texts = listed(list(dict.fromkeys(story.words.change_text(change) for change in changes)))
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
