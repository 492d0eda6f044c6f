"""Is a change of a test sound, in every context?

What goes in: a test before and after a change of its threads or kernels, how instances of registers correspond, a
model, a number of operations. What comes out: a `Finding` (`bounded_check.py`): every outcome after the change
is matched by one before it, for the test as it is and with further operations around it, before and after each of its
threads and in threads of their own wherever these stand; or there is a context in which one is not. Compared are
registers, and memory at last. What is found is confirmed by both engines for single tests.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from random import Random

from axmem.check.selection import loaded
from axmem.encoder.branching import candidates
from axmem.encoder.limits import TIME_LIMIT, Limit, Reason
from axmem.encoder.sat import shared
from axmem.encoder.solver import Session
from axmem.events.barrier_events import names_barrier
from axmem.events.graph import EventKind
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.lint import unused
from axmem.litmus.placement import barriers_of, implied_barriers
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.undef import POISONED, UNDEF, Value, text_of
from axmem.litmus.walk import expressions, located, parts, statements, units
from axmem.model.model import Model
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.printed import program_text
from axmem.refinement.bounded_check import HOLDS, REFUTED, UNKNOWN, Counterexample, Finding
from axmem.refinement.changed import Change, graphs, within
from axmem.refinement.contexts.annotations import Annotations, Unlike, annotations_of
from axmem.refinement.contexts.beginning import begun, parameters, some_numbers
from axmem.refinement.contexts.context import ALONE, Context, enclosed
from axmem.refinement.contexts.decoding import decoded
from axmem.refinement.contexts.game import Found, Game, Open
from axmem.refinement.contexts.kept import Family, Kept
from axmem.refinement.contexts.placeholders import NOTHING, PLACES_MATTER, Meeting, Memory, Shape, placeholders
from axmem.refinement.contexts.places import Place, pieces
from axmem.refinement.contexts.shapes import anywhere, memory_of, shapes, space_of
from axmem.refinement.inclusion import UNSOUND


@dataclass(frozen=True, slots=True)
class Scene:
    """A change with what contexts have of it: its memory, the names of threads that more may stand around, a space.

    `more` is the name of a location that the context alone accesses, if there is one. At the barriers of a `meeting`
    further threads may meet the programs; `unmet`: the programs have barriers at which they do not. `ends`: all of the
    threads come to their ends in every execution, so that more may stand behind them whatever else is so. `forks`: a
    program has branches or compare-exchanges.
    """

    change: Change
    model: ModelChoice
    memory: Memory
    threads: tuple[str, ...]
    space: Bound
    more: str = ""
    meeting: Meeting | None = None
    unmet: bool = False
    ends: bool = False
    forks: bool = False

    @property
    def meaning(self) -> Model:
        """The model's text."""
        return loaded(self.model)


def scene(change: Change, model: ModelChoice) -> Scene:
    """Return what contexts of a change have.

    Where the programs synchronize, they order memory that they do not access: contexts then have a location more.
    """
    meaning = loaded(model)
    both = graphs(change.within(ALONE), meaning)
    names = {location.name for location in change.before.locations}
    known = names - change.own
    memory = replace(memory_of(both, known), unshared=change.unshared, own=change.own)
    if change.called:
        pointers, open_ = tuple(_pointers(change.before, known)), [*_addresses(change)]
        memory = replace(memory, initial=frozenset(known), pointers=pointers)
        astray = frozenset(each.index for each in open_ if each.astray)
        memory = replace(memory, addresses=frozenset(each.index for each in open_), astray=astray)
    compared = tuple(place for place in pieces(*both) if place.location in known)
    more = ""
    events = [e for graph in both for e in graph.events]
    meets = any(e.kind is EventKind.BARRIER for e in events)
    meeting = _meeting(change) if meets else None
    if meets or any(e.ordering.synchronizes or e.address_reads for e in events):
        more = next(name for n in count() if (name := f"other{n or ''}") not in names)
        own = ast.Location(more, ast.AddressSpace.GLOBAL, ast.I32, ast.Number(0, ast.I32))
        change = with_location(change, own)
        place = Place(more, 0, ast.I32.size, own.space)
        memory = replace(memory, places=(*memory.places, place))
        compared = (*compared, place)
    shared = set(enclosed(change.after))
    threads = tuple(name for name in enclosed(change.before) if name in shared)
    space = space_of(meaning, both, memory.places)
    change, unmet = replace(change, memory=compared), meets and meeting is None
    ends, forks = _end(change, threads, meaning), any(graph.choices for graph in both)
    return Scene(change, model, memory, threads, space, more, meeting, unmet, ends, forks)


