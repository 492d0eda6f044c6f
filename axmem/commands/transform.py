"""`axmem kernel transform`: a kernel after transformations of its loops, and whether they are sound."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from axmem.commands.kernels import add_kernel_choice, on_kernels
from axmem.commands.loopmd import add_question, question_of
from axmem.commands.transform_check import add_check, checked
from axmem.front.exits import MISMATCH, ExitCodes
from axmem.front.options import Subparsers, add_command, add_shared
from axmem.front.records import replace
from axmem.front.source import Diagnostic, mistake

if TYPE_CHECKING:
    from axmem.litmus.syntax import Kernel, LitmusTest

DESCRIPTION = """\
Transform the loops of a kernel as LLVM's passes do: print the kernel that comes of it, or with --check say whether its
outcomes are among those before, as it is and in every context of a few operations more.
"""
EPILOG = """\
exit codes:
  0    transformed; with --check, sound
  1    refused, for it would be wrong; with --check, unsound
  2    an input error: a file, a transformation or an option is wrong
  3    with --check, unknown
  4    an internal error: a fault of axmem, which gives no answer
  130  interrupted
Where several apply, 4 wins over 2, 2 over 1, and 1 over 3.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="transform",
        examples=(
            "axmem kernel transform @examples/flag-then-data.litmus --apply 'unroll(h, 2)'",
            "axmem kernel transform @examples/unroll-enable.litmus --metadata --pipeline O1",
            "axmem kernel transform @examples/flag-then-data.litmus --apply 'unroll(h, 2)' --check --events 1",
        ),
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    add_kernel_choice(parser)
    what = "what to do, in order: 'unroll(h, 2); licm(h)'; a loop has the name of its header"
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--apply", metavar="TEXT", help=what)
    asked = "do what the loop metadata asks for, as axmem kernel loopmd says, and the options that it shares with this"
    way.add_argument("--metadata", action="store_true", help=asked)
    parser.add_argument(
        "--force", action="store_true", help="do a transformation although it is refused as wrong, where it is possible"
    )
    add_question(parser)
    add_check(parser)
    add_shared(parser, "format", "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.convergence.kernels import checked as well_formed
    from axmem.front.output import document
    from axmem.transform.applying import Refused, apply_all
    from axmem.transform.executed import executed
    from axmem.transform.final_registers import observed_of
    from axmem.transform.identities import names_in

    _refuse_idle(options)
    codes = ExitCodes()

    def shown(test: LitmusTest, kernels: list[Kernel]) -> str:
        records, texts = [], []
        for kernel in kernels:
            well_formed(kernel, test)
            try:
                wanted = [] if options.check or options.weakest else observed_of(test, kernel)
                reserved = names_in(test)
                known = {"force": options.force or options.weakest, "observed": wanted, "reserved": reserved}
                asked, made = (
                    executed(kernel, question_of(options), **known)
                    if options.metadata
                    else (options.apply, apply_all(kernel, options.apply, **known))
                )
            except Refused as refused:
                codes.add(MISMATCH)
                records.append({"kernel": kernel.name, "refused": [r.reason for r in refused.refusals]})
                texts.append(f"{kernel.name}  refused: {refused}\n")
                continue
            others = (made.kernel if k.name == kernel.name else k for k in test.kernels)
            after = replace(test, kernels=tuple(others))
            text = _printed(after, kernel.name, asked)
            if options.check or options.weakest:
                record, text = checked(options, test, kernel, (asked, made), codes)
            else:
                _report_lost_promises(test, after)
                record = {"kernel": kernel.name, "text": text}
            records.append(record)
            texts.append(text)
        if options.format == "json":
            return document(test=test.name, kernels=records)
        return "\n".join(texts)

    return on_kernels(options, shown, codes)


def _refuse_idle(options: argparse.Namespace) -> None:
    """Raise InputError for options that would be without effect."""
    if options.check and options.weakest:
        message = "--weakest judges every strength, that of the kernel among them"
        raise mistake("--check", message, "give one of the two")
    for option in ("do", "dont"):
        told = getattr(options, option)
        if told and not options.metadata:
            hint = "--apply says itself what is done; with --metadata costs may decide"
            raise mistake(f"--{option}", "without --metadata there is nothing to decide", hint, text=told[0])
    if options.progress and not options.check:
        raise mistake("--progress", "it is a part of --check", "add --check", text=options.progress[0])


def _printed(after: LitmusTest, kernel: str, asked: str) -> str:
    """Return the text of a test with a transformed kernel, which is read again, and its tokens checked.

    Raises InputError, located in that text, if it is ill-formed: places in what was given say nothing of it.
    """
    from axmem.convergence.kernels import checked as well_formed
    from axmem.litmus.parser import parse
    from axmem.litmus.printer import print_test

    text = print_test(after)
    again = parse(text, f"{after.source.name} after {asked or 'no transformation'}")
    well_formed(next(each for each in again.kernels if each.name == kernel), again)
    return text


def _report_lost_promises(before: LitmusTest, after: LitmusTest) -> None:
    """Print the promises of accesses that no loop around them has part in any more, at their places before."""
    from axmem.litmus.loop_rules import dangling

    known = set(dangling(before))
    for span, message, hint in dict.fromkeys(dangling(after)):
        if (span, message, hint) not in known:
            print(Diagnostic(before.source, span, f"afterwards {message}", hint, "warning"), file=sys.stderr)
