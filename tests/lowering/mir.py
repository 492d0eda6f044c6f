"""What LLVM's memory legalizer makes of functions: llc's machine code right after that pass.

What goes in: a target and the IR of numbered functions `f0`, `f1`, …. What comes out: for each function its canonical
sequence. Only accesses through `%p`, waits, cache maintenance and barriers count; an instruction of those classes that
is not known is an error. `S_WAITCNT_lds_direct` is passed over: it waits for direct loads to LDS, which tests do not
have. So are the bits of gfx90a's BUFFER_WBL2, which the instruction cannot encode.
"""

from __future__ import annotations

import re
import shutil
import subprocess

from axmem.codegen.targets import Target
from tests.lowering.canonical import Sequence, access_name, joined

_NAME = re.compile(r"name:\s+f(\d+)$")
_INSTRUCTION = re.compile(r"(?:[^=]*? = )?([A-Z][A-Za-z0-9_]*)\b(.*)$")
_MINE = re.compile(r"%ir\.(p|p\.load|scratch\.ascast)\b")
_NUMBER = re.compile(r"(?<=, )-?\d+\b")
_MAINTENANCE = re.compile(r"S_WAIT|BUFFER_(WB|INV|GL)|GLOBAL_(INV|WB)|S_BARRIER|S_[DI]CACHE")
_WAITS = re.compile(r"S_WAIT_([A-Z]+CNT)_soft")


def features(target: Target) -> str:
    """Return the subtarget features that select a target's mode."""
    modes = target.family.modes
    if "tgsplit" in modes:
        return "+tgsplit" if target.mode == "tgsplit" else "-tgsplit"
    return ("+cumode" if target.mode == "cu" else "-cumode") if "wgp" in modes else ""


def find_llc() -> str | None:
    """Return LLVM 22's llc, if there is one."""
    return shutil.which("llc-22")


def compiled(llc: str, target: Target, text: str) -> dict[int, Sequence]:
    """Compile and return what each function became."""
    command = [llc, "-O0", "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={target.name}"]
    if "tgsplit" in target.family.modes and target.profile != "llvm-22":  # an attribute of functions since LLVM 23
        if target.mode == "tgsplit":
            text = text.replace("noinline optnone", 'noinline optnone "amdgpu-tg-split"="true"')
    else:
        command.append(f"-mattr={features(target)}")
    command += ["-stop-after=si-memory-legalizer", "-simplify-mir", "-o", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"llc failed for {target.label}: {done.stderr[:2000]}")
    return parsed(done.stdout, target)


def parsed(text: str, target: Target) -> dict[int, Sequence]:
    """Return the canonical sequence of every function in a text of machine code."""
    functions: dict[int, list[str | frozenset[str]]] = {}
    current: list[str | frozenset[str]] | None = None
    for line in text.splitlines():
        if line.startswith("name:"):
            match = _NAME.match(line)
            current = functions.setdefault(int(match[1]), []) if match else None
        elif current is not None and line.startswith("    "):
            instruction = _INSTRUCTION.match(line.strip())
            if instruction:
                found = _read(instruction[1], instruction[2], target)
                if found:
                    current.append(found)
    return {number: joined(found) for number, found in functions.items()}


def _read(opcode: str, rest: str, target: Target) -> str | frozenset[str] | None:
    operands, _, memory = rest.partition(" :: ")
    if _MINE.search(memory) and "kernarg" not in memory:
        numbers = [int(number) for number in _NUMBER.findall(operands)]
        return " ".join([access_name(opcode.lower()), *_bits(opcode, numbers, target)])
    if not _MAINTENANCE.match(opcode):
        return None
    wait = _WAITS.fullmatch(opcode)
    if wait:
        return frozenset({wait[1].lower()})
    if opcode == "S_WAITCNT_VSCNT_soft":
        return frozenset({"vscnt"})
    if opcode == "S_WAITCNT_soft":
        return _decoded(operands, target.family.name)
    if opcode == "S_WAITCNT_lds_direct":
        return None
    return _maintenance(opcode, operands, target)


def _maintenance(opcode: str, operands: str, target: Target) -> str:
    """Return cache maintenance and barriers as the assembler spells them."""
    known = {
        "BUFFER_WBINVL1": "buffer_wbinvl1",
        "BUFFER_WBINVL1_VOL": "buffer_wbinvl1_vol",
        "BUFFER_INVL2": "buffer_invl2",
        "BUFFER_GL0_INV": "buffer_gl0_inv",
        "BUFFER_GL1_INV": "buffer_gl1_inv",
        "S_BARRIER": "s_barrier",
        "S_BARRIER_SIGNAL_IMM": "s_barrier_signal -1",
        "S_BARRIER_WAIT": "s_barrier_wait -1",
    }
    if opcode in known:
        return known[opcode]
    name = {"BUFFER_INV": "buffer_inv", "BUFFER_WBL2": "buffer_wbl2", "GLOBAL_INV": "global_inv",
            "GLOBAL_WB": "global_wb"}[opcode]  # fmt: skip
    policy = int(operands.split(",")[0])
    if target.family.name == "gfx90a":
        return name
    return " ".join([name, *policy_bits(policy, "maintenance", target)])


def _decoded(operand: str, family: str) -> frozenset[str]:
    """Return the counters of which an S_WAITCNT waits for the last operation; LLVM 24 prints `.Vmcnt_0_Lgkmcnt_0`."""
    if operand.strip().startswith("."):
        return frozenset(name.lower() for name, left in re.findall(r"([A-Z][a-z]+)_(\d+)", operand) if left == "0")
    count = int(operand)
    if family == "gfx11":
        fields = {"vmcnt": (count >> 10 & 0x3F), "lgkmcnt": (count >> 4 & 0x3F)}
    else:
        high = count >> 14 & 3 if family not in ("gfx6", "gfx7") else 0
        fields = {"vmcnt": count & 0xF | high << 4, "lgkmcnt": count >> 8 & (0x3F if family == "gfx10" else 0xF)}
    return frozenset(counter for counter, left in fields.items() if left == 0)


def _bits(opcode: str, numbers: list[int], target: Target) -> list[str]:
    """Return the cache policy bits among an access's immediate operands."""
    if opcode.startswith(("DS_", "S_")):
        return []
    policy = numbers[2] if opcode.startswith("BUFFER_") else numbers[-1]
    kind = "load" if "_LOAD_" in opcode else "store" if "_STORE_" in opcode else "atomic"
    return policy_bits(policy, kind, target)


def policy_bits(policy: int, kind: str, target: Target) -> list[str]:
    """Return the names of cache policy bits, in the assembler's order."""
    family = target.family.name
    if family in ("gfx12", "gfx1250"):
        hints = {"load": "th:TH_LOAD_NT", "store": "th:TH_STORE_NT", "atomic": "th:TH_ATOMIC_RETURN"}
        scopes = ["", "scope:SCOPE_SE", "scope:SCOPE_DEV", "scope:SCOPE_SYS"]
        assert policy & 7 in (0, 1), policy
        return [word for word in (hints[kind] if policy & 1 else "", scopes[policy >> 3 & 3]) if word]
    names = {1: "sc0", 2: "nt", 16: "sc1"} if family == "gfx942" else {1: "glc", 2: "slc", 4: "dlc"}
    assert not policy & ~sum(names), policy
    return [name for bit, name in names.items() if policy & bit]
