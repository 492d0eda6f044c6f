"""Loops whose iterations change nothing: a lock that is taken by exchanges, and what such an update may do elsewhere.

What clang 22 made of tests/sources/exchange.hip for gfx1250, and a look-back for gfx942, held against the kernels as
LLVM IR. That a lock keeps two additions apart, and what is lost without an instruction, follows from the kernels.
"""

from __future__ import annotations

import re
from functools import partial

import pytest

from axmem.check.results import outcomes_of
from axmem.codegen.assembly.loops import silent
from axmem.codegen.assembly.places import BytePlace
from axmem.codegen.assembly.registers import Registers
from axmem.codegen.assembly.state import KernelState, KernelStep, PlaceFootprint
from axmem.codegen.assembly.text import AssemblyLine
from axmem.codegen.instructions import EmittedInstruction, InstructionKind
from axmem.codegen.targets import target
from axmem.encoder.limits import TIME_LIMIT
from axmem.events.graph import Guard
from axmem.events.unroll import events_under
from axmem.events.values import Constant, Expr, ReadOf
from axmem.front.records import replace
from axmem.front.source import NOWHERE
from axmem.mapping.built import program
from axmem.mapping.verification import CodeSource, Verification, judge, verify
from axmem.model.library import load
from tests.exploring import VERDICT_ALONE
from tests.mapping.test_launched_code import described, metadata

LOCK = """define amdgpu_kernel void @k(ptr addrspace(1) %lock, ptr addrspace(1) %n) {
  br label %wait
wait:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 syncscope("agent") monotonic, align 4
  %taken = icmp eq i32 %old, 0
  br i1 %taken, label %mine, label %wait
mine:
  fence syncscope("agent") acq_rel
  %v = load i32, ptr addrspace(1) %n, align 4
  %more = add i32 %v, 1
  store i32 %more, ptr addrspace(1) %n, align 4
  fence syncscope("agent") acq_rel
  %given = atomicrmw xchg ptr addrspace(1) %lock, i32 0 syncscope("agent") monotonic, align 4
  ret void
}
"""
LOCK_CODE = """k:
\ts_load_b128 s[0:3], s[0:1], 0x0
\tv_dual_mov_b32 v0, 0 :: v_dual_mov_b32 v1, 1
\ts_mov_b32 s4, 0
.LBB0_1:
\ts_wait_kmcnt 0x0
\tglobal_atomic_swap_b32 v2, v0, v1, s[0:1] th:TH_ATOMIC_RETURN scope:SCOPE_DEV
\ts_wait_loadcnt 0x0
\tv_cmp_eq_u32_e32 vcc_lo, 0, v2
\ts_or_b32 s4, vcc_lo, s4
\ts_and_not1_b32 exec_lo, exec_lo, s4
\ts_cbranch_execnz .LBB0_1
\ts_or_b32 exec_lo, exec_lo, s4
\tv_mov_b32_e32 v0, 0
\tglobal_inv scope:SCOPE_DEV
\tglobal_load_b32 v1, v0, s[2:3]
\ts_wait_loadcnt 0x0
\tv_add_nc_u32_e32 v1, 1, v1
\tglobal_store_b32 v0, v1, s[2:3]
\tglobal_wb scope:SCOPE_DEV
\ts_wait_storecnt 0x0
\ts_wait_xcnt 0x0
\tglobal_atomic_swap_b32 v0, v0, s[0:1] scope:SCOPE_DEV
\ts_endpgm
"""
TAKEN = "v2, v0, v1, s[0:1] th:TH_ATOMIC_RETURN scope:SCOPE_DEV"
"""The exchange that the loop is about."""
STORING = LOCK.replace("%n)", "%n, ptr addrspace(1) %o)").replace(
    "  br label", '  store atomic i32 0, ptr addrspace(1) %o syncscope("agent") monotonic, align 4\n  br label', 1
)
STORE = "\ts_wait_kmcnt 0x0\n\tglobal_store_b32 v0, v0, s[6:7] scope:SCOPE_DEV\n"
STORING_CODE = LOCK_CODE.replace(
    "\ts_load_b128", "\ts_load_b64 s[6:7], s[0:1], 0x10\n\ts_wait_kmcnt 0x0\n\ts_load_b128"
).replace(".LBB0_1:\n\ts_wait_kmcnt 0x0\n", f"{STORE}.LBB0_1:\n")
"""Before the loop there is a store to other memory, whose address may not be translated yet."""
NOTHING_BETWEEN = (
    re.sub(r"  fence(.|\n)*(?=  %given)", "", STORING),
    re.sub(r"\tglobal_inv(.|\n)*(?=\ts_wait_xcnt)", "", STORING_CODE),
)
"""The same, whose lock is given back as soon as it is taken."""