def _addresses(change: Change) -> Iterator[ast.Given]:
    """Yield the parameters that are pointers."""
    everything = (e for t in (change.before, change.after) for _, s in located(t) for e in expressions(s))
    for part in (part for each in everything for part in parts(each) if isinstance(part, ast.Given)):
        if part.type is not None and part.type.pointer is not None:
            yield part


def _pointers(test: ast.LitmusTest, known: set[str]) -> Iterator[tuple[str, int]]:
    """Yield the places of memory that are declared to hold pointers."""
    for location in test.locations:
        element = (location.type or ast.I32).element
        if location.name in known and element.pointer is not None:
            yield from ((location.name, at) for at in range(0, (location.type or ast.I32).size, element.size))


def _end(change: Change, threads: Iterable[str], meaning: Model) -> bool:
    """Whether threads of both programs come to their ends in every execution: those of kernels may not."""
    straight = {thread.name for test in (change.before, change.after) for thread in test.threads}
    kernels = [name for name in threads if name not in straight]
    if not kernels:
        return True
    last = Context(last={name: (replace(NOTHING, label=f"end {name}"),) for name in kernels})
    reached = [{e.label: e.guard for e in graph.events} for graph in graphs(change.within(last), meaning)]
    return all(guards.get(f"end {name}") == () for name in kernels for guards in reached)


def _meeting(change: Change) -> Meeting | None:
    """Return the barrier at which further threads may meet both programs, if these come to it equally often.

    That is the one of a workgroup, under one name, in threads without control flow: a declared one has its threads.
    """
    found: set[Meeting | None] = set()
    for test in (change.before, change.after):
        names = {barrier.name for barrier in test.barriers}
        own = {barrier for barrier in test.barriers if barrier in implied_barriers(test, ())}
        if len(own) != 1 or len(names) != 1 or any(_concerns_barriers(s) for _, s in located(test)):
            return None
        (barrier,) = own
        (first, *_) = (t for t in test.threads if t.name == barrier.participants[0])
        found.add(Meeting(barrier.name, barriers_of(first.body, barrier.name), barrier.participants))
    return found.pop() if len(found) == 1 else None


def _concerns_barriers(statement: ast.Statement) -> bool:
    """Whether a statement is a barrier of a kernel, or of a DMA operation that one completes."""
    return isinstance(statement, ast.Track) or (isinstance(statement, ast.Call) and names_barrier(statement.operation))


def with_location(change: Change, own: ast.Location) -> Change:
    """Return a change whose tests have a location more."""
    before, after = (replace(t, locations=(*t.locations, own)) for t in (change.before, change.after))
    return replace(change, before=before, after=after)


def _without(here: Scene, context: Context) -> Scene:
    """Return the scene without the location of the context alone, unless the context accesses it, or memory holds its
    address at first."""
    bodies = (*(t.body for t in context.threads), *context.first.values(), *context.last.values())
    used = {a.base.location for body in bodies for s in body if (a := getattr(s, "address", None)) is not None}
    held = (x.initial for t in (here.change.before, here.change.after) for x in t.locations if x.initial is not None)
    used |= {part.location for each in held for part in parts(each) if isinstance(part, ast.AddressOf)}
    if not here.more or here.more in used:
        return here
    before, after = (
        replace(t, locations=tuple(x for x in t.locations if x.name != here.more))
        for t in (here.change.before, here.change.after)
    )
    memory = tuple(p for p in here.change.memory or () if p.location != here.more)
    return replace(here, change=replace(here.change, before=before, after=after, memory=memory), more="")


