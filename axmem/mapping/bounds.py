"""What a table about rules holds for: how many programs, how large, made how.

What goes in: cases (tests on one target). What comes out: a `SuiteBound`. Invariant: its numbers are counted, none is a
promise about programs that were not asked; a test is one of the suite if its text is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

from axmem.codegen.program import lower
from axmem.codegen.targets import target
from axmem.formats.reading import parse
from axmem.front.records import dataclass, field
from axmem.litmus.printer import print_test
from axmem.mapping.cases import VerificationCase
from axmem.mapping.suite import classical, suite

CLASSICAL = ""


@dataclass(frozen=True, slots=True)
class SuiteBound:
    """How many tests have so many threads, the most operations of a thread and locations of a test, the placements;
    how many tests are classical shapes, how many are needed by the rules of the model of each word, how many neither.
    """

    threads: Mapping[int, int] = field(default_factory=dict)
    operations: int = 0
    locations: int = 0
    placements: str = ""
    classical: int = 0
    needed: Mapping[str, int] = field(default_factory=dict)
    others: int = 0

    @property
    def tests(self) -> int:
        """How many tests there are."""
        return sum(self.threads.values())


def bound_of(cases: Iterable[VerificationCase]) -> SuiteBound:
    """Return the bound that some cases are."""
    threads: Counter[int] = Counter()
    made: Counter[str] = Counter()
    operations = locations = others = 0
    placements = ""
    for case in cases:
        test = parse(case.text, case.name, case.form)
        on = target(case.target, case.mode, case.profile)
        threads[len(test.threads)] += 1
        counts = [sum(s.operation is not None for s in thread.statements) for thread in lower(test, on).threads]
        operations = max(operations, *counts)
        locations = max(locations, len(test.locations))
        placements = case.placement
        rule = _suite().get(case.text)
        made.update([] if rule is None else [rule])
        others += rule is None
    shapes = made.pop(CLASSICAL, 0)
    counted, names = dict(sorted(threads.items())), dict(sorted(made.items()))
    return SuiteBound(counted, operations, locations, placements, shapes, names, others)


@cache
def _suite() -> Mapping[str, str]:
    """Return for the text of each test of the suite the word of the rule that needs it; of shapes, `CLASSICAL`."""
    shapes = {print_test(test): CLASSICAL for test in classical()}
    return {print_test(test): test.name.split(".", 1)[0] for test in suite()} | shapes
