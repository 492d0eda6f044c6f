"""`axmem repair`: the cheapest annotations that forbid an outcome, or the weakest that keep what a test expects."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import axmem
from axmem.formats.options import add_form
from axmem.front.exits import MISMATCH, OK, UNKNOWN, ExitCodes
from axmem.front.inputs import read_inputs
from axmem.front.options import Subparsers, add_command, add_shared, markup, positive
from axmem.front.output import counted
from axmem.front.source import mistake
from axmem.repairs import DEFAULT_TARGET, EXHAUSTIVE_EDITS, LIMIT

if TYPE_CHECKING:
    from axmem.repairs.repair import Repairs

FORMATS = ("text", "rst", "markdown", "html", "json")

DESCRIPTION = """\
Find the cheapest edits of a test's annotations that forbid an outcome, or that make one certain, under all of the
models: orderings, scopes, fences, availability and visibility operations, tags. Each repair is judged by the checker,
and none of its edits can be left out. With --weaken, find the weakest annotations that keep what the test expects.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="repair",
        examples=("axmem repair @corpus/base/MP+mono+mono.litmus --forbid 'P1:r0=1 /\\ P1:r1=undef' --limit 1",),
        description=DESCRIPTION,
    )
    add_shared(parser, "paths")
    add_form(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--forbid",
        metavar="CONDITION",
        help="the condition that no outcome may satisfy (default: the test's condition)",
    )
    what.add_argument(
        "--require", metavar="CONDITION", help="the condition that every outcome must satisfy (default for forall)"
    )
    what.add_argument(
        "--races", action="store_true", help="no execution may have a data race (default for kernels that ask nothing)"
    )
    parser.add_argument(
        "--weaken", action="store_true",
        help="weaken as far as the test's expectations, or the condition forbidden or required, are kept",
    )  # fmt: skip
    parser.add_argument(
        "--model", dest="models", action="append", default=[], metavar="M",
        help="a name or a .cat file, with variants; may be repeated: the answer must hold in all "
        "(default: the models that the test mentions)",
    )  # fmt: skip
    add_shared(parser, "variants", "dialect", "include")
    parser.add_argument(
        "--target", default=DEFAULT_TARGET, metavar="GFX",
        help=f"whose instructions are weighed, or 'none' (default: {DEFAULT_TARGET})",
    )  # fmt: skip
    add_shared(parser, "mode", "profile")
    parser.add_argument(
        "--cost", default="", metavar="W", help="weights, such as wait=2,system=20; or 'edits': only their size counts"
    )
    parser.add_argument(
        "--edits", metavar="KINDS",
        help="the kinds of edits: ordering, scope, access, fence, make, none, tags (these by default), silent; or all",
    )  # fmt: skip
    parser.add_argument("--max-edits", type=positive, metavar="N", help="edits in one repair (default: any number)")
    parser.add_argument(
        "--exhaustive", action="store_true",
        help=f"try every set of at most --max-edits edits ({EXHAUSTIVE_EDITS}), resting on no theorem about models",
    )  # fmt: skip
    repairs = f"repairs to list (default: {LIMIT})"
    parser.add_argument("--limit", type=positive, default=LIMIT, metavar="N", help=repairs)
    add_shared(parser, "timeout", help="seconds for each test")
    add_shared(parser, "format", type=markup, choices=FORMATS)
    parser.add_argument("-o", "--output", metavar="DIR", help="write each patched test to a file in this directory")
    parser.add_argument("--force", action="store_true", help="let -o replace files")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.limits import limited
    from axmem.check.selection import selection
    from axmem.codegen.targets import target
    from axmem.encoder.solve import Deadline
    from axmem.repairs.costs import parse_weights
    from axmem.repairs.repair import RepairSearch
    from axmem.repairs.task import edit_kinds
    from axmem.report.printers import printed
    from axmem.report.repair import document, section
    from axmem.report.tree import Document

    _check_combination(options)
    chosen = selection(options.models, options.variants)
    parse_weights(options.cost)
    on = None if options.target == "none" else target(options.target, options.mode, options.profile)
    search = RepairSearch(
        edit_kinds(options.edits), options.max_edits, options.exhaustive, options.limit, options.timeout
    )
    codes = ExitCodes()
    texts, errors = read_inputs(options.paths)
    codes.errors(errors)
    reports: list[Repairs] = []
    for text in texts:
        with codes.part(text.name):
            with limited(Deadline(options.timeout)):
                test = axmem.parse(text.text, text.name, options.form)
                found = axmem.repair(
                    test, chosen.models(test), forbid=options.forbid, require=options.require, weaken=options.weaken,
                    races=options.races, target=on, cost=options.cost, search=search,
                )  # fmt: skip
            reports.append(found)
            codes.add(_code(reports[-1]))
            if options.format == "text":
                print("\n" * (len(reports) > 1) + printed(Document((section(found),)), "text"), end="", flush=True)
    if options.format != "text":
        sys.stdout.write(printed(document(reports), options.format))
    if options.output is not None:
        _write(reports, options)
    return codes.code


def _check_combination(options: argparse.Namespace) -> None:
    """Raise InputError for options that exclude each other."""
    given = {"--edits": options.edits, "--max-edits": options.max_edits, "--exhaustive": options.exhaustive}
    for name, value in given.items():
        if options.weaken and value:
            message = f"--weaken does not go with {name}: it starts from the weakest annotations, not from edits"
            raise mistake("axmem repair", message)
    if options.target == "none" and options.mode:
        raise mistake("axmem repair", "--mode is about a target, and --target none is none")
    if options.force and options.output is None:
        raise mistake("axmem repair", "--force is about the files of -o, and there is none")


def _code(report: Repairs) -> int:
    """Return the exit code of one report."""
    from axmem.repairs.repair import RepairStatus

    if report.status is RepairStatus.UNKNOWN or report.cut or report.doubtful or report.contradicted:
        return UNKNOWN
    return MISMATCH if report.status in (RepairStatus.IMPOSSIBLE, RepairStatus.UNMET) else OK


def _write(reports: list[Repairs], options: argparse.Namespace) -> None:
    """Write the patched tests; two of one name get numbers."""
    from axmem.front.output import write_directory

    texts = dict(_named(reports))
    if texts:
        write_directory(texts, options.output, force=options.force)
    print(f"axmem: {counted(len(texts), 'patched test')} in {options.output}", file=sys.stderr)


def _named(reports: list[Repairs]) -> Iterator[tuple[str, str]]:
    seen: dict[str, int] = {}
    for report in reports:
        for repair in report.repairs:
            base = re.sub(r"[^\w.+=,-]", "_", repair.test.name)
            seen[base] = seen.get(base, 0) + 1
            yield f"{base}.litmus" if seen[base] == 1 else f"{base}.{seen[base]}.litmus", repair.text
