"""`python -m tests.controls`: ask all negative controls; each must be called unsound.

What comes out: how many there are of each command, which of them are not found, and exit code 1 if there are some.
With `--sample N` a part is asked, drawn with `--seed`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from tests.controls import FOUND
from tests.controls.library import asked, every, sampled
from tests.spread import ended, spread


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, print the numbers, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, help="how many of each command (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    library = every()
    chosen = sampled(options.sample, options.seed) if options.sample else range(len(library))
    counts: Counter[tuple[str, str]] = Counter()
    missed = []
    for number, said in zip(chosen, spread(asked, chosen, options.jobs), strict=True):
        counts[library[number].command, said] += 1
        if said != FOUND:
            missed.append((library[number], said))
    for (command, said), count in sorted(counts.items()):
        print(f"{command}  {said}: {count}")
    print(f"{sum(counts.values())} controls: {len(missed)} not found")
    for control, said in missed:
        print(f"  {control.title}: {said}, though {control.why}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(ended(main))
