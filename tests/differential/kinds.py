"""Random tests of several kinds: threads, kernels, DMA operations, floating point, addresses that are values.

What goes in: a kind and a number. What comes out: a test that brute force can finish, the same for the same number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from math import prod

from axmem.events.graph import EventGraph
from axmem.events.unroll import event_graph
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from tests.differential.addresses import address_program
from tests.differential.dma import dma_program
from tests.differential.floats import float_program
from tests.differential.kernels import kernel_program
from tests.differential.programs import Drawn, Size, candidates, drawn, orders

THREADS = "threads"
WRITERS: Mapping[str, Callable[[int], str]] = {
    "kernels": kernel_program, "dma": dma_program, "floats": float_program, "addresses": address_program,
}  # fmt: skip
KINDS = (THREADS, *WRITERS)
LEAST = 200
"""How many reads-from maps a test that computes with numbers may have at least: its accesses are always the same."""
CHOICES = 2_000
"""How many combinations of what branches and addresses choose a test may have."""
STRIDE = 1_000_003
"""How far apart the numbers are that are tried one after another until a test is small enough."""


def drawn_of(kind: str, number: int, size: Size) -> Drawn:
    """Return the test of this kind and number: the first that is small enough of those that belong to the number."""
    if kind == THREADS:
        return drawn(number, size)
    for attempt in count():
        text = WRITERS[kind](number + attempt * STRIDE)
        test = parse(text)
        try:
            graph = event_graph(test)
        except InputError:
            continue  # Refused by name: an access that may be outside its location, for one.
        if _fits(graph, replace(size, candidates=max(size.candidates, LEAST)) if kind == "floats" else size):
            return Drawn(text, test, graph)
    raise AssertionError


def _fits(graph: EventGraph, size: Size) -> bool:
    if prod(len(choice.values) for choice in graph.choices) > CHOICES:
        return False
    widest = max((len(c.values) for c in graph.choices if c.expr is not None), default=1)
    return candidates(graph) <= size.candidates * widest and orders(graph) <= size.orders
