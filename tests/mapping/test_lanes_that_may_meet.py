"""Lanes that store at places which memory decides: whether they meet is known where it is read, or the answer is not.

Each lane stores its number behind what it has read, in memory and in LDS by a flat address, as clang does without
optimisation. The outcomes follow from the kernels: what is read is 0, and written with 0, so that memory decides.
"""

from __future__ import annotations

from axmem.codegen.targets import target
from axmem.mapping.built import program
from axmem.mapping.verification import CodeSource, Verification, verify
from tests.exploring import VERDICT_ALONE
from tests.mapping.test_launched_code import POINTERS, described, metadata

ADDED = """define amdgpu_kernel void @k(ptr addrspace(1) %at, ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %b = load atomic i32, ptr addrspace(1) %at syncscope("agent") monotonic, align 4
  %i = add i32 %b, %id
  %wide = sext i32 %i to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %wide
  store i32 %id, ptr addrspace(1) %to, align 4
  store atomic i32 0, ptr addrspace(1) %at syncscope("agent") monotonic, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""
CODE = """k:
\ts_load_dwordx4 s[0:3], s[0:1], 0x0
\tv_mov_b32_e32 v1, 0
\ts_waitcnt lgkmcnt(0)
\tglobal_load_dword v2, v1, s[0:1] sc1
\ts_waitcnt vmcnt(0)
\tv_add_u32_e32 v2, v2, v0
\tv_ashrrev_i32_e32 v3, 31, v2
\tv_lshl_add_u64 v[2:3], v[2:3], 2, s[2:3]
\tglobal_store_dword v[2:3], v0, off
\ts_endpgm
"""
LDS = CODE.replace("\tv_lshl_add_u64 v[2:3], v[2:3], 2, s[2:3]\n\tglobal_store_dword v[2:3], v0, off\n", """\
\ts_mov_b64 s[4:5], src_shared_base
\ts_mov_b32 s4, 0
\tv_lshl_add_u64 v[2:3], v[2:3], 2, s[4:5]
\tflat_store_dword v[2:3], v0
\tv_lshlrev_b32_e32 v4, 2, v0
\ts_waitcnt vmcnt(0) lgkmcnt(0)
\tds_read_b32 v5, v4
\ts_waitcnt lgkmcnt(0)
\tglobal_store_dword v4, v5, s[2:3]
""")  # fmt: skip
TABLE = ADDED.replace("declare", "@t = internal addrspace(3) global [2 x i32] undef, align 4\ndeclare")
THROUGH = TABLE.replace(
    "  %to = getelementptr i32, ptr addrspace(1) %out, i64 %wide\n  store i32 %id, ptr addrspace(1) %to, align 4\n",
    """  %in = getelementptr i32, ptr addrspace(3) @t, i32 %i
  store i32 %id, ptr addrspace(3) %in, align 4
  %own = getelementptr i32, ptr addrspace(3) @t, i32 %id
  %v = load i32, ptr addrspace(3) %own, align 4
  %far = zext i32 %id to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %far
  store i32 %v, ptr addrspace(1) %to, align 4
""",
)


def found(code: str, module: str = ADDED, lds: int = 0) -> Verification:
    test = program(module, "k.ll", "launch k<<<1, 2>>>(at, out)", target("gfx942"))
    whole = f"\t.type k,@function\n{code}{described('k', lds)}{metadata(k=POINTERS)}"
    return verify(test, "gfx942", code=CodeSource(("k.s", whole)), exploration=VERDICT_ALONE)


def test_lanes_that_are_apart_where_it_is_read_have_one_outcome() -> None:
    made = found(CODE)
    assert (made.verdict, made.found) == ("sound", (((0,), (0, 1, 0, 0, 0)),))


def test_where_lanes_meet_nothing_is_known() -> None:
    """0 and the number of either lane is 0: they store at one place."""
    made = found(CODE.replace("v_add_u32_e32 v2, v2, v0", "v_and_b32_e32 v2, v2, v0"))
    assert (made.verdict, made.found) == ("unknown", ())
    (reason,) = made.incomplete
    assert "two lanes access one place at once" in reason


def test_lanes_that_always_meet_come_in_either_order() -> None:
    made = found(CODE.replace("\tv_add_u32_e32 v2, v2, v0\n", ""))
    assert (made.verdict, set(made.found)) == ("unsound", {((0,), (k, 0, 0, 0, 0)) for k in (0, 1)})


def test_a_flat_address_in_lds_that_memory_decides_is_one_there() -> None:
    made = found(LDS, THROUGH, 8)
    assert (made.verdict, made.found) == ("sound", (((0,), (0, 1)),))
    other = found(LDS.replace("ds_read_b32 v5, v4", "ds_read_b32 v5, v1"), THROUGH, 8)
    assert (other.verdict, other.found) == ("unsound", (((0,), (0, 0)),))