def sound_everywhere(
    here: Scene, events: int, seconds: float | None = None, known: int = -1, kept: Kept | None = None
) -> Finding:
    """Return whether a change is sound in every context of up to so many operations, given that it is up to `known`.

    `seconds` limit the whole; `kept` has what is known of changes that were asked about before. Raises Disagreement if
    the engines for single tests do not confirm what is found.
    """
    begun = time.process_time()
    decided, reasons, unknown, session = 0, dict[str, None](), events, shared()
    if here.meaning.analyses.chosen_orders:
        return Finding(UNKNOWN, 0, reasons=(f"{here.meaning.name} has executions choose orders besides co",))
    family = _family(here, kept) if kept is not None else None
    for size in range(known + 1, events + 1):
        for shape in _shapes(here, size, full=not reasons):
            left = None if seconds is None else seconds - (time.process_time() - begun)
            found = _asked(here, shape, left, family or session)
            if isinstance(found, Counterexample):
                return Finding(REFUTED, found.size, found, tuple(reasons), decided, time.process_time() - begun)
            reasons |= dict.fromkeys(found)
            unknown = min(unknown, size) if found else unknown
            decided += not found
    spent = time.process_time() - begun
    return Finding(UNKNOWN if reasons else HOLDS, unknown, None, tuple(reasons), decided, spent)


def _shapes(here: Scene, size: int, *, full: bool) -> Iterable[Shape]:
    """Return the shapes of so many operations, or one of which it is open where they stand.

    Beyond one operation shapes are asked one by one of a thread that synchronizes, or that forks, since that takes less
    time; always where contexts have barriers, which stand between operations of one thread; and where branches of a
    program control what stands behind it. `full`: all contexts of fewer operations are known. That leaves those in
    which every operation is something, unless threads without any come to a barrier.
    """
    apart = size > 1 and len(here.threads) < 2 and (bool(here.more) or here.forks)
    one_by_one = apart or here.meeting is not None or not here.ends
    if one_by_one or not PLACES_MATTER.isdisjoint(here.meaning.base_names):
        found: Iterable[Shape] = shapes(size, here.threads, here.meeting)
    else:
        found = (anywhere(size, here.threads),)
    return (replace(shape, full=full and here.meeting is None) for shape in found)


def _family(here: Scene, kept: Kept) -> Family | None:
    """Return the games of changes that differ from one in orderings and scopes alone; None if it has none to differ in.

    Kernels have none: a context may number what they do otherwise.
    """
    both = graphs(here.change, here.meaning)
    if here.change.before.kernels or here.change.after.kernels or any(graph.beyond for graph in both):
        return None
    pair, made, marks = annotations_of(both, here.meaning)
    scene_of_pair = (here.model, here.memory, here.threads, str(here.space), here.more, here.meeting, here.ends)
    return kept.family((pair, scene_of_pair), made, marks) if marks else None


def _asked(
    here: Scene, shape: Shape, seconds: float | None, known: Session | Family | None
) -> Counterexample | tuple[str, ...]:
    """Return a counterexample with a context of a shape, or what is not known of them."""
    if seconds is not None and seconds <= 0:
        return (str(TIME_LIMIT),)

    def game(shape: Shape, session: Session | None, made: Annotations | None = None) -> Game:
        both = graphs(here.change.within(placeholders(shape, here.memory)), here.meaning)
        return Game(both, shape, here.memory, here.space, (here.meaning, here.meaning), session, made)

    found, cut = _played(known, shape, game, seconds)
    if isinstance(found, Found):
        for numbers in parameters(found.setting, found.truth):
            pair = here.change.before, here.change.after
            tests = [begun(found.setting, found.truth, test, numbers) for test in pair]
            there = replace(here, change=replace(here.change, before=tests[0], after=tests[1]))
            found_in = decoded(found.setting, found.truth, tests)
            shown = confirmed(there, found_in, floats=bool(found.setting.unknown))
            if isinstance(shown, Counterexample) and not _by_numbers(here, found, numbers, shown):
                shown = (f"{NOT_CONFIRMED}, {UNDEF_BITS}",)
            if isinstance(shown, Counterexample):
                given = " ".join(f"{index}={text_of(number)}" for index, number in numbers.items())
                return replace(shown, given=given, size=found_in.size)
        return shown
    where = shape.text() if shape.size else "as it is"
    if isinstance(found, Open):
        return (f"{where}: {found.reason}",)
    return tuple(_beyond(here)) if cut else ()


