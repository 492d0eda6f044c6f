"""`python -m tests.compiled`: the suite of axmem verify, whole kernels, and random programs of one thread and of
seq_cst operations alone, through llc; exit 1 if any is unsound for a reason that no finding has."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial

from axmem.mapping.suite import suite
from tests.compiled.compare import KERNELS, KINDS, SUITE, WHOLE, Verdict, verdicts
from tests.spread import ended, spread

SHOWN = 5
"""How many programs are printed of those that nothing explains."""
COUNTS = {"single": 2000, "pair": 1000, "arithmetic": 1000, "floats": 500}


def main(arguments: list[str] | None = None) -> int:
    """Compile and verify; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.compiled", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--llc", default="llc-22", help="default: llc-22")
    parser.add_argument("--kind", choices=[SUITE, KERNELS, *KINDS], help="only these tests")
    parser.add_argument("--start", type=int, default=0, metavar="N", help="the number of the first program (default 0)")
    parser.add_argument("--count", type=int, metavar="N", help="how many programs of each kind")
    options = parser.parse_args(arguments)
    unexplained = 0
    for kind in [options.kind] if options.kind else [SUITE, KERNELS, *KINDS]:
        fixed = {SUITE: len(suite()), KERNELS: len(WHOLE)}
        count = fixed.get(kind) or options.count or COUNTS[kind]
        numbers = range(count) if kind in fixed else range(options.start, options.start + count)
        found = [one for row in spread(partial(verdicts, kind, options.llc), numbers, options.jobs) for one in row]
        unexplained += report(kind, found)
    return 1 if unexplained else 0


def report(kind: str, found: list[Verdict]) -> int:
    """Print what came of tests of a kind; return how many are unexplained."""
    if kind in (SUITE, KERNELS):
        for one in found:
            if one.word == "unsound":
                print(f"{one.target}  {one.name}  {one.finding or 'unexplained'}")
    bad = [one for one in found if (one.word == "unsound" and not one.finding) or one.word == "refused"]
    for one in bad[:SHOWN]:
        print(f"{one.target}: {one.word} {one.said}\n{one.text}")
    words = Counter((one.word, one.finding) for one in found)
    for (word, finding), count in sorted(words.items()):
        print(f"{kind}: {count} {word}{finding and f' ({finding})'}", flush=True)
    return len(bad)


if __name__ == "__main__":
    sys.exit(ended(main))
