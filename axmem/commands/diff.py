"""`axmem diff`: the smallest programs that tell two models apart."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import axmem
from axmem.commands.space import add_space
from axmem.front.exits import INTERRUPTED, MISMATCH, OK, UNKNOWN, interrupt_code
from axmem.front.options import Subparsers, add_command, add_shared, markup, positive
from axmem.front.source import mistake
from axmem.refinement import EVENTS, LOCATIONS, THREADS

if TYPE_CHECKING:
    from collections.abc import Callable

    from axmem.litmus.syntax import ModelChoice
    from axmem.refinement.difference import Differences, Listener

FORMATS = ("text", "markdown", "json")
DIRECTIONS = ("weaker", "stronger", "any")

DESCRIPTION = """\
Search all programs up to a bound, smallest first, for those that tell two models apart: one of the models permits an
outcome that the other does not match, undef standing above every value. The search covers everything that either
model speaks of; options narrow it. What it found is judged by the checker, made plain, and explained under both
models. docs/diff.md says what a bound covers.
"""
EXAMPLES = (
    "axmem diff llvm 'llvm[coh=langref]' --events 2 --constructs none",
    "axmem diff amdgpu amdgpu-doc --each-variant --events 5 -j 0 --run amdgpu.run",
    "axmem diff llvm 'llvm[mmra=endtoend]' --registers-only --constructs tags --threads 2",
)


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="diff",
        examples=EXAMPLES,
        description=DESCRIPTION,
    )
    parser.add_argument("first", metavar="MODEL_A", help="a name or a .cat file, with variants in brackets")
    parser.add_argument("second", metavar="MODEL_B", help="likewise; what is said is said of it against the first")
    _add_bound(parser)
    _add_work(parser)


def _add_bound(parser: argparse.ArgumentParser) -> None:
    bound = parser.add_argument_group("the bound")
    bound.add_argument(
        "--events", type=positive, default=EVENTS, metavar="N", help=f"operations at most (default: {EVENTS})"
    )
    add_space(bound, "what the models speak of", threads=THREADS, locations=LOCATIONS)
    bound.add_argument("--registers-only", action="store_true", help="outcomes do not show final values")


def _add_work(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--direction", choices=DIRECTIONS, default="any", help="what MODEL_B must be on the program (default: any)"
    )
    parser.add_argument(
        "--all-up-to-symmetry", action="store_true", help="every program of the smallest size, as it was found"
    )
    parser.add_argument("--most", type=positive, metavar="N", help="stop after so many programs (default: 1)")
    parser.add_argument(
        "--each-variant", action="store_true", help="search for each variant in which the models differ, one at a time"
    )
    parser.add_argument("--brief", action="store_true", help="no explanations")
    parser.add_argument(
        "--run", metavar="DIR", help="keep findings in a directory, and continue from those that it has"
    )
    add_shared(parser, "jobs", "memory")
    add_shared(parser, "timeout", help="seconds for the whole search")
    parser.add_argument("--expect", choices=("same", "different"), help="exit with 1 if the answer is another one")
    add_shared(parser, "format", type=markup, choices=FORMATS)
    add_shared(parser, "output")
    parser.add_argument("--tests", metavar="DIR", help="write the tests there too, with the list @all")
    parser.add_argument("--force", action="store_true", help="replace tests that are there already")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.refinement.bounded.judge import SearchDisagreement
    from axmem.refinement.bounded.printed import Misprinted

    try:
        return _search(options)
    except (SearchDisagreement, Misprinted) as error:
        wrong = (
            "the search and the checker disagree on"
            if isinstance(error, SearchDisagreement)
            else "axmem check warns of"
        )
        print(f"axmem: {wrong} this program; please report it\n{error}", file=sys.stderr)
        return UNKNOWN


def _search(options: argparse.Namespace) -> int:
    """Search, print, and return the exit code."""
    from axmem.commands.pages.distinctions import document
    from axmem.front.output import output
    from axmem.generate import write_suite
    from axmem.report.printers import printed

    searches = _searches(options)
    found: list[Differences] = []
    code = INTERRUPTED
    with output(options.output) as write:
        try:
            _differences(options, searches, found, write)
        except KeyboardInterrupt as interrupt:
            if not (found and found[-1].interrupted):
                raise
            code = interrupt_code(interrupt)
        if options.format != "text":
            write(printed(document(found), options.format))
    tests = [test for report in found for test in report.distinctions]
    if options.tests and tests:
        write_suite(tests, options.tests, force=options.force)
    if found[-1].interrupted:
        print("axmem: interrupted", file=sys.stderr)
        return code
    return _exit_code(found, options.expect)


def _differences(
    options: argparse.Namespace,
    searches: list[tuple[ModelChoice, ModelChoice]],
    found: list[Differences],
    write: Callable[[str], object],
) -> None:
    """Add what comes of each search to `found`, up to one that is interrupted; write it as it comes if it is text."""
    from axmem.check.run.workers import workers
    from axmem.commands.pages.distinctions import answer
    from axmem.refinement.difference import DiffSearch, Programs

    every = options.all_up_to_symmetry
    programs = Programs(
        events=options.events, threads=options.threads, locations=options.locations,
        finals=not options.registers_only, constructs=options.constructs, orderings=options.orderings,
        scopes=options.scopes, tags=options.tags, placements=options.placements,
    )  # fmt: skip
    until = None if options.timeout is None else time.time() + options.timeout
    listening = _listener(write if options.format == "text" else None)
    with workers(options.jobs, megabytes=options.memory) as at_work, listening as listener:
        for first, second in searches:
            search = DiffSearch(
                options.direction, options.most or (None if every else 1), plainer=not every,
                explained=not options.brief, seconds=None if until is None else until - time.time(),
            )  # fmt: skip
            report = axmem.diff(first, second, programs, search, run=options.run, listener=listener, workers=at_work)
            found.append(report)
            if options.format == "text":
                write(f"\n{answer(report)}\n" + "\n" * (len(found) < len(searches)))
            if report.interrupted:
                return


def _exit_code(found: list[Differences], expected: str | None) -> int:
    complete = all(report.complete for report in found)
    differ = any(report.distinctions for report in found)
    if (expected == "same" and differ) or (expected == "different" and not differ and complete):
        return MISMATCH
    return OK if complete else UNKNOWN


def _searches(options: argparse.Namespace) -> list[tuple[ModelChoice, ModelChoice]]:
    """Return the pairs of models to search. Raises InputError for models that do not load."""
    from axmem.check.selection import loaded, parse_choice
    from axmem.refinement.difference import pairs

    first, second = parse_choice(options.first, "MODEL_A"), parse_choice(options.second, "MODEL_B")
    for choice in (first, second):
        loaded(choice)
    if not options.each_variant:
        return [(first, second)]
    found = pairs(first, second)
    if not found:
        message = "the models differ in no variant of the first"
        raise mistake("--each-variant", message, "leave --each-variant out to compare them as they are")
    return found


@contextmanager
def _listener(write: Callable[[str], object] | None) -> Iterator[Listener]:
    """Provide a listener that writes what comes, if text is wanted, and shows on the terminal what is searched."""
    from axmem.commands.pages.distinctions import distinction_blocks, heading, level_line
    from axmem.front.progress import StatusLine
    from axmem.refinement.difference import Listener
    from axmem.report.printers import printed
    from axmem.report.tree import Block, Document, Paragraph

    with StatusLine(sys.stderr) as status:
        listener = Listener(
            shape=lambda events, shape: status.show(f"threads of {'+'.join(map(str, shape))} operations")
        )
        if write is not None:

            def say(*blocks: Block, before: str = "", after: str = "") -> None:
                status.clear()
                write(before + printed(Document(blocks), "text") + after)

            listener.heading = lambda report: say(heading(report), after="\n")
            listener.level = lambda level: say(
                Paragraph(level_line(level.events, len(level.found), level.unfinished))
            )
            listener.test = lambda test: say(*distinction_blocks(test), before="\n")
        yield listener
