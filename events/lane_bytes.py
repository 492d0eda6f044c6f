"""The lanes of a value as bytes of cells, and back."""

from __future__ import annotations

from axmem.events.parts import part_of
from axmem.events.state import CellKey, Lanes
from axmem.events.values import Apply, Expr, ReadOf, apply
from axmem.litmus import syntax as ast


def lanes_of_cells(reads: dict[CellKey, int], offset: int, type_: ast.Type) -> Lanes:
    """Return the lanes of a value read cell by cell from byte `offset`; `reads` gives each cell's read event.

    Cells at either end may reach beyond a lane (a final value may be asked of less than a cell).
    """
    lanes: list[Expr] = []
    size = type_.element.size
    for i in range(max(1, type_.lanes)):
        low, high = offset + i * size, offset + (i + 1) * size
        parts = sorted((k, e) for k, e in reads.items() if low < k[1] + k[2] and k[1] < high)
        whole: Expr = ReadOf(parts[0][1])
        widths = tuple(k[2] * 8 for k, _ in parts)
        if len(parts) > 1:
            whole = Apply("concat", sum(widths), tuple(ReadOf(e) for _, e in parts), widths)
        if sum(widths) != size * 8:
            whole = Apply("slice", size * 8, (whole,), ((low - parts[0][0][1]) * 8,))
        lanes.append(whole)
    return tuple(lanes)


def bytes_of(lanes: Lanes, bits: int, start: int, size: int) -> Expr:
    """Return `size` bytes from byte `start` of a value given as lanes of `bits` bits."""
    first, last = start * 8 // bits, ((start + size) * 8 - 1) // bits
    whole = lanes[first]
    if last > first:
        count = last - first + 1
        whole = apply("concat", count * bits, *lanes[first : last + 1], parameters=(bits,) * count)
    if (last - first + 1) * bits == size * 8:
        return whole
    return part_of(whole, start * 8 - first * bits, size * 8)
