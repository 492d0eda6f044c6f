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
    parser.add_argument("--loads", action="store_true", help="say which loads LLVM 22 makes scalar, and may be stale")
    add_shared(parser, "format", "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.uniform import uniform
    from axmem.convergence.loads import loads
    from axmem.front.output import document, output
    from axmem.report.uniformity import as_data, lines, load_data, load_lines

    codes = ExitCodes()
    texts, errors = read_inputs([options.path])
    codes.errors(errors)
    for text in texts:
        with codes.part(), output(options.output) as write:
            test = axmem.parse(text.text, text.name)
            kernels = chosen_kernels(test, options.kernel)
            selected = [loads(test, kernel) for kernel in kernels] if options.loads else []
            reports = [uniform(test, kernel, options.model, bound=options.bound) for kernel in kernels]
            if options.format == "json":
                data = [as_data(report) for report in reports]
                made = [load_data(found) for found in selected] if options.loads else None
                write(document(test=test.name, kernels=data, loads=made))
            else:
                shown = [[*lines(report)] for report in reports]
                for text_lines, found in zip(shown, selected, strict=False):
                    text_lines += load_lines(found)
                write("\n".join(line for text_lines in shown for line in (*text_lines, "")))
    return codes.code
