"""`axmem kernel conv`: which lanes of a kernel are converged where."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from axmem.commands.functions import add_function_choice, answered
from axmem.commands.kernels import add_kernel_options, bound_of, on_kernels
from axmem.front.options import Subparsers, add_command, add_shared
from axmem.front.source import did_you_mean, mistake

if TYPE_CHECKING:
    from axmem.commands.pages.convergence import ConvergenceReport
    from axmem.convergence.cycles import Hierarchies, Hierarchy
    from axmem.convergence.function import FlowFunction
    from axmem.convergence.relations import Relation
    from axmem.convergence.tables import ConvergenceTable
    from axmem.formats.ir.syntax import Function, Module
    from axmem.formats.ir.whole import WholeModule
    from axmem.front.exits import ExitCodes
    from axmem.litmus.syntax import Kernel, LitmusTest

FORMATS = ("text", "json", "svg")

DESCRIPTION = """\
Print the cycles of a kernel in LLVM's hierarchy and in all others, which blocks are m-converged, and for paths of lanes
which executions of a block are converged: each column is a class of converged ones. For two that are not it names the
execution of a header that keeps them apart.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="conv",
        examples=("axmem kernel conv @examples/nested-cycles.litmus",),
        description=DESCRIPTION,
    )
    add_kernel_options(parser)
    add_function_choice(parser)
    parser.add_argument(
        "--paths", metavar="P", help="a path of blocks for each lane, '/' between them (default: the shortest)"
    )
    parser.add_argument(
        "--hierarchy",
        default="llvm",
        metavar="H",
        help="the hierarchies that get tables: llvm, all, or the headers of one, such as R,S (default: llvm)",
    )
    relation = "print convergence-before, too: under the maximal relation, or under classes such as 'S1 S2, P2 P3'"
    parser.add_argument("--relation", metavar="R", help=relation)
    add_shared(parser, "format", choices=FORMATS)
    add_shared(parser, "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.commands.pages.convergence import HEADS, as_data, row, section
    from axmem.commands.pages.convergence_svg import as_svg
    from axmem.convergence.kernels import checked
    from axmem.convergence.modules import checked_flow
    from axmem.front.output import document
    from axmem.report.printers import printed
    from axmem.report.tree import Document

    def printed_as(name: str, reports: list[ConvergenceReport]) -> str:
        if options.format == "json":
            return document(test=name, kernels=[as_data(report) for report in reports])
        if options.format == "svg":
            if len(reports) > 1:
                raise mistake(name, f"{len(reports)} kernels do not fit one picture", "--kernel K takes one")
            return as_svg(reports[0])
        return printed(Document(tuple(map(section, reports))), "text")

    def shown(test: LitmusTest, kernels: list[Kernel]) -> str:
        bound = bound_of(options, test)
        return printed_as(test.name, [_report(k.name, checked(k, test), bound, options) for k in kernels])

    def asked(module: Module, function: Function) -> ConvergenceReport:
        flow = checked_flow(module, function)
        return _report(function.name, flow, options.bound, options)

    def functions(module: WholeModule, codes: ExitCodes) -> str:
        found = answered(module, options.function or options.kernel, codes, asked)
        if options.format == "text" and len(found.found) + len(found.refused) > 1:
            return printed(Document((found.rows(HEADS, lambda _, report: row(report)),)), "text")
        return printed_as(found.test, [*found.found.values()])

    return on_kernels(options, shown, functions=functions)


def _report(name: str, function: FlowFunction, bound: int | None, options: argparse.Namespace) -> ConvergenceReport:
    """Ask everything about one kernel or function; without a bound, with as large a one as there is time for."""
    from axmem.commands.pages.convergence import ConvergenceReport
    from axmem.convergence.controlled import controlled_classes
    from axmem.convergence.cycles import hierarchies
    from axmem.convergence.mcontrolled import still_reported, with_regions
    from axmem.convergence.mconverged import disagreements, disagreements_in_time, reported
    from axmem.convergence.tables import shortest_paths, table
    from axmem.convergence.uniformity import sound

    graph = function.graph
    found = hierarchies(graph)
    branches = sound(function, found).branches
    divergent = tuple(block for block, after in graph.successors.items() if block in branches and after)
    good = still_reported(function, reported(graph, found.found[0], divergent))
    paths = _paths(function, options.paths) if options.paths else shortest_paths(graph, found.found[0])
    chosen = _chosen(found, options.hierarchy)
    tables = tuple(table(hierarchy, paths) for hierarchy in chosen)
    if bound is None:
        bound, apart = disagreements_in_time(graph, found, set(divergent))
    else:
        apart = disagreements(graph, found, set(divergent), bound)
    return ConvergenceReport(
        name, function, found, bound, divergent,
        dependent=with_regions(function, apart),
        unreported=tuple(block for block in graph.successors if block not in good),
        tables=tables,
        controlled=tuple(controlled_classes(function, paths, h.all_headers()) for h in chosen),
        relations=_relations(options.relation, tables),
    )  # fmt: skip


def _relations(text: str | None, tables: Sequence[ConvergenceTable]) -> tuple[Relation, ...]:
    """Return the relations that the option asks for: one for each table, or the one that is written."""
    from axmem.convergence.relations import WrongRelation, of_table, written

    if text is None:
        return ()
    if text == "maximal":
        return tuple(map(of_table, tables))
    try:
        return (written(text, tables[0].paths),)
    except WrongRelation as wrong:
        raise mistake("--relation", wrong.message, wrong.hint, text=text) from None


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


def _paths(function: FlowFunction, text: str) -> list[list[str]]:
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
