"""Is there a context, of those that use what a program shows, in which a change is unsound?

What goes in: a change with what contexts have of it. What comes out: the first of the suggested contexts
(`axmem.refinement.interface.witnesses`) that shows something new, as both engines for single tests say, or None.
Invariant: None says nothing of any context.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from itertools import groupby, islice, product
from typing import NamedTuple

from axmem.encoder.sat import shared
from axmem.encoder.solve import Limits
from axmem.events.graph import EventGraph, EventKind
from axmem.events.values import Apply
from axmem.front.records import replace
from axmem.front.source import InputError
from axmem.litmus import syntax as ast
from axmem.litmus.launch import lanes
from axmem.litmus.registers import register_types
from axmem.litmus.words import AMDGPU, Level, Ordering, Scope
from axmem.refinement.bounded_check import Counterexample
from axmem.refinement.changed import graphs, within
from axmem.refinement.contexts.beginning import with_numbers
from axmem.refinement.contexts.context import Context
from axmem.refinement.contexts.numbers import given
from axmem.refinement.contexts.placeholders import APART
from axmem.refinement.contexts.places import Place
from axmem.refinement.everywhere import Scene, confirmed, with_location
from axmem.refinement.inclusion import SOUND, UNSOUND
from axmem.refinement.interface.witnesses import (
    OWN,
    Shown,
    Stage,
    Suggestion,
    context,
    own_locations,
    suggestions,
)


def refuted(
    here: Scene, seconds: float | None = None, *, beside: int | None = None, only: slice = slice(None), above: int = -1
) -> tuple[int, Counterexample] | None:
    """Return the size of a context in which a change is unsound, and the counterexample; None if none was found.

    `beside` is how many further threads it has at most, `above` fewer operations than it has; `only` says which of all
    that are suggested are tried.
    """
    most = SECONDS if seconds is None else min(seconds, SECONDS)
    if here.meeting is not None or here.unmet or here.change.before.levels != AMDGPU:
        return None
    choices = _choices(given(graphs(here.change, here.meaning)))
    ends = (time.process_time() + most * (k + 1) / len(choices) for k in range(len(choices)))
    wanted = _Wanted(beside, only, above)
    found = (_refuted(here, numbers, end, wanted) for numbers, end in zip(choices, ends, strict=True))
    return next(filter(None, found), None)


class _Wanted(NamedTuple):
    """Which of the suggested contexts are tried; see `refuted`."""

    beside: int | None
    only: slice
    above: int

    def __call__(self, tries: Iterator[tuple[Suggestion, Stage]]) -> Iterator[tuple[Suggestion, Stage]]:
        for made, stage in islice(tries, self.only.start, self.only.stop):
            if made.size > self.above and (self.beside is None or len(made.beside) <= self.beside):
                yield made, stage


def _choices(parameters: Sequence[Apply]) -> list[dict[int, int]]:
    """Return numbers for parameters: some of which nothing is known; of one bit each that there is."""
    bits = [each.parameters[0] for each in parameters if each.bits == 1][:BITS]
    numbers = {each.parameters[0]: GENERIC + 2 * k & (1 << each.bits) - 1 for k, each in enumerate(parameters)}
    return [{**numbers, **dict(zip(bits, chosen, strict=True))} for chosen in product((1, 0), repeat=len(bits))]


def _refuted(here: Scene, numbers: Mapping[int, int], end: float, wanted: _Wanted) -> tuple[int, Counterexample] | None:
    """Return what `refuted` does where parameters are some numbers, until a processor has worked so long."""
    here = _with_numbers(here, numbers)
    try:
        both = graphs(here.change, here.meaning)
    except InputError:  # With these numbers a program accesses what no test has, such as null.
        return None
    own = own_locations([location.name for location in here.change.before.locations])
    stages = list(_stages(here, both, own))
    for made, stage in wanted(_tries(here, both, stages)):
        if time.process_time() > end:
            return None
        found = _tried(here, made, stage, own)
        if found is not None:
            made, found = _smaller(here, made, found, stage, own)
            said = " ".join(f"{index}={number}" for index, number in numbers.items())
            return made.size, replace(found, given=said)
    return None


def _smaller(
    here: Scene, made: Suggestion, found: Counterexample, stage: Stage, own: dict[str, ast.Location]
) -> tuple[Suggestion, Counterexample]:
    """Return a context that refutes a change from which no operation can be left out, and the counterexample."""
    for less in made.smaller():
        if (shown := _tried(here, less, stage, own)) is not None:
            return _smaller(here, less, shown, stage, own)
    return made, found


def _tries(
    here: Scene, both: tuple[EventGraph, EventGraph], stages: Sequence[Stage]
) -> Iterator[tuple[Suggestion, Stage]]:
    """Yield what is tried. Who does not branch rarely looks for a number: its constants are written at last."""
    made = suggestions(_shown(both, stages[0], here.memory.pointers)) if stages else []
    if here.forks:
        yield from product(made, stages)
        return
    for _, alike in groupby(stages, key=lambda stage: stage.values):
        yield from product(made, list(alike))


MOST = 3
"""So many constants of the programs suggested contexts write."""
GENERIC = 81
"""A number of which nothing is known, which programs rarely have: parameters are some, in any counterexample."""
BITS = 2
"""Of so many parameters of one bit each number is tried."""


def _with_numbers(here: Scene, numbers: Mapping[int, int]) -> Scene:
    """Return a scene whose parameters are numbers."""
    before, after = (with_numbers(test, numbers, {}, ()) for test in (here.change.before, here.change.after))
    return replace(here, change=replace(here.change, before=before, after=after))


def _tried(here: Scene, made: Suggestion, stage: Stage, own: dict[str, ast.Location]) -> Counterexample | None:
    """Return a counterexample with a suggested context, if it is one."""
    uses = [use for row in (made.first, made.last, *made.beside) for use in row]
    used = {use.place for use in uses}
    others = {stage.places[use.place].location for row in made.beside for use in row if use.place}
    if not others.isdisjoint(here.change.unshared):  # An execution before in which others conflict there is undefined.
        return None
    change = here.change
    for word in OWN:
        if word in used:
            change = with_location(change, own[word])
    around: Context = context(made, stage)
    for each in (around, *_guarded(around)):
        try:
            found = within(change, each, here.meaning, limits=Limits(seconds=TRY), session=shared())[0]
        except InputError:  # What the test language refuses of the two together.
            return None
        if found.verdict == UNSOUND:
            sure = confirmed(replace(here, change=change), each)
            return sure if isinstance(sure, Counterexample) else None
        if found.verdict != SOUND or not found.reasons:  # Nothing was undefined before.
            return None
    return None


def _guarded(around: Context) -> Iterator[Context]:
    """Yield a context whose thread goes on only where it read what another thread writes, if it reads such a place.

    What is undefined behaviour where it did not is none then.
    """
    written = {each.address: each.value for t in around.threads for each in t.body if isinstance(each, ast.Store)}
    read = (each for row in around.first.values() for each in row if isinstance(each, ast.Load))
    tests = [
        ast.IntegerOperation("eq", (ast.Register(each.register), written[each.address]))
        for each in read
        if each.address in written and each.mode.ordering is not Ordering.NOT_ATOMIC
    ]
    if tests:
        yield replace(around, guard=reduce(lambda one, other: ast.IntegerOperation("and", (one, other)), tests))


SECONDS, TRY = 2.0, 2.0
"""How many seconds of a processor all contexts have, and how many one of them."""


def _stages(here: Scene, both: tuple[EventGraph, EventGraph], own: dict[str, ast.Location]) -> Iterator[Stage]:
    """Yield for each thread, and each level at which the programs synchronize, where suggestions are played."""
    places = {_name(place): place for place in here.memory.places if place.location != here.more}
    places |= {word: Place(x.name, 0, ast.I32.size, x.space) for word, x in own.items()}
    test = here.change.before
    placements = {t.name: t.placement for t in test.threads}
    placements |= {own[0].name: own[0].placement for own in map(lanes, test.kernels) if len(own) == 1}
    taken = {name for each in (test, here.change.after) for _, name in register_types(each)}
    words = ("c" * n for n in range(1, len(taken) + 2))
    register = next(word for word in words if not any(name.startswith(word) for name in taken))
    atomic = (e for graph in both for e in graph.events if e.thread >= 0 and e.ordering is not Ordering.NOT_ATOMIC)
    levels: set[Level] = {e.scope for e in atomic}
    levels = {*levels, Scope.SYSTEM} - {Scope.SINGLETHREAD}
    constants = sorted({number for graph in both for number in graph.constants if number < APART})[:MOST]
    values = [tuple(here.memory.fresh + k for k in range(9)), *((number,) for number in constants)]
    for written in values:  # Programs that look at values may look for one of their constants.
        for thread in here.threads:
            for level in sorted(levels, reverse=True):
                yield Stage(places, thread, placements[thread], register, level, written)


def _name(place: Place) -> str:
    return f"{place.location}+{place.offset}:{place.size}"


def _shown(both: tuple[EventGraph, EventGraph], stage: Stage, pointers: Collection[tuple[str, int]]) -> Shown:
    """Return which places programs access, read and write, and which hold pointers of those they read."""
    read: dict[str, None] = {}
    written: dict[str, None] = {}
    strong: set[str] = set()
    loads: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for number, graph in enumerate(both):
        for e in graph.events:
            if e.thread < 0 or e.cell < 0 or e.kind not in (EventKind.READ, EventKind.WRITE):
                continue
            cell = graph.cells[e.cell]
            name = f"{cell.location}+{cell.offset}:{cell.size}"
            if name in stage.places:
                (read if e.kind is EventKind.READ else written)[name] = None
                if e.ordering.at_least(Ordering.MONOTONIC):
                    strong.add(name)
                    loads[number][name] += e.kind is EventKind.READ
    wide = {(x.location, x.offset): x for x in stage.places.values() if x.size == ast.POINTER.size}
    named = {_name(wide[at]) for at in pointers if at in wide}
    return Shown(
        tuple(dict.fromkeys((*read, *written))),
        tuple(read),
        tuple(written),
        tuple(name for name in read if name in named),
        frozenset(strong),
        tuple(name for name in read if loads[0][name] > loads[1][name]),
        any(e.ordering is Ordering.SEQ_CST for graph in both for e in graph.events),
    )
