"""`axmem kernel transform --check`: is a transformation sound?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from axmem.check.progress.models import Progress
from axmem.front.exits import SOUNDNESS, ExitCodes, soundness_code
from axmem.front.options import add_shared, natural
from axmem.front.source import mistake

if TYPE_CHECKING:
    from axmem.litmus.syntax import Kernel, LitmusTest, ModelChoice
    from axmem.report.tree import Block
    from axmem.transform.applying import Transformed


def add_check(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("soundness")
    group.add_argument(
        "--check", action="store_true", help="check whether the transformation is sound, instead of printing the kernel"
    )
    events = "the most operations of a context (default: 2)"
    group.add_argument("--events", type=natural, default=2, metavar="N", help=events)
    strong = "say how strong orderings, scope and tags of the kernel's operations may be while it stays sound"
    group.add_argument("--weakest", action="store_true", help=strong)
    model = "under which model; may be repeated (default: llvm and amdgpu)"
    group.add_argument("--model", dest="choices", action="append", default=[], metavar="M", help=model)
    names = [each.value for each in Progress]
    ends = f"also whether what ended before ends after, under a model of progress: {', '.join(names)}; may be repeated"
    group.add_argument("--progress", action="append", choices=names, default=[], metavar="M", help=ends)
    add_shared(parser, "timeout", help="seconds for each question to the solver, or for each context")


def checked(
    options: argparse.Namespace, test: LitmusTest, kernel: Kernel, done: tuple[str, Transformed], codes: ExitCodes
) -> tuple[dict[str, Any], str]:
    """Return the verdicts on a transformed kernel, as JSON and as text, and note how they came out.

    What has been done is the transformations as a text, `""` if the metadata asks for none, and the kernel after them.
    """
    from axmem.check.selection import selection
    from axmem.commands.pages import soundness as report
    from axmem.encoder.solve import Limits
    from axmem.refinement.participants import participants
    from axmem.refinement.soundness import change_of, endings, outcomes_sound

    text, made = done
    if options.weakest:
        return _strengths(options, test, kernel, text)
    change = change_of(test, kernel, made)
    title = text or "no transformation"
    shown: list[Block] = []
    records = []
    for model in dict.fromkeys(selection(options.choices or ["llvm", "amdgpu"]).choices):
        found = outcomes_sound(change, model, options.events, limits=Limits(seconds=options.timeout))
        codes.add(soundness_code(report.outcome_verdict(found), found.finding.events, enough=0))
        shown.append(report.outcome_section(title, found, model))
        records.append(report.outcome_record(title, found, model))
    here = participants(change)
    codes.add(SOUNDNESS[here.verdict])
    shown.append(report.participant_section(here))
    ends = endings(change, [Progress(name) for name in dict.fromkeys(options.progress)])
    for ending in ends:
        codes.add(SOUNDNESS[ending.verdict])
        shown.append(report.ending_line(ending))
    record = {
        "kernel": kernel.name,
        "outcomes": records,
        "participants": report.participant_record(here),
        "endings": [report.ending_record(ending) for ending in ends],
    }
    return record, _text(shown)


def _text(shown: Sequence[Block]) -> str:
    """Return sections below each other, without empty lines between them."""
    from axmem.report.printers import printed
    from axmem.report.tree import Document

    return "".join(printed(Document((block,)), "text") for block in shown)


def _strengths(options: argparse.Namespace, test: LitmusTest, kernel: Kernel, text: str) -> tuple[dict[str, Any], str]:
    """Return for each model the maximal sound choices of strength, and the minimal unsound ones."""
    from axmem.check.selection import selection
    from axmem.commands.pages import soundness as report
    from axmem.encoder.solve import Limits
    from axmem.refinement.soundness import change_of, outcomes_sound
    from axmem.refinement.weakest import IMPOSSIBLE, weakest
    from axmem.transform.applying import Refused, apply_all

    if not text:
        message = f"the metadata of '{kernel.name}' asks for no transformation"
        raise mistake("--weakest", message, "name one with --apply")
    shown: list[Block] = []
    records = []
    for model in dict.fromkeys(selection(options.choices or ["llvm", "amdgpu"]).choices):
        without: dict[str, None] = {}

        def verdict(
            test: LitmusTest, kernel: Kernel, model: ModelChoice = model, without: dict[str, None] = without
        ) -> str:
            try:
                change = change_of(test, kernel, apply_all(kernel, text, force=True))
            except Refused:
                return IMPOSSIBLE
            found = outcomes_sound(change, model, options.events, limits=Limits(seconds=options.timeout))
            without |= dict.fromkeys(found.without)
            return report.VERDICT_OF[found.finding.status]

        found = weakest(test, kernel, verdict)
        title = f"{text}  {model.label}"
        shown.append(report.weakest_section(title, options.events, found, tuple(without)))
        records.append(report.weakest_record(model.label, found, tuple(without)))
    return {"kernel": kernel.name, "weakest": records}, _text(shown)
