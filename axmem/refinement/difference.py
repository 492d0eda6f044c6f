"""A search from question to report.

What goes in: two models, a bound and what else was asked. What comes out: a `Differences`; on the way a listener hears
of every level and every distinguishing test as they come. An interrupt ends the search, and what it has found is kept.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from axmem.check.run.jobs import HERE, Workers
from axmem.check.selection import choice_of, label, loaded
from axmem.encoder.solver import Session
from axmem.front.output import writing_into
from axmem.front.records import dataclass, field, replace
from axmem.litmus.syntax import ModelChoice
from axmem.model.vocabulary import refuse
from axmem.refinement import EVENTS, LOCATIONS, THREADS
from axmem.refinement.bounded import words
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.constructs import WantedBound, bound_for, silent
from axmem.refinement.bounded.left_out_constructs import refuse_difference, refuse_tearing
from axmem.refinement.bounded.records import bound_record
from axmem.refinement.bounded.skeleton import ThreadSizes
from axmem.refinement.bounded.vocabulary import meant
from axmem.refinement.contexts.smallest import DifferenceQuestion, SizeLevel, kept, levels
from axmem.refinement.contexts.units import store_of
from axmem.refinement.distinction import Distinction, Presentation, distinction

INTERRUPTED = "the search was interrupted"
ENGINE = "axmem diff"
HINT = "--constructs says what programs may have; axmem run --compare compares models on tests of your own"


@dataclass(frozen=True, slots=True)
class Differences:
    """The search between two models. `silent` names constructs that neither speaks of; `direction` is what counted."""

    first: str
    second: str
    bound: Bound
    silent: tuple[str, ...]
    direction: str
    levels: tuple[SizeLevel, ...]
    distinctions: tuple[Distinction, ...]

    @property
    def searched(self) -> dict[str, Any]:
        """The bound as plain data."""
        return bound_record(self.bound)

    @property
    def complete(self) -> bool:
        """Whether every level was searched to the end, or to the programs asked for."""
        return not any(level.unfinished for level in self.levels)

    @property
    def interrupted(self) -> bool:
        """Whether the search was ended by the user."""
        return any(INTERRUPTED in level.unfinished for level in self.levels)


@dataclass(slots=True)
class Listener:
    """Whom to tell: of the beginning of a search, of a shape begun, of a level done, of a test."""

    heading: Callable[[Differences], object] = lambda report: None
    shape: Callable[[int, ThreadSizes], None] = lambda events, shape: None
    level: Callable[[SizeLevel], object] = lambda level: None
    test: Callable[[Distinction], object] = lambda distinction: None
    count: int = field(default=0)
    """How many tests there were, by which they are named."""


def pairs(first: ModelChoice, second: ModelChoice) -> list[tuple[ModelChoice, ModelChoice]]:
    """Return, for each variant in which two models differ, the first one and the first with that variant changed.

    Variants that the first does not declare are left out.
    """
    a, b = loaded(first), loaded(second)
    values = b.choice
    found = []
    for name, value in a.chosen:
        if name in values and values[name] != value:
            settings = dict(first.variants) | {name: values[name]}
            found.append((first, ModelChoice(first.model, tuple(settings.items()))))
    return found


@dataclass(frozen=True, slots=True)
class Programs:
    """Which programs are searched: up to so many operations, threads and locations.

    What is None the models decide; lists are words as docs/diff.md has them. With `finals` final values are compared.
    """

    events: int = EVENTS
    threads: int = THREADS
    locations: int = LOCATIONS
    finals: bool = True
    constructs: str | None = None
    orderings: str | None = None
    scopes: str | None = None
    tags: str | None = None
    placements: str | None = None

    def wanted(self) -> WantedBound:
        """Return what is asked of a bound. Raises InputError for words that mean nothing."""
        lists = words.lists(
            constructs=self.constructs, orderings=self.orderings, scopes=self.scopes, tags=self.tags,
            placements=self.placements,
        )  # fmt: skip
        return WantedBound(
            self.events, min(self.threads, self.events), min(self.locations, self.events), finals=self.finals, **lists
        )


@dataclass(frozen=True, slots=True)
class DiffSearch:
    """What is sought: at most `most` programs (None: all of the smallest size), for `seconds` at the most.

    In the `direction` `stronger` or `weaker` one of the models permits more. `plainer` takes from each program what
    does not matter; what is `explained` says why a model permits the outcome, and the other does not.
    """

    direction: str = "any"
    most: int | None = 1
    plainer: bool = True
    explained: bool = True
    seconds: float | None = None


PROGRAMS, SMALLEST = Programs(), DiffSearch()


@dataclass(frozen=True, slots=True)
class PairSearch:
    """What is asked of every pair of models, in a directory that keeps what was done, until a time."""

    wanted: WantedBound
    search: DiffSearch = SMALLEST
    directory: str = ""
    until: float | None = None


def diff(
    first: str | ModelChoice,
    second: str | ModelChoice,
    programs: Programs = PROGRAMS,
    search: DiffSearch = SMALLEST,
    *,
    run: str | None = None,
    listener: Listener | None = None,
    workers: Workers = HERE,
) -> Differences:
    """Search all programs up to a bound, smallest first, for those that tell two models apart.

    `run` is a directory that keeps what was done. Raises InputError for models and words that mean nothing, and
    Disagreement if the checker contradicts.
    """
    wanted = programs.wanted()
    until = None if search.seconds is None else time.time() + search.seconds
    choices = choice_of(first), choice_of(second)
    with _directory(run) as directory:
        return searched(*choices, PairSearch(wanted, search, directory, until), listener or Listener(), workers)[0]


@contextmanager
def _directory(path: str | None) -> Iterator[str]:
    """Provide the directory of the run, or one for the length of the search. Raises InputError."""
    with tempfile.TemporaryDirectory(prefix="axmem-diff-") as directory:
        kept_in = path or directory
        with writing_into(kept_in):
            os.makedirs(kept_in, exist_ok=True)
        store_of(kept_in).make()
        yield kept_in


def searched(
    first: ModelChoice, second: ModelChoice, asked: PairSearch, listener: Listener, workers: Workers = HERE
) -> tuple[Differences, bool]:
    """Return the report, and whether the search was interrupted.

    Raises Disagreement, and InputError if there is no difference, but the models say different things of what the
    bound leaves out although the user named no constructs.
    """
    models = loaded(first), loaded(second)
    bound = bound_for(models, asked.wanted)
    for model in models:
        refuse(model, ENGINE, meant(bound))
        refuse_tearing(model, ENGINE)
    report = Differences(
        label(first), label(second), bound, silent(models), asked.search.direction, levels=(), distinctions=()
    )
    listener.heading(report)
    question = DifferenceQuestion(
        label(first), label(second), bound, direction=asked.search.direction, most=asked.search.most,
        directory=asked.directory, until=asked.until,
    )  # fmt: skip
    done: list[SizeLevel] = []
    interrupted = False
    try:
        for level in levels(question, workers, listener.shape):
            done.append(level)
            listener.level(level)
    except KeyboardInterrupt:
        interrupted = True
        done.append(kept(question, len(done) + 1, INTERRUPTED))
        listener.level(done[-1])
    if asked.wanted.constructs is None and not any(level.found for level in done):
        refuse_difference(*models, bound.without, ENGINE, HINT)
    presentation = Presentation(first, second, bound, asked.search.plainer, asked.search.explained)
    tests = _distinctions(presentation, done, listener)
    return replace(report, levels=tuple(done), distinctions=tests), interrupted


def _distinctions(presentation: Presentation, levels: list[SizeLevel], listener: Listener) -> tuple[Distinction, ...]:
    """Return the tests of the programs found; programs that become one when made plainer give one test."""
    found: dict[object, Distinction] = {}
    session = Session()
    for level in levels:
        smaller = "a smaller one may do too" if any(one.unfinished for one in levels) else "none with fewer does"
        for program, weaker in level.found:
            listener.count += 1
            said = f"Tells {label(presentation.first)} from {label(presentation.second)}: "
            said += f"{program.size} operation{'s' * (program.size != 1)}; {smaller}."
            test = distinction(program, presentation, f"diff{listener.count}", said, session, weaker=weaker)
            if test.program in found:
                listener.count -= 1
                continue
            found[test.program] = test
            listener.test(test)
    return tuple(found.values())
