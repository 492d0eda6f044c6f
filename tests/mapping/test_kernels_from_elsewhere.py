"""Code that was not made from axmem's IR: without a buffer for results, with arguments of its own, by place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.front.source import InputError
from axmem.mapping.verification import CodeSource, verify

MESSAGE = """litmus message
global x = 0, f = 0, out = 9
thread P0 @ agent 0, workgroup 0 {
  store 42, x
  store atomic 1, f syncscope("agent") release
}
thread P1 @ agent 0, workgroup 1 {
  r = load atomic f syncscope("agent") acquire
  if r { v = load x
    store v, out }
}
exists (out=0)
"""


def address(register: int, name: str) -> str:
    low, high = f"s{register}", f"s{register + 1}"
    return (f"  s_getpc_b64 s[{register}:{register + 1}]\n  s_add_u32 {low}, {low}, {name}@rel32@lo+4\n"
            f"  s_addc_u32 {high}, {high}, {name}@rel32@hi+12\n")  # fmt: skip


PRODUCER = f"""P0:
{address(0, "x")}{address(2, "f")}  v_mov_b32_e32 v0, 0
  v_mov_b32_e32 v1, 42
  v_mov_b32_e32 v2, 1
  global_store_dword v0, v1, s[0:1]
  buffer_wbl2 sc1
  s_waitcnt vmcnt(0)
  global_store_dword v0, v2, s[2:3] sc1
  s_endpgm
"""
CONSUMER = f"""	.type P1,@function
P1:
{address(0, "x")}{address(2, "f")}{address(4, "out")}  v_mov_b32_e32 v0, 0
  global_load_dword v1, v0, s[2:3] sc1
  s_waitcnt vmcnt(0)
  buffer_inv sc1
  v_cmp_eq_u32_e32 vcc, 0, v1
  s_cbranch_vccnz .LBB0_2
  global_load_dword v1, v0, s[0:1]
  s_waitcnt vmcnt(0)
  global_store_dword v0, v1, s[4:5]
.LBB0_2:
  s_endpgm
"""
EMPTY = """	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:           []
    .name:           P0
  - .args:           []
    .name:           P1
...
	.end_amdgpu_metadata
