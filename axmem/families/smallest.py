"""The search over all programs up to a bound, smallest first.

What goes in: two models, a bound, which direction of difference counts. What comes out: step by step, for each number
of operations, the programs found or that there are none; the search ends with the first number that has some.
Invariant: when programs of n operations are reported, every smaller number has been searched to the end, or it is said
not to be.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, replace

from axmem.families.bound import Bound
from axmem.families.enumeration import Shape, shapes
from axmem.families.operations import Program
from axmem.families.renaming import canonical
from axmem.families.units import Finding, Unit, kept_programs, run_unit

WORKER_DIED = "a worker died"

DIRECTIONS = {"weaker": (True,), "stronger": (False,), "any": (True, False)}
"""For each direction, whether the second model is the one whose outcomes are looked for, or the first, or both."""


@dataclass(frozen=True, slots=True)
class Question:
    """Two models as text, and what of their difference is asked: one program or all of the smallest size."""

    first: str
    second: str
    bound: Bound
    direction: str = "any"
    most: int | None = 1
    journals: str = ""
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """What was found among programs of one number of operations.

    `found` pairs a program with whether it is the second model that permits more. `unfinished` gives reasons why some
    shapes were not searched to the end; `shapes` counts them all.
    """

    events: int
    found: tuple[tuple[Program, bool], ...]
    unfinished: tuple[str, ...]
    shapes: int
    seconds: float


def hunt(
    question: Question, executor: Executor | None = None, begin: Callable[[int, Shape], None] = lambda n, s: None
) -> Iterator[Level]:
    """Yield a level for each number of operations, up to the first that has programs; `begin` hears of each shape."""
    for events in range(1, question.bound.events + 1):
        level = _level(question, events, executor, begin)
        yield level
        if level.found or (question.until is not None and time.time() >= question.until):
            return


def kept(question: Question, events: int, why: str) -> Level:
    """Return what the journals have of programs of so many operations, after a search that ended for some reason."""
    found: dict[Program, bool] = {}
    units = list(_units(question, events))
    for unit, weaker in units:
        for program in kept_programs(unit):
            found.setdefault(canonical(program, question.bound.tags), weaker)
    return Level(events, tuple(found.items())[: question.most], (why,), len(units), 0.0)


def _level(question: Question, events: int, executor: Executor | None, begin: Callable[[int, Shape], None]) -> Level:
    started = time.monotonic()
    units = list(_units(question, events))
    found: dict[Program, bool] = {}
    unfinished: list[str] = []
    for (_, weaker), finding in zip(units, _findings(units, executor, begin), strict=False):
        for program in finding.programs:
            found.setdefault(canonical(program, question.bound.tags), weaker)
        if not finding.finished:
            unfinished.append(finding.why)
        if question.most is not None and len(found) >= question.most:
            break
    kept = tuple(found.items())[: question.most]
    return Level(events, kept, tuple(dict.fromkeys(unfinished)), len(units), time.monotonic() - started)


def _units(question: Question, events: int) -> Iterator[tuple[Unit, bool]]:
    for shape in shapes(events, question.bound.threads):
        for weaker in DIRECTIONS[question.direction]:
            permitting, refusing = (question.second, question.first) if weaker else (question.first, question.second)
            bound = replace(question.bound, events=events)
            yield (
                Unit(permitting, refusing, bound, shape, question.most, question.journals, question.until),
                weaker,
            )


def _findings(
    units: list[tuple[Unit, bool]], executor: Executor | None, begin: Callable[[int, Shape], None]
) -> Iterator[Finding]:
    """Yield what each unit found, in order; what is not asked for in the end is not begun."""
    if executor is None:
        for unit, _ in units:
            begin(unit.bound.events, unit.shape)
            yield run_unit(unit)
        return
    futures: list[Future[Finding]] = []
    try:
        for unit, _ in units:
            futures.append(executor.submit(run_unit, unit))
        for (unit, _), future in zip(units, futures, strict=True):
            begin(unit.bound.events, unit.shape)
            try:
                yield future.result()
            except BrokenExecutor:
                yield Finding((), False, WORKER_DIED)
    except BrokenExecutor:
        yield Finding((), False, WORKER_DIED)
    finally:
        for future in futures:
            future.cancel()
