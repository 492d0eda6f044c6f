"""A function of a launch in terms that a test has.

What goes in: a function without calls of defined functions, and the values that are asked about. What comes out: the
function with a value for each part of a structure and for each variable of its own, and without what only compilers
and machines write: copies of memory, traps, distances as numbers. Invariant: every value that is named is there.
"""

from __future__ import annotations

from collections.abc import Collection

from axmem.formats.ir.aggregates import in_parts, parted
from axmem.formats.ir.carried import carried
from axmem.formats.ir.counting import with_counts
from axmem.formats.ir.distances import with_distances
from axmem.formats.ir.flow import used
from axmem.formats.ir.folding import thawed
from axmem.formats.ir.lanewise import lanewise
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.pieces import in_pieces
from axmem.formats.ir.registers import in_registers
from axmem.formats.ir.syntax import Function
from axmem.formats.ir.traps import with_traps
from axmem.formats.ir.widths import with_widths
from axmem.front.source import did_you_mean


def readable(function: Function, asked: Collection[str]) -> Function:
    """Return a function in terms that a test has; if nobody has optimized it, with its own variables as values."""
    found = whole = parted(function)
    before = None
    while found is not before:  # What holds a pointer to a structure may be a value, and then the structure may be.
        before = found
        split = in_pieces(found)
        if "optnone" in function.attributes or split is not found:
            found = in_registers(split, asked)
    found = with_counts(with_traps(lanewise(in_parts(with_widths(found)))))
    found = in_registers(found, asked) if "optnone" in function.attributes or before is not whole else found
    return _checked(carried(with_distances(thawed(found, (), read=True))))


def _checked(function: Function) -> Function:
    """Return a function in which every value that is named is there. Raises `Unspeakable`."""
    instructions = [each for block in function.blocks for each in block.instructions]
    values = {each.result for each in instructions} | {p.name for p in function.parameters}
    for each in instructions:
        for name in used(each):
            if name not in values:
                raise Unspeakable(each.span, f"nothing assigns '%{name}' here", did_you_mean(name, values - {""}))
    return function
