"""Reading assembly: what LLVM made of tests means what the tests mean; what is not known is an error.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from axmem.check.results import outcomes
from axmem.codegen.assembly.parts import arithmetic
from axmem.codegen.assembly.program import assembly_program
from axmem.codegen.assembly.registers import Registers
from axmem.codegen.assembly.text import AssemblyLine, read_listing, split_operands
from axmem.codegen.assembly.values import number
from axmem.codegen.instructions import InstructionKind
from axmem.codegen.ir_module import module
from axmem.codegen.machine.explore import explore
from axmem.codegen.machine.layout import layout, settings
from axmem.codegen.machine.placements import placements
from axmem.codegen.machine.program import Access, MachineProgram, Wait
from axmem.codegen.machine.program import Path as Way
from axmem.codegen.targets import Target, target
from axmem.events.values import Constant
from axmem.formats.reading import parse, parse_file
from axmem.front.source import InputError, Span
from axmem.litmus.syntax import LitmusTest, Placement
from axmem.litmus.words import PLACED, Scope
from tests.assembly.__main__ import main as show
from tests.assembly.interleaving import interleavings, matched
from tests.assembly.record import Key, read
from tests.drawn import WHOLE, some
from tests.paths import ROOT

BRANCH = "tests/assembly/Branch.litmus"
LDS = "tests/assembly/Lds.litmus"
STALE = "docs/findings/fixed/stale-scalar-load.litmus"


@cache
def record() -> dict[Key, str]:
    return read()


@cache
def litmus(path: str) -> LitmusTest:
    return parse_file(ROOT / path)


def where(key: Key) -> Target:
    return target(key[0], key[1], "llvm-22")


def program(key: Key, text: str = "") -> MachineProgram:
    return assembly_program(litmus(key[2]), where(key), read_listing(text or record()[key], "test.s"))


def operations(made: MachineProgram) -> list[list[tuple[InstructionKind, object, tuple[object, ...]]]]:
    return [[(i.kind, i.operation, i.guard) for i in stream.instructions] for stream in made.streams]


# ---------------------------------------------------------------- what LLVM made of tests


@pytest.mark.parametrize("path", some(sorted({key[2] for key in record()}), of=6), ids=lambda path: Path(path).stem)
def test_assembly_has_only_outcomes_of_the_test(path: str) -> None:
    """Instruction by instruction, at once, what every target's assembly does is what LLVM's model permits.

    Of our programs for it some interleaving satisfies the condition, in every target's assembly.
    """
    permitted = outcomes(litmus(path), "llvm")
    own = path.startswith("tests/")
    sequential = outcomes(litmus(path), "sc")
    can = set(sequential.outcomes)
    assert not own or sequential.verdict in ("sometimes", "always")
    keys = [key for key in record() if key[2] == path and key[3] == "llc"]
    assert len(keys) >= 10
    for key in some(keys):
        found = interleavings(program(key))
        assert found & can if own else found
        wrong = [row for row in found if not matched(row, permitted.outcomes)]
        assert not wrong or permitted.verdict == "undefined", (key, wrong)


def test_a_disassembly_is_the_same_program() -> None:
    keys = [key for key in record() if key[3] == "objdump"]
    assert len(keys) > 30
    for key in some(keys):
        assert operations(program(key)) == operations(program((*key[:3], "llc"))), key


def test_a_uniform_load_goes_through_the_scalar_cache() -> None:
    made = program(("gfx942", "", STALE, "llc"))
    loads = [i.operation for i in made.streams[1].instructions if isinstance(i.operation, Access)]
    assert [load.path for load in loads] == [Way.VECTOR, Way.SCALAR]


def test_limits_count_only_what_the_program_has() -> None:
    """vmcnt(1) leaves a load on its way, but none before a store of a result, which is not in the program."""
    key = ("gfx942", "", STALE, "llc")
    stored = "s_load_dwordx2 s[6:7], s[4:5], 0x0\n\tglobal_store_dword v0, v0, s[6:7] sc1"
    added = {
        1: "global_load_dword v9, v0, s[0:1]\n\ts_waitcnt vmcnt(1)\n\tbuffer_inv sc1",
        0: f"global_load_dword v9, v0, s[0:1]\n\t{stored}\n\ts_waitcnt vmcnt(1)\n\tbuffer_inv sc1",
    }
    for left, lines in added.items():
        made = program(key, record()[key].replace("buffer_inv sc1", "v_mov_b32_e32 v0, 0\n\t" + lines))
        waits = [i.operation for i in made.streams[1].instructions if isinstance(i.operation, Wait)]
        assert ("vmcnt", left) in waits[-2].limits + waits[-1].limits


# ---------------------------------------------------------------- computing

A, B = 0xDEADBEEF, 0x00000013
COMPUTED = [
    ("s_add_u32 s2, s0, s1", A + B),
    ("s_sub_u32 s2, s1, s0", B - A),
    ("s_and_b32 s2, s0, s1", A & B),
    ("s_andn2_b32 s2, s0, s1", A & ~B),
    ("s_and_not1_b32 s2, s0, s1", A & ~B),
    ("s_orn2_b32 s2, s0, s1", A | ~B),
    ("s_nor_b32 s2, s0, s1", ~(A | B)),
    ("s_nand_b32 s2, s0, s1", ~(A & B)),
    ("s_xnor_b32 s2, s0, s1", ~(A ^ B)),
    ("s_xor_b32 s2, s0, s1", A ^ B),
    ("s_lshl_b32 s2, s0, s1", A << (B & 31)),
    ("s_lshr_b32 s2, s0, s1", A >> (B & 31)),
    ("s_ashr_i32 s2, s0, s1", (A - 2**32) >> (B & 31)),
    ("s_mul_i32 s2, s0, s1", A * B),
    ("s_not_b32 s2, s0", ~A),
    ("s_movk_i32 s2, 0x8001", 0xFFFF8001),
    ("s_sext_i32_i16 s2, s0", 0xFFFFBEEF),
    ("v_add_nc_u32_e32 v2, s0, v1", A + B),
    ("v_subrev_u32_e32 v2, v1, v0", A - B),
    ("v_lshlrev_b32_e32 v2, 4, v0", A << 4),
    ("v_lshl_add_u32 v2, v1, 2, v0", (B << 2) + A),
    ("v_and_or_b32 v2, v0, v1, s1", (A & B) | B),
    ("v_add3_u32 v2, v0, v1, v1", A + B + B),
    ("v_max_i32_e32 v2, v0, v1", B),
    ("v_max_u32_e32 v2, v0, v1", A),
    ("v_bfe_u32 v2, v0, 8, 8", 0xBE),
    ("v_bfe_i32 v2, v0, 8, 8", 0xFFFFFFBE),
    ("v_bfi_b32 v2, v1, v0, 0", A & B),
    ("v_mad_u32 v2, v0, v1, v1", A * B + B),
    ("v_mad_u32_u24 v2, v0, v1, v1", (A & 0xFFFFFF) * B + B),
    ("v_bitop3_b32 v2, v0, v1, v1 bitop3:0x3c", A ^ B),
    ("v_mul_lo_u32 v2, v0, v1", A * B),
    ("v_cndmask_b32_e64 v2, v0, v1, s[6:7]", B),
    ("v_not_b32_e32 v2, v0", ~A),
    ("v_cmp_eq_u32_sdwa vcc, v0, v4 src0_sel:WORD_0 src1_sel:DWORD", 1),
    ("v_cmp_eq_u32_sdwa vcc, v0, v4 src0_sel:WORD_1 src1_sel:DWORD", 0),
    ("v_cmp_ne_u32_sdwa s[6:7], v0, v4 src0_sel:BYTE_1 src1_sel:BYTE_1", 0),
    ("v_cmp_lt_i32_sdwa s[6:7], sext(v0), v4 src0_sel:WORD_0 src1_sel:DWORD", 1),
    ("v_cmpx_ne_u32_e64 s[6:7], v0, v1", 1),
    ("v_lshrrev_b32_sdwa v2, v5, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:WORD_1", 0xDEA),
    ("v_add_u32_sdwa v2, v0, v5 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD", 0xE200),
    ("v_add_u32_sdwa v2, v0, v5 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_3 src1_sel:DWORD", 0xFFFFE200),
    ("v_mov_b32_sdwa v0, v5 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD", 0x0004BEEF),
    ("v_max_i32_sdwa v2, sext(v0), v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD", 4),
    ("v_sub_u16_sdwa v2, v5, v0 clamp dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_0", 0),
    ("v_sub_u32_e64 v2, v1, v0 clamp", 0),
    ("v_sub_nc_u32_e64 v2, v0, v1 clamp", A - B),
    ("v_sub_u32_e64 v2, s[4:5], v1, 19 clamp", 0),
    ("v_sub_co_u32_e64 v2, vcc, v1, 20 clamp", 0),
    ("s_addk_i32 s1, 0x8001", B + 0xFFFF8001),
    ("s_mulk_i32 s1, 3", B * 3),
    ("v_add_u32_e64 v2, v0, v0 clamp", 0xFFFFFFFF),
    ("v_pk_add_u16 v2, v0, v1", 0xDEADBF02),
    ("v_pk_add_u16 v2, v0, 1 op_sel_hi:[1,0]", 0xDEAEBEF0),
    ("v_pk_add_u16 v2, v0, 1", 0xDEADBEF0),
    ("v_pk_add_u16 v2, v0, -1", 0xDEACBEEE),
    ("v_pk_add_u16 v2, v0, v0 clamp", 0xFFFFFFFF),
    ("v_pk_sub_i16 v2, v0, v0 op_sel:[1,0] op_sel_hi:[0,1]", 0xE0421FBE),
    ("v_pk_ashrrev_i16 v2, 4, v0 op_sel_hi:[0,1]", 0xFDEAFBEE),
    ("v_pk_mul_lo_u16 v2, v0, v5 op_sel_hi:[1,0]", 0x7AB4FBBC),
    ("v_pk_mad_u16 v2, v0, v5, v1 op_sel_hi:[1,0,1]", 0x7AB4FBCF),
    ("v_mad_legacy_u16 v2, v0, v5, v1", 0xFBCF),
    ("s_pack_hl_b32_b16 s2, s0, s1", 0x0013DEAD),
    ("s_pack_hh_b32_b16 s2, s0, s0", 0xDEADDEAD),
    ("s_subb_u32 s2, s0, s1", A - B),
    ("s_mul_hi_u32 s2, s0, s1", A * B >> 32),
    ("v_mul_hi_i32 v2, v0, v1", (A - 2**32) * B >> 32),
    ("s_bfe_i32 s2, s0, 0x80008", 0xFFFFFFBE),
    ("v_bitop2_b32 v2, v0, v1 bitop3:0x14", A ^ B),
    ("v_bitop2_b32 v2, v0, v1 bitop3:0x41", ~(A ^ B)),
    ("v_perm_b32 v2, v0, v1, s3", 0xFF00DEEF),
    ("v_perm_b32 v2, v0, v1, 0x0b080300", 0xFF000013),
    ("v_bfrev_b32_e32 v2, v1", 0xC8000000),
    ("s_bitset0_b32 s0, 31", 0x5EADBEEF),
    ("s_bitset1_b32 s1, 35", 0x1B),
    ("s_bfm_b32 s2, 4, 8", 0xF00),
    ("v_alignbit_b32 v2, v1, v0, 8", 0x13DEADBE),
    ("v_alignbyte_b32 v2, v1, v0, 3", 0x000013DE),
    ("v_max3_i32 v2, v0, v1, 20", 20),
    ("v_min3_u32 v2, v0, v1, 20", 0x13),
    ("v_mul_i32_i24 v2, v0, v1", (0xADBEEF - 2**24) * 0x13),
    ("v_mul_u32_u24_e32 v2, v0, v1", 0xADBEEF * 0x13),
    ("v_med3_i32 v2, v0, v1, 20", 0x13),
    ("v_med3_u32 v2, v0, v1, 20", 20),
    ("v_med3_i32 v2, 7, v0, v1", 7),
    ("s_flbit_i32_b32 s2, s1", 27),
    ("v_ffbh_u32_e32 v2, v0", 0),
    ("s_clz_i32_u32 s2, 0", 0xFFFFFFFF),
    ("s_flbit_i32 s2, s0", 2),
    ("v_cls_i32_e32 v2, v1", 27),
    ("s_cls_i32 s2, -1", 0xFFFFFFFF),
]


@pytest.mark.parametrize(("text", "expected"), COMPUTED, ids=lambda value: str(value).split(" ")[0])
def test_arithmetic(text: str, expected: int) -> None:
    registers = Registers({}, [])
    values = {"s0": A, "s1": B, "v0": A, "v1": B, "v4": A & 0xFFFF, "v5": 4, "s6": 1, "s7": 0, "scc": 0}
    values["s3"] = 0x0D0C0704
    registers.values.update({name: Constant(value) for name, value in values.items()})
    mnemonic, _, rest = text.partition(" ")
    operands, bits = split_operands(rest)
    writes = arithmetic(registers, AssemblyLine(mnemonic, operands, bits, rest, Span(1, 1)))
    assert writes is not None
    assert writes[0][0] == operands[0]
    assert number(writes[0][1]) == expected & 0xFFFFFFFF


@pytest.mark.parametrize(
    ("text", "keeps", "expected"),
    [
        ("v_add_u16_e32 v0, v5, v5", True, 0xDEAD0008),
        ("v_add_u16_e32 v0, v5, v5", False, 0x00000008),
        ("v_add_nc_u16 v0.h, v5.l, v0.h", True, 0xDEB1BEEF),
        ("v_add_u16_e64 v0, v0, v5 op_sel:[1,0,1]", False, 0xDEB1BEEF),
        ("v_mad_u16 v0, v5, v5, v5", False, 0xDEAD0014),
    ],
)
def test_where_results_of_16_bits_go(text: str, expected: int, *, keeps: bool) -> None:
    """The upper half of a register is 0 after most instructions before GFX10, and what it was after others."""
    registers = Registers({}, [], {"v0": Constant(A), "v5": Constant(4)}, keeps=keeps)
    mnemonic, _, rest = text.partition(" ")
    operands, bits = split_operands(rest)
    for place, value, size in arithmetic(registers, AssemblyLine(mnemonic, operands, bits, rest, Span(1, 1))) or ():
        registers.put(place, value, size)
    assert number(registers.named("v0")) == expected


def test_products_of_64_bits() -> None:
    registers = Registers({}, [], {f"v{k}": Constant(value) for k, value in enumerate((5, 1, 7, 2))})
    line = AssemblyLine("v_mul_u64_e32", ("v[4:5]", "v[0:1]", "v[2:3]"), (), "", Span(1, 1))
    writes = arithmetic(registers, line)
    assert writes is not None
    ((place, value, bits),) = writes
    assert (place, number(value), bits) == ("v[4:5]", (5 + (1 << 32)) * (7 + (2 << 32)) % 2**64, 64)


def test_sums_of_64_bits_carry() -> None:
    """Additions half by half give what one addition gives, for numbers with carries."""
    choose = random.Random(5)
    for _ in range(50):
        a, b = choose.getrandbits(64), choose.getrandbits(64)
        for first, second in (("s_add_u32", "s_addc_u32"), ("s_add_co_u32", "s_add_co_ci_u32")):
            registers = Registers({}, [])
            for name, half_of in (("s0", a), ("s1", a >> 32), ("s2", b), ("s3", b >> 32)):
                registers.values[name] = Constant(half_of & 0xFFFFFFFF)
            for mnemonic, half in ((first, 0), (second, 1)):
                operands = (f"s{4 + half}", f"s{half}", f"s{2 + half}")
                for place, value, _ in (
                    arithmetic(registers, AssemblyLine(mnemonic, operands, (), "", Span(1, 1))) or ()
                ):
                    registers.values[place] = value
            assert number(registers.value("s[4:5]", 64)) == a + b & 2**64 - 1


# ---------------------------------------------------------------- bad input

BAD = [
    ("s_waitcnt vmcnt(0)", "s_frobnicate", "unknown instruction 's_frobnicate'"),
    ("s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(x)", "'vmcnt(x)' is no number"),
    ("s_waitcnt vmcnt(0)", "s_waitcnt_vscnt null, 0x0", "there is no counter 'vscnt'"),
    ("s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0", "there is no counter 'loadcnt'"),
    ("buffer_inv sc1", "buffer_inv nt", "the machine does not know 'buffer_inv nt'"),
    ("buffer_inv sc1", "global_load_dword v9, v[40:41], off", "depends on v41, which the kernel did not set"),
    ("buffer_inv sc1", "v_mov_b32_dpp v1, v2 row_shr:1", "unknown instruction 'v_mov_b32_dpp'"),
    ("buffer_inv sc1", "v_subb_co_u32_e64 v1, vcc, v0, v0, vcc clamp", "unknown modifier 'clamp'"),
    ("buffer_inv sc1", "v_mul_lo_u32 v1, v0, v0 clamp", "unknown modifier 'clamp'"),
    ("buffer_inv sc1", "v_pk_add_u16 v1, v0, v0 neg_lo:[1,0]", "unknown modifier 'neg_lo:[1,0]'"),
    ("buffer_inv sc1", "v_mov_b32_sdwa v1, v0 dst_sel:BYTE_7 src0_sel:DWORD", "unknown selection 'BYTE_7'"),
    ("buffer_inv sc1", "v_perm_b32 v1, v0, v0, v0", "a permutation of bytes that is not constant"),
    ("buffer_inv sc1", "global_atomic_fcmpswap v1, v2, s[0:1]", "unknown update 'fcmpswap'"),
    ("buffer_inv sc1", "global_load_dword v1, v0, s[0:1] wild", "unknown modifier 'wild'"),
    ("s[0:1] sc0\n", "s[0:1] sc0 nv\n", "says that nobody writes there (nv), to a location of the test"),
    ("buffer_inv sc1", "global_load_dword v1", "has too few operands"),
    ("buffer_inv sc1", "v_add_u32_e32 v1, q7, v2", "unknown operand 'q7'"),
    ("buffer_inv sc1", "s_cbranch_scc0 .LBB7_7", "there is no label '.LBB7_7'"),
    ("buffer_inv sc1", "s_barrier_signal 3", "a barrier other than the workgroup's"),
    ("buffer_inv sc1", "s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0", "is not known"),
    ("buffer_inv sc1", "global_atomic_sub_f32 v1, v2, s[0:1]", "unknown update 'sub'"),
    ("buffer_inv sc1", "ds_pk_add_rtn_f16 v1, v2, v3", "unknown instruction 'ds_pk_add_rtn_f16'"),
    ("buffer_inv sc1", "v_rsq_f32_e32 v1, v0", "unknown instruction 'v_rsq_f32_e32'"),
    ("buffer_inv sc1", "v_mad_f32 v1, v0, v0, v0", "unknown instruction 'v_mad_f32'"),
    ("buffer_inv sc1", "v_rcp_f32_e32 v1, 0", "v_rcp_f32 of a number whose reciprocal is not normal"),
    (
        "global_store_dword v0, v1, s[0:1] sc1",
        "v_rcp_f32_e32 v1, 0x40400000\n\tglobal_store_dword v0, v1, s[0:1] sc1",
        "the code depends on which approximation of a reciprocal it gets",
    ),
    (
        "buffer_inv sc1",
        "\n".join(f"v_rcp_f32_e32 v1, {n}.0" for n in (1, 2, 4)) + "\nv_rcp_f32_e32 v1, 0.5",
        "the code needs the reciprocals of 4 numbers",
    ),
    ("buffer_inv sc1", "v_add_f32_e64 v1, v0, v0 clamp", "unknown modifier 'clamp'"),
    ("buffer_inv sc1", "v_mul_f32_e64 v1, v0, v0 mul:2", "unknown modifier 'mul:2'"),
    ("buffer_inv sc1", "v_add_f32_e64 v1, |v0, v0", "unknown operand '|v0'"),
    ("buffer_inv sc1", "v_add_u32_e64 v1, -v0, v0", "unknown operand '-v0'"),
    ("buffer_inv sc1", "v_pk_add_f32 v[2:3], v[0:1], 1.0", "'1.0' as a pair of numbers"),
    ("buffer_inv sc1", "v_pk_fmac_f16 v1, v0, v0", "unknown instruction 'v_pk_fmac_f16'"),
    ("buffer_inv sc1", "v_fma_mix_f32 v1, v0, v0, 1.0 op_sel_hi:[0,0,1]", "a half that is the constant '1.0'"),
    ("buffer_inv sc1", "v_cvt_f32_f16_e64 v1, v0 op_sel:[1,1]", "halves that 'v_cvt_f32_f16' chooses"),
    ("buffer_inv sc1", ".Lend:\n\ts_branch .Lend", "this loop does not end"),
    ("buffer_inv sc1", "v_mov_b32_e32 v9, 0\n\tds_read_b32 v1, v9 offset:64", "is in no location of the test"),
    ("x@rel32@lo+4", "nowhere@rel32@lo+4", "'nowhere' is no location of the test"),
    ("x@rel32@lo+4", "x@tprel@lo", "unknown relocation"),
    ("gfx942", "gfx1200", "this file is for gfx1200, not for gfx942"),
    (".amdhsa_tg_split 0", ".amdhsa_tg_split 1", "is for mode tgsplit, not cu"),
    ("axmem test Stale-scalar-load", "axmem test MP", "the assembly of test MP, not of Stale-scalar-load"),
    ("P1", "P7", "no kernel 'P1'|kernel 'P7' is no thread"),
    ("s_endpgm", "s_nop 0", "goes on past its end"),
]


@pytest.mark.parametrize(("old", "new", "message"), BAD, ids=[bad[1].split("\n")[0][:30] for bad in BAD])
def test_bad_assembly(old: str, new: str, message: str) -> None:
    key = ("gfx942", "", STALE, "llc")
    text = record()[key]
    assert old in text
    with pytest.raises(InputError) as raised:
        program(key, text.replace(old, new))
    for diagnostic in raised.value.diagnostics:
        assert re.search(message if "|" in message else re.escape(message), diagnostic.message)
        assert diagnostic.span.line
        assert diagnostic.source.name == "test.s"


def test_what_is_no_assembly() -> None:
    for text in ("", "litmus MP\n", "; only a comment\n", "\x00\x01"):
        with pytest.raises(InputError, match="there is no function in this file"):
            read_listing(text, "test.s")
    with pytest.raises(InputError, match="there are two functions named 'P1'"):
        read_listing("\t.type P1,@function\nP1:\n\ts_endpgm\nP1:\n\ts_endpgm\n", "test.s")


def test_a_loop_that_waits_is_followed_to_its_last_iteration() -> None:
    key = ("gfx942", "", STALE, "llc")
    loop = ".Lagain:\n\tglobal_load_dword v9, v0, s[0:1] sc1\n\tv_cmp_eq_u32_e32 vcc, 0, v9\n\ts_cbranch_vccnz .Lagain"
    made = program(key, record()[key].replace("buffer_inv sc1", loop))
    assert not made.beyond
    assert [require.expr for require in made.requires] == [Constant(0)]
    assert made.requires[0].guard[-1][1] == 1  # the way back is left out
    again = [i for stream in made.streams for i in stream.instructions if "v9, v0" in i.text]
    assert len(again) == 1


def test_any_line_may_be_lost() -> None:
    """Without any one of its lines a file is read, or refused with a place; it never ends in a traceback."""
    key = ("gfx1200", "", BRANCH, "llc")
    lines = record()[key].splitlines()
    for number_ in range(0, lines.index("\t.amdgpu_metadata"), 1 if WHOLE else 16):
        try:
            program(key, "\n".join(lines[:number_] + lines[number_ + 1 :]))
        except InputError as error:
            assert all(d.span.line for d in error.diagnostics)


def test_the_record_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    """`--show` prints the texts whose title has all words."""
    show(["--show", "gfx942", "Branch", "objdump"])
    shown = capsys.readouterr().out
    assert shown.startswith("; gfx942 tests/assembly/Branch.litmus objdump\n") and "<P0>:" in shown
    assert len([key for key in record() if key[0] == "gfx942"]) > shown.count("\n; ") + 1 == 2


# ---------------------------------------------------------------- a workgroup as one kernel


def test_threads_of_a_workgroup_may_have_kernels_of_their_own() -> None:
    """What each thread does is read from either form; only the threads' places differ here."""
    key = ("gfx942", "", STALE, "llc")
    apart = program(key)
    first, second = litmus(STALE).threads
    together = replace(litmus(STALE), threads=(first, replace(second, placement=beside(first.placement))))
    made = assembly_program(together, where(key), read_listing(record()[key], "test.s"))
    assert operations(made) == operations(apart)


