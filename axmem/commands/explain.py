"""`axmem explain`: why an outcome is allowed or forbidden."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import axmem
from axmem.front.exits import EXIT_CODES, INPUT_ERROR, UNKNOWN, exit_code
from axmem.front.options import seconds

if TYPE_CHECKING:
    from axmem.check.selection import Selection
    from axmem.explain.explanation import Explanation
    from axmem.front.inputs import InputText

DESCRIPTION = """\
Explain the condition of a test, or another outcome. If it is allowed: an execution that has it, and why each read
returns what it does. If it is forbidden: a minimal set of rules that exclude it, with the sentences of the
specifications, and how the nearest execution with this outcome breaks them.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "explain",
        help="say why an outcome is allowed or forbidden",
        description=DESCRIPTION,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_options(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default: text)")
    parser.set_defaults(main=main)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `explanations` reads."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a .litmus file, a directory, @LIST, or - for stdin")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--outcome", metavar="CONDITION", help="what to explain instead of the test's condition")
    what.add_argument("--each", action="store_true", help="explain each outcome of the test in turn")
    parser.add_argument(
        "--model",
        dest="models",
        action="append",
        default=[],
        metavar="M",
        help="a name, a .cat file, or either with variants, amdgpu[vis.v1=literal]; may be repeated "
        "(default: the models that the test mentions)",
    )
    parser.add_argument(
        "--variant", dest="variants", action="append", default=[], metavar="NAME=VALUE", help="set a variant"
    )
    parser.add_argument("--timeout", type=seconds, metavar="S", help="seconds for each test and model")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file, in one step")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.front.output import output
    from axmem.report.explanation import as_json, lines

    codes: set[int] = set()
    with output(options.output) as write:
        if options.format == "json":
            write(as_json(explanations(options, codes)))
        else:
            for index, found in enumerate(explanations(options, codes)):
                write("\n" * bool(index) + "".join(f"{line}\n" for line in lines(found)))
    return exit_code(codes)


def explanations(options: argparse.Namespace, codes: set[int], default: str = "") -> Iterator[Explanation]:
    """Yield the explanations that were asked for, in order; print what is wrong and note its exit code.

    Without a model the test's own ones are meant, or the `default`.
    """
    from axmem.check.selection import selection
    from axmem.front.inputs import read_inputs
    from axmem.front.source import InputError

    chosen = selection(options.models or ([default] if default else []), options.variants)
    texts, errors = read_inputs(options.paths)
    for error in errors:
        print(error, file=sys.stderr)
        codes.add(INPUT_ERROR)
    for text in texts:
        try:
            yield from _of_test(options, text, chosen, codes)
        except InputError as error:
            print(error, file=sys.stderr)
            codes.add(INPUT_ERROR)


def _of_test(
    options: argparse.Namespace,
    text: InputText,
    chosen: Selection,
    codes: set[int],
) -> Iterator[Explanation]:
    from axmem.explain.explanation import Answer
    from axmem.litmus.parser import with_condition

    test = axmem.parse(text.text, text.name)
    if options.outcome is not None:
        test = with_condition(test, options.outcome, "--outcome")
    for label, model in chosen.models(test):
        asked: list[str | None] = [None]
        if options.each:
            states = axmem.outcomes(test, model).states()
            asked = [state.replace("  ", " /\\ ") for state in states if state] or asked
        for outcome in asked:
            found = axmem.explain(test, model, outcome=outcome, label=label, seconds=options.timeout)
            if found.answer is Answer.UNKNOWN:
                codes.add(UNKNOWN)
            yield found
