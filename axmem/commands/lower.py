"""`axmem lower`: what the backend emits for a test, and why."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import axmem
from axmem.commands.functions import add_function_choice, answered, as_it_stands
from axmem.formats.options import add_form
from axmem.front.exits import ExitCodes
from axmem.front.inputs import read_inputs
from axmem.front.options import Subparsers, add_command, add_shared, markup
from axmem.front.source import mistake

if TYPE_CHECKING:
    from axmem.codegen.program import LoweredTest
    from axmem.codegen.targets import Target
    from axmem.formats.ir.syntax import Function, Module
    from axmem.formats.ir.whole import WholeModule

FORMATS = ("text", "rst", "markdown", "html", "json", "svg")

DESCRIPTION = """\
Print what AMDGPU's backend emits for each statement of a test: waits, the access with its cache policy bits, writebacks
and invalidates, each with the reason why it stands there. With several targets rst, markdown and html print a table
with a column for each.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="lower",
        examples=("axmem lower @corpus/base/MP+rel+acq.litmus --target gfx942",),
        description=DESCRIPTION,
    )
    add_shared(parser, "paths")
    add_form(parser)
    add_function_choice(parser)
    parser.add_argument(
        "--target",
        action="append",
        required=True,
        metavar="GFX",
        help="a processor (gfx942) or a family (gfx10); may be repeated; 'all' is every family in every mode",
    )
    add_shared(parser, "mode")
    words = "whose code: llvm-22, llvm-24, repaired or rfc-vulkan (default: llvm-24)"
    parser.add_argument("--profile", default="", metavar="P", help=words)
    parser.add_argument(
        "--repaired", action="store_const", dest="profile", const="repaired",
        help="with the waits and writebacks that LLVM lacks: --profile repaired",
    )  # fmt: skip
    add_shared(parser, "divergent")
    add_shared(parser, "format", type=markup, choices=FORMATS)
    add_shared(parser, "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.front.output import output
    from axmem.report.listing import document, listing
    from axmem.report.pictures.listing_svg import svg
    from axmem.report.printers import printed

    targets = _targets(options)
    texts, errors = read_inputs(options.paths)
    codes = ExitCodes()
    codes.errors(errors)
    tests: list[list[LoweredTest]] = []
    for text in texts:
        with codes.part():
            module = as_it_stands(text, options)
            if module is None:
                test = axmem.parse(text.text, text.name, options.form)
                tests.append([axmem.lower(test, target, divergent=options.divergent) for target in targets])
            else:
                tests.append(_of_functions(module, targets, options, codes))
    with output(options.output) as write:
        if options.format == "json":
            write(printed(document([lowered for test in tests for lowered in test]), "json"))
        elif options.format == "text":
            write("\n".join(listing(lowered) for test in tests for lowered in test))
        else:
            write("\n".join(svg(t) if options.format == "svg" else printed(document(t), options.format) for t in tests))
    return codes.code


def _of_functions(
    module: WholeModule, targets: list[Target], options: argparse.Namespace, codes: ExitCodes
) -> list[LoweredTest]:
    """Return the functions of a module on each target, those aside that are refused on one of them."""
    from axmem.codegen.functions import lower_function
    from axmem.front.records import replace

    def lowered(of: Module, function: Function) -> list[LoweredTest]:
        return [lower_function(of, function, target, divergent=options.divergent) for target in targets]

    found = [*answered(module, options.function, codes, lowered).found.values()]
    threads = [tuple(each[number].threads[0] for each in found) for number in range(len(targets))]
    return [replace(first, threads=some) for first, some in zip(found[0] if found else (), threads, strict=False)]


def _targets(options: argparse.Namespace) -> list[Target]:
    """Return the targets asked for, each once. Raises InputError for one that is unknown."""
    from axmem.codegen.targets import NEWEST_LLVM, all_targets, target

    if options.mode and "all" in options.target:
        raise mistake("--mode", "'--target all' is every mode already", "name a target")
    found: list[Target] = []
    profile = options.profile or NEWEST_LLVM
    for name in options.target:
        if name == "all":
            found += all_targets(profile)
        else:
            found.append(target(name, options.mode, profile))
    return list(dict.fromkeys(found))
