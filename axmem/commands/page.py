"""`axmem doc page`: tests as the pages of a specification: programs, outcomes under any models, reasons, pictures."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

import axmem
from axmem.commands.answers import add_options, model_choices
from axmem.commands.relations import add_specification, check_shown, shown, specification_addresses
from axmem.front.exits import UNKNOWN, ExitCodes
from axmem.front.options import Subparsers, add_command
from axmem.front.source import mistake

if TYPE_CHECKING:
    from axmem.commands.answers import Answered
    from axmem.litmus.syntax import ModelChoice
    from axmem.report.specification_pages import Shown

FORMATS = {"myst": ".md", "rst": ".rst", "markdown": ".md", "html": ".html", "latex": ".tex"}
"""The formats of the page, and how the names of such files end."""
INLINE = ("html", "latex")
"""The formats that have pictures in the page itself."""

DESCRIPTION = """\
Print tests as the author of a specification needs them: of each test the program, its outcomes under each model side
by side, the verdicts with the rules that exclude an outcome, why each undef is one, a picture of an execution, and the
rules with links to the sections of the specifications.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="page",
        examples=(
            "axmem doc page @corpus/base/MP+rel+acq.litmus --format html -o MP.html",
            "axmem doc page tests/ --models 'amdgpu,amdgpu-doc' -o docs/memory-model/",
        ),
        description=DESCRIPTION,
    )
    add_options(parser, "llvm,amdgpu", "the models, one column for each")
    parser.add_argument(
        "--format", choices=tuple(FORMATS), default="myst", help="the format of the output (default: myst)"
    )
    parser.add_argument("--title", default="", metavar="TEXT", help="the title of the page (default: none)")
    parser.add_argument(
        "--show",
        metavar="R,R",
        help="the relations in pictures (default: po, rf, mo, sw, hb and lo, as far as a model has them)",
    )
    add_specification(parser)
    parser.add_argument("--force", action="store_true", help="let -o DIR/ replace files")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.commands.answers import tests
    from axmem.front.output import names_directory, output, write_directory
    from axmem.report.printers import printed
    from axmem.report.specification_pages import page

    folder = options.output is not None and names_directory(options.output)
    inline = options.format in INLINE
    if not folder and not inline:
        hint = "name a directory, which ends in /, as in -o pages/, or take --format html or latex, which need none"
        raise mistake("--output", "pictures are files beside the page", hint, text=options.output or "-")
    addresses = specification_addresses(options.specification)
    show = shown(options)
    choices = model_choices(options.models)
    codes = ExitCodes()
    with tests(options, choices, codes) as answers:
        found = [_shown(answered, choices, options.timeout, codes) for answered in answers]
    for explanation in (each for test in found for each in test.answers.values()):
        check_shown(show or (), explanation)
    document, pictures = page(found, title=options.title, addresses=addresses, show=show, inline=inline)
    text = printed(document, options.format)
    if not folder:
        with output(options.output) as write:
            write(text)
        return codes.code
    files = {f"index{FORMATS[options.format]}": text}
    files |= {name: printed(picture, "svg") for name, picture in pictures.items()}
    write_directory(files, options.output, force=options.force)
    for name in files:
        print(os.path.join(options.output, name))
    return codes.code


def _shown(answered: Answered, choices: tuple[ModelChoice, ...], seconds: float | None, codes: ExitCodes) -> Shown:
    """Return a test with all that its part of the page says."""
    from axmem.explanations.explanation import ExplainedAnswer
    from axmem.report.specification_pages import Shown, undef_outcomes

    results, answers, undef = {}, {}, {}
    for choice, result in zip(choices, answered.results, strict=True):
        label = choice.label
        if result.verdict == "unknown":
            codes.add(UNKNOWN)
        results[label] = result
        answers[label] = axmem.explain(answered.test, choice, seconds=seconds)
        undef[label] = tuple(
            (outcome, axmem.explain(answered.test, choice, outcome=outcome, seconds=seconds))
            for outcome in undef_outcomes(result)
        )
        if any(each.answer is ExplainedAnswer.UNKNOWN for each in (answers[label], *(e for _, e in undef[label]))):
            codes.add(UNKNOWN)
    return Shown(answered.test, results, answers, undef)
