"""The scalars of memory that programs access, which contexts access, too.

What goes in: the events of some tests. What comes out: `Place`s: pieces cut at the ends of all accesses, and what
single accesses cover that is more than a piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from axmem.events.graph import Event, EventGraph
from axmem.litmus import syntax as ast


class Place(NamedTuple):
    """A scalar of memory: its location, and where in it."""

    location: str
    offset: int
    size: int
    space: ast.AddressSpace

    @property
    def type(self) -> ast.Type:
        """The type of what it holds, a number."""
        return ast.Type(8 * self.size)

    @property
    def address(self) -> ast.Address:
        """Its address in the test that it is of."""
        base = ast.AddressOf(self.location)
        return ast.Address(base, ast.Number(self.offset // self.size, ast.I32)) if self.offset else ast.Address(base)


def pieces(*graphs: EventGraph) -> tuple[Place, ...]:
    """Return the pieces of memory that threads of some tests access, cut at the ends of all accesses.

    A scalar that is always accessed whole is one; what is left of others is cut into scalars at their own alignment.
    """
    order = {name: k for graph in reversed(graphs) for k, name in enumerate(graph.locations)}
    used: dict[tuple[int, int], Event] = {}
    for graph, event in ((g, e) for g in graphs for e in g.events if e.thread >= 0 and e.cell >= 0):
        cell = graph.cells[event.cell]
        used |= {(order[cell.location], at): event for at in range(cell.offset, cell.offset + cell.size)}
    cells = [cell for graph in graphs for cell in graph.cells]
    ends = {(order[cell.location], at) for cell in cells for at in (cell.offset, cell.offset + cell.size)}
    names = {number: name for name, number in order.items()}
    found = []
    for number, start in sorted(used):
        if (number, start) in ends:
            size = next(n for n in count(1) if (number, start + n) in ends)
            space = used[number, start].space
            assert space is not None
            found += [Place(names[number], at, part, space) for at, part in _aligned(start, size)]
    return tuple(found)


def wholes(*graphs: EventGraph) -> tuple[Place, ...]:
    """Return what single accesses of some tests access that is more than a piece, and that a number can be."""
    found: dict[Place, None] = {}
    known = {(place.location, place.offset, place.size) for place in pieces(*graphs)}
    for graph, event in ((g, e) for g in graphs for e in g.events if e.thread >= 0 and e.cell >= 0):
        cells = sorted((graph.cells[k] for k in event.footprint), key=lambda cell: cell.offset)
        start, size = cells[0].offset, cells[-1].offset + cells[-1].size - cells[0].offset
        new = (cells[0].location, start, size) not in known and size == sum(cell.size for cell in cells)
        if new and size in SIZES and start % size == 0:
            assert event.space is not None
            found[Place(cells[0].location, start, size, event.space)] = None
    return tuple(found)


SIZES = (16, 8, 4, 2, 1)
"""How many bytes a number may have."""


def _aligned(start: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the scalars, each where it begins and how large it is, into which some bytes are cut."""
    while size:
        part = next(p for p in SIZES if p <= size and start % p == 0)
        yield start, part
        start, size = start + part, size - part
