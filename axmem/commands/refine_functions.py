"""`axmem refine FILE.ll` and `axmem refine BEFORE.ll AFTER.ll`: functions of LLVM IR against others.

What goes in: texts, the options of `axmem refine`, how far to go. What comes out: an answer for each pair of functions
and model as it is known, and the counts. A pair that cannot be read is an input error, and the others are answered.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from axmem.formats.ir.pairs import function_pairs
from axmem.front.exits import SOUNDNESS, ExitCodes
from axmem.front.output import document, output
from axmem.front.progress import Status
from axmem.front.source import mistake
from axmem.refinement.functions import UNCHANGED, JudgedPair, judged_pair, models_of
from axmem.report.judgement import judgement_lines, judgement_record, shown, summary
from axmem.report.listing_of_change import Listing, listing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from axmem.formats.ir.pairs import FunctionPair
    from axmem.front.source import Source
    from axmem.refinement.judging import Judgement, Question


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
    printed = 0
    with output(options.output) as write:
        for pair in function_pairs(*sources):
            with codes.part():
                for model in chosen or models_of(pair):
                    with Status(sys.stderr) as status:
                        known = judged_pair(pair, model, question, status.show)
                        counterexample = shown(known.judgement, model)
                    codes.add(SOUNDNESS[known.judgement.verdict])
                    if options.format == "json":
                        records.append(judgement_record(known.judgement, counterexample))
                    elif known.judgement.how != UNCHANGED or len(sources) == 1 or options.verbose:
                        listings = _listings(pair, known) if counterexample else ()
                        lines = judgement_lines(
                            known.judgement, counterexample, listings, verbose=options.verbose
                        )  # fmt: skip
                        write("\n" * bool(printed) + "".join(f"{line}\n" for line in lines))
                        printed += 1
                    found.append(known.judgement)
        if options.format == "json":
            write(document(refinements=records))
        elif len(found) != 1 or not printed:
            write("\n" * bool(printed) + f"{summary(found)}\n")
    return codes.code


def _listings(pair: FunctionPair, known: JudgedPair) -> tuple[Listing, ...]:
    """Return both functions as they are written."""
    assert known.reading is not None
    sides = zip((pair.before, pair.after), known.reading.tests, strict=True)
    return tuple(listing(side.module.source.text, side.function.span.line, test) for side, test in sides)
