"""The contexts that use what a program shows: a way in, a way out, and two accesses that conflict at the ends.

What goes in: the memory that two programs access, where they read, write and synchronize, and their threads. What comes
out: some hundreds of contexts of at most eight operations, small ones first: message passing, relays, Dekker, chains of
coherence. Invariant: a context is only a suggestion; whoever tries it asks the engines for single tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from axmem.front.records import dataclass
from axmem.litmus import syntax as ast
from axmem.litmus.words import AddressSpace, Level, Ordering, Scope, SyncScope
from axmem.refinement.contexts.context import Context
from axmem.refinement.contexts.placeholders import APART
from axmem.refinement.contexts.places import Place

DATA, MORE, ENTRY, LEAVE, FLAG = "data", "more", "entry", "exit", "flag"
"""Locations of the context alone: what is sent, another, where it comes in and goes out, and a flag."""
OWN = (DATA, MORE, ENTRY, LEAVE, FLAG)
NA, RLX = Ordering.NOT_ATOMIC, Ordering.MONOTONIC
ACQ, REL, SC = Ordering.ACQUIRE, Ordering.RELEASE, Ordering.SEQ_CST
MOST, FEW = 8, 2
"""How many operations a context has at most; and at how few one counts that shows what has changed."""


class Use(NamedTuple):
    """One operation of a context: a load, store, exchange or fence; where, and its ordering.

    A store that publishes writes the address of the place `to`.
    """

    word: str
    place: str
    ordering: Ordering
    to: str = ""


Uses = tuple[Use, ...]


def load(place: str, ordering: Ordering) -> Use:
    """Return a load."""
    return Use("load", place, ordering)


def store(place: str, ordering: Ordering) -> Use:
    """Return a store."""
    return Use("store", place, ordering)


def exchange(place: str, ordering: Ordering) -> Use:
    """Return an exchange."""
    return Use("exchange", place, ordering)


def fence(ordering: Ordering) -> Use:
    """Return a fence."""
    return Use("fence", "", ordering)


def publish(place: str, to: str, ordering: Ordering) -> Use:
    """Return a store of the address of a place."""
    return Use("store", place, ordering, to)


class Suggestion(NamedTuple):
    """What stands before a thread of the program, behind it, and beside it in threads of their own."""

    first: Uses
    last: Uses
    beside: tuple[Uses, ...]

    @property
    def size(self) -> int:
        """How many operations it has."""
        return len(self.first) + len(self.last) + sum(map(len, self.beside))

    def smaller(self) -> Iterator[Suggestion]:
        """Yield what it is without one of its operations."""
        rows = (self.first, self.last, *self.beside)
        for number, row in enumerate(rows):
            for k in range(len(row)):
                less = [*rows[:number], (*row[:k], *row[k + 1 :]), *rows[number + 1 :]]
                yield _made(less[0], less[1], *less[2:])


@dataclass(frozen=True, slots=True)
class Shown:
    """What programs show of a thread: the names of the places that they access, of those they read, and write.

    `pointers` are those they read that hold addresses of others, `strong` those that operations of the modification
    order access; of `fewer` the program after reads less often by these. `sequential`: some operations are seq_cst.
    """

    places: tuple[str, ...]
    read: tuple[str, ...]
    written: tuple[str, ...]
    pointers: tuple[str, ...] = ()
    strong: frozenset[str] = frozenset()
    fewer: tuple[str, ...] = ()
    sequential: bool = True


def suggestions(shown: Shown) -> list[Suggestion]:
    """Return what may tell programs apart: what uses what they show before the rest, and small ones first."""
    forced = [made for place in shown.places for made in _forced(place)]
    ordered = [*_sequential(shown), *_strongly(shown)]
    likely = [*_published(shown), *_messages(shown), *_sent(shown), *_between(shown)]
    rank = {made: (1, made.size) for made in (*forced, *ordered, *_relayed(shown))}
    rank |= {made: (0, made.size) for made in (*likely, *(ordered if shown.sequential else ()))}
    rank |= {made: (0, min(made.size, FEW)) for place in shown.fewer for made in _forced(place)}
    return sorted((made for made in rank if made.size <= MOST), key=rank.__getitem__)


def _made(first: Sequence[Use], last: Sequence[Use], *beside: Sequence[Use]) -> Suggestion:
    return Suggestion(tuple(first), tuple(last), tuple(tuple(row) for row in beside if row))


Way = Callable[[Uses], tuple[Uses, Uses]]
"""Given what stands at the end of a way: what the thread of the program does, and another thread."""


def _ways_in(places: Iterable[str]) -> Iterator[Way]:
    """Yield how something comes in: in the thread itself, by a read before the program, by a read of the program."""
    yield lambda end: (end, ())
    yield lambda end: ((load(ENTRY, RLX),), (*end, store(ENTRY, REL)))
    yield lambda end: ((load(ENTRY, ACQ),), (*end, store(ENTRY, REL)))
    for place in places:
        yield lambda end, place=place: ((), (*end, store(place, REL)))  # type: ignore[misc]


def _ways_out(places: Iterable[str]) -> Iterator[Way]:
    """Yield how something goes out: in the thread itself, by a write behind the program, by a write of the program."""
    yield lambda end: (end, ())
    yield lambda end: ((store(LEAVE, RLX),), (load(LEAVE, ACQ), *end))
    yield lambda end: ((fence(ACQ), *end), ())
    yield lambda end: ((store(LEAVE, REL),), (load(LEAVE, ACQ), *end))
    for place in places:
        yield lambda end, place=place: ((), (load(place, ACQ), *end))  # type: ignore[misc]


def _conflicts(place: str) -> list[tuple[Uses, Uses]]:
    """Return two accesses of a place that are read differently as one happens before the other or not."""
    orderings = ((NA, NA), (RLX, NA), (RLX, RLX))
    reads = [((store(place, w),), (load(place, r),)) for w, r in orderings]
    return [*reads, ((load(place, NA),), (store(place, NA),)), ((load(place, RLX),), (store(place, RLX),))]


def _messages(shown: Shown) -> Iterator[Suggestion]:
    """Yield message passing: into the program, out of it, and through it of what it does not access."""
    yield _made((), ())
    ways_in = list(_ways_in(place for place in shown.read if place in shown.strong))
    ways_out = list(_ways_out(place for place in shown.written if place in shown.strong))
    for place in shown.places:
        for first, last in _conflicts(place):
            for way_in in ways_in:
                before, sender = way_in(first)
                yield _made(before, (), sender)
            for way_out in ways_out:
                behind, receiver = way_out(last)
                yield _made((), behind, receiver)
    for way_in in ways_in:
        before, sender = way_in((store(DATA, NA),))
        for way_out in ways_out:
            behind, receiver = way_out((load(DATA, NA),))
            if sender or receiver:
                yield _made(before, behind, sender, receiver)


def _relayed(shown: Shown) -> Iterator[Suggestion]:
    """Yield message passing through the program of all that there is, whatever it seems to be able to pass on."""
    for place in (*shown.places, DATA):
        for first, last in _conflicts(place):
            for way_in in _ways_in(shown.read):
                before, sender = way_in(first)
                for way_out in _ways_out(shown.written):
                    behind, receiver = way_out(last)
                    yield _made(before, behind, sender, receiver)


def _published(shown: Shown) -> Iterator[Suggestion]:
    """Yield who writes a place and publishes its address, at once or through the thread of the program."""
    for pointer in shown.pointers:
        for place in shown.places:
            for written in (NA, RLX) if place != pointer else ():
                row = (store(place, written), publish(pointer, place, REL))
                yield _made((), (), row)
                yield _made((load(ENTRY, RLX),), (), (*row, store(ENTRY, REL)))
                yield _made((publish(pointer, place, RLX),), (), (store(place, written), store(pointer, REL)))


def _sent(shown: Shown) -> Iterator[Suggestion]:
    """Yield releases that are themselves what is sent."""
    for way_out in _ways_out(shown.written):
        behind, receiver = way_out((load(ENTRY, NA),))
        yield _made((load(ENTRY, RLX),), behind, (store(ENTRY, REL),), receiver)
        for place in shown.places:
            behind, receiver = way_out((load(place, NA),))
            yield _made((), behind, (store(place, REL),), receiver)
            yield _made((load(place, RLX),), behind, (store(place, REL),), receiver)


def _forced(place: str) -> Iterator[Suggestion]:
    """Yield what a load must see since another thread has read it, where the next one reads that or what is later."""
    relay = (load(place, RLX), store(FLAG, REL))
    for data in (place, DATA):
        sent = (store(DATA, NA), store(place, REL)) if data == DATA else (store(place, REL),)
        for last in ((load(data, NA),), (fence(ACQ), load(data, NA))):
            yield _made((load(FLAG, ACQ),), last, sent, relay)
            yield _made((load(FLAG, ACQ),), last, sent, (*relay, store(place, RLX)))
            yield _made((load(place, RLX),), last, sent)


def _between(shown: Shown) -> Iterator[Suggestion]:
    """Yield a reader or a writer between two operations of the program, and release sequences."""
    for place in (*shown.places, DATA):
        for other in shown.places:
            yield _made((), (), (load(other, ACQ), load(place, NA)))
            yield _made((), (), (load(other, ACQ), load(place, RLX)))
            yield _made((), (), (store(place, RLX), store(other, REL)))
            for third in shown.places:
                for end in (load(place, NA), load(place, RLX), store(place, NA), store(place, RLX)):
                    yield _made((), (), (load(other, ACQ), end, store(third, REL)))
        yield _made((), (), (store(DATA, NA), store(place, REL)), (load(place, ACQ), load(DATA, NA)))
        yield _made((store(DATA, NA),), (), (exchange(place, ACQ), load(DATA, NA)))
        yield _made((), (load(DATA, NA),), (store(DATA, NA), exchange(place, REL)))
        for use in (load(place, RLX), store(place, RLX), load(place, NA)):
            yield _made((), (), (use,))


def _sequential(shown: Shown) -> Iterator[Suggestion]:
    """Yield what the order of seq_cst decides: Dekker's algorithm around the program and with it."""
    for place in (*shown.places, DATA):
        for other in (*shown.places, DATA, MORE):
            rows = ((store(place, SC), load(other, SC)), (store(place, RLX), fence(SC), load(other, RLX)))
            for row in rows:
                for ordering in (RLX, SC):
                    yield _made((store(other, ordering),), (load(place, ordering),), row)
                    yield _made((), (load(place, ordering),), row)
                    yield _made((store(other, ordering),), (), row)
                yield _made((), (), row)
            # Who synchronizes with an access itself is not strongly ordered behind it.
            yield _made((), (), (load(place, ACQ), load(other, SC)), (store(other, SC), load(place, SC)))
            yield _made((), (), (store(other, SC), store(place, REL)), (store(place, SC), load(other, SC)))
        yield _made((), (), (store(place, SC),), (load(place, SC), load(DATA, SC)))


