"""The search over all programs up to a bound, smallest first.

What goes in: two models, a bound, which direction of difference counts. What comes out: step by step, for each number
of operations, the programs found or that there are none; the search ends with the first number that has some.
Invariant: when programs of n operations are reported, every smaller number has been searched to the end, or it is said
not to be.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from axmem.check.run.jobs import HERE, Job, Workers, answers, faultless
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.operations import BoundedProgram
from axmem.refinement.bounded.placements import canonical
from axmem.refinement.bounded.skeleton import ThreadSizes, shapes
from axmem.refinement.contexts.units import SearchUnit, UnitFinding, kept_programs, run_unit

DIRECTIONS = {"weaker": (True,), "stronger": (False,), "any": (True, False)}
"""For each direction, whether the second model is the one whose outcomes are looked for, or the first, or both."""


@dataclass(frozen=True, slots=True)
class DifferenceQuestion:
    """Two models as text, and what of their difference is asked: one program or all of the smallest size."""

    first: str
    second: str
    bound: Bound
    direction: str = "any"
    most: int | None = 1
    directory: str = ""
    until: float | None = None


@dataclass(frozen=True, slots=True)
class SizeLevel:
    """What was found among programs of one number of operations.

    `found` pairs a program with whether it is the second model that permits more. `unfinished` gives reasons why some
    shapes were not searched to the end; `shapes` counts them all.
    """

    events: int
    found: tuple[tuple[BoundedProgram, bool], ...]
    unfinished: tuple[str, ...]
    shapes: int
    seconds: float


def levels(
    question: DifferenceQuestion, workers: Workers = HERE, begin: Callable[[int, ThreadSizes], None] = lambda n, s: None
) -> Iterator[SizeLevel]:
    """Yield a level for each number of operations, up to the first that has programs; `begin` hears of each shape."""
    for events in range(1, question.bound.events + 1):
        level = _level(question, events, workers, begin)
        yield level
        if level.found or (question.until is not None and time.time() >= question.until):
            return


def kept(question: DifferenceQuestion, events: int, why: str) -> SizeLevel:
    """Return what the directory has of programs of so many operations, after a search that ended for some reason."""
    found: dict[BoundedProgram, bool] = {}
    units = list(_units(question, events))
    for unit, weaker in units:
        for program in kept_programs(unit):
            found.setdefault(canonical(program, question.bound.tags), weaker)
    return SizeLevel(events, tuple(found.items())[: question.most], (why,), len(units), 0.0)


def _level(
    question: DifferenceQuestion, events: int, workers: Workers, begin: Callable[[int, ThreadSizes], None]
) -> SizeLevel:
    started = time.monotonic()
    units = list(_units(question, events))
    found: dict[BoundedProgram, bool] = {}
    unfinished: list[str] = []
    jobs = (Job("+".join(map(str, unit.shape)), unit, run_unit) for unit, _ in units)
    coming = faultless(answers(jobs, workers))
    for unit, weaker in units:
        begin(events, unit.shape)
        done = next(coming)
        if done.diagnostics:
            raise InputError(done.diagnostics)
        finding = done.answer or UnitFinding((), finished=False, why=done.lost)
        for program in finding.programs:
            found.setdefault(canonical(program, question.bound.tags), weaker)
        if not finding.finished:
            unfinished.append(finding.why)
        if question.most is not None and len(found) >= question.most:
            break
    kept = tuple(found.items())[: question.most]
    return SizeLevel(events, kept, tuple(dict.fromkeys(unfinished)), len(units), time.monotonic() - started)


def _units(question: DifferenceQuestion, events: int) -> Iterator[tuple[SearchUnit, bool]]:
    for shape in shapes(events, question.bound.threads):
        for weaker in DIRECTIONS[question.direction]:
            permitting, refusing = (question.second, question.first) if weaker else (question.first, question.second)
            bound = replace(question.bound, events=events)
            unit = SearchUnit(
                permitting,
                refusing,
                bound,
                shape,
                most=question.most,
                directory=question.directory,
                until=question.until,
            )
            yield unit, weaker
