"""What LLVM says of an instruction alone: whether lanes have different results whatever its operands are.

What goes in: an instruction of a function of LLVM IR. What comes out: its `Sort`, as LLVM 22 has it for AMDGPU
(gfx942, waves of 64 lanes). `POINTWISE` is ours: calls of which it is known that a lane's result depends on its own
operands alone, or that all have it alike. Invariant: a call that is in no table depends on its operands for LLVM; our
sound rules take it to be divergent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import prod

from axmem.convergence.function import Sort
from axmem.formats.ir.attributes import workgroup_size
from axmem.formats.ir.intrinsics import known_intrinsic
from axmem.formats.ir.syntax import ConstantExpression, Function, Instruction, Module, Operand
from axmem.formats.ir.types import METADATA
from axmem.litmus.syntax import Number, Register

GENERIC, PRIVATE = 0, 5
"""The address spaces of which lanes may load different values from one address."""
WAVE_BITS = 6
"""The bits of a lane's number in a wave of 64 lanes."""
X, Y, Z = (f"llvm.amdgcn.workitem.id.{axis}" for axis in "xyz")
_UPDATES = "swap add sub [su]min [su]max and or xor inc dec fadd fmin fmax cmpswap cond.sub.u32"
DIVERGENT = re.compile(
    r"llvm\.(?:r600\.read\.tidig\.[xyz]|amdgcn\.(?:workitem\.id\.[xyz]|mbcnt\.(?:hi|lo)|ps\.live|live\.mask|dead"
    r"|interp\.(?:mov|p1|p2|p1\.f16|p2\.f16)|lds\.(?:direct|param)\.load|inverse\.ballot|init\.whole\.wave"
    r"|(?:global|flat)\.atomic\.f(?:min|max)(?:\.num)?|global\.atomic\.ordered\.add\.b64|ds\.ordered\.(?:add|swap)"
    r"|(?:global|flat)\.atomic\.fadd(?:\.v2bf16)?|ds\.f(?:add|min|max)(?:\.v2bf16)?|atomic\.(?:inc|dec)"
    r"|ds\.swizzle|permlanex?16|permlanex?16\.var|permlane\.(?:bcast|up|down|xor|idx\.gen)|permlane(?:16|32)\.swap"
    r"|mov\.dpp8?|update\.dpp|writelane|if|else|loop|call\.whole\.wave|image\.atomic\..*"
    rf"|(?:raw|struct)(?:\.ptr)?\.buffer\.atomic\.(?:{'|'.join(_UPDATES.replace('.', chr(92) + '.').split())})"
    r"|(?:mfma|smfmac|wmma|swmmac)\..*|global\.load\.tr(?:\.b64|\.b128|4\.b64|6\.b96)"
    r"|ds\.load\.tr(?:8\.b64|16\.b128|4\.b64|6\.b96)|ds\.read\.tr(?:4\.b64|6\.b96|8\.b64|16\.b64)))"
)
"""The intrinsics whose results are divergent whatever their operands are, and those that LLVM reads as updates."""
UNIFORM = re.compile(
    r"llvm\.amdgcn\.(?:readfirstlane|readlane|icmp|fcmp|ballot|if\.break|workgroup\.id\.[xyz]|s\.getpc|s\.getreg"
    r"|s\.mem(?:real)?time|cluster\.workgroup\.(?:max\.)?(?:id\.[xyz]|flat\.id))"
)
"""The intrinsics whose results all lanes of a wave have alike."""
POINTWISE = re.compile(
    r"llvm\.(?:abs|[su](?:min|max|cmp)|ctpop|ctlz|cttz|bswap|bitreverse|fsh[lr]|[su](?:add|sub|mul)\.with\.overflow"
    r"|[su](?:add|sub|shl)\.sat|[su](?:mul|div)\.fix(?:\.sat)?|fabs|sqrt|sincos|sin|cos|tan|pow|powi|exp|exp2|exp10"
    r"|log|log2|log10|fma|fmuladd|copysign|floor|ceil|trunc|rint|l?lrint|nearbyint|l?l?round|roundeven|minnum|maxnum"
    r"|(?:minimum|maximum)(?:num)?|canonicalize|is\.fpclass|ldexp|frexp|modf|fpto[su]i\.sat|fptrunc\.round"
    r"|vector\.(?:reduce|insert|extract|reverse|interleave2|deinterleave2)\b.*|expect|expect\.with\.probability"
    r"|ssa\.copy|ptrmask|(?:launder|strip)\.invariant\.group|arithmetic\.fence|threadlocal\.address|objectsize"
    r"|is\.constant|amdgcn\.(?:fract|rcp|rcp\.legacy|rsq|rsq\.clamp|rsq\.legacy|sqrt|sin|cos|log|log\.clamp|exp2|class"
    r"|fmed3|fmul\.legacy|fma\.legacy|frexp\.(?:mant|exp)|ldexp|trig\.preop|div\.(?:scale|fmas|fixup)|cube(?:id|ma|sc|tc)"
    r"|cvt\..*|[us]bfe|perm|alignbyte|lerp|s?sad\..*|msad\.u8|qsad\..*|mqsad\..*|mul(?:hi)?\.[ui]24|[suf]dot[248].*"
    r"|prng\.b32|bitop3|wavefrontsize|groupstaticsize|kernarg\.segment\.ptr|implicitarg\.ptr|dispatch\.(?:ptr|id)"
    r"|queue\.ptr|implicit\.buffer\.ptr|is\.(?:shared|private)|make\.buffer\.rsrc|addrspacecast\.nonnull|sffbh))"
)
_TYPES = re.compile(r"(?:\.(?:(?:nx)?v\d+)?(?:i\d+|b?f\d+|ptx?\d*|p\d+|a\d+\w*|s_\w+|sl_\w+|isVoid))+$")
_MASKED = frozenset({"llvm.amdgcn.if", "llvm.amdgcn.else"})
"""What returns a truth value of each lane, and a mask of the wave."""
_SCALAR = re.compile(r"=&?\*?(?:s|r|\{(?!v\d|v\[|a\d|a\[)[^}]*\})")
"""An output of inline assembly that is in a scalar register."""


