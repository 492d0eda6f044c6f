"""Kernels that call functions of the same file, as clang compiles them without optimisation.

The kernel puts a message, and a function that it calls gives the flag; what is lost without an instruction follows from
the kernels. Registers that are spilled into lanes of a vector register come back from private memory with it.
"""

from __future__ import annotations

import pytest

from axmem.codegen.assembly.calls import linked
from axmem.codegen.assembly.text import read_listing
from axmem.codegen.targets import target
from axmem.front.source import InputError
from axmem.mapping.built import program
from axmem.mapping.verification import CodeSource, Verification, verify
from tests.exploring import VERDICT_ALONE
from tests.mapping.test_launched_code import GET, LAUNCH, MESSAGE, SAID, described, found, metadata

CALLING = """put:
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\ts_getpc_b64 s[2:3]
\ts_add_u32 s2, s2, give@rel32@lo+4
\ts_addc_u32 s3, s3, give@rel32@hi+12
\tv_mov_b32_e32 v0, 0
\tv_mov_b32_e32 v1, 42
\ts_waitcnt lgkmcnt(0)
\tglobal_store_dword v0, v1, s[4:5]
\ts_swappc_b64 s[30:31], s[2:3]
\ts_endpgm
"""
GIVE = """give:
\ts_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
\tv_mov_b32_e32 v2, 1
\tbuffer_wbl2 sc1
\ts_waitcnt vmcnt(0)
\tglobal_store_dword v0, v2, s[6:7] sc1
\ts_setpc_b64 s[30:31]
"""
SPILLED = GIVE.replace("\tv_mov_b32_e32 v2, 1\n", """\ts_or_saveexec_b64 s[8:9], -1
\tscratch_store_dword off, v40, s32
\ts_mov_b64 exec, s[8:9]
\tv_writelane_b32 v40, s30, 7
\tv_writelane_b32 v40, s31, 8
\ts_mov_b64 s[30:31], 0
\ts_or_saveexec_b64 s[8:9], -1
\tscratch_store_dword off, v40, s32 offset:4
\tv_mov_b32_e32 v40, 0
\tscratch_load_dword v40, off, s32 offset:4
\ts_waitcnt vmcnt(0)
\ts_mov_b64 exec, s[8:9]
\tv_readlane_b32 s30, v40, 7
\tv_readlane_b32 s31, v40, 8
\tv_mov_b32_e32 v2, 1
""")  # fmt: skip


def called(put: str = CALLING, give: str = GIVE) -> Verification:
    put, give = f"\t.type put,@function\n{put}{described('put')}", f"\t.type give,@function\n{give}"
    return found(MESSAGE, f"{give}{put}\t.type get,@function\n{GET}{described('get')}{SAID}", LAUNCH)


def test_a_function_is_executed_where_it_is_called() -> None:
    made = called()
    assert (made.verdict, made.found) == ("sound", (((42,), (1,), (42,)),))


@pytest.mark.parametrize("gone", ["\tbuffer_wbl2 sc1\n", " sc1\n\ts_setpc"])
def test_what_it_needs_is_needed(gone: str) -> None:
    assert gone in GIVE
    assert called(give=GIVE.replace(gone, "\n\ts_setpc" if "setpc" in gone else "")).verdict == "unsound"


def test_registers_are_waited_for_across_calls() -> None:
    """The function uses at once what the kernel has loaded; it names both lines."""
    loading = CALLING.replace("\ts_swappc", "\tglobal_load_dword v2, v0, s[4:5]\n\ts_swappc")
    early = GIVE.replace("vmcnt(0) expcnt(0) lgkmcnt(0)", "lgkmcnt(0)").replace("\tv_mov_b32_e32 v2, 1\n", "")
    (hazard,) = called(loading, early.replace("\ts_waitcnt vmcnt(0)\n", "")).hazards
    assert (hazard.awaited, hazard.instruction) == (
        "global_load_dword v2, v0, s[4:5]", "global_store_dword v0, v2, s[6:7] sc1",
    )  # fmt: skip
    assert not called(loading, GIVE).hazards


def test_what_lanes_that_there_are_not_hold_comes_back() -> None:
    """The link is kept in lanes 7 and 8 of a register of a wave of one lane, which is kept in private memory."""
    stack = CALLING.replace("\tv_mov_b32_e32 v0, 0\n", "\tv_mov_b32_e32 v0, 0\n\ts_mov_b32 s32, 0\n")
    assert called(stack, SPILLED).verdict == "sound"
    lost = SPILLED.replace("\tscratch_load_dword v40, off, s32 offset:4\n", "")
    with pytest.raises(InputError, match="goes is not known"):
        called(stack, lost)


def test_only_functions_that_are_named_are_linked() -> None:
    listing = read_listing(
        "".join(f"\t.type {text[: text.index(':')]},@function\n{text}" for text in (GIVE, CALLING, GET)), "t.s"
    )
    put = linked(listing, listing.kernels["put"])
    assert put.labels["give"] == len(listing.kernels["put"].lines)
    assert len(put.lines) == sum(len(listing.kernels[name].lines) for name in ("put", "give"))
    assert linked(listing, listing.kernels["get"]) is listing.kernels["get"]


TWO = """define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %wide = zext i32 %id to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %wide
  store i32 %id, ptr addrspace(1) %to, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""
OWN = """k:
\ts_load_b64 s[2:3], s[0:1], 0x0
\tv_lshlrev_b32_e32 v5, 2, v0
\tv_mbcnt_lo_u32_b32 v1, -1, 0
\tv_lshlrev_b32_e32 v3, 20, v1
\tv_mov_b32_e32 v2, 8
\ts_mov_b64 s[4:5], src_flat_scratch_base_lo
\tv_add_nc_u64_e32 v[2:3], s[4:5], v[2:3]
\tflat_store_b32 v[2:3], v0
\tflat_load_b32 v4, v[2:3]
\ts_wait_kmcnt 0x0
\ts_wait_loadcnt_dscnt 0x0
\tglobal_store_b32 v5, v4, s[2:3]
\ts_endpgm
"""


def test_private_memory_of_a_lane_has_its_number_in_flat_addresses() -> None:
    """Both lanes keep their number at one offset; who has another one's number there is refused."""
    on = target("gfx1250", "", "llvm-22")
    test = program(TWO, "k.ll", "launch k<<<1, 2>>>(out)", on)

    def kept(code: str) -> Verification:
        whole = f"\t.type k,@function\n{code}{described('k')}{metadata(k='0:8:global_buffer')}"
        return verify(test, on, code=CodeSource(("k.s", whole)), exploration=VERDICT_ALONE)

    assert kept(OWN).found == (((0, 1),),)
    with pytest.raises(InputError, match="no location of the test"):
        kept(OWN.replace("v3, 20, v1", "v3, 21, v1"))
