"""On which switches the verdicts on rules rest.

What goes in: rules with their verdicts, and the cases to ask. What comes out: for each rule the switches, with their
values, that its verdict rests on. A rule is needed by its killing test: it rests on a switch if that test is sound
without the rule under the other value. That one is not needed is so for all tests: it rests on a switch if under the
other value some test that is sound with the rule is not without it. Tests of more than three threads (two, where stores
may be replayed) are not asked for that: they have by far the most placements and states, and a switch that is not found
is one less said, never a wrong verdict.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.codegen.machine.families import machine_of
from axmem.codegen.machine.program import ProgramElement
from axmem.front.records import dataclass
from axmem.mapping.cases import VerificationCase
from axmem.mapping.rules import LoweringRule
from axmem.mapping.switches import Settings, neighbours
from axmem.mapping.trials import Prepared, prepared


@dataclass(frozen=True, slots=True)
class RuleCases:
    """A rule, whether it is needed, and the cases to ask: that of the killing test, or all that have it."""

    rule: LoweringRule
    needed: bool
    cases: tuple[VerificationCase, ...]


def rests(asked: RuleCases) -> Settings:
    """Return the switches that a verdict rests on, in the order of their names."""
    found: dict[str, str] = {}
    for case in asked.cases:
        tested = prepared(case)
        if not asked.needed and not _small(tested):
            continue
        places = [e for e, rule in tested.rules.items() if rule == asked.rule]
        if asked.needed:
            places = [e for e in places if tested.judged((e,)).verdict == "unsound"][:1]
        for element in places:
            found |= dict(_changing(tested, element, found, needed=asked.needed))
    return tuple(sorted(found.items()))


def _small(tested: Prepared) -> bool:
    """Tell whether a test is one of those to ask."""
    replayed = tested.hardware.switches["xnack_replay"] == "on" and "xcnt" in machine_of(tested.program.family).counters
    return len(tested.test.threads) <= (2 if replayed else 3)


def _changing(
    tested: Prepared, element: ProgramElement, known: dict[str, str], *, needed: bool
) -> Iterator[tuple[str, str]]:
    """Yield the switches with whose other value the verdict on one element is another."""
    without = tested.without((element,))
    verdict, opposite = ("unsound", "sound") if needed else ("sound", "unsound")
    for name, other in neighbours(without, tested.hardware, verdict):
        if name in known or tested.judged((element,), (name, other)).verdict != opposite:
            continue
        if needed or tested.judged((), (name, other)).verdict == "sound":
            yield name, tested.hardware.switches[name]
