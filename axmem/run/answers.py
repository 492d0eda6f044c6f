"""The results of many texts under a list of models, for the commands that set models side by side.

What goes in: the options of a command line (`add_options`). What comes out: for each test, in order, its results, one
for each of the models; what is wrong with the others is printed. The work is that of a suite.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from axmem.front.exits import INPUT_ERROR, UNKNOWN
from axmem.front.options import processes, seconds

if TYPE_CHECKING:
    from axmem.check.results import Result
    from axmem.litmus.syntax import LitmusTest, ModelChoice
    from axmem.run.suite import Job, Report

_SEPARATOR = re.compile(r",(?![^\[]*\])")


@dataclass(frozen=True, slots=True)
class Answered:
    """A test with its results, one for each model, in the order of the models."""

    test: LitmusTest
    results: tuple[Result, ...]


def add_options(parser: argparse.ArgumentParser, models: str, purpose: str, paths: str = "+") -> None:
    """Add the options that `answers` reads; `models` is the default list, or empty if it must be given."""
    parser.add_argument("paths", nargs=paths, metavar="PATH", help="a .litmus file, a directory, @LIST, or - for stdin")
    parser.add_argument(
        "--models",
        metavar="A,B",
        default=models or None,
        required=not models,
        help=f"{purpose}; names or .cat files, with variants in brackets: 'amdgpu,amdgpu[vis.v1=literal]'"
        + (f" (default: {models})" if models else ""),
    )
    parser.add_argument("-j", "--jobs", metavar="N", type=processes, default=1, help="processes, 0: one per core")
    parser.add_argument("--timeout", type=seconds, metavar="S", help="seconds for each test and model")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file, in one step")


def model_choices(text: str) -> tuple[ModelChoice, ...]:
    """Return the models that `--models` lists. Raises InputError for a bad list and for models that do not load."""
    from axmem.check.selection import loaded, parse_choice

    choices = tuple(parse_choice(part.strip(), "--models") for part in _SEPARATOR.split(text))
    for choice in choices:
        loaded(choice)
    return choices


def tests(options: argparse.Namespace, choices: tuple[ModelChoice, ...], codes: set[int]) -> Iterator[Answered]:
    """Yield the tests that could be answered, in order; print what is wrong with the others and note its exit code."""
    from axmem.encoder.solve import Limits
    from axmem.front.inputs import read_inputs
    from axmem.run.suite import Job

    texts, errors = read_inputs(options.paths)
    for error in errors:
        print(error, file=sys.stderr)
        codes.add(INPUT_ERROR)
    models = tuple(choice.label for choice in choices)
    jobs = [Job(t.name, t.text, models, limits=Limits(seconds=options.timeout)) for t in texts]
    for report in _reports(jobs, options.jobs):
        if report.lost:
            print(f"{report.name}: unknown: {report.lost}", file=sys.stderr)
            codes.add(UNKNOWN)
        for diagnostic in report.diagnostics:
            print(diagnostic, file=sys.stderr)
            codes.add(INPUT_ERROR)
        if report.test is not None and not report.lost and not report.diagnostics:
            yield Answered(report.test, _results(report.test, report, choices))


def _reports(jobs: list[Job], asked: int) -> Iterator[Report]:
    from axmem.run.batch import run_suite
    from axmem.run.pool import cores, worker_pool

    workers = min(asked or cores(), len(jobs))
    if workers <= 1:
        yield from run_suite(jobs)
        return
    with worker_pool() as pool:
        yield from run_suite(jobs, pool.executor(workers), pool.executor, workers)


def _results(test: LitmusTest, report: Report, choices: tuple[ModelChoice, ...]) -> tuple[Result, ...]:
    """Pick the results of the models asked for; a suite also judges variants of them that the test speaks of."""
    from axmem.check.selection import loaded, runs

    judged = runs(test, choices, {})
    by_model = {
        (reference, model.chosen): answer.result
        for (reference, model), answer in zip(judged, report.answers, strict=True)
    }
    return tuple(by_model[c.model, loaded(c).chosen] for c in choices)
