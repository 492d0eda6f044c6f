"""Calls that ask who a lane is and how large its launch is, as the numbers that they are.

What goes in: a function without calls of defined functions, and the launch that it is run in. What comes out: the
function with constants and ids of AMDGPU in the place of OpenCL's work-item functions and of those of AMD's device
library, and with fences around barriers for OpenCL's barriers ([OpenCL] "Work-Item Functions"). A launch has one
dimension: of the others there is one, with the number 0. Invariant: a call whose dimension is no constant stays a call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.formats.ir.attributes import wave_size
from axmem.formats.ir.syntax import Function, Instruction, Operand
from axmem.formats.ir.types import VOID, integer
from axmem.formats.ir.units import put
from axmem.front.records import replace
from axmem.litmus.kernels import Launch
from axmem.litmus.syntax import AccessMode, Expr, Number, Ordering, Register, SyncScope
from axmem.litmus.words import Scope

_QUESTION = re.compile(r"(?:__ockl|_Z\d+)_?get_(\w+?)j?")
_BARRIER = re.compile(r"_Z(?:7barrier|18work_group_barrier)j(?:12memory_scope)?")
_FENCE = "__atomic_work_item_fence"
"""What the fences of HIP's headers call in AMD's device library, which is a fence of LLVM, whatever its flags say."""
_ORDERINGS = {2: Ordering.ACQUIRE, 3: Ordering.RELEASE, 4: Ordering.ACQ_REL, 5: Ordering.SEQ_CST}
_SCOPES = {1: Scope.WORKGROUP, 2: Scope.AGENT, 3: Scope.SYSTEM, 4: Scope.WAVEFRONT}
"""OpenCL's numbers of orderings and scopes; relaxed, and of the work-item alone, a fence does nothing."""
_IDLE = 0
_WAVE = "llvm.amdgcn.wavefrontsize"
_OTHERS = (_FENCE, _WAVE)
_FENCED = SyncScope(Scope.WORKGROUP)
"""OpenCL's barrier orders the accesses of its work-group, unless it names a wider scope, which is not read here."""
_ITEM, _GROUP = "llvm.amdgcn.workitem.id.x", "llvm.amdgcn.workgroup.id.x"


def asks(callee: str) -> bool:
    """Say whether a function of OpenCL, or of AMD's device library, tells a lane of its launch."""
    return _QUESTION.fullmatch(callee) is not None


def with_work_items(function: Function, launch: Launch) -> Function:
    """Return a function in which no such call is left."""
    calls = [i for b in function.blocks for i in b.instructions if i.operation == "call"]
    if not any(_QUESTION.fullmatch(i.callee) or _BARRIER.fullmatch(i.callee) or i.callee in _OTHERS for i in calls):
        return function
    wave = Number(wave_size(function))
    known: dict[str, Expr] = {i.result: wave for i in calls if i.callee == _WAVE and i.result}
    blocks = tuple(
        replace(block, instructions=tuple(i for each in block.instructions for i in _meant(each, launch, known)))
        for block in function.blocks
    )
    return put(replace(function, blocks=blocks), known)


def _meant(call: Instruction, launch: Launch, known: dict[str, Expr]) -> Iterator[Instruction]:
    """Yield what a call is; note its result if that is a number."""
    if _BARRIER.fullmatch(call.callee):
        for ordering in (Ordering.RELEASE, Ordering.ACQUIRE):
            yield Instruction("fence", mode=AccessMode(ordering=ordering, scope=_FENCED), span=call.span)
            if ordering is Ordering.RELEASE:
                yield replace(call, callee="llvm.amdgcn.s.barrier", operands=())
        return
    if call.result in known:
        return
    if call.callee == _FENCE and len(call.operands) == 3:
        yield from _fence(call)
        return
    match = _QUESTION.fullmatch(call.callee)
    dimension = call.operands[0].value if match and len(call.operands) == 1 else Number(0)
    if match is None or not isinstance(dimension, Number) or not call.result:
        yield call
        return
    items = launch.wavefronts * launch.lanes
    size = {"local_size": items, "enqueued_local_size": items, "num_groups": launch.workgroups,
            "global_size": items * launch.workgroups, "work_dim": 1, "global_offset": 0}  # fmt: skip
    what = match[1]
    if what in size:
        other = 0 if what == "global_offset" else 1
        known[call.result] = Number(other if dimension.value and what != "work_dim" else size[what])
    elif what in ("local_id", "group_id", "global_id") and dimension.value:
        known[call.result] = Number(0)
    elif what in ("local_id", "group_id"):
        yield from _id(call, call.result, _ITEM if what == "local_id" else _GROUP)
    elif what == "global_id":
        group, item, first = (f"{call.result}.{part}" for part in ("group", "item", "first"))
        yield from _id(call, group, _GROUP)
        yield from _id(call, item, _ITEM)
        yield _sum(call, "mul", first, Operand(call.type, Register(group)), Operand(call.type, Number(items)))
        yield _sum(call, "add", call.result, Operand(call.type, Register(first)), Operand(call.type, Register(item)))
    else:
        yield call


def _fence(call: Instruction) -> Iterator[Instruction]:
    """Yield the fence that a call is, if its ordering and scope are known."""
    ordering, scope = (each.value.value if isinstance(each.value, Number) else None for each in call.operands[1:])
    if _IDLE in (ordering, scope):
        return
    if ordering in _ORDERINGS and scope in _SCOPES:
        mode = AccessMode(ordering=_ORDERINGS[ordering], scope=SyncScope(_SCOPES[scope]))
        yield Instruction("fence", mode=mode, span=call.span)
    else:
        yield call


def _id(call: Instruction, result: str, name: str) -> Iterator[Instruction]:
    """Yield the call of an id, in the type of the call that it stands for."""
    narrow = result if call.type == integer(32) else f"{result}.i32"
    yield Instruction("call", narrow, integer(32), callee=name, span=call.span)
    if narrow != result:
        operand = Operand(integer(32), Register(narrow), call.span)
        yield Instruction("zext", result, call.type, (operand,), span=call.span)


def _sum(call: Instruction, word: str, result: str, *operands: Operand) -> Instruction:
    return Instruction(word, result, VOID, operands, span=call.span)
