"""LoopIDs and promises after transformations: random tests of several kernels (`tests/transform/loopids.py`).

`python -m tests.long.loopids --tests 1000`. What comes out: how often what was done, how many kernels were run before
and after with `--promises` and without, and the first things that are wrong, which give exit code 1.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.spread import ended, spread
from tests.transform.loopids import compared


def main() -> int:
    """Compare, print the numbers, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=1000, help="how many tests (1000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    first = options.seed * 1_000_000
    found = list(spread(compared, range(first, first + options.tests), options.jobs))
    done = Counter(word for each in found for word in each.done)
    wrong = [word for each in found for word in each.wrong]
    runs = sum(each.compared for each in found)
    print(f"{options.tests} tests, {sum(done.values())} transformations, {runs} of them run: {len(wrong)} wrong")
    print(", ".join(f"{word} {count}" for word, count in sorted(done.items())))
    print(*wrong[:10], sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(ended(main))
