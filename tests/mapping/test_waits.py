"""`axmem verify --waits`: hazards by hand, computed jumps, calls, LDS, what is not judged, the command."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.mapping.waits import JudgedFunction, waits
from tests.mapping.waits_left_out import left_out
from tests.paths import ROOT

EARLY = ROOT / "litmus" / "examples" / "early.s"
LOAD, USE = "global_load_dword v1, v0, s[0:1]", "v_mov_b32_e32 v2, v1"


def judged(name: str, body: str, *, kernel: bool = True) -> JudgedFunction:
    """Return what is found of a function, whose lines a semicolon separates."""
    lines = [line.strip() for line in body.split(";")]
    code = "\n".join(line if line.endswith(":") else f"  {line}" for line in lines)
    described = "\t.amdhsa_kernel f\n\t.end_amdhsa_kernel\n" if kernel else ""
    text = f"\t.text\n\t.type f,@function\nf:\n{code}\n.Lfunc_end0:\n\t.size f, 0\n{described}"
    return waits("t.s", text.encode(), name).functions[0]


def told(name: str, body: str, *, kernel: bool = True) -> list[tuple[str, tuple[str, ...], str]]:
    return [(h.kind.value, h.registers, h.counter) for h in judged(name, body, kernel=kernel).hazards]


GOES = ".Lpost:; s_add_u32 s8, s8, ({0}-.Lpost)&4294967295; s_addc_u32 s9, s9, 0"
"""The address of a label as LLVM adds it to the program counter, in s[8:9]."""
V1 = ("used", ("v1",), "vmcnt")
DMA = "global_load_lds_dword v[2:3], off"
SAVES = "s_and_saveexec_b32 s2, vcc_lo"
EXEC = [("source", ("exec_lo",), "xcnt")]
LOAD12, STORE12 = "global_load_b32 v1, v0, s[0:1]", "global_store_b32 v0, v1, s[0:1]"
MORE = (
    f"{LOAD}; s_cmp_eq_u32 s4, 1; s_cbranch_scc1 .L1; global_load_dword v5, v0, s[0:1]; .L1:; {{0}}; "
    f"s_cmp_eq_u32 {{1}}, 1; s_cbranch_scc1 .L2; s_waitcnt vmcnt(1); {USE}; .L2:; s_endpgm"
)
"""Unless s4 is 1 there is a second load, and behind a second comparison the first is waited for."""
FEWER = f"{LOAD}; {{0}}; s_cbranch_scc1 .L1; s_waitcnt vmcnt(0); .L1:; {{1}}; s_cbranch_scc1 .L2; {USE}; .L2:; s_endpgm"
"""What the first comparison lets pass does not wait; what the second does not uses the result."""
BY_HAND = [
    ("gfx942", f"{LOAD}; {USE}; s_endpgm", [V1]),
    ("gfx942", f"{LOAD}; s_waitcnt vmcnt(0); {USE}; s_endpgm", []),
    ("gfx942", f"{LOAD}; s_cbranch_scc1 .L1; s_waitcnt vmcnt(0); .L1:; {USE}; s_endpgm", [V1]),
    ("gfx942", "global_load_dwordx2 a[2:3], v0, s[0:1]; v_accvgpr_read_b32 v1, a3; s_endpgm",
     [("used", ("a3",), "vmcnt")]),
    ("gfx942", "s_buffer_load_dwordx4 s[4:7], s[0:3], 0x0; s_add_u32 s7, s8, s9; s_endpgm",
     [("overwritten", ("s7",), "lgkmcnt")]),
    ("gfx942", "ds_read_b64_tr_b16 v[2:3], v0; v_unheard_of_f32 v9, v3; s_endpgm", [("used", ("v3",), "lgkmcnt")]),
    ("gfx1100", "exp pos0 v0, v1, v2, v3 done; v_mov_b32_e32 v2, 0; s_endpgm", [("source", ("v2",), "expcnt")]),
    ("gfx1100", "exp pos0 v0, v1, v2, v3 done; s_waitcnt expcnt(0); v_mov_b32_e32 v2, 0; s_endpgm", []),
    ("gfx1200", "image_sample v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf; s_wait_loadcnt 0x0; v_mov_b32 v4, v0; "
     "s_endpgm", [("used", ("v0",), "samplecnt")]),
    ("gfx1250", "s_load_b64 s[0:1], s[2:3], 0x0; v_mov_b32_e32 v72 /*v328*/, v72; s_wait_kmcnt 0x0; s_endpgm", []),
    ("gfx1250", f"{STORE12}; {SAVES}; s_endpgm", EXEC),
    ("gfx1250", f"{STORE12}; s_wait_xcnt 0x0; {SAVES}; s_endpgm", []),
    ("gfx1250", f"{STORE12}; s_wait_storecnt 0x0; {SAVES}; s_endpgm", []),
    ("gfx1250", f"{LOAD12}; s_wait_loadcnt 0x0; {SAVES}; s_endpgm", []),
    ("gfx1250", f"{LOAD12}; {STORE12}; s_wait_xcnt 0x1; {SAVES}; s_endpgm", [("used", ("v1",), "loadcnt"), *EXEC]),
    ("gfx1250", f"{STORE12}; s_cbranch_scc1 .L1; s_wait_xcnt 0x0; .L1:; {SAVES}; s_endpgm", EXEC),
    ("gfx1250", f"{STORE12}; v_cmpx_eq_u32_e32 v2, v3; s_endpgm", EXEC),
    ("gfx1250", f"{STORE12}; s_mov_b32 s2, exec_lo; v_cmp_eq_u32_e32 vcc_lo, v2, v3; s_endpgm", []),
    ("gfx1250", f"ds_store_b32 v0, v1; {SAVES}; s_endpgm", []),
    ("gfx1200", f"{STORE12}; {SAVES}; s_endpgm", []),
    ("gfx803", "flat_load_dword v1, v[2:3]; s_waitcnt vmcnt(0); v_mov_b32_e32 v4, v1; s_endpgm", []),
    ("gfx942", "flat_load_dword v1, v[2:3]; s_waitcnt vmcnt(0); v_mov_b32_e32 v4, v1; s_endpgm",
     [("used", ("v1",), "lgkmcnt")]),
    ("gfx942", f"{DMA}; ds_read_b32 v5, v6; s_waitcnt vmcnt(0) lgkmcnt(0); s_endpgm", []),
    ("gfx942", f"{DMA}; ds_read_b32 v5, v6; s_waitcnt lgkmcnt(0); s_endpgm", [("copied", ("LDS",), "vmcnt")]),
    ("gfx942", "; ".join(f"ds_read_b32 v{k}, v0" for k in range(1, 16)) + "; v_mov_b32 v20, v1; s_endpgm",
     [("used", ("v1",), "lgkmcnt")]),
    ("gfx942", "; ".join(f"ds_read_b32 v{k}, v0" for k in range(1, 17)) + "; v_mov_b32 v20, v1; s_endpgm", []),
    ("gfx1100", "scratch_store_b32 off, v0, off; s_sendmsg sendmsg(MSG_DEALLOC_VGPRS); s_endpgm",
     [("scratch", ("scratch",), "vscnt")]),
    ("gfx942", f"s_cmp_eq_u32 s4, 0; s_cbranch_scc1 .L1; {LOAD}; .L1:; s_cmp_lg_u32 s4, 0; s_cbranch_scc1 .L2; {USE}; "
     ".L2:; s_endpgm", []),
    ("gfx942", f"s_cmp_eq_u32 s4, 0; s_cbranch_scc1 .L1; {LOAD}; .L1:; s_add_u32 s4, s4, 1; s_cmp_lg_u32 s4, 0; "
     f"s_cbranch_scc1 .L2; {USE}; .L2:; s_endpgm", [V1]),
    # As GEMMs fetch ahead: who loads more waits for less, and who does not is not there to wait.
    ("gfx942", MORE.format("s_nop 0", "s4"), []),
    ("gfx942", MORE.format("s_nop 0", "s5"), [V1]),
    ("gfx942", MORE.format("s_add_u32 s4, s4, 1", "s4"), [V1]),
    ("gfx942", MORE.format("s_nop 0", "s4").replace("vmcnt(1)", "vmcnt(2)"), [V1]),
    # Of several comparisons with numbers what they leave decides: 2 is at most 2, and so at most 3.
    ("gfx942", FEWER.format("s_cmp_le_u32 s4, 2", "s_cmp_le_u32 s4, 3"), []),
    ("gfx942", FEWER.format("s_cmp_le_u32 s4, 3", "s_cmp_le_u32 s4, 2"), [V1]),
    ("gfx942", FEWER.format("s_cmp_le_u32 s4, 2", "s_cmp_le_i32 s4, 3"), [V1]),
    ("gfx942", FEWER.format("s_cmp_lt_i32 s4, -1", "s_cmpk_lg_i32 s4, 0xffff"), []),
    ("gfx942", FEWER.format("s_cmp_eq_u32 s4, 5", "s_cmp_gt_i32 s4, 4"), []),
    ("gfx942", FEWER.format("s_cmp_eq_u32 s4, 5", "s_cmp_gt_i32 s4, 5"), [V1]),
    ("gfx942", f"{LOAD}; s_getpc_b64 s[8:9]; {GOES.format('.L1')}; "
     f"s_setpc_b64 s[8:9]; s_waitcnt vmcnt(0); .L1:; {USE}; s_endpgm", [V1]),
    ("gfx942", f"s_getpc_b64 s[8:9]; {GOES.format('.Lsub')}; {LOAD}; "
     f"s_swappc_b64 s[10:11], s[8:9]; {USE}; s_endpgm; .Lsub:; s_waitcnt vmcnt(0); s_setpc_b64 s[10:11]", []),
    ("gfx942", f"s_getpc_b64 s[8:9]; {GOES.format('.Lsub')}; {LOAD}; "
     f"s_swappc_b64 s[10:11], s[8:9]; {USE}; s_endpgm; .Lsub:; s_nop 0; s_setpc_b64 s[10:11]", [V1]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "expected"), BY_HAND, ids=[f"{n}: {b}" for n, b, _ in BY_HAND])
def test_by_hand(name: str, body: str, expected: list[tuple[str, tuple[str, ...], str]]) -> None:
    assert told(name, body) == expected


def test_functions_wait_when_they_are_entered_and_before_they_return() -> None:
    whole = f"s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0); {LOAD}; s_waitcnt vmcnt(0); s_setpc_b64 s[30:31]"
    assert told("gfx942", whole, kernel=False) == []
    assert judged("gfx942", whole, kernel=False).assumed
    late = told("gfx942", whole.replace("; s_waitcnt vmcnt(0);", ";"), kernel=False)
    assert late == [("returned", (), "vmcnt")]
    early = told("gfx942", whole.replace("s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0); ", ""), kernel=False)
    assert {kind for kind, _, _ in early} == {"used", "overwritten"}
    assert {counter for _, _, counter in early} == {"lgkmcnt", "vmcnt"}


@pytest.mark.parametrize("size", ["\t.size f, 0\n", ""])
def test_a_function_whose_name_is_quoted_is_one_of_the_file(size: str) -> None:
    """LLVM quotes names with other characters than C's; without `.size` the function before it ends there, too."""

    def named(name: str, body: str, end: str = "") -> str:
        return (
            f"\t.type {name},@function\n{name}:\n{body}  s_endpgm\n{end}\t.amdhsa_kernel {name}\n\t.end_amdhsa_kernel\n"
        )

    right, wrong = f"  {LOAD}\n  s_waitcnt vmcnt(0)\n  {USE}\n", f"  {LOAD}\n  {USE}\n"
    text = named("f", right, size) + named('"a-b,c"', wrong) + named('"d-e"', right)
    found = waits("t.s", text.encode(), "gfx942").functions
    assert [(f.name, len(f.hazards)) for f in found] == [("f", 0), ("a-b,c", 1), ("d-e", 0)]


