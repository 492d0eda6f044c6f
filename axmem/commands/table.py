"""`axmem table`: tables of verdicts and outcomes for documentation, and the pages of results/."""

from __future__ import annotations

import argparse

from axmem.front.exits import EXIT_CODES, OK, UNKNOWN, exit_code
from axmem.run.answers import add_options, model_choices

FORMATS = ("rst", "github", "html", "latex", "csv", "json")

DESCRIPTION = """\
Print a table with a row per test: what it shows, and under each model the verdict on its condition. Where a model
differs from the first one, the verdict is strong and its relation to the first stands beside it.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "table",
        help="print tables of outcomes",
        description=DESCRIPTION,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_options(parser, "llvm,amdgpu", "a column for each of these models", paths="*")
    parser.add_argument("--format", choices=FORMATS, default="rst", help="how to print (default: rst)")
    parser.add_argument("--outcomes", action="store_true", help="list the outcomes below each verdict")
    parser.add_argument(
        "--results",
        metavar="DIR",
        help="instead of a table, write the pages of results/ for one directory of tests (always llvm and amdgpu)",
    )
    parser.add_argument(
        "--lowering",
        action="store_true",
        help="instead of tests, tabulate what the backend emits for every operation; with --results write its pages",
    )
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.front.output import output
    from axmem.report.tables import Table, render, row_of
    from axmem.run.answers import tests

    if options.lowering:
        return _lowering(options)
    if not options.paths:
        raise _about("PATH", "give a test, or --lowering")
    if options.results is not None:
        return _write_pages(options)
    choices = model_choices(options.models)
    codes: set[int] = set()
    rows = []
    with output(options.output) as write:
        for answered in tests(options, choices, codes):
            rows.append(row_of(answered.test, answered.results))
            if any(result.verdict == "unknown" for result in answered.results):
                codes.add(UNKNOWN)
        table = Table(tuple(c.label for c in choices), tuple(rows))
        write(render(table, options.format, "outcomes" if options.outcomes else "verdicts"))
    return exit_code(codes)


def _write_pages(options: argparse.Namespace) -> int:
    """Write the pages of a results directory."""
    from pathlib import Path

    from axmem.report.pages import write_results

    corpus = Path(options.paths[0])
    if len(options.paths) != 1 or not corpus.is_dir():
        raise _about(" ".join(options.paths), "--results wants one directory of tests")
    written = write_results(corpus, Path(options.results))
    print(f"{options.results}: {len(written)} pages")
    return OK


def _lowering(options: argparse.Namespace) -> int:
    """Print the lowering of every operation, or write its pages."""
    from pathlib import Path

    from axmem.codegen.targets import DEFAULT_PROFILE
    from axmem.front.output import output
    from axmem.report.matrix import FORMATS as KNOWN
    from axmem.report.matrix import render, write_pages

    if options.paths:
        raise _about(options.paths[0], "--lowering is about operations and takes no tests")
    if options.results is not None:
        print(f"{options.results}: {len(write_pages(Path(options.results), DEFAULT_PROFILE))} pages")
        return OK
    if options.format not in KNOWN:
        raise _about("--format", f"--lowering prints {', '.join(KNOWN)}")
    with output(options.output) as write:
        write(render(DEFAULT_PROFILE, options.format))
    return OK


def _about(subject: str, message: str) -> Exception:
    from axmem.front.inputs import about_file
    from axmem.front.source import InputError

    return InputError([about_file(subject, message)])
