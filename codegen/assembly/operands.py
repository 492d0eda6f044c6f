"""Which registers an instruction reads and writes, by its text alone: of all instructions of all targets.

What goes in: a line. What comes out: its `Touched`. An instruction writes its first operand and reads the others,
unless its mnemonic says otherwise; so one that is not known is taken by the position of its operands. Registers that
no operand names, `vcc` and `exec` among them, are there where an instruction has them besides. Invariant: where
executing an instruction (`executing`) touches a register, so does this, but for the halves of a register.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from axmem.codegen.assembly.memory import returns
from axmem.codegen.assembly.registers import Touched, dwords
from axmem.codegen.assembly.text import AssemblyLine, split_operands

_REGISTER = re.compile(r"(?<![\w.$@])(?:(acc|ttmp|[vsa])(?:(\d+)(\.[lh])?(?![\w.\[(])|\[(\d+)(?::(\d+))?\])"
                       r"|(vcc|exec|flat_scratch|xnack_mask)(_lo|_hi)?(?![\w.])|(m0)(?![\w.]))")  # fmt: skip
_NOTHING = re.compile(
    r"s_(cmp|bitcmp|c?branch|setpc|rfe|sendmsg(halt)?$|setreg|wait|nop|sleep|barrier|set_gpr_idx|setvskip|store|buffer_store"
    r"|scratch_store|dcache|prefetch|buffer_prefetch|ttrace|endpgm|trap|sethalt|setkill|setprio|icache|clause|delay_alu"
    r"|inst_prefetch|set_|round_mode|denorm_mode|code_end|version|wakeup|monitor|alloc_vgpr|atc_probe|incperf|decperf"
    r"|singleuse|subvector|gl1|scratch_pf)"
    r"|(global|flat|scratch|t?buffer|image)_(store|prefetch)|buffer_(inv|wb|gl)|global_(inv|wb)|(ds|lds)_(write|store|nop|gws)"
    r"|exp(ort)?$|tensor_|(global|cluster)_\w*async|ds_atomic_async|global_load_lds|buffer_load_lds|v_nop|v_clrexcp"
    r"|v_illegal|global_prefetch|\."
)
"""Instructions that write none of their operands."""
_UPDATE = re.compile(r"(global|flat|buffer|scratch|image)_atomic_|s_(buffer_|scratch_)?atomic_")
_LDS_UPDATE = re.compile(r"ds_(?!read|load|bpermute|permute|swizzle|append|consume|ordered|bvh|\w+_rtn(_|$))")
_CARRY = re.compile(r"v_(add|sub|subrev|addc|subb|subbrev)_(co_)?(ci_)?[ui](32|64)|v_div_scale"
                    r"|v_mad_(co_)?[ui]64_[ui]32")  # fmt: skip
_SWAP = re.compile(r"v_(swap|swaprel|permlane\d+_swap)|ds_bvh_stack")
_RAYS = re.compile(r"image_bvh(8|_dual)_intersect")
_IMPLICIT_READ = (
    (re.compile(r"v_div_fmas|s_cbranch_vcc|s_cbranch_cdbgsys_or_vcc"), ("vcc_lo", "vcc_hi")),
    (re.compile(r"s_cbranch_exec|s_\w+(saveexec|wrexec)|v_cmpx"), ("exec_lo", "exec_hi")),
    (re.compile(r"[vs]_movrel|v_swaprel|\w+_load_lds|s_sendmsg|v_interp|(lds|ds)_(param|direct)_load|ds_\w+addtid|ds_gws"
                r"|ds_append|ds_consume|s_barrier_(init|join)"), ("m0",)),
)  # fmt: skip
_IMPLICIT_WRITTEN = ((re.compile(r"s_\w+(saveexec|wrexec)|v_cmpx"), ("exec_lo", "exec_hi")),
                     (re.compile(r"s_set_gpr_idx"), ("m0",)))  # fmt: skip
_HALF = re.compile(r"_d16(_hi)?(?=_|$)")
_NARROW = re.compile(r"[ui]?byte|short|[ui](8|16)(_|$)|b16|_format_d16_x$")


class _Traits(NamedTuple):
    """What a mnemonic says: how many operands are written, -1 where the line decides; what is read and written besides.

    Of a load of 16 bits into a `half` of a register, which; `both` says that what is written is read, too.
    """

    written: int
    both: bool
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    half: str


@cache
def _traits(name: str) -> _Traits:
    both = bool(_SWAP.match(name) or _RAYS.match(name))
    half = _HALF.search(name)
    narrow = half and not name.startswith(("v_", "image")) and _NARROW.search(name)
    reads = tuple(each for pattern, registers in _IMPLICIT_READ if pattern.match(name) for each in registers)
    writes = tuple(each for pattern, registers in _IMPLICIT_WRITTEN if pattern.match(name) for each in registers)
    side = "" if half is None or not narrow else ".h" if half[1] else ".l"
    return _Traits(_count(name), both, reads, writes, side)


def _count(name: str) -> int:
    """Return how many operands an instruction writes, -1 if its operands or bits decide."""
    if _NOTHING.match(name):
        return 0
    if _UPDATE.match(name) or name.startswith("v_cmpx") or _CARRY.match(name):
        return -1
    if _LDS_UPDATE.match(name):
        return 0
    return 3 if _RAYS.match(name) else 2 if _SWAP.match(name) else 1


def touched_by(line: AssemblyLine) -> Touched:
    """Return the registers that an instruction reads and writes."""
    name = line.mnemonic
    if name.startswith("v_dual_"):
        return _dual(line)
    traits = _traits(name)
    count = 0 if "lds" in line.bits else traits.written if traits.written >= 0 else _decided(line)
    found = Touched(set(traits.reads), set(traits.writes))
    for number, operand in enumerate(line.operands):
        registers = named(operand)
        if number < count:
            found.written.update(registers if number or not traits.half else _part(registers, traits.half))
        if number >= count or traits.both:
            found.read.update(registers)
    if "lds" in line.bits:
        found.read.add("m0")
    return found


@lru_cache(maxsize=4096)
def named(operand: str) -> tuple[str, ...]:
    """Return the 32-bit registers, and halves of them, that an operand names, whatever else is about them."""
    found: list[str] = []
    for match in _REGISTER.finditer(operand):
        if match[8]:
            found.append("m0")
        elif match[6]:
            found += (f"{match[6]}{match[7]}",) if match[7] else dwords(match[6])
        else:
            letters = "a" if match[1] == "acc" else match[1]
            first, last = (match[2], match[2]) if match[2] else (match[4], match[5] or match[4])
            half = match[3] or ""
            found += (f"{letters}{number}{half}" for number in range(int(first), int(last) + 1))
    return tuple(found)


def _dual(line: AssemblyLine) -> Touched:
    """Return what both halves of a dual instruction touch."""
    found = Touched()
    for half in line.text.split("::"):
        mnemonic, _, rest = half.strip().partition(" ")
        operands, bits = split_operands(rest)
        found.add(touched_by(AssemblyLine(mnemonic.replace("v_dual_", "v_"), operands, bits, rest, line.span)))
    return found


def _decided(line: AssemblyLine) -> int:
    """Return how many operands are written where the mnemonic alone does not say it."""
    name, operands = line.mnemonic, line.operands
    if _UPDATE.match(name):
        return int(returns(line))
    if name.startswith("v_cmpx"):
        return int(len(operands) > 2 and re.match(r"s\d|s\[|vcc|exec|ttmp", operands[0]) is not None)
    return 2 if len(operands) > 3 or "div_scale" in name or "mad" in name else 1


def _part(registers: tuple[str, ...], half: str) -> tuple[str, ...]:
    return tuple(register if "." in register else register + half for register in registers)
