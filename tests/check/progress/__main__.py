"""`python -m tests.check.progress --kernels 500`: random kernels run by the explorer, and under `sc` by the solver.

What goes in: how many kernels. What comes out: a line with the numbers, and each kernel on which they differ; exit 1 if
there is one.
"""

from __future__ import annotations

import argparse
import sys

from axmem.encoder.solver import Session
from tests.check.progress.compare import Comparison, compared
from tests.spread import ended, spread

CHUNK = 10


def main(arguments: list[str] | None = None) -> int:
    """Compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.check.progress", description=__doc__)
    parser.add_argument("--kernels", type=int, default=500, help="random kernels (500)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    first = options.seed * 1_000_000
    chunks = [range(k, min(k + CHUNK, first + options.kernels)) for k in range(first, first + options.kernels, CHUNK)]
    found = [each for chunk in spread(several, chunks, options.jobs) for each in chunk]
    different = [each for each in found if each is not None and each.difference]
    for each in different:
        print(each.difference, each.text, sep="\n")
    whole = sum(each is not None and each.whole for each in found)
    many = sum(each is not None and each.outcomes > 1 for each in found)
    print(
        f"{len(found)} kernels, {found.count(None)} too large, {whole} within the solver's bound, "
        f"{many} with several outcomes: {len(different)} different"
    )
    return 1 if different else 0


def several(seeds: range) -> list[Comparison | None]:
    """Compare the kernels of some seeds."""
    session = Session()
    return [compared(seed, session) for seed in seeds]


if __name__ == "__main__":
    sys.exit(ended(main))