"""


@pytest.mark.parametrize("metadata", ["", EMPTY])
def test_registers_that_no_buffer_receives_are_not_compared(
    metadata: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a kernel does not keep is not what the machine gives it, undef; the answer says what is not compared."""
    test, file = tmp_path / "t.litmus", tmp_path / "t.s"
    test.write_text(MESSAGE, encoding="utf-8")
    file.write_text(PRODUCER + CONSUMER + metadata, encoding="utf-8")
    command = ["verify", str(test), "--asm", str(file), "--target", "gfx942"]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "  sound  " in said and "\n  not compared: P1:r, P1:v: kernel P1 keeps no results\n" in said
    assert main([*command, "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["verifications"]
    assert found["not_compared"] == dict.fromkeys(("P1:r", "P1:v"), "kernel P1 keeps no results")
    file.write_text((PRODUCER + CONSUMER + metadata).replace("  buffer_inv sc1\n", ""), encoding="utf-8")
    assert main(command) == 1, "what is compared is: the message is lost without the invalidate"


def test_a_filter_on_a_register_that_is_not_kept_is_refused() -> None:
    with pytest.raises(InputError, match="a filter, where code does not show every register"):
        filtered = MESSAGE.replace("exists", "filter (P1:r=1)\nexists")
        verify(filtered, "gfx942", code=CodeSource(("t.s", PRODUCER + CONSUMER)))


def test_a_test_of_which_nothing_can_be_compared_is_refused() -> None:
    test = "litmus T\nglobal x = 0\nthread P0 { r = load x }\nexists (P0:r=0)\n"
    code = f"P0:\n{address(0, 'x')}  v_mov_b32_e32 v0, 0\n  global_load_dword v1, v0, s[0:1]\n  s_endpgm\n"
    with pytest.raises(InputError, match="code shows nothing of what this test observes"):
        verify(test, "gfx942", code=CodeSource(("t.s", code)))


def test_an_assume_that_is_not_kept_is_refused() -> None:
    test = "litmus T\nglobal x = 0\nthread P0 { r = load x\n assume r == 0\n store 1, x }\nexists (x=1)\n"
    code = f"P0:\n{address(0, 'x')}  v_mov_b32_e32 v0, 0\n  global_store_dword v0, v0, s[0:1]\n  s_endpgm\n"
    with pytest.raises(InputError, match="an assume of thread P0: kernel P0 keeps no results"):
        verify(test, "gfx942", code=CodeSource(("t.s", code)))


# ---------------------------------------------------------------- arguments

CALL = """; axmem: thread @w({given}) @ agent 0, workgroup 0
; axmem: exists (a=2 /\\ b=1)
@a = addrspace(1) global i32 0, align 4
@b = addrspace(1) global i32 0, align 4
define amdgpu_kernel void @w(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {
  store i32 1, ptr addrspace(1) %a, align 4
  store i32 %n, ptr addrspace(1) %b, align 4
  ret void
}
"""
CALLED = """w:
  s_load_dwordx4 s[0:3], s[4:5], 0x0
  s_load_dword s6, s[4:5], 0x10
  v_mov_b32_e32 v0, 0
  v_mov_b32_e32 v1, 1
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v2, s6
  global_store_dword v0, v1, s[0:1]
  global_store_dword v0, v2, s[2:3]
  s_endpgm
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .name:           a
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .name:           b
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .name:           n
        .offset:         16
        .size:           4
        .value_kind:     by_value
    .name:           w
...
	.end_amdgpu_metadata
"""


@pytest.mark.parametrize("given", ["@b, @a, 2", "@a, @b, 2", "@a, @b, -1"])
def test_arguments_are_bound_by_their_place(given: str) -> None:
    """The call decides what a parameter is, not its name."""
    code = CALL.replace("{given}", given)
    assert verify(code, "gfx942", code=CodeSource(("t.s", CALLED))).verdict == "sound"
    wrong = CALLED.replace("dword v0, v1, s[0:1]", "dword v0, v1, s[2:3]").replace("v0, v2, s[2:3]", "v0, v2, s[0:1]")
    assert verify(code, "gfx942", code=CodeSource(("t.s", wrong))).verdict == "unsound"


def test_another_number_of_arguments_is_refused() -> None:
    code = CALL.replace("{given}", "@a, @b").replace(", i32 %n", "").replace("i32 %n", "i32 2")
    with pytest.raises(InputError, match="the kernel has 3 arguments in this file, and 2 in the test"):
        verify(code, "gfx942", code=CodeSource(("t.s", CALLED)))


# ---------------------------------------------------------------- descriptors


@pytest.mark.parametrize(("setting", "said"), [
    ("", "the descriptor s\\[8:11\\] depends on s8, which the kernel did not set"),
    ("  s_mov_b64 s[8:9], s[0:1]\n", "the descriptor s\\[8:11\\] depends on s0, which the kernel did not set"),
])  # fmt: skip
def test_a_descriptor_that_was_never_set_is_refused(setting: str, said: str) -> None:
    test = "litmus T\nglobal x = 0\nthread P0 { store 1, x }\nexists (x=1)\n"
    code = f"P0:\n{setting}  v_mov_b32_e32 v0, 1\n  buffer_store_dword v0, off, s[8:11], 0\n  s_endpgm\n"
    with pytest.raises(InputError, match=said):
        verify(test, "gfx900", code=CodeSource(("t.s", code)))


def test_the_descriptor_that_a_kernel_begins_with_is_private_memory() -> None:
    test = "litmus T\nglobal x = 0\nthread P0 { store 1, x }\nexists (x=1)\n"
    code = (f"P0:\n  s_add_u32 s0, s0, s7\n  s_addc_u32 s1, s1, 0\n{address(8, 'x')}  v_mov_b32_e32 v0, 1\n"
            "  v_mov_b32_e32 v2, 0\n  buffer_store_dword v0, off, s[0:3], 0\n  buffer_load_dword v1, off, s[0:3], 0\n"
            "  s_waitcnt vmcnt(0)\n  global_store_dword v2, v1, s[8:9]\n  s_endpgm\n")  # fmt: skip
    assert verify(test, "gfx900", code=CodeSource(("t.s", code))).verdict == "sound"
    no_segment = ".amdhsa_kernel P0\n.amdhsa_user_sgpr_private_segment_buffer 0\n.end_amdhsa_kernel\n"
    with pytest.raises(InputError, match="the descriptor s\\[0:3\\] depends on s"):
        verify(test, "gfx900", code=CodeSource(("t.s", code + no_segment)))
