"""Comparisons of tests under two models.

What goes in: comparisons. What comes out: a document of one, or a page of many. The order is that of the tests; nothing
depends on time or place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from axmem.check.compare import RELATIONS, Comparison, Difference, Exclusion
from axmem.front.output import tally
from axmem.report.explanation import reference
from axmem.report.tree import Block, Code, Document, Inline, Item, List, Paragraph, Section, Strong

MARKS = {"new": "+", "lost": "-"}


def section(comparison: Comparison) -> Section:
    """Return a comparison: the relation, then an outcome that only one model has per line, with its rules."""
    first, second = comparison.labels
    notes: list[Block] = []
    for name, result in zip(comparison.labels, comparison.results, strict=True):
        notes += [Paragraph(f"{name}: incomplete: {reason}", aside=True) for reason in result.incomplete]
        notes += [Paragraph(f"{name}: undefined behaviour: {reason}", aside=True) for reason in result.undefined]
    found = []
    for kind, difference, _, lacking in differences(comparison):
        rules = tuple(Item(rule_line(rule)) for rule in difference.rules or ())
        reason = List((Item(why(difference, lacking), (List(rules),)),))
        found.append(Item(f"{MARKS[kind]} {difference.state}", (reason,)))
    title = f"{comparison.test}  {first} -> {second}  {verdict(comparison)}"
    return Section(title, (*notes, List(tuple(found), indent=4)))


def differences(comparison: Comparison) -> Iterator[tuple[str, Difference, str, str]]:
    """Yield (new or lost, the difference, the label of the model that has it, that of the model that lacks it)."""
    first, second = comparison.labels
    for difference in comparison.new:
        yield "new", difference, second, first
    for difference in comparison.lost:
        yield "lost", difference, first, second


def verdict(comparison: Comparison) -> str:
    """Return the relation in words: `same` alone means equal outcomes, else it is said that undef covers the rest."""
    if comparison.relation == "same" and not comparison.exact:
        return "same (up to undef)"
    return comparison.relation


def why(difference: Difference, lacking: str) -> str:
    """Return that a model lacks an outcome, whether an undef covers it, and whether rules follow."""
    covered = f"{lacking} has undef in its place, and " if difference.matched and difference.rules is not None else ""
    if difference.rules is None:
        return f"not permitted by {lacking}" + (" as such, but covered by it" if difference.matched else "")
    return f"{covered}{lacking} excludes it by" if covered else f"{lacking} excludes it by"


def rule_line(rule: Exclusion) -> tuple[Inline, ...]:
    """Return a rule with its sentence and the place of that: `name: sentence ([Key] "Section")`."""
    place = reference(rule.doc) if rule.doc.key else f'"{rule.doc.section}"' if rule.doc.section else ""
    said = (f": {rule.doc.text}" if rule.doc.text else "") + (f" ({place})" if place else "")
    return Strong(rule.name), *([said] if said else [])


def summary(comparisons: Iterable[Comparison]) -> str:
    """Return the counts: `235 tests: 204 same, 31 weaker`."""
    return tally((c.relation for c in comparisons), RELATIONS, "nothing compared")


def document(comparisons: Sequence[Comparison], title: str) -> Document:
    """Return many comparisons: the page of them, and their records."""
    counts = Counter(c.relation for c in comparisons)
    relations = {relation: counts[relation] for relation in RELATIONS}
    data = {"comparisons": [record(c) for c in comparisons], "summary": relations}
    return Document((Paragraph(f"{summary(comparisons)}."), *_sections(comparisons)), data, title)


def _sections(comparisons: Iterable[Comparison]) -> Iterator[Section]:
    """Yield a section for each test on which the models differ."""
    for comparison in comparisons:
        if comparison.relation == "same" and comparison.exact:
            continue
        items = [Item(str(reason)) for r in comparison.results for reason in (*r.incomplete, *r.undefined)]
        for kind, difference, having, lacking in differences(comparison):
            said = f" {'new' if kind == 'new' else 'only'} in {having}: {why(difference, lacking)}"
            rules = List(tuple(Item(rule_line(rule)) for rule in difference.rules or ()))
            items.append(Item((Code(difference.state), said), (rules,)))
        yield Section(f"{comparison.test}: {verdict(comparison)}", (List(tuple(items)),))


def record(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as data."""
    return {
        "test": comparison.test,
        "first": comparison.labels[0],
        "second": comparison.labels[1],
        "relation": comparison.relation,
        "exact": comparison.relation != "unknown" and comparison.exact,
        "new": [_difference(d) for d in comparison.new],
        "lost": [_difference(d) for d in comparison.lost],
        "incomplete": [list(map(str, r.incomplete)) for r in comparison.results],
        "undefined": [r.undefined for r in comparison.results],
    }


def _difference(difference: Difference) -> dict[str, Any]:
    rules = None
    if difference.rules is not None:
        rules = [
            {"name": r.name, "reference": r.doc.key, "section": r.doc.section, "text": r.doc.text}
            for r in difference.rules
        ]
    return {"outcome": difference.state, "matched": difference.matched, "rules": rules}
