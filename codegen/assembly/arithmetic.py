"""Instructions that compute: what each puts where.

What goes in: registers and a line. What comes out: the registers that change, with their values; None if the mnemonic
is no such instruction. Nothing here touches memory. Known is what compilers make of addresses, conditions and results.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from axmem.codegen.assembly.registers import OperandError, Registers, integer
from axmem.codegen.assembly.text import AssemblyLine
from axmem.codegen.assembly.values import computed, joined, number, sliced
from axmem.encoder.values import Constant, Expr

Write = tuple[str, Expr, int]
"""A destination operand, its value, its bits; 1 bit is a lane mask or scc."""
Rule = Callable[[Registers, tuple[str, ...], re.Match[str]], list[Write]]

_BINARY = {"add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor", "mul": "mul", "mul_lo": "mul",
           "lshl": "shl", "lshr": "lshr", "ashr": "ashr", "max": "max", "min": "min"}  # fmt: skip
_COMPARE = {"eq": "eq", "lg": "ne", "ne": "ne", "gt": "gt", "ge": "ge", "lt": "lt", "le": "le"}
_SHIFTS = frozenset({"shl", "lshr", "ashr"})


def _bits(kind: str) -> int:
    return int(kind[1:])


def operation(name: str, bits: int, a: Expr, b: Expr, kind: str, *, widths: dict[int, int] | None = None) -> Expr:
    """Return an operation as the hardware does it: shifts take their amount modulo the width.

    Given the widths of reads, a mask of low bits is what it leaves, so that what it masks off need not be known.
    """
    if name in _SHIFTS:
        b = computed("and", 32, b, Constant(bits - 1))
    if name == "and" and widths is not None:
        for value, mask in ((a, number(b)), (b, number(a))):
            if mask and mask & (mask + 1) == 0 and mask.bit_length() < bits:
                return computed("zext", bits, sliced(value, 0, mask.bit_length(), widths))
    if name in ("max", "min"):
        return computed(name if kind[0] == "i" else f"u{name}", bits, a, b)
    return computed(name, bits, a, b)


def comparison(word: str, kind: str, a: Expr, b: Expr) -> Expr:
    """Return a comparison as a truth value."""
    name = _COMPARE[word]
    if name in ("eq", "ne"):
        return computed(name, 1, a, b)
    signed = kind[0] == "i"
    return computed(f"{'s' if signed else 'u'}{name}", 1, a, b, parameters=(_bits(kind),) if signed else ())


def _move(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = _bits(m["kind"])
    value = r.value(o[1], bits)
    return [(o[0], computed("xor", bits, value, Constant((1 << bits) - 1)) if m["op"] == "not" else value, bits)]


def _scalar_not(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    (write,) = _move(r, o, m)
    return [write, ("scc", computed("ne", 1, write[1], Constant(0)), 1)]


def _movk(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    value = integer(o[1]) & 0xFFFF
    return [(o[0], Constant(value | (0xFFFF0000 if value & 0x8000 else 0)), 32)]


def _scalar_binary(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = _bits(m["kind"])
    name = _BINARY[m["op"]]
    a, b = r.value(o[1], bits), r.value(o[2], 32 if name in _SHIFTS else bits)
    result = operation(name, bits, a, b, m["kind"], widths=r.widths)
    writes: list[Write] = [(o[0], result, bits)]
    if name in ("add", "sub") and bits == 32:
        carry = computed("ult", 1, *((result, a) if name == "add" else (a, b)))
        writes.append(("scc", carry if m["kind"] == "u32" else r.entry(f"the overflow of {m[0]}"), 1))
    elif name not in ("mul", "max", "min", "add", "sub"):
        writes.append(("scc", computed("ne", 1, result, Constant(0)), 1))
    elif name in ("max", "min"):
        writes.append(("scc", computed("eq", 1, result, a), 1))
    return writes


def _scalar_inverted(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_andn2, s_orn2 and their later names; s_nand, s_nor, s_xnor."""
    bits = _bits(m["kind"])
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
    bits = _bits(m["kind"])
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
    a, b = r.value(o[1]), r.value(o[2])
    carry = computed("zext", 32, r.value("scc", 1))
    half = computed("add", 32, a, b)
    total = computed("add", 32, half, carry)
    out = computed("or", 1, computed("ult", 1, half, a), computed("ult", 1, total, half))
    return [(o[0], total, 32), ("scc", out, 1)]


