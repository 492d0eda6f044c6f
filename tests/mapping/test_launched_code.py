"""Kernels with arguments, launched: what clang 22 made of HIP for gfx942, held against the same kernels as LLVM IR.

The outcomes follow from the kernels themselves; each is also shown to be lost, or another, without what it needs.
`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.codegen.assembly.text import read_listing
from axmem.codegen.targets import target
from axmem.formats.sources import found_clang
from axmem.front.source import InputError
from axmem.mapping.built import code as built_code
from axmem.mapping.built import program
from axmem.mapping.verification import CodeSource, Verification, verify
from tests.drawn import in_full, some
from tests.exploring import VERDICT_ALONE
from tests.sources.trial import SOURCES

MESSAGE = """define amdgpu_kernel void @put(ptr addrspace(1) %data, ptr addrspace(1) %flag) {
  store i32 42, ptr addrspace(1) %data, align 4
  store atomic i32 1, ptr addrspace(1) %flag syncscope("agent") release, align 4
  ret void
}
define amdgpu_kernel void @get(ptr addrspace(1) %data, ptr addrspace(1) %flag, ptr addrspace(1) %out) {
  br label %wait
wait:
  %f = load atomic i32, ptr addrspace(1) %flag syncscope("agent") acquire, align 4
  %again = icmp eq i32 %f, 0
  br i1 %again, label %wait, label %seen
seen:
  %d = load i32, ptr addrspace(1) %data, align 4
  store i32 %d, ptr addrspace(1) %out, align 4
  ret void
}
"""
LAUNCH = "put<<<1, 1>>>(data, flag); get<<<1, 1>>>(data, flag, out)"
PUT = """put:
\ts_load_dwordx4 s[0:3], s[0:1], 0x0
\tv_mov_b32_e32 v0, 0
\tv_mov_b32_e32 v1, 42
\tv_mov_b32_e32 v2, 1
\ts_waitcnt lgkmcnt(0)
\tglobal_store_dword v0, v1, s[0:1]
\tbuffer_wbl2 sc1
\ts_waitcnt vmcnt(0)
\tglobal_store_dword v0, v2, s[2:3] sc1
\ts_endpgm
"""
GET = """get:
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\ts_load_dwordx2 s[2:3], s[0:1], 0x10
\tv_mov_b32_e32 v0, 0
.LBB1_1:
\ts_waitcnt lgkmcnt(0)
\tglobal_load_dword v1, v0, s[6:7] sc1
\ts_waitcnt vmcnt(0)
\tbuffer_inv sc1
\tv_cmp_eq_u32_e32 vcc, 0, v1
\ts_cbranch_vccnz .LBB1_1
\tv_mov_b32_e32 v0, 0
\tglobal_load_dword v1, v0, s[4:5]
\ts_waitcnt vmcnt(0)
\tglobal_store_dword v0, v1, s[2:3]
\ts_endpgm
"""
LANES = """define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %n) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %at = getelementptr i32, ptr addrspace(3) @t, i32 %id
  %mine = add i32 %n, %id
  store i32 %mine, ptr addrspace(3) %at, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %far = xor i32 %id, 2
  %from = getelementptr i32, ptr addrspace(3) @t, i32 %far
  %v = load i32, ptr addrspace(3) %from, align 4
  %first = icmp ult i32 %id, 3
  br i1 %first, label %write, label %end
write:
  %base = mul i32 %group, 4
  %i = add i32 %base, %id
  %wide = zext i32 %i to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %wide
  store i32 %v, ptr addrspace(1) %to, align 4
  br label %end
