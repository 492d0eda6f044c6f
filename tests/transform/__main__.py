"""`python -m tests.transform`: random kernels transformed by opt-22 and by axmem, compiled for this machine and run.

Kernels with convergence tokens are transformed by axmem, and LLVM's verifier looks at what comes of them. Any
difference from the kernel executed step by step, and any refusal, gives exit code 1; without opt-22 and lli-22 it says
so and gives 2.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial

from tests.spread import ended, spread
from tests.transform import tokens
from tests.transform.compiled import compared, missing


def main(arguments: list[str] | None = None) -> int:
    """Compare, print the numbers and the first differences, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.transform", description=__doc__)
    parser.add_argument("--kernels", type=int, default=600, help="random kernels (600)")
    parser.add_argument("--tokens", type=int, default=300, help="random kernels with convergence tokens (300)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    if missing():
        print(missing(), file=sys.stderr)
        return 2
    first = options.seed * 1_000_000
    found = list(spread(compared, range(first, first + options.kernels), options.jobs))
    done = Counter(word for each in found for word in each.done)
    applied = Counter(word for each in found for word in each.applied)
    different = [difference for each in found for difference in each.differences]
    print(f"{options.kernels} kernels, {sum(1 for each in found if each.done)} transformed by opt-22: {_listed(done)}")
    print(f"by axmem: {_listed(applied)}; {len(different)} different")
    print(*different[:5], sep="\n", end="\n" if different else "")
    verified = list(spread(partial(tokens.compared, llvm=True), range(first, first + options.tokens), options.jobs))
    refused = [word for each in verified for word in each.wrong]
    made = Counter(word for each in verified for word in each.done)
    print(f"{options.tokens} kernels with tokens, {_listed(made)}: {len(refused)} refused by LLVM's verifier")
    print(*refused[:5], sep="\n", end="\n" if refused else "")
    return 1 if different or refused else 0


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in sorted(counts.items()))


if __name__ == "__main__":
    sys.exit(ended(main))
