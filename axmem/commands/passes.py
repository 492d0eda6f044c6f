"""`axmem passes`: what passes of LLVM make of small functions that access memory, judged in every context."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from typing import TYPE_CHECKING

from axmem.front.exits import EXIT_CODES, NO_COUNTEREXAMPLE, OK, SOUNDNESS, UNKNOWN, ExitCodes
from axmem.front.options import Joined, Subparsers, add_command, add_shared, markup, natural, positive
from axmem.front.source import mistake

if TYPE_CHECKING:
    from collections.abc import Iterator

    from axmem.passes.fragments import Fragment
    from axmem.passes.trial import ChangeEntry, Trial, TrialOptions
    from axmem.report.tree import Document

EVENTS = 2
"""How many operations functions have at most, if nobody says."""
RANDOM_EVENTS = 4
"""The same of random functions."""
CONTEXT = 2
SECONDS = 30.0
TITLE = "LLVM's passes on trial"
HEAD = "`axmem passes{options}` with {version}: {space}; changes are judged in contexts of up to {context} operations."

DESCRIPTION = """\
Put passes of LLVM on trial: small functions that access memory go through opt, and what a pass changes is judged in
every context. Each distinct change is judged once, whatever passes make it and whatever stands around it.

  axmem passes --all --events 2                    every function of up to 2 operations, every pass
  axmem passes --passes gvn,dse --random 7         random functions
  axmem passes --passes 'default<O2>' --opt /llvm/bin/opt --all

