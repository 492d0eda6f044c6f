"""`python -m tests.refinement.layouts`: ask of random pairs whose pointers decide, and execute both in random layouts.

What comes out: a line for each pair that is refuted, and the counts. Exit code 1 if an answer `sound`, or one that
holds of contexts of some size, is refuted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from axmem.formats.ir.pairs import function_pairs
from axmem.front.source import InputError, Source
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.functions import judged_pair
from axmem.refinement.inclusion import HELD, UNSOUND
from axmem.refinement.judging import Question
from tests.refinement.layouts.interpreter import Layout, differing
from tests.refinement.layouts.pairs import drawn
from tests.spread import ended, spread


@dataclass(frozen=True)
class Asked:
    """What was said of the pair of a seed, why nothing was, a layout that refutes it, and the seconds that it took."""

    seed: int
    verdict: str
    why: str
    refuted: Layout | None
    seconds: float


def asked(seed: int, layouts: int = 400) -> Asked:
    """Ask of the pair of a seed, and look for a layout in which both functions differ."""
    pair = drawn(seed)
    (each,) = function_pairs(Source(f"layouts {seed}", pair.text))
    begun = time.process_time()
    try:
        found = judged_pair(each, ModelChoice("llvm"), Question(context=0)).judgement
        verdict, why = found.verdict, "; ".join(found.reasons)
    except InputError as error:
        verdict, why = "refused", error.diagnostics[0].message
    spent = time.process_time() - begun
    return Asked(seed, verdict, why, differing(pair, Random(f"layouts of {seed}"), layouts), spent)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, print what stands out, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first pair")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    counts, reasons, wrong, missed, spent = Counter[str](), Counter[str](), 0, 0, 0.0
    for found in spread(asked, range(options.seed, options.seed + options.pairs), options.jobs):
        counts[found.verdict] += 1
        spent += found.seconds
        if found.verdict in HELD and found.refuted is not None:
            wrong += 1
            print(f"{found.seed}: {found.verdict} REFUTED: {found.refuted}\n{drawn(found.seed).text}", flush=True)
        missed += found.verdict == UNSOUND and found.refuted is None
        if found.verdict not in (*HELD, UNSOUND):
            reasons[found.why] += 1
    for reason, number in reasons.most_common(20):
        print(f"{number:5} {reason}")
    said = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
    print(f"{options.pairs} pairs: {said}; {wrong} refuted; {missed} unsound in no layout that was drawn")
    print(f"{spent:.0f} s of a processor")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(ended(main))
