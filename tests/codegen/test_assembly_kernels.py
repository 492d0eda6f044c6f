"""Kernels in assembly that use the numbers of workitems and workgroups, LDS by computed indices, and barriers.

The code is what llc-22 makes of the tests, with the directives that say where numbers stand at the start. What the
kernels store follows from the tests themselves.
"""

from __future__ import annotations

import pytest

from axmem.formats.reading import parse, parse_file
from axmem.front.source import InputError
from axmem.mapping.verification import CodeSource, Verification, verify
from tests.exploring import VERDICT_ALONE
from tests.paths import ROOT

KERNELS = ROOT / "tests" / "compiled" / "kernels"
NUMBERED = """litmus Numbered
"Each of four waves stores its number in the launch at the place that has this number."

global <4 x i32> x = 9

kernel K() workgroups 2, wavefronts 2 {
  i = (workgroup.id << 1) + workitem.id
  store i, x[i]
}

observe x
exists (x={0,1,2,3})
"""
DESCRIPTOR = """\t.amdhsa_kernel K
\t\t.amdhsa_user_sgpr_count 8
\t\t.amdhsa_system_sgpr_workgroup_id_x 1
\t.end_amdhsa_kernel
"""
CODE = {
    "gfx942": """K:
\tv_and_b32_e32 v0, 0x3ff, v0
\tv_lshl_add_u32 v2, s8, 1, v0
\ts_getpc_b64 s[0:1]
\ts_add_u32 s0, s0, x@rel32@lo+4
\ts_addc_u32 s1, s1, x@rel32@hi+12
\tv_mad_i64_i32 v[0:1], s[0:1], v2, 4, s[0:1]
\tglobal_store_dword v[0:1], v2, off
\ts_endpgm
""",
    "gfx1200": """K:
\tv_and_b32_e32 v0, 0x3ff, v0
\ts_getpc_b64 s[0:1]
\ts_sext_i32_i16 s1, s1
\ts_add_co_u32 s0, s0, x@rel32@lo+8
\ts_add_co_ci_u32 s1, s1, x@rel32@hi+16
\tv_lshl_add_u32 v2, ttmp9, 1, v0
\tv_mad_co_i64_i32 v[0:1], null, v2, 4, s[0:1]
\tglobal_store_b32 v[0:1], v2, off
\ts_endpgm
""",
    "gfx1250": """K:
\ts_bfe_u32 s0, ttmp6, 0x4000c
\ts_and_b32 s1, ttmp6, 15
\ts_add_co_i32 s0, s0, 1
\ts_getreg_b32 s2, hwreg(HW_REG_IB_STS2, 6, 4)
\ts_mul_i32 s0, ttmp9, s0
\tv_and_b32_e32 v0, 0x3ff, v0
\ts_add_co_i32 s1, s1, s0
\ts_cmp_eq_u32 s2, 0
\ts_cselect_b32 s0, ttmp9, s1
\tv_lshl_add_u32 v0, s0, 1, v0
\ts_get_pc_i64 s[0:1]
\ts_add_nc_u64 s[0:1], s[0:1], x@rel64+4
\tglobal_store_b32 v0, v0, s[0:1] scale_offset
\ts_endpgm
""",
}


def file(code: str, descriptor: str = DESCRIPTOR) -> tuple[str, str]:
    return "k.s", f"\t.type K,@function\n{code}{descriptor}"


def numbered(gpu: str, descriptor: str = DESCRIPTOR) -> Verification:
    return verify(parse(NUMBERED), gpu, code=CodeSource(file(CODE[gpu], descriptor)), exploration=VERDICT_ALONE)


@pytest.mark.parametrize("gpu", CODE)
def test_every_wave_has_its_numbers(gpu: str) -> None:
    made = numbered(gpu)
    assert (made.verdict, made.found) == ("sound", (((0, 1, 2, 3),),))


def test_the_workgroup_stands_behind_the_registers_of_the_user() -> None:
    """In s8 of gfx942, if eight are the user's; with six it is in s6, and s8 is nothing that the kernel was given."""
    for descriptor in (DESCRIPTOR.replace("count 8", "count 6"), DESCRIPTOR.replace("id_x 1", "id_x 0"), ""):
        with pytest.raises(InputError) as raised:
            numbered("gfx942", descriptor)
        (error,) = raised.value.diagnostics
        assert "s8" in error.message and error.span.line == 9


REDUCTION = """K:
\tv_and_b32_e32 v0, 0x3ff, v0
\tv_add_u32_e32 v1, 1, v0
\tv_mul_u32_u24_e32 v2, 4, v0
\tv_cmp_eq_u32_e32 vcc, 0, v0
\tds_write_b32 v2, v1
\ts_waitcnt lgkmcnt(0)
\ts_barrier
\ts_and_saveexec_b64 s[0:1], vcc
\ts_cbranch_execz .LBB0_2
\tv_mov_b32_e32 v3, 0
\tds_read_b96 v[0:2], v3
\ts_getpc_b64 s[0:1]
\ts_add_u32 s0, s0, sum@rel32@lo+4
\ts_addc_u32 s1, s1, sum@rel32@hi+12
\ts_waitcnt lgkmcnt(0)
\tv_add_u32_e32 v0, v0, v1
\tv_add_u32_e32 v0, v0, v2
\tglobal_store_dword v3, v0, s[0:1]
.LBB0_2:
\ts_endpgm
"""


@pytest.mark.parametrize("without", ["", "\ts_barrier\n", "\ts_waitcnt lgkmcnt(0)\n\ts_barrier\n"])
def test_a_reduction_needs_its_barrier(without: str) -> None:
    """1 + 2 + 3; without the barrier the first wave adds up what is not there yet."""
    assert without in REDUCTION
    code = REDUCTION.replace(without, "") if without else REDUCTION
    source = CodeSource(file(code))
    made = verify(parse_file(KERNELS / "Reduction.litmus"), "gfx942", code=source, exploration=VERDICT_ALONE)
    if without:
        assert made.verdict != "sound"
    else:
        assert (made.verdict, made.found) == ("sound", (((6,),),))
