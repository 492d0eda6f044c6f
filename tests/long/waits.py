"""`python -m tests.long.waits`: every wait of llc's output dropped, one at a time, on 300 tests and six targets.

What goes in: tests of the suite of axmem verify, evenly taken, through llc. What is held: without a wait the code is
unsound, by its registers or by an outcome of memory; or the wait is idle, subsumed by another, which is named, or
orders memory that the test cannot tell apart (tests/mapping/dropped_waits.py has the words). What comes out: how often
each; `overlooked` and `unknown` give exit code 1. `--list` prints the waits that are not missed, each with its reason.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial

from axmem.codegen.targets import target
from axmem.front.source import InputError
from axmem.mapping.compiled import compiled, profile_of
from axmem.mapping.suite import suite
from tests.compiled.compare import TARGETS, of_suite
from tests.mapping.dropped_waits import Dropped, dropped
from tests.spread import ended, spread


def found(llc: str, number: int) -> list[Dropped]:
    """Return what becomes of the waits of a test on every target that has its operations."""
    test = suite()[number]
    every: list[Dropped] = []
    for name in TARGETS:
        where = target(name, "", profile_of(llc))
        if test.name not in of_suite(where):
            continue
        try:
            every += dropped(test, compiled(test, where, llc)[1], where)
        except InputError as error:
            print(f"{name}: {test.name} is left out: {error}", file=sys.stderr)
    return every


def main(arguments: list[str] | None = None) -> int:
    """Drop, print the numbers, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=300)
    parser.add_argument("--llc", default="llc-22", help="default: llc-22")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(arguments)
    count = len(suite())
    numbers = sorted({k * count // options.tests for k in range(options.tests)})
    rows = [one for some in spread(partial(found, options.llc), numbers, options.jobs) for one in some]
    for one in rows:
        if one.why in ("overlooked", "unknown") or (options.list and one.why not in ("register", "memory")):
            print(f"{one.target}  {one.test}  line {one.line}  {one.wait}  {one.why} {one.by}".rstrip())
    words = Counter(one.why for one in rows)
    print(f"{len(numbers)} tests, {len(rows)} waits:", ", ".join(f"{n} {word}" for word, n in sorted(words.items())))
    return 1 if words["overlooked"] or words["unknown"] else 0


if __name__ == "__main__":
    sys.exit(ended(main))
