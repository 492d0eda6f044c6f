"""All programs of a bound, each once up to symmetry, smallest first.

What goes in: a `Bound`. What comes out: programs in canonical form, or their number. Invariant: every program of the
bound has exactly one of its forms among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from axmem.refinement.bounded.bound import Bound, operations
from axmem.refinement.bounded.operations import BoundedOperation, BoundedProgram
from axmem.refinement.bounded.placements import canonical, placements
from axmem.refinement.bounded.skeleton import ThreadSizes, shapes


def programs(bound: Bound) -> Iterator[BoundedProgram]:
    """Yield every program of the bound, those with fewer operations first."""
    for events in range(1, bound.events + 1):
        for shape in shapes(events, bound.threads):
            yield from of_shape(bound, shape)


def of_shape(bound: Bound, shape: ThreadSizes) -> Iterator[BoundedProgram]:
    """Yield every program of the bound whose threads have these lengths."""
    places = list(placements(len(shape), bound))
    fences = list(operations(bound, -1))
    accesses = [list(operations(bound, location)) for location in range(bound.locations)]
    for body in _bodies(fences, accesses, sum(shape), 0):
        cut = iter(body)
        threads = tuple(tuple(next(cut) for _ in range(length)) for length in shape)
        for where in places:
            program = BoundedProgram(threads, where)
            if canonical(program, bound.tags) == program:
                yield program


def _bodies(
    fences: list[BoundedOperation], accesses: list[list[BoundedOperation]], length: int, used: int
) -> Iterator[tuple[BoundedOperation, ...]]:
    """Yield sequences of operations whose locations come in order of their first use."""
    if not length:
        yield ()
        return
    reachable = accesses[: used + 1]
    for op in (*fences, *(op for some in reachable for op in some)):
        for rest in _bodies(fences, accesses, length - 1, max(used, op.location + 1)):
            yield (op, *rest)


def count(bound: Bound) -> int:
    """Return how many programs the bound has, up to symmetry."""
    return sum(1 for _ in programs(bound))


def raw_count(bound: Bound) -> int:
    """Return how many programs the bound has with all names told apart: of each shape, operations and placements."""
    each = sum(1 for _ in operations(bound, -1)) + bound.locations * sum(1 for _ in operations(bound, 0))
    total = 0
    for events, threads in product(range(1, bound.events + 1), range(1, bound.threads + 1)):
        here = [shape for shape in shapes(events, threads) if len(shape) == threads]
        total += sum(each ** sum(shape) for shape in here) * sum(1 for _ in placements(threads, bound))
    return total
