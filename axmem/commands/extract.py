"""`axmem kernel extract`: the concurrent skeleton of a module of LLVM IR, as a test."""

from __future__ import annotations

import argparse

from axmem.front.exits import OK
from axmem.front.inputs import about_file, read_inputs
from axmem.front.options import Subparsers, add_command, add_shared
from axmem.front.source import InputError, Source

DESCRIPTION = """\
Print functions of a module of LLVM IR as a litmus test: their accesses of memory that threads share, what these depend
on and what decides whether they are executed. What is left out stands in comments, with the reason, and whether that
can add or lose outcomes.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="extract",
        examples=(
            "axmem kernel extract @examples/queue.ll",
            "axmem kernel extract @examples/queue.ll --function push --function push --around tail",
        ),
        description=DESCRIPTION,
    )
    parser.add_argument("path", metavar="MODULE", help="a .ll file, a source in C, C++, HIP or OpenCL, or - for stdin")
    parser.add_argument(
        "--function", metavar="F", action="append", default=[],
        help="a function that becomes a thread or kernel, perhaps with arguments and a launch: 'F(@x, 1) lanes 2'; "
        "may be repeated (default: the functions that nothing calls)",
    )  # fmt: skip
    parser.add_argument("--around", metavar="VALUE", default="", help="only what is close to the value of this name")
    add_shared(parser, "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.commands.pages.extraction import text
    from axmem.formats.forms import language
    from axmem.formats.ir.comments import Comments
    from axmem.formats.ir.extraction import extract
    from axmem.formats.ir.launching import launched_functions
    from axmem.formats.sources import compiled
    from axmem.front.output import output

    texts, errors = read_inputs([options.path], (".ll",))
    if len(texts) > 1:
        errors = (*errors, about_file(options.path, "one module at a time", f"there are {len(texts)} here"))
    if errors:
        raise InputError(errors)
    (found,) = texts
    functions = [name.removeprefix("@") for name in options.function]
    source = Source(found.name, found.text)
    module = compiled(source) if language(found.name) else source
    functions = functions or launched_functions(module, Comments(module).launch)
    extraction = extract(module, functions, options.around.removeprefix("%"))
    with output(options.output) as write:
        write(text(extraction, found.name))
    return OK
