"""`python -m tests.refinement.values`: ask of random pairs in which values decide, and attack the answers.

What comes out: a line for each pair that is refuted, of which nothing is known, or whose answer is slow, and the
counts. Exit code 1 if an answer `sound` is refuted, by a context with numbers or by `lli`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence
from statistics import median

from axmem.refinement.inclusion import HELD, UNSOUND
from tests.refinement.values.attacks import attacked
from tests.refinement.values.pairs import drawn
from tests.refinement.values.sequential import differing
from tests.spread import ended, spread

SLOW = 10.0
"""Answers that take more seconds of a processor are named."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, print what stands out, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first pair")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    sound, wrong, spent, tried, found_too = [], 0, [], 0, 0
    for found in spread(attacked, range(options.seed, options.seed + options.pairs), options.jobs):
        counts[found.verdict] += 1
        spent.append(found.seconds)
        tried += found.tried if found.verdict in HELD else 0
        refuted = bool(found.refuted) and found.verdict in HELD
        wrong += refuted
        found_too += bool(found.refuted) and found.verdict == UNSOUND
        sound += [found.seed] if found.verdict in HELD else []
        if refuted or found.verdict not in (*HELD, UNSOUND):
            reasons[re.sub(r"%\w+", "%", found.why)] += not refuted
            print(f"{found.seed}: {found.verdict}: {found.why}{' REFUTED' if refuted else ''}", flush=True)
        if refuted:
            print(found.refuted, flush=True)
        if found.seconds > SLOW:
            print(f"{found.seed}: {found.verdict} after {found.seconds:.0f} s", flush=True)
    others = differing([drawn(seed) for seed in sound])
    for seed in others:
        print(f"{seed}: sound, and lli says otherwise", flush=True)
    for reason, number in reasons.most_common():
        print(f"{number:5} {reason}")
    said = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
    print(f"{options.pairs} pairs: {said}; {tried} attacks, {wrong + len(others)} refuted")
    print(f"the same attacks find {found_too} of {counts[UNSOUND]} that are unsound")
    print(f"{sum(spent):.0f} s of a processor, {median(spent):.2f} s the median answer, {max(spent):.1f} s the longest")
    return 1 if wrong or others else 0


if __name__ == "__main__":
    sys.exit(ended(main))
