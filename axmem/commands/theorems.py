"""`axmem prove --bounded`: the properties that the documents claim, or transformations of loops, checked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from axmem.front.exits import EXIT_CODES, MISMATCH, OK, UNKNOWN, ExitCodes
from axmem.front.options import Subparsers, add_command, add_shared, check_listed, markup, positive
from axmem.front.source import Diagnostic, InputError, did_you_mean, mistake

if TYPE_CHECKING:
    from axmem.check.run.jobs import Workers
    from axmem.check.run.store import AnswerStore
    from axmem.refinement.bounded_check import Claim, Finding
    from axmem.refinement.claims import Theorem

DESCRIPTION = """\
Check the properties that the documents claim of the models, each over every program up to its bound: five of the AMDGPU
document, what MMRA's says of deleting, merging and reordering, and how the two models lie in each other. A property is
expected to hold or to be refuted; the exit code is 1 if one comes out otherwise.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="theorems",
        examples=("axmem prove --bounded --list", "axmem prove --bounded P5 --events 1"),
        description=DESCRIPTION,
        epilog=EXIT_CODES.replace("every expectation holds", "every property comes out as expected"),
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="a theorem, or the beginning of the names of several (default: all)"
    )
    parser.add_argument(
        "--optimizations",
        action="store_true",
        help="check the transformations that LLVM makes, instead of the theorems",
    )
    transforms = "check which transformations of which bodies of loops are sound, instead; NAME is a transformation"
    parser.add_argument("--transforms", action="store_true", help=transforms)
    parser.add_argument(
        "--list", action="store_true", help="list the theorems with their statements, sources and bounds"
    )
    parser.add_argument(
        "--events",
        type=positive,
        metavar="N",
        help="the most operations of a program, or of a context (default: the bound of each theorem)",
    )
    add_shared(parser, "format", type=markup, choices=("text", "markdown", "json"))
    parser.add_argument(
        "--results",
        metavar="DIR",
        help="write theorems.md, .csv and .json (optimizations.md), and the programs that refute, there; "
        "with NAME, the rows of other theorems stay unchanged",
    )
    parser.add_argument("--force", action="store_true", help="let --results replace files that were not generated")
    parser.add_argument("--run", metavar="DIR", help="keep findings in a directory, and check only what it lacks")
    add_shared(parser, "jobs", "memory")
    add_shared(parser, "timeout", help="seconds for each question to the solver")
    add_shared(parser, "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if options.transforms:
        return _transforms(options)
    from axmem.check.run.workers import workers
    from axmem.commands.pages import optimizations
    from axmem.commands.pages.theorems import as_csv, beside_others, document, kept_rows, listings, write_results
    from axmem.front.output import output
    from axmem.refinement.kept_findings import store_of
    from axmem.report.printers import printed

    chosen = _chosen(options)
    page = optimizations.document if options.optimizations else document
    if options.results and (options.events or (options.names and options.optimizations)):
        message = "these tables are of all theorems to their bounds"
        raise mistake("--results", message, "leave out NAME and --events", text=options.results)
    if options.list:
        check_listed(options)
        with output(options.output) as write:
            write(printed(listings(chosen), "text"))
        return OK
    others = kept_rows(options.results) if options.results and options.names else {}
    codes = ExitCodes()
    with output(options.output) as write, workers(options.jobs, megabytes=options.memory) as at_work:
        rows = list(
            _rows(
                options=options,
                chosen=chosen,
                workers=at_work,
                store=store_of(options.run),
                write=write,
                codes=codes,
            )
        )
        if options.format != "text":
            write(printed(document(rows), "json") if options.format == "json" else printed(page(rows), "markdown"))
    if options.results and options.optimizations:
        write_results(
            options.results, rows, {"md": printed(page(rows), "markdown")}, "optimizations", force=options.force
        )
    elif options.results:
        rows = beside_others(rows, others, options.results) if options.names else rows
        made = document(rows)
        pages = {"md": printed(made, "markdown"), "csv": as_csv(rows), "json": printed(made, "json")}
        write_results(options.results, rows, pages, force=options.force)
    return codes.code


def _rows(
    options: argparse.Namespace,
    chosen: Sequence[Theorem],
    workers: Workers,
    store: AnswerStore | None,
    write: Callable[[str], object],
    codes: ExitCodes,
) -> Iterator[tuple[Theorem, Claim, Finding]]:
    """Check one claim after the other; each is printed and kept as soon as it is decided."""
    from axmem.commands.pages.theorems import row_text
    from axmem.refinement.kept_findings import kept

    number, total = 0, sum(len(list(theorem.claims())) for theorem in chosen)
    for theorem in chosen:
        for claim, full in theorem.claims():
            bound = min(full, options.events or full)
            number += 1
            head = f"claim {number} of {total}: {theorem.key}  "
            found = kept(store, claim, bound, partial(_found, claim, bound, options.timeout, workers, head))
            as_expected = found.status == theorem.expected or (bound < full and found.status == "holds")
            if found.status == "unknown" and not as_expected:
                codes.add(UNKNOWN)
            elif not as_expected:
                codes.add(MISMATCH)
            if options.format == "text":
                write(f"{row_text(theorem, claim, found, expected=as_expected)}\n")
            yield theorem, claim, found


def _found(claim: Claim, bound: int, seconds: float | None, workers: Workers, head: str) -> Finding:
    """Check a claim, and show meanwhile how far that is."""
    from axmem.front.progress import ProgressLine
    from axmem.refinement.bounded_check import check, family_count

    with ProgressLine(family_count(claim, bound), sys.stderr, head) as progress:
        return check(claim, bound, seconds, workers, progress.step)


def _chosen(options: argparse.Namespace) -> tuple[Theorem, ...]:
    from axmem.refinement.optimizations import OPTIMIZATIONS
    from axmem.refinement.theorems import THEOREMS

    names, table = options.names, OPTIMIZATIONS if options.optimizations else THEOREMS
    chosen = [t for t in table if not names or any(t.key.startswith(name) for name in names)]
    errors: list[Diagnostic] = []
    for name in names:
        if not any(t.key.startswith(name) for t in table):
            hint = did_you_mean(name, [t.key for t in table]) or "axmem prove --bounded --list"
            errors += mistake("axmem prove --bounded", f"no theorem '{name}'", hint, text=name).diagnostics
    if errors:
        raise InputError(errors)
    return tuple(chosen)


def _transforms(options: argparse.Namespace) -> int:
    """Judge transformations of loops; return 3 if something is not known, 1 if what is unsound is not refused.

    It is 1 as well if, of the whole table, a sound change of order has no killing mutant.
    """
    from axmem.check.run.workers import workers
    from axmem.commands.pages.transforms import document, write_results
    from axmem.front.exits import MISMATCH, OK, UNKNOWN
    from axmem.front.output import output
    from axmem.refinement.kept_findings import store_of
    from axmem.refinement.transforms import SMALL, WIDE, cells, killers, questions
    from axmem.report.printers import printed

    if options.results and (options.names or options.events):
        raise mistake(
            "--results", "this table is of all transformations", "leave out NAME and --events", text=options.results
        )
    wide = options.events or WIDE
    asked = list(questions(wide, max(SMALL, wide) if not options.events else wide))
    names = list(dict.fromkeys(q.deed for q in asked))
    for name in options.names:
        if not any(n.startswith(name) for n in names):
            raise mistake("axmem prove --bounded", f"no transformation '{name}'", did_you_mean(name, names), text=name)
    asked = [q for q in asked if not options.names or any(q.deed.startswith(name) for name in options.names)]
    codes = ExitCodes()
    found = []
    with output(options.output) as write, workers(options.jobs, megabytes=options.memory) as at_work:
        if options.list:
            write("".join(f"{q.deed}  {q.body}  {q.model}\n" for q in asked))
            return OK
        for cell in cells(asked, store_of(options.run), at_work):
            found.append(cell)
            q = cell.question
            verdict = "nothing can be made" if cell.impossible else cell.verdict
            if not cell.impossible and not cell.refused:
                codes.add({"sound": OK, "unsound": MISMATCH, "unknown": UNKNOWN}[cell.verdict])
            if options.format == "text":
                forced = "refused  " if cell.refused else ""
                write(f"{q.deed}  {q.body}  {q.model}  {forced}{verdict}\n")
        if options.format != "text":
            write(printed(document(found), options.format))
    whole = not options.names and not options.events
    if whole and any(killer is None for killer in killers(found).values()):
        codes.add(MISMATCH)
    if options.results:
        write_results(options.results, found, force=options.force)
    return codes.code
