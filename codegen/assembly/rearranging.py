"""Instructions that put bits of registers elsewhere: fields, masks, halves side by side, permutations, truth tables.

What goes in: registers, operands and the match of a mnemonic. What comes out: the registers that change, with their
values, as of `arithmetic`.
"""

from __future__ import annotations

import re

from axmem.codegen.assembly.arithmetic import KIND, Rule, Write, bits_of, operation
from axmem.codegen.assembly.lanes import counted_below
from axmem.codegen.assembly.registers import OperandError, Registers, integer
from axmem.codegen.assembly.values import computed, joined, number, sliced
from axmem.events.values import Constant, Expr


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
    """s_bfe_u32 d, a, b takes the bits of a from b[4:0] on, as many as b[22:16] says; s_bfe_i32 with their sign.

    s_bfe_i64 and s_bfe_u64 do so from b[5:0] on.
    """
    bits = bits_of(m["kind"])
    place = integer(o[2])
    start, count = place & bits - 1, place >> 16 & 127
    size = min(count, bits - start)
    cut = sliced(r.value(o[1], bits), start, size, r.widths)
    signed = m["kind"][0] == "i"
    field = computed("sext", bits, cut, parameters=(size,)) if signed else computed("zext", bits, cut)
    result = field if count else Constant(0)
    return [(o[0], result, bits), ("scc", computed("ne", 1, result, Constant(0)), 1)]