end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @llvm.amdgcn.s.barrier()
@t = internal addrspace(3) global [4 x i32] undef, align 4
"""
LANES_CODE = """k:
\ts_load_dword s3, s[0:1], 0x8
\tv_lshlrev_b32_e32 v1, 2, v0
\ts_waitcnt lgkmcnt(0)
\tv_add_u32_e32 v2, s3, v0
\tds_write_b32 v1, v2
\tv_xor_b32_e32 v1, 2, v0
\tv_lshlrev_b32_e32 v1, 2, v1
\ts_waitcnt lgkmcnt(0)
\ts_barrier
\tds_read_b32 v1, v1
\tv_cmp_gt_u32_e32 vcc, 3, v0
\ts_and_saveexec_b64 s[4:5], vcc
\ts_cbranch_execz .LBB0_2
\ts_load_dword s6, s[0:1], 0x1c
\ts_load_dwordx2 s[4:5], s[0:1], 0x0
\ts_waitcnt lgkmcnt(0)
\ts_and_b32 s6, s6, 0xffff
\ts_mul_i32 s2, s2, s6
\tv_add_u32_e32 v0, s2, v0
\tv_mov_b32_e32 v2, v1
\tv_mov_b32_e32 v1, 0
\tv_lshl_add_u64 v[0:1], v[0:1], 2, s[4:5]
\tglobal_store_dword v[0:1], v2, off
.LBB0_2:
\ts_endpgm
"""


def described(name: str, lds: int = 0) -> str:
    """What clang says of a kernel whose arguments are s[0:1], and whose workgroup's number is s2."""
    return f"""\t.amdhsa_kernel {name}
\t\t.amdhsa_group_segment_fixed_size {lds}
\t\t.amdhsa_user_sgpr_count 2
\t\t.amdhsa_user_sgpr_dispatch_ptr 0
\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1
\t\t.amdhsa_system_sgpr_workgroup_id_x 1
\t.end_amdhsa_kernel
"""


def metadata(**kernels: str) -> str:
    """The arguments of kernels, each as `offset:size:kind`."""
    lines = ["\t.amdgpu_metadata", "---", "amdhsa.kernels:"]
    for name, arguments in kernels.items():
        lines.append("  - .agpr_count:     0\n    .args:")
        for offset, size, kind in (each.split(":") for each in arguments.split()):
            lines.append(f"      - .offset:         {offset}\n        .size:           {size}")
            lines.append(f"        .value_kind:     {kind}")
        lines.append(f"    .name:           {name}")
    return "\n".join([*lines, "...", "\t.end_amdgpu_metadata", ""])


POINTERS = "0:8:global_buffer 8:8:global_buffer"
SAID = metadata(put=POINTERS, get=f"{POINTERS} 16:8:global_buffer")
MESSAGE_CODE = f"\t.type put,@function\n{PUT}{described('put')}\t.type get,@function\n{GET}{described('get')}{SAID}"
HIDDEN = "0:8:global_buffer 8:4:by_value 16:4:hidden_block_count_x 28:2:hidden_group_size_x 34:2:hidden_remainder_x"
WAVES_CODE = f"\t.type k,@function\n{LANES_CODE}{described('k', 16)}{metadata(k=HIDDEN)}"
ALL_LANES = "k<<<2, 2x2>>>(out, 5)"


def found(text: str, code: str, launch: str) -> Verification:
    test = program(text, "k.ll", f"launch {launch}", target("gfx942"))
    return verify(test, "gfx942", code=CodeSource(("k.s", code)), exploration=VERDICT_ALONE)


def test_arguments_are_those_of_the_launch() -> None:
    """The three locations at the end: data, flag, and what was found where the flag was set."""
    made = found(MESSAGE, MESSAGE_CODE, LAUNCH)
    assert (made.verdict, made.found) == ("sound", (((42,), (1,), (42,)),))
    assert [c.name for c in made.permitted.columns] == ["data", "flag", "out"]


