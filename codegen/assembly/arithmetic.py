"""Instructions that compute: what each puts where.

What goes in: registers, operands and the match of a mnemonic in `RULES`. What comes out: the registers that change,
with their values. Nothing here touches memory. Known is what compilers make of addresses, conditions and results.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from axmem.codegen.assembly.registers import Registers, integer, signs
from axmem.codegen.assembly.values import computed, signed, sliced
from axmem.events.values import Constant, Expr

Write = tuple[str, Expr, int]
"""A destination operand, its value, its bits; 1 bit is a lane mask or scc."""
Rule = Callable[[Registers, tuple[str, ...], re.Match[str]], list[Write]]

_BINARY = {"add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor", "mul": "mul", "mul_lo": "mul",
           "lshl": "shl", "lshr": "lshr", "ashr": "ashr", "max": "max", "min": "min"}  # fmt: skip
_COMPARE = {"eq": "eq", "lg": "ne", "ne": "ne", "gt": "gt", "ge": "ge", "lt": "lt", "le": "le"}
_SHIFTS = frozenset({"shl", "lshr", "ashr"})


def bits_of(kind: str) -> int:
    """Return how many bits a kind of operand has, as in `u32`."""
    return int(kind[1:])


def operation(name: str, bits: int, a: Expr, b: Expr, kind: str) -> Expr:
    """Return an operation as the hardware does it: shifts take their amount modulo the width."""
    if name in _SHIFTS:
        b = computed("and", 32, b, Constant(bits - 1))
    if name in ("max", "min"):
        return computed(name if kind[0] == "i" else f"u{name}", bits, a, b)
    return computed(name, bits, a, b)


def comparison(word: str, kind: str, a: Expr, b: Expr) -> Expr:
    """Return a comparison as a truth value."""
    name = _COMPARE[word]
    if name in ("eq", "ne"):
        return computed(name, 1, a, b)
    signed = kind[0] == "i"
    return computed(f"{'s' if signed else 'u'}{name}", 1, a, b, parameters=(bits_of(kind),) if signed else ())


def _move(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = bits_of(m["kind"])
    value = r.value(o[1], bits)
    return [(o[0], computed("xor", bits, value, Constant((1 << bits) - 1)) if m["op"] == "not" else value, bits)]


def _scalar_not(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    (write,) = _move(r, o, m)
    return [write, ("scc", computed("ne", 1, write[1], Constant(0)), 1)]


def _movk(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    value = integer(o[1]) & 0xFFFF
    return [(o[0], Constant(value | (0xFFFF0000 if value & 0x8000 else 0)), 32)]


def _short(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_addk_i32 d, n and s_mulk_i32 d, n change d by a number of 16 bits with a sign."""
    ((_, number_of, _),) = _movk(r, o, m)
    writes: list[Write] = [(o[0], computed(m["op"], 32, r.value(o[0]), number_of), 32)]
    return [*writes, ("scc", r.entry(f"the overflow of {m[0]}"), 1)] if m["op"] == "add" else writes


