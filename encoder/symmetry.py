"""Threads that may change places.

What goes in: a test, its events, the literals of its outcomes. What comes out: classes of threads of which any two can
be exchanged, with the values that they alone store; a literal that holds of one outcome at least of each that such
exchanges make of each other; and all the outcomes that they make of some. So n threads that do the same are tried once
instead of in n! orders. Invariant: an exchange of two threads of a class, and of what they store, is an automorphism of
the test. No model can tell them apart, since all that it is told of two threads is where they are instances of one
level, and of a value nothing but what is computed from it: where something is, no two values change places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations
from operator import itemgetter

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.execution import OneHot
from axmem.events.graph import Event, EventGraph, EventKind
from axmem.events.values import UNDEF, Constant, ReadOf, Value
from axmem.front.records import dataclass, replace
from axmem.litmus.syntax import LitmusTest, Number, Placement, RegisterOf, Statement, Store
from axmem.litmus.words import AddressSpace

Row = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Alike:
    """Threads of a class: of each the columns that show its registers, and the values of its own, in one order."""

    columns: tuple[tuple[int, ...], ...]
    own: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What becomes of outcomes when two threads of a class change places: columns come from others, values change."""

    columns: dict[int, int]
    values: dict[Value, Value]

    @classmethod
    def of(cls, alike: Alike, one: int, other: int) -> _Exchange:
        """Return the exchange of two members."""
        columns: dict[int, int] = {}
        values: dict[Value, Value] = {}
        for a, b in ((one, other), (other, one)):
            columns.update(zip(alike.columns[a], alike.columns[b], strict=True))
            values.update(zip(alike.own[a], alike.own[b], strict=True))
        return cls(columns, values)


_SHARED = (AddressSpace.GLOBAL, AddressSpace.GENERIC)
FEW = 3
"""Members of a class with values of their own: what two would save costs as much."""


def classes(test: LitmusTest, graph: EventGraph) -> tuple[Alike, ...]:
    """Return the classes of threads that may change places and that outcomes show alike.

    Where memory belongs to some threads, where barriers have names, or where there are other events than those of
    threads without loops there is none.
    """
    special = test.kernels or test.barriers or graph.across or graph.stuck or len(graph.threads) != len(test.threads)
    if special or any(location.space not in _SHARED for location in test.locations):
        return ()
    pairs = combinations(test.threads, 2)
    if not any(_same_but_for_values(one.body, other.body) for one, other in pairs):
        return ()
    shown = [
        {o.name.removeprefix(thread.name): k for k, o in enumerate(graph.observed) if _of(o.observable, thread.name)}
        for thread in test.threads
    ]
    stored: _Stored | None = None
    found: list[tuple[list[int], tuple[int, ...]]] = []
    for number, thread in enumerate(test.threads):
        for k, (members, places) in enumerate(found):
            first = members[0]
            if (
                not _same_but_for_values(test.threads[first].body, thread.body)
                or [*shown[first]] != [*shown[number]]
                or not _exchangeable(graph.placements, first, number)
            ):
                continue
            differing: tuple[int, ...] | None = ()
            if test.threads[first].body != thread.body:
                stored = stored or _Stored(graph)
                differing = stored.differing(first, number)
            if differing is not None and (len(members) == 1 or differing == places):
                found[k] = ([*members, number], differing)
                break
        else:
            found.append(([number], ()))
    out = []
    for members, places in found:
        own = [tuple(stored.values[n][p] for p in places) if stored and places else () for n in members]
        alike = Alike(tuple(tuple(shown[n].values()) for n in members), tuple(own))
        if len(members) >= (FEW if places else 2) and (places or alike.columns[0]):
            out.append(alike)
    return tuple(out)


def _of(observable: object, thread: str) -> bool:
    return isinstance(observable, RegisterOf) and observable.thread == thread


def _same_but_for_values(one: Sequence[Statement], other: Sequence[Statement]) -> bool:
    """Say whether two bodies are the same but for numbers that are stored."""
    if [*map(type, one)] != [*map(type, other)]:
        return False
    return all(a is b or a == b or _without_value(a) == _without_value(b) for a, b in zip(one, other, strict=True))


def _without_value(statement: Statement) -> Statement:
    """Return a store of a number as one of any number."""
    if isinstance(statement, Store) and isinstance(statement.value, Number):
        return replace(statement, value=replace(statement.value, value=0))
    return statement


