"""Lanes that access one place in one instruction: every order of them, with what others do there in between.

What is permitted are the interleavings of the lanes' accesses, since all of them are atomic ones of one place; so the
machine has exactly these. `make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from axmem.check.progress.models import Verdict
from axmem.codegen.machine.explore import explore
from axmem.codegen.machine.layout import layout, settings
from axmem.codegen.machine.placements import placements
from axmem.codegen.machine.smt.constraints import solve
from axmem.codegen.targets import target
from axmem.encoder.solver import Session
from axmem.front.source import InputError
from axmem.mapping.built import program
from axmem.mapping.verification import CodeSource, Verification, verify
from tests.drawn import in_full
from tests.exploring import VERDICT_ALONE
from tests.mapping.test_launched_code import POINTERS, described, metadata

EACH = """define amdgpu_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %mine = add i32 %id, 1
  %old = atomicrmw UPDATE ptr addrspace(1) %x, i32 %mine syncscope("agent") monotonic, align 4
  %wide = zext i32 %id to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %wide
  store i32 %old, ptr addrspace(1) %to, align 4
  ret void
}
define amdgpu_kernel void @other(ptr addrspace(1) %x, ptr addrspace(1) %out) {
  %old = atomicrmw UPDATE ptr addrspace(1) %x, i32 16 syncscope("agent") monotonic, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i64 7
  store i32 %old, ptr addrspace(1) %to, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""
CODE = f"""\t.type k,@function
k:
\ts_load_dwordx4 s[0:3], s[0:1], 0x0
\tv_add_u32_e32 v1, 1, v0
\tv_mov_b32_e32 v2, 0
\ts_waitcnt lgkmcnt(0)
\tglobal_atomic_UPDATE v1, v2, v1, s[0:1] sc0
\tv_lshlrev_b32_e32 v2, 2, v0
\ts_waitcnt vmcnt(0)
\tglobal_store_dword v2, v1, s[2:3]
\ts_endpgm
{described("k")}\t.type other,@function
other:
\ts_load_dwordx4 s[0:3], s[0:1], 0x0
\tv_mov_b32_e32 v1, 16
\tv_mov_b32_e32 v2, 0
\ts_waitcnt lgkmcnt(0)
\tglobal_atomic_UPDATE v1, v2, v1, s[0:1] sc0
\ts_waitcnt vmcnt(0)
\tglobal_store_dword v2, v1, s[2:3] offset:28
\ts_endpgm
{described("other")}{metadata(k=POINTERS, other=POINTERS)}"""
ALONE = "\ts_mov_b64 exec, 1\n\tglobal_atomic"
"""One lane does what all are to do."""


def found(update: str, launch: str, code: str = CODE) -> Verification:
    names = {"add": "add", "xchg": "swap", "max": "smax"}
    test = program(EACH.replace("UPDATE", update), "k.ll", f"launch {launch}", target("gfx942"))
    whole = code.replace("UPDATE", names[update])
    return verify(test, "gfx942", code=CodeSource(("k.s", whole)), exploration=VERDICT_ALONE)


def rows(made: Verification) -> set[tuple[object, ...]]:
    """Return what is at x, and in `out`."""
    return {(x, *out) for ((x,), out) in made.found}


@pytest.mark.parametrize(("update", "lanes"), [("add", 2), ("xchg", 3), pytest.param("add", 4, marks=in_full)])
def test_each_lane_may_be_the_first(update: str, lanes: int) -> None:
    """What is returned says in which order they came."""
    wanted = set()
    for order in permutations(range(lanes)):
        x, out = 0, [0] * lanes
        for lane in order:
            out[lane], x = x, lane + 1 + (x if update == "add" else 0)
        wanted.add((x, *out))
    made = found(update, f"k<<<1, {lanes}>>>(x, out)")
    assert made.verdict == "sound"
    assert {row[: lanes + 1] for row in rows(made)} == wanted
    assert set(made.found) == set(made.permitted.outcomes)


@pytest.mark.parametrize("update", ["xchg", pytest.param("add", marks=in_full), pytest.param("max", marks=in_full)])
def test_others_may_come_between(update: str) -> None:
    """The machine has all that the model permits, the other kernel's between two lanes' among it."""
    made = found(update, "k<<<1, 2>>>(x, out); other<<<1, 1>>>(x, out)")
    assert made.verdict == "sound"
    assert set(made.found) == set(made.permitted.outcomes)
    assert any(row[1] == 16 for row in rows(made)) and any(row[8] in (1, 2) for row in rows(made))


def test_what_one_lane_does_for_all_is_not_what_each_does() -> None:
    assert found("add", "k<<<1, 2>>>(x, out)", CODE.replace("\tglobal_atomic", ALONE, 1)).verdict == "unsound"


def test_more_orders_than_are_followed_are_refused() -> None:
    with pytest.raises(InputError, match="two lanes access one place at once"):
        found("add", "k<<<1, 5>>>(x, out)")


def test_all_forms_of_the_machine_have_the_orders() -> None:
    made = found("xchg", "k<<<1, 2>>>(x, out); other<<<1, 1>>>(x, out)").program
    for place in placements(made):
        laid = layout(made, place, settings(made.family))
        whole = explore(laid, reduced=False)
        assert explore(laid).outcomes == whole.outcomes and len(whole.outcomes) == 6
        assert solve(laid, Session()).outcomes == whole.outcomes


LOCK = """define amdgpu_kernel void @k(ptr addrspace(1) %lock, ptr addrspace(1) %n) {
  br label %wait
wait:
  %got = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 syncscope("agent") acquire monotonic, align 4
  %mine = extractvalue { i32, i1 } %got, 1
  br i1 %mine, label %in, label %wait
in:
  %old = load i32, ptr addrspace(1) %n, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) %n, align 4
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  ret void
}
"""
ENTER = """k:
\ts_load_dwordx4 s[0:3], s[0:1], 0x0
\tv_mov_b32_e32 v0, 1
\tv_mov_b32_e32 v1, 0
\ts_waitcnt lgkmcnt(0)
"""
INSIDE = """\tbuffer_inv sc1
\tglobal_load_dword v4, v1, s[2:3]
\ts_waitcnt vmcnt(0)
\tv_add_u32_e32 v4, 1, v4
\tglobal_store_dword v1, v4, s[2:3]
\tbuffer_wbl2 sc1
\ts_waitcnt vmcnt(0)
\tglobal_store_dword v1, v1, s[0:1] sc1
"""
TRY = """.LBB0_1:
\tglobal_atomic_cmpswap v2, v1, v[0:1], s[0:1] sc0
\ts_waitcnt vmcnt(0)
\tv_cmp_eq_u32_e32 vcc, 0, v2
"""
BEHIND = f"""{ENTER}\ts_mov_b64 s[4:5], 0
{TRY}\ts_or_b64 s[4:5], vcc, s[4:5]
\ts_andn2_b64 exec, exec, s[4:5]
\ts_cbranch_execnz .LBB0_1
\ts_or_b64 exec, exec, s[4:5]
{INSIDE}\ts_endpgm
"""
"""Whoever has the lock waits behind the loop for whoever waits for it."""
WITHIN = f"""{ENTER}{TRY}\ts_and_saveexec_b64 s[4:5], vcc
\ts_cbranch_execz .LBB0_2
{INSIDE}.LBB0_2:
\ts_xor_b64 exec, s[4:5], exec
\ts_cbranch_execnz .LBB0_1
\ts_endpgm
"""


RELEASE = '  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4\n'


def locked(body: str, launch: str = "k<<<1, 2>>>(lock, n)", module: str = LOCK) -> Verification:
    test = program(module, "k.ll", f"launch {launch}", target("gfx942"))
    whole = f"\t.type k,@function\n{body}{described('k')}{metadata(k=POINTERS)}"
    return verify(test, "gfx942", code=CodeSource(("k.s", whole)), exploration=VERDICT_ALONE)


def test_a_lock_that_is_released_in_the_loop_is_taken_by_each_lane() -> None:
    made = locked(WITHIN)
    assert (made.word, made.found) == ("sound", (((0,), (2,)),))


@pytest.mark.parametrize(("gone", "kept"), [
    ("\tbuffer_inv sc1\n", ""),
    ("\ts_waitcnt vmcnt(0)\n\tglobal_store_dword v1, v1", "\tglobal_store_dword v1, v1"),
    pytest.param("\tbuffer_wbl2 sc1\n", "", marks=in_full),
])  # fmt: skip
def test_it_needs_what_keeps_it_together(gone: str, kept: str) -> None:
    """Between two workgroups; the lanes of one wave have one way to memory."""
    assert gone in WITHIN
    assert locked(WITHIN, "k<<<2, 1>>>(lock, n)").word == "sound"
    assert locked(WITHIN.replace(gone, kept), "k<<<2, 1>>>(lock, n)").verdict == "unsound"


def test_a_lock_that_is_released_behind_the_loop_is_never_released() -> None:
    """Each lane would come to its end if it had a turn; alone in its wave it does."""
    made = locked(BEHIND)
    assert made.word == "does not end" and made.found == () and made.ending.verdict is Verdict.ENDS
    (endless,) = made.endless
    assert (endless.hang.group, endless.hang.locked, endless.hang.node) == ("lock", True, "")
    assert locked(BEHIND, "k<<<2, 1>>>(lock, n)").word == "sound"


def test_a_program_that_waits_for_ever_itself_is_not_the_codes_fault() -> None:
    """Nobody releases the lock: one lane comes to its end, in the program as in its code."""
    silent = WITHIN.replace("\tglobal_store_dword v1, v1, s[0:1] sc1\n", "")
    made = locked(silent, module=LOCK.replace(RELEASE, ""))
    assert not made.endless and made.ending.verdict is Verdict.ENDLESS
