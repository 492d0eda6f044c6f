"""`axmem explain`: why an outcome is allowed or forbidden."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from axmem.cli import EXIT_CODES
from axmem.options import seconds

if TYPE_CHECKING:
    from axmem.explain.explanation import Explanation

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
    parser.add_argument("--outcome", metavar="CONDITION", help="what to explain instead of the test's condition")
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
    from axmem.answers import exit_code
    from axmem.formats.explanation import as_json, lines
    from axmem.output import output

    codes: set[int] = set()
    with output(options.output) as write:
        if options.format == "json":
            write(as_json(explanations(options, codes)))
        else:
            for index, found in enumerate(explanations(options, codes)):
                write("\n" * bool(index) + "".join(f"{line}\n" for line in lines(found)))
    return exit_code(codes)


def explanations(options: argparse.Namespace, codes: set[int]) -> Iterator[Explanation]:
    """Yield the explanations that were asked for, in order; print what is wrong and note its exit code."""
    from axmem.cli import INPUT_ERROR, UNKNOWN
    from axmem.explain.explanation import Answer, explain
    from axmem.inputs import read_inputs
    from axmem.litmus.parser import parse, with_condition
    from axmem.selection import check_settings, choice_text, loaded, parse_choice, parse_setting, runs
    from axmem.source import InputError

    choices = tuple(parse_choice(text) for text in options.models)
    variants = dict(parse_setting(text) for text in options.variants)
    check_settings(choices, variants)
    for choice in choices:
        loaded(choice, variants)
    texts, errors = read_inputs(options.paths)
    for error in errors:
        print(error, file=sys.stderr)
        codes.add(INPUT_ERROR)
    for text in texts:
        try:
            test = parse(text.text, text.name)
            if options.outcome is not None:
                test = with_condition(test, options.outcome, "--outcome")
            models = [(c.model, loaded(c, variants)) for c in choices] or runs(test, (), variants)
            for reference, model in models:
                defaults = {v.name: v.default for v in model.variants}
                changed = [(name, value) for name, value in model.chosen if defaults[name] != value]
                found = explain(test, model, choice_text(reference, changed), options.timeout)
                if found.answer is Answer.UNKNOWN:
                    codes.add(UNKNOWN)
                yield found
        except InputError as error:
            print(error, file=sys.stderr)
            codes.add(INPUT_ERROR)
