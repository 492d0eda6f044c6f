"""Instructions that compute with numbers of floating point.

What goes in: registers, operands with their signs (`-v1`, `|v1|`), and the match of a mnemonic in `RULES`. What comes
out: the registers that change, with their values, as of `arithmetic`. The operations are those of
`axmem.litmus.floats`: rounded once to nearest, denormals kept. A kernel that is launched with another mode, or does not
say with which, is `refused`. A NaN that is computed is undef: documents say too little of its bits. So neither
IEEE_MODE nor DX10_CLAMP makes a difference: the one is about which NaN it is, the other about what `clamp`, which is
refused, makes of one. Of approximations reciprocals of known numbers alone are taken, as `assembly_program` says; the
others, and what flushes denormals (`v_mad_f32`), are not known.
"""

from __future__ import annotations

import re
from math import inf

from axmem.codegen.assembly.arithmetic import Rule, Write, compared
from axmem.codegen.assembly.registers import FLOATS, HALF, OperandError, Registers, signs
from axmem.codegen.assembly.text import AssemblyKernel, AssemblyListing
from axmem.codegen.assembly.values import computed, joined, number, signed, sliced
from axmem.events.values import Constant, Expr, apply
from axmem.litmus.floats import FORMATS, bits_of

_MODE = {
    ".amdhsa_float_round_mode_32": "0",
    ".amdhsa_float_round_mode_16_64": "0",
    ".amdhsa_float_denorm_mode_32": "3",
    ".amdhsa_float_denorm_mode_16_64": "3",
}
"""What a kernel has to say: numbers are rounded to nearest, and denormals kept ([AMDGPUUsage])."""
_USUAL, _DECIDING = 0xF0, 8
"""The lowest bits of the mode register as directives are to say they are, and how many decide what is computed."""
_OVERFLOW = ".amdhsa_fp16_overflow"
_INVERSE = {"0.15915494": {16: 0x3118, 32: 0x3E22F983}, "0.15915494309189532": {64: 0x3FC45F306DC9C882}}
"""1/2π, the inline constant that is rounded."""
_PREDICATES = {
    "lt": "olt", "eq": "oeq", "le": "ole", "gt": "ogt", "lg": "one", "ge": "oge", "o": "ord",
    "u": "uno", "nge": "ult", "nlg": "ueq", "ngt": "ule", "nle": "ugt", "neq": "une", "nlt": "uge",
}  # fmt: skip
"""Comparisons of the hardware as those of LLVM: an `n` is for not, and what is not ordered is not less."""


def refused(listing: AssemblyListing, kernel: AssemblyKernel) -> str:
    """Return why a kernel's numbers are not computed, if they are not, by the mode in which it is launched."""
    for directive, wanted in _MODE.items():
        stated, _ = listing.facts.get((kernel.name, directive), ("", None))
        if not stated:
            return f"it is not known how numbers are rounded: the file does not say '{directive}'"
        if stated != wanted:
            return f"numbers are rounded to nearest here, and denormals kept: '{directive} {stated}' is not known"
    stated, _ = listing.facts.get((kernel.name, _OVERFLOW), ("0", None))
    return "" if stated == "0" else f"'{_OVERFLOW} {stated}' is not known"


def changes_mode(registers: Registers, register: str, value: str) -> bool:
    """Say whether s_setreg may give the mode's bits for rounding and denormals other values than the usual ones."""
    found = re.fullmatch(r"hwreg\(HW_REG_(?:WAVE_)?MODE(?:, (\d+), (\d+))?\)", register)
    if found is None:
        return False
    low, size = int(found[1] or 0), int(found[2] or 32)
    given = number(registers.value(value))
    return any(given is None or given >> bit - low & 1 != _USUAL >> bit & 1
               for bit in range(low, min(low + size, _DECIDING)))  # fmt: skip


def number_in(r: Registers, operand: str, width: int) -> Expr:
    """Return the bits of a source operand that is a number. Raises OperandError."""
    if r.refused:
        raise OperandError(r.refused)
    place, negated, absolute = signs(operand)
    return signed(constant(place, width) or r.value(place, width), width, negated=negated, absolute=absolute)


def constant(operand: str, width: int) -> Constant | None:
    """Return the constant that an operand is, if it is spelled otherwise than an integer of so many bits.

    A literal of 32 bits, which is printed in hexadecimal, is the upper half of a number of 64.
    """
    if operand in FLOATS:
        return Constant(bits_of(float(operand), width))
    if operand in _INVERSE:
        found = _INVERSE[operand].get(width)
        return None if found is None else Constant(found)
    if width == FORMATS["double"] and re.fullmatch(r"0x[0-9a-fA-F]{1,8}", operand):
        return Constant(int(operand, 16) << 32)
    return None