def test_memory_that_code_alone_writes_is_not_what_it_begins_with() -> None:
    """What the source only reads is known where it is loaded, unless the code stores there."""
    reading = MESSAGE.replace("  store i32 42, ptr addrspace(1) %data, align 4\n", "")
    made = found(reading, MESSAGE_CODE, LAUNCH)
    assert (made.verdict, made.found) == ("unsound", (((42,), (1,), (42,)),))
    right = found(reading, MESSAGE_CODE.replace("\tglobal_store_dword v0, v1, s[0:1]\n", "", 1), LAUNCH)
    assert (right.verdict, right.found) == ("sound", (((0,), (1,), (0,)),))


@pytest.mark.parametrize("gone", ["\tbuffer_wbl2 sc1\n", "\tbuffer_inv sc1\n", "\ts_waitcnt vmcnt(0)\n"])
def test_a_message_needs_what_keeps_it_together(gone: str) -> None:
    assert gone in MESSAGE_CODE
    assert found(MESSAGE, MESSAGE_CODE.replace(gone, "", 1), LAUNCH).verdict == "unsound"


def test_the_launch_decides_what_a_parameter_is() -> None:
    """Code that takes its arguments at other places does something else; so does a launch that gives others."""
    other = "put<<<1, 1>>>(flag, data); get<<<1, 1>>>(flag, data, out)"
    made = found(MESSAGE, MESSAGE_CODE, other)
    assert made.found == (((42,), (1,), (42,)),) and [c.name for c in made.permitted.columns] == ["flag", "data", "out"]
    exchanged = MESSAGE_CODE.replace("v0, v1, s[0:1]", "v0, v1, s[4:5]").replace(
        "v0, v2, s[2:3] sc1", "v0, v2, s[0:1] sc1"
    )
    assert found(MESSAGE, exchanged.replace("v1, s[4:5]", "v1, s[2:3]"), LAUNCH).verdict == "unsound"


def test_lanes_waves_and_workgroups_have_their_numbers_and_their_lds() -> None:
    """Each lane finds what one of the other wave left, 5 and its number, in its own workgroup; the last stores none."""
    made = found(LANES, WAVES_CODE, ALL_LANES)
    assert made.verdict == "sound"
    assert made.found == (((7, 8, 5, 0, 7, 8, 5, 0),),)
    assert [stream.thread for stream in made.program.streams] == ["k.0.0", "k.0.1", "k.1.0", "k.1.1"]


@pytest.mark.parametrize(("old", "new"), [
    pytest.param("\ts_barrier\n", "", marks=in_full),
    ("v_cmp_gt_u32_e32 vcc, 3, v0", "v_cmp_gt_u32_e32 vcc, 4, v0"),
    ("s_mul_i32 s2, s2, s6", "s_mul_i32 s2, s2, 2"),
    ("v_xor_b32_e32 v1, 2, v0", "v_xor_b32_e32 v1, 1, v0"),
    ("s_load_dword s3, s[0:1], 0x8", "s_load_dword s3, s[0:1], 0x10"),
])  # fmt: skip
def test_other_code_has_other_outcomes(old: str, new: str) -> None:
    assert old in WAVES_CODE
    assert found(LANES, WAVES_CODE.replace(old, new, 1), ALL_LANES).verdict == "unsound"


@in_full
def test_hidden_arguments_follow_the_launch() -> None:
    """The code stores at the size of a workgroup, which only the launch knows; what is sound above asks for it, too."""
    assert found(LANES, WAVES_CODE.replace("0x1c", "0x22"), ALL_LANES).verdict == "unsound", "the remainder is 0"


