"""`axmem lower`: what the backend emits for a test, and why."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from axmem.front.exits import EXIT_CODES, INPUT_ERROR, OK

if TYPE_CHECKING:
    from axmem.codegen.program import LoweredTest
    from axmem.codegen.targets import Target
    from axmem.front.inputs import InputText

FORMATS = ("text", "rst", "github", "html", "json", "svg")

DESCRIPTION = """\
Print what AMDGPU's backend emits for each statement of a test: waits, the access with its cache policy bits, writebacks
and invalidates, each with the reason why it stands there. With several targets rst, github and html print a table with
a column for each.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "lower",
        help="print the instructions of a test on a target, and why each is there",
        description=DESCRIPTION,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a .litmus file, a directory, @LIST, or - for stdin")
    parser.add_argument(
        "--target",
        action="append",
        required=True,
        metavar="GFX",
        help="a processor (gfx942) or a family (gfx10); may be given again; 'all' is every family in every mode",
    )
    parser.add_argument("--mode", default="", metavar="MODE", help="wgp, cu or tgsplit (default: the target's)")
    profiles = "llvm-22, llvm-24 or rfc-vulkan (default: llvm-24)"
    parser.add_argument("--profile", default="llvm-24", metavar="P", help=profiles)
    parser.add_argument("--divergent", action="store_true", help="let no address count as uniform: no scalar loads")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print (default: text)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file, in one step")
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.front.inputs import read_inputs
    from axmem.front.output import output
    from axmem.report.listing import document, grid, listing
    from axmem.report.listing_svg import svg

    targets = _targets(options)
    texts, errors = read_inputs(options.paths)
    for error in errors:
        print(error, file=sys.stderr)
    done = [_lowered(text, targets, options.divergent) for text in texts]
    tests = [lowered for lowered in done if lowered]
    with output(options.output) as write:
        if options.format == "json":
            write(document([lowered for test in tests for lowered in test]))
        elif options.format == "text":
            write("\n".join(listing(lowered) for test in tests for lowered in test))
        else:
            write("\n".join(svg(test) if options.format == "svg" else grid(test, options.format) for test in tests))
    return INPUT_ERROR if errors or not all(done) else OK


def _targets(options: argparse.Namespace) -> list[Target]:
    """Return the targets asked for, each once. Raises InputError for one that is unknown."""
    from axmem.codegen.targets import all_targets, target
    from axmem.front.inputs import about_file
    from axmem.front.source import InputError

    if options.mode and "all" in options.target:
        raise InputError([about_file("--mode", "'--target all' is every mode already", "name a target")])
    found: list[Target] = []
    for name in options.target:
        if name == "all":
            found += all_targets(options.profile)
        else:
            found.append(target(name, options.mode, options.profile))
    return list(dict.fromkeys(found))


def _lowered(text: InputText, targets: list[Target], divergent: bool) -> list[LoweredTest]:
    """Lower a test for the targets; print what is wrong with it, or with it on a target, and leave that out."""
    from axmem.codegen.program import lower_test
    from axmem.front.source import InputError
    from axmem.litmus.parser import parse

    try:
        test = parse(text.text, text.name)
        return [lower_test(test, target, divergent=divergent) for target in targets]
    except InputError as error:
        print(error, file=sys.stderr)
        return []
