"""What may change places in a thread, against the search of all contexts: every pair of operations, both ways.

`python -m tests.long.crossing`. What goes in: under which models, and how many operations contexts have at most. What
comes out: for each pair of operations, on two locations and on one, what the table of `axmem.transform.crossing` says
and the verdict of the rule that swaps them. A swap that the table allows must be sound in contexts of two operations;
one that it refuses is unsound in a context of so many, but for those of `STRICTER`. Any difference gives exit code 1.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from itertools import product

from axmem.refinement.bounded_check import HOLDS, REFUTED
from tests.spread import ended, spread
from tests.transform.crossing import OPERATIONS, reason, verdict


@dataclass(frozen=True, slots=True)
class Pair:
    """Two operations, under a model; `meet` says that they access one location."""

    first: str
    second: str
    model: str
    meet: bool
    context: int


def compared(pair: Pair) -> tuple[str, str]:
    """Return what the table says of a pair, and the verdict of the search."""
    found = reason(pair.first, pair.second, meet=pair.meet)
    names = (pair.first, pair.second)
    context = 2
    status = verdict(names, pair.model, context, meet=pair.meet)
    while found and status == HOLDS and context < pair.context:
        context += 1
        status = verdict(names, pair.model, context, meet=pair.meet)
    return found, status


STRICTER = "refused, and sound as far as it was searched"


def main() -> int:
    """Compare, print every pair, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="append", default=[], help="under which model (llvm and amdgpu)")
    parser.add_argument("--context", type=int, default=2, help="operations of a context for what is refused (2)")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    accesses = [name for name in OPERATIONS if "fence" not in name]
    pairs = [
        Pair(first, second, model, meet, options.context)
        for model in options.model or ["llvm", "amdgpu"]
        for meet, names in ((False, list(OPERATIONS)), (True, accesses))
        for first, second in product(names, names)
    ]
    wrong = 0
    for pair, (found, status) in zip(pairs, spread(compared, pairs, options.jobs), strict=True):
        bad = status != HOLDS if not found else status not in (REFUTED, HOLDS)
        wrong += bad
        said = found or "may change places"
        word = "DIFFERENT" if bad else STRICTER if found and status == HOLDS else status
        where = "on one location" if pair.meet else "apart"
        print(f"{pair.model}: {pair.first} / {pair.second} {where}: {said}: {word}", flush=True)
    print(f"{len(pairs)} pairs, {wrong} different")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(ended(main))