def test_a_jump_whose_offset_has_either_sign_goes_where_it_is() -> None:
    """As macros jump far: by the amount of an offset, up or down; behind a label the sum rests on itself."""
    far = (
        f"{LOAD}; s_getpc_b64 s[8:9]; .Lpost:; s_add_u32 s4, (.L1-.Lpost)&4294967295, 0; s_cmp_ge_i32 s4, 0; "
        "s_cbranch_scc1 .Lup; s_abs_i32 s4, s4; s_sub_u32 s8, s8, s4; s_subb_u32 s9, s9, 0; s_setpc_b64 s[8:9]; "
        ".Lup:; s_add_u32 s8, s8, s4; s_addc_u32 s9, s9, 0; s_setpc_b64 s[8:9]; "
        f"s_waitcnt vmcnt(0); .L1:; {USE}; s_endpgm"
    )
    found = judged("gfx942", far)
    assert not found.unknown and [h.registers for h in found.hazards] == [("v1",)]


def test_of_many_hazards_a_text_has_the_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each use on a way of its own is one."""
    uses = [f"  s_cbranch_scc1 .L{k}\n  {USE}\n  s_endpgm\n.L{k}:\n" for k in range(24)]
    made = tmp_path / "k.s"
    made.write_text(f"f:\n  {LOAD}\n{''.join(uses)}  s_endpgm\n")
    assert main(["verify", "--waits", str(made), "--target", "gfx942"]) == 1
    lines = capsys.readouterr().out.splitlines()
    told = f"{made}: f: and 4 more: --format json has all"
    assert lines[20:] == [told, "1 function, 74 instructions: 24 register hazards"]
    assert main(["verify", "--waits", str(made), "--target", "gfx942", "--format", "json"]) == 1
    assert capsys.readouterr().out.count("v_mov_b32_e32 v2, v1") == 24


def test_what_is_not_judged_is_said() -> None:
    where = judged("gfx942", "s_load_dwordx2 s[8:9], s[0:1], 0x0; s_waitcnt lgkmcnt(0); s_setpc_b64 s[8:9]").unknown
    assert [(span.line, why) for span, why in where] == [(6, "where 's_setpc_b64 s[8:9]' goes is not known")]
    copied = judged("gfx942", f"{DMA}; ds_read_b32 v5, v6; s_waitcnt vmcnt(0) lgkmcnt(0); s_endpgm")
    assert [span.line for span in copied.passed] == [5]


def test_the_command_and_its_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, jump = (tmp_path / f"{name}.s" for name in ("good", "bad", "jump"))
    good.write_text(EARLY.read_text().replace("vmcnt(1)", "vmcnt(0)").replace("s_cbranch_scc1 .LBB0_2", "s_nop 0"))
    bad.write_text("f:\n  s_waitcnt vscnt(0)\n  s_endpgm\n")
    jump.write_text("f:\n  s_setpc_b64 s[0:1]\n")
    assert main(["verify", "--waits", str(EARLY)]) == 1
    assert capsys.readouterr().out.endswith("1 function, 13 instructions: 2 register hazards\n")
    assert main(["verify", "--waits", str(good)]) == 0
    assert main(["verify", "--waits", str(bad)]) == 2
    out, err = capsys.readouterr()
    assert "does not say which processor" in err and out.endswith("\n0 functions: nothing judged\n")
    assert main(["verify", "--waits", str(bad), "--target", "gfx942"]) == 2
    assert "bad.s:2:3: error: there is no counter 'vscnt' on gfx942" in capsys.readouterr().err
    assert main(["verify", "--waits", str(jump), "--target", "gfx942"]) == 3
    capsys.readouterr()
    assert main(["verify", "--waits", str(EARLY), "--format", "sarif"]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert [(r["ruleId"], r["locations"][0]["physicalLocation"]["region"]["startLine"]) for r in run["results"]] == [
        ("hazard", 19), ("hazard", 20)]  # fmt: skip


with_llvm = pytest.mark.skipif(
    not (shutil.which("llvm-mc-22") and shutil.which("llvm-objdump-22")), reason="no LLVM 22"
)


@with_llvm
def test_macros_and_code_objects_go_through_llvm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    macro = tmp_path / "macro.s"
    text = ".macro get d\n  global_load_dword v[\\d], v0, s[0:1]\n.endm\nf:\n  get 1\n  v_mov_b32 v2, v1\n  s_endpgm\n"
    macro.write_text(text)
    assert main(["verify", "--waits", str(macro), "--target", "gfx942"]) == 1
    out = capsys.readouterr().out
    assert "f: 'v_mov_b32_e32 v2, v1' (line 6) uses v1" in out and "lines are those of" not in out
    made = tmp_path / "k.o"
    command = ["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", "-o", str(made), str(EARLY)]
    subprocess.run(command, check=True)
    assert main(["verify", "--waits", str(made)]) == 1
    assert "2 register hazards" in capsys.readouterr().out


@with_llvm
def test_what_is_included_has_lines_of_what_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The assembler says which line it is, and not of which file."""
    (tmp_path / "get.inc").write_text(f"  s_nop 0\n  {LOAD}\n")
    made = tmp_path / "k.s"
    made.write_text(f'f:\n.include "get.inc"\n  {USE}\n  s_endpgm\n')
    assert main(["verify", "--waits", str(made), "--target", "gfx942"]) == 1
    out = capsys.readouterr().out
    _, _, command = out.splitlines()[0].partition("lines are those of ")
    assert f"-mcpu=gfx942 {made} -o k.o && llvm-objdump -d -t -l k.o" in command
    (where,) = re.findall(r"\(line (\d+)\) uses", out)
    printed = subprocess.run(
        command.strip("'").replace("llvm-mc", "llvm-mc-22").replace("llvm-objdump", "llvm-objdump-22"),
        shell=True, check=True, capture_output=True, text=True, cwd=tmp_path,
    ).stdout  # fmt: skip
    assert "v_mov_b32_e32 v2, v1" in printed.splitlines()[int(where) - 1]


