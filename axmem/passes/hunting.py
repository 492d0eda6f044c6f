"""Faults of a backend, from nothing: random programs go through llc, and the machine code is verified.

What goes in: a seed, a target, llc, a time. What comes out: a `Hunt` that grows. A program whose instructions are those
of the repaired tables is not verified: those are sound. Of programs that differ from them in the same instructions a
few are verified. What is unsound is explained by a page of docs/findings, or is shrunk. Invariant: a page is named only
for what was verified with its change, and only what was verified is counted as sound or unsound.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count, islice, takewhile

from axmem.check.run import jobs as run
from axmem.check.run.jobs import HERE, Job, Workers
from axmem.codegen.targets import REPAIRED, Target, target
from axmem.front.progress import Show, unseen
from axmem.front.records import dataclass, field, replace
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.shrinking import shrunk
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.compiled import compiled, differences, profile_of
from axmem.mapping.findings import pages_in_time
from axmem.mapping.verification import CodeSource, Exploration, Verification, verify
from axmem.passes.programs import program
from axmem.refinement.inclusion import SOUND, UNKNOWN, UNSOUND

MODEL = "amdgpu"
EACH = 4
"""So many programs with one difference from the tables are verified, unless one of them is unsound."""
EXPLAINING = 3
"""How many times as long as a verification the search for its cause may take, which is several verifications."""
TOGETHER = 64
"""How many programs are compiled for one round of verifications, for each worker."""
REFUSED, AS_TABLES = "refused", "the instructions of the repaired tables"
TRIED = "differences that were tried before"
LATE = "not verified: the hunt ended before"
UNEXPLAINED = "unsound, and the time was over before its cause was known"

Key = tuple[str, ...]
"""What tells programs apart: instructions that only the tables have, and those that only llc has, without threads."""


@dataclass(frozen=True, slots=True)
class Prey:
    """A program on its way: its text, the names of the target and of llc, seconds and states for a verification.

    `until` is when the hunt ends.
    """

    text: str
    target: str
    llc: str
    seconds: float | None
    limit: int
    until: float | None = None

    def left(self, times: int = 1) -> float | None:
        """Return the seconds for what begins now and may take so many times as long; None for as many as it takes."""
        hunt = () if self.until is None else (max(0.0, self.until - time.time()),)
        return min((*hunt, *(() if self.seconds is None else (times * self.seconds,))), default=None)


@dataclass(frozen=True, slots=True)
class Compiled:
    """What came of compiling a program: the differences from the tables, or why there are none to be named."""

    key: Key = ()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Caught:
    """What was found of a program: the verdict, pages that explain what is unsound, and of a new fault the program.

    `outcome` is the first that the model does not permit, with the placement in which the machine has it.
    """

    verdict: str
    pages: tuple[str, ...] = ()
    text: str = ""
    outcome: str = ""
    reasons: tuple[str, ...] = ()
    key: Key = ()


@dataclass(slots=True)
class Hunt:
    """What is known so far. `found` are unsound programs, one for each difference from the tables.

    `asked` is how many programs it takes; None if the time decides.
    """

    target: str
    llc: str
    seed: int
    programs: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    tried: Counter[Key] = field(default_factory=Counter)
    found: dict[Key, Caught] = field(default_factory=dict)
    asked: int | None = None

    @property
    def verified(self) -> int:
        """How many programs have a verdict: sound or unsound."""
        return self.counts[SOUND] + self.counts[UNSOUND]

    @property
    def cut(self) -> bool:
        """Whether a limit came first: of a verification, before as many were done as were asked for, or before any."""
        late = self.asked is not None and (self.counts[LATE] or self.programs < self.asked)
        return bool(self.counts[UNKNOWN] or self.refused or late or not self.verified)

    def run(
        self,
        until: float | None,
        number: int | None = None,
        workers: Workers = HERE,
        show: Show = unseen,
        seconds: float | None = None,
        limit: int = 200_000,
    ) -> Iterator[Caught]:
        """Verify programs until the time is over, or so many; yield what is unsound, one for each difference.

        Of a round the shortest programs come first: they take the least time.
        """
        self.asked = number
        numbers = iter(range(number)) if number is not None else count()

        def in_time(_: object = None) -> bool:
            return until is None or time.time() < until

        while in_time() and (group := list(islice(numbers, TOGETHER * workers.number))):
            show(f"program {group[0]}  {len(self.found)} unsound")
            prey = [Prey(program(self.seed, n), self.target, self.llc, seconds, limit, until) for n in group]
            self.programs += len(prey)
            chosen = sorted(self._chosen(prey, workers), key=lambda each: len(each[0].text))
            jobs = takewhile(in_time, (Job(self.target, each, hunted) for each, _ in chosen))
            self.counts[LATE] += len(chosen)
            # Jobs that are not begun in time, or not before an interrupt, have no answer.
            for (_, key), done in zip(chosen, run.answers(jobs, workers), strict=False):
                self.counts[LATE] -= 1
                found = done.answer or Caught(UNKNOWN, reasons=(done.lost or done.fault or done.not_run,))
                self.counts[found.verdict] += 1
                if found.verdict == UNKNOWN:
                    self.unknown.update(found.reasons[:1])
                before = self.found.get(key)
                # What no page explains is shown even if its difference is that of a known fault.
                if found.verdict == UNSOUND and (before is None or (before.pages and not found.pages)):
                    self.found[key] = replace(found, key=key)
                    yield self.found[key]

    def _chosen(self, prey: Iterable[Prey], workers: Workers) -> Iterator[tuple[Prey, Key]]:
        """Yield the programs that are worth a verification, with what tells them apart."""
        prey = list(prey)
        jobs = (Job(self.target, each, told_apart) for each in prey)
        for each, done in zip(prey, run.answers(jobs, workers), strict=True):
            found = done.answer or Compiled(refused=done.lost or done.fault or done.not_run or _said(done.diagnostics))
            if found.refused:
                self.counts[REFUSED] += 1
                self.refused[found.refused] += 1
            elif not found.key:
                self.counts[AS_TABLES] += 1
            elif found.key not in self.found and self.tried[found.key] < EACH:
                self.tried[found.key] += 1
                yield each, found.key
            else:
                self.counts[TRIED] += 1


def _said(diagnostics: Iterable[object]) -> str:
    return next((str(getattr(each, "message", each)) for each in diagnostics), "")


def told_apart(prey: Prey) -> Compiled:
    """Return how llc's instructions differ from those of the repaired tables."""
    test, where = parse(prey.text), target(prey.target)
    try:
        made, _ = compiled(test, where, prey.llc)
        found = differences(made, test, replace(where, profile=REPAIRED))
        return Compiled(tuple(sorted({line.partition("  ")[2] for line in found})))
    except InputError as error:
        return Compiled(refused=error.diagnostics[0].message)


