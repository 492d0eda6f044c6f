"""`axmem conv`: which lanes of a kernel are converged where."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import axmem
from axmem.front.exits import ExitCodes
from axmem.front.inputs import read_inputs
from axmem.front.options import Subparsers, add_command, add_shared, positive
from axmem.front.source import did_you_mean, mistake

if TYPE_CHECKING:
    from axmem.convergence.cycles import Hierarchies, Hierarchy
    from axmem.convergence.function import Function
    from axmem.litmus.syntax import Kernel, LitmusTest
    from axmem.report.convergence import ConvergenceReport

FORMATS = ("text", "json", "svg")

DESCRIPTION = """\
Print the cycles of a kernel in LLVM's hierarchy and in all others, which blocks are m-converged, and for paths of lanes
which executions of a block are converged: each column is a class of converged ones. For two that are not it names the
execution of a header that keeps them apart.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    summary = "say which lanes of a kernel are converged where"
    parser = add_command(subparsers, main, name="conv", summary=summary, description=DESCRIPTION)
    add_kernel_options(parser)
    parser.add_argument(
        "--paths", metavar="P", help="a path of blocks for each lane, '/' between them (default: the shortest)"
    )
    parser.add_argument(
        "--hierarchy",
        default="llvm",
        metavar="H",
        help="llvm, all, or the headers of one, such as R,S: what the tables are for (default: llvm)",
    )
    add_shared(parser, "format", choices=FORMATS)
    add_shared(parser, "output")


def add_kernel_options(parser: argparse.ArgumentParser) -> None:
    """Add what commands on kernels share."""
    parser.add_argument("path", metavar="KERNEL", help="a .litmus file with kernels, or - for stdin")
    parser.add_argument("--kernel", metavar="K", help="only this kernel of the test")
    bound = "executions of a header per entry into its cycle (default: 4)"
    parser.add_argument("--bound", type=positive, default=4, metavar="N", help=bound)


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.front.output import document, output
    from axmem.report.convergence import as_data, as_svg, lines

    codes = ExitCodes()
    texts, errors = read_inputs([options.path])
    codes.errors(errors)
    for text in texts:
        with codes.part(), output(options.output) as write:
            test = axmem.parse(text.text, text.name)
            reports = [_report(test, kernel, options) for kernel in chosen_kernels(test, options.kernel)]
            if options.format == "json":
                write(document(test=test.name, kernels=[as_data(report) for report in reports]))
            elif options.format == "svg":
                if len(reports) > 1:
                    raise mistake(text.name, f"{len(reports)} kernels do not fit one picture", "--kernel K takes one")
                write(as_svg(reports[0]))
            else:
                write("\n".join(line for report in reports for line in (*lines(report), "")))
    return codes.code


def chosen_kernels(test: LitmusTest, name: str | None) -> list[Kernel]:
    """Return the kernels of a test, or the one that is named."""
    found = [kernel for kernel in test.kernels if name in (None, kernel.name)]
    if not test.kernels:
        raise mistake(test.source.name, "this test has no kernel", "kernel K() lanes 4 { … }")
    if not found:
        names = [kernel.name for kernel in test.kernels]
        raise mistake("--kernel", f"no kernel is named '{name}'", did_you_mean(name or "", names), text=name)
    return found


def _report(test: LitmusTest, kernel: Kernel, options: argparse.Namespace) -> ConvergenceReport:
    """Ask everything about one kernel."""
    from axmem.convergence.controlled import controlled_classes
    from axmem.convergence.cycles import hierarchies
    from axmem.convergence.kernels import checked
    from axmem.convergence.mconverged import disagreements, reported
    from axmem.convergence.tables import shortest_paths, table
    from axmem.convergence.uniformity import sound
    from axmem.report.convergence import ConvergenceReport

    function = checked(kernel, test)
    graph = function.graph
    found = hierarchies(graph)
    divergent = tuple(block for block in graph.successors if block in sound(function, found).branches)
    good = reported(graph, found.found[0], divergent)
    paths = _paths(function, options.paths) if options.paths else shortest_paths(graph, found.found[0])
    chosen = _chosen(found, options.hierarchy)
    return ConvergenceReport(
        kernel.name, function, found, options.bound, divergent,
        dependent=disagreements(graph, found, set(divergent), options.bound),
        unreported=tuple(block for block in graph.successors if block not in good),
        tables=tuple(table(hierarchy, paths) for hierarchy in chosen),
        controlled=tuple(controlled_classes(function, paths, h.all_headers()) for h in chosen),
    )  # fmt: skip


def _chosen(found: Hierarchies, word: str) -> list[Hierarchy]:
    """Return the hierarchies that the option means."""
    if word in ("llvm", "all"):
        return list(found.found if word == "all" else found.found[:1])
    headers = {name.strip() for name in word.replace("(", ",").replace(")", ",").replace(" ", ",").split(",")} - {""}
    chosen = [h for h in found.found if h.name == word or {c.header for c in h.within()} == headers]
    if not chosen:
        known = ", ".join(hierarchy.name for hierarchy in found.found)
        raise mistake("--hierarchy", "no hierarchy has these headers", f"there are: {known}", text=word)
    return chosen


def _paths(function: Function, text: str) -> list[list[str]]:
    """Read the paths of lanes; raise InputError where one is none."""
    graph = function.graph
    paths = [part.split() for part in text.split("/")]
    for path in paths:
        if not path:
            raise mistake("--paths", "a path without a block", "entry h x / entry h h x", text=text)
        for before, block in zip([None, *path[:-1]], path, strict=True):
            if block not in graph.successors:
                raise mistake(
                    "--paths", f"no block is named '{block}'", did_you_mean(block, graph.successors), text=text
                )
            if before is None and block != graph.entry:
                raise mistake("--paths", f"a path begins at '{graph.entry}', not at '{block}'", text=text)
            if before is not None and block not in graph.successors[before]:
                known = " ".join(dict.fromkeys(graph.successors[before])) or "nothing"
                raise mistake("--paths", f"'{block}' does not follow '{before}'", f"what follows is {known}", text=text)
    return paths
