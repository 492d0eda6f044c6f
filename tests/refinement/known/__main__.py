"""`python -m tests.refinement.known`: ask of all pairs, and print the table of what is answered.

What comes out: a line for each pair, with what was expected and what was answered under each model, of contexts of how
many operations, and in how many seconds of a processor. Exit code 1 if one is wrongly called sound. With `--tabled` the
pairs are those made from tables, with `--only TEXT` those whose labels have the text in them; with `--results` all are
asked, and the table is written to results/known.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.paths import RESULTS
from tests.refinement.known.judging import Answer, asked
from tests.refinement.known.library import Pair, library
from tests.refinement.known.table import LIMIT, TABLED, TABLED_LIMIT, page, wrongly_sound
from tests.refinement.known.tabled import right, wrong
from tests.spread import ended, spread

RESULT = RESULTS / "known.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="the pairs whose labels contain this text")
    parser.add_argument("--tabled", action="store_true", help="the pairs that are made from tables")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", action="store_true", help="write results/known.md")
    options = parser.parse_args(arguments)
    tabled = (*wrong(), *right())
    known = (*library(), *tabled) if options.results else tabled if options.tabled else library()
    pairs = [pair for pair in known if options.only in pair.label]
    answers = list(zip(pairs, spread(_asked, pairs, options.jobs), strict=True))
    text = page(answers)
    if options.results and not options.only:
        RESULT.write_text(text, encoding="utf-8")
    print(text, end="")
    return 1 if wrongly_sound(answers) else 0


def _asked(pair: Pair) -> tuple[Answer, ...]:
    return asked(pair, TABLED_LIMIT if pair.topic in TABLED else LIMIT)


if __name__ == "__main__":
    sys.exit(ended(main))