class _Stored:
    """What the threads of a test store, where nothing is done with values but that they are stored, read and shown."""

    def __init__(self, graph: EventGraph) -> None:
        shown = [lane for o in graph.observed for lane in o.lanes]
        given = [e.value for e in graph.events if e.value is not None]
        computed = any(not isinstance(expr, (Constant, ReadOf)) for expr in (*shown, *given))
        self.moved = not (
            computed or graph.choices or graph.requires or graph.beyond or any(u.expr for u in graph.undefined)
        )
        self.values = [[_constant(e) for e in graph.events if e.thread == n] for n in range(len(graph.threads))]
        self._count = Counter(expr.value for expr in (*shown, *given) if isinstance(expr, Constant))

    def differing(self, one: int, other: int) -> tuple[int, ...] | None:
        """Return at which events two threads store values that nothing else has; None if they differ otherwise."""
        mine, its = self.values[one], self.values[other]
        places = tuple(p for p, (a, b) in enumerate(zip(mine, its, strict=False)) if a != b)
        own, another = [mine[p] for p in places], [its[p] for p in places]
        pairs = set(zip(own, another, strict=True))
        alone = all(self._count[value] == n for value, n in Counter((*own, *another)).items())
        renamed = len(pairs) == len(set(own)) == len(set(another)) and set(own).isdisjoint(another)
        return places if self.moved and len(mine) == len(its) and alone and renamed else None


def _constant(event: Event) -> Value:
    """Return the number that an event writes; undef for every other event."""
    return event.value.value if event.kind is EventKind.WRITE and isinstance(event.value, Constant) else UNDEF


def _exchangeable(placements: Sequence[Placement], one: int, other: int) -> bool:
    """Tell whether every third thread is, at every level, in the instance of both or of neither."""
    return all(
        _levels(placements[one], third) == _levels(placements[other], third)
        for number, third in enumerate(placements)
        if number not in (one, other)
    )


def _levels(one: Placement, other: Placement) -> int:
    """Return how many levels, from the outermost, two threads share an instance of."""
    count = 0
    for a, b in zip(one.numbers, other.numbers, strict=True):
        if a is None or a != b:
            break
        count += 1
    return count


def canonical(circuit: Circuit, lanes: Sequence[Sequence[OneHot]], found: Sequence[Alike]) -> tuple[int, ...]:
    """Return literals of which all hold of one outcome at least of those that exchanges make of each other.

    It is the least of them, where columns are compared class by class, thread by thread, and the others last: no
    exchange of two threads next to each other makes a lesser one of it.
    """
    first = list(dict.fromkeys(chain.from_iterable(columns for each in found for columns in each.columns)))
    order = [*first, *(k for k in range(len(lanes)) if k not in set(first))]
    out = []
    for each in found:
        for one in range(len(each.columns) - 1):
            exchange = _Exchange.of(each, one, one + 1)
            # What is exchanged for it stands behind a column without values of a class: it is as much the other way.
            behind = set() if each.own[0] else set(each.columns[one + 1])
            in_order = TRUE
            for k in reversed([k for k in order if k not in behind]):
                for a, b in zip(reversed(lanes[k]), reversed(lanes[exchange.columns.get(k, k)]), strict=True):
                    there = {exchange.values.get(value, value): literal for value, literal in b.items()}
                    if a != there:
                        in_order = _in_order(circuit, a, there, in_order)
            out.append(in_order)
    return tuple(out)


def _in_order(circuit: Circuit, one: OneHot, other: OneHot, then: int) -> int:
    """Return the literal that a value is below another, or the same, and then a literal holds."""
    values = sorted({*one, *other}, key=lambda value: (value is UNDEF, 0 if value is UNDEF else value))
    cases, above = [], FALSE
    for value in reversed(values):
        same = other.get(value, FALSE)
        here = circuit.either(above, circuit.both(same, then))
        cases.append(circuit.both(one.get(value, FALSE), here))
        above = circuit.either(above, same)
    return circuit.disjunction(cases)


def expanded(rows: Iterable[Row], found: Iterable[Alike]) -> Iterator[Row]:
    """Yield the outcomes that exchanges make of some, these included; some more than once.

    Every order of n threads is one of n - 1 of them, and then an exchange of the last with one of them or with none.
    """
    last: Iterable[Row] = rows
    for each in found:
        for number in range(1, len(each.columns)):
            rows = {*last}
            last = chain(rows, *[_exchanged(rows, _Exchange.of(each, k, number)) for k in range(number)])
    return iter(last)


def _exchanged(rows: Iterable[Row], exchange: _Exchange) -> Iterator[Row]:
    """Yield what an exchange makes of outcomes."""
    rows = list(rows)
    if not rows:
        return iter(())
    width = len(rows[0])
    if width == 1:
        moved: Iterable[Row] = rows
    else:
        moved = map(itemgetter(*[exchange.columns.get(k, k) for k in range(width)]), rows)
    if not exchange.values:
        return iter(moved)
    other = {lanes: tuple([exchange.values.get(v, v) for v in lanes]) for lanes in set(chain.from_iterable(rows))}
    return (tuple(map(other.__getitem__, row)) for row in moved)