def _played(
    known: Session | Family | None, shape: Shape, game: Callable[..., Game], seconds: float | None
) -> tuple[Found | Open | None, bool]:
    """Return what a game about contexts of a shape comes to, and whether loops may go on beyond their bounds there."""
    if isinstance(known, Family):
        try:
            return known.ask(shape, game, seconds), False
        except Unlike:
            known = shared()
    begun = time.process_time()
    alone = game(shape, known)
    left = None if seconds is None else max(0.0, seconds - (time.process_time() - begun))
    return alone.play(left), alone.cut


def _beyond(here: Scene) -> Iterator[str]:
    """Yield which loops go on beyond their bounds."""
    after = graphs(here.change, here.meaning)[1]
    yield from dict.fromkeys(f"after: {Reason(Limit.LOOPS, each.reason)}" for each in after.beyond)


class Disagreement(Exception):
    """The engines do not agree on a counterexample: one of them is wrong. Has the tests' texts."""


NOT_CONFIRMED = "a difference is found that the engines for single tests do not confirm"
FLOATS = "which compute floating point: here the result of it is any number"
UNDEF_BITS = "which know other bits of what is computed from undef"
"""Why something that is found may not be a counterexample."""


def confirmed(here: Scene, context: Context, *, floats: bool = False) -> Counterexample | tuple[str, ...]:
    """Return the counterexample that a context is, as both engines for single tests say; or why they do not.

    `floats`: the game has results of floating point of which nothing is known.
    """
    here = _without(here, context)
    found, tests, new = within(here.change, context, here.meaning)
    if found.verdict != UNSOUND and found.reasons:
        return found.reasons
    # What neither program uses is not shown.
    idle = unused(tests.before) & unused(tests.after)
    kept = tuple(x for x in tests.before.locations if x.name not in idle)
    texts = tuple(program_text(replace(test, locations=kept)) for test in (tests.before, tests.after))
    if found.verdict != UNSOUND or (found.vaguer and _flags(tests.after) > _flags(tests.before)):
        return (f"{NOT_CONFIRMED}, {FLOATS if floats else UNDEF_BITS}",)
    if not _by_oracle(here, context):
        raise Disagreement("\n".join(texts))
    return Counterexample(texts[0], texts[1], new)


def _flags(test: ast.LitmusTest) -> int:
    """Return how often a number may be poison: whether it is, is asked of undef as often as a flag's rule names it."""
    bodies = (unit.body for unit in units(test))
    exprs = (expr for body in bodies for each in statements(body) for expr in expressions(each))
    return sum(isinstance(each, ast.UndefValue) and each.poison for expr in exprs for each in parts(expr))


TRIED = 12
"""So many times uses of an undef parameter are numbers, to see whether what is found is more than what it may be."""


def _by_numbers(here: Scene, found: Found, numbers: Mapping[int, Value], shown: Counterexample) -> bool:
    """Whether a counterexample with undef parameters is one where each use after the change takes them for numbers.

    What is known of undef in arithmetic is more than it may be: `mul undef, 71` is not every number. Undefined
    behaviour is none of numbers, nor is poison, and is not asked again.
    """
    undef = {index for index, number in numbers.items() if number is UNDEF}
    if not undef or POISONED in numbers.values() or "undefined behaviour" in shown.outcome:
        return True
    before = begun(found.setting, found.truth, here.change.before, numbers)
    for seed in range(TRIED):
        chosen = some_numbers(here.change.after, undef, Random(seed))
        after = begun(found.setting, found.truth, chosen, numbers)
        there = replace(here, change=replace(here.change, before=before, after=after))
        context = decoded(found.setting, found.truth, [before, after])
        if isinstance(confirmed(there, context), Counterexample):
            return True
    return False


BRUTE = 4_000
"""Of how many executions the second engine, which tries all, is asked."""


def _by_oracle(here: Scene, context: Context) -> bool:
    """Whether the second engine finds something new, too, if it can be asked: of registers alone, then with memory."""
    for memory in ((), here.change.memory):
        change = replace(here.change, memory=memory)
        beside = change.within(context)
        if max(candidates(graph, BRUTE) for graph in graphs(beside, here.meaning)) > BRUTE:
            return True
        if within(change, context, here.meaning, oracle=True)[0].verdict == UNSOUND:
            return True
    return False
