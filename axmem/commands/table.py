"""`axmem doc table`: tables of verdicts and outcomes for documentation, and the pages of results/."""

from __future__ import annotations

import argparse
import sys

from axmem.commands.answers import add_options, model_choices
from axmem.front.exits import OK, UNKNOWN, ExitCodes
from axmem.front.options import Subparsers, add_command, markup
from axmem.front.source import mistake

FORMATS = ("rst", "markdown", "html", "latex", "csv", "json")

DESCRIPTION = """\
Print a table with a row per test: what it shows, and under each model the verdict on its condition. Where a model
differs from the first one, the verdict is strong and its relation to the first stands beside it.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="table",
        examples=("axmem doc table @corpus/axioms --format html --outcomes -o axioms.html",),
        description=DESCRIPTION,
    )
    add_options(parser, "llvm,amdgpu", "the models, one column for each", paths="*")
    parser.add_argument(
        "--format", type=markup, choices=FORMATS, default="rst", help="the format of the output (default: rst)"
    )
    parser.add_argument("--outcomes", action="store_true", help="list the outcomes below each verdict")
    parser.add_argument(
        "--results",
        metavar="DIR",
        help="instead of a table, write the pages of results/ for one directory of tests (always llvm and amdgpu)",
    )
    parser.add_argument("--force", action="store_true", help="let --results replace files that were not generated")
    parser.add_argument(
        "--lowering",
        action="store_true",
        help="instead of tests, tabulate what the backend emits for every operation; with --results write its pages",
    )
    layout = "with --lowering: as the code-sequence tables of LLVM's AMDGPUUsage, in rst"
    parser.add_argument("--layout", choices=("amdgpu-usage",), help=layout)
    parser.add_argument("--reasons", action="store_true", help="with --layout: what each instruction is needed for")
    parser.add_argument("--profile", default="", metavar="P", help="with --lowering: whose code, as in axmem lower")
    loops = "instead of tests, show where document and LLVM 22 differ on loop metadata; with --results write the page"
    parser.add_argument("--loops", action="store_true", help=loops)


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.commands.answers import tests
    from axmem.front.output import output
    from axmem.report.outcome_tables import OutcomeTable, render, row_of

    for option, without in (("--layout", "--lowering"), ("--reasons", "--layout"), ("--profile", "--lowering")):
        if getattr(options, option[2:]) and not getattr(options, without[2:]):
            raise mistake(option, f"it goes with {without}")
    if options.lowering:
        return _lowering(options)
    if options.loops:
        return _loops(options)
    if not options.paths:
        raise mistake("PATH", "give a test, --lowering or --loops")
    if options.results is not None:
        return _write_pages(options)
    choices = model_choices(options.models)
    codes = ExitCodes()
    rows = []
    with output(options.output) as write, tests(options, choices, codes) as answers:
        for answered in answers:
            rows.append(row_of(answered.test, answered.results))
            if any(result.verdict == "unknown" for result in answered.results):
                codes.add(UNKNOWN)
        table = OutcomeTable(tuple(c.label for c in choices), tuple(rows))
        write(render(table, options.format, "outcomes" if options.outcomes else "verdicts"))
    return codes.code


def _write_pages(options: argparse.Namespace) -> int:
    """Write the pages of a results directory."""
    from pathlib import Path

    from axmem.commands.pages.results_pages import write_results
    from axmem.front.progress import StatusLine

    corpus = Path(options.paths[0])
    if len(options.paths) != 1 or not corpus.is_dir():
        raise mistake(" ".join(options.paths), "--results wants one directory of tests")
    with StatusLine(sys.stderr) as status:
        written = write_results(corpus, Path(options.results), force=options.force, show=status.show)
    print(f"{options.results}: {len(written)} pages")
    return OK


def _lowering(options: argparse.Namespace) -> int:
    """Print the lowering of every operation, or write its pages."""
    from pathlib import Path

    from axmem.codegen.targets import NEWEST_LLVM, known_profile
    from axmem.commands.pages.lowering_tables import FORMATS, LAYOUTS, document, write_pages
    from axmem.front.output import output
    from axmem.report.printers import printed

    profile = known_profile(options.profile or NEWEST_LLVM)
    if options.paths:
        raise mistake(options.paths[0], "--lowering is about operations and takes no tests")
    if options.layout and options.results is not None:
        raise mistake("--results", "--layout prints one text")
    if options.results is not None:
        written = write_pages(Path(options.results), profile, force=options.force)
        print(f"{options.results}: {len(written)} pages")
        return OK
    formats = ("rst",) if options.layout else FORMATS
    if options.format not in formats:
        raise mistake("--format", f"{'--layout' if options.layout else '--lowering'} prints {', '.join(formats)}")
    with output(options.output) as write:
        if options.layout:
            write(LAYOUTS[options.layout](profile, reasons=options.reasons))
        else:
            write(printed(document(profile), options.format))
    return OK


def _loops(options: argparse.Namespace) -> int:
    """Print where the profiles of loop metadata differ, or write the page."""
    from pathlib import Path

    from axmem.commands.pages.loop_profiles import page, write_page
    from axmem.front.output import output
    from axmem.report.printers import printed

    if options.paths:
        raise mistake(options.paths[0], "--loops is about loop metadata and takes no tests")
    if options.results is not None:
        print(f"{options.results}: {len(write_page(Path(options.results), force=options.force))} page")
        return OK
    with output(options.output) as write:
        write(printed(page(), "markdown"))
    return OK