def beside(placement: Placement) -> Placement:
    """Return the place of the next wave of a workgroup."""
    wave = placement[Scope.WAVEFRONT] or 0
    return replace(placement, numbers=tuple(
        wave + 1 if scope is Scope.WAVEFRONT else number
        for scope, number in zip(PLACED, placement.numbers, strict=False)
    ))  # fmt: skip


def test_a_workgroup_is_one_kernel_whose_barriers_are_common() -> None:
    found = module(litmus(LDS), "llvm-22", target("gfx942"))
    (launch,) = found.kernels
    assert launch.name == "P0.P1" and [slot.offset for slot in launch.results[1]][:2] == [16, 20]
    body = found.text[found.text.index("define ") :]
    assert body.count("call void @llvm.amdgcn.s.barrier()") == 1
    before, after = body.split("  call void @llvm.amdgcn.s.barrier()\n")
    assert "store i32 1, ptr addrspace(1) @x" in before and "%P1.r0 = load" in after
    assert "lshr i32 %item, 6" in before
    assert "lshr i32 %item, 5" in module(litmus(LDS), "llvm-22", target("gfx1100")).text


def test_registers_that_live_across_a_common_barrier_are_merged() -> None:
    text = """litmus T
global x = 0, y = 0
thread P0 @ agent 0, workgroup 0, wavefront 0 {
  r0 = load x
  barrier
  store r0, y
}
thread P1 @ agent 0, workgroup 0, wavefront 1 {
  barrier
  r0 = load y
}
exists (P1:r0=0)
"""
    made = module(parse(text), "llvm-22", target("gfx942")).text
    assert "%P0.t1 = phi i32 [ %P0.r0, %phase0.P0 ], [ 0, %entry ], [ 0, %phase0.P1 ]" in made
    assert "store i32 %P0.t1, ptr addrspace(1) @y" in made