def _result(r: Registers, name: str, place: str, value: Expr, bits: int) -> Write:
    """Return where a result goes: of what one of 16 bits leaves above it in a scalar register nothing is documented."""
    return _under_unknown(r, place, value) if name.startswith("s_") and bits == HALF else (place, value, bits)


def _under_unknown(r: Registers, place: str, value: Expr) -> Write:
    """Return 16 bits in a register whose upper half is not known then."""
    above = sliced(r.entry(f"the upper half of {place}"), HALF, HALF, r.widths)
    return place, joined((value, above), (HALF, HALF), r.widths), 2 * HALF


def _binary(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    width = int(m["width"])
    a, b = (number_in(r, x, width) for x in (o[1:3] if not m["rev"] else (o[2], o[1])))
    return [_result(r, m[0], o[0], _computed(f"f{m['op']}", width, a, b), width)]


def _computed(name: str, width: int, *numbers: Expr, of: int = 0) -> Expr:
    """Return an operation of `axmem.litmus.floats`; `of` are the bits of the operands where it is told them."""
    return computed(name, width, *numbers, parameters=(of,) if of else ())


def _extreme(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_max_f32 d, a, b, since GFX12 v_max_num_f32, keeps a number beside a quiet NaN; v_maximum_f32 gives a NaN."""
    width = int(m["width"])
    name = f"f{m['op']}" if m["op"].endswith("imum") else f"f{m['op']}num"
    return [(o[0], _computed(name, width, *(number_in(r, x, width) for x in o[1:3])), width)]


def _fused(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_fma_f32 d, a, b, c is a * b + c, v_fmac_f32 d, a, b adds to d; v_fmaak and v_fmamk have a literal.

    Of 16 bits all of them leave the upper half of their register as it was on GFX9, too ([AMD-ISA]).
    """
    width = int(m["width"])
    sources = (*o[1:3], o[0]) if m["op"] == "fmac" else o[1:4]
    value = _computed("fma", width, *(number_in(r, x, width) for x in sources))
    place = f"{o[0]}.l" if width == HALF and re.fullmatch(r"v\d+", o[0]) else o[0]
    return [_result(r, m[0], place, value, width)]


def _mixed(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_fma_mix_f32 d, a, b, c op_sel:[1,0,0] op_sel_hi:[1,0,1]: op_sel_hi says what is a half, op_sel which.

    v_fma_mixlo_f16 and v_fma_mixhi_f16 round the result once more, to the lower or the upper half of d.
    """
    chosen = {word: [0, 0, 0] for word in ("op_sel", "op_sel_hi")}
    for bit in r.bits:
        word, _, which = bit.partition(":")
        if word in chosen:
            chosen[word] = [int(x) for x in which.strip("[]").split(",")]
    numbers = []
    for source, high, half in zip(o[1:4], chosen["op_sel"], chosen["op_sel_hi"], strict=True):
        place, negated, absolute = signs(source)
        whole = number_in(r, place, 32)
        if half:
            if not place.startswith(("v", "s")):
                raise OperandError(f"a half that is the constant '{place}'")
            whole = _computed("fpext", 32, sliced(whole, HALF * high, HALF, r.widths), of=HALF)
        numbers.append(signed(whole, 32, negated=negated, absolute=absolute))
    found = _computed("fma", 32, *numbers)
    if m["half"]:
        place = o[0] if o[0].endswith((".l", ".h")) else f"{o[0]}.{m['half'][0]}"
        return [(place, _computed("fptrunc", HALF, found, of=32), HALF)]
    return [(o[0], found, 32)]


def _pairs(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_pk_add_f32 d, a, b op_sel:[0,0] op_sel_hi:[1,1] neg_lo:[0,1] neg_hi:[0,1]: pairs of numbers of 32 bits.

    As of halves op_sel chooses what the low result is made of, and op_sel_hi what the high one is. Since GFX12 llc does
    not choose the upper one of a pair of scalar registers.
    """
    sources = o[1:]
    chosen = {"op_sel": [0] * len(sources), "op_sel_hi": [1] * len(sources)}
    chosen |= {word: [0] * len(sources) for word in ("neg_lo", "neg_hi")}
    for bit in r.bits:
        word, _, which = bit.partition(":")
        if word in chosen:
            chosen[word] = [int(x) for x in which.strip("[]").split(",")]
    results = []
    for places, opposite in (("op_sel", "neg_lo"), ("op_sel_hi", "neg_hi")):
        numbers = []
        for source, high, negated in zip(sources, chosen[places], chosen[opposite], strict=True):
            if not source.startswith("v[") and not (source.startswith("s[") and not (high and r.keeps)):
                raise OperandError(f"'{source}' as a pair of numbers")
            value = sliced(number_in(r, source, 64), 32 * high, 32, r.widths)
            numbers.append(signed(value, 32, negated=bool(negated), absolute=False))
        results.append(_computed("fma" if m["op"] == "fma" else f"f{m['op']}", 32, *numbers))
    return [(o[0], joined((results[0], results[1]), (32, 32), r.widths), 64)]


def _packed(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_pack_b32_f16 d, a, b puts two halves side by side; a signaling NaN is not kept."""
    halves = [number_in(r, x, HALF) for x in o[1:3]]
    kept = [_computed("fmaxnum", HALF, half, half) for half in halves]
    return [(o[0], joined((kept[0], kept[1]), (HALF, HALF), r.widths), 2 * HALF)]


def _packed_halves(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_cvt_pk_f16_f32 d, a, b rounds two numbers to halves."""
    low, high = (_computed("fptrunc", HALF, number_in(r, x, 32), of=32) for x in o[1:3])
    return [(o[0], joined((low, high), (HALF, HALF), r.widths), 2 * HALF)]


def _packed_integers(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_cvt_pk_i16_f32 d, a, b; it is not said what comes of a number that does not fit."""
    name = "fptosi" if m["sign"] == "i" else "fptoui"
    low, high = (_computed(name, HALF, number_in(r, x, 32), of=32) for x in o[1:3])
    return [(o[0], joined((low, high), (HALF, HALF), r.widths), 2 * HALF)]


def _compare(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    width = int(m["width"])
    a, b = (number_in(r, x, width) for x in o[-2:])
    truth = _computed(f"fcmp {_PREDICATES[m['op']]}", 1, a, b, of=width)
    return [("scc", truth, 1)] if m["unit"] == "s" else compared(o, m, truth)


def _rounded(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    width = int(m["width"])
    return [_result(r, m[0], o[0], _computed(f"f{m['op']}", width, number_in(r, o[1], width)), width)]


def _scaled(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_ldexp_f32 d, a, n is a times 2 to the power of n, an integer of 32 bits."""
    width = int(m["width"])
    return [(o[0], _computed("fldexp", width, number_in(r, o[1], width), r.value(o[2])), width)]


def _to_integer(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_cvt_i32_f32 d, a: what does not fit is the nearest integer that does, a NaN is 0 ([AMD-ISA]).

    Whether one of 16 bits leaves the rest of its register before GFX10 is not documented.
    """
    bits, width = int(m["bits"]), int(m["width"])
    name = "fptosi.sat" if m["sign"] == "i" else "fptoui.sat"
    value = _computed(name, bits, number_in(r, o[1], width), of=width)
    return [_under_unknown(r, o[0], value) if bits == HALF and not r.keeps else (o[0], value, bits)]


def _from_integer(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits, width = int(m["bits"]), int(m["width"])
    if r.refused:
        raise OperandError(r.refused)
    value = _computed("sitofp" if m["sign"] == "i" else "uitofp", width, r.value(o[1], bits), of=bits)
    return [(o[0], value, width)]


def _from_byte(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    if r.refused:
        raise OperandError(r.refused)
    return [(o[0], _computed("uitofp", 32, sliced(r.value(o[1]), 8 * int(m["byte"]), 8, r.widths), of=8), 32)]


def _between(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_cvt_f64_f32 d, a; s_cvt_hi_f32_f16 d, a takes the upper half."""
    bits, width = int(m["bits"]), int(m["width"])
    source = number_in(r, o[1], 32 if m["hi"] else width)
    if m["hi"]:
        source = sliced(source, HALF, HALF, r.widths)
    value = _computed("fpext" if bits > width else "fptrunc", bits, source, of=width)
    return [_result(r, m[0], o[0], value, bits)]


def _reciprocal(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_rcp_f32 d, a, and v_rcp_iflag_f32, by which LLVM divides integers: [AMD-ISA] has an accuracy of 1 ulp."""
    given = number(number_in(r, o[1], 32))
    if given is None:
        raise OperandError(f"{m[0]} is an approximation, and takes what memory decides")
    nearest = computed("fdiv", 32, Constant(bits_of(1.0, 32)), Constant(given))
    found = number(nearest)
    least, infinite = bits_of(_LEAST[32], 32), bits_of(inf, 32)
    if found is None or not least < found & _MAGNITUDE < infinite - 1:
        raise OperandError(f"{m[0]} of a number whose reciprocal is not normal is not known")
    return [(o[0], Constant(found + r.near.setdefault(given, 0)), 32)]


def updated(name: str, width: int, old: Expr, operand: Expr) -> tuple[Expr, Expr]:
    """Return what an update of memory writes, and whether that is known.

    The units at the caches do not follow the mode of the wave, and manuals do not say what they do with denormal
    numbers, nor what a maximum or minimum does with a NaN. A sum with one is undef.
    """
    found = apply(name, width, old, operand)
    inputs = [_ordinary(value, width) for value in (old, operand)]
    result = _ordinary(found, width)
    if name == "fadd":
        special = [_special(value, width) for value in (old, operand)]
        inputs = [computed("or", 1, *pair) for pair in zip(inputs, special, strict=True)]
        result = computed("select", 1, computed("or", 1, *special), Constant(1), result)
    return found, computed("and", 1, computed("and", 1, *inputs), result)


def _ordinary(value: Expr, width: int) -> Expr:
    """Say whether a number is 0, normal, or infinite."""
    least, infinite = bits_of(_LEAST[width], width), bits_of(inf, width)
    magnitude = signed(value, width, negated=False, absolute=True)
    normal = computed("ult", 1, computed("sub", width, magnitude, Constant(least)), Constant(infinite - least + 1))
    return computed("or", 1, computed("eq", 1, magnitude, Constant(0)), normal)


def _special(value: Expr, width: int) -> Expr:
    """Say whether a number is infinite or a NaN."""
    infinite = Constant(bits_of(inf, width))
    return computed("eq", 1, computed("and", width, value, infinite), infinite)


_LEAST = {32: 2.0**-126, 64: 2.0**-1022}
"""The least normal numbers."""
_MAGNITUDE = 0x7FFFFFFF
_WIDTH = r"f(?P<width>16|32|64)"
_COMPARISON = rf"(?P<op>{'|'.join(_PREDICATES)})_{_WIDTH}$"
RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        (rf"v_(?:dual_)?(?P<op>add|sub|mul)(?P<rev>rev)?_{_WIDTH}$", _binary),
        (r"s_(?P<op>add|sub|mul)(?P<rev>)_f(?P<width>16|32)$", _binary),
        (rf"v_(?:dual_)?(?P<op>max|min)(?:_num)?_{_WIDTH}$", _extreme),
        (rf"v_(?P<op>maximum|minimum)_{_WIDTH}$", _extreme),
        (rf"v_(?:dual_)?(?P<op>fma|fmac|fmaak|fmamk)_{_WIDTH}$", _fused),
        (r"s_(?P<op>fmac|fmaak|fmamk)_f(?P<width>16|32)$", _fused),
        (r"v_fma_mix(?:_f32|(?P<half>lo|hi)_f16)$", _mixed),
        (r"v_pack_b32_f16$", _packed),
        (r"v_cvt_pk_f16_f32$", _packed_halves),
        (r"v_cvt_pk_(?P<sign>[iu])16_f32$", _packed_integers),
        (r"v_pk_(?P<op>add|mul|fma)_f32$", _pairs),
        (rf"(?P<unit>[sv])_cmp(?P<x>x)?_{_COMPARISON}", _compare),
        (rf"v_(?P<op>floor|trunc)_{_WIDTH}$", _rounded),
        (r"s_(?P<op>floor|trunc)_f(?P<width>16|32)$", _rounded),
        (r"v_(?:s_)?rcp_(?:iflag_)?f32$", _reciprocal),
        (r"v_ldexp_f(?P<width>32|64)$", _scaled),
        (r"[sv]_cvt_(?P<sign>[iu])(?P<bits>32)_f(?P<width>32|64)$", _to_integer),
        (r"v_cvt_(?P<sign>[iu])(?P<bits>16)_f(?P<width>16)$", _to_integer),
        (r"[sv]_cvt_f(?P<width>32|64)_(?P<sign>[iu])(?P<bits>32)$", _from_integer),
        (r"v_cvt_f(?P<width>16)_(?P<sign>[iu])(?P<bits>16)$", _from_integer),
        (r"v_cvt_f32_ubyte(?P<byte>[0-3])$", _from_byte),
        (rf"[sv]_cvt_(?P<hi>)f(?P<bits>16|32|64)_(?!f(?P=bits)){_WIDTH}$", _between),
        (r"s_cvt_(?P<hi>hi_)f(?P<bits>32)_f(?P<width>16)$", _between),
    )
)  # fmt: skip
