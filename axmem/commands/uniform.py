"""`axmem kernel uniform`: which values and branches of a kernel are uniform."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from axmem.commands.functions import add_function_choice, answered
from axmem.commands.kernels import add_kernel_options, bound_of, on_kernels
from axmem.front.options import Subparsers, add_command, add_shared

if TYPE_CHECKING:
    from axmem.formats.ir.whole import WholeModule
    from axmem.front.exits import ExitCodes
    from axmem.litmus.syntax import Kernel, LitmusTest

DESCRIPTION = """\
Say of each register and branch of a kernel whether it is uniform: by the rules of LLVM 22, by rules that are sound in
every hierarchy of cycles, and, where arguments and the lanes' own numbers decide, in every execution of the bound. What
LLVM calls uniform and is not is marked unsound, with the execution; what it calls divergent and is not, imprecise.
With --set workgroup it is about the lanes of all waves of a workgroup, of which LLVM's analysis says nothing.
"""

SECONDS = 1.0


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="uniform",
        examples=("axmem kernel uniform @examples/nested-cycles.litmus",),
        description=DESCRIPTION,
    )
    add_kernel_options(parser)
    add_function_choice(parser)
    model = "what the solver is asked under about what memory decides (default: llvm)"
    parser.add_argument("--model", default="llvm", metavar="M", help=model)
    threads = "across the lanes of which set: those of a wave (default) or of a workgroup"
    parser.add_argument("--set", choices=("wave", "workgroup"), default="wave", dest="threads", help=threads)
    parser.add_argument(
        "--loads", action="store_true", help="print which loads LLVM 22 makes scalar, and which of them may be stale"
    )
    limit = f"seconds of a processor for the column exact of each kernel, which then says - (default: {SECONDS:g})"
    add_shared(parser, "timeout", default=SECONDS, help=limit)
    add_shared(parser, "format", "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.uniform import uniform, uniform_alone
    from axmem.commands.pages.uniformity import HEADS, as_data, load_data, row, section, section_alone
    from axmem.convergence.kernels import Threads
    from axmem.convergence.loads import loads
    from axmem.formats.ir.alone import function_test
    from axmem.front.output import document
    from axmem.report.printers import printed
    from axmem.report.tree import Document

    def shown(test: LitmusTest, kernels: list[Kernel]) -> str:
        selected = [loads(test, kernel) for kernel in kernels] if options.loads else []
        bound, threads = bound_of(options, test), Threads(options.threads)
        reports = [
            uniform(test, kernel, options.model, bound=bound, threads=threads, seconds=options.timeout)
            for kernel in kernels
        ]
        if options.format == "json":
            made = [load_data(found) for found in selected] if options.loads else None
            return document(test=test.name, kernels=[as_data(report) for report in reports], loads=made)
        below = selected or [()] * len(reports)
        sections = [section(r, kernel.launch, found) for r, kernel, found in zip(reports, kernels, below, strict=True)]
        return printed(Document(tuple(sections)), "text")

    def functions(module: WholeModule, codes: ExitCodes) -> str:
        threads = Threads(options.threads)
        found = answered(
            module, options.function or options.kernel, codes, lambda m, f: uniform_alone(m, f, threads=threads)
        )
        tests = [function_test(module.module.source, name) for name in found.found] if options.loads else []
        selected = [loads(test, test.kernels[0]) for test in tests]
        if options.format == "json":
            made = [load_data(each) for each in selected] if options.loads else None
            return document(test=found.test, kernels=[as_data(each) for each in found.found.values()], loads=made)
        if len(found.found) + len(found.refused) == 1 or options.loads:
            below = selected or [()] * len(found.found)
            pairs = zip(found.functions(), below, strict=True)
            return printed(Document(tuple(section_alone(f, r, some) for (f, r), some in pairs)), "text")
        return printed(Document((found.rows(HEADS, lambda _, report: row(report)),)), "text")

    return on_kernels(options, shown, functions=functions)
