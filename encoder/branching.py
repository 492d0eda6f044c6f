"""The ways to branch: which arm each choice of a test takes, and how many executions there are to try then.

What goes in: an `EventGraph`. What comes out: its paths, and how many candidates the second engine tries at most.
Invariant: a choice has an arm in a path exactly if its guard holds there; where the arms of others decide a choice, it
goes the way they say, since values are those of the paths on which they are computed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import factorial, prod

from axmem.events.graph import Choice, EventGraph, EventKind, Guard
from axmem.events.values import UNDEF, Expr, Value, evaluate, reads_of
from axmem.litmus.undef import agree

Arms = dict[int, int]
"""For each choice that arises, the arm that it takes."""


def taken(guard: Guard, arms: Arms) -> bool:
    """Whether what has this guard is executed where choices take these arms."""
    return all(arms.get(choice) == arm for choice, arm in guard)


def candidates(graph: EventGraph, most: int) -> int:
    """Return how many ways there are to branch, to read, undef included, and to order writes: at least, if above most.

    So many executions are tried at most.
    """
    found = prod(len(choice.values) for choice in graph.choices if _decider(choice) is None)
    if found > most:
        return found
    found = 0
    for arms in paths(graph):
        here = [e for e in graph.events if taken(e.guard, arms)]
        written = Counter(e.cell for e in here if e.kind is EventKind.WRITE)
        read = Counter(e.cell for e in here if e.kind in (EventKind.READ, EventKind.FINAL))
        found += prod((2 + written[cell]) ** count for cell, count in read.items()) * prod(
            factorial(count) for count in written.values()
        )
        if found > most:
            break
    return found


def paths(graph: EventGraph, index: int = 0, arms: Arms | None = None) -> Iterator[Arms]:
    """Yield every way to take the choices that arise; one that does not arise has no arm."""
    chosen = arms or {}
    if index == len(graph.choices):
        yield chosen
        return
    choice = graph.choices[index]
    if not taken(choice.guard, chosen):
        yield from paths(graph, index + 1, chosen)
        return
    decider = _decider(choice)
    value = UNDEF if decider is None else evaluate(decider, lambda _: UNDEF, chosen.get)
    for arm in range(len(choice.values)):
        if goes(choice, arm, value):
            yield from paths(graph, index + 1, {**chosen, index: arm})


def goes(choice: Choice, arm: int, value: Value) -> bool:
    """Tell whether a choice may take an arm where its expression has this value: any that it may be."""
    wanted = choice.values[arm]
    if wanted is None:
        return not isinstance(value, int) or value not in choice.values
    return agree(value, wanted)


def _decider(choice: Choice) -> Expr | None:
    """Return the expression by which the arms of other choices decide one; None where what is read does, or nothing."""
    return None if choice.expr is None or reads_of(choice.expr) else choice.expr
