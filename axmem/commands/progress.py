"""`axmem kernel progress`: whether every execution of the launched kernels ends."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from axmem.check.progress.models import LIMIT, Progress, Verdict
from axmem.commands.kernels import add_kernel_choice, on_kernels
from axmem.front.exits import MISMATCH, OK, UNKNOWN, ExitCodes
from axmem.front.options import Subparsers, add_command, add_shared, positive
from axmem.front.records import replace
from axmem.front.source import mistake

if TYPE_CHECKING:
    from axmem.litmus.syntax import Kernel, LitmusTest

FORMATS = ("text", "json", "svg")
FAIR = Progress.FAIR.value
CODES = {Verdict.ENDS: OK, Verdict.ENDLESS: MISMATCH, Verdict.UNKNOWN: UNKNOWN}

DESCRIPTION = """\
Say whether every execution of the launched kernels ends, under a model of progress: to whom the scheduler is fair. All
interleavings are looked at, sequentially consistent ones, with loops as they are and without a bound. An execution that
need not end is shown as a schedule. Of a program with a data race, or
with undefined behaviour, nothing is said to end.
"""
EPILOG = """\
exit codes:
  0    every execution ends
  1    some execution need not end, or has undefined behaviour
  2    an input error: a file, a statement or an option is wrong
  3    unknown: there is a data race, there are more states than the limit allows, or a fault rests on what is guessed
  4    an internal error: a fault of axmem, which gives no answer
  130  interrupted
Where several apply, 4 wins over 2, 2 over 1, and 1 over 3.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="progress",
        examples=(
            "axmem kernel progress @examples/publish.litmus --kernel behind --model wave",
            "axmem kernel progress @examples/seen-too-late.litmus --memory llvm",
        ),
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    add_kernel_choice(parser)
    names = [model.value for model in Progress]
    model = f"{', '.join(names)}; may be given again (default: {names[0]})"
    parser.add_argument("--model", dest="models", action="append", choices=names, metavar="M", help=model)
    states = f"how many states to look at (default: {LIMIT})"
    parser.add_argument("--states", type=positive, default=LIMIT, metavar="N", help=states)
    memory = "fair alone: ask whether lanes can wait for ever in executions of this cat model, by the solver"
    parser.add_argument("--memory", metavar="MODEL", help=memory)
    add_shared(parser, "bound")
    add_shared(parser, "format", choices=FORMATS)
    add_shared(parser, "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.progress.answers import guarded, progress
    from axmem.commands.pages.progress import as_data, as_svg, launch_data, lines
    from axmem.front.output import document

    codes = ExitCodes()

    def shown(test: LitmusTest, kernels: list[Kernel]) -> str:
        launched = replace(test, kernels=tuple(kernels))
        if options.memory:
            return _under_memory(replace(launched, bound=options.bound or test.bound), options, codes)
        models = map(Progress, dict.fromkeys(options.models or [FAIR]))
        answers = guarded(launched, progress(launched, models, options.states))
        for answer in answers:
            codes.add(CODES[answer.verdict])
        if options.format == "json":
            found = [as_data(answer) for answer in answers]
            return document(test=test.name, launches=launch_data(launched), answers=found)
        if options.format == "svg":
            if len(answers) > 1:
                raise mistake("--model", f"{len(answers)} answers do not fit one picture", "give one model")
            return as_svg(launched, answers[0])
        return "\n".join(line for answer in answers for line in lines(launched, answer)) + "\n"

    return on_kernels(options, shown, codes)


def _under_memory(test: LitmusTest, options: argparse.Namespace, codes: ExitCodes) -> str:
    """Answer under a memory model."""
    from axmem.check.progress.awaits import waiting
    from axmem.check.selection import loaded
    from axmem.commands.pages.progress import launch_data, waiting_data, waiting_lines
    from axmem.front.output import document

    if options.models not in (None, [FAIR]):
        raise mistake("--model", "with --memory there is one model of progress, fair", text=" ".join(options.models))
    if options.format == "svg":
        raise mistake("--format", "there is no picture of an answer under --memory", text=options.format)
    answer = waiting(test, loaded(options.memory))
    codes.add(CODES[answer.verdict])
    if options.format == "json":
        return document(test=test.name, launches=launch_data(test), answers=[waiting_data(answer)])
    return "\n".join(waiting_lines(test, answer)) + "\n"
