"""Assembly from which something is left out.

What goes in: a listing, and what to leave out of its lines: an instruction (an empty name), a counter of a wait, a bit.
What comes out: the listing without them. Lines stay where they are, so labels and messages name the same places.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from axmem.codegen.assembly.text import AssemblyKernel, AssemblyLine, AssemblyListing
from axmem.codegen.assembly.waits import limits_of
from axmem.codegen.tables import TargetFamily
from axmem.front.records import replace


def without(listing: AssemblyListing, gone: Mapping[int, Collection[str]], family: TargetFamily) -> AssemblyListing:
    """Return a listing without parts of its lines, which are named by their numbers in the file."""

    def left(line: AssemblyLine) -> AssemblyLine:
        return _without(line, gone[line.span.line], family) if line.span.line in gone else line

    def kernel(found: AssemblyKernel) -> AssemblyKernel:
        return replace(found, lines=tuple(map(left, found.lines)))

    return replace(listing, kernels={name: kernel(found) for name, found in listing.kernels.items()})


def _without(line: AssemblyLine, parts: Collection[str], family: TargetFamily) -> AssemblyLine:
    nothing = replace(line, mnemonic="s_nop", operands=("0",), bits=(), rest="0")
    if "" in parts:
        return nothing
    if limits_of(line, family):
        shorter = replace(line, left_out=frozenset(parts))
        return shorter if limits_of(shorter, family) else nothing
    rest = " ".join(word for word in line.rest.split() if word not in parts)
    return replace(line, bits=tuple(bit for bit in line.bits if bit not in parts), rest=rest)
