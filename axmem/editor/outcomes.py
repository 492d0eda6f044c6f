"""The outcomes of a test, and what editors show of them beside its lines.

What goes in: a document and limits, as plain data that a worker takes. What comes out: plain data: for each model the
verdict, the outcomes and how they agree with what the test expects. Invariant: an answer that a limit cut says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from axmem.check.expectations import ExpectationCheck
from axmem.check.judging import Answer, Question, report_of
from axmem.check.selection import DEFAULT_MODEL, mentioned
from axmem.editor.documents import EditorDocument
from axmem.editor.symbols import question_line
from axmem.encoder.solve import Limits
from axmem.formats.reading import parse
from axmem.front.files import unsaved
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError
from axmem.litmus.syntax import LitmusTest, ModelChoice

SHOWN = 12
"""So many outcomes are listed."""


@dataclass(frozen=True, slots=True)
class OutcomesAsked:
    """A test to answer: `models` are the paths of models it may name, `unsaved` texts that stand for files."""

    document: EditorDocument
    models: tuple[tuple[str, str], ...]
    unsaved: tuple[tuple[str, str], ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class ModelOutcomes:
    """What is found under a model; `rows` are outcomes as text, with `*` those for which the condition may hold."""

    label: str
    verdict: str
    notes: tuple[str, ...]
    rows: tuple[str, ...]
    count: int
    expected: tuple[ExpectationCheck, ...]


@dataclass(frozen=True, slots=True)
class TestOutcomes:
    """The answers of a test, in the order of its models; `lost` says why there are none, or not all."""

    test: str
    found: tuple[ModelOutcomes, ...] = ()
    lost: str = ""


def outcomes(asked: OutcomesAsked) -> TestOutcomes:
    """Return what is found of a test within the time that is given for each model."""
    document = asked.document
    with unsaved(dict(asked.unsaved)):
        try:
            test = parse(document.text, document.name)
        except InputError as error:
            return TestOutcomes("", lost=f"the test has {len(error.diagnostics)} errors")
        labels = tuple(choice.label for choice in models_to_run(test, dict(asked.models)))
        report = report_of(Question(document.name, document.text, labels, limits=Limits(asked.seconds)))
    said = "; ".join(dict.fromkeys(each.message for each in report.diagnostics))
    lost = report.lost or report.fault or said
    return TestOutcomes(test.name, tuple(map(_found, report.answers)), lost)


def models_to_run(test: LitmusTest, models: Mapping[str, str]) -> tuple[ModelChoice, ...]:
    """Return the models that a test is run under, those of files by their paths."""
    choices = mentioned(test) or test.models or (ModelChoice(DEFAULT_MODEL),)
    chosen = {choice.label: replace(choice, model=models.get(choice.model, choice.model)) for choice in choices}
    return tuple(chosen.values())


def models_beside(document: EditorDocument, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the paths of the models beside a test, and of those among `texts`, by the names that tests call them."""
    return {Path(path).stem: path for path in sorted((*document.models_beside, *texts))}


def _found(answer: Answer) -> ModelOutcomes:
    result = answer.result
    columns = [column.name for column in result.columns]
    rows = [
        f"{'*' if satisfying else ' '} {'  '.join(f'{c}={v}' for c, v in zip(columns, texts, strict=True))}"
        for texts, satisfying in zip(result.texts, answer.satisfying, strict=True)
    ]
    notes = (*result.flags, *(str(reason) for reason in result.incomplete))
    checks = [check for check in answer.checks if check.line]
    return ModelOutcomes(result.label, result.verdict, notes, tuple(rows[:SHOWN]), len(rows), tuple(checks))


# ---------------------------------------------------------------- beside the lines


@dataclass(frozen=True, slots=True)
class Hint:
    """A text at the end of a line, counted from 1, and what is said of it in Markdown."""

    line: int
    text: str
    says: str = ""


def hints(document: EditorDocument, answers: TestOutcomes) -> Iterator[Hint]:
    """Yield what is shown beside the lines of a test: the verdicts by its question, and by each expectation its end."""
    asked = question_line(document)
    line = asked[1].line if asked else 1
    for found in answers.found:
        yield Hint(line, f"{found.label}: {found.verdict}", described(found))
    if answers.lost:
        yield Hint(line, f"no answer: {answers.lost}")
    by_line: dict[int, list[ExpectationCheck]] = {}
    for each in (e for found in answers.found for e in found.expected):
        by_line.setdefault(each.line, []).append(each)
    for number, those in by_line.items():
        wrong = [e for e in those if e.status != "ok"]
        text = "; ".join(dict.fromkeys(f"{e.status}: found {e.found}" for e in wrong))
        yield Hint(number, text or "ok")


def described(found: ModelOutcomes) -> str:
    """Return the outcomes under a model, in Markdown."""
    lines = [f"**{found.label}**: {found.verdict}, {found.count} outcome{'s' * (found.count != 1)}", *found.notes]
    more = [f"… and {found.count - len(found.rows)} more"] if found.count > len(found.rows) else []
    return "\n\n".join([*lines, "```text\n" + "\n".join([*found.rows, *more]) + "\n```"])


def message(answers: TestOutcomes) -> str:
    """Return the answers of a test in a line."""
    wrong = sum(e.status != "ok" for found in answers.found for e in found.expected)
    said = [
        f"{found.label}: {found.verdict}" + (f" ({', '.join(found.notes)})" if found.notes else "")
        for found in answers.found
    ]
    said += [f"no answer: {answers.lost}"] if answers.lost else []
    end = f" ({wrong} not as expected)" if wrong else ""
    return f"{answers.test or 'this test'}: {'; '.join(said)}{end}"
