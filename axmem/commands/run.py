"""`axmem run`: the outcomes and verdicts of tests, against what they expect."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from axmem.encoder.engines import Engine
from axmem.formats.options import add_form
from axmem.front.exits import interrupt_code
from axmem.front.inputs import Inputs, found_inputs
from axmem.front.options import ANNOTATIONS, Subparsers, add_command, add_shared, positive
from axmem.front.source import mistake
from axmem.report.formats import FORMATS, VERDICTS

if TYPE_CHECKING:
    from axmem.check.judging import Question, Report
    from axmem.check.run.known_results import Answers
    from axmem.report.formats import Format
    from axmem.report.summary import Summary


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="run",
        examples=(
            "axmem run @corpus/base/MP+rel+acq.litmus --outcomes",
            "axmem run @corpus/axioms --model llvm --model amdgpu",
        ),
        description="Find every outcome of litmus tests under memory models and check what the tests expect.",
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a file, a directory, @list, or - for the input")
    add_form(parser)
    add_model_options(parser)
    add_shared(parser, "format", choices=FORMATS, help="the format of the output (default: text)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file, which appears when it is complete")
    parser.add_argument(
        "--outcomes", action="store_true", help="list the outcomes; * marks those that satisfy the condition"
    )
    parser.add_argument(
        "--robust", action="store_true", help="print the variants of the model on which a verdict depends"
    )
    add_shared(parser, "bound", "promises")
    parser.add_argument(
        "--engine", choices=[engine.value for engine in Engine], default=Engine.AUTO.value,
        help="the engine: truth tables, Z3, or brute force (default auto: tables where there are few choices, else Z3)",
    )  # fmt: skip
    parser.add_argument(
        "--oracle", dest="engine", action="store_const", const=Engine.ORACLE.value, help="same as --engine oracle"
    )
    parser.add_argument("--condition-only", action="store_true", help="find only the verdict, without listing outcomes")
    parser.add_argument(
        "--project",
        metavar="A,B",
        type=_columns,
        help="find the verdict, and the outcomes of these columns only: P0:r0,x",
    )
    parser.add_argument("--run", metavar="DIR", help="keep every answer in a directory, and run only what it lacks")
    add_shared(parser, "jobs")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on a Dask cluster: tcp://HOST:PORT, or local:N for N processes"
    )
    add_shared(parser, "timeout")
    parser.add_argument("--max-outcomes", metavar="N", type=positive, help="outcomes for each test and model")
    add_shared(parser, "memory")


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add --model and --variant."""
    parser.add_argument(
        "--model",
        metavar="M",
        action="append",
        default=[],
        help="a built-in model, a .cat file, or amdgpu[variant=value,…]; may be repeated "
        "(default: the models that the test names)",
    )
    parser.add_argument(
        "--variant", metavar="NAME=VALUE", action="append", default=[], help="set a variant in every model that has it"
    )
    add_shared(parser, "dialect", "include")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    from axmem.front.output import output
    from axmem.report.formats import format_named
    from axmem.report.summary import Summary

    _check_combination(options)
    models, variants = _checked_models(options)
    inputs, unreadable = found_inputs(options.paths)
    summary = Summary()
    summary.unreadable(unreadable)
    if options.format != ANNOTATIONS:
        for diagnostic in unreadable:
            print(diagnostic, file=sys.stderr)
    names = (os.path.splitext(os.path.basename(name))[0] for name in inputs.names)
    form = format_named(options.format, names=names, outcomes=options.outcomes, models=len(models))
    with output(options.output) as write:
        questions = _questions(options, models, variants, inputs)
        interrupted = _stream(
            options=options,
            names=inputs.names,
            questions=questions,
            form=form,
            summary=summary,
            write=write,
        )
    if interrupted:
        done = len(inputs) - summary.not_run
        print(
            f"axmem: interrupted: {summary.not_run} of {len(inputs)} tests were not run ({done} were)", file=sys.stderr
        )
        return interrupted
    return summary.code


def _check_combination(options: argparse.Namespace) -> None:
    """Raise InputError for options that exclude each other."""
    narrow = "--project" if options.project else "--condition-only" if options.condition_only else ""
    pairs = [
        (
            "--project" if options.project else "",
            "--condition-only" if options.condition_only else "",
            "it decides the condition in any case",
        ),
        (narrow, "--engine oracle" if options.engine == Engine.ORACLE.value else "", "brute force finds all outcomes"),
        (narrow, "--format herd" if options.format == "herd" else "", "herd7's logs have all outcomes"),
        (
            "--scheduler" if options.scheduler else "",
            "-j" if options.jobs != 1 else "",
            "its workers are those there are",
        ),
        (
            "--scheduler" if options.scheduler else "",
            "--memory" if options.memory else "",
            "its workers have their own limits",
        ),
    ]
    for one, other, reason in pairs:
        if one and other:
            raise mistake("axmem run", f"{one} does not go with {other}: {reason}")