@pytest.mark.parametrize(("old", "new", "message", "line"), [
    ("28:2:hidden_group_size_x", "28:2:hidden_private_base", "the argument 'hidden_private_base'", 25),
    ("\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1", "\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 0", "depends on s1", 3),
    ("\t\t.amdhsa_group_segment_fixed_size 16", "\t\t.amdhsa_next_free_vgpr 3", "how many bytes of LDS", 2),
    ("8:4:by_value ", "", "the kernel has 1 arguments in this file, and 2 in the test", 3),
    ("v_mov_b32_e32 v2, v1", "v_permlane32_swap_b32_e32 v2, v1", "unknown instruction 'v_permlane32_swap_b32_e32'", 22),
    ("v_lshlrev_b32_e32 v1, 2, v0\n", "v_lshlrev_b32_e32 v1, 1, v0\n", "two lanes access one place at once", 7),
    ("s_and_b32 s6, s6, 0xffff", "v_readlane_b32 s6, v2, v1", "which lane 'v1' names depends on memory", 19),
])  # fmt: skip
def test_what_is_not_known_is_refused_at_its_line(old: str, new: str, message: str, line: int) -> None:
    code = f"\t.type k,@function\n{LANES_CODE}{described('k', 16)}"
    said = HIDDEN.replace(old, new)
    code = code.replace(old, new, 1) + metadata(k=said)
    with pytest.raises(InputError) as raised:
        found(LANES, code, ALL_LANES)
    (error,) = raised.value.diagnostics
    assert message in error.message and error.span.line == line


SHUFFLED = """\tv_xor_b32_e32 v3, 1, v0
\tv_lshlrev_b32_e32 v3, 2, v3
\tds_bpermute_b32 v1, v3, v1
\ts_waitcnt lgkmcnt(0)
"""


def test_a_permutation_is_waited_for_like_lds() -> None:
    """Lanes that take each other's values store 8 and 7 where they stored 7 and 8; the second wave asks for lanes
    that it has not."""
    before = "\tv_cmp_gt_u32_e32 vcc, 3, v0\n"
    code = WAVES_CODE.replace(before, f"\ts_waitcnt lgkmcnt(0)\n{SHUFFLED}{before}")
    made = found(LANES, code, ALL_LANES)
    assert made.verdict == "unsound" and made.found == (((8, 7, 0, 0, 8, 7, 0, 0),),)
    early = code.replace(SHUFFLED, SHUFFLED.replace("s_waitcnt lgkmcnt(0)", "v_mov_b32_e32 v4, v1"))
    (hazard,) = found(LANES, early, ALL_LANES).hazards
    assert hazard.registers == ("v1",) and hazard.awaited.startswith("ds_bpermute_b32")


SPILLED = """\tv_writelane_b32 v8, s6, 40
\ts_or_saveexec_b64 s[34:35], -1
\tv_accvgpr_write_b32 a0, v8
\ts_mov_b64 exec, s[34:35]
\ts_mov_b32 s6, 0
\ts_or_saveexec_b64 s[34:35], -1
\tv_accvgpr_read_b32 v9, a0
\ts_mov_b64 exec, s[34:35]
\tv_readlane_b32 s6, v9, 40
"""


def test_lanes_that_execute_nothing_keep_scalar_registers() -> None:
    """As at -O0: the size of the workgroup lies in lane 40 of a vector register for a while, and in its copy."""
    size = "\ts_and_b32 s6, s6, 0xffff\n"
    code = WAVES_CODE.replace(size, size + SPILLED)
    assert found(LANES, code, ALL_LANES).verdict == "sound"
    wrong = code.replace("v_readlane_b32 s6, v9, 40", "v_readlane_b32 s6, v9, 41")
    with pytest.raises(InputError, match="v9 of lane 41"):
        found(LANES, wrong, ALL_LANES)
    partly = code.replace(
        "s_or_saveexec_b64 s[34:35], -1\n\tv_accvgpr_write", "s_mov_b64 s[34:35], exec\n\tv_accvgpr_write"
    )
    with pytest.raises(InputError, match="of lane 40"):
        found(LANES, partly, ALL_LANES)


