"""Checks on an explanation that rest on other ways to know: outcomes, plain sets, each rule dropped in turn."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from axmem.check import conditions
from axmem.check.results import outcomes
from axmem.encoder.constraints import ModelRule
from axmem.encoder.cores import taken_as_given
from axmem.encoder.solve import Deadline
from axmem.encoder.solver import Session
from axmem.encoder.witness import Witnesses
from axmem.events.unroll import events_under
from axmem.explanations.concrete import ModelView
from axmem.explanations.explanation import ExplainedAnswer, Explanation, explain, witnesses_of
from axmem.litmus.syntax import LitmusTest
from axmem.model.library import load
from axmem.model.model import Model
from axmem.report.explanation import record, section
from axmem.report.printers.text import lines
from tests.explanations.claims import false_sentences

ANSWERS = {
    "never": ExplainedAnswer.FORBIDDEN,
    "sometimes": ExplainedAnswer.ALLOWED,
    "always": ExplainedAnswer.ALLOWED,
    "undefined": ExplainedAnswer.UNDEFINED,
    "unknown": ExplainedAnswer.UNKNOWN,
}


def problems(test: LitmusTest, name: str) -> Iterator[str]:
    """Yield what is wrong with the explanation of a test's condition under a model; nothing if all is well."""
    model = load(name)
    found = explain(test, model, label=name)
    verdict = outcomes(test, model).verdict
    if found.answer is not ANSWERS[verdict]:
        yield f"the verdict is {verdict}, and explained is {found.answer.value}"
    record(found)
    if not all(line == line.rstrip() for line in lines([section(found)])):
        yield "a line ends in blanks"
    if found.answer is ExplainedAnswer.FORBIDDEN:
        yield from _core_problems(test, model, found)
    elif found.answer is not ExplainedAnswer.UNKNOWN and (found.exhibit is None or found.exhibit.view.violations):
        yield "the witness is not consistent"
    elif found.answer is ExplainedAnswer.ALLOWED:
        yield from _witness_problems(test, model, found)
    if found.exhibit is not None:
        yield from false_sentences(test, found)


def _witness_problems(test: LitmusTest, model: Model, found: Explanation) -> Iterator[str]:
    assert found.exhibit is not None
    graph, execution = found.exhibit.view.graph, found.exhibit.view.execution
    values = {o.name: lanes for o, lanes in zip(graph.observed, execution.outcome, strict=True)}
    outcome = conditions.Valuation(values, {o.name: o.type for o in graph.observed}, graph.locations)
    if not conditions.holds(test.condition, outcome, model.choice.get("undef.exists", "wild")).may:
        yield "the condition does not hold of the witness"
    if execution.outcome not in outcomes(test, model).outcomes:
        yield "the witness has an outcome that the engine does not find"


def _core_problems(test: LitmusTest, model: Model, found: Explanation) -> Iterator[str]:
    graph = events_under(test, model)
    witnesses = witnesses_of(test, graph, model, Session(), Deadline(None))
    may = [witnesses.questions[0]]
    given = taken_as_given(witnesses.rules, undef="undef" in found.question)
    core = [part.rule for part in found.core]
    if witnesses.possible(may, [*core, *given]):
        yield "the core does not exclude the outcome"
    for rule in core:
        kept = [*(r for r in core if r != rule), *given]
        if not witnesses.possible(may, kept):
            yield f"the core excludes the outcome without {rule.name}"
            continue
        broken = {v.rule for v in ModelView(graph, model, witnesses.execution(may, kept)).violations}
        if rule not in broken or broken & set(kept):
            yield f"without {rule.name} the execution breaks {sorted(r.name for r in broken)}"
    if found.exhibit is None:
        if core:
            yield "no execution is shown that has the outcome"
    elif {v.rule for v in found.exhibit.view.violations} != set(found.exhibit.broken):
        yield "the nearest execution does not break what it is said to break"
    else:
        yield from _nearer(found, witnesses)


def _nearer(found: Explanation, witnesses: Witnesses) -> Iterator[str]:
    """Yield that an execution of those that come into question breaks fewer rules than the nearest."""
    assert found.exhibit is not None
    may, must, last, *_ = witnesses.questions
    asked = [[must, last], [must], [may, last], [may]]
    given = taken_as_given(witnesses.rules, undef="undef" in found.question)
    wanted = next(literals for literals in asked if witnesses.possible(literals, given))
    fewer = _with_fewer_broken(witnesses, len(found.exhibit.broken))
    if any(witnesses.possible(wanted, rules) for rules in fewer if set(given) <= set(rules)):
        yield "an execution breaks fewer rules than the nearest"


def _with_fewer_broken(witnesses: Witnesses, count: int) -> Iterator[list[ModelRule]]:
    for broken in combinations(witnesses.rules, count - 1):
        yield [rule for rule in witnesses.rules if rule not in broken]