@lru_cache(maxsize=4096)
def unmangled(name: str) -> str:
    """Return the name of an intrinsic without the types that overload it."""
    return _TYPES.sub("", name)


@lru_cache(maxsize=4096)
def _matches(pattern: re.Pattern[str], name: str) -> bool:
    return bool(pattern.fullmatch(name) or pattern.fullmatch(unmangled(name)))


def is_intrinsic(instruction: Instruction) -> bool:
    """Say whether an instruction calls an intrinsic."""
    return instruction.callee.startswith("llvm.")


def is_assembly(callee: str) -> bool:
    """Say whether a call is inline assembly."""
    return callee.startswith("asm ")


def is_opaque(instruction: Instruction) -> bool:
    """Say whether an instruction's result is not known to depend on the lane's own operands alone."""
    if instruction.operation not in ("call", "invoke", "callbr"):
        return instruction.operation in ("landingpad", "va_arg", "catchpad", "cleanuppad", "catchswitch")
    name = instruction.callee
    return not (is_intrinsic(instruction) and (known_intrinsic(name) or _matches(POINTWISE, name)))


_MEMORY = re.compile(r"buffer|image|atomic|load|store|\bds\b|lds|barrier|wait|mem(?:cpy|move|set)|call|whole\.wave")


def silent(instruction: Instruction) -> bool:
    """Say whether an instruction emits nothing that accesses memory, orders or waits, as far as is known here."""
    if instruction.operation not in ("call", "invoke", "callbr"):
        return instruction.operation != "va_arg"
    if not is_intrinsic(instruction):
        return False
    name = instruction.callee
    pure = known_intrinsic(name) or _matches(DIVERGENT, name) or _matches(UNIFORM, name)
    return _matches(POINTWISE, name) or (pure and not _MEMORY.search(name))


