"""What LLVM makes of functions in the end: assembly from llvmlite, of functions that are not optimized.

What goes in: a target and the IR of numbered functions with marks around their operation. What comes out: for each
function the canonical sequence between its marks, accesses with their full names. Without optimization LLVM keeps the
waits that the memory legalizer inserts; an instruction that is neither known nor harmless is an error. Waits for
exports (expcnt) are passed over: they protect registers.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from axmem.codegen.targets import Target
from tests.lowering.canonical import Sequence, joined
from tests.lowering.mir import features

_LABEL = re.compile(r"f(\d+):")
_ACCESS = re.compile(r"(global|flat|buffer|scratch)_(load|store|atomic)_|ds_(?!nop)|s_load_")
_BIT = re.compile(r"(glc|slc|dlc|sc0|sc1|nt|th:\w+|scope:\w+)\b")
_HALVES = {
    **{f"{memory}_load_d16_{size}": f"{memory}_load_{whole}" for memory in ("flat", "global", "scratch")
       for size, whole in (("u8", "u8"), ("b16", "u16"))},
    **{f"ds_load_{size}_d16": f"ds_load_{size}" for size in ("u8", "u16")},
}  # fmt: skip
"""Loads into half a register, which are the same accesses."""
_MAINTENANCE = re.compile(r"buffer_(wb|inv|gl)|global_(inv|wb)|s_barrier")
_HARMLESS = re.compile(r"[vs]_(mov|add|lshl|cndmask|cmp|mbcnt|nop|delay|dual)")


@cache
def llvmlite() -> Any:
    """Return llvmlite's binding with LLVM 22 and AMDGPU's backend, or None."""
    try:
        from llvmlite import binding
    except ImportError:
        return None
    if binding.llvm_version_info[0] != 22:
        return None
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    return binding


def compiled(binding: Any, target: Target, text: str) -> dict[int, Sequence]:
    """Compile and return what each function became."""
    made = binding.Target.from_triple("amdgcn-amd-amdhsa").create_target_machine(
        cpu=target.name, features=features(target), opt=2
    )
    module = binding.parse_assembly(f'target triple = "amdgcn-amd-amdhsa"\n{text}')
    return parsed(made.emit_assembly(module))


def parsed(text: str) -> dict[int, Sequence]:
    """Return the canonical sequence between the marks of every function in a text of assembly."""
    functions: dict[int, list[str | frozenset[str]]] = {}
    current: list[str | frozenset[str]] = []
    inside = False
    for line in text.splitlines():
        label = _LABEL.match(line)
        if label:
            current, inside = functions.setdefault(int(label[1]), []), False
        elif "; axmem" in line:
            inside = "begin" in line
        elif inside:
            instruction = line.partition(";")[0].strip()
            if instruction and not instruction.startswith("."):
                found = _read(instruction)
                if found:
                    current.append(found)
    return {number: joined(found) for number, found in functions.items()}


def _read(instruction: str) -> str | frozenset[str] | None:
    mnemonic, _, operands = instruction.partition(" ")
    if mnemonic == "s_waitcnt":
        return frozenset(re.findall(r"(\w+)\(0\)", operands)) - {"expcnt"}
    if mnemonic.startswith("s_wait_"):
        return frozenset(mnemonic.removeprefix("s_wait_").split("_"))
    if mnemonic == "s_waitcnt_vscnt":
        return frozenset({"vscnt"})
    if _ACCESS.match(mnemonic):
        return " ".join([_HALVES.get(mnemonic, mnemonic), *_BIT.findall(operands)])
    if _MAINTENANCE.match(mnemonic):
        return " ".join(instruction.split())
    if not _HARMLESS.match(mnemonic):
        raise ValueError(f"unknown instruction: {instruction}")
    return None