def test_lanes_that_store_at_one_place_come_in_any_order() -> None:
    """One value of theirs is in the first place then, 5 if all store that, and nothing in the third."""
    same = WAVES_CODE.replace("v_lshlrev_b32_e32 v1, 2, v0\n", "v_mov_b32_e32 v1, 0\n", 1)
    for store, values in (("v_add_u32_e32 v2, s3, v0", {5, 6, 7, 8}), ("v_mov_b32_e32 v2, s3", {5})):
        made = found(LANES, same.replace("v_add_u32_e32 v2, s3, v0", store), "k<<<1, 2x2>>>(out, 5)")
        assert made.verdict == "unsound" and {row[0][2] for row in made.found} == values


def test_the_absolute_value_is_without_its_sign() -> None:
    size = "\ts_and_b32 s6, s6, 0xffff\n"
    code = WAVES_CODE.replace(size, f"{size}\ts_sub_i32 s6, 0, s6\n\ts_abs_i32 s6, s6\n")
    assert found(LANES, code, ALL_LANES).verdict == "sound"
    assert found(LANES, code.replace("s_sub_i32 s6, 0, s6", "s_sub_i32 s6, 2, s6"), ALL_LANES).verdict == "unsound"


KEPT = """\tscratch_store_dword off, v1, s20 offset:4
\tscratch_load_dword v1, off, s20 offset:4
\ts_waitcnt vmcnt(0)
"""
COUNTED = """\tscratch_load_dword v5, off, s20 offset:8
\ts_waitcnt vmcnt(0)
\tv_add_u32_e32 v5, 1, v5
\tscratch_store_dword off, v5, s20 offset:8
"""


@pytest.mark.parametrize(("more", "verdict"), [(KEPT, "sound"), (KEPT + COUNTED, "unknown")])
def test_what_a_loop_that_waits_has_read_may_lie_in_private_memory(more: str, verdict: str) -> None:
    """As at -O0; what iterations hand on there is counted, so such a loop is followed up to the bound."""
    begun = MESSAGE_CODE.replace(
        ".LBB1_1:\n", "\ts_mov_b32 s20, 0\n\tscratch_store_dword off, v0, s20 offset:8\n.LBB1_1:\n"
    )
    code = begun.replace("\tv_cmp_eq_u32_e32 vcc, 0, v1\n", f"{more}\tv_cmp_eq_u32_e32 vcc, 0, v1\n")
    made = found(MESSAGE, code, LAUNCH)
    assert made.verdict == verdict and made.found == (((42,), (1,), (42,)),)


MASKED = """define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n, i32 %m) {
  %both = add i32 %n, %m
  %low = and i32 %both, 5
  store i32 %low, ptr addrspace(1) %p, align 4
  ret void
}
"""
MASKED_CODE = f"""\t.type k,@function
k:
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\tv_mov_b32_e32 v0, 0
\ts_waitcnt lgkmcnt(0)
\ts_add_u32 s6, s6, s7
\ts_and_b32 s6, s6, 5
\tv_mov_b32_e32 v1, s6
\tglobal_store_dword v0, v1, s[4:5]
\ts_endpgm
{described("k")}{metadata(k="0:8:global_buffer 8:4:by_value 12:4:by_value")}"""