def found(module: str, launch: str, code: str, name: str) -> Verification:
    on = target(name, "", "llvm-22")
    test = program(module, "k.ll", f"launch {launch}", on)
    pointers = " ".join(f"{8 * k}:8:global_buffer" for k in range(launch.count(",")))
    whole = f"\t.type k,@function\n{code}{described('k')}{metadata(k=pointers)}"
    return verify(test, on, code=CodeSource(("k.s", whole)), exploration=VERDICT_ALONE)


def locked(code: str) -> Verification:
    return found(LOCK, "k<<<2, 1>>>(lock, n)", code, "gfx1250")


def test_a_lock_of_exchanges_is_followed_exactly() -> None:
    """Who finds 1 puts 1 there: that changes nothing, in the model as on the machine."""
    made = locked(LOCK_CODE)
    assert (made.verdict, made.incomplete) == ("sound", ())
    assert made.found == (((0,), (2,)),)


def test_what_the_model_leaves_out_is_matched_by_others() -> None:
    """Without the iterations that change nothing all outcomes are known; what five iterations show is among them."""
    test = program(LOCK, "k.ll", "launch k<<<2, 1>>>(lock, n)", target("gfx1250"))
    whole, exact = (
        outcomes_of(test, load("amdgpu"), partial(events_under, test, load("amdgpu"), memory=memory))
        for memory in (False, True)
    )
    places = [[k for k, c in enumerate(each.columns) if ":" not in c.name] for each in (whole, exact)]
    shown = [
        {tuple(row[k] for k in at) for row in each.outcomes} for each, at in zip((whole, exact), places, strict=True)
    ]
    assert whole.incomplete and not exact.incomplete
    assert shown[0] == shown[1] == {((0,), (2,))}


def test_outcomes_that_are_known_to_be_permitted_need_no_others() -> None:
    """Where the model's outcomes are incomplete, the machine's may be among them; what is not is not known."""
    right, wrong = locked(LOCK_CODE), locked(LOCK_CODE.replace("\tglobal_inv scope:SCOPE_DEV\n", ""))
    cut = replace(right.permitted, incomplete=(TIME_LIMIT,))
    for made, known, verdict in (
        (right, cut, "sound"),
        (right, replace(cut, outcomes=()), "unknown"),
        (wrong, cut, "unknown"),
    ):
        judged = judge(made.program, made.test, known, made.hardware, ending=made.ending)
        assert (judged.verdict, judged.violations) == (verdict, ())
        assert judged.cut == (() if verdict == "sound" else (str(TIME_LIMIT),))


@pytest.mark.parametrize("line", ["\tglobal_inv scope:SCOPE_DEV\n", "\tglobal_wb scope:SCOPE_DEV\n"])
def test_what_the_lock_needs_is_needed(line: str) -> None:
    made = locked(LOCK_CODE.replace(line, ""))
    assert made.verdict == "unsound"
    assert ((0,), (1,)) in made.found


def test_an_exchange_below_the_root_may_change_what_others_see() -> None:
    """Done in an L2 of its own it makes a line dirty, which may replace what somebody else has written since."""
    made = locked(LOCK_CODE.replace(TAKEN, TAKEN.removesuffix(" scope:SCOPE_DEV")))
    assert made.verdict == "unsound"
    assert made.incomplete == ("the loop at k.s:7 goes round with an update that may change something",)


