"""What an instruction computes, where it works on parts of registers: halves, bytes, packed halves.

What goes in: registers and a line. What comes out: the registers that change, with their values; None if the mnemonic
computes nothing. The operations themselves are those of `arithmetic` and `rearranging`; here their operands are chosen
(`src0_sel:WORD_1`, `op_sel:[1,0]`), and results are put in their place (`dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE`,
both halves of a packed operation). Invariant: every modifier of a line is meant by what it is done for, or is an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from axmem.codegen.assembly import arithmetic as operations
from axmem.codegen.assembly import floats, rearranging
from axmem.codegen.assembly.arithmetic import Write
from axmem.codegen.assembly.registers import HALF, OperandError, Registers, signs
from axmem.codegen.assembly.text import AssemblyLine
from axmem.codegen.assembly.values import computed, joined, signed, sliced
from axmem.events.values import Constant, Expr

DWORD = 32
_CHOSEN = re.compile(r"(op_sel|op_sel_hi|neg_lo|neg_hi):\[([01](?:,[01])*)\]$")
_HALVES = re.compile(r"v_pk_(\w+_[uib]16|(?:add|mul|fma)_f16)$")
_MEANT = (
    (r"v_(dual_)?bitop[23]_b32", "bitop3:"),
    (r"v_pk_mov_b32|v_fma_mix(_f32|lo_f16|hi_f16)", "op_sel"),
    (r"v_pk_(add|mul|fma)_f32", "op_sel"),
    (r"v_pk_(add|mul|fma)_f32", "neg_"),
    (r"v_(add|sub|subrev)(_nc|_co)?_u(16|32)", "clamp"),
)
"""Modifiers that the operations themselves read."""
_RULES = (*operations.RULES, *rearranging.RULES, *floats.RULES)


def arithmetic(registers: Registers, line: AssemblyLine) -> list[Write] | None:
    """Return what an instruction changes, or None if it does not compute. Raises OperandError."""
    name = re.sub(r"_e(32|64)$", "", line.mnemonic)
    operands = line.operands
    plain = name.removesuffix("_sdwa")
    if re.fullmatch(r"v_(add|sub|subrev)_[ui]32", plain) and len(operands) == 4:
        name = re.sub("_[ui]32", "_co_u32", name)
    if re.fullmatch(r"v_(addc|subb|subbrev)_u32", plain):
        name = name.replace("_u32", "_co_u32")
    registers.bits = line.bits
    try:
        if name.endswith("_sdwa"):
            return _selected(registers, name.removesuffix("_sdwa"), operands)
        packed = _HALVES.match(name)
        if packed:
            return _packed(registers, f"v_{packed[1]}", operands)
        chosen = any(bit.startswith("op_sel:") for bit in line.bits)
        if chosen and name.endswith("16") and not name.startswith("v_fma_mix"):
            return _half(registers, name, operands)
        writes = _computes(registers, name, operands)
        if writes is not None:
            _check(line.bits, *_meant(name))
        return writes
    except IndexError:
        raise OperandError(f"'{line.mnemonic}' has too few operands") from None


def _computes(registers: Registers, name: str, operands: tuple[str, ...]) -> list[Write] | None:
    """Return what an operation changes, or None if there is none of this name. Raises OperandError, IndexError."""
    for pattern, rule in _RULES:
        match = pattern.match(name)
        if match:
            return rule(registers, operands, match)
    return None


def _meant(name: str) -> tuple[str, ...]:
    """Return how the modifiers begin that an operation reads."""
    return tuple(bit for pattern, bit in _MEANT if re.fullmatch(pattern, name))


def _check(bits: Sequence[str], *meant: str) -> None:
    """Raise OperandError for a modifier that does not begin with one of those that are meant."""
    for bit in bits:
        if not bit.startswith(meant):
            raise OperandError(f"unknown modifier '{bit}'")


def _given(registers: Registers, name: str, operands: tuple[str, ...], values: Sequence[Expr]) -> list[Write] | None:
    """Return what an operation changes, with values in the place of its first sources, whose signs stay."""
    names = [f"source {index}" for index in range(len(values))]
    spelled = [o.replace(signs(o)[0], given) for o, given in zip(operands[1:], names, strict=False)]
    registers.given = dict(zip(names, values, strict=True))
    try:
        return _computes(registers, name, (operands[0], *spelled, *operands[1 + len(names) :]))
    finally:
        registers.given = {}


# ---------------------------------------------------------------- sub-dword addressing (SDWA), GFX8 to GFX10


def _selected(registers: Registers, name: str, operands: tuple[str, ...]) -> list[Write] | None:
    """v_lshrrev_b32_sdwa d, a, b dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD."""
    _check(registers.bits, "src0_sel:", "src1_sel:", "dst_sel:", "dst_unused:", *_meant(name))
    chosen = dict(bit.split(":") for bit in registers.bits if ":" in bit)
    sources = operands[1:3]
    values = [_part(registers, signs(o)[0], chosen.get(f"src{i}_sel", "DWORD")) for i, o in enumerate(sources)]
    writes = _given(registers, name, operands, values)
    if writes is None or name.startswith("v_cmp"):
        return writes
    (place, value, bits), *rest = writes
    size, low = _extent(chosen.get("dst_sel", "DWORD"))
    if size == DWORD:
        return writes
    part = sliced(value, 0, min(size, bits), registers.widths)
    return [(place, _placed(registers, place, part, (size, low), chosen.get("dst_unused", "UNUSED_PRESERVE")), DWORD),
            *rest]  # fmt: skip


def _extent(chosen: str) -> tuple[int, int]:
    """Return how many bits a selection has, and the lowest of them."""
    match = re.fullmatch(r"(BYTE|WORD)_([0-3])", chosen)
    if chosen == "DWORD":
        return DWORD, 0
    if not match:
        raise OperandError(f"unknown selection '{chosen}'")
    size = 8 if match[1] == "BYTE" else HALF
    return size, size * int(match[2])


def _part(registers: Registers, operand: str, chosen: str) -> Expr:
    """Return the byte or word of a register that is selected, with zeros above it or its sign."""
    sign = re.fullmatch(r"sext\((.*)\)", operand)
    size, low = _extent(chosen)
    whole = registers.value(sign[1] if sign else operand)
    if size == DWORD:
        return whole
    cut = sliced(whole, low, size, registers.widths)
    return computed("sext", DWORD, cut, parameters=(size,)) if sign else computed("zext", DWORD, cut)


def _placed(registers: Registers, place: str, part: Expr, extent: tuple[int, int], unused: str) -> Expr:
    """Return a register with a part in its place, and what is said of the rest of it."""
    size, low = extent
    above = DWORD - low - size
    if unused == "UNUSED_PRESERVE":
        old = registers.value(place)
        under, over = (sliced(old, start, count, registers.widths) if count else Constant(0)
                       for start, count in ((0, low), (low + size, above)))  # fmt: skip
    elif unused == "UNUSED_PAD":
        under, over = Constant(0), Constant(0)
    elif unused == "UNUSED_SEXT":
        wide = computed("sext", size + above, part, parameters=(size,)) if above else part
        under, over = Constant(0), sliced(wide, size, above, registers.widths) if above else Constant(0)
    else:
        raise OperandError(f"unknown treatment of what is not selected, '{unused}'")
    pieces = [(value, count) for value, count in ((under, low), (part, size), (over, above)) if count]
    values, sizes = zip(*pieces, strict=True)
    return joined(values, sizes, registers.widths)


# ---------------------------------------------------------------- halves


def _choices(registers: Registers, name: str) -> dict[str, list[int]]:
    """Return which halves are chosen; what the operation itself reads stays among the modifiers."""
    found, left = {}, []
    for bit in registers.bits:
        match = _CHOSEN.match(bit)
        if match and (match[1].startswith("op_sel") or name.endswith("_f16")):
            found[match[1]] = [int(word) for word in match[2].split(",")]
        else:
            left.append(bit)
    _check(left, *_meant(name))
    registers.bits = tuple(left)
    return found


def _packed(registers: Registers, name: str, operands: tuple[str, ...]) -> list[Write] | None:
    """v_pk_add_u16 d, a, b op_sel:[0,0] op_sel_hi:[1,1]: the first chooses halves for the low half, then for the high.

    Numbers are 32 bits with their sign, so that the high half of a small one is 0 or -1, and of 1.0 is 0
    ([SIMCCodeEmitter]). neg_lo negates what the low half is made of, neg_hi what the high one is.
    """
    chosen, sources = _choices(registers, name), operands[1:]
    halves = []
    for word, usual, opposite in (("op_sel", 0, "neg_lo"), ("op_sel_hi", 1, "neg_hi")):
        which = chosen.get(word, [usual] * len(sources))
        negated = chosen.get(opposite, [0] * len(sources))
        values = [signed(sliced(_whole(registers, name, o), HALF * i, HALF, registers.widths), HALF,
                         negated=bool(sign), absolute=False)
                  for o, i, sign in zip(sources, which, negated, strict=True)]  # fmt: skip
        writes = _given(registers, name, operands, values)
        if writes is None:
            return None
        ((_, value, _),) = writes
        halves.append(value)
    return [(operands[0], joined(tuple(halves), (HALF, HALF), registers.widths), DWORD)]


def _whole(registers: Registers, name: str, operand: str) -> Expr:
    """Return the 32 bits of which a packed operation takes a half."""
    constant = floats.constant(operand, HALF) if name.endswith("_f16") else None
    return constant or registers.value(operand)


def _half(registers: Registers, name: str, operands: tuple[str, ...]) -> list[Write] | None:
    """v_add_u16_e64 d, a, b op_sel:[0,1,1] chooses halves of the sources and of the result, whose other half stays."""
    *which, result = _choices(registers, name)["op_sel"]
    sources = operands[1 : 1 + len(which)]
    values = [sliced(_whole(registers, name, signs(o)[0]), HALF * i, HALF, registers.widths)
              for o, i in zip(sources, which, strict=True)]  # fmt: skip
    writes = _given(registers, name, operands, values)
    if writes is None or not writes[0][0].startswith("v"):
        return writes
    (place, value, bits), *rest = writes
    if bits == DWORD and not result:
        return writes
    if bits != HALF or name.startswith("v_fmac"):
        raise OperandError(f"halves that '{name}' chooses")
    return [(f"{place.removesuffix('.l')}.{'lh'[result]}", value, HALF), *rest]
