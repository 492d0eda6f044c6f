"""What a lane asks where no launch is known: who it is, how large the launch is, where that is described.

What goes in: a call in a function that is judged for any launch. What comes out: whether it is of an intrinsic of
AMDGPU that asks this, and between which numbers the answer lies ([AMDGPUUsage] "LLVM IR Intrinsics").
Invariant: a lane is always told the same, wherever it asks; which number that is stays open.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from axmem.formats.ir.attributes import attribute, wave_sizes, workgroup_size
from axmem.formats.ir.syntax import Function, Instruction, Module
from axmem.formats.ir.work_items import asks
from axmem.litmus.syntax import Number, Register

_QUESTION = re.compile(
    r"llvm\.amdgcn\.(?:work(?:item|group)\.id\.[xyz]|cluster\.\w+(?:\.\w+)*|wave\.id|wavefrontsize|groupstaticsize"
    r"|lds\.kernel\.id|dispatch\.(?:id|ptr)|queue\.ptr|implicit(?:arg|\.buffer)\.ptr|kernarg\.segment\.ptr"
    r"|mbcnt\.(?:lo|hi))"
)
"""[AMDGPUUsage] "LLVM IR Intrinsics"; `mbcnt` counts by the number of the lane alone, whichever lanes are there."""
_ID = re.compile(r"llvm\.amdgcn\.work(?:item|group)\.id\.[xyz]")
_LOW, _HIGH = "llvm.amdgcn.mbcnt.lo", "llvm.amdgcn.mbcnt.hi"
_ITEMS = 1024
"""So many lanes a workgroup has at most, where a function says nothing."""


def is_question(callee: str) -> bool:
    """Say whether an intrinsic, or a function of the device library, tells a lane of its launch."""
    return _QUESTION.fullmatch(callee) is not None or asks(callee)


def are_free(calls: Collection[Instruction]) -> bool:
    """Say whether any answers to these calls, each in its range, are those of some lane of some launch."""
    names = {each.callee for each in calls}
    return all(map(_ID.fullmatch, names)) or (len(calls) == 1 and names <= {_LOW, _HIGH})


def limits(
    call: Instruction, module: Module, function: Function, results: Mapping[str, Instruction]
) -> tuple[tuple[int, int], ...]:
    """Return the least number that an answer may be and the one behind the last, of all parts; () if none is known.

    `results` are the instructions of the function by what they make.
    """
    name = call.callee
    if name.startswith("llvm.amdgcn.workitem.id."):
        sizes = workgroup_size(function, module)
        most = attribute(function, "amdgpu-flat-work-group-size").rpartition(",")[2].strip()
        return ((0, sizes["xyz".index(name[-1])] if sizes else int(most) if most.isdecimal() else _ITEMS),)
    if name == "llvm.amdgcn.wavefrontsize":
        return tuple((size, size + 1) for size in wave_sizes(function))
    if name in (_LOW, _HIGH):
        base = call.operands[1].value
        before = results.get(base.name) if isinstance(base, Register) else None
        if isinstance(base, Number) and not base.value:
            return ((0, 33 if name == _LOW else 32),)
        if before is not None and before.callee == _LOW and limits(before, module, function, results):
            return ((0, 64),)
    return ()