def _scalar_binary(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = bits_of(m["kind"])
    name = _BINARY[m["op"]]
    a, b = r.value(o[1], bits), r.value(o[2], 32 if name in _SHIFTS else bits)
    result = operation(name, bits, a, b, m["kind"])
    writes: list[Write] = [(o[0], result, bits)]
    if name in ("add", "sub") and bits == 32:
        _, carry = _with_carry(name, bits, a, b)
        writes.append(("scc", carry if m["kind"] == "u32" else r.entry(f"the overflow of {m[0]}"), 1))
    elif name not in ("mul", "max", "min", "add", "sub"):
        writes.append(("scc", computed("ne", 1, result, Constant(0)), 1))
    elif name in ("max", "min"):
        writes.append(("scc", computed("eq", 1, result, a), 1))
    return writes


def _scalar_inverted(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_andn2, s_orn2 and their later names; s_nand, s_nor, s_xnor."""
    bits = bits_of(m["kind"])
    ones = Constant((1 << bits) - 1)
    a, b = r.value(o[1], bits), r.value(o[2], bits)
    plain = {"andn2": "and", "and_not1": "and", "orn2": "or", "or_not1": "or"}.get(m["op"])
    if plain:
        result = computed(plain, bits, a, computed("xor", bits, b, ones))
    else:
        inner = {"nand": "and", "nor": "or", "xnor": "xor"}[m["op"]]
        result = computed("xor", bits, computed(inner, bits, a, b), ones)
    return [(o[0], result, bits), ("scc", computed("ne", 1, result, Constant(0)), 1)]


def _save_mask(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_and_saveexec_b64 d, a puts exec into d and a & exec into exec."""
    bits = bits_of(m["kind"])
    ones = Constant((1 << bits) - 1)
    execute = "exec" if bits == 64 else "exec_lo"
    old, mask = r.value(execute, bits), r.value(o[1], bits)
    word = m["op"]
    if word in ("andn2", "and_not1"):
        new = computed("and", bits, mask, computed("xor", bits, old, ones))
    elif word in ("andn1", "and_not0"):
        new = computed("and", bits, computed("xor", bits, mask, ones), old)
    else:
        new = computed(word, bits, mask, old)
    return [(o[0], old, bits), (execute, new, bits), ("scc", computed("ne", 1, new, Constant(0)), 1)]


def _carry_in(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_addc_u32 d, a, b and s_subb_u32 d, a, b take the carry from scc, and leave theirs there."""
    total, out = _carried(m["op"], r.value(o[1]), r.value(o[2]), r.value("scc", 1))
    return [(o[0], total, 32), ("scc", out, 1)]


def _carried(name: str, a: Expr, b: Expr, carry: Expr | None = None) -> tuple[Expr, Expr]:
    """Return a + b + carry or a - b - carry, and its carry."""
    half, out = _with_carry(name, 32, a, b)
    if carry is None:
        return half, out
    total, more = _with_carry(name, 32, half, computed("zext", 32, carry))
    return total, computed("or", 1, out, more)


def _with_carry(name: str, bits: int, a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Return a + b or a - b, and its carry."""
    result = computed(name, bits, a, b)
    return result, computed("ult", 1, *((result, a) if name == "add" else (a, b)))


def _scalar_compare(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = bits_of(m["kind"])
    return [("scc", comparison(m["op"], m["kind"], r.value(o[0], bits), r.value(o[1], bits)), 1)]


def _bit_compare(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = bits_of(m["kind"])
    one = computed("and", bits, computed("lshr", bits, r.value(o[0], bits), r.value(o[1])), Constant(1))
    return [("scc", computed("eq", 1, one, Constant(int(m["op"]))), 1)]


def _scalar_select(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = bits_of(m["kind"])
    return [(o[0], computed("select", bits, r.value("scc", 1), r.value(o[1], bits), r.value(o[2], bits)), bits)]


def _extended(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    low = sliced(r.value(o[1]), 0, int(m["from"]), r.widths)
    return [(o[0], computed("sext", 32, low, parameters=(int(m["from"]),)), 32)]


def _vector_binary(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = bits_of(m["kind"])
    name = _BINARY[m["op"]]
    first, second = (o[2], o[1]) if m["rev"] else (o[1], o[2])
    a = r.value(first, bits)
    b = r.value(second, 32 if name in _SHIFTS else bits)
    if "clamp" in r.bits:
        return [(o[0], _saturated(name, bits, a, b), bits)]
    return [(o[0], operation(name, bits, a, b, m["kind"]), bits)]


def _saturated(name: str, bits: int, a: Expr, b: Expr) -> Expr:
    """Return an unsigned sum or difference, or the number that is next to it."""
    result, over = _with_carry(name, bits, a, b)
    return computed("select", bits, over, Constant((1 << bits) - 1 if name == "add" else 0), result)


def _carry_out(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_add_co_u32 d, vcc, a, b and v_addc_co_u32 d, vcc, a, b, vcc; before GFX9 v_add_u32 had the carry, too."""
    a, b = r.value(o[2]), r.value(o[3])
    name = "sub" if m["op"].startswith("sub") else "add"
    if m["op"].startswith("subrev"):
        a, b = b, a
    if "clamp" in r.bits:
        return [(o[0], _saturated(name, 32, a, b), 32), (o[1], r.entry(f"the carry of {m[0]} that is saturated"), 1)]
    total, out = _carried(name, a, b, r.mask(o[4]) if len(o) == 5 else None)
    return [(o[0], total, 32), (o[1], out, 1)]


def _three(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_lshl_add_u32 d, a, b, c is (a << b) + c; v_and_or_b32, v_add3_u32, … likewise.

    v_mad_u16 leaves the upper half of its register as it was on GFX9, too, where v_mad_legacy_u16 puts 0 there.
    """
    bits = bits_of(m["kind"])
    first, second = {"lshl_add": ("shl", "add"), "add_lshl": ("add", "shl"), "lshl_or": ("shl", "or"),
                     "and_or": ("and", "or"), "add3": ("add", "add"), "or3": ("or", "or"), "xor3": ("xor", "xor"),
                     "xad": ("xor", "add"), "mad": ("mul", "add")}[m["op"]]  # fmt: skip
    a = r.value(o[1], bits)
    b = r.value(o[2], 32 if first == "shl" else bits)
    c = r.value(o[3], 32 if second == "shl" else bits)
    place = f"{o[0]}.l" if m[0] in ("v_mad_u16", "v_mad_i16") and o[0][-2:] not in (".l", ".h") else o[0]
    return [(place, operation(second, bits, operation(first, bits, a, b, "u32"), c, "u32"), bits)]


def _multiply_add(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_mad_u64_u32 d, vcc, a, b, c (and v_mad_nc_u64_u32 d, a, b, c)."""
    how = "sext" if m["kind"][0] == "i" else "zext"
    rest = o[2:] if len(o) == 5 else o[1:]
    parameters = (32,) if how == "sext" else ()
    a, b = (computed(how, 64, r.value(x), parameters=parameters) for x in rest[:2])
    result = computed("add", 64, computed("mul", 64, a, b), r.value(rest[2], 64))
    writes: list[Write] = [(o[0], result, 64)]
    return [*writes, (o[1], r.entry("the carry of v_mad"), 1)] if len(o) == 5 else writes


def _high_product(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_mul_hi_u32 d, a, b and v_mul_hi_i32 d, a, b: the upper half of a product of 64 bits."""
    how, parameters = ("sext", (32,)) if m["kind"][0] == "i" else ("zext", ())
    a, b = (computed(how, 64, r.value(x), parameters=parameters) for x in o[1:3])
    return [(o[0], sliced(computed("mul", 64, a, b), 32, 32, r.widths), 32)]


def _vector_compare(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = bits_of(m["kind"])
    first, second = (o[-2], o[-1])
    return compared(o, m, comparison(m["op"], m["kind"], r.value(first, bits), r.value(second, bits)))


def compared(o: tuple[str, ...], m: re.Match[str], truth: Expr) -> list[Write]:
    """Return where the result of a vector comparison goes: v_cmpx puts it into exec, too, since GFX10 only there."""
    places = (*o[:-2], *(["exec"] if m["x"] else []))
    return [(place, truth, 1) for place in places]


def _vector_select(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_cndmask_b32 d, a, -b, mask: signs are put on whatever the bits stand for."""
    bits = bits_of(m["kind"])
    mask = r.mask(o[3] if len(o) > 3 else "vcc_lo")
    values = []
    for operand in (o[2], o[1]):
        place, negated, absolute = signs(operand)
        values.append(signed(r.value(place, bits), bits, negated=negated, absolute=absolute))
    return [(o[0], computed("select", bits, mask, *values), bits)]


def _chosen_of_three(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_max3_i32 d, a, b, c and v_min3_u32 d, a, b, c."""
    bits = bits_of(m["kind"])
    a, b, c = (r.value(x, bits) for x in o[1:4])
    return [(o[0], operation(m["op"], bits, operation(m["op"], bits, a, b, m["kind"]), c, m["kind"]), bits)]


def _middle_of_three(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_med3_i32 d, a, b, c is the one of three that is neither the least nor the greatest."""
    bits, kind = bits_of(m["kind"]), m["kind"]
    a, b, c = (r.value(x, bits) for x in o[1:4])
    least, greatest = operation("min", bits, a, b, kind), operation("max", bits, a, b, kind)
    return [(o[0], operation("max", bits, least, operation("min", bits, greatest, c, kind), kind), bits)]


def _shifted_sum(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_lshl2_add_u32 d, a, b is (a << 2) + b; scc says whether that has more than 32 bits."""
    wide = computed("shl", 64, computed("zext", 64, r.value(o[1])), Constant(int(m["by"])))
    wide = computed("add", 64, wide, computed("zext", 64, r.value(o[2])))
    over = computed("ne", 1, sliced(wide, 32, 32, r.widths), Constant(0))
    return [(o[0], sliced(wide, 0, 32, r.widths), 32), ("scc", over, 1)]


def _absolute(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_abs_i32 d, a is a without its sign; of the least number that is this number again."""
    value = r.value(o[1])
    negative = computed("slt", 1, value, Constant(0), parameters=(32,))
    result = computed("select", 32, negative, computed("sub", 32, Constant(0), value), value)
    return [(o[0], result, 32), ("scc", computed("ne", 1, result, Constant(0)), 1)]


def _first_bit(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_ff1_i32_b64 d, a (later s_ctz_i32_b64; v_ffbl_b32) is which bit is the first one, s_ff0 the first zero; -1 if
    there is none."""
    bits = bits_of(m["kind"])
    value = r.value(o[1], bits)
    if m["of"] == "0":
        value = computed("xor", bits, value, Constant((1 << bits) - 1))
    result: Expr = Constant(0xFFFFFFFF)
    for index in reversed(range(bits)):
        here = computed("eq", 1, sliced(value, index, 1, r.widths), Constant(1))
        result = computed("select", 32, here, Constant(index), result)
    return [(o[0], result, 32)]


def _leading(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_ffbh_u32 d, a is how many zeros stand before the first one; v_ffbh_i32 how many bits before one that is not as
    the first; -1 if there is none. From GFX11 on they are called v_clz_i32_u32 and v_cls_i32.
    """
    value = r.value(o[1])
    if m["signed"]:
        value = computed("xor", 32, value, computed("ashr", 32, value, Constant(31)))
    left: Expr = value
    count: Expr = Constant(0)
    for step in (16, 8, 4, 2, 1):
        none = computed("ult", 1, left, Constant(1 << 32 - step))
        count = computed("add", 32, count, computed("select", 32, none, Constant(step), Constant(0)))
        left = computed("select", 32, none, computed("shl", 32, left, Constant(step)), left)
    nothing = computed("eq", 1, value, Constant(0))
    return [(o[0], computed("select", 32, nothing, Constant(0xFFFFFFFF), count), 32)]


def _short_multiply(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_mad_u32_u24 d, a, b, c and v_mul_i32_i24 d, a, b: products of the low 24 bits, perhaps with their sign."""
    how, parameters = ("sext", (24,)) if m["sign"] == "i" else ("zext", ())
    a, b = (computed(how, 32, sliced(r.value(x), 0, 24, r.widths), parameters=parameters) for x in o[1:3])
    product = computed("mul", 32, a, b)
    return [(o[0], computed("add", 32, product, r.value(o[3])) if len(o) > 3 else product, 32)]


def _copied(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    return [(o[0], r.value(o[1]), 32)]


KIND = r"(?P<kind>[uib](?:16|32|64))"
RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        (rf"s_(?P<op>mov)_{KIND}$", _move),
        (rf"s_(?P<op>not)_{KIND}$", _scalar_not),
        (r"s_movk_i32$", _movk),
        (r"s_(?P<op>add|mul)k(_co)?_i32$", _short),
        (rf"s_(?P<op>and|or|xor|andn2|and_not1|andn1|and_not0)_saveexec_{KIND}$", _save_mask),
        (r"s_(?P<op>add|sub)_co_(?P<kind>[ui]32)$", _scalar_binary),
        (r"s_(?P<op>add|sub)(c|b|_co_ci)_u32$", _carry_in),
        (rf"s_(?P<op>add|sub|and|or|xor|mul|lshl|lshr|ashr|max|min)_{KIND}$", _scalar_binary),
        (r"s_(?P<op>add|sub)_nc_(?P<kind>u64)$", _scalar_binary),
        (rf"s_(?P<op>andn2|orn2|and_not1|or_not1|nand|nor|xnor)_{KIND}$", _scalar_inverted),
        (rf"s_cmpk?_(?P<op>eq|lg|gt|ge|lt|le)_{KIND}$", _scalar_compare),
        (rf"s_bitcmp(?P<op>[01])_{KIND}$", _bit_compare),
        (rf"s_cselect_{KIND}$", _scalar_select),
        (r"s_sext_i32_i(?P<from>8|16)$", _extended),
        (rf"v_(?:dual_)?(?P<op>mov|not)_{KIND}$", _move),
        (r"v_accvgpr_(read|write)(_b32)?$", _copied),
        (rf"v_(?:dual_)?(?P<op>add|sub|and|or|xor|mul_lo|lshl|lshr|ashr|max|min)(?P<rev>rev)?(_nc)?_{KIND}$",
         _vector_binary),
        (r"v_(?P<op>mul)(?P<rev>rev)?_(?P<kind>u64)$", _vector_binary),
        (r"v_(?P<op>add|sub|subrev|addc|subb|subbrev)_co(_ci)?_u32$", _carry_out),
        (rf"v_(?P<op>lshl_add|add_lshl|lshl_or|and_or|add3|or3|xor3|xad)_{KIND}$", _three),
        (r"v_(?P<op>mad)(_legacy)?_(?P<kind>[ui]16|u32)$", _three),
        (r"v_mad(_co|_nc)?_(?P<kind>[ui]64)_[ui]32$", _multiply_add),
        (rf"v_cmp(?P<x>x)?_(?P<op>eq|ne|lg|gt|ge|lt|le)_{KIND}$", _vector_compare),
        (rf"v_(?:dual_)?cndmask_{KIND}$", _vector_select),
        (r"v_(mad|mul)_(?P<sign>[ui])32_(?P=sign)24$", _short_multiply),
        (rf"v_(?P<op>max|min)3_{KIND}$", _chosen_of_three),
        (r"s_lshl(?P<by>[1-4])_add_u32$", _shifted_sum),
        (r"s_abs_i32$", _absolute),
        (r"s_ff(?P<of>[01])_i32_(?P<kind>b(?:32|64))$", _first_bit),
        (r"(?:s_ctz_i32|v_ffbl|v_ctz_i32)(?P<of>)_(?P<kind>b(?:32|64))$", _first_bit),
        (r"[sv]_mul_hi_(?P<kind>[ui]32)$", _high_product),
        (r"v_med3_(?P<kind>[ui]32)$", _middle_of_three),
        (r"(?:s_flbit_i32_b32|v_ffbh_u32|[sv]_clz_i32_u32)(?P<signed>)$", _leading),
        (r"(?P<signed>s_flbit_i32|v_ffbh_i32|[sv]_cls_i32)$", _leading),
    )
)  # fmt: skip