def _bit_put(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_bitset1_b32 d, n puts a 1 in place n of d, s_bitset0_b32 a 0."""
    bits = bits_of(m["kind"])
    old, one = r.value(o[0], bits), operation("shl", bits, Constant(1), r.value(o[1]), "u32")
    if m["bit"] == "1":
        return [(o[0], computed("or", bits, old, one), bits)]
    return [(o[0], computed("and", bits, old, computed("xor", bits, one, Constant((1 << bits) - 1))), bits)]


def _bit_mask(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_bfm_b32 d, n, k has n ones from place k on."""
    ones = computed("sub", 32, operation("shl", 32, Constant(1), r.value(o[1]), "u32"), Constant(1))
    return [(o[0], operation("shl", 32, ones, r.value(o[2]), "u32"), 32)]


def _insert(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_bfi_b32 d, mask, a, b takes a where the mask has ones, and b elsewhere."""
    mask, a, b = (r.value(x) for x in o[1:4])
    chosen = computed("and", 32, a, mask)
    kept = computed("and", 32, b, computed("xor", 32, mask, Constant(0xFFFFFFFF)))
    return [(o[0], computed("or", 32, chosen, kept), 32)]


def _any_truth_table(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_bitop3_b32 d, a, b, c bitop3:T has bit T[4a + 2b + c] at each bit; v_bitop2_b32 has 0 for c."""
    table = integer(next((x for x in r.bits if x.startswith("bitop3:")), "bitop3:0").partition(":")[2])
    ones = Constant(0xFFFFFFFF)
    inputs = [r.value(x) for x in (*o[1:], "0")[:3]]
    total: Expr = Constant(0)
    for row in range(8):
        if table >> row & 1:
            term: Expr = ones
            for value, bit in zip(inputs, (4, 2, 1), strict=True):
                term = computed("and", 32, term, value if row & bit else computed("xor", 32, value, ones))
            total = computed("or", 32, total, term)
    return [(o[0], total, 32)]


def _packed(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_pack_lh_b32_b16 d, a, b puts the low half of a below the high half of b."""
    starts = [16 * (half == "h") for half in m["halves"]]
    parts = tuple(sliced(r.value(x), start, 16, r.widths) for x, start in zip(o[1:3], starts, strict=True))
    return [(o[0], joined(parts, (16, 16), r.widths), 32)]


def _packed_move(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_pk_mov_b32 d, a, b op_sel:[i,j] takes dword i of a and dword j of b."""
    chosen = re.search(r"op_sel:\[([01]),([01])\]", " ".join(r.bits))
    first, second = (int(chosen[1]), int(chosen[2])) if chosen else (0, 0)
    low, high = r.value(o[1], 64), r.value(o[2], 64)
    parts = (sliced(low, 32 * first, 32, r.widths), sliced(high, 32 * second, 32, r.widths))
    return [(o[0], joined(parts, (32, 32), r.widths), 64)]


def _aligned(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_alignbit_b32 d, a, b, n is the low half of (a : b) >> n; v_alignbyte_b32 has n in bytes."""
    unit = 8 if m["unit"] == "byte" else 1
    places = computed("and", 32, r.value(o[3]), Constant(32 // unit - 1))
    both = joined((r.value(o[2]), r.value(o[1])), (32, 32), r.widths)
    moved = operation("lshr", 64, both, computed("mul", 32, places, Constant(unit)), "u64")
    return [(o[0], sliced(moved, 0, 32, r.widths), 32)]


def _permuted(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_perm_b32 d, a, b, s: a byte of s names one, 0 to 3 of b, 4 to 7 of a, a sign, 0 (12), or 255 (from 13 on)."""
    selector = number(r.value(o[3]))
    if selector is None:
        raise OperandError("a permutation of bytes that is not constant")
    both = [sliced(r.value(source), 8 * index, 8, r.widths) for source in (o[2], o[1]) for index in range(4)]
    parts: list[Expr] = []
    for chosen in selector.to_bytes(4, "little"):
        if chosen < 8:
            parts.append(both[chosen])
        elif chosen < 12:
            parts.append(computed("ashr", 8, both[2 * (chosen - 8) + 1], Constant(7)))
        else:
            parts.append(Constant(0 if chosen == 12 else 255))
    return [(o[0], joined(tuple(parts), (8, 8, 8, 8), r.widths), 32)]


def _reversed(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_bfrev_b32 d, a and s_brev_b64 d, a have the bits in the other order."""
    bits = bits_of(m["kind"])
    value = r.value(o[1], bits)
    parts = tuple(sliced(value, index, 1, r.widths) for index in reversed(range(bits)))
    return [(o[0], joined(parts, (1,) * bits, r.widths), bits)]


def _counted(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """s_bcnt1_i32_b64 d, a is how many ones a has."""
    bits = bits_of(m["kind"])
    value = r.value(o[1], bits)
    known = number(value)
    result: Expr = Constant(0 if known is None else known.bit_count())
    if known is None:
        for index in range(bits):
            result = computed("add", 32, result, computed("zext", 32, sliced(value, index, 1, r.widths)))
    return [(o[0], result, 32), ("scc", computed("ne", 1, result, Constant(0)), 1)]


def _counted_and(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_bcnt_u32_b32 d, a, b is how many ones a has, and b."""
    value, result = r.value(o[1]), r.value(o[2])
    known = number(value)
    if known is not None:
        return [(o[0], computed("add", 32, result, Constant(known.bit_count())), 32)]
    for index in range(32):
        result = computed("add", 32, result, computed("zext", 32, sliced(value, index, 1, r.widths)))
    return [(o[0], result, 32)]


def _counted_before(r: Registers, o: tuple[str, ...], m: re.Match[str]) -> list[Write]:
    """v_mbcnt_lo_u32_b32 d, a, b adds to b how many ones a has below the lane; v_mbcnt_hi_u32_b32 has the bits of the
    lanes from the 33rd on."""
    count = counted_below(r, o[1], 0 if m["half"] == "lo" else 32)
    return [(o[0], computed("add", 32, r.value(o[2]), count), 32)]


RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        (r"s_pack_(?P<halves>[lh]{2})_b32_b16$", _packed),
        (r"v_bfi_b32$", _insert),
        (r"s_bcnt1_i32_(?P<kind>b(?:32|64))$", _counted),
        (r"v_bcnt_u32_b32$", _counted_and),
        (r"v_mbcnt_(?P<half>lo|hi)_u32_b32$", _counted_before),
        (r"v_align(?P<unit>bit|byte)_b32$", _aligned),
        (rf"s_bitset(?P<bit>[01])_{KIND}$", _bit_put),
        (r"s_bfm_b32$", _bit_mask),
        (r"v_(?:dual_)?bitop[23]_b32$", _any_truth_table),
        (r"v_perm_b32$", _permuted),
        (r"(?:v_bfrev|s_brev)_(?P<kind>b(?:32|64))$", _reversed),
        (r"v_pk_mov_b32$", _packed_move),
        (r"v_bfe_(?P<kind>[ui]32)$", _field),
        (r"s_bfe_(?P<kind>[ui](?:32|64))$", _scalar_field),
    )
)  # fmt: skip
