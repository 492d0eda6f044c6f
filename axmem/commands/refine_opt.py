"""`axmem refine --opt-tests DIR`: are the changes sound that passes make in LLVM's own tests?"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from axmem.front.exits import ExitCodes, soundness_code
from axmem.front.source import mistake

if TYPE_CHECKING:
    from axmem.refinement.opt_tests import Answer

CONTEXT = 2
"""How many operations contexts have at most, if nobody says."""
SECONDS = 30.0
"""How long one function is asked about under one model, if nobody says."""
OPT = "opt-22"
TITLE = "LLVM's own tests"
HEAD = """\
`axmem refine --opt-tests {paths} --context {context}` runs the RUN lines of LLVM's tests that run {opt},
and asks of each function that does more with memory than plain loads and stores whether it was changed soundly.
{version}."""


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.run.workers import workers
    from axmem.check.selection import selection
    from axmem.commands.pages.opt_tests import answer_line, document, sections
    from axmem.front.output import output
    from axmem.front.progress import StatusLine
    from axmem.refinement.kept_findings import store_of
    from axmem.refinement.opt_runs import version
    from axmem.refinement.opt_tests import Answer, Asked, Unread, answers, files
    from axmem.report.printers import printed
    from axmem.report.tree import Document, prose

    opt = shutil.which(options.opt)
    if opt is None:
        raise mistake("--opt", f"there is no program '{options.opt}'", "--opt PATH names LLVM's opt", text=options.opt)
    paths = [*options.opt_tests, *options.paths]
    context = CONTEXT if options.context is None else options.context
    models = tuple(selection(options.choices).choices) if options.choices else ()
    asked = Asked(opt, models, context, SECONDS if options.timeout is None else options.timeout, options.every)
    named = files(paths)
    codes = ExitCodes()
    found: list[Answer | Unread] = []
    store = store_of(options.run)
    with (
        output(options.output) as write,
        StatusLine(sys.stderr) as status,
        workers(options.jobs, megabytes=options.memory) as at_work,
    ):
        for each in answers(named, asked, at_work, store, status.show):
            found.append(each)
            if isinstance(each, Answer) and each.model:
                codes.add(soundness_code(each.verdict, each.context, options.bounded))
            if options.format == "text":
                status.clear()
                write(answer_line(each) if isinstance(each, Answer) else f"{each.file}: {each.reason}\n")
        if options.format == "text":
            for section in sections(found):
                write(printed(Document((section,)), "text"))
        else:
            head = HEAD.format(paths=" ".join(paths), context=context, opt=options.opt, version=version(opt))
            write(printed(document(found, TITLE, prose(head)), options.format))
    if options.annotate:
        _annotate(options.annotate, named, [each for each in found if isinstance(each, Answer)])
    return codes.code


def _annotate(folder: str, named: list[tuple[str, str]], found: list[Answer]) -> None:
    """Write the tests in a directory, with what is known of their functions. Raises InputError if that cannot be."""
    from axmem.commands.pages.opt_tests import annotated
    from axmem.front.files import content

    for path, name in named:
        there = [each for each in found if each.file == name]
        if not there:
            continue
        text, target = content(path).decode("utf-8", errors="surrogateescape"), Path(folder, name)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(annotated(text, there).encode("utf-8", errors="surrogateescape"))
        except OSError as error:
            raise mistake("--annotate", f"'{target}' cannot be written: {error.strerror}", text=folder) from None
