"""Checks on explanations under many models: models of the named rules alone, the cycle that herd would show, races."""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.check.results import outcomes
from axmem.encoder.constraints import DEFINED
from axmem.events.values import UNDEF
from axmem.explanations.concrete import ModelView
from axmem.explanations.explanation import ExplainedAnswer, Explanation
from axmem.explanations.races import race_flags
from axmem.explanations.statements import COHERENCE
from axmem.front.records import replace
from axmem.litmus.syntax import LitmusTest
from axmem.model.model import Model

EDGE = re.compile(r" (?:—([^ ]+)→|←([^ ]+)—) ")
"""An edge of a path in text; a path is names with edges between them."""


def alone(test: LitmusTest, model: Model, found: Explanation) -> Iterator[str]:
    """Yield that the rules which are named do not exclude the condition in a model that has no other axiom."""
    named = {part.rule.name for part in found.core}
    bare = replace(model, axioms=tuple(a for a in model.axioms if a.flag or a.name in named))
    if (verdict := outcomes(test, bare).verdict) not in ("never", "unknown"):
        yield f"of {' and '.join(sorted(named))} alone the verdict is {verdict}"


def unasked(found: Explanation) -> Iterator[str]:
    """Yield that a forbidden outcome without undef is explained by undef, or without a cycle that is there."""
    if found.answer is not ExplainedAnswer.FORBIDDEN or "undef" in found.question or found.exhibit is None:
        return
    if DEFINED in (*found.exhibit.broken, *(part.rule for part in found.core)):
        yield "a read is undef for no reason that nobody asked about"
    if any(value is UNDEF for lanes in found.exhibit.view.execution.outcome for value in lanes):
        yield "the execution has an undef that nobody asked about"
    paths = list(cycles(found))
    ends = [(path[0], path[-1]) for path in paths]
    if not any(first == last or ends.count((first, last)) > 1 for first, last in ends):
        yield "no cycle is named, nor two paths between two events that exclude each other"
    for path in paths:
        edges = [path[n : n + 3] for n in range(0, len(path) - 2, 2)]
        yield from (f"there is no {' '.join(e)} in {' '.join(path)}" for e in edges if not there(found, *e))


def unpaired(test: LitmusTest, model: Model, found: Explanation) -> Iterator[str]:
    """Yield that a race is reported without its pair, or a pair without a race, where the model says what races."""
    if not race_flags(model):
        return
    told = any(" race" in section.title for section in found.sections)
    if told is not ("race" in outcomes(test, model).flags):
        yield "accesses race, and none are named" if not told else "accesses are named that do not race"


def cycles(found: Explanation) -> Iterator[list[str]]:
    """Yield the paths that titles of sections name: events and labels in turn, `^-1` at a label that leads back."""
    for section in found.sections:
        for text in section.breach.rpartition(": ")[2].partition(", but ")[0].split(" and "):
            parts = EDGE.split(text)
            labels = [onward or f"{back}^-1" for onward, back in zip(parts[1::3], parts[2::3], strict=True)]
            events = parts[::3]
            if labels:
                yield [word for pair in zip(events, [*labels, ""], strict=True) for word in pair][:-1]


def there(found: Explanation, first: str, label: str, last: str) -> bool:
    """Tell whether an edge that a path names is in the execution."""
    assert found.exhibit is not None
    view, names = found.exhibit.view, found.exhibit.names
    number = {names[e.index]: e.index for e in view.graph.events}
    a, b = number[first], number[last]
    if label.endswith("^-1"):
        a, b, label = b, a, label.removesuffix("^-1")
    if label == "fr":
        return _overwritten(view, a, b)
    if label == "rf":
        return view.execution.rf.get(b) == a
    value = view.execution.co if label in COHERENCE else view.drawn(label)
    return bool(value) and value[a] >> b & 1 == 1


def _overwritten(view: ModelView, read: int, write: int) -> bool:
    """Tell whether a write comes after the one that a read takes its value from, by coherence or an order."""
    source = view.execution.rf.get(read)
    if source is None:
        return False
    orders = [view.relation_of(said.term) for said in view.saying("order")]
    return any(order and order[source] >> write & 1 for order in (view.execution.co, *orders))
