"""Comparisons as text, as JSON, and as Markdown.

What goes in: comparisons of tests under two models. What comes out: lines to print or a document. The order is that of
the tests; nothing depends on time or place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from axmem.check.compare import RELATIONS, Comparison, Difference, Exclusion
from axmem.front.output import document, tally
from axmem.report.markup import github_text

MARKS = {"new": "+", "lost": "-"}


def lines(comparison: Comparison) -> Iterator[str]:
    """Yield a comparison as text: the relation, then an outcome that only one model has per line, with its rules."""
    first, second = comparison.labels
    yield f"{comparison.test}  {first} -> {second}  {verdict(comparison)}"
    for name, result in zip(comparison.labels, comparison.results, strict=True):
        yield from (f"    {name}: incomplete: {reason}" for reason in result.incomplete)
        yield from (f"    {name}: undefined behaviour: {reason}" for reason in result.undefined)
    for kind, difference, _, lacking in differences(comparison):
        yield f"  {MARKS[kind]} {difference.state}"
        yield f"      {why(difference, lacking)}"
        yield from (f"        {rule_text(rule)}" for rule in difference.rules or ())


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


def rule_text(rule: Exclusion) -> str:
    """Return a rule with its sentence and the place of that: `name: sentence ([Key] "Section")`."""
    parts = [f"[{rule.doc.key}]" if rule.doc.key else "", f'"{rule.doc.section}"' if rule.doc.section else ""]
    place = " ".join(part for part in parts if part)
    return rule.name + (f": {rule.doc.text}" if rule.doc.text else "") + (f" ({place})" if place else "")


def rule_markdown(rule: Exclusion) -> str:
    """Return a rule as Markdown."""
    name, *rest = rule_text(rule).split(": ", 1)
    return f"**{github_text(name)}**" + "".join(f": {github_text(text)}" for text in rest)


def summary(comparisons: Iterable[Comparison]) -> str:
    """Return the counts: `235 tests: 204 same, 31 weaker`."""
    return tally((c.relation for c in comparisons), RELATIONS, "nothing compared")


def as_json(comparisons: Iterable[Comparison]) -> str:
    """Return the comparisons as one JSON document, keys in a fixed order."""
    found = list(comparisons)
    counts = Counter(c.relation for c in found)
    return document(
        comparisons=[record(c) for c in found], summary={relation: counts[relation] for relation in RELATIONS}
    )


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
        "undefined": [list(r.undefined) for r in comparison.results],
    }


def _difference(difference: Difference) -> dict[str, Any]:
    rules = None
    if difference.rules is not None:
        rules = [
            {"name": r.name, "reference": r.doc.key, "section": r.doc.section, "text": r.doc.text}
            for r in difference.rules
        ]
    return {"outcome": difference.state, "matched": difference.matched, "rules": rules}


def as_markdown(comparisons: Sequence[Comparison], title: str) -> str:
    """Return a page: the counts, then a section for each test on which the models differ."""
    out = [f"# {title}", "", summary(comparisons) + ".", ""]
    for comparison in comparisons:
        if comparison.relation == "same" and comparison.exact:
            continue
        out += [f"## {comparison.test}: {verdict(comparison)}", ""]
        out += [f"- {reason}" for r in comparison.results for reason in (*r.incomplete, *r.undefined)]
        for kind, difference, having, lacking in differences(comparison):
            only = "new in" if kind == "new" else "only in"
            out.append(f"- `{difference.state}` {only} {having}: {why(difference, lacking)}")
            out += [f"  - {rule_markdown(rule)}" for rule in difference.rules or ()]
        out.append("")
    return "\n".join(out)
