"""Loops in assembly: those that only wait are followed exactly, others up to the bound, and the rest is said.

The code is what llc-22 makes of tests/compiled/kernels for gfx942. That a lock keeps two additions apart, and what is
lost without an instruction, follows from the test itself.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from axmem.codegen.assembly.loops import PRIVATE, differing, made_unknown, silent
from axmem.codegen.assembly.places import BytePlace
from axmem.codegen.assembly.registers import Registers
from axmem.codegen.assembly.state import Entered, KernelState, KernelStep, PlaceFootprint
from axmem.codegen.assembly.text import AssemblyLine
from axmem.codegen.instructions import EmittedInstruction, InstructionKind
from axmem.events.values import Constant
from axmem.formats.reading import parse, parse_file
from axmem.front.source import NOWHERE, InputError
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.verification import CodeSource, Verification, verify
from tests.exploring import VERDICT_ALONE
from tests.paths import ROOT

KERNELS = ROOT / "tests" / "compiled" / "kernels"
SPIN = """\t.type K,@function
K:
\ts_mov_b64 s[2:3], 0
\tv_mov_b32_e32 v0, 1
\tv_mov_b32_e32 v1, 0
\ts_getpc_b64 s[0:1]
\ts_add_u32 s0, s0, lock@rel32@lo+4
\ts_addc_u32 s1, s1, lock@rel32@hi+12
.LBB0_1:
\tglobal_atomic_cmpswap v2, v1, v[0:1], s[0:1] sc0
\ts_waitcnt vmcnt(0)
\tbuffer_inv sc1
\tv_cmp_eq_u32_e32 vcc, 0, v2
\ts_or_b64 s[2:3], vcc, s[2:3]
\ts_andn2_b64 exec, exec, s[2:3]
\ts_cbranch_execnz .LBB0_1
\ts_or_b64 exec, exec, s[2:3]
\ts_getpc_b64 s[2:3]
\ts_add_u32 s2, s2, count@rel32@lo+4
\ts_addc_u32 s3, s3, count@rel32@hi+12
\ts_load_dword s4, s[2:3], 0x0
\tv_mov_b32_e32 v0, 0
\ts_waitcnt lgkmcnt(0)
\ts_add_i32 s4, s4, 1
\tv_mov_b32_e32 v1, s4
\tglobal_store_dword v0, v1, s[2:3]
\tbuffer_wbl2 sc1
\ts_waitcnt vmcnt(0)
\tglobal_store_dword v0, v0, s[0:1] sc1
\ts_endpgm
"""
PAST = "v_mov_b32_e32 v5, 0\n\tglobal_load_dword v4, v5, s[2:3]"
ADDED = "s_waitcnt lgkmcnt(0)\n\ts_add_i32 s4, s4, 1\n\tv_mov_b32_e32 v1, s4"
VECTOR = SPIN.replace("s_load_dword s4, s[2:3], 0x0", PAST).replace(
    ADDED, "s_waitcnt vmcnt(0)\n\tv_add_u32_e32 v1, 1, v4"
)
"""The counter is read past the scalar cache, which is what docs/findings/fixed/stale-scalar-load.md asks for."""


def spin() -> LitmusTest:
    return parse_file(KERNELS / "Spin-lock.litmus")


def bounded() -> LitmusTest:
    return replace(spin(), bound=2)


def found(test: LitmusTest, text: str) -> Verification:
    return verify(test, "gfx942", code=CodeSource(("k.s", text)), exploration=VERDICT_ALONE)


def test_a_lock_that_is_spun_for_is_followed_exactly() -> None:
    """Without a bound: nothing is incomplete, and both threads have had the lock in every outcome."""
    made = found(spin(), VECTOR)
    assert (made.verdict, made.incomplete, made.found) == ("sound", (), (((2,),),))
    stale = found(spin(), SPIN)
    assert (stale.verdict, stale.incomplete) == ("unsound", ())
    assert set(stale.found) == {((1,),), ((2,),)}


@pytest.mark.parametrize("line", ["\tbuffer_inv sc1\n", "\ts_waitcnt vmcnt(0)\n\tglobal_store_dword v0, v0"])
def test_what_the_lock_needs_is_needed(line: str) -> None:
    """Neither the invalidate in the loop nor the wait before the lock is given back may be left out."""
    assert line in VECTOR
    left = line[line.index("\tglobal") :] if "global" in line else ""
    assert found(spin(), VECTOR.replace(line, left)).verdict == "unsound"


def test_an_iteration_that_reads_another_is_unrolled() -> None:
    """The loop counts in v6 how often it failed, and stores that: it does not only wait, so there is a bound."""
    counting = VECTOR.replace("\tv_mov_b32_e32 v1, 0\n", "\tv_mov_b32_e32 v1, 0\n\tv_mov_b32_e32 v6, 0\n", 1).replace(
        "\tv_cmp_eq_u32_e32 vcc, 0, v2\n", "\tv_add_u32_e32 v6, 1, v6\n\tv_cmp_eq_u32_e32 vcc, 0, v2\n"
    )
    used = counting.replace("v_add_u32_e32 v1, 1, v4", "v_add_u32_e32 v1, v6, v4")
    assert found(spin(), counting).incomplete == ()
    made = found(bounded(), used)
    assert made.incomplete == ("the loop at k.s:11 is followed for 2 iterations",)
    assert {row[0][0] for row in made.found} >= {2, 3}


def test_a_loop_that_writes_is_unrolled() -> None:
    """Who did not get the lock takes it away, and who did leaves it taken; so both may wait for ever."""
    storing = VECTOR.replace("\tv_cmp_eq_u32_e32", "\tglobal_store_dword v1, v0, s[0:1] offset:0\n\tv_cmp_eq_u32_e32")
    assert found(bounded(), storing).incomplete == ("the loop at k.s:10 is followed for 2 iterations",)


def test_a_bound_that_nothing_reaches_leaves_nothing_out() -> None:
    """Who did not get the lock gives it back instead: it is free the next time, as the other took it but once."""
    storing = VECTOR.replace("\tv_cmp_eq_u32_e32", "\tglobal_store_dword v1, v1, s[0:1] offset:0\n\tv_cmp_eq_u32_e32")
    made = found(bounded(), storing)
    assert (made.verdict, made.incomplete) == ("unsound", ())


REFUSED = [
    ("K() workgroups 2", "K() lanes 5", "two lanes access one place at once"),
    ("K() workgroups 2", "K() lanes 64", "a wave of 64 lanes: in code at most 32 are followed"),
    (
        "K() workgroups 2 {",
        "K() workgroups 2 {\n  lds t",
        "this file does not say how many bytes of LDS kernel 'K' has",
    ),
    (
        "K() workgroups 2",
        "K(i32 n in {0, 1}) workgroups 2",
        "parameter 'n' has several values, of which code is given one",
    ),
    ("m = n + 1", "m = n + wave.id", "the numbers of waves are not known in code"),
    ("kernel K()", "kernel L()", "k.s has no kernel 'L'"),
]


@pytest.mark.parametrize(("old", "new", "message"), REFUSED, ids=[each[2][:20] for each in REFUSED])
def test_what_is_not_known_of_kernels_is_refused(old: str, new: str, message: str) -> None:
    text = (KERNELS / "Spin-lock.litmus").read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(InputError) as raised:
        found(parse(text.replace(old, new)), VECTOR)
    assert message in raised.value.diagnostics[0].message
    assert raised.value.diagnostics[0].span.line


def test_what_an_iteration_leaves_different_is_unknown_bytes_of_private_memory_too() -> None:
    state = KernelState(Registers({}, []), private={4: Constant(1), 5: Constant(2), 6: Constant(3)})
    before = Entered({}, {4: Constant(1), 5: Constant(9), 7: Constant(0)}, (), 0, 1)
    found = differing(before, state)
    assert found == {f"{PRIVATE}{k}" for k in (5, 6, 7)}
    made_unknown(state, found - {f"{PRIVATE}7"})
    assert state.private[4] == Constant(1)
    assert state.private[5] not in (Constant(2), Constant(9)) and state.private[6] != state.private[5]


def test_an_iteration_that_reads_leaves_memory_as_it_was() -> None:
    footprint = PlaceFootprint(BytePlace("", 0, 0), ((0, 1),), ())
    line = AssemblyLine("s_nop", ("0",), (), "0", NOWHERE)
    step = KernelStep(EmittedInstruction(InstructionKind.ACCESS, "", ()), line, (), "load", footprints=(footprint,))
    assert silent([step], KernelState(Registers({}, [])), lambda condition: None) == Constant(1)
