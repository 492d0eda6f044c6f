"""`axmem kernel loopmd`: what passes make of the loop metadata of a kernel."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from axmem.commands.functions import add_function_choice, answered
from axmem.commands.kernels import add_kernel_choice, on_kernels
from axmem.front.options import Subparsers, add_command, add_shared
from axmem.front.source import mistake

if TYPE_CHECKING:
    from axmem.formats.ir.syntax import Function, Module
    from axmem.formats.ir.whole import WholeModule
    from axmem.front.exits import ExitCodes
    from axmem.litmus.syntax import Kernel, LitmusTest
    from axmem.transform.metadata import LoopReport, MetadataQuestion

FORMATS = ("text", "json", "svg")
PROFILES = ("llvm-22", "doc")
TARGETS = ("x86-64", "amdgcn")

DESCRIPTION = """\
Run a pipeline of passes on the metadata of a kernel's loops: which transformations are done, which loops with which
LoopIDs they leave, where every attribute came from, and which warnings are left. Where costs decide, all cases are
shown, unless --do and --dont say what is done.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="loopmd",
        examples=(
            "axmem kernel loopmd @examples/unroll-enable.litmus --pipeline O1",
            "axmem kernel loopmd @examples/unroll-enable.litmus --do vectorize@h",
        ),
        description=DESCRIPTION,
    )
    add_kernel_choice(parser)
    add_function_choice(parser)
    add_question(parser)
    add_shared(parser, "format", choices=FORMATS)
    add_shared(parser, "output")


def add_question(parser: argparse.ArgumentParser) -> None:
    """Add under whose rules which passes run, and what is done where costs decide."""
    whose = "whose rules: what LLVM 22.1.8 does, or what the document says (default: llvm-22)"
    parser.add_argument("--profile", choices=PROFILES, default=PROFILES[0], help=whose)
    passes = "O0, O1, O2, O3, lto, thinlto, legacy or legacy-lto, with passes that are off (O3+unroll-and-jam); or a "
    passes += "list: distribute,vectorize,transform-warning (default: O2)"
    parser.add_argument("--pipeline", default="O2", metavar="PASSES", help=passes)
    parser.add_argument("--target", choices=TARGETS, default=TARGETS[0], help="for which machine (default: x86-64)")
    for option, what in (("--do", "transforms"), ("--dont", "leaves")):
        text = f"where costs decide, PASS {what} LOOP, which has the name of its header; may be given again"
        parser.add_argument(option, action="append", default=[], metavar="PASS@LOOP", help=text)


def question_of(options: argparse.Namespace) -> MetadataQuestion:
    """Return what the options of `add_question` ask."""
    from axmem.transform.metadata import MetadataQuestion
    from axmem.transform.passes import PassTarget, Profile

    profile, target = Profile(options.profile), PassTarget(options.target)
    return MetadataQuestion(profile, target, options.pipeline, tuple(options.do), tuple(options.dont))


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.commands.pages.loopmd import HEADS, as_data, row, section
    from axmem.commands.pages.loops_svg import as_svg
    from axmem.formats.ir.alone import function_test
    from axmem.front.output import document
    from axmem.report.printers import printed
    from axmem.report.tree import Document
    from axmem.transform.metadata import loop_metadata

    def printed_as(name: str, reports: list[LoopReport]) -> str:
        if options.format == "json":
            return document(test=name, kernels=[as_data(report) for report in reports])
        if options.format == "svg":
            if len(reports) > 1:
                raise mistake("--format", f"{len(reports)} kernels do not fit one picture", "give --kernel K")
            return as_svg(reports[0])
        return printed(Document(tuple(map(section, reports))), "text")

    def shown(test: LitmusTest, kernels: list[Kernel]) -> str:
        return printed_as(test.name, [loop_metadata(kernel, question_of(options)) for kernel in kernels])

    def asked(module: Module, function: Function) -> LoopReport:
        return loop_metadata(function_test(module.source, function.name).kernels[0], question_of(options))

    def functions(module: WholeModule, codes: ExitCodes) -> str:
        found = answered(module, options.function or options.kernel, codes, asked)
        if options.format == "text" and len(found.found) + len(found.refused) > 1:
            return printed(Document((found.rows(HEADS, lambda _, report: row(report)),)), "text")
        return printed_as(found.test, [*found.found.values()])

    return on_kernels(options, shown, functions=functions)
