"""`axmem refine FILE.ll` and `axmem refine BEFORE.ll AFTER.ll`: functions of LLVM IR against others.

What goes in: texts, the options of `axmem refine`, how far to go. What comes out: an answer for each pair of functions
and model as it is known, and the counts. A pair that cannot be read is an input error, and the others are answered.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from axmem.commands.refine_certificate import certify
from axmem.formats.ir.pairs import function_pairs
from axmem.front.exits import ExitCodes, OutOfTime, fault, soundness_code
from axmem.front.output import document, output
from axmem.front.progress import StatusLine
from axmem.front.source import InputError, mistake
from axmem.refinement.functions import UNCHANGED, JudgedPair, judged_pair, models_of
from axmem.report.judgement import judgement_record, judgement_section, shown, summary
from axmem.report.listing_of_change import Listing, listing
from axmem.report.printers import printed
from axmem.report.tree import Document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from axmem.formats.ir.pairs import FunctionPair
    from axmem.front.source import Source
    from axmem.litmus.syntax import ModelChoice
    from axmem.refinement.judging import Judgement, Question
    from axmem.report.judgement import Shown


def main(options: argparse.Namespace, sources: Sequence[Source], question: Question) -> int:
    """Run the command and return its exit code."""
    from axmem.check.selection import selection

    for name, given in (("--map", options.entries[:1]), ("--map-iterations", [options.map_iterations])):
        if given and given[0] is not None:
            message = f"{name} is for tests: of functions nobody sees registers"
            raise mistake(name, message, "functions of the same name are compared", text=given[0])
    chosen = tuple(dict.fromkeys(selection(options.choices).choices)) if options.choices else ()
    codes = ExitCodes()
    found: list[Judgement] = []
    records = []
    shown_pairs, pairs = 0, function_pairs(*sources)
    with output(options.output) as write:
        for pair, known, counterexample in _judged(pairs, chosen, question, codes, options.bounded):
            found.append(known.judgement)
            if options.format == "json":
                records.append(judgement_record(known.judgement, counterexample))
            elif known.judgement.how != UNCHANGED or len(sources) == 1 or options.verbose:
                listings = _listings(pair, known) if counterexample else ()
                section = judgement_section(known.judgement, counterexample, listings, verbose=options.verbose)
                write("\n" * bool(shown_pairs) + printed(Document((section,)), "text"))
                shown_pairs += 1
        if options.format == "json":
            write(document(refinements=records))
        elif len(pairs) > 1 or len(found) != shown_pairs:
            unread = len(pairs) - len({(each.before, each.after) for each in found})
            write("\n" * bool(shown_pairs) + f"{summary(found, unread)}\n")
    certify(options.certificate, found, options.paths)
    return codes.code


def _judged(
    pairs: Sequence[FunctionPair],
    chosen: Sequence[ModelChoice],
    question: Question,
    codes: ExitCodes,
    bounded: int | None,
) -> Iterator[tuple[FunctionPair, JudgedPair, Shown | None]]:
    """Yield what is known of each pair under each model; what ends one of several does not end the others."""
    question = question.sharing() if len(pairs) > 1 else question
    for pair in pairs:
        with codes.part():
            for model in chosen or models_of(pair):
                try:
                    with StatusLine(sys.stderr) as status:
                        known = judged_pair(pair, model, question, status.show)
                        counterexample = shown(known.judgement, model)
                except (InputError, OutOfTime):
                    raise
                except Exception as error:
                    if len(pairs) == 1:
                        raise
                    codes.fault(f"@{pair.before.function.name}", fault(error))
                    continue
                codes.add(soundness_code(known.judgement.verdict, known.judgement.context, bounded))
                yield pair, known, counterexample


def _listings(pair: FunctionPair, known: JudgedPair) -> tuple[Listing, ...]:
    """Return both functions as they are written."""
    assert known.reading is not None
    sides = zip((pair.before, pair.after), known.reading.tests, strict=True)
    return tuple(listing(side.module.source.text, side.function.span.line, test) for side, test in sides)
