"""The results of many texts under a list of models, for the commands that set models side by side.

What goes in: the options of a command line (`add_options`). What comes out: for each test, in order, its results, one
for each of the models; what is wrong with the others is printed. The work is that of a suite.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from axmem.formats.options import add_form
from axmem.front.exits import UNKNOWN, ExitCodes
from axmem.front.inputs import read_inputs
from axmem.front.options import Joined, add_shared
from axmem.front.progress import ProgressLine
from axmem.front.records import dataclass

if TYPE_CHECKING:
    from axmem.check.judging import Report
    from axmem.check.results import Result
    from axmem.litmus.syntax import LitmusTest, ModelChoice


@dataclass(frozen=True, slots=True)
class Answered:
    """A test with its results, one for each model, in the order of the models."""

    test: LitmusTest
    results: tuple[Result, ...]


def add_options(
    parser: argparse.ArgumentParser, models: str, purpose: str, paths: str = "+", *, output: bool = True
) -> None:
    """Add the options that `answers` reads; `models` is the default list, or empty if it must be given.

    Without `output` the command has an `-o` of its own.
    """
    add_shared(parser, "paths", nargs=paths)
    add_form(parser)
    parser.add_argument(
        "--model", "--models",
        dest="models",
        action=Joined,
        metavar="A,B",
        default=models or None,
        required=not models,
        help=f"{purpose}; names or .cat files, with variants in brackets: 'amdgpu,amdgpu[vis.instance=literal]'"
        + (f" (default: {models})" if models else ""),
    )
    add_shared(parser, "dialect", "include", "bound", "jobs", "memory", "timeout", *(["output"] if output else []))


def model_choices(text: str) -> tuple[ModelChoice, ...]:
    """Return the models that `--models` lists. Raises InputError for a bad list and for models that do not load."""
    from axmem.check.selection import selection

    return selection([text], option="--models").choices


@contextmanager
def tests(
    options: argparse.Namespace, choices: tuple[ModelChoice, ...], codes: ExitCodes
) -> Iterator[Iterator[Answered]]:
    """Provide the tests that can be answered, in order; print what is wrong with the others and note its exit code."""
    from axmem.check.judging import Question
    from axmem.check.run.suite import reports
    from axmem.check.run.workers import workers
    from axmem.encoder.solve import Limits

    texts, errors = read_inputs(options.paths)
    codes.errors(errors)
    models = tuple(choice.label for choice in choices)
    limits = Limits(seconds=options.timeout)
    questions = [Question(t.name, t.text, models, limits=limits, bound=options.bound, form=options.form) for t in texts]
    names = [text.name for text in texts]
    at_work = workers(options.jobs, len(questions), megabytes=options.memory)
    with at_work as found, ProgressLine(len(names), sys.stderr) as progress:
        yield _answered(progress.following(names, reports(questions, found)), choices, codes)


def _answered(coming: Iterator[Report], choices: tuple[ModelChoice, ...], codes: ExitCodes) -> Iterator[Answered]:
    from axmem.litmus.lint import misleading

    for report in coming:
        codes.fault(report.name, report.fault)
        if report.lost:
            print(f"{report.name}: unknown: {report.lost}", file=sys.stderr)
            codes.add(UNKNOWN)
        codes.errors(report.diagnostics)
        if report.test is not None and not report.diagnostics:
            for warning in misleading(report.test):
                print(warning, file=sys.stderr)
            yield Answered(report.test, _results(report.test, report, choices))


def _results(test: LitmusTest, report: Report, choices: tuple[ModelChoice, ...]) -> tuple[Result, ...]:
    """Pick the results of the models asked for; a suite also judges variants of them that the test speaks of."""
    from axmem.check.selection import loaded, runs

    judged = runs(test, choices, {})
    by_model = {
        (reference, model.chosen): answer.result
        for (reference, model), answer in zip(judged, report.answers, strict=True)
    }
    return tuple(by_model[c.model, loaded(c).chosen] for c in choices)
