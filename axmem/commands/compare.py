"""`axmem run --compare`: what a second model permits or forbids against a first, test by test."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import axmem
from axmem.commands.answers import add_options, model_choices
from axmem.front.exits import MISMATCH, UNKNOWN, ExitCodes
from axmem.front.options import Subparsers, add_command, add_shared, markup
from axmem.front.source import mistake

if TYPE_CHECKING:
    from axmem.check.compare import Comparison
    from axmem.litmus.syntax import LitmusTest, ModelChoice

FORMATS = ("text", "markdown", "json")
EXPECTATIONS = ("same", "weaker", "stronger", "incomparable")

DESCRIPTION = """\
Compare two models on each test: same, weaker (the second permits more), stronger, or incomparable. Undef stands above
every value: an outcome is matched by one that agrees wherever it is not undef. New and lost outcomes are shown with
the rules of the other model that exclude them. The exit code says nothing of the comparison unless --expect asks.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="compare",
        examples=("axmem run --compare @corpus/axioms --models llvm,amdgpu",),
        description=DESCRIPTION,
    )
    add_options(parser, "", "the two models to compare, such as llvm,amdgpu")
    add_shared(parser, "format", type=markup, choices=FORMATS)
    parser.add_argument("--expect", choices=EXPECTATIONS, help="exit with 1 if a test compares otherwise")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.commands.answers import tests
    from axmem.encoder.solver import Session
    from axmem.front.output import output

    first, second = _two(model_choices(options.models), options.models)
    codes = ExitCodes()
    found: list[Comparison] = []
    session = Session()
    with output(options.output) as write, tests(options, (first, second), codes) as answers:
        for answered in answers:
            results = answered.results[0], answered.results[1]
            comparison = axmem.compare(answered.test, first, second, results=results, session=session)
            _warn(answered.test, first, second)
            found.append(comparison)
            if comparison.relation == "unknown":
                codes.add(UNKNOWN)
            elif options.expect and comparison.relation != options.expect:
                codes.add(MISMATCH)
            if options.format == "text":
                write(_text(comparison))
        write(_whole(options.format, found, f"{second.label} against {first.label}"))
    return codes.code


def _warn(test: LitmusTest, *choices: ModelChoice) -> None:
    """Say what a test of Vulkan's says to only one of two models, if one of them is Vulkan's."""
    from axmem.formats.vulkan.losses import losses

    if [choice.model == "vulkan" for choice in choices].count(True) == 1:
        for warning in losses(test):
            print(warning, file=sys.stderr)


def _two(choices: tuple[ModelChoice, ...], text: str) -> tuple[ModelChoice, ModelChoice]:
    """Return the two models; raise InputError if there are more or fewer."""
    if len(choices) == 2:
        return choices[0], choices[1]
    message = f"two models are compared, and here {'is one' if len(choices) == 1 else f'are {len(choices)}'}"
    raise mistake("--models", message, "for example --models llvm,amdgpu", text=text)


def _text(comparison: Comparison) -> str:
    from axmem.report.differences import section
    from axmem.report.printers import printed
    from axmem.report.tree import Document

    return printed(Document((section(comparison),)), "text")


def _whole(format_: str, found: list[Comparison], title: str) -> str:
    """Return what is printed when all tests are done."""
    from axmem.report.differences import document, summary
    from axmem.report.printers import printed

    return summary(found) + "\n" if format_ == "text" else printed(document(found, title), format_)
