"""Which bytes of a test are accessed together: its cells."""

from __future__ import annotations

from itertools import pairwise

from axmem.events.conventions import Conventions
from axmem.events.state import CellKey
from axmem.litmus import syntax as ast
from axmem.litmus.walk import addresses, statements


def whole_locations(test: ast.LitmusTest, decided: Conventions) -> dict[int, list[CellKey]] | None:
    """Return the cells of a test each of whose accesses names a location and is as large; None where a walk must say.

    Each location is a cell then, whatever is executed.
    """
    if test.kernels or decided.tearing or not test.locations:
        return None
    types = {location.name: location.type for location in test.locations}
    for thread in test.threads:
        for statement in statements(thread.body):
            for address in addresses(statement):
                base = address.base
                whole = types.get(base.location) if isinstance(base, ast.AddressOf) and address.index is None else None
                accessed = statement.type if isinstance(statement, ast.AccessStatement) else None
                if whole is None or whole.lanes or (accessed is not whole and accessed != whole):
                    return None
    return {k: [(k, 0, size_of(location))] for k, location in enumerate(test.locations)}


def cut_cells(test: ast.LitmusTest, footprints: set[CellKey]) -> dict[int, list[CellKey]]:
    """Cut every location at the ends of all accesses (and of their lanes) to it."""
    cuts: dict[int, set[int]] = {k: {0, size_of(loc)} for k, loc in enumerate(test.locations)}
    for location, offset, size in footprints:
        cuts[location] |= {offset, offset + size}
    cells = {}
    for location, ends in cuts.items():
        ordered = sorted(ends)
        cells[location] = [(location, a, b - a) for a, b in pairwise(ordered)]
    return cells


def size_of(location: ast.Location) -> int:
    """Return how many bytes a location has."""
    assert location.type is not None
    return location.type.size
