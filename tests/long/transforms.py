"""Transformations mean what they say: random kernels before and after each of them.

`python -m tests.long.transforms --kernels 1000`. What goes in: how many kernels, of which every fifth has two lanes.
What comes out: how often each transformation was applied and refused, and the first differences, which give exit code
1: of what memory holds at the end, of registers that are asked for, and, instance by instance, of what registers hold
and stores write. Every shape of unrolling and every transformation must have been met.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from axmem.litmus.parser import parse
from axmem.litmus.ssa import single_assignment
from axmem.transform.applying import Refused
from axmem.transform.loops import loops
from axmem.transform.registry import TRANSFORMATIONS
from axmem.transform.unrolling import shape
from tests.spread import ended, spread
from tests.transform.agreement import applications, differences
from tests.transform.programs import program

SHAPES = ("full", "A", "B", "epilogue")


@dataclass(slots=True)
class Found:
    """What became of one kernel."""

    loops: int = 0
    applied: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)


def compared(seed: int) -> Found:
    """Compare one kernel before and after every transformation that is not refused."""
    text = program(seed, lanes=2 if seed % 5 == 4 else 1)
    test = parse(text, "k")
    flow = single_assignment(test.kernels[0])
    found = Found(loops=len(loops(flow)))
    random = Random(seed)
    texts = list(applications(test.kernels[0], random))
    for loop in loops(flow):
        factor = random.choice((2, 3, 4))
        shown = shape(flow, loop, factor)
        texts += [f"unroll({loop.header}, {factor})"]
        found.applied += [f"shape {shown.name}"] if shown is not None else []
    for each in texts:
        name = each.partition("(")[0]
        try:
            different = differences(test, each)
        except Refused:
            found.refused.append(name)
            continue
        found.applied.append(name)
        found.differences += [f"seed {seed}: {each}: {difference}" for difference in different[:2]]
    return found


def main() -> int:
    """Compare, print the numbers, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=1000, help="how many kernels")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    first = options.seed * 1_000_000
    found = list(spread(compared, range(first, first + options.kernels), options.jobs))
    applied = Counter(name for each in found for name in each.applied)
    refused = Counter(name for each in found for name in each.refused)
    different = [difference for each in found for difference in each.differences]
    print(f"{options.kernels} kernels with {sum(each.loops for each in found)} loops: {len(different)} different")
    for name in sorted(applied | refused):
        print(f"  {name}: {applied[name]}, refused {refused[name]}")
    print(*different[:10], sep="\n", end="\n" if different else "")
    absent = {*TRANSFORMATIONS, *(f"shape {name}" for name in SHAPES)} - set(applied)
    print(f"never applied: {', '.join(sorted(absent))}" if absent else "every transformation was applied")
    return 1 if different or absent else 0


if __name__ == "__main__":
    sys.exit(ended(main))