@with_llvm
def test_a_processor_that_has_another_name_now(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / "k.s"
    text = f'\t.amdgcn_target "amdgcn-amd-amdhsa--gfx941"\n.set x, 1\nf:\n  {LOAD}\n  {USE}\n  s_endpgm\n'
    made.write_text(text)
    assert main(["verify", "--waits", str(made)]) == 1
    out, err = capsys.readouterr()
    assert "(line 5) uses v1" in out and f"note: {made}: it is for gfx941, and is read as code for gfx942" in err
    made.write_text(text.replace("gfx941", "gfx9999"))
    assert main(["verify", "--waits", str(made)]) == 2
    assert f"{made}: error: it is for 'gfx9999', which is not known\n  hint: " in capsys.readouterr().err
    made.write_text("\n")
    assert main(["verify", "--waits", str(made)]) == 2
    assert f"{made}: error: the file is empty" in capsys.readouterr().err


def test_without_llvm_one_sentence_says_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    made = tmp_path / "k.co"
    made.write_bytes(b"\x7fELF nothing")
    assert main(["verify", "--waits", str(made), "--target", "gfx942"]) == 2
    assert f"'llvm-objdump -d -t -l {made} > k.s' makes what is read" in capsys.readouterr().err


def test_waits_left_out_are_caught_or_named() -> None:
    wait, more = "  s_waitcnt vmcnt(0)", "  global_load_dword v3, v0, s[0:1]"
    lines = ["f:", f"  {LOAD}", wait, "  s_nop 0", wait, f"  {USE}", more, wait, "  v_mov_b32 v4, v3", "  s_endpgm"]
    found = [(one.line, one.why, one.by) for one in left_out("\n".join(lines), "gfx942")]
    assert found == [(3, "subsumed", (5,)), (5, "idle", ()), (8, "caught", ())]
