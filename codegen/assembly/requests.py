"""What instructions ask of memory and of what else takes time, by their mnemonics alone: how they are counted.

What goes in: a line. What comes out: a `Request`, or None if the instruction is complete when the next one is issued.
The words for what counters count are those of `families.toml`; all instructions of all targets are known here, also
those of which `memory` does not say what they compute.
"""

from __future__ import annotations

import re

from axmem.codegen.assembly.memory import returns
from axmem.codegen.assembly.registers import Touched
from axmem.codegen.assembly.text import AssemblyLine
from axmem.codegen.machine.build import counters_of
from axmem.codegen.machine.families import Machine
from axmem.codegen.machine.program import Action, Path
from axmem.front.records import dataclass, replace

PATHS = {"global": Path.VECTOR, "flat": Path.FLAT, "lds": Path.LDS, "scalar": Path.SCALAR, "private": Path.VECTOR}

_VECTOR = re.compile(r"(global|flat|scratch|t?buffer|image|cluster)_\w*?(load|store|atomic|sample|gather4|get_lod"
                     r"|get_res|bvh)")  # fmt: skip
_NOT_COUNTED = re.compile(r"global_prefetch|global_(inv|wb)|buffer_(inv|wb|gl)|ds_nop")
_SCALAR = re.compile(r"s_(?:buffer_|scratch_)?(load|store|atomic)_|s_(memtime|memrealtime|sendmsg_rtn|get_barrier_state"
                     r"|get_waveid_in_workgroup)|s_(sendmsg|atc_probe)")  # fmt: skip
_LDS_RESULT = re.compile(r"ds_(read|load|bpermute|permute|swizzle|append|consume|ordered_count)|ds_\w+_rtn(_|$)")
_PARAMETER = re.compile(r"(lds|ds)_(param|direct)_load")
_SAMPLED = frozenset({"sample", "gather4", "get_lod"})
SCRATCH = re.compile(r"scratch_store|scratch_atomic")
"""Instructions that write private memory, and no other."""


@dataclass(frozen=True, slots=True)
class Request:
    """What an instruction asks of memory, whatever its operands: `action` and `memory` as of `AddressAccess`.

    `memory` of buffer instructions is global; of what is no access it is a word of the machine's tables, such as
    `export`. `result` says that it writes registers, `into_lds` that what it loads is written to LDS.
    """

    action: str
    memory: str
    result: bool
    into_lds: bool = False


def request_of(line: AssemblyLine) -> Request | None:
    """Return what an instruction asks, None if nothing takes time that it has to be waited for."""
    name = line.mnemonic
    if name.startswith("s_"):
        return _scalar(line)
    if _NOT_COUNTED.match(name):
        return None
    if name.startswith(("ds_", "lds_")):
        return _lds(line)
    if name in ("exp", "export"):
        return Request("store", "export", result=False)
    if name.startswith("tensor_"):
        return Request("load", "tensor", result=False, into_lds="_load_" in name)
    match = _VECTOR.match(name)
    return _vector(line, match[1], match[2]) if match else None


def _vector(line: AssemblyLine, head: str, word: str) -> Request:
    name = line.mnemonic
    if "_async_" in name:
        return Request("load", "async", result=False, into_lds=word == "load")
    if word == "bvh":
        return Request("load", "bvh", result=True)
    if word in _SAMPLED or "msaa_load" in name:
        return Request("load", "sample", result=True)
    memory = "flat" if head == "flat" else "global"
    if word == "store":
        return Request("store", memory, result=False)
    if word == "atomic":
        return Request("rmw", memory, result=returns(line))
    into_lds = "_lds_" in name or "lds" in line.bits
    return Request("load", memory, result=not into_lds, into_lds=into_lds)


def _lds(line: AssemblyLine) -> Request:
    name = line.mnemonic
    if _PARAMETER.match(name):
        return Request("load", "parameter", result=True)
    if "_async_" in name:
        return Request("rmw", "async", result=False)
    memory = "gds" if "gds" in line.bits or name.startswith(("ds_gws", "ds_ordered")) else "lds"
    result = bool(_LDS_RESULT.match(name))
    store = name.startswith(("ds_write", "ds_store"))
    return Request("store" if store else "rmw" if "rtn" in name or not result else "load", memory, result=result)


def _scalar(line: AssemblyLine) -> Request | None:
    match = _SCALAR.match(line.mnemonic)
    if not match:
        return None
    if match[2] or match[1] == "load":
        return Request("load", "scalar", result=True)
    if match[1]:
        return Request("rmw", "scalar", result=match[1] == "atomic" and returns(line))
    return Request("store", "message" if match[3] == "sendmsg" else "scalar", result=False)


def reaching(request: Request, touched: Touched) -> Request:
    """Return what an instruction asks: a flat access that only reaches global memory is one of vector memory.

    Its counter for LDS goes back as soon as its address is known, and vector memory returns its result.
    """
    if request.memory == "flat" and touched.reached == {"global"}:
        return replace(request, memory="global")
    return request


def counted(machine: Machine, request: Request) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the counters that count what an instruction asks, and the words for it in the tables of the machine."""
    if request.memory not in PATHS:
        return machine.counting(request.memory), frozenset({request.memory})
    action, path = Action(request.action), PATHS[request.memory]
    counters = counters_of(machine, action, path, result=request.result)
    if path in (Path.LDS, Path.SCALAR):
        return counters, frozenset({path.value})
    kind = ("fetch" if request.result else "atomic") if action is Action.RMW else action.value
    return counters, frozenset({kind, "flat"} if path is Path.FLAT else {kind})
