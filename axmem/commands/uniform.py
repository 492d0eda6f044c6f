"""`axmem uniform`: which values and branches of a kernel are uniform."""

from __future__ import annotations

import argparse

import axmem
from axmem.commands.conv import add_kernel_options, chosen_kernels
from axmem.front.exits import ExitCodes
from axmem.front.inputs import read_inputs
from axmem.front.options import Subparsers, add_command, add_shared

DESCRIPTION = """\
Say of each register and branch of a kernel whether it is uniform: by the rules of LLVM 22, by rules that are sound in
every hierarchy of cycles, and, where arguments and the lanes' own numbers decide, in every execution of the bound. What
LLVM calls uniform and is not is marked unsound, with the execution; what it calls divergent and is not, imprecise.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    summary = "say which values of a kernel are uniform"
    parser = add_command(subparsers, main, name="uniform", summary=summary, description=DESCRIPTION)
    add_kernel_options(parser)
    model = "what the solver is asked under about what memory decides (default: llvm)"
    parser.add_argument("--model", default="llvm", metavar="M", help=model)
    add_shared(parser, "format", "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.uniform import uniform
    from axmem.front.output import document, output
    from axmem.report.uniformity import as_data, lines

    codes = ExitCodes()
    texts, errors = read_inputs([options.path])
    codes.errors(errors)
    for text in texts:
        with codes.part(), output(options.output) as write:
            test = axmem.parse(text.text, text.name)
            reports = [
                uniform(test, kernel, options.model, bound=options.bound)
                for kernel in chosen_kernels(test, options.kernel)
            ]
            if options.format == "json":
                write(document(test=test.name, kernels=[as_data(report) for report in reports]))
            else:
                write("\n".join(line for report in reports for line in (*lines(report), "")))
    return codes.code