def _scalar_compare(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = _bits(m["kind"])
    return [("scc", comparison(m["op"], m["kind"], r.value(o[0], bits), r.value(o[1], bits)), 1)]


def _bit_compare(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = _bits(m["kind"])
    one = computed("and", bits, computed("lshr", bits, r.value(o[0], bits), r.value(o[1])), Constant(1))
    return [("scc", computed("eq", 1, one, Constant(int(m["op"]))), 1)]


def _scalar_select(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = _bits(m["kind"])
    return [(o[0], computed("select", bits, r.value("scc", 1), r.value(o[1], bits), r.value(o[2], bits)), bits)]


def _extended(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    low = sliced(r.value(o[1]), 0, int(m["from"]), r.widths)
    return [(o[0], computed("sext", 32, low, parameters=(int(m["from"]),)), 32)]


def _vector_binary(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = _bits(m["kind"])
    name = _BINARY[m["op"]]
    first, second = (o[2], o[1]) if m["rev"] else (o[1], o[2])
    a = r.value(first, bits)
    b = r.value(second, 32 if name in _SHIFTS else bits)
    return [(o[0], operation(name, bits, a, b, m["kind"], widths=r.widths), bits)]


def _carry_out(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_add_co_u32 d, vcc, a, b and v_addc_co_u32 d, vcc, a, b, vcc; before GFX9 v_add_u32 had the carry, too."""
    a, b = r.value(o[2]), r.value(o[3])
    name = "sub" if m["op"].startswith("sub") else "add"
    if m["op"].startswith("subrev"):
        a, b = b, a
    half = computed(name, 32, a, b)
    out = computed("ult", 1, *((half, a) if name == "add" else (a, b)))
    if len(o) == 5:
        carry = computed("zext", 32, r.mask(o[4]))
        total = computed(name, 32, half, carry)
        more = computed("ult", 1, *((total, half) if name == "add" else (half, carry)))
        half, out = total, computed("or", 1, out, more)
    return [(o[0], half, 32), (o[1], out, 1)]


def _three(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_lshl_add_u32 d, a, b, c is (a << b) + c; v_and_or_b32, v_add3_u32, … likewise."""
    bits = _bits(m["kind"])
    first, second = {"lshl_add": ("shl", "add"), "add_lshl": ("add", "shl"), "lshl_or": ("shl", "or"),
                     "and_or": ("and", "or"), "add3": ("add", "add"), "or3": ("or", "or"), "xor3": ("xor", "xor"),
                     "xad": ("xor", "add")}[m["op"]]  # fmt: skip
    a = r.value(o[1], bits)
    b = r.value(o[2], 32 if first == "shl" else bits)
    c = r.value(o[3], 32 if second == "shl" else bits)
    return [(o[0], operation(second, bits, operation(first, bits, a, b, "u32"), c, "u32"), bits)]


def _multiply_add(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_mad_u64_u32 d, vcc, a, b, c (and v_mad_nc_u64_u32 d, a, b, c)."""
    how = "sext" if m["kind"][0] == "i" else "zext"
    rest = o[2:] if len(o) == 5 else o[1:]
    parameters = (32,) if how == "sext" else ()
    a, b = (computed(how, 64, r.value(x), parameters=parameters) for x in rest[:2])
    result = computed("add", 64, computed("mul", 64, a, b), r.value(rest[2], 64))
    writes: list[Write] = [(o[0], result, 64)]
    return [*writes, (o[1], r.entry("the carry of v_mad"), 1)] if len(o) == 5 else writes


def _vector_compare(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = _bits(m["kind"])
    place = "exec" if m["x"] else o[0]
    first, second = (o[-2], o[-1])
    truth = comparison(m["op"], m["kind"], r.value(first, bits), r.value(second, bits))
    return [(place, truth, 1)]


def _selected_compare(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_cmp_ne_u32_sdwa d, a, b src0_sel:WORD_0 src1_sel:DWORD compares parts of registers."""
    chosen = dict(bit.split(":") for bit in r.bits)
    a, b = (_part(r, o[-2 + index], chosen.get(f"src{index}_sel", "DWORD"), _bits(m["kind"])) for index in (0, 1))
    return [(o[0], comparison(m["op"], m["kind"], a, b), 1)]


def _part(r: Registers, operand: str, chosen: str, bits: int) -> Expr:
    """Return the byte or word of a register that sub-dword addressing selects, with zeros above it or its sign."""
    sign = re.fullmatch(r"sext\((.*)\)", operand)
    match = re.fullmatch(r"(BYTE|WORD)_([0-3])", chosen)
    if chosen == "DWORD":
        if sign:
            raise OperandError(f"the sign of a whole dword in '{operand}'")
        return r.value(operand, bits)
    if not match:
        raise OperandError(f"unknown selection '{chosen}'")
    size = 8 if match[1] == "BYTE" else 16
    cut = sliced(r.value(sign[1] if sign else operand), size * int(match[2]), size, r.widths)
    return computed("sext", bits, cut, parameters=(size,)) if sign else computed("zext", bits, cut)


def _vector_select(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    bits = _bits(m["kind"])
    mask = r.mask(o[3] if len(o) > 3 else "vcc_lo")
    return [(o[0], computed("select", bits, mask, r.value(o[2], bits), r.value(o[1], bits)), bits)]


def _field(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_bfe_u32 d, a, offset, width with constants."""
    value, low, size = r.value(o[1]), r.value(o[2]), r.value(o[3])
    if not (isinstance(low, Constant) and isinstance(size, Constant)):
        raise OperandError("a bit field whose place is not constant")
    start, count = int(low.value) & 31, int(size.value) & 31  # type: ignore[arg-type]
    if not count:
        return [(o[0], Constant(0), 32)]
    cut = sliced(value, start, min(count, 32 - start), r.widths)
    if m["kind"] == "i32":
        return [(o[0], computed("sext", 32, cut, parameters=(count,)), 32)]
    return [(o[0], computed("zext", 32, cut), 32)]


def _scalar_field(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_bfe_u32 d, a, b takes the bits of a from b[4:0] on, as many as b[22:16] says."""
    place = integer(o[2])
    start, count = place & 31, place >> 16 & 127
    cut = sliced(r.value(o[1]), start, min(count, 32 - start), r.widths)
    result = computed("zext", 32, cut) if count else Constant(0)
    return [(o[0], result, 32), ("scc", computed("ne", 1, result, Constant(0)), 1)]


def _packed(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_perm_b32 with the selector that puts two halves side by side; v_pack_b32_f16; s_pack_ll_b32_b16."""
    low, high = (sliced(r.value(x), 0, 16, r.widths) for x in o[1:3])
    return [(o[0], joined((low, high), (16, 16), r.widths), 32)]


def _insert(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_bfi_b32 d, mask, a, b takes a where the mask has ones, and b elsewhere."""
    mask, a, b = (r.value(x) for x in o[1:4])
    chosen = computed("and", 32, a, mask)
    kept = computed("and", 32, b, computed("xor", 32, mask, Constant(0xFFFFFFFF)))
    return [(o[0], computed("or", 32, chosen, kept), 32)]


def _short_multiply(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_mad_u32_u24 d, a, b, c and v_mul_u32_u24 d, a, b: products of the low 24 bits."""
    a, b = (computed("and", 32, r.value(x), Constant(0xFFFFFF)) for x in o[1:3])
    product = computed("mul", 32, a, b)
    return [(o[0], computed("add", 32, product, r.value(o[3])) if len(o) > 3 else product, 32)]


def _any_truth_table(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_bitop3_b32 d, a, b, c bitop3:T has bit T[4a + 2b + c] at each bit."""
    table = integer(next((x for x in r.bits if x.startswith("bitop3:")), "bitop3:0").partition(":")[2])
    ones = Constant(0xFFFFFFFF)
    inputs = [r.value(x) for x in o[1:4]]
    total: Expr = Constant(0)
    for row in range(8):
        if table >> row & 1:
            term: Expr = ones
            for value, bit in zip(inputs, (4, 2, 1), strict=True):
                term = computed("and", 32, term, value if row & bit else computed("xor", 32, value, ones))
            total = computed("or", 32, total, term)
    return [(o[0], total, 32)]


def _packed_move(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_pk_mov_b32 d, a, b op_sel:[i,j] takes dword i of a and dword j of b."""
    chosen = re.search(r"op_sel:\[([01]),([01])\]", " ".join(r.bits))
    first, second = (int(chosen[1]), int(chosen[2])) if chosen else (0, 0)
    low, high = r.value(o[1], 64), r.value(o[2], 64)
    parts = (sliced(low, 32 * first, 32, r.widths), sliced(high, 32 * second, 32, r.widths))
    return [(o[0], joined(parts, (32, 32), r.widths), 64)]


def _copied(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    return [(o[0], r.value(o[1]), 32)]


_KIND = r"(?P<kind>[uib](?:16|32|64))"
_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        (rf"s_(?P<op>mov)_{_KIND}$", _move),
        (rf"s_(?P<op>not)_{_KIND}$", _scalar_not),
        (r"s_movk_i32$", _movk),
        (rf"s_(?P<op>and|or|xor|andn2|and_not1|andn1|and_not0)_saveexec_{_KIND}$", _save_mask),
        (r"s_(?P<op>add|sub)_co_(?P<kind>[ui]32)$", _scalar_binary),
        (r"s_(addc_u32|add_co_ci_u32)$", _carry_in),
        (rf"s_(?P<op>add|sub|and|or|xor|mul|lshl|lshr|ashr|max|min)_{_KIND}$", _scalar_binary),
        (r"s_(?P<op>add|sub)_nc_(?P<kind>u64)$", _scalar_binary),
        (rf"s_(?P<op>andn2|orn2|and_not1|or_not1|nand|nor|xnor)_{_KIND}$", _scalar_inverted),
        (rf"s_cmpk?_(?P<op>eq|lg|gt|ge|lt|le)_{_KIND}$", _scalar_compare),
        (rf"s_bitcmp(?P<op>[01])_{_KIND}$", _bit_compare),
        (rf"s_cselect_{_KIND}$", _scalar_select),
        (r"s_sext_i32_i(?P<from>8|16)$", _extended),
        (r"s_pack_ll_b32_b16$", _packed),
        (rf"v_(?:dual_)?(?P<op>mov|not)_{_KIND}$", _move),
        (r"v_(accvgpr_read|accvgpr_write|readfirstlane)(_b32)?$", _copied),
        (rf"v_(?:dual_)?(?P<op>add|sub|and|or|xor|mul_lo|lshl|lshr|ashr|max|min)(?P<rev>rev)?(_nc)?_{_KIND}$",
         _vector_binary),
        (r"v_(?P<op>add|sub|subrev|addc|subb|subbrev)_co(_ci)?_u32$", _carry_out),
        (rf"v_(?P<op>lshl_add|add_lshl|lshl_or|and_or|add3|or3|xor3|xad)_{_KIND}$", _three),
        (r"v_mad(_co|_nc)?_(?P<kind>[ui]64)_[ui]32$", _multiply_add),
        (rf"v_cmp(?P<x>x)?_(?P<op>eq|ne|lg|gt|ge|lt|le)_{_KIND}$", _vector_compare),
        (rf"v_cmp_(?P<op>eq|ne|lg|gt|ge|lt|le)_{_KIND}_sdwa$", _selected_compare),
        (rf"v_(?:dual_)?cndmask_{_KIND}$", _vector_select),
        (r"v_bfi_b32$", _insert),
        (r"v_(mad|mul)_u32_u24$", _short_multiply),
        (r"v_bitop3_b32$", _any_truth_table),
        (r"v_pk_mov_b32$", _packed_move),
        (r"v_bfe_(?P<kind>[ui]32)$", _field),
        (r"s_bfe_u32$", _scalar_field),
    )
)  # fmt: skip


def arithmetic(registers: Registers, line: AssemblyLine) -> list[Write] | None:
    """Return what an instruction changes, or None if it does not compute. Raises OperandError."""
    name = re.sub(r"_e(32|64)$", "", line.mnemonic)
    operands = line.operands
    if re.fullmatch(r"v_(add|sub|subrev)_[ui]32", name) and len(operands) == 4:
        name = re.sub("_[ui]32", "_co_u32", name)
    if re.fullmatch(r"v_(addc|subb|subbrev)_u32", name):
        name = name.replace("_u32", "_co_u32")
    for pattern, rule in _RULES:
        match = pattern.match(name)
        if match:
            try:
                registers.bits = line.bits
                return rule(registers, operands, match)
            except IndexError:
                raise OperandError(f"'{line.mnemonic}' has too few operands") from None
    return None
