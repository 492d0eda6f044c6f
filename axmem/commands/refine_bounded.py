"""`axmem refine --rule` and `--models A B --events N`: over all programs up to a bound.

What goes in: the options of `axmem refine`. What comes out: a verdict for each claim with its bound and its space of
programs; of one that is unsound the smallest programs that show it, with explanations.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from axmem.commands.space import space_given, wanted
from axmem.front.exits import OK, ExitCodes, soundness_code
from axmem.front.inputs import read_inputs
from axmem.front.output import counted
from axmem.front.records import replace
from axmem.front.source import InputError, Source, did_you_mean, mistake

if TYPE_CHECKING:
    from axmem.litmus.syntax import ModelChoice
    from axmem.refinement.bounded.bound import Bound
    from axmem.refinement.bounded_check import Claim, Finding
    from axmem.refinement.rules import Rule

CONTEXT = 3
"""How many operations the contexts of a rule have at most, if nobody says."""


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    _nothing_else(options)
    if options.rules:
        return _list(options)
    return _check(options, _rule(options) if options.rule else [_models(options)])


def _nothing_else(options: argparse.Namespace) -> None:
    """Refuse options that say something else."""
    form = "--rules" if options.rules else "--rule" if options.rule else "--models with --events"
    for given, option in ((options.paths, "PATH"), (options.entries, "--map"), (options.bound, "--bound")):
        if given:
            message = f"{form} is about all programs up to a bound, and {option} about given ones"
            raise mistake(option, message, text=str(given) if option == "--bound" else given[0])
    if options.models and (options.rule or options.rules):
        hint = "--model M says under which model a rule is checked"
        raise mistake("--models", f"--models is not for {form}", hint, text=" ".join(options.models))


def _list(options: argparse.Namespace) -> int:
    from axmem.front.output import document, output
    from axmem.refinement.rules import BY_NAME

    width = max(len(rule.name) for rule in BY_NAME.values())
    with output(options.output) as write:
        if options.format == "json":
            rules = [{"name": r.name, "text": r.text, "space": r.space.words()} for r in BY_NAME.values()]
            write(document(rules=rules))
        else:
            write("".join(f"{rule.name:{width}}  {rule.text}\n" for rule in BY_NAME.values()))
    return OK


# ---------------------------------------------------------------- what is claimed


def _rule(options: argparse.Namespace) -> list[tuple[str, Claim]]:
    """Return the claims that a rule is sound, one for each model, with their titles."""
    from axmem.check.selection import DEFAULT_MODEL, selection
    from axmem.refinement.bounded_check import rule_claim

    choices = selection(options.choices or [DEFAULT_MODEL]).choices
    rule = _named(options.rule)
    space = _space(options, rule.space)
    return [(f"{rule.name}  {c.label}", rule_claim(rule, c, space, options.threads)) for c in dict.fromkeys(choices)]


def _space(options: argparse.Namespace, space: Bound) -> Bound:
    """Return a space of programs, changed as the user wants it."""
    from axmem.refinement.bounded.constructs import narrowed
    from axmem.refinement.rules import FULL

    return narrowed(space, FULL, wanted(options))


def _named(text: str) -> Rule:
    """Return the rule of a name, or that of a file; raise InputError."""
    from axmem.refinement.rules import BY_NAME

    if text in BY_NAME:
        return BY_NAME[text]
    if text.endswith(".rule") or "/" in text:
        from axmem.refinement.fragments import parse_rule

        texts, errors = read_inputs([text])
        if errors:
            raise InputError(errors)
        return parse_rule(Source(texts[0].name, texts[0].text))
    hint = did_you_mean(text, BY_NAME) or "axmem refine --rules lists them; a rule of your own is a FILE.rule"
    raise mistake("--rule", f"there is no rule '{text}'", hint, text=text)


def _models(options: argparse.Namespace) -> tuple[str, Claim]:
    """Return the claim that every outcome of the first model is one of the second."""
    from axmem.refinement.bounded_check import models_claim
    from axmem.refinement.rules import FULL

    first, second = two_models(options)
    if options.context is not None:
        hint = "--events N says how many operations the programs have"
        raise mistake(
            "--context", "two models are compared on programs, without a rule", hint, text=str(options.context)
        )
    space = _space(options, replace(FULL, finals=True)) if space_given(options) else None
    return f"{first.label} within {second.label}", models_claim(first, second, space, options.threads)


# ---------------------------------------------------------------- what is found


def _check(options: argparse.Namespace, claims: list[tuple[str, Claim]]) -> int:
    from axmem.check.run.workers import workers
    from axmem.commands.pages.bounded import finding_record, finding_section
    from axmem.front.output import document, output
    from axmem.front.progress import ProgressLine
    from axmem.refinement.bounded_check import check, family_count, verdict_of
    from axmem.report.printers import printed
    from axmem.report.tree import Document

    codes = ExitCodes()
    records = []
    with output(options.output) as write, workers(options.jobs, megabytes=options.memory) as at_work:
        for title, claim in claims:
            events = _bound(options, claim)
            with ProgressLine(family_count(claim, events), sys.stderr) as progress:
                found = _applied(check(claim, events, options.timeout, at_work, progress.step))
            verdict = verdict_of(found)
            codes.add(soundness_code(verdict, found.events, enough=0))
            if options.format == "json":
                records.append(finding_record(title, claim, found, verdict, options.timeout))
            else:
                section = finding_section(title, claim, found, verdict, options.timeout)
                write(printed(Document((section,)), "text"))
        if options.format == "json":
            write(document(refinements=records))
    return codes.code


def _bound(options: argparse.Namespace, claim: Claim) -> int:
    """Return how many operations programs have at most, or the contexts of a rule."""
    events: int | None = options.events
    context: int | None = options.context
    if events is None or not claim.rule:
        return events or (CONTEXT if context is None else context)
    if context is not None:
        message = "--context counts the operations around a rule, --events those of the rule besides"
        raise mistake("--events", message, "leave one of them out", text=str(events))
    if events < claim.size:
        message = f"the rule itself has {counted(claim.size, 'operation')}"
        raise mistake("--events", message, "--context N counts those around it", text=str(events))
    of = f"{claim.size} of {counted(events, 'operation')} {'is' if claim.size == 1 else 'are'} the rule's own"
    print(f"axmem: note: {of}; --context {events - claim.size} says the same", file=sys.stderr)
    return events - claim.size


def _applied(found: Finding) -> Finding:
    """Return a finding, which is unknown if there was nothing to find: a rule that applies nowhere is a mistake."""
    if found.families or found.status != "holds":
        return found
    reason = "the rule applies to no program of the space; do its conditions exclude each other?"
    return replace(found, status="unknown", events=0, reasons=(reason,))


def two_models(options: argparse.Namespace) -> tuple[ModelChoice, ModelChoice]:
    """Return the models of `--models`; raise InputError for options that do not go with it and unknown models."""
    from axmem.check.selection import selection

    for option, given in (("--model", options.choices), ("--map", options.entries)):
        if given:
            message = f"{option} is not for --models, which compares two models on one test"
            raise mistake(option, message, text=str(given) if option == "--bound" else given[0])
    first, second = selection(options.models, option="--models").choices
    return first, second
