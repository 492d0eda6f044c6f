"""`python -m tests.machine`: the explorer and the constraints on lowered tests in placements, on mutants of these, on
random machine programs, and on random messages, also through scalar caches; exit 1 if they differ anywhere."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial

from tests.machine.forms import Compared, Kind, compared
from tests.spread import ended, spread

COUNTS = {Kind.PAIR: 800, Kind.MUTANT: 1200, Kind.RANDOM: 1000, Kind.MESSAGE: 1000, Kind.SCALAR: 1000}


def main(arguments: list[str] | None = None) -> int:
    """Compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.machine", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--kind", choices=[k.name.lower() for k in Kind], help="only these cases")
    parser.add_argument("--start", type=int, default=0, metavar="N", help="the number of the first case (default 0)")
    parser.add_argument("--count", type=int, metavar="N", help="how many cases of each kind")
    parser.add_argument("--limit", type=int, default=20_000, metavar="N", help="states of the explorer (20000)")
    parser.add_argument("--effort", type=int, default=50_000_000, metavar="N", help="steps of the solver (50000000)")
    options = parser.parse_args(arguments)
    kinds = [Kind[options.kind.upper()]] if options.kind else list(Kind)
    different = 0
    for kind in kinds:
        numbers = range(options.start, options.start + (options.count or COUNTS[kind]))
        work = partial(compared, kind, limit=options.limit, effort=options.effort)
        different += report(kind, list(spread(work, numbers, options.jobs)))
    return 1 if different else 0


def report(kind: Kind, found: list[Compared]) -> int:
    """Print what came of a kind's cases; return how many differ."""
    skipped = Counter(one.skipped for one in found if one.skipped)
    different = [one for one in found if one.difference]
    for one in different:
        print(f"{one.name}: {one.difference}")
    reasons = "".join(f", {count} not compared: {why}" for why, count in sorted(skipped.items()))
    agreed = len(found) - len(different) - skipped.total()
    print(f"{kind.value}: {agreed} agree, {len(different)} differ{reasons}", flush=True)
    return len(different)


if __name__ == "__main__":
    sys.exit(ended(main))