@pytest.mark.parametrize(
    "change",
    [
        ("wavefront 1", "wavefront 0, thread 1"),
        ("r0 = load x\n}\nexists", "r0 = load y\n}\nexists"),
        ("workgroup 0, wavefront 1", "workgroup 1"),
    ],
)
def test_threads_that_stay_kernels_of_their_own(change: tuple[str, str]) -> None:
    text = """litmus T
global x = 0
private y = 0
thread P0 @ agent 0, workgroup 0, wavefront 0 {
  r0 = load x
}
thread P1 @ agent 0, workgroup 0, wavefront 1 {
  r0 = load x
}
exists (P1:r0=0)
"""
    assert [launch.name for launch in module(parse(text), target=target("gfx942")).kernels] == ["P0.P1"]
    changed = text.replace(*change)
    assert changed != text
    assert [launch.name for launch in module(parse(changed), target=target("gfx942")).kernels] == ["P0", "P1"]


# ---------------------------------------------------------------- the scalar cache's invalidate

INVALIDATED = [
    ("gfx700", "buffer_wbinvl1_vol", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"),
    ("gfx900", "buffer_wbinvl1_vol", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"),
    ("gfx90a", "buffer_wbinvl1_vol", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"),
    ("gfx942", "buffer_inv sc1", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"),
    ("gfx1030", "buffer_gl0_inv", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"),
    ("gfx1100", "buffer_gl0_inv", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"),
    ("gfx1200", "global_inv scope:SCOPE_DEV", "s_wait_loadcnt 0x0", "s_wait_kmcnt 0x0"),
]
STALE_ROW = ((1,), (1,), (0,))
"""The cmpxchg found the flag, and the message is not there."""


def stale(gpu: str, old: str, new: str) -> bool:
    """Tell whether the scalar load of the finding may return what was before the message, with other lines."""
    key = (gpu, "", STALE, "llc")
    text = record()[key]
    assert text.count(f"\t{old}\n") == 1
    made = program(key, text.replace(f"\t{old}\n", "".join(f"\t{line}\n" for line in new.split("; "))))
    rows: set[object] = set()
    for placement in placements(made):
        found = explore(layout(made, placement, settings(made.family)))
        assert not found.incomplete
        rows |= found.outcomes
    assert ((1,), (1,), (1,)) in rows
    return STALE_ROW in rows


@pytest.mark.parametrize(("gpu", "acquire", "vector", "scalar"), INVALIDATED, ids=[row[0] for row in INVALIDATED])
def test_a_scalar_load_behind_an_invalidate_of_its_cache(gpu: str, acquire: str, vector: str, scalar: str) -> None:
    """[AMD-ISA] has it invalidate the scalar data cache. Scalar memory operations return in any order, so only
    what waited for it is behind it ([SIInsertWaitcnts] counts it with scalar loads)."""
    assert stale(gpu, acquire, acquire)
    assert not stale(gpu, acquire, f"{acquire}; {vector}; s_dcache_inv; {scalar}")
    assert stale(gpu, acquire, f"{acquire}; {vector}; s_dcache_inv")
    assert stale(gpu, acquire, f"{acquire}; s_dcache_inv; {vector}")
    assert stale(gpu, acquire, f"s_dcache_inv; {acquire}; {vector}")


def test_an_invalidate_of_the_scalar_cache_comes_after_the_flag_was_read() -> None:
    """Before the cmpxchg has returned, the cache may fetch the old value again."""
    text = record()["gfx942", "", STALE, "llc"]
    kernel = text[text.index("\nP1:") :]
    exchange = next(line for line in kernel.splitlines() if "global_atomic_cmpswap" in line).strip()
    assert stale("gfx942", exchange, f"{exchange}; s_dcache_inv; s_waitcnt lgkmcnt(0)")


@pytest.mark.parametrize(
    ("gpu", "acquire", "line"),
    [("gfx942", "buffer_inv sc1", "s_dcache_inv_vol"), ("gfx942", "buffer_inv sc1", "s_dcache_wb"),
     ("gfx1250", "global_inv scope:SCOPE_DEV", "s_dcache_inv")],
)  # fmt: skip
def test_maintenance_of_the_scalar_cache_that_is_refused(gpu: str, acquire: str, line: str) -> None:
    key = (gpu, "", STALE, "llc")
    with pytest.raises(InputError, match=f"the machine does not know '{line}' on {gpu}"):
        program(key, record()[key].replace(acquire, f"{acquire}\n\t{line}"))


def test_an_invalidate_of_the_scalar_cache_is_no_load_in_order() -> None:
    """lgkmcnt(1) behind a read of LDS and an invalidate may leave the read: scalar memory completes in any order."""
    lines = "v_mov_b32_e32 v7, 0; ds_read_b32 v9, v7; s_dcache_inv; s_waitcnt lgkmcnt({}); v_mov_b32_e32 v8, v9"
    key = ("gfx942", "", LDS, "llc")
    text = record()[key]
    for limit, early in ((1, True), (0, False)):
        added = "".join(f"\t{line}\n" for line in lines.format(limit).split("; "))
        made = program(key, text.replace("\ts_endpgm\n", f"{added}\ts_endpgm\n"))
        assert any(hazard.instruction.startswith("v_mov_b32_e32 v8") for hazard in made.hazards) is early


PAIR = """litmus Pair
global y = 0
lds x = 0, w = 0, z = 0
thread P0 @ workgroup 0 {
  r1 = load x
  r2 = load w
  r3 = load z
  store atomic 1, y syncscope("agent") release
}
thread P1 @ workgroup 0 {
  r4 = load atomic y syncscope("agent") acquire
  store 1, w
  store 1, z
}
observe w
"""
PAIR_CODE = """P0.P1:
	v_bfe_u32 v0, v0, 6, 4
	v_readfirstlane_b32 s2, v0
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, y@rel32@lo+4
	s_addc_u32 s7, s7, y@rel32@hi+12
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	s_cmp_eq_u32 s2, 1
	s_cbranch_scc1 .LBB0_1
	{}
	{}
	s_waitcnt lgkmcnt({})
	global_store_dword v3, v4, s[6:7] sc1
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_waitcnt vmcnt(0) lgkmcnt(0)
	global_store_dwordx3 v3, v[0:2], s[0:1]
	s_endpgm
.LBB0_1:
	global_load_dword v5, v3, s[6:7] sc1
	s_waitcnt vmcnt(0)
	buffer_inv sc1
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	ds_write2_b32 v3, v4, v4 offset0:1 offset1:2
	s_waitcnt lgkmcnt(0)
	global_store_dword v3, v5, s[0:1] offset:16
	s_endpgm
.Lfunc_end0:
"""


READS = ("ds_read_b64 v[0:1], v3", "ds_read_b32 v2, v3 offset:8")


@pytest.mark.parametrize(
    ("reads", "limit", "too_late"),
    [(READS, 0, set()), (READS, 1, {2}), (READS, 2, {1, 2}),
     (READS[::-1], 0, set()), (READS[::-1], 1, {1}), (READS[::-1], 2, {1, 2})],
)  # fmt: skip
def test_a_wait_counts_all_accesses_of_an_instruction_once(
    reads: tuple[str, str], limit: int, too_late: set[int]
) -> None:
    """ds_read_b64 of two locations is one operation to lgkmcnt, and over when both are read."""
    test = parse(PAIR)
    made = assembly_program(test, target("gfx942"), read_listing(PAIR_CODE.format(*reads, limit), "test.s"))
    seen: set[int] = set()
    for placement in placements(made):
        found = explore(layout(made, placement, settings(made.family)))
        assert not found.incomplete
        seen |= {index for row in found.outcomes if row[3] == (1,) for index in range(3) if row[index] == (1,)}
    assert seen == too_late
