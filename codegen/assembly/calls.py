"""Functions that a kernel calls, in the same file.

What goes in: a listing, and a kernel. What comes out: the kernel with the lines of every function that it may come to
behind its own, and numbers for the places in code that registers hold. Invariant: a place is a number that no address
of memory is.
"""

from __future__ import annotations

import re

from axmem.codegen.assembly.registers import OperandError
from axmem.codegen.assembly.text import AssemblyKernel, AssemblyLine, AssemblyListing
from axmem.codegen.assembly.values import CODE, REGION, number
from axmem.events.values import Expr

_NAMED = re.compile(r"([A-Za-z_.$][\w.$]*)@")
CALLS = ("s_swappc_b64", "s_swap_pc_i64", "s_call_b64", "s_call_i64")
JUMPS = (*CALLS, "s_setpc_b64", "s_set_pc_i64")
_PLACE = 8
"""How far apart the numbers of two lines are."""


def linked(listing: AssemblyListing, kernel: AssemblyKernel) -> AssemblyKernel:
    """Return a kernel and the functions that it names, as one; their names are labels."""
    lines, labels = list(kernel.lines), dict(kernel.labels)
    known = {kernel.name}
    left = [kernel]
    while left:
        for name in _functions(listing, left.pop()):
            if name in known:
                continue
            known.add(name)
            found = listing.kernels[name]
            labels |= {label: len(lines) + index for label, index in found.labels.items()}
            labels[name] = len(lines)
            lines += found.lines
            left.append(found)
    if len(known) == 1:
        return kernel
    return AssemblyKernel(kernel.name, tuple(lines), labels, kernel.span)


def _functions(listing: AssemblyListing, kernel: AssemblyKernel) -> dict[str, None]:
    """Return the functions of the file that the lines of one name, in their order: what begins with data is none."""
    words = (word for line in kernel.lines for word in (*line.operands, line.relocation))
    names = (match[1] for word in words if (match := _NAMED.match(word)))
    found = ((name, listing.kernels[name].lines) for name in names if name in listing.kernels)
    return dict.fromkeys(name for name, lines in found if lines and not lines[0].mnemonic.startswith("."))


def place_of(index: int) -> int:
    """Return the number that a register holds which points to a line."""
    return CODE + _PLACE * index


def line_at(kernel: AssemblyKernel, place: Expr, line: AssemblyLine) -> int:
    """Return the line that a register points to. Raises OperandError."""
    value = number(place)
    if value is None or value // REGION * REGION != CODE or value % REGION // _PLACE >= len(kernel.lines):
        raise OperandError(f"where '{line.text}' goes is not known")
    return value % REGION // _PLACE
