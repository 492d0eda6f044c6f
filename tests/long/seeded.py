"""`python -m tests.long.seeded`: faults seeded next to each page's into llc-22's code; exit 1 if one is called known.

What goes in: the tests of the pages, messages at random, and tests of the suite, for six targets, each with every fault
of tests/mapping/seeded_faults.py. What comes out: how often each fault was seen; what `verify` calls known.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from axmem.codegen.targets import target
from axmem.formats.reading import parse_file
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.compiled import compiled, profile_of
from axmem.mapping.suite import classical
from axmem.passes.programs import program
from tests.compiled.compare import TARGETS
from tests.findings.pages import FINDINGS
from tests.mapping.seeded_faults import FAULTS, Sought, install, sought
from tests.paths import ROOT
from tests.spread import ended, spread

PROGRAMS = 48


@cache
def written() -> tuple[Path, ...]:
    """Return the tests of the pages, and one in which the fault of a page hides another."""
    of_pages = {FINDINGS / f"{fault.page}.litmus" for fault in FAULTS}
    return (ROOT / "tests/mapping/Masked.litmus", *sorted(of_pages))


def programs(number: int) -> LitmusTest:
    """Return a program by its number: written ones, then messages and tests of the suite in turn."""
    if number < len(written()):
        return parse_file(written()[number])
    index = number - len(written())
    return classical()[index * 37 % len(classical())] if index % 2 else parse(program(0, index))


def found(llc: str, folder: str, number: int) -> list[Sought]:
    """Return what comes of all faults in a program on every target."""
    test, every = programs(number), list[Sought]()
    llcs = {fault.name: f"{folder}/llc-{fault.name}" for fault in FAULTS}
    for name in TARGETS:
        where = target(name, "", profile_of(llc))
        try:
            every += sought(test, where, compiled(test, where, llc)[1], llcs)
        except InputError:
            continue
    return every


def main(arguments: list[str] | None = None) -> int:
    """Seed, print what came of it, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=PROGRAMS)
    parser.add_argument("--start", type=int, default=0, metavar="N", help="the number of the first")
    parser.add_argument("--llc", default="llc-22", help="default: llc-22")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    numbers = range(options.start, options.start + options.programs)
    with TemporaryDirectory() as folder:
        install(Path(folder), options.llc)
        rows = [each for some in spread(partial(found, options.llc, folder), numbers, options.jobs) for each in some]
    known = [each for each in rows if each.pages]
    for each in known:
        print(f"{each.target}  {each.test}  {each.fault}: called known: {', '.join(each.pages)}")
    seen = Counter(each.fault for each in rows if each.seen)
    for fault in FAULTS:
        print(f"{seen[fault.name]:6} seen  {fault.name}, next to {fault.page}")
    masked = sum(each.masked for each in rows)
    print(
        f"{options.programs} programs, {len(rows)} faults seeded, {seen.total()} seen, {len(known)} called known, "
        f"{masked} masked by a page's own instruction, which is missing besides"
    )
    return 1 if known else 0


if __name__ == "__main__":
    sys.exit(ended(main))
