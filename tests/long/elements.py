"""`python -m tests.long.elements`: what `--needs` says of each element, beside `verify` of the text without it.

What goes in: 50 programs through llc for six targets: whole kernels, messages at random, tests of the suite; or, with
`--sources`, what clang makes at -O2, for five targets, of the HIP and OpenCL sources in tests/sources whose outcomes
are known, and of each up to `--most` elements that are drawn. What is held: for every wait, bit, invalidate and
writeback both find the same register hazards, and else the same new outcomes, forbidden and permitted ones, and loops
that do not end; without a group of which one has to stay the text is broken, and without all but any one of it is not;
and what a read needs that is repeated is what a loop of the text needs (tests/mapping/left_out.py). What comes out: how
many elements were compared; where the two differ the element, what both said, and exit code 1.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import product

from axmem.codegen.targets import target
from axmem.formats.forms import language
from axmem.formats.sources import ON_GPUS
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.built import code, profile_of_clang
from axmem.mapping.built import program as built_program
from axmem.mapping.compiled import compiled, profile_of
from axmem.mapping.suite import suite
from axmem.passes.programs import program
from tests.compiled.compare import TARGETS, WHOLE, case
from tests.mapping.left_out import Compared, Said, compared
from tests.sources.trial import SOURCES
from tests.spread import ended, spread

PROGRAMS = 50
MOST = 5
GPUS = ("gfx90a", "gfx942", "gfx1100", "gfx1200", "gfx1250")
UNDECIDED = frozenset({
    "exchange", "lookback-packed", "lookback-split", "peterson", "persistent", "readers", "references", "stack", "ttas",
    "vyukov",
})  # fmt: skip
"""Sources with loops of which not all outcomes are known, or whose model takes long."""
REFUSED = frozenset({"lane-lock", "lane-lock-inside", "out-of-bounds"})
"""Sources that are no programs for the machine: lanes that access one place at once, an access outside everything."""


def sources() -> list[str]:
    """Return the sources whose outcomes on the machine are all known."""
    names = (path for path in SOURCES.iterdir() if language(path.name) in ON_GPUS)
    return sorted(path.name for path in names if path.stem not in UNDECIDED | REFUSED)


def programs(number: int) -> LitmusTest:
    """Return a program by its number: the whole kernels first, then messages and tests of the suite in turn."""
    if number < len(WHOLE):
        return case("kernels", number)
    index = number - len(WHOLE)
    if index % 2:
        return parse(program(0, index))
    return suite()[index * 37 % len(suite())]


def drawn(most: int, question: tuple[str, str]) -> tuple[int, list[Compared]]:
    """Return the same of a source on a target, of which some elements are drawn."""
    name, gpu = question
    path = SOURCES / name
    where = target(gpu, "", profile_of_clang())
    text = path.read_text(encoding="utf-8")
    test = built_program(text, str(path), "", where)
    every = list(compared(test, code(text, str(path), where)[1], where, most))
    return bool(every), every


def found(llc: str, number: int) -> tuple[int, list[Compared]]:
    """Return on how many targets a program was compared, and the comparison of each element."""
    test, every, targets = programs(number), list[Compared](), 0
    for name in TARGETS:
        where = target(name, "", profile_of(llc))
        try:
            some = list(compared(test, compiled(test, where, llc)[1], where))
        except InputError:
            continue
        targets += bool(some)
        every += some
    return targets, every


def _words(said: Said) -> Iterator[str]:
    """Yield what is said of something left out, in words."""
    has = {"register": said.hazards, "needed": said.forbidden, "allowed": said.allowed, "progress": said.endless}
    yield from (word for word, some in has.items() if some) if any(has.values()) else ("nothing",)


def main(arguments: list[str] | None = None) -> int:
    """Compare, print the numbers, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=PROGRAMS)
    parser.add_argument("--llc", default="llc-22", help="default: llc-22")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sources", action="store_true", help="what clang makes of the sources in tests/sources")
    parser.add_argument("--most", type=int, default=MOST, help=f"elements of a source and target (default: {MOST})")
    options = parser.parse_args(arguments)
    if options.sources:
        answers = list(spread(partial(drawn, options.most), product(sources(), GPUS), options.jobs))
    else:
        answers = list(spread(partial(found, options.llc), range(options.programs), options.jobs))
    rows = [one for _, some in answers for one in some]
    for one in rows:
        if not one.equal:
            print(f"{one.target}  {one.test}  {one.element}\n  --needs: {one.said}\n  verify: {one.verified}")
    words = Counter(word for one in rows for word in _words(one.said))
    differ = sum(not one.equal for one in rows)
    counts = ", ".join(f"{count} by {word}" for word, count in sorted(words.items()))
    kinds = Counter(one.kind or "set" for one in rows)
    each = ", ".join(f"{count} {kind}s" for kind, count in sorted(kinds.items()))
    print(f"{len(answers)} programs on {sum(n for n, _ in answers)} targets in all, {each} ({counts}), {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(ended(main))