def _strongly(shown: Shown) -> Iterator[Suggestion]:
    """Yield what an access must see by the order of seq_cst, and so synchronizes; and who is strongly ordered behind
    what it synchronizes with since another access stands between."""
    for place in shown.places:
        for other in (*shown.places, DATA):
            first = (store(DATA, SC),) if other == DATA else ()
            yield _made(first, (load(ENTRY, NA),), (store(ENTRY, NA), store(place, SC), load(other, SC)))
        sent, caught = (store(DATA, SC), store(place, REL)), (store(place, SC), load(DATA, SC))
        for first in ((), (load(place, RLX),)):
            yield _made(first, (), sent, caught)
            yield _made(first, (load(ENTRY, NA),), sent, (store(ENTRY, NA), *caught))
        yield _made((load(FLAG, ACQ),), (), sent, (load(place, RLX), store(FLAG, REL)), caught)


# ---------------------------------------------------------------- as statements


class Stage(NamedTuple):
    """Where suggestions are played: places by name, the thread of the program, and what names its registers have."""

    places: dict[str, Place]
    thread: str
    placement: ast.Placement
    register: str
    level: Level
    values: tuple[int, ...]


def own_locations(taken: Sequence[str]) -> dict[str, ast.Location]:
    """Return locations that contexts have besides the programs', by what they are for."""
    names = set(taken)

    def fresh(word: str) -> str:
        return next(name for n in range(len(names) + 1) if (name := f"{word}{n or ''}") not in names)

    return {w: ast.Location(fresh(w), AddressSpace.GLOBAL, ast.I32, ast.Number(0, ast.I32)) for w in OWN}


