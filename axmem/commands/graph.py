"""`axmem run --draw`: pictures of executions."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from axmem.commands.explain import add_options, explanations
from axmem.commands.relations import check_shown, shown
from axmem.front.exits import ExitCodes
from axmem.front.options import Subparsers, add_command
from axmem.front.source import InputError, mistake

if TYPE_CHECKING:
    from axmem.report.tree import Document

CONVERTED = ("png", "pdf")
"""The formats that are made of SVG by a program of the machine."""
FORMATS = ("svg", "dot", "tikz", "json", *CONVERTED)
ENDINGS = {"gv": "dot", "tex": "tikz"} | {form: form for form in FORMATS}
"""The formats by the ends of files' names."""

DESCRIPTION = """\
Draw the execution that explains a test's condition, or another outcome: one that has it, or, where it is forbidden,
the nearest execution that has it, with what makes it inconsistent stressed. Threads are columns, scope instances are
frames around them.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="graph",
        examples=("axmem run --draw @corpus/base/MP+rel+acq.litmus --model llvm -o MP.svg",),
        description=DESCRIPTION,
    )
    add_options(parser)
    parser.add_argument("--format", choices=FORMATS, help="how to draw (default: as the output's name says, else svg)")
    parser.add_argument("--force", action="store_true", help="let -o DIR/ replace files")
    parser.add_argument(
        "--show",
        metavar="R,R",
        help="the relations to draw: po, rf, mo, fr, sw, hb, av, vis, lo, or any that the model defines "
        "(default: po, rf, mo and what else the model's text has a @path for)",
    )


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.front.output import file_names, names_directory, output, write_directory
    from axmem.report.explanation import drawing, title

    show = shown(options)
    into = options.output if options.output is not None and names_directory(options.output) else None
    form = options.format or _form(None if into else options.output)
    codes = ExitCodes()
    found = []
    for explanation in explanations(options, codes, default="amdgpu"):
        check_shown(show or (), explanation)
        if explanation.exhibit is None:
            print(f"{title(explanation)}: there is nothing to draw: {explanation.reason}", file=sys.stderr)
        else:
            found.append(explanation)
    if into is not None:
        names = file_names([f"{e.test}.{e.model}" for e in found], form)
        drawn = {n: _drawn(drawing(e, show), form) for e, n in zip(found, names, strict=True)}
        write_directory(drawn, into, force=options.force)
        for name in names:
            print(os.path.join(into, name))
    elif len(found) > 1:
        raise _too_many(len(found), options.output)
    elif found:
        with output(options.output, binary=form in CONVERTED) as write:
            write(_drawn(drawing(found[0], show), form))
    return codes.code


def _drawn(found: Document, form: str) -> str | bytes:
    """Return a picture in a format."""
    from axmem.report.pictures.conversion import converted
    from axmem.report.printers import printed

    return converted(printed(found, "svg"), form) if form in CONVERTED else printed(found, form)


def _form(path: str | None) -> str:
    """Return the format that the name of a file asks for; a name without an end asks for SVG."""
    suffix = os.path.splitext(path or "")[1].removeprefix(".").lower()
    if suffix and suffix not in ENDINGS:
        known = ", ".join(f".{ending}" for ending in ENDINGS)
        raise mistake("--output", f"no picture is written as '.{suffix}'", f"a name ends in {known}", text=path)
    return ENDINGS.get(suffix, "svg")


def _too_many(count: int, path: str | None) -> InputError:
    hint = "name a directory, which ends in /, for a file each: -o pictures/"
    message = f"these are {count} pictures, and one fits here"
    return mistake("--output", message, hint, text=path or "-")
