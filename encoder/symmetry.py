"""Threads that may change places.

What goes in: a test, its events, the literals of its outcomes. What comes out: classes of threads with the same
statements of which any two can be exchanged; a literal that holds of one outcome at least of each that such exchanges
make of each other; and all the outcomes that they make of some. So n threads that do the same are tried once instead of
in n! orders. Invariant: an exchange of two threads of a class is an automorphism of the test. No model can tell them
apart, since all that it is told of two threads is where they are instances of one level.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.events import EventGraph
from axmem.encoder.execution import OneHot
from axmem.encoder.values import UNDEF, Value
from axmem.litmus.syntax import LitmusTest, Placement, RegisterOf
from axmem.litmus.words import AddressSpace

Outcome = tuple[tuple[Value, ...], ...]
Columns = tuple[tuple[int, ...], ...]
"""Of each thread of a class the columns that show its registers, in one order."""

_SHARED = (AddressSpace.GLOBAL, AddressSpace.GENERIC)


def classes(test: LitmusTest, graph: EventGraph) -> tuple[Columns, ...]:
    """Return the classes of threads that may change places and whose registers outcomes show alike.

    Where memory belongs to some threads, where barriers have names, or where there are other events than those of
    threads without loops there is none.
    """
    special = test.kernels or test.barriers or graph.across or graph.stuck or len(graph.threads) != len(test.threads)
    if special or any(location.space not in _SHARED for location in test.locations):
        return ()
    shown = [
        {o.name.removeprefix(thread.name): k for k, o in enumerate(graph.observed) if _of(o.observable, thread.name)}
        for thread in test.threads
    ]
    found: list[list[int]] = []
    for number, thread in enumerate(test.threads):
        for members in found:
            first = members[0]
            if (
                test.threads[first].body == thread.body
                and [*shown[first]] == [*shown[number]]
                and _exchangeable(graph.placements, first, number)
            ):
                members.append(number)
                break
        else:
            found.append([number])
    columns = [tuple(tuple(shown[number].values()) for number in members) for members in found if len(members) > 1]
    return tuple(each for each in columns if each[0])


def _of(observable: object, thread: str) -> bool:
    return isinstance(observable, RegisterOf) and observable.thread == thread


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


def canonical(circuit: Circuit, lanes: Sequence[Sequence[OneHot]], found: Iterable[Columns]) -> tuple[int, ...]:
    """Return literals of which all hold of one outcome at least of those that exchanges make of each other.

    Threads next to each other in a class have the values that they show in order, from the first column on.
    """
    out = []
    for members in found:
        for one, other in pairwise(members):
            in_order = TRUE
            for mine, its in zip(reversed(one), reversed(other), strict=True):
                for a, b in zip(reversed(lanes[mine]), reversed(lanes[its]), strict=True):
                    in_order = _in_order(circuit, a, b, in_order)
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


def expanded(rows: Iterable[Outcome], found: Iterable[Columns]) -> Iterator[Outcome]:
    """Yield the outcomes that exchanges make of some, these included, each as often as it is made."""
    for members in found:
        rows = _of_one_class(rows, members)
    return iter(rows)


def _of_one_class(rows: Iterable[Outcome], members: Columns) -> Iterator[Outcome]:
    for row in rows:
        yield from _exchanged(row, members)


def _exchanged(row: Outcome, members: Columns) -> Iterator[Outcome]:
    shown = Counter(tuple([row[k] for k in columns]) for columns in members)
    for order in _orders(shown, len(members)):
        again = list(row)
        for columns, values in zip(members, order, strict=True):
            for k, value in zip(columns, values, strict=True):
                again[k] = value
        yield tuple(again)


def _orders(left: Counter[Outcome], size: int) -> Iterator[tuple[Outcome, ...]]:
    """Yield every order of so many things, of which some are alike, once."""
    if not size:
        yield ()
        return
    for thing in [thing for thing, count in left.items() if count]:
        left[thing] -= 1
        for rest in _orders(left, size - 1):
            yield (thing, *rest)
        left[thing] += 1