class Sources:
    """What is divergent or uniform by itself in one function."""

    def __init__(self, module: Module, function: Function) -> None:
        self._module = module
        self._size = workgroup_size(function, module)
        self._results = {i.result: i for b in function.blocks for i in b.instructions if i.result}

    @property
    def single(self) -> bool:
        """Whether a wave executes the function with one lane, so that nothing is divergent."""
        return bool(self._size) and prod(self._size) == 1

    def sort(self, instruction: Instruction) -> Sort:
        """Return where the uniformity of an instruction's result comes from in a wave."""
        match instruction.operation:
            case "load":
                return Sort.DIVERGENT if instruction.operands[0].type.space in (GENERIC, PRIVATE) else Sort.OPERANDS
            case "atomicrmw" | "cmpxchg":
                return Sort.DIVERGENT
            case "call":
                return self._call(instruction)
            case "lshr" | "ashr" | "and" if self._is_of_wave(instruction):
                return Sort.UNIFORM
            case "extractvalue":
                return self._part(instruction)
        return Sort.OPERANDS

    def sort_in_workgroup(self, instruction: Instruction) -> Sort:
        """Return where it comes from in a workgroup: waves load, and answer for their lanes, by themselves."""
        match instruction.operation:
            case "load" | "atomicrmw" | "cmpxchg":
                return Sort.DIVERGENT
            case "call":
                name = unmangled(instruction.callee)
                if name == "llvm.amdgcn.readfirstlane":
                    return Sort.DIVERGENT if instruction.token else Sort.OPERANDS
                alike = name.startswith("llvm.amdgcn.workgroup.id.") or _matches(POINTWISE, instruction.callee)
                return Sort.OPERANDS if alike or not instruction.result else Sort.DIVERGENT
        return Sort.OPERANDS

    def _call(self, call: Instruction) -> Sort:
        if is_assembly(call.callee):
            return Sort.UNIFORM if all(map(is_scalar, outputs(call.callee))) else Sort.DIVERGENT
        if not is_intrinsic(call):
            return Sort.DIVERGENT
        if call.callee in (Y, Z):
            return Sort.OPERANDS if self._is_alike(1 + (call.callee == Z)) else Sort.DIVERGENT
        if call.callee.startswith("llvm.read_register."):
            return Sort.DIVERGENT if self._reads_vector(call) else Sort.OPERANDS
        if _matches(UNIFORM, call.callee):
            return Sort.UNIFORM
        return Sort.DIVERGENT if _matches(DIVERGENT, call.callee) else Sort.OPERANDS

    def _part(self, part: Instruction) -> Sort:
        """Return the sort of an element of a structure: some calls return uniform ones beside divergent ones."""
        value = part.operands[0].value
        call = self._results.get(value.name) if isinstance(value, Register) else None
        if call is None or call.operation != "call" or len(part.indices) != 1:
            return Sort.OPERANDS
        (index,) = part.indices
        if is_assembly(call.callee):
            found = outputs(call.callee)
            return Sort.UNIFORM if index < len(found) and is_scalar(found[index]) else Sort.OPERANDS
        return Sort.UNIFORM if index == 1 and unmangled(call.callee) in _MASKED else Sort.OPERANDS

    def _is_alike(self, axis: int) -> bool:
        """Tell whether all lanes of a wave have a number of this axis alike."""
        whole = split_evenly(self._size) and (prod(self._size[1:]) == 1 or self._size[0] >= 1 << WAVE_BITS)
        return bool(self._size) and (whole or self._size[axis] == 1)

    def _is_of_wave(self, instruction: Instruction) -> bool:
        """Tell whether an instruction computes what of `workitem.id.x` all lanes of a wave have alike."""
        if not split_evenly(self._size):
            return False
        left, right = instruction.operands
        if instruction.operation == "and":
            return any(self._is_x(a) and _is_mask(b) for a, b in ((left, right), (right, left)))
        return self._is_x(left) and isinstance(right.value, Number) and right.value.value >= WAVE_BITS

    def _is_x(self, operand: Operand) -> bool:
        value = operand.value
        made = self._results.get(value.name) if isinstance(value, Register) else None
        return made is not None and made.callee == X

    def _reads_vector(self, call: Instruction) -> bool:
        """Tell whether a call of `read_register` reads a register that each lane has of its own."""
        name = ""
        for operand in call.operands:
            if operand.type == METADATA and isinstance(operand.value, ConstantExpression):
                shown = operand.value.operation
                node = self._module.metadata.get(shown.removeprefix("!"))
                items = node.items if node else (shown.removeprefix('!"').removesuffix('"'),)
                name = next((each for each in items if isinstance(each, str)), "")
        return call.type.bits == 1 or (name[:1] in ("v", "a") and not name.startswith("vcc"))


def split_evenly(workgroup: Sequence[int]) -> bool:
    """Tell whether no wave has lanes of two rows of a workgroup of this size in which x is not at the same multiple."""
    return bool(workgroup) and (prod(workgroup[1:]) == 1 or workgroup[0].bit_count() == 1)


def outputs(callee: str) -> Sequence[str]:
    """Return the constraints of the outputs of inline assembly, in their order."""
    constraints = callee.rsplit('"', 2)[-2] if callee.count('"') > 1 else ""
    return [each for each in constraints.split(",") if each.startswith("=")]


def is_scalar(constraint: str) -> bool:
    """Tell whether an output of inline assembly is in a register of the wave."""
    return bool(_SCALAR.fullmatch(constraint))


def _is_mask(operand: Operand) -> bool:
    return isinstance(operand.value, Number) and not operand.value.value % (1 << WAVE_BITS)
