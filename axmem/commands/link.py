"""`axmem run --link`: a link that opens a test in the playground."""

from __future__ import annotations

import argparse
import os

import axmem
from axmem.formats.options import add_form
from axmem.front.exits import ExitCodes
from axmem.front.inputs import read_inputs
from axmem.front.options import Subparsers, add_command, add_shared
from axmem.front.source import mistake

VARIABLE = "AXMEM_PLAYGROUND"
LOCAL = "http://localhost:8000/"
"""Where `python -m http.server --directory build/playground` shows the page."""

DESCRIPTION = f"""\
Print a link that opens a test in the playground: the text, the models and what is shown are in the link itself, and no
server sees them. {VARIABLE} names the address of the page (default: {LOCAL}).
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="link",
        examples=("axmem run --link @corpus/base/MP+rel+acq.litmus --model llvm --model amdgpu",),
        description=DESCRIPTION,
    )
    add_shared(parser, "paths")
    add_form(parser)
    parser.add_argument(
        "--model", dest="models", action="append", default=[], metavar="M",
        help="a built-in model, with variants or not; may be repeated (default: the models that the test mentions)",
    )  # fmt: skip
    parser.add_argument("--after", metavar="PATH", help="a changed program, for the second editor")
    parser.add_argument("--tab", metavar="TAB", default="outcomes", help="what to show (default: outcomes)")
    parser.add_argument("--target", metavar="GFX", default="", help="the processor of the machine code")
    add_shared(parser, "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.selection import selection
    from axmem.front.output import output
    from axmem.front.source import InputError
    from axmem.playground.link import LONGEST, TABS, View, fragment
    from axmem.playground.outcomes import labels_of

    if options.tab not in TABS:
        raise mistake("--tab", f"the page has no tab '{options.tab}'", f"known: {', '.join(TABS)}", text=options.tab)
    for name in options.models:
        if ".cat" in name:
            raise mistake("--model", "a link carries models by their names", "paste the text into the page", text=name)
    selection(options.models)
    after = ""
    if options.after is not None:
        (texts, errors) = read_inputs([options.after])
        if errors or len(texts) != 1:
            raise InputError(errors) if errors else mistake("--after", "one file is meant here", text=options.after)
        after = texts[0].text
    codes = ExitCodes()
    found, errors = read_inputs(options.paths)
    codes.errors(errors)
    address = os.environ.get(VARIABLE) or LOCAL
    with output(options.output) as write:
        for text in found:
            with codes.part(text.name):
                test = axmem.parse(text.text, text.name, options.form)
                if max(len(text.text), len(after)) > LONGEST:
                    raise mistake(text.name, f"a link carries {LONGEST:,} characters at most")
                models = tuple(options.models) or labels_of(test)
                shown = View(text.text, models, tab=options.tab, after=after, target=options.target)
                write(f"{address.partition('#')[0]}{fragment(shown)}\n")
    return codes.code
