"""`axmem verify --hunt`: random programs through llc, and their machine code verified."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING

from axmem.front.exits import EXIT_CODES, OK, SOUNDNESS, UNKNOWN, ExitCodes
from axmem.front.options import Subparsers, add_command, add_shared, natural, positive

if TYPE_CHECKING:
    from collections.abc import Iterable

    from axmem.passes.hunting import Caught

SECONDS, TIMEOUT = 600, 20
DESCRIPTION = """\
Hunt for faults of LLVM's backend: random programs of messages between threads go through llc, and the machine code is
verified on the abstract machine. Programs that differ from the repaired tables in the same instructions are tried a few
times; what is unsound is explained by the page of its cause, and made as small as it can be if there is none.
"""
CODES = EXIT_CODES.replace("every expectation holds", "nothing is unsound but by a known cause").replace(
    "an expectation does not hold (fmt --check: a file is not canonical)", "something is unsound that no page explains"
)


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="hunt",
        examples=("axmem verify --hunt --llc llc-22 --target gfx942 --timeout-all 600 -j 2",),
        description=DESCRIPTION,
        epilog=CODES,
    )
    parser.add_argument("--llc", required=True, metavar="LLC", help="LLVM's llc, such as llc-22")
    parser.add_argument("--target", required=True, metavar="GFX", help="a processor (gfx942)")
    parser.add_argument("--random", type=natural, default=0, metavar="SEED", help="which programs (default: 0)")
    parser.add_argument("--timeout-all", type=positive, metavar="S", help=f"how long to hunt (default {SECONDS})")
    parser.add_argument("--count", type=positive, metavar="N", help="so many programs instead")
    parser.add_argument("--save", metavar="DIR", help="write the program of each fault that no page explains")
    add_shared(parser, "timeout", help=f"seconds for each verification (default {TIMEOUT})")
    add_shared(parser, "format", "jobs", "memory", "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.run.workers import workers
    from axmem.codegen.targets import target
    from axmem.commands.pages.hunt import caught_section, hunt_record, tables
    from axmem.front.output import document, made_folder, output, write_whole
    from axmem.front.progress import StatusLine
    from axmem.mapping.compiled import profile_of
    from axmem.passes.hunting import Hunt
    from axmem.report.printers import printed
    from axmem.report.tree import Document

    target(options.target)
    profile_of(options.llc)
    hunt = Hunt(options.target, options.llc, options.random)
    seconds = options.timeout_all or (None if options.count else SECONDS)
    until = None if seconds is None else time.time() + seconds
    save = made_folder(options.save)
    interrupt: KeyboardInterrupt | None = None
    with (
        output(options.output) as write,
        StatusLine(sys.stderr) as status,
        workers(options.jobs, megabytes=options.memory) as at_work,
    ):
        try:
            for number, each in enumerate(
                hunt.run(until, options.count, at_work, status.show, options.timeout or TIMEOUT), 1
            ):
                status.clear()
                if save and not each.pages:
                    write_whole(os.path.join(save, f"fault-{number}.litmus"), each.text)
                if options.format == "text":
                    write(printed(Document((caught_section(each, number, hunt),)), "text") + "\n")
        except KeyboardInterrupt as interrupted:
            interrupt = interrupted
        status.clear()
        if options.format == "json":
            write(document(hunt=hunt_record(hunt)))
        else:
            write("".join(printed(Document((each,)), "text") for each in tables(hunt)))
    if interrupt is not None:
        raise interrupt
    return _code(hunt.found.values(), unknown=hunt.cut)


def _code(found: Iterable[Caught], *, unknown: bool) -> int:
    """Return the exit code: known faults are no news."""
    codes = ExitCodes()
    codes.add(UNKNOWN if unknown else OK)
    for each in found:
        codes.add(OK if each.pages else SOUNDNESS[each.verdict])
    return codes.code
