"""`axmem run`: the outcomes and verdicts of tests, against what they expect."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING

from axmem.cli import EXIT_CODES, INTERRUPTED
from axmem.formats import FORMATS

if TYPE_CHECKING:
    from axmem.formats import Format
    from axmem.formats.summary import Summary
    from axmem.pool import WorkerPool
    from axmem.suite import Job, Report


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "run",
        help="find the outcomes of tests and check what they expect",
        description="Find every outcome of litmus tests under memory models and check what the tests expect.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a file, a directory, @list, or - for the input")
    add_model_options(parser)
    parser.add_argument("--format", choices=FORMATS, default="text", help="the form of the output (default: text)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file, which appears when all is done")
    parser.add_argument("--outcomes", action="store_true", help="list the outcomes; * marks those the condition wants")
    parser.add_argument("--robust", action="store_true", help="tell on which variants of the model a verdict depends")
    parser.add_argument("--oracle", action="store_true", help="use the brute-force engine instead of the solver")
    parser.add_argument("-j", "--jobs", metavar="N", type=_count, default=1, help="worker processes, 0: one per core")
    parser.add_argument("--timeout", metavar="S", type=_seconds, help="seconds for each test and model")
    parser.add_argument("--max-outcomes", metavar="N", type=_positive, help="outcomes for each test and model")
    parser.add_argument("--memory", metavar="MB", type=_positive, help="megabytes for each worker, beyond its start")
    parser.set_defaults(main=main)


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add --model and --variant."""
    parser.add_argument(
        "--model",
        metavar="M",
        action="append",
        default=[],
        help="a built-in model, a .cat file, or amdgpu[variant=value,…]; again for more (default: what the test names)",
    )
    parser.add_argument(
        "--variant", metavar="NAME=VALUE", action="append", default=[], help="set a variant in every model that has it"
    )


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    from axmem.formats import format_named
    from axmem.formats.summary import Summary
    from axmem.inputs import read_inputs
    from axmem.output import output

    models, variants = _checked_models(options)
    texts, unreadable = read_inputs(options.paths)
    summary = Summary()
    summary.unreadable(unreadable)
    for diagnostic in unreadable:
        print(diagnostic, file=sys.stderr)
    jobs = [_job(options, models, variants, t.name, t.text) for t in texts]
    names = [os.path.splitext(os.path.basename(t.name))[0] for t in texts]
    form = format_named(options.format, names=names, outcomes=options.outcomes, models=len(models))
    with output(options.output) as write:
        interrupted = _stream(options, jobs, form, summary, write)
    if interrupted:
        done = len(jobs) - summary.not_run
        print(f"axmem: interrupted: {summary.not_run} of {len(jobs)} tests were not run ({done} were)", file=sys.stderr)
        return interrupted
    return summary.code


def _checked_models(options: argparse.Namespace) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the models and variants of the command line; raise InputError for what is wrong with them."""
    from axmem.selection import check_settings, loaded, parse_choice, parse_setting

    choices = [parse_choice(text) for text in options.model]
    variants = dict(parse_setting(text) for text in options.variant)
    for choice in choices:
        loaded(choice)
    check_settings(choices, variants)
    for choice in choices:
        loaded(choice, variants)
    return tuple(dict.fromkeys(options.model)), tuple(variants.items())


def _job(
    options: argparse.Namespace, models: tuple[str, ...], variants: tuple[tuple[str, str], ...], name: str, text: str
) -> Job:
    from axmem.encoder.solve import Limits
    from axmem.suite import Job

    limits = Limits(options.timeout, options.max_outcomes)
    return Job(name, text, models, variants, limits, options.robust, options.oracle)


def _stream(
    options: argparse.Namespace, jobs: list[Job], form: Format, summary: Summary, write: Callable[[str], object]
) -> int:
    """Write every report; return 0, or the exit code of an interrupt, before which the output was finished."""
    from axmem.pool import cores, worker_pool
    from axmem.progress import Progress

    started = time.perf_counter()
    workers = min(options.jobs or cores(), max(1, len(jobs)))
    done = 0
    interrupted = 0
    ending = _Ending()
    before = signal.signal(signal.SIGTERM, ending.terminate)
    write(form.begin())
    try:
        with worker_pool(options.memory) as pool, Progress(len(jobs), sys.stderr) as progress:
            reports = _reports(jobs, workers, pool, options.memory is not None)
            while done < len(jobs):
                progress.begin(done, jobs[done].name)
                report = next(reports)
                progress.clear()
                done += 1
                summary.add(report)
                _messages(report, options.format)
                write(form.report(report))
    except KeyboardInterrupt:
        interrupted = 128 + signal.SIGTERM if ending.terminated else INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, before)
    summary.not_run = len(jobs) - done
    summary.seconds = time.perf_counter() - started
    write(form.end(summary))
    return interrupted


def _reports(jobs: list[Job], workers: int, pool: WorkerPool, limited: bool) -> Iterator[Report]:
    """Return the reports as they come: from workers, or from here if one at a time is enough."""
    from axmem.batch import run_suite

    if workers == 1 and not limited:
        return run_suite(jobs)
    return run_suite(jobs, pool.executor(workers), pool.executor, workers)


def _messages(report: Report, format_: str) -> None:
    """Print what is wrong with a test's text and, where the form cannot say it, what does not hold."""
    for diagnostic in report.diagnostics:
        print(diagnostic, file=sys.stderr)
    if report.lost.startswith("internal error"):
        print(f"{report.name}: {report.lost}", file=sys.stderr)
    if format_ == "herd":
        for answer in report.answers:
            for check in answer.checks:
                if check.status != "ok":
                    where = f"{report.name}:{check.line}"
                    print(f"{where}: {check.status}: expected {check.expected}, found {check.found}", file=sys.stderr)


class _Ending:
    """Whether the process was asked to end; it then interrupts itself, so that output and workers come to their end."""

    def __init__(self) -> None:
        self.terminated = False

    def terminate(self, _signal: int, _frame: FrameType | None) -> None:
        self.terminated = True
        signal.raise_signal(signal.SIGINT)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of processes")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number of seconds")
    return seconds