def context(made: Suggestion, stage: Stage) -> Context:
    """Return a suggestion as a context: each store writes another value."""
    numbers = iter(range(MOST + 1))

    def row(uses: Uses) -> tuple[ast.Statement, ...]:
        return tuple(_statement(use, stage, next(numbers)) for use in uses)

    near = stage.placement.numbers[: stage.level.depth]
    rest = len(stage.placement.numbers) - len(near)
    threads = tuple(
        ast.Thread(f"C{k}", ast.Placement((*near, *[APART + k] * rest)), row(uses))
        for k, uses in enumerate(made.beside)
    )
    first, last = row(made.first), row(made.last)
    return Context(threads, {stage.thread: first} if first else {}, {stage.thread: last} if last else {})


def _statement(use: Use, stage: Stage, number: int) -> ast.Statement:
    scope = SyncScope(stage.level) if use.ordering is not NA else SyncScope(Scope.SYSTEM)
    mode = ast.AccessMode(use.ordering, scope)
    if use.word == "fence":
        return ast.Fence(mode)
    place = stage.places[use.place]
    if use.word == "load":
        return ast.Load(f"{stage.register}{number}", place.type, place.address, mode)
    if use.to:
        to = stage.places[use.to]
        base = ast.AddressOf(to.location)
        target = ast.IntegerOperation("add", (base, ast.Number(to.offset))) if to.offset else base
        return ast.Store(target, ast.POINTER, place.address, mode)
    value = ast.Number(stage.values[number % len(stage.values)] % (1 << min(63, 8 * place.size)), place.type)
    if use.word == "exchange":
        return ast.AtomicRmw(f"{stage.register}{number}", "xchg", place.type, place.address, value, mode)
    return ast.Store(value, place.type, place.address, mode)