An unsound change is shown with both functions, the smallest context that tells them apart, the page that has its cause
if it is known, and the command of opt.
"""
REACHED = {**SOUNDNESS, NO_COUNTEREXAMPLE: OK}
"""The codes of verdicts: contexts of the size that was asked for are enough."""
CODES = EXIT_CODES.replace("every expectation holds", "every change is sound").replace(
    "an expectation does not hold (fmt --check: a file is not canonical)", "a change is unsound"
)


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="passes",
        examples=(
            "axmem passes --passes instcombine --all --events 1 --context 1",
            "axmem passes --all --events 2 --run build/passes -j 2",
        ),
        description=DESCRIPTION,
        epilog=CODES,
    )
    parser.add_argument(
        "--passes", default="all", metavar="P,…", help="passes as opt names them, or all (default: all)"
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--all", action="store_true", help="every function of up to --events operations, up to symmetry")
    which.add_argument("--random", type=natural, metavar="SEED", help="random functions of up to --events operations")
    parser.add_argument(
        "--events",
        type=positive,
        metavar="N",
        help=f"operations of a function at most (default {EVENTS}, with --random {RANDOM_EVENTS})",
    )
    parser.add_argument("--count", type=positive, metavar="N", help="so many functions (default: all, or 10,000)")
    add_shared(parser, "timeout", help="seconds of a processor for each change and model (default 30)")
    parser.add_argument(
        "--timeout-all", type=positive, metavar="S",
        help="begin nothing more after so many seconds; the rest is counted",
    )
    parser.add_argument("--context", type=natural, metavar="N", help=f"operations of contexts (default {CONTEXT})")
    parser.add_argument(
        "--model", "--models", dest="models", action=Joined, default="llvm,amdgpu", metavar="A,B",
        help="judge changes under these (default: llvm,amdgpu)"
    )
    parser.add_argument("--generic", action="store_true", help="modules for no target (default: for AMDGPU)")
    parser.add_argument("--opt", default="opt-22", metavar="PATH", help="LLVM's opt (default: opt-22)")
    parser.add_argument("--run", metavar="DIR", help="keep answers in a directory, and ask what is not in it yet")
    parser.add_argument("--save", metavar="DIR", help="write a file for each unsound change, with the command of opt")
    add_shared(parser, "format", type=markup, choices=("text", "json", "markdown"))
    add_shared(parser, "jobs", "memory")
    parser.add_argument("--scheduler", metavar="S", help="do the work on a cluster of Dask's: local:N, tcp://HOST:PORT")
    add_shared(parser, "output")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.run.workers import workers
    from axmem.commands.pages.passes import entry_section, summary, tables
    from axmem.front.output import made_folder, output
    from axmem.front.progress import StatusLine
    from axmem.passes.trial import Trial
    from axmem.refinement.kept_findings import store_of
    from axmem.report.printers import printed
    from axmem.report.tree import Document

    asked = asked_by(options)
    space, fragments = space_of(options)
    trial = Trial(asked)
    store = store_of(options.run)
    save = made_folder(options.save)
    interrupt: KeyboardInterrupt | None = None
    with (
        output(options.output) as write,
        StatusLine(sys.stderr) as status,
        workers(options.jobs, megabytes=options.memory, scheduler=options.scheduler) as at_work,
    ):
        try:
            for entry in trial.run(fragments, at_work, store, status.show):
                _save(save, entry, trial)
                if options.format == "text":
                    status.clear()
                    write(printed(Document((entry_section(entry, trial),)), "text") + "\n")
        except KeyboardInterrupt as interrupted:
            trial.cut, interrupt = True, interrupted
        status.clear()
        if options.format == "text":
            write("".join(printed(Document((each,)), "text") + "\n" for each in tables(trial)))
            write(f"{summary(trial)}\n")
        else:
            write(printed(page(trial, space, options), options.format))
    if interrupt is not None:
        raise interrupt
    return _code(trial)


def page(trial: Trial, space: str, options: argparse.Namespace) -> Document:
    """Return the page of a trial."""
    from axmem.commands.pages.passes import document
    from axmem.refinement.opt_runs import version
    from axmem.report.tree import prose

    said = f" --passes {options.passes}" if options.passes != "all" else ""
    said += " --all" if options.all else f" --random {options.random}"
    head = HEAD.format(options=said, version=version(trial.asked.target.opt), space=space, context=trial.asked.context)
    return document(trial, TITLE, prose(head))


def asked_by(options: argparse.Namespace) -> TrialOptions:
    """Return what the options ask. Raises InputError for what is wrong with them."""
    from axmem.commands.answers import model_choices
    from axmem.passes.batches import AMDGPU, OptTarget
    from axmem.passes.passes import pass_names
    from axmem.passes.trial import TrialOptions

    opt = shutil.which(options.opt)
    if opt is None:
        raise mistake("--opt", f"there is no program '{options.opt}'", "--opt PATH names LLVM's opt", text=options.opt)
    passes = pass_names(options.passes)
    if not passes:
        raise mistake("--passes", "which passes? None is named", "names as opt has them, or all", text=options.passes)
    models = tuple(choice.label for choice in model_choices(options.models))
    triple, words, space = ("", (), 0) if options.generic else AMDGPU
    target = OptTarget(opt, triple, words, space)
    until = None if options.timeout_all is None else time.time() + options.timeout_all
    context = CONTEXT if options.context is None else options.context
    seconds = SECONDS if options.timeout is None else options.timeout
    return TrialOptions(target, passes, models, context, seconds=seconds, until=until)


def space_of(options: argparse.Namespace) -> tuple[str, Iterator[Fragment]]:
    """Return which functions are put on trial, in words, and these."""
    from itertools import chain, islice

    from axmem.front.output import counted
    from axmem.passes.enumeration import LARGEST, every, random

    if options.all:
        most = options.events or EVENTS
        if most > LARGEST:
            message = f"all functions of up to {LARGEST} operations can be enumerated"
            raise mistake("--events", message, "--random SEED tries larger ones", text=str(most))
        if options.count is None:
            words = f"every function of up to {counted(most, 'operation')}"
        else:
            words = f"the first {options.count} functions of up to {counted(most, 'operation')}"
        coming = chain.from_iterable(every(size) for size in range(1, most + 1))
        return words, islice(coming, options.count)
    number = options.count or 10_000
    most = options.events or RANDOM_EVENTS
    return f"{number} random functions of up to {counted(most, 'operation')}", islice(
        random(options.random, most), number
    )


def _code(trial: Trial) -> int:
    """Return the exit code: unknown, too, if not all was asked or opt did not do all."""
    codes = ExitCodes()
    codes.add(UNKNOWN if trial.cut or trial.failures else OK)
    for entry in trial.entries.values():
        for model in trial.asked.models:
            known = entry.known(model)
            codes.add(UNKNOWN if known is None else REACHED.get(known[1].verdict, UNKNOWN))
    return codes.code


def _save(folder: str | None, entry: ChangeEntry, trial: Trial) -> None:
    """Write the file of an unsound change."""
    if folder is None:
        return
    from axmem.commands.pages.passes import example, name, verdict_words
    from axmem.front.output import write_whole
    from axmem.passes.passes import case
    from axmem.refinement.inclusion import UNSOUND

    found = {m: known for m in trial.asked.models if (known := entry.known(m)) is not None}
    change = next(c for c, known in found.values() if known.verdict == UNSOUND)
    words = [f"{model}: {verdict_words(known)}" for model, (_, known) in found.items()]
    file = f"{name(entry)}.ll"
    text = case(change, trial.asked.target, example(entry, change), words, file)
    write_whole(os.path.join(folder, file), text)
