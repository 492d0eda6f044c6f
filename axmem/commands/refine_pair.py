"""`axmem refine BEFORE AFTER`: one program against another.

What goes in: the options of `axmem refine`. What comes out: an answer for each pair and model: sound in every context
of up to so many operations, unsound with the smallest context, or unknown.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import axmem
from axmem.front.exits import ExitCodes, soundness_code
from axmem.front.inputs import InputText, read_inputs
from axmem.front.source import Diagnostic, InputError, Source, mistake

if TYPE_CHECKING:
    from collections.abc import Sequence

    from axmem.litmus.syntax import LitmusTest, ModelChoice
    from axmem.refinement.judging import Question


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    question = _question(options)
    texts = _texts(options.paths)
    if _are_functions(texts, options.form):
        from axmem.commands import refine_functions

        return refine_functions.main(options, [Source(text.name, text.text) for text in texts], question)
    before, after = _tests(texts, options)
    return _answered(options, before, after, question)


def _are_functions(texts: Sequence[InputText], form: str) -> bool:
    """Whether texts are modules of LLVM IR whose functions are compared: one, or two of which no comment says more."""
    from axmem.formats.ir.pairs import is_said
    from axmem.formats.reading import form_of

    forms = [form_of(text.text, text.name, form) for text in texts]
    if len(texts) not in (1, 2) or any(found is None or found.reader != "ir" for found in forms):
        return False
    return len(texts) == 1 or not any(is_said(Source(text.name, text.text)) for text in texts)


def _question(options: argparse.Namespace) -> Question:
    """Return how far to go; raise InputError for options that exclude each other."""
    from axmem.refinement.judging import SECONDS, Question

    if options.closed and options.context is not None:
        message = "--closed asks of the two programs alone, --context of every context"
        raise mistake("--context", message, "leave one of the two out", text=str(options.context))
    if options.closed and options.map_iterations is not None:
        message = "--map-iterations is not for --closed"
        raise mistake("--map-iterations", message, "--context 0 asks without a context", text=options.map_iterations)
    if options.entries and options.map_iterations is not None:
        raise mistake("--map", "with --map-iterations registers are named there alone", text=options.entries[0])
    text, name = options.map_iterations or "", "--map-iterations"
    if "=" not in text and text.strip():
        (found,) = _texts([text])
        name, text = found.name, found.text
    seconds = SECONDS if options.timeout is None else options.timeout
    context = options.bounded if options.context is None else options.context
    return Question(context, seconds, options.closed, tuple(options.entries), Source(name, text))


def _texts(paths: Sequence[str]) -> list[InputText]:
    """Return the text of each path; raise InputError for one that cannot be read or is several."""
    found: list[InputText] = []
    diagnostics: list[Diagnostic] = []
    for path in paths:
        texts, errors = read_inputs([path])
        diagnostics += errors
        if not errors and len(texts) != 1:
            raise mistake("axmem refine", f"one test is meant here, and there are {len(texts)}", text=path)
        found += texts
    if diagnostics:
        raise InputError(diagnostics)
    return found


# ---------------------------------------------------------------- two tests


def _tests(texts: Sequence[InputText], options: argparse.Namespace) -> tuple[LitmusTest, LitmusTest]:
    from axmem.litmus.parser import with_bound

    if len(texts) != 2:
        given = "no path is" if not texts else "one path is" if len(texts) == 1 else f"{len(texts)} paths are"
        hint = "axmem refine BEFORE.litmus AFTER.litmus, or tests with --models A B"
        raise mistake("axmem refine", f"two tests are compared, and {given} given", hint, text=" ".join(options.paths))
    found: list[LitmusTest] = []
    diagnostics: list[Diagnostic] = []
    for text in texts:
        try:
            found.append(with_bound(axmem.parse(text.text, text.name, options.form), options.bound))
        except InputError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise InputError(diagnostics)
    return found[0], found[1]


def _chosen(options: argparse.Namespace, before: LitmusTest, after: LitmusTest) -> tuple[ModelChoice, ...]:
    """Return the models to refine under: those given, those that the tests mention, or amdgpu."""
    from axmem.check.selection import mentioned, runs, selection
    from axmem.litmus.syntax import ModelChoice

    if options.choices:
        return tuple(dict.fromkeys(selection(options.choices).choices))
    test = before if mentioned(before) or not mentioned(after) else after
    return tuple(ModelChoice(reference, model.changed) for reference, model in runs(test, (), {}))


def _answered(options: argparse.Namespace, before: LitmusTest, after: LitmusTest, question: Question) -> int:
    """Print an answer for each model."""
    from axmem.commands.refine_certificate import certify
    from axmem.front.output import document, output
    from axmem.front.progress import StatusLine
    from axmem.refinement.judging import Judgement, judged
    from axmem.report.judgement import judgement_record, judgement_section, shown
    from axmem.report.printers import printed
    from axmem.report.tree import Document

    codes = ExitCodes()
    said: list[Judgement] = []
    records = []
    with output(options.output) as write:
        for index, model in enumerate(_chosen(options, before, after)):
            with StatusLine(sys.stderr) as status:
                found = judged(before, after, model, question, status.show)
                counterexample = shown(found, model)
            codes.add(soundness_code(found.verdict, found.context, options.bounded))
            said.append(found)
            if options.format == "json":
                records.append(judgement_record(found, counterexample))
            else:
                section = judgement_section(found, counterexample, verbose=options.verbose)
                write("\n" * bool(index) + printed(Document((section,)), "text"))
        if options.format == "json":
            write(document(refinements=records))
    certify(options.certificate, said, options.paths)
    return codes.code
