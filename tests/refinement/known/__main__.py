"""`python -m tests.refinement.known`: ask of all pairs, and print the table of what is answered.

What comes out: a line for each pair and model, with what was expected, what was answered, of contexts of how many
operations, and in how many seconds; then how many are right, and exit code 1 if one is wrongly called sound. With
`--tabled` the pairs are those made from tables, with `--only TEXT` those whose labels have the text in them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from tests.refinement.known.judging import judge
from tests.refinement.known.library import MODELS, SOUND, library
from tests.refinement.known.tabled import right, wrong

COLUMNS = ("change", "report", "model", "expected", "answered", "operations", "seconds", "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="the pairs whose labels contain this text")
    parser.add_argument("--tabled", action="store_true", help="the pairs that are made from tables")
    parser.add_argument("--limit", type=float, default=10, help="seconds for each question (default: 10)")
    parser.add_argument("--model", action="append", choices=MODELS, help="under which model (default: both)")
    options = parser.parse_args(arguments)
    for row in (COLUMNS, ["---"] * len(COLUMNS)):
        print(f"| {' | '.join(row)} |", flush=True)
    counts: Counter[str] = Counter()
    for pair in (*wrong(), *right()) if options.tabled else library():
        for model in options.model or MODELS if options.only in pair.label else ():
            expected, found = pair.verdicts[model], judge(pair, model, options.limit)
            kind = "right" if found.verdict == expected else found.verdict
            kind = f"wrongly {SOUND}" if kind == SOUND else kind
            counts[kind] += 1
            note = "" if kind == "right" else found.said
            print(
                f"| {pair.label} | {pair.head['report']} | {model} | {expected} | {found.verdict} "
                f"| {found.context} | {found.seconds:.1f} | {note} |",
                flush=True,
            )
    print("\n" + ", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    return 1 if counts[f"wrongly {SOUND}"] else 0


if __name__ == "__main__":
    sys.exit(main())
