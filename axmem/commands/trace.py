"""`axmem run --stages`: one test followed through all stages."""

from __future__ import annotations

import argparse

import axmem
from axmem.formats.options import add_form
from axmem.front.exits import OK, UNKNOWN, ExitCodes
from axmem.front.inputs import read_inputs
from axmem.front.options import Subparsers, add_command, add_shared, check_one

STAGES = ("events", "static", "bounds", "circuit", "executions", "outcomes")

DESCRIPTION = """\
Follow a test through all stages, with the real intermediate values: its events and what it fixes, the bounds of every
definition of the model, the circuit, an execution for each outcome, and the outcomes.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="trace",
        examples=("axmem run --stages @corpus/base/MP+rel+acq.litmus --stage events",),
        description=DESCRIPTION,
    )
    parser.add_argument("path", metavar="TEST", help="a .litmus file, or - for stdin")
    add_form(parser)
    parser.add_argument("--model", default="amdgpu", metavar="M", help="the model (default: amdgpu)")
    only = "only this relation, definition or rule, with its clauses; may be repeated"
    parser.add_argument("--stage", dest="stages", action="append", choices=STAGES, help="only this; may be repeated")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help=only)
    add_shared(parser, "variants", "dialect", "include", "bound", "format", "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.selection import loaded, selection
    from axmem.commands.pages.trace import document as shown
    from axmem.explanations.trace import trace
    from axmem.front.output import document, output
    from axmem.litmus.parser import with_bound
    from axmem.report.printers import printed

    codes = ExitCodes()
    chosen = selection([options.model], options.variants)
    texts, errors = read_inputs([options.path])
    codes.errors(errors)
    check_one(len(texts), options)
    for text in texts:
        with codes.part(), output(options.output) as write:
            test = with_bound(axmem.parse(text.text, text.name, options.form), options.bound)
            (model,) = chosen.models(test)
            found = trace(test, loaded(model), options.only)
            codes.add(OK if found.complete else UNKNOWN)
            tables = [t for t in found.tables if t.stage in (options.stages or STAGES)]
            if options.format == "json":
                from dataclasses import asdict

                write(document(test=test.name, model=model.label, tables=[asdict(t) for t in tables]))
            else:
                write(printed(shown(f"{test.name}  {model.label}", tables), "text"))
    return codes.code
