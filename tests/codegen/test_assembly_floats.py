"""Floating point in assembly: each instruction against fractions and doubles of Python, and what is refused.

Expected results come from nothing of axmem: exact fractions, whose nearest number is searched among neighbours, and
Python's own comparisons and conversions. A result that is a NaN is undef.
`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import operator
import re
import shutil
import struct
from collections.abc import Callable
from fractions import Fraction
from math import copysign, floor, inf, isfinite, isnan, nan, trunc
from random import Random

import pytest

from axmem.codegen.assembly.parts import arithmetic
from axmem.codegen.assembly.registers import OperandError, Registers
from axmem.codegen.assembly.text import AssemblyLine, split_operands
from axmem.codegen.targets import target
from axmem.events.values import UNDEF, Constant, Value
from axmem.formats.reading import parse, parse_file
from axmem.front.source import InputError, Span
from axmem.litmus.undef import POISONED, Partial
from axmem.mapping.compiled import compiled
from axmem.mapping.verification import CodeSource, verify
from tests.assembly.record import read
from tests.compiled.compare import TARGETS, verified
from tests.compiled.numbers import floats, number
from tests.drawn import examples, parts, some
from tests.exploring import VERDICT_ALONE
from tests.paths import ROOT

LETTERS = {16: ("e", "H"), 32: ("f", "I"), 64: ("d", "Q")}
NAMES = {16: "half", 32: "float", 64: "double"}
FLOATS = "tests/assembly/Floats.litmus"


def valued(bits: int, width: int) -> float:
    letter, whole = LETTERS[width]
    found: float = struct.unpack(f"<{letter}", struct.pack(f"<{whole}", bits))[0]
    return found


def pattern(value: float, width: int) -> int:
    """Return the bits of a number that the width has, or of one that is too large."""
    letter, whole = LETTERS[width]
    try:
        packed = struct.pack(f"<{letter}", value)
    except OverflowError:
        packed = struct.pack(f"<{letter}", copysign(inf, value))
    found: int = struct.unpack(f"<{whole}", packed)[0]
    return found


def nearest(exact: Fraction, zero: float, width: int) -> int:
    """Return the bits of the number that is nearest to a fraction, of two as near the even one."""
    if not exact:
        return pattern(zero, width)
    fraction = {16: 10, 32: 23, 64: 52}[width]
    limit = Fraction(2) ** {16: 16, 32: 128, 64: 1024}[width]
    if abs(exact) >= limit * (1 - Fraction(1, 2 ** (fraction + 2))):
        return pattern(inf if exact > 0 else -inf, width)
    try:
        start = pattern(float(exact), width)
    except OverflowError:
        start = pattern(inf if exact > 0 else -inf, width)
    near = [b for b in range(start - 2, start + 3) if 0 <= b < 1 << width and isfinite(valued(b, width))]
    return min(near, key=lambda b: (abs(Fraction(valued(b, width)) - exact), b & 1))


def rounded(operation: Callable[..., float | Fraction], *numbers: float, width: int) -> Value:
    """Return the bits of an operation on numbers, exact where they are finite."""
    plain = operation(*numbers)
    if isnan(plain):
        return UNDEF
    if not all(map(isfinite, numbers)):
        return pattern(float(plain), width)
    return nearest(Fraction(operation(*map(Fraction, numbers))), float(plain), width)


def executed(
    text: str, values: dict[str, int], *, keeps: bool = True, refused: str = "", near: dict[int, int] | None = None
) -> Registers:
    """Return the registers after an instruction."""
    known = {name: Constant(value) for name, value in values.items()}
    registers = Registers({}, [], dict(known), keeps=keeps, refused=refused, near=near or {})
    mnemonic, _, rest = text.partition(" ")
    operands, bits = split_operands(rest)
    line = AssemblyLine(mnemonic, operands, bits, rest, Span(1, 1))
    for place, value, size in arithmetic(registers, line) or pytest.fail(f"{text} is not known"):
        if place == "scc":
            registers.values["scc"] = value
        elif size == 1:
            registers.put_mask(place, [value])
        else:
            registers.put(place, value, size)
    return registers


def result(registers: Registers, place: str, width: int) -> Value:
    found = registers.settled(registers.value(place, width), width)
    assert isinstance(found, Constant), found
    return found.value


def spread(drawn: list[int], width: int, unit: str = "v") -> tuple[dict[str, int], list[str]]:
    """Return registers that hold some numbers, and how they are spelled; the first pair is for the result."""
    values, places = {f"{unit}0": 0, f"{unit}1": 0}, [f"{unit}[0:1]" if width == 64 else f"{unit}0"]
    for index, bits in enumerate(drawn, 1):
        low = 2 * index
        values |= {f"{unit}{low}": bits & 0xFFFFFFFF, f"{unit}{low + 1}": bits >> 32}
        places.append(f"{unit}[{low}:{low + 1}]" if width == 64 else f"{unit}{low}")
    return values, places


# ---------------------------------------------------------------- one instruction each

ARITHMETIC: list[tuple[str, Callable[..., float | Fraction]]] = [
    ("v_add_f{w}_e32 {d}, {a}, {b}", lambda a, b, c: a + b),
    ("v_sub_f{w}_e32 {d}, {a}, {b}", lambda a, b, c: a - b),
    ("v_subrev_f{w}_e32 {d}, {a}, {b}", lambda a, b, c: b - a),
    ("v_mul_f{w}_e64 {d}, {a}, {b}", lambda a, b, c: a * b),
    ("v_add_f{w}_e64 {d}, -{a}, |{b}|", lambda a, b, c: -a + abs(b)),
    ("v_sub_f{w}_e64 {d}, -|{a}|, {b}", lambda a, b, c: -abs(a) - b),
    ("v_mul_f{w} {d}, -{a}, -|{b}|", lambda a, b, c: a * abs(b)),
    ("v_add_f{w}_e32 {d}, 0.5, {b}", lambda a, b, c: Fraction(1, 2) + b if isfinite(b) else b),
    ("v_mul_f{w}_e32 {d}, -4.0, {b}", lambda a, b, c: -4 * b if b else -b * 1),
    ("v_dual_mul_f{w} {d}, {a}, {b}", lambda a, b, c: a * b),
    ("s_add_f{w} {d}, {a}, {b}", lambda a, b, c: a + b),
    ("s_sub_f{w} {d}, {a}, {b}", lambda a, b, c: a - b),
    ("s_mul_f{w} {d}, {a}, {b}", lambda a, b, c: a * b),
]
FUSED = [
    ("v_fma_f{w} {d}, {a}, {b}, {c}", 1, 1, 1),
    ("v_fma_f{w} {d}, -{a}, {b}, -{c}", -1, 1, -1),
    ("v_fmac_f{w}_e32 {c}, {a}, {b}", 1, 1, 1),
    ("v_fmaak_f{w} {d}, {a}, {b}, {k}", 1, 1, 0),
    ("v_fmamk_f{w} {d}, {a}, {k}, {c}", 1, 0, 1),
    ("s_fmac_f{w} {c}, {a}, {b}", 1, 1, 1),
    ("s_fmaak_f{w} {d}, {a}, {b}, {k}", 1, 1, 0),
    ("s_fmamk_f{w} {d}, {a}, {k}, {c}", 1, 0, 1),
]
"""With the sign of each of three operands; 0 for the literal, 3.5."""
LITERALS = {16: "0x4300", 32: "0x40600000", 64: "0x400c0000"}


@pytest.mark.parametrize("width", LETTERS)
@pytest.mark.parametrize(("text", "operation"), ARITHMETIC, ids=[text for text, _ in ARITHMETIC])
def test_sums_and_products(text: str, operation: Callable[..., float], width: int) -> None:
    rng, unit = Random(text), text[0]
    if unit == "s" and width == 64:
        return  # there are none of 64 bits
    for _ in range(examples(200)):
        drawn = [number(rng, NAMES[width]) for _ in range(3)]
        values, (d, a, b, _) = spread(drawn, width, unit)
        found = result(executed(text.format(w=width, d=d, a=a, b=b), values), d, width)
        assert found == rounded(operation, *(valued(x, width) for x in drawn), width=width), (text, drawn)


@pytest.mark.parametrize("width", LETTERS)
@pytest.mark.parametrize(("text", "x", "y", "z"), FUSED, ids=[text for text, *_ in FUSED])
def test_products_that_are_added(text: str, x: int, y: int, z: int, width: int) -> None:
    rng, unit = Random(text), text[0]
    if unit == "s" and width == 64:
        return
    for _ in range(examples(200)):
        drawn = [number(rng, NAMES[width]) for _ in range(3)]
        values, (d, a, b, c) = spread(drawn, width, unit)
        place = c if "fmac" in text else d
        found = result(executed(text.format(w=width, d=d, a=a, b=b, c=c, k=LITERALS[width]), values), place, width)
        numbers = [sign * valued(bits, width) if sign else 3.5 for sign, bits in zip((x, y, z), drawn, strict=True)]
        assert found == fused(*numbers, width=width), (text, drawn)


def fused(a: float, b: float, c: float, *, width: int) -> Value:
    if not all(map(isfinite, (a, b, c))):
        product = a * b if not (isfinite(a) and isfinite(b)) else 0.0
        return UNDEF if isnan(product + c) else pattern(product + c, width)
    exact = Fraction(a) * Fraction(b)
    return nearest(exact + Fraction(c), copysign(1, a) * copysign(1, b) * 0.0 + c if not exact else 0.0, width)


@pytest.mark.parametrize("width", LETTERS)
@pytest.mark.parametrize("word", ["max", "min", "max_num", "min_num", "maximum", "minimum"])
def test_the_greater_and_the_lesser(word: str, width: int) -> None:
    """A quiet NaN gives way to a number, or prevails; -0.0 is less than 0.0; a signaling NaN is undef."""
    rng = Random(word)
    quiet = 1 << {16: 9, 32: 22, 64: 51}[width]
    edges = [pattern(x, width) for x in (0.0, -0.0, inf, -inf, nan, 1.0)]
    for _ in range(examples(600)):
        drawn = [rng.choice((number(rng, NAMES[width]), rng.choice(edges))) for _ in range(2)]
        values, (d, a, b) = spread(drawn, width)
        found = result(executed(f"v_{word}_f{width} {d}, {a}, {b}", values), d, width)
        numbers = [valued(x, width) for x in drawn]
        nans = [isnan(x) for x in numbers]
        ordered = sorted(zip(numbers, drawn, strict=True), key=lambda pair: (pair[0], -(pair[1] >> width - 1)))
        expected: Value = ordered["min" not in word][1]
        if any(nan_ and not bits & quiet for nan_, bits in zip(nans, drawn, strict=True)):
            expected = UNDEF
        elif any(nans):
            expected = UNDEF if word.endswith("imum") else drawn[1] if nans[0] else drawn[0]
        assert found == expected, drawn


COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "lt": operator.lt, "eq": operator.eq, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "lg": lambda a, b: a < b or a > b, "o": lambda a, b: a == a and b == b, "u": lambda a, b: a != a or b != b,
    "nge": lambda a, b: not a >= b, "nlg": lambda a, b: not (a < b or a > b), "ngt": lambda a, b: not a > b,
    "nle": lambda a, b: not a <= b, "neq": operator.ne, "nlt": lambda a, b: not a < b,
}  # fmt: skip


@pytest.mark.parametrize("width", LETTERS)
@pytest.mark.parametrize("word", some([*COMPARISONS], of=3))
def test_comparisons(word: str, width: int) -> None:
    edges = [pattern(x, width) for x in (0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 2.0**-14)] + [1]
    for bits in edges:
        for other in edges:
            expected = COMPARISONS[word](valued(bits, width), valued(other, width))
            values, (_, a, b) = spread([bits, other], width)
            after = executed(f"v_cmp_{word}_f{width}_e64 s[6:7], {a}, {b}", {**values, "s6": 7, "s7": 7})
            assert (result(after, "s6", 32), result(after, "s7", 32)) == (int(expected), 0)
            after = executed(f"v_cmpx_{word}_f{width}_e32 {a}, {b}", {**values, "exec_lo": 1, "exec_hi": 0})
            assert result(after, "exec_lo", 32) == int(expected)
            after = executed(f"v_cmpx_{word}_f{width}_e32 vcc, {a}, {b}", {**values, "exec_lo": 1, "vcc_lo": 7})
            assert (result(after, "exec_lo", 32), result(after, "vcc_lo", 32)) == (int(expected),) * 2
            if width < 64:
                values, (_, a, b) = spread([bits, other], width, "s")
                after = executed(f"s_cmp_{word}_f{width} {a}, {b}", {**values, "scc": 0})
                assert result(after, "scc", 1) == int(expected)


@pytest.mark.parametrize(("unit", "width", "bits"), [("v", 32, 32), ("v", 64, 32), ("v", 16, 16), ("s", 32, 32)])
@pytest.mark.parametrize("sign", ["i", "u"])
def test_conversions_to_integers_and_back(unit: str, width: int, bits: int, sign: str) -> None:
    """What does not fit is the nearest that does, and a NaN is 0."""
    rng = Random(f"{width} {bits}")
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "i" else (0, (1 << bits) - 1)
    for _ in range(examples(300)):
        drawn = number(rng, NAMES[width])
        value = valued(drawn, width)
        nearby = 0 if isnan(value) else trunc(value) if isfinite(value) else high + 1 if value > 0 else low - 1
        whole = min(max(nearby, low), high)
        values, (d, a) = spread([drawn], width, unit)
        after = executed(f"{unit}_cvt_{sign}{bits}_f{width} {unit}0, {a}", values)
        assert result(after, f"{unit}0", bits) == whole % (1 << bits), drawn
        integer = rng.randrange(1 << bits) >> rng.randrange(bits)
        exact = integer - (integer >> bits - 1 << bits) if sign == "i" else integer
        after = executed(f"{unit}_cvt_f{width}_{sign}{bits} {d}, {unit}2", {**values, f"{unit}2": integer})
        assert result(after, d, width) == nearest(Fraction(exact), 0.0, width)


@pytest.mark.parametrize(("text", "width", "bits"), [
    ("v_cvt_f64_f32_e32 {d}, {a}", 32, 64), ("v_cvt_f32_f64_e32 {d}, {a}", 64, 32),
    ("v_cvt_f32_f16_e32 {d}, {a}", 16, 32), ("v_cvt_f16_f32_e32 {d}, {a}", 32, 16),
    ("s_cvt_f32_f16 {d}, {a}", 16, 32), ("s_cvt_f16_f32 {d}, {a}", 32, 16),
])  # fmt: skip
def test_conversions_between_formats(text: str, width: int, bits: int) -> None:
    rng, unit = Random(text), text[0]
    for _ in range(examples(300)):
        drawn = number(rng, NAMES[width])
        values, (_, a) = spread([drawn], width, unit)
        place = f"{unit}[0:1]" if bits == 64 else f"{unit}0"
        found = result(executed(text.format(d=place, a=a), values), place, bits)
        assert found == rounded(lambda x: x, valued(drawn, width), width=bits), drawn


@pytest.mark.parametrize("width", LETTERS)
def test_what_has_no_fraction_and_what_is_scaled(width: int) -> None:
    """A number that would have to be rounded when it is scaled is undef, as it is not said how it is."""
    rng = Random(width)
    for _ in range(examples(300)):
        drawn = number(rng, NAMES[width])
        value = valued(drawn, width)
        values, (d, a) = spread([drawn], width)
        for word, how in (("floor", floor), ("trunc", trunc)):
            whole = copysign(how(value), value) if isfinite(value) else value
            expected = UNDEF if isnan(value) else pattern(whole, width)
            assert result(executed(f"v_{word}_f{width}_e32 {d}, {a}", values), d, width) == expected, drawn
        if width == 16:
            continue
        amount = rng.choice((0, 1, -1, 32, -32, 5, -140, 300, -2000, 2**31 - 1, -(2**31)))
        found = result(executed(f"v_ldexp_f{width} {d}, {a}, v9", {**values, "v9": amount % 2**32}), d, width)
        if isnan(value):
            assert found is UNDEF
        elif not isfinite(value) or not value:
            assert found == drawn
        else:
            exact = Fraction(value) * Fraction(2) ** min(max(amount, -4000), 4000)
            bits = nearest(exact, value * 0.0, width)
            kept = not isfinite(valued(bits, width)) or Fraction(valued(bits, width)) == exact
            assert found == (bits if kept else UNDEF), (drawn, amount)


ONE, TWO, THREE, FIVE = 0x3F800000, 0x40000000, 0x40400000, 0x40A00000
GIVEN = {
    "v0": ONE, "v1": TWO, "v2": THREE, "v3": FIVE, "v4": 0x40003C00, "v5": 0xC2004000, "v6": 0x00FF8005,
    "s0": ONE, "s1": TWO, "s2": THREE, "s3": FIVE, "s4": 0x40003C00, "vcc_lo": 1, "vcc_hi": 0,
}  # fmt: skip
"""Numbers, pairs (1, 2) and (3, 5), halves (1, 2) and (2, -3), bytes (5, 128, 255, 0)."""
FIXED = [
    ("v_pk_add_f16 v9, v4, v5", "v9", 32, 0xBC004200),
    ("v_pk_add_f16 v9, v4, v5 neg_lo:[0,1] neg_hi:[1,0]", "v9", 32, 0xC500BC00),
    ("v_pk_mul_f16 v9, v4, v5 op_sel:[0,1] op_sel_hi:[1,0]", "v9", 32, 0x4400C200),
    ("v_pk_mul_f16 v9, 0x3e00, v5 op_sel_hi:[0,1]", "v9", 32, 0xC4804200),
    ("v_pk_add_f16 v9, v4, 1.0", "v9", 32, 0x40004000),
    ("v_pk_add_f16 v9, v4, 1.0 op_sel_hi:[1,0]", "v9", 32, 0x42004000),
    ("v_pk_fma_f16 v9, v4, v5, v4 neg_lo:[0,0,1] neg_hi:[0,0,1]", "v9", 32, 0xC8003C00),
    ("v_pk_add_f32 v[8:9], v[0:1], v[2:3]", "v[8:9]", 64, 0x40E00000_40800000),
    ("v_pk_mul_f32 v[8:9], v[0:1], v[2:3] op_sel:[1,0] op_sel_hi:[0,1]", "v[8:9]", 64, 0x40A00000_40C00000),
    ("v_pk_fma_f32 v[8:9], v[0:1], v[2:3], v[0:1] neg_lo:[0,0,1] neg_hi:[1,0,0]", "v[8:9]", 64, 0xC1000000_40000000),
    ("v_pk_add_f32 v[8:9], v[0:1], s[2:3] op_sel_hi:[1,0]", "v[8:9]", 64, 0x40A00000_40800000),
    ("v_fma_mix_f32 v9, v0, v1, v2", "v9", 32, FIVE),
    ("v_fma_mix_f32 v9, v4, v5, v2 op_sel:[1,0,0] op_sel_hi:[1,1,0]", "v9", 32, 0x40E00000),
    ("v_fma_mix_f32 v9, -v4, |v5|, v2 op_sel:[1,1,0] op_sel_hi:[1,1,0]", "v9", 32, 0xC0400000),
    ("v_fma_f16 v4, v4, v5, v5", "v4", 32, 0x40004400),
    ("v_fma_f16 v4, v4, v5, v5 op_sel:[0,1,0,1]", "v4", 32, 0xBC003C00),
    ("v_add_f16_e32 v4.h, v4.l, v4.h", "v4", 32, 0x42003C00),
    ("v_add_f16_sdwa v9, v4, -v5 dst_sel:DWORD src0_sel:WORD_1 src1_sel:WORD_1", "v9", 16, 0x4500),
    ("v_cvt_f32_i32_sdwa v9, sext(v6) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1", "v9", 32, 0xC3000000),
    ("v_cvt_f32_f16_sdwa v9, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1", "v9", 32, 0xC0400000),
    ("v_cvt_f32_ubyte0_e32 v9, v6", "v9", 32, FIVE),
    ("v_cvt_f32_ubyte2_e32 v9, v6", "v9", 32, 0x437F0000),
    ("s_cvt_hi_f32_f16 s9, s4", "s9", 32, TWO),
    ("v_cndmask_b32_e64 v9, v0, -v1, vcc", "v9", 32, 0xC0000000),
    ("v_cndmask_b32_e64 v9, v0, -|v1|, vcc_lo", "v9", 32, 0xC0000000),
    ("v_mul_f32_e32 v9, 0.15915494, v0", "v9", 32, 0x3E22F983),
    ("v_mul_f64 v[8:9], 1.0, 0.15915494309189532", "v[8:9]", 64, 0x3FC45F306DC9C882),
    ("v_add_f64 v[8:9], 1.0, 0x3ff80000", "v[8:9]", 64, 0x4004000000000000),
    ("v_add_f64 v[8:9], 1.0, lit64(0x3ff8000000000001)", "v[8:9]", 64, 0x4004000000000000),
    ("v_add_f64 v[8:9], 0, 3", "v[8:9]", 64, 3),
    ("v_mul_f16_e32 v9, 2.0, v4", "v9", 16, 0x4000),
    ("v_pack_b32_f16 v9, v4, -v5", "v9", 32, 0xC0003C00),
    ("v_pack_b32_f16 v9, v4, |v5| op_sel:[1,1,0]", "v9", 32, 0x42004000),
    ("v_cvt_pk_f16_f32 v9, v0, -v3", "v9", 32, 0xC5003C00),
    ("v_cvt_pk_i16_f32 v9, v0, -v3", "v9", 32, 0xFFFB0001),
    ("v_cvt_pk_u16_f32 v9, v2, v3", "v9", 32, 0x00050003),
    ("v_fma_mixlo_f16 v4, v0, v1, v2", "v4", 32, 0x40004500),
    ("v_fma_mixhi_f16 v4, v4, v1, v2 op_sel_hi:[1,0,0]", "v4", 32, 0x45003C00),
    ("s_bfe_i64 s[8:9], s[2:3], 0x90016", "s[8:9]", 64, 0xFFFFFFFF_FFFFFF01),
    ("s_bfe_u64 s[8:9], s[2:3], 0x80030", "s[8:9]", 64, 0xA0),
    ("s_mov_b64 s[8:9], 2.0", "s[8:9]", 64, 0x4000000000000000),
]


@pytest.mark.parametrize(("text", "place", "width", "expected"), FIXED, ids=[x[0] for x in FIXED])
def test_halves_pairs_and_constants(text: str, place: str, width: int, expected: int) -> None:
    assert result(executed(text, {**GIVEN, "v8": 0, "v9": 0}), place, width) == expected


def test_what_is_packed_of_nans_and_of_what_does_not_fit() -> None:
    """A quiet NaN is kept, and of a signaling one only that half is undef; integers that do not fit are anything."""
    values = {**GIVEN, "v8": 0x7E013C00, "v9": 0x3C007D00, "v7": 0x47800000}
    assert result(executed("v_pack_b32_f16 v6, v8, v8 op_sel:[1,0,0]", values), "v6", 32) == 0x3C007E01
    after = executed("v_pack_b32_f16 v6, v9, v8", values)
    assert result(after, "v6", 32) == Partial(0x3C000000, 0xFFFF)
    for text in ("v_cvt_pk_i16_f32 v6, v7, v0", "v_cvt_pk_u16_f32 v6, -v0, v0"):
        assert result(executed(text, values), "v6", 32) is POISONED


def test_what_stands_above_a_half() -> None:
    """Before GFX10 it is 0, but for products that are added; of scalar registers nothing is known."""
    values = {"v0": 0xABCD3C00, "v2": 0x4000, "s2": 0x4000, "s3": 0x4000}
    assert result(executed("v_add_f16_e32 v0, v0, v2", values, keeps=False), "v0", 32) == 0x4200
    assert result(executed("v_add_f16_e32 v0, v0, v2", values), "v0", 32) == 0xABCD4200
    assert result(executed("v_fmac_f16_e32 v0, v0, v2", values, keeps=False), "v0", 32) == 0xABCD4200
    for text, place in (("s_add_f16 s2, s2, s3", "s2"), ("v_cvt_i16_f16_e32 v2, v0", "v2")):
        after = executed(text, values, keeps=False)
        assert isinstance(result(after, place, 16), int)
        assert not isinstance(after.settled(after.value(place), 32), Constant)


def test_scalar_pairs_since_gfx12_are_not_known() -> None:
    with pytest.raises(OperandError, match=re.escape("'s[2:3]' as a pair of numbers")):
        executed("v_pk_add_f32 v[8:9], v[0:1], s[2:3]", GIVEN)
    after = executed("v_pk_add_f32 v[8:9], v[0:1], s[2:3]", GIVEN, keeps=False)
    assert result(after, "v[8:9]", 64) == 0x40E00000_40800000


@pytest.mark.parametrize(("text", "given", "exact"), [
    ("v_rcp_f32_e32 v9, v0", 0x40400000, 0x3EAAAAAB),
    ("v_rcp_iflag_f32_e64 v9, -v0", 0x40000000, 0xBF000000),
    ("v_s_rcp_f32 s9, s0", 0x42280000, 0x3CC30C31),
])  # fmt: skip
def test_a_reciprocal_is_near_the_nearest_number(text: str, given: int, exact: int) -> None:
    values = {"v0": given, "s0": given}
    place = text.partition(" ")[2].partition(",")[0]
    for ulps in (0, 1, -1):
        assert result(
            executed(text, values, near={given if "-" not in text else given | 1 << 31: ulps}), place, 32
        ) == (exact + ulps)
    with pytest.raises(OperandError, match="takes what memory decides"):
        executed(text, {})


def test_a_reason_to_refuse_is_one_for_every_instruction() -> None:
    for text in ("v_add_f32_e32 v9, v0, v1", "s_cmp_lt_f32 s0, s1", "v_cvt_f32_i32_e32 v9, v0",
                 "v_cvt_f32_ubyte0_e32 v9, v0", "v_pk_add_f16 v9, v4, v5", "v_pk_add_f32 v[8:9], v[0:1], v[2:3]",
                 "v_cvt_f16_f32_e32 v9, v0"):  # fmt: skip
        with pytest.raises(OperandError, match="for a reason"):
            executed(text, GIVEN, refused="for a reason")
    assert result(executed("v_cndmask_b32_e64 v9, v0, -v1, vcc", GIVEN, refused="for a reason"), "v9", 32) == 0xC0000000


# ---------------------------------------------------------------- whole kernels


def recorded(name: str) -> str:
    return read()[name, "", FLOATS, "llc"]


def verdict(name: str, text: str) -> str:
    source = CodeSource(("floats.s", text))
    return verify(parse_file(ROOT / FLOATS), name, exploration=VERDICT_ALONE, code=source).verdict


@pytest.mark.parametrize("name", some(TARGETS, of=2))
def test_a_wrong_instruction_is_unsound(name: str) -> None:
    """What llc made is sound; with another sum, product or comparison in it, it is not."""
    text = recorded(name)
    assert verdict(name, text) == "sound"
    for old, new in (
        ("_add_f64", "_mul_f64"),
        ("v_pk_mul_f16", "v_pk_add_f16"),
        (r"([vs])_cmp_n?(?:lt|gt|le|ge)_f32", r"\1_cmp_eq_f32"),
    ):
        assert re.search(old, text), old
        assert verdict(name, re.sub(old, new, text)) == "unsound", (old, new)


SUMS = "tests/assembly/Sums.litmus"


@pytest.mark.parametrize("name", some(TARGETS))
def test_updates_in_loops_and_by_one_instruction(name: str) -> None:
    """What llc made is sound; with another update, or another sum in a loop of cmpxchg, it is not."""
    text, test = read()[name, "", SUMS, "llc"], parse_file(ROOT / SUMS)
    changes = [("global_atomic_add_f32", "global_atomic_add_u32"), ("v_sub_f32", "v_add_f32"),
               (r"v_min(_num)?_f64", "v_max_f64"), (r"global_atomic_min(_num)?_f64", r"global_atomic_max\1_f64"),
               ("v_add_f32", "v_sub_f32")]  # fmt: skip
    assert verify(test, name, exploration=VERDICT_ALONE, code=CodeSource(("sums.s", text))).verdict == "sound"
    changed = [(old, new) for old, new in changes if re.search(old, text)]
    assert len(changed) >= 2
    for old, new in changed:
        found = verify(test, name, exploration=VERDICT_ALONE, code=CodeSource(("sums.s", re.sub(old, new, text))))
        assert found.verdict == "unsound", (old, new)


UPDATE = """litmus Update
global {type} x = {old}
thread P0 {{
  r0 = atomicrmw {update} x, {name} {operand} syncscope("agent") monotonic
}}
observe x
"""
UNKNOWN = [
    ("gfx942", "fadd", "0x00000001", "0x00000003", "what global_atomic_add_f32 makes of a denormal number"),
    ("gfx942", "fadd", "0x00800001", "0x80800000", "what global_atomic_add_f32 makes of a denormal number"),
    ("gfx1200", "fmax", "0x7FC00000", "1.0", "what global_atomic_max_num_f32 makes of a NaN or a denormal number"),
    ("gfx1030", "fmin", "0x00000001", "1.0", "what global_atomic_fmin makes of a NaN or a denormal number"),
    ("gfx942", "fadd", "0x7FC00000", "1.0", ""),
    ("gfx942", "fadd", "0x00000000", "-1.0", ""),
    ("gfx942", "fsub", "0x00000001", "0x00000003", ""),
    ("gfx1200", "fmax", "0x7F800000", "1.0", ""),
]


@pytest.mark.skipif(shutil.which("llc-22") is None, reason="there is no llc-22")
@pytest.mark.parametrize(("name", "update", "old", "operand", "said"), UNKNOWN)
def test_what_updates_make_of_denormals_is_not_known(name: str, update: str, old: str, operand: str, said: str) -> None:
    """Of one instruction; a loop computes as the wave does. What is a NaN anyway is undef."""
    test = parse(UPDATE.format(type="i32", old=old, update=update, name="float", operand=operand))
    program, _ = compiled(test, target(name, "", "llvm-22"), "llc-22")
    found = verified(program, test, target(name, "", "llvm-22"))
    assert (found.verdict, any(said in reason for reason in found.incomplete)) == (
        ("unknown", True) if said else ("sound", False)
    )


MODES = [
    (r"(\.amdhsa_float_denorm_mode_32) 3", r"\1 0", "denormals kept: '.amdhsa_float_denorm_mode_32 0' is not known"),
    (r"(\.amdhsa_float_denorm_mode_16_64) 3", r"\1 1", "'.amdhsa_float_denorm_mode_16_64 1' is not known"),
    (r"(\.amdhsa_float_round_mode_32) 0", r"\1 3", "'.amdhsa_float_round_mode_32 3' is not known"),
    (r"\.amdhsa_float_round_mode_16_64 0", "", "the file does not say '.amdhsa_float_round_mode_16_64'"),
    (r"(\.amdhsa_fp16_overflow) 0", r"\1 1", "'.amdhsa_fp16_overflow 1' is not known"),
    (r"(P1:)", r"\1\n\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3", "changes how numbers are computed"),
    (r"(P1:)", r"\1\n\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0", "changes how numbers are computed"),
    (r"(P1:)", r"\1\n\ts_setreg_b32 hwreg(HW_REG_MODE, 6, 2), s8", "changes how numbers are computed"),
    (r"(P1:)", r"\1\n\ts_denorm_mode 0", "unknown instruction 's_denorm_mode'"),
]


@pytest.mark.parametrize(("old", "new", "said"), MODES)
def test_other_modes_are_refused(old: str, new: str, said: str) -> None:
    text = recorded("gfx942")
    assert re.search(old, text)
    with pytest.raises(InputError) as raised:
        verdict("gfx942", re.sub(old, new, text))
    assert said in raised.value.diagnostics[0].message


@pytest.mark.parametrize("set_to", ["0, 4), 0", "4, 4), 15", "0, 8), 0xf0", "8, 2), 0"])
def test_modes_that_compute_the_same_are_not(set_to: str) -> None:
    """The usual rounding and denormals; and the two bits that are about NaNs alone."""
    line = f"\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, {set_to}"
    assert verdict("gfx942", recorded("gfx942").replace("P1:", f"P1:\n{line}")) == "sound"


def test_floating_point_of_the_first_families_is_refused() -> None:
    text = recorded("gfx942").replace("gfx942", "gfx803")
    with pytest.raises(InputError, match="arithmetic of floating point is not known of gfx7"):
        verify(parse_file(ROOT / FLOATS), "gfx803", exploration=VERDICT_ALONE, code=CodeSource(("floats.s", text)))


@pytest.mark.skipif(shutil.which("llc-22") is None, reason="there is no llc-22")
@pytest.mark.parametrize("seed", parts(200, of=24))
def test_what_llc_makes_of_random_numbers(seed: int) -> None:
    """On each target in turn one outcome, and it is that of the language."""
    where = target(TARGETS[seed % len(TARGETS)], "", "llvm-22")
    test = parse(floats(seed))
    program, _ = compiled(test, where, "llc-22")
    found = verified(program, test, where)
    assert (found.verdict, len(found.found)) == ("sound", 1), (where.name, floats(seed))
