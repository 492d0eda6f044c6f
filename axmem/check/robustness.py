"""On which decisions of a model a verdict depends.

What goes in: a test, a model and the result under it. What comes out: for each variant of the model that matters to
it, and each other value of that variant, the verdict there. Variants whose other value leaves the model as it is are
left out, since nothing can depend on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from axmem.check.results import Result
from axmem.events.conventions import JUDGING
from axmem.front.records import dataclass
from axmem.front.source import InputError
from axmem.model.library import load
from axmem.model.model import Model


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The answer with one variant changed. `error` says why there is none."""

    variant: str
    value: str
    verdict: str
    same_verdict: bool
    same_outcomes: bool
    error: str = ""


def neighbours(
    reference: str, model: Model, result: Result, answer: Callable[[Model], Result], over: Callable[[], bool]
) -> tuple[Neighbour, ...]:
    """Return the answer under every neighbour of a model; `reference` is its built-in name or its path.

    A neighbour for which no time is left is unknown, and no model is made for it.
    """
    found = []
    for variant, value in _changes(model):
        try:
            if over():
                found.append(Neighbour(variant, value, "unknown", same_verdict=False, same_outcomes=False))
                continue
            changed = load(reference, {**model.choice, variant: value})
            if variant not in JUDGING and same_rules(changed, model):
                continue
            other = answer(changed)
        except InputError as error:
            found.append(Neighbour(
                variant=variant, value=value, verdict="", same_verdict=False, same_outcomes=False,
                error=error.diagnostics[0].message,
            ))
            continue
        same = other.verdict == result.verdict
        found.append(Neighbour(variant, value, other.verdict, same, other.outcomes == result.outcomes))
    return tuple(found)


def same_rules(one: Model, other: Model) -> bool:
    """Tell whether two models hold the same axioms, flags and undef rules, whatever their variants are called."""
    return one.terms == other.terms and one.fixpoints == other.fixpoints and _rules(one) == _rules(other)


def _rules(model: Model) -> list[tuple[object, ...]]:
    tests = [(a.kind, a.term, a.name, a.negated, a.flag) for a in model.axioms]
    return [*tests, *((u.term, u.name) for u in model.undefs)]


def _changes(model: Model) -> Iterator[tuple[str, str]]:
    """Yield every variant with each of its values that is not chosen."""
    for variant in model.variants:
        for value in variant.values:
            if value != model.choice[variant.name]:
                yield variant.name, value
