"""`axmem explain`: why a test may, or may not, end as its condition or another one says."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from axmem.cli import EXIT_CODES
from axmem.options import seconds

if TYPE_CHECKING:
    from axmem.explain.explanation import Explanation
    from axmem.inputs import InputText
    from axmem.litmus.syntax import ModelChoice

DESCRIPTION = """\
Explain whether a test's condition may hold. If it may: an execution, with the chains of relations behind each read
and, for undef, the rule and the competing writes. If it may not: a minimal set of rules that exclude it (without any
one of them it may) with their sentences, and the execution that breaks the fewest rules, with the cycle or pair.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "explain",
        help="explain why an outcome is permitted or forbidden",
        description=DESCRIPTION,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a .litmus file, a directory, @LIST, or - for stdin")
    parser.add_argument("--outcome", metavar="C", help="the condition asked about (default: that of the test)")
    parser.add_argument(
        "--model", metavar="M", default="amdgpu", help="a name or .cat file, variants in brackets (default: amdgpu)"
    )
    parser.add_argument("--timeout", type=seconds, metavar="S", help="seconds for each question to the solver")
    parser.add_argument("--format", choices=("text", "json", "dot", "svg"), default="text", help="(default: text)")
    parser.add_argument("--show", metavar="LIST", help="relations to draw, such as rf,mo,sw,hb,av,vis,lo")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file, in one step")
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.answers import exit_code
    from axmem.cli import INPUT_ERROR, UNKNOWN
    from axmem.inputs import read_inputs
    from axmem.output import output
    from axmem.selection import loaded, parse_choice
    from axmem.source import InputError

    choice = parse_choice(options.model, "--model")
    loaded(choice)
    texts, errors = read_inputs(options.paths)
    codes = {INPUT_ERROR for _ in errors}
    for error in errors:
        print(error, file=sys.stderr)
    found = []
    for text in texts:
        try:
            found.append(_explained(text, choice, options))
        except InputError as error:
            print(error, file=sys.stderr)
            codes.add(INPUT_ERROR)
    if any(e.unknown for e in found):
        codes.add(UNKNOWN)
    with output(options.output) as write:
        for part in _parts(found, options):
            write(part)
    return exit_code(codes)


def _explained(text: InputText, choice: ModelChoice, options: argparse.Namespace) -> Explanation:
    from axmem.explain.explanation import asked, explain
    from axmem.litmus.parser import parse
    from axmem.selection import loaded

    test = parse(text.text, text.name)
    if options.outcome is not None:
        test = asked(test, options.outcome)
    return explain(test, loaded(choice), seconds=options.timeout)


def _parts(found: list[Explanation], options: argparse.Namespace) -> Iterator[str]:
    from axmem.explain import drawing, report, words

    if options.format == "json":
        yield report.as_json(found)
        return
    for explanation in found:
        if options.format == "text":
            yield from (f"{line}\n" for line in words.lines(explanation))
        elif explanation.execution is not None:
            draw = drawing.dot if options.format == "dot" else drawing.svg
            yield draw(explanation, drawing.selected(options.show, explanation.execution))