def test_an_exchange_that_may_be_issued_again_may_change_something() -> None:
    """What is issued again may take the lock that was given back meanwhile."""
    module, code = NOTHING_BETWEEN
    settled = code.replace(STORE, f"{STORE}\ts_wait_xcnt 0x0\n")
    made = [found(module, "k<<<2, 1>>>(lock, n, o)", each, "gfx1250") for each in (settled, code)]
    assert [each.verdict for each in made] == ["sound", "unknown"]


def test_which_steps_leave_memory_as_it_was() -> None:
    """A store never does, an update if it writes what it reads or does not write; of none that is not on the path."""
    failed, other = ReadOf(0), ReadOf(1)
    line = AssemblyLine("s_nop", ("0",), (), "0", NOWHERE)

    def known(condition: Expr) -> int | None:
        return 0 if condition is failed else None

    def leaves(action: str, value: Expr, when: Expr | None = None, guard: Guard = ()) -> Expr | None:
        written = PlaceFootprint(BytePlace("", 0, 0), ((0, 1),), ((0, value),), when=when)
        access = EmittedInstruction(InstructionKind.ACCESS, "", ())
        step = KernelStep(access, line, guard, action, footprints=(written,))
        return silent([step], KernelState(Registers({}, [])), known)

    yes = Constant(1)
    assert leaves("store", yes) is None
    assert leaves("store", yes, guard=((0, 1),)) == yes
    assert leaves("rmw", yes, failed) == yes
    assert leaves("rmw", other) == yes
    assert leaves("rmw", Constant(7)) not in (None, yes)
    barrier = KernelStep(EmittedInstruction(InstructionKind.BARRIER, "", ()), line, ())
    assert silent([barrier], KernelState(Registers({}, [])), known) is None
    assert silent([replace(barrier, guard=((0, 1),))], KernelState(Registers({}, [])), known) == yes


BACK = """define amdgpu_kernel void @k(ptr addrspace(1) %s, ptr addrspace(1) %out) {
  %p = getelementptr i32, ptr addrspace(1) %s, i64 1
  store i32 7, ptr addrspace(1) %p, align 4
  %f = load atomic i32, ptr addrspace(1) %s syncscope("agent") monotonic, align 4
  %none = icmp eq i32 %f, 0
  %i = select i1 %none, i64 1, i64 0
  %q = getelementptr i32, ptr addrspace(1) %s, i64 %i
  %v = load i32, ptr addrspace(1) %q, align 4
  store i32 %v, ptr addrspace(1) %out, align 4
  ret void
}
"""
BACK_CODE = """k:
\ts_load_dwordx4 s[0:3], s[0:1], 0x0
\tv_mov_b32_e32 v0, 0
\tv_mov_b32_e32 v1, 7
\ts_waitcnt lgkmcnt(0)
\tglobal_store_dword v0, v1, s[0:1] offset:4
\tglobal_load_dword v2, v0, s[0:1] sc1
\ts_waitcnt vmcnt(0)
\tv_readfirstlane_b32 s4, v2
\ts_cmp_lg_u32 s4, 0
\ts_mov_b32 s6, 1
\ts_subb_u32 s6, s6, 0
\ts_ashr_i32 s7, s6, 31
\ts_lshl_b64 s[6:7], s[6:7], 2
\ts_add_u32 s6, s0, s6
\ts_addc_u32 s7, s1, s7
\tglobal_load_dword v1, v0, s[6:7]
\ts_waitcnt vmcnt(0)
\tglobal_store_dword v0, v1, s[2:3]
\ts_endpgm
"""


@pytest.mark.parametrize(
    ("code", "out"), [(BACK_CODE, 7), (BACK_CODE.replace("s_mov_b32 s6, 1", "s_mov_b32 s6, 0"), 0)]
)
def test_an_address_of_two_is_one_of_these(code: str, out: int) -> None:
    """What was read decides which; where nothing was put there before, another one is loaded."""
    made = found(BACK, "k<<<1, 1>>>(s, out)", code, "gfx942")
    assert (made.verdict, made.incomplete) == ("sound" if out else "unsound", ())
    assert made.found == (((0, 7), (out,)),)