def hunted(prey: Prey) -> Caught:
    """Return whether the machine code of a program is sound; what no page explains is made as small as it can be."""
    test = parse(prey.text)
    where = replace(target(prey.target), profile=profile_of(prey.llc))
    try:
        found = _verified(test, where, prey)
    except InputError as error:
        return Caught(UNKNOWN, reasons=(error.diagnostics[0].message,))
    if found.verdict == UNKNOWN and prey.left() == 0:
        return Caught(LATE)
    if found.verdict != UNSOUND:
        return Caught(found.verdict, reasons=found.incomplete)
    known = pages_in_time(found, prey.llc, prey.left(EXPLAINING))
    if known is None:
        return Caught(UNKNOWN, reasons=(UNEXPLAINED,))
    if known:
        return Caught(UNSOUND, known, print_test(test), _outcome(found))

    unhurried = replace(prey, until=None)

    def keeps(smaller: LitmusTest) -> bool:
        other = _verified(smaller, where, unhurried)
        return other.verdict == UNSOUND and pages_in_time(other, prey.llc, unhurried.left(EXPLAINING)) == ()

    small = shrunk(test, keeps)
    return Caught(UNSOUND, (), print_test(small), _outcome(_verified(small, where, unhurried)))


def _verified(test: LitmusTest, where: Target, prey: Prey) -> Verification:
    exploration = Exploration(robust=False, limit=prey.limit, seconds=prey.left())
    return verify(test, where, MODEL, code=CodeSource(llc=prey.llc), exploration=exploration)


def _outcome(found: Verification) -> str:
    if found.violations:
        return f"{found.violations[0].state}  ({found.violations[0].placement.text})"
    return "an instruction does not wait for its registers" if found.hazards else ""
