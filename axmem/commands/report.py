"""`axmem doc report`: a suite as a static site."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from axmem.commands.answers import add_options, model_choices
from axmem.commands.relations import add_specification, specification_addresses
from axmem.front.exits import INPUT_ERROR, INTERNAL_ERROR, MISMATCH, OK, UNKNOWN, ExitCodes, interrupt_code
from axmem.front.options import Subparsers, add_command, add_shared
from axmem.front.output import counted
from axmem.front.source import InputError, mistake
from axmem.report.site.found import EXPLAIN

if TYPE_CHECKING:
    from axmem.check.run.work import Done
    from axmem.report.site.found import Asked, TestFound
    from axmem.report.site.kept import KeptPages
    from axmem.report.site.site import Settings, Written

DESCRIPTION = """\
Write a suite as a static site: an overview with search and filters, a page for each test with its outcomes under each
model side by side, pictures and explanations, and a page for each model and rule with the tests that rest on it. The
pages need no server.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="report",
        examples=(
            "axmem doc report @corpus/axioms -o site/",
            "axmem doc report tests/ --models llvm,amdgpu --target gfx942 --run .axmem -j 0 -o site/",
        ),
        description=DESCRIPTION,
    )
    add_options(parser, "llvm,amdgpu", "the models, one column for each", output=False)
    parser.add_argument(
        "-o", "--output", metavar="DIR", required=True, help="the directory of the site, which is made if need be"
    )
    parser.add_argument("--title", default="Report", metavar="TEXT", help="the title of the overview (default: Report)")
    parser.add_argument(
        "--target", action="append", default=[], metavar="GFX",
        help="also lower each test for a processor (gfx942) or a family (gfx10), and verify it; may be repeated",
    )  # fmt: skip
    add_shared(parser, "profile")
    parser.add_argument(
        "--explain", choices=EXPLAIN, default="condition",
        help="what is explained and drawn: nothing; the condition, under the first model and those that differ; "
        "or all: under every model, with the reason of each undef (default: condition)",
    )  # fmt: skip
    parser.add_argument(
        "--mutants", metavar="FILE", help="a page that make mutants wrote: name the tests that each definition decides"
    )
    add_specification(parser)
    parser.add_argument("--run", metavar="DIR", help="keep every page in a directory, and make only those it lacks")
    parser.add_argument("--against", metavar="OLD", help="compare with an older site, by its directory")
    parser.add_argument("--force", action="store_true", help="replace files that axmem did not write")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.check.run.workers import workers
    from axmem.front.inputs import read_inputs
    from axmem.front.progress import ProgressLine
    from axmem.report.site.site import asked, write_site

    settings = _settings(options)
    codes = ExitCodes()
    texts, errors = read_inputs(options.paths)
    codes.errors(errors)
    if not texts:
        return codes.code
    questions = asked(((text.name, text.text) for text in texts), settings)

    def tell(done: Done[TestFound], found: TestFound) -> None:
        for message in found.messages:
            print(message, file=sys.stderr)
        codes.add(INTERNAL_ERROR if done.fault else _code(found))

    with (
        workers(options.jobs, len(questions), megabytes=options.memory) as at_work,
        _memory(options) as memory,
        ProgressLine(len(questions), sys.stderr) as progress,
    ):
        written = write_site(
            questions, settings, workers=at_work, memory=memory, following=progress.following, tell=tell
        )
    return _ended(options, questions, written, memory, codes)


def _ended(
    options: argparse.Namespace, questions: list[Asked], written: Written, memory: KeptPages | None, codes: ExitCodes
) -> int:
    """Say what was written, and return the exit code."""
    if memory is not None and memory.reused:
        print(f"axmem: {counted(memory.reused, 'page')} were in {options.run}", file=sys.stderr)
    done = len(written.tests)
    print(f"{options.output}: {counted(done, 'test')}, {counted(len(set(written.paths)), 'file')}")
    if written.changes:
        print(f"against {options.against}: {written.changes}")
    if written.interrupt is not None:
        left = len(questions) - done
        print(f"axmem: interrupted: {left} of {len(questions)} tests were not answered", file=sys.stderr)
        return interrupt_code(written.interrupt)
    return codes.code


def _settings(options: argparse.Namespace) -> Settings:
    """Return what the site is of. Raises InputError for wrong options."""
    from axmem.codegen.targets import target
    from axmem.report.site.found import PageContents, read_run
    from axmem.report.site.model_pages import read_mutants
    from axmem.report.site.site import Settings

    models = tuple(dict.fromkeys(choice.label for choice in model_choices(options.models)))
    targets = tuple(dict.fromkeys(options.target))
    for name in targets:
        target(name, "", options.profile)
    contents = PageContents(
        models=models,
        targets=targets,
        profile=options.profile,
        explain=options.explain,
        addresses=tuple(sorted(specification_addresses(options.specification).items())),
        seconds=options.timeout,
        bound=options.bound,
        form=options.form,
    )
    return Settings(
        directory=options.output,
        title=options.title,
        contents=contents,
        decided=read_mutants(_text_of(options.mutants), options.mutants) if options.mutants is not None else {},
        old=read_run(options.against, option="--against") if options.against is not None else None,
        force=options.force,
    )


def _text_of(path: str) -> str:
    from axmem.front.inputs import read_inputs

    texts, errors = read_inputs([path])
    if errors:
        raise InputError(errors)
    if len(texts) != 1:
        raise mistake("--mutants", "this is not one file", text=path)
    return texts[0].text


def _code(found: TestFound) -> int:
    """Return how a test ends the run: as `axmem run` would, or as `axmem verify`."""
    record = found.record
    verdicts = {each["verdict"] for each in record["targets"]}
    if record["status"] == "error":
        return INPUT_ERROR
    if record["status"] == "mismatch":
        return MISMATCH
    unknown = record["status"] == "unknown" or any(each["verdict"] == "unknown" for each in record["models"])
    return UNKNOWN if unknown or "unknown" in verdicts else OK


@contextmanager
def _memory(options: argparse.Namespace) -> Iterator[KeptPages | None]:
    """Provide what is kept of earlier runs, if a directory is given."""
    if options.run is None:
        yield None
        return
    from axmem.check.run.store import AnswerStore
    from axmem.report.site.kept import KeptPages

    store = AnswerStore(options.run, lambda note: print(note, file=sys.stderr))
    with store.locked():
        yield KeptPages(store)