@pytest.mark.parametrize(
    ("launch", "mask", "expected"),
    [
        ("k<<<1, 1>>>(p, m=0)", 5, [("0", "sound"), ("1", "sound"), ("2", "sound")]),
        ("k<<<1, 1>>>(p, m=0)", 4, [("0", "sound"), ("1", "unsound"), ("2", "sound")]),
        ("k<<<1, 1>>>(p, m=4)", 1, [("0", "unsound"), ("1", "unsound"), ("2", "unsound")]),
        ("k<<<1, 1>>>(p, n=4)", 5, [("0", "sound"), ("1", "sound"), ("2", "sound")]),
    ],
)
def test_each_value_of_an_argument_is_judged(
    launch: str, mask: int, expected: list[tuple[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of what nothing is said three values are tried, and each verdict says which it is of."""
    (tmp_path / "k.ll").write_text(MASKED)
    (tmp_path / "k.s").write_text(MASKED_CODE.replace("s6, 5", f"s6, {mask}"))
    paths = [str(tmp_path / "k.ll"), "--asm", str(tmp_path / "k.s")]
    main(["verify", *paths, "--target", "gfx942", "--launch", launch, "--format", "json"])
    found = json.loads(capsys.readouterr().out)["verifications"]
    name = "n" if "m=" in launch else "m"
    assert [(one["test"], one["verdict"]) for one in found] == [
        (f"k ({name} = {value})", verdict) for value, verdict in expected
    ]


def test_values_are_given_where_the_code_finds_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The test has its parameters in the order of their uses, the code in that of the function."""
    (tmp_path / "k.ll").write_text(MASKED.replace("add i32 %n, %m", "sub i32 %m, %n"))
    code = MASKED_CODE.replace("s_add_u32 s6, s6, s7", "s_sub_u32 s6, s7, s6")
    for text, words in ((code, "9 sound"), (code.replace("s7, s6", "s6, s7"), "unsound")):
        (tmp_path / "k.s").write_text(text)
        asked = [str(tmp_path / "k.ll"), "--asm", str(tmp_path / "k.s"), "--launch", "k<<<1, 1>>>(p)"]
        assert main(["verify", *asked, "--target", "gfx942"]) == (0 if words == "9 sound" else 1)
        assert words in capsys.readouterr().out.splitlines()[-1 if words == "9 sound" else -2]


BEHIND_FLAT = """@t = internal addrspace(3) global i32 undef, align 4
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  store i32 7, ptr addrspace(3) @t, align 4
  %v = load i32, ptr addrspace(3) @t, align 4
  store i32 0, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %p, i64 1
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}
"""
BEHIND_FLAT_CODE = f"""\t.type k,@function
k:
\ts_load_b64 s[0:1], s[0:1], 0x0
\tv_mov_b32_e32 v0, 0
\tv_mov_b32_e32 v1, 7
\tds_store_b32 v0, v1
\ts_waitcnt lgkmcnt(0)
\tv_mov_b32_e32 v2, s0
\tv_mov_b32_e32 v3, s1
\tds_load_b32 v4, v0
\tflat_store_b32 v[2:3], v0
\ts_waitcnt lgkmcnt(1)
\tflat_store_b32 v[2:3], v4 offset:4
\ts_endpgm
{described("k", 4)}{metadata(k="0:8:global_buffer")}"""
OLDER = (
    ("s_load_b64", "s_load_dwordx2"), ("ds_store", "ds_write"), ("ds_load", "ds_read"), ("store_b32", "store_dword"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "limit", "hazards"), [("gfx1100", 1, 0), ("gfx1100", 2, 1), ("gfx942", 1, 1), ("gfx942", 0, 0)]
)
def test_flat_accesses_to_memory_have_their_turn_at_the_counter_of_lds(name: str, limit: int, hazards: int) -> None:
    """From GFX11 on LLVM waits for an LDS load before one as both were counted in order; before, only 0 is sure."""
    code = BEHIND_FLAT_CODE.replace("lgkmcnt(1)", f"lgkmcnt({limit})")
    if name == "gfx942":
        for new, old in OLDER:
            code = code.replace(new, old)
    on = target(name)
    test = program(BEHIND_FLAT, "k.ll", "launch k<<<1, 1>>>(p)", on)
    made = verify(test, on, code=CodeSource(("k.s", code)), exploration=VERDICT_ALONE)
    assert len(made.hazards) == hazards and made.verdict == ("unsound" if hazards else "sound")


def test_an_argument_of_several_values_is_refused() -> None:
    """Whoever asks about a program as a whole is to say which it is."""
    with pytest.raises(InputError, match="parameter 'n' has several values, of which code is given one"):
        found(LANES, WAVES_CODE, "k<<<2, 2x2>>>(out)")


def test_a_size_that_is_no_number_is_refused_at_its_line() -> None:
    with pytest.raises(InputError) as raised:
        read_listing(WAVES_CODE.replace("        .size:           4\n", "        .size:           four\n", 1), "k.s")
    (error,) = raised.value.diagnostics
    assert error.message == "the size of an argument is a number of bytes" and error.span.line == 44


# ---------------------------------------------------------------- sources

ANSWERED = ("aggregate.hip", "chained-scan.hip", "double-buffer.hip", "histogram.cl", "hash.hip", "last-block.hip",
            "once.cl", "reduce.cl", "split-k.hip", "stream-k.hip", "system-ring.hip", "ticket.hip",
            "wave-reduce.hip")  # fmt: skip
"""Sources whose code is answered in a second or two."""
with_clang = pytest.mark.skipif(not found_clang(), reason="there is no clang")


@with_clang
@pytest.mark.parametrize(("name", "gpu"), some([*product(ANSWERED, ("gfx90a", "gfx942", "gfx1100", "gfx1200"))], of=13))
def test_a_source_is_verified_as_clang_compiles_it(name: str, gpu: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["verify", str(SOURCES / name), "--target", gpu])
    said = capsys.readouterr().out
    assert code == 0 and "  sound  " in said.replace("sound under", "sound  ") and ", as in clang" in said


@with_clang
def test_the_code_of_a_source_is_kept_and_asked_about_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What clang made says what it is; without its invalidate the lock protects nothing."""
    command, file = ["verify", str(SOURCES / "ticket.hip"), "--target", "gfx942"], tmp_path / "k.s"
    assert main([*command, "--keep", str(file)]) == 0
    assert f", as in {file}\n" in capsys.readouterr().out
    assert main([*command, "--asm", str(file)]) == 0
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("buffer_inv sc1", "s_nop 0"), encoding="utf-8")
    assert text.count("buffer_inv sc1") == 1 and main([*command, "--asm", str(file)]) == 1
    assert main([*command, "--keep", str(tmp_path)]) == 2
    assert "--keep: error: cannot write " in capsys.readouterr().err
    assert main(["verify", "@corpus/base/MP+rel+acq.litmus", "--target", "gfx942", "--keep", str(file)]) == 2
    assert "--keep: error: one source's code is kept, and here are 0" in capsys.readouterr().err


@with_clang
def test_the_code_of_a_source_does_not_replace_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "ticket.hip"
    source.write_text((SOURCES / "ticket.hip").read_text(encoding="utf-8"), encoding="utf-8")
    before = source.read_bytes()
    assert main(["verify", str(source), "--target", "gfx942", "--keep", str(source)]) == 2
    assert "this file is read, and would be replaced by what is found" in capsys.readouterr().err
    assert source.read_bytes() == before


@with_clang
def test_a_launch_that_is_guessed_gives_the_arguments_that_it_guesses(tmp_path: Path) -> None:
    """Two workgroups of two lanes each add one to memory that is guessed, which begins with 0."""
    path = tmp_path / "k.hip"
    path.write_text("__global__ void k(int *x) { atomicAdd(x, 1); }\n", encoding="utf-8")
    text, where = path.read_text(encoding="utf-8"), target("gfx942")
    code = CodeSource(built_code(text, str(path), where))
    made = verify(program(text, str(path), "", where), where, code=code, exploration=VERDICT_ALONE)
    assert (made.verdict, made.found) == ("sound", (((4,),),))


@with_clang
def test_a_source_that_clang_refuses_is_refused_at_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.hip"
    path.write_text("// axmem: launch k<<<1, 1>>>(x)\n__global__ void k(int *x) {\n  *y = 1;\n}\n", encoding="utf-8")
    assert main(["verify", str(path), "--target", "gfx942"]) == 2
    assert "k.hip:3:4: error: clang says: use of undeclared identifier 'y'" in capsys.readouterr().err
