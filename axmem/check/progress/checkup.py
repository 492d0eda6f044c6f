"""What is asked of a program that asks nothing itself: data races, undefined behaviour, and whether it ends.

What goes in: a test. What comes out: `Checkup`. Races are those of a memory model, in few iterations of each loop; the
other two are asked of every sequentially consistent execution, under a fair scheduler, and where a wave has several
lanes also on a machine that waits for converged ones. Invariant: what could not be asked has its reason, and is no
fault and no assurance.
"""

from __future__ import annotations

import time

from axmem.check.progress.answers import ITERATIONS, MEMORY, SECONDS, ProgressAnswer, doubt, progress
from axmem.check.progress.models import Progress, Verdict
from axmem.check.races import RaceSearch, race
from axmem.check.selection import loaded
from axmem.encoder.limits import TIME_LIMIT
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError
from axmem.litmus.syntax import LitmusTest, Supposition

BEYOND = "goes on beyond"
"""What a limit says where a loop has more iterations than were looked at."""
MOST_ITERATIONS = 8


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was found: of races, and of the ends of executions by model of progress, or why that was not asked.

    `supposed` is what the program does not say. By what is supposed of its launch and arguments a fault is one of some
    launch; one that may be there by other suppositions alone, or by the size of memory, is not known to be one.
    """

    races: RaceSearch
    ends: tuple[ProgressAnswer, ...]
    why_not: str = ""
    supposed: tuple[Supposition, ...] = ()

    @property
    def faults(self) -> list[str]:
        """What would be a fault: why something is undefined, and an empty text for a race and an endless execution."""
        raced = [] if self.races.pair is None else [""]
        return [*raced, *self.races.faults, *(reason for each in self.ends for reason in each.faults)]

    @property
    def doubt(self) -> str:
        """Why no fault is known to be one."""
        return doubt(self.faults, self.supposed)

    @property
    def at_fault(self) -> bool:
        """Say whether a fault was found."""
        return bool(self.faults) and not self.doubt

    @property
    def certain(self) -> bool:
        """Say whether everything was answered."""
        known = self.ends and all(each.verdict is not Verdict.UNKNOWN for each in self.ends)
        return bool(known) and not self.races.limits and (self.at_fault or not self.faults)


def checkup(test: LitmusTest, memory: str = MEMORY) -> Checkup:
    """Return what is found of a test, whose own condition is not asked."""
    found = _races(test, memory)
    several = any(kernel.launch.lanes > 1 for kernel in test.kernels)
    models = [Progress.FAIR, *([Progress.WAVE] if several else [])]
    try:
        return Checkup(found, tuple(progress(test, models, seconds=SECONDS / 3)), supposed=test.supposed)
    except InputError as error:
        return Checkup(found, (), error.diagnostics[0].message, test.supposed)


def _races(test: LitmusTest, memory: str) -> RaceSearch:
    """Return what is found of races, in more iterations of each loop where few do not tell and time is left."""
    began, bound = time.process_time(), min(test.bound or ITERATIONS, ITERATIONS)
    found = race(replace(test, bound=bound), loaded(memory), SECONDS)
    while _short(found) and 2 * bound <= MOST_ITERATIONS and time.process_time() - began <= SECONDS / 4:
        bound *= 2
        more = race(replace(test, bound=bound), loaded(memory), SECONDS)
        if str(TIME_LIMIT) in more.limits and not (more.pair or more.unread or more.undefined or more.faults):
            return found  # What is known of fewer iterations says more.
        found = more
    return found


def _short(found: RaceSearch) -> bool:
    return any(BEYOND in limit for limit in found.limits)
