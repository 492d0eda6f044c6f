"""The lowering tables are what LLVM 22 emits, as recorded by `python -m tests.lowering --record`."""

from __future__ import annotations

import pytest

from axmem.codegen.lowering import lower_operation
from axmem.codegen.tables import families
from axmem.codegen.targets import Target
from tests.lowering import assembly, mir
from tests.lowering.__main__ import main
from tests.lowering.canonical import canonical
from tests.lowering.cross import function, module, operations
from tests.lowering.differences import explained
from tests.lowering.record import read

RECORDED = read()
TARGETS = {
    f"{family.targets[0]} {mode}": Target(family.targets[0], family, mode, "llvm-22")
    for family in families().values()
    for mode in family.modes
}


def test_waits_are_read_as_either_version_prints_them() -> None:
    """112 is vmcnt(0) lgkmcnt(0) of GFX9: bits 3:0, 15:14 and 11:8 are 0, and 6:4, for exports, are not."""
    where = TARGETS["gfx942 cu"]
    for operand in ("112", ".Vmcnt_0_Lgkmcnt_0"):
        assert mir.parsed(f"name: f0\n    S_WAITCNT_soft {operand}\n", where) == {0: ("wait lgkmcnt vmcnt",)}


def test_every_family_is_recorded_in_every_mode() -> None:
    assert list(RECORDED) == list(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_the_tables_are_what_llvm_emits(name: str) -> None:
    target, made = TARGETS[name], RECORDED[name]
    compared = list(operations(target, thin=True))
    assert len(compared) > 1500
    for operation, theirs in zip(compared, made, strict=True):
        ours = canonical(lower_operation(operation, target))
        if ours != theirs:
            assert explained(operation, target, ours, theirs), f"{function(operation, 'f')}{ours}\n{theirs}"


MACHINE_CODE = """\
---
name:            f0
body:             |
  bb.0 (%ir-block.0):
    S_WAITCNT_soft 112
    S_WAITCNT_lds_direct
    renamable $vgpr0 = GLOBAL_LOAD_DWORD killed renamable $vgpr0_vgpr1, 0, 17, implicit $exec :: (load (s32) from %ir.p)
    S_WAITCNT_soft 3952
    BUFFER_INV 17, implicit $exec
    GLOBAL_STORE_DWORD killed $vgpr0_vgpr1, killed $vgpr2, 0, 0, implicit $exec :: (store (s32) into %ir.q)
    S_ENDPGM 0
...
"""


def test_machine_code_is_read() -> None:
    expected = ("wait lgkmcnt vmcnt", "global_load sc0 sc1", "wait vmcnt", "buffer_inv sc0 sc1")
    assert mir.parsed(MACHINE_CODE, TARGETS["gfx942 cu"]) == {0: expected}


def test_an_unknown_instruction_of_machine_code_is_an_error() -> None:
    with pytest.raises(KeyError, match="BUFFER_WBINVL9"):
        mir.parsed(MACHINE_CODE.replace("BUFFER_INV", "BUFFER_WBINVL9"), TARGETS["gfx942 cu"])


ASSEMBLY = """\
f7:
	s_wait_loadcnt_dscnt 0x0
	; axmem begin
	s_wait_storecnt_dscnt 0x0
	v_mov_b32_e32 v1, v2
	global_load_b32 v0, v[0:1], off th:TH_LOAD_NT scope:SCOPE_SYS
	global_inv scope:SCOPE_SYS
	; axmem end
	s_wait_loadcnt 0x0
"""


def test_assembly_is_read() -> None:
    load = "global_load_b32 th:TH_LOAD_NT scope:SCOPE_SYS"
    assert assembly.parsed(ASSEMBLY) == {7: ("wait dscnt storecnt", load, "global_inv scope:SCOPE_SYS")}


def test_an_unknown_instruction_of_assembly_is_an_error() -> None:
    with pytest.raises(ValueError, match="image_load v0"):
        assembly.parsed(ASSEMBLY.replace("v_mov_b32_e32 v1", "image_load v0"))


def test_every_operation_is_a_function_of_its_own() -> None:
    target = TARGETS["gfx1250 cu"]
    compared = list(operations(target))
    assert len(set(compared)) == len(compared) == 5537
    assert len({function(operation, "f") for operation in compared}) == len(compared)
    assert module(compared).count("define ") == len(compared)


def test_the_record_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    """`--show` prints each operation as LLVM's text, and what LLVM made of it below."""
    assert main(["--show", "gfx942"]) == 0
    shown = capsys.readouterr().out
    first, _, second = shown.partition("gfx942 tgsplit:\n")
    volatile = "  %r = load volatile i32, ptr %p, align 4\n      flat_load sc0 sc1\n      wait vmcnt\n"
    assert first.startswith("gfx942 cu:\n") and volatile in first and volatile in second
    operations_shown = [line for line in first.splitlines()[1:] if not line.startswith("    ")]
    assert len(operations_shown) == len(RECORDED["gfx942 cu"])
