"""Why a test fails under a model: what it expects, the outcomes that differ, and an explanation of each difference.

What goes in: an answer whose expectations do not hold, with its test and model. What comes out: lines. Invariant: the
first line alone says what does not hold, and each explanation is headed by the command that gives it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from axmem.check.expectations import ExpectationCheck
from axmem.check.judging import Answer
from axmem.explanations.explanation import explain
from axmem.front.records import replace
from axmem.front.source import InputError
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.parser import with_condition
from axmem.litmus.syntax import Condition, LitmusTest, Not
from axmem.model.model import Model
from axmem.report.explanation import section
from axmem.report.printers.text import lines
from axmem.report.text import check_lines


def failure(
    name: str, test: LitmusTest, chosen: tuple[str, Model], answer: Answer, *, seconds: float | None = None
) -> Iterator[str]:
    """Yield why a test in the file `name` fails under a model, which comes with where it was loaded from.

    Each explanation takes so many seconds at most.
    """
    failed = [check for check in answer.checks if check.status == "mismatch"]
    yield "; ".join(f"expected {check.expected}, found {check.found}" for check in failed)
    for check in failed:
        yield from check_lines(name, check)
    reference, model = chosen
    label = replace_name(answer.result.label, model.name, reference)
    for condition in dict.fromkeys(c for check in failed for c in _asked(test, check)):
        asked = f"--outcome {shlex.quote(condition_text(condition))}" if condition != test.condition else ""
        yield ""
        yield f"$ axmem run --why {shlex.quote(name)} --model {shlex.quote(label)} {asked}".rstrip()
        try:
            yield from lines([section(explain(replace(test, condition=condition), model, seconds=seconds))])
        except InputError as error:
            yield str(error)


def replace_name(label: str, name: str, reference: str) -> str:
    """Return the label of a model with where it was loaded from in the place of its name."""
    return reference + label.removeprefix(name)


def _asked(test: LitmusTest, check: ExpectationCheck) -> Iterator[Condition]:
    """Yield what to explain about an expectation that does not hold: of many outcomes that differ one of each kind.

    Whether a condition holds always or only sometimes is decided by an outcome of which it does not hold.
    """
    if check.kind == "verdict":
        yield Not(test.condition) if {check.expected, check.found} == {"always", "sometimes"} else test.condition
    for rows in (check.unexpected[:1], check.missing[:1]):
        for row in rows:
            yield with_condition(test, row.replace("  ", " /\\ ")).condition
