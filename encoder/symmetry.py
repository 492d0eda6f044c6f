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
from itertools import chain
from operator import itemgetter

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.exchanges import Exchange, Exchanges
from axmem.encoder.execution import OneHot
from axmem.events.graph import Event, EventGraph, EventKind
from axmem.events.values import UNDEF, Constant, ReadOf, Value
from axmem.front.records import dataclass
from axmem.litmus.undef import order_of

Row = tuple[tuple[Value, ...], ...]
Threads = tuple[int, ...]
"""Threads in an order, of which each changes places with that of another row."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Threads of a class: of each the columns that show its registers, and the values of its own, in one order."""

    columns: tuple[tuple[int, ...], ...]
    own: tuple[tuple[Value, ...], ...]


def _exchange(alike: Alike, one: int, other: int) -> Exchange:
    """Return the exchange of two members of a class."""
    columns: dict[int, int] = {}
    values: dict[Value, Value] = {}
    for a, b in ((one, other), (other, one)):
        columns.update(zip(alike.columns[a], alike.columns[b], strict=True))
        values.update(zip(alike.own[a], alike.own[b], strict=True))
    return Exchange(columns, values)


FEW = 3
"""Members of a class with values of their own: what two would save costs as much."""


def classes(graph: EventGraph) -> tuple[Alike, ...]:
    """Return the classes of threads, and of groups of threads in one place, that may change places and show it.

    Those of single threads come first, then those of what is larger: an order of groups, and then one within each
    group, is any that exchanges make.
    """
    exchanges, stored = Exchanges(graph), _Stored(graph)
    found: list[Alike] = []
    if not graph.stuck:
        for rows in _rows(graph):
            found += [each for members in _classes(rows, exchanges, stored) if (each := _alike(members, stored))]
    return tuple(found)


def _rows(graph: EventGraph) -> Iterator[list[Threads]]:
    """Yield the rows of threads of which some may change places: single threads, then those of each level."""
    yield [(number,) for number in range(len(graph.threads))]
    seen = set()
    for depth in range(len(graph.levels) if graph.placements else 0, 0, -1):
        groups: dict[tuple[int | None, ...], list[int]] = {}
        for number, placement in enumerate(graph.placements):
            groups.setdefault(placement.numbers[:depth], []).append(number)
        rows = tuple(map(tuple, groups.values()))
        if len(rows) > 1 and max(map(len, rows)) > 1 and rows not in seen:
            seen.add(rows)
            yield [row for row in rows if len(row) > 1]


@dataclass(frozen=True, slots=True)
class _Member:
    """A row of threads of a class: what exchanging it with the first makes of outcomes, and where its values differ."""

    row: Threads
    exchange: Exchange = Exchange({}, {})
    places: tuple[int, ...] = ()


def _classes(rows: Iterable[Threads], exchanges: Exchanges, stored: _Stored) -> list[list[_Member]]:
    """Return the classes of rows of which each may change places with the first, in the same way."""
    found: list[list[_Member]] = []
    for row in rows:
        for members in found:
            member = _member(members[0].row, row, exchanges, stored)
            if member is not None and (len(members) == 1 or members[1].places == member.places):
                members.append(member)
                break
        else:
            found.append([_Member(row)])
    return found


def _member(first: Threads, row: Threads, exchanges: Exchanges, stored: _Stored) -> _Member | None:
    """Return a row as a member of the class of another, None if the two may not change places."""
    exchange = exchanges.of(first, row) if len(first) == len(row) else None
    if exchange is None:
        return None
    if not exchange.values:
        return _Member(row, exchange)
    places = stored.differing(first[0], row[0]) if len(row) == 1 else None
    return None if places is None else _Member(row, exchange, places)


def _alike(members: Sequence[_Member], stored: _Stored) -> Alike | None:
    """Return a class as outcomes show it; None if it has too few members, or shows nothing."""
    moved = [each.exchange.columns for each in members[1:]]
    if not moved:
        return None
    # What every exchange with the first moves is of the first; of two rows it is one of each pair.
    first = set.intersection(*map(set, moved)) if len(moved) > 1 else {min(pair) for pair in moved[0].items()}
    columns, places = tuple(sorted(first)), members[1].places
    if len(members) < (FEW if places else 2) or not (places or columns):
        return None
    shown = (columns, *(tuple(each[k] for k in columns) for each in moved))
    return Alike(shown, tuple(tuple(stored.values[each.row[0]][p] for p in places) for each in members))


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
            exchange = _exchange(each, one, one + 1)
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
    values = sorted({*one, *other}, key=order_of)
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
            last = chain(rows, *[_exchanged(rows, _exchange(each, k, number)) for k in range(number)])
    return iter(last)


def _exchanged(rows: Iterable[Row], exchange: Exchange) -> Iterator[Row]:
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
