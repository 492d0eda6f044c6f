"""The differences between the tables and LLVM that are explained.

What goes in: an operation, a target, both sequences. What comes out: the explanation, or nothing.

Not compared: waits for direct loads to LDS, which tests do not have; waits that protect registers (expcnt); bits on
gfx90a's `buffer_wbl2`, which that instruction cannot encode. Only the first processor of a family gets all marks and
tags on atomics, all sizes and all updates.
"""

from __future__ import annotations

from axmem.codegen.operations import Operation
from axmem.codegen.targets import Target
from tests.lowering.canonical import Sequence

_ARGUMENT = ("s_load_dwordx2", "wait lgkmcnt", "wait kmcnt")


def explained(operation: Operation, target: Target, ours: Sequence, theirs: Sequence | None) -> str:
    """Return why a difference is none of substance, or nothing."""
    if operation.kind == "barrier" and ours[0].startswith("wait") and theirs == ours[1:]:
        return "barriers without back-off: the waits are inserted by a later pass, for what is on its way then"
    if operation.uniform and theirs is not None and theirs[-1:] == ours and set(theirs[:-1]) <= {*ours, *_ARGUMENT}:
        return "scalar loads: what stands before loads the kernel's argument, the pointer, and waits for it"
    return ""
