"""`axmem run --why`: why an outcome is allowed or forbidden."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

import axmem
from axmem.formats.options import add_form
from axmem.front.exits import UNKNOWN, ExitCodes
from axmem.front.inputs import InputText, read_inputs
from axmem.front.options import Subparsers, add_command, add_shared

if TYPE_CHECKING:
    from axmem.check.selection import Selection
    from axmem.explanations.explanation import Explanation

DESCRIPTION = """\
Explain the condition of a test, or another outcome. If it is allowed: an execution that has it, and why each read
returns what it does. If it is forbidden: a minimal set of rules that exclude it, with the sentences of the
specifications, and how the nearest execution with this outcome breaks them.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="explain",
        examples=("axmem run --why @corpus/base/MP+rel+acq.litmus --model llvm",),
        description=DESCRIPTION,
    )
    add_options(parser)
    add_shared(parser, "format")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `explanations` reads."""
    add_shared(parser, "paths")
    add_form(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--outcome", metavar="CONDITION", help="the condition to explain, instead of the test's")
    what.add_argument("--each", action="store_true", help="explain each outcome of the test in turn")
    parser.add_argument(
        "--model",
        dest="models",
        action="append",
        default=[],
        metavar="M",
        help="a name or a .cat file, with variants as in amdgpu[vis.instance=literal]; may be repeated "
        "(default: the models that the test mentions)",
    )
    add_shared(parser, "variants", "dialect", "include", "bound", "promises", "timeout", "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.front.output import output
    from axmem.report.explanation import document
    from axmem.report.printers import printed

    codes = ExitCodes()
    with output(options.output) as write:
        if options.format == "json":
            write(printed(document(explanations(options, codes)), "json"))
        else:
            for index, found in enumerate(explanations(options, codes)):
                write("\n" * bool(index) + printed(document([found]), "text"))
    return codes.code


def explanations(options: argparse.Namespace, codes: ExitCodes, default: str = "") -> Iterator[Explanation]:
    """Yield the explanations that were asked for, in order; print what is wrong and note its exit code.

    Without a model the test's own ones are meant, or the `default`.
    """
    from axmem.check.selection import selection

    chosen = selection(options.models or ([default] if default else []), options.variants)
    texts, errors = read_inputs(options.paths)
    codes.errors(errors)
    for text in texts:
        with codes.part(text.name):
            yield from _of_test(options, text, chosen, codes)


def _of_test(
    options: argparse.Namespace,
    text: InputText,
    chosen: Selection,
    codes: ExitCodes,
) -> Iterator[Explanation]:
    from axmem.explanations.explanation import ExplainedAnswer
    from axmem.front.clock import working
    from axmem.litmus.parser import with_bound, with_condition

    with working(options.timeout):
        test = with_bound(axmem.parse(text.text, text.name, options.form), options.bound)
        if options.outcome is not None:
            test = with_condition(test, options.outcome, "--outcome")
        models = chosen.models(test)
    for model in models:
        asked: list[str | None] = [None]
        if options.each:
            found = axmem.outcomes(test, model, limits=axmem.Limits(options.timeout), promises=options.promises)
            if not found.complete:
                codes.add(UNKNOWN)
            asked = [state.replace("  ", " /\\ ") for state in found.states() if state] or asked
        for outcome in asked:
            explanation = axmem.explain(
                test, model, outcome=outcome, seconds=options.timeout, promises=options.promises
            )
            if explanation.answer is ExplainedAnswer.UNKNOWN:
                codes.add(UNKNOWN)
            yield explanation