def _checked_models(options: argparse.Namespace) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the models and variants of the command line; raise InputError for what is wrong with them."""
    from axmem.check.selection import selection, separated

    variants = selection(options.model, options.variant).variants
    return tuple(dict.fromkeys(separated(options.model))), tuple(variants.items())


def _questions(
    options: argparse.Namespace, models: tuple[str, ...], variants: tuple[tuple[str, str], ...], inputs: Inputs
) -> Iterator[Question]:
    """Yield the questions, reading each text when it is its turn."""
    from axmem.check.judging import Question
    from axmem.encoder.solve import Limits

    limits = Limits(options.timeout, options.max_outcomes)
    columns = () if options.condition_only and not options.project else options.project
    for text, found in inputs:
        yield Question(
            name=text.name,
            text=text.text,
            models=models,
            variants=variants,
            limits=limits,
            robust=options.robust,
            engine=options.engine,
            columns=columns,
            verdicts=options.format in VERDICTS and not options.outcomes and options.run is None,
            bound=options.bound,
            promises=options.promises,
            form=options.form,
            unreadable=found,
        )


def _stream(
    options: argparse.Namespace,
    names: tuple[str, ...],
    questions: Iterator[Question],
    form: Format,
    summary: Summary,
    write: Callable[[str], object],
) -> int:
    """Write every report; return 0, or the exit code of an interrupt, before which the output was finished."""
    from axmem.check.run.suite import reports
    from axmem.check.run.workers import workers
    from axmem.front.progress import ProgressLine

    started = time.perf_counter()
    done = 0
    left: dict[str, None] = {}
    interrupted = 0
    write(form.begin())
    try:
        with (
            workers(options.jobs, len(names), megabytes=options.memory, scheduler=options.scheduler) as found,
            _memory(options, summary) as (memory, record),
            ProgressLine(len(names), sys.stderr) as progress,
        ):
            for report in progress.following(names, reports(questions, found, memory)):
                done += 1
                summary.add(report)
                if report.not_run:
                    left.setdefault(report.not_run)
                    continue
                if options.format != ANNOTATIONS:
                    _messages(report, options.format)
                write(form.report(report))
                record(report)
    except KeyboardInterrupt as interrupt:
        interrupted = interrupt_code(interrupt)
    for reason in left:
        print(f"axmem: {reason}", file=sys.stderr)
    summary.not_run += len(names) - done
    summary.seconds = time.perf_counter() - started
    write(form.end(summary))
    return interrupted


@contextmanager
def _memory(
    options: argparse.Namespace, summary: Summary
) -> Iterator[tuple[Answers | None, Callable[[Report], object]]]:
    """Provide what is known of earlier runs, if a directory is given, and what writes a report to its results."""
    if options.run is None:
        yield None, lambda _: None
        return
    from axmem.check.judging import Report
    from axmem.check.run.known_results import Answers
    from axmem.check.run.store import RESULTS, AnswerStore
    from axmem.report.json import lines

    store = AnswerStore(options.run, lambda note: print(note, file=sys.stderr))
    answers = Answers(store, options.memory)
    with store.locked():
        with store.whole(RESULTS) as write:

            def record(report: Report) -> None:
                write("".join(f"{line}\n" for line in lines(report)))

            for diagnostic in summary.diagnostics:
                record(Report(diagnostic.source.name, diagnostics=(diagnostic,)))
            yield answers, record
        if answers.reused:
            print(f"axmem: {answers.reused} answers were in {options.run}", file=sys.stderr)


def _messages(report: Report, format_: str) -> None:
    """Print what is wrong with a test's text and, where the form cannot say it, what does not hold."""
    from axmem.litmus.lint import misleading

    for diagnostic in (*report.diagnostics, *(misleading(report.test) if report.test else ())):
        print(diagnostic, file=sys.stderr)
    if report.fault:
        print(f"{report.name}: {report.fault}", file=sys.stderr)
    if format_ == "herd":
        for answer in report.answers:
            for check in answer.checks:
                if check.status != "ok":  # An outcome set is never left out here: this form has all outcomes.
                    where = f"{report.name}:{check.line}"
                    print(f"{where}: {check.status}: expected {check.expected}, found {check.found}", file=sys.stderr)


def _columns(text: str) -> tuple[str, ...]:
    columns = tuple(part.strip() for part in text.split(","))
    if not all(columns):
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of columns such as P0:r0,x")
    return columns
