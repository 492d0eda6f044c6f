"""`axmem compare`: what a second model permits or forbids against a first, test by test."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import axmem
from axmem.front.exits import EXIT_CODES, MISMATCH, UNKNOWN, exit_code
from axmem.run.answers import add_options, model_choices

if TYPE_CHECKING:
    from axmem.check.compare import Comparison
    from axmem.litmus.syntax import ModelChoice

FORMATS = ("text", "github", "json")
EXPECTATIONS = ("same", "weaker", "stronger", "incomparable")

DESCRIPTION = """\
Compare two models on each test: same, weaker (the second permits more), stronger, or incomparable. Undef stands above
every value: an outcome is matched by one that agrees wherever it is not undef. New and lost outcomes are shown with
the rules of the other model that exclude them. The exit code says nothing of the comparison unless --expect asks.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "compare",
        help="compare two models on tests",
        description=DESCRIPTION,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_options(parser, "", "the two models to compare, such as llvm,amdgpu")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print (default: text)")
    parser.add_argument("--expect", choices=EXPECTATIONS, help="exit with 1 if a test compares otherwise")
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.encoder.solver import Session
    from axmem.front.output import output
    from axmem.run.answers import tests

    first, second = _two(model_choices(options.models), options.models)
    codes: set[int] = set()
    found: list[Comparison] = []
    session = Session()
    with output(options.output) as write:
        for answered in tests(options, (first, second), codes):
            results = answered.results[0], answered.results[1]
            comparison = axmem.compare(answered.test, first, second, results=results, session=session)
            found.append(comparison)
            if comparison.relation == "unknown":
                codes.add(UNKNOWN)
            elif options.expect and comparison.relation != options.expect:
                codes.add(MISMATCH)
            if options.format == "text":
                write(_text(comparison))
        write(_whole(options.format, found, f"{second.label} against {first.label}"))
    return exit_code(codes)


def _two(choices: tuple[ModelChoice, ...], text: str) -> tuple[ModelChoice, ModelChoice]:
    """Return the two models; raise InputError if there are more or fewer."""
    from axmem.front.source import Diagnostic, InputError, Source, Span

    if len(choices) == 2:
        return choices[0], choices[1]
    message = f"two models are compared, and here {'is one' if len(choices) == 1 else f'are {len(choices)}'}"
    place = Span(1, 1, max(1, len(text)))
    raise InputError([Diagnostic(Source("--models", text), place, message, "for example --models llvm,amdgpu")])


def _text(comparison: Comparison) -> str:
    from axmem.report.differences import lines

    return "".join(f"{line}\n" for line in lines(comparison))


def _whole(format_: str, found: list[Comparison], title: str) -> str:
    """Return what is printed when all tests are done."""
    from axmem.report.differences import as_json, as_markdown, summary

    if format_ == "json":
        return as_json(found)
    return as_markdown(found, title) if format_ == "github" else summary(found) + "\n"
