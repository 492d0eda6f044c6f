"""Kernels: their two spellings are one language, their graphs, their single assignments, their LLVM IR."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from axmem.codegen.ir_module import module
from axmem.front.source import InputError
from axmem.litmus.blocks import control_flow
from axmem.litmus.launch import lanes
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import Kernel

LLVM = """
litmus llvm
@x = addrspace(1) global i32 0, align 4
declare void @f(i32) convergent
kernel K(i32 %n = 3, i32 %m in {0, 1}, ptr addrspace(1) %p = @x) workgroups 2, wavefronts 2, lanes 4 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %c = icmp ult i32 %i, %n
  br i1 %c, label %latch, label %exit, !prof !{!"branch_weights", i32 1, i32 3}
latch:
  store i32 %lane, ptr addrspace(1) %p, align 4
  %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %id)
  %l = call i32 @llvm.amdgcn.readlane.i32(i32 %f, i32 1)
  %b = call i64 @llvm.amdgcn.ballot.i64(i1 %c)
  %s = call i32 @llvm.amdgcn.wave.reduce.add.i32(i32 %l, i32 0)
  call void @llvm.amdgcn.s.barrier()
  call void @f(i32 %s)
  %next = add i32 %i, 1
  br label %loop
exit:
  switch i32 %m, label %one [ i32 0, label %zero
    i32 7, label %one ]
zero:
  ret void
one:
  unreachable
}
"""

SHORT = """
litmus llvm
global x = 0
declare void @f(i32) convergent
kernel K(i32 n = 3, i32 m in {0, 1}, ptr addrspace(1) p = &x) workgroups 2, wavefronts 2, lanes 4 {
entry:
  id = workitem.id
  low = lane.id
  lane = low
  br loop
loop:
  i = phi [ 0, entry ], [ %next, latch ]
  c = i < n
  br c, latch, exit
latch:
  store lane, p, align 4
  f = readfirstlane id
  l = readlane f, 1
  b = ballot c
  s = wave.reduce.add l
  barrier
  call void @f(s)
  %next = i + 1
  br loop
exit:
  switch m, one [ 0, zero, 7, one ]
zero:
  ret void
one:
  unreachable
}
"""

TOKENS = """
litmus tokens
global x = 0
kernel K(i32 n = 2) wavefronts 2, lanes 2 {
  lds t = 0
  private q
  lds barrier b
entry:
  %e = call token @llvm.experimental.convergence.entry()
  br loop
loop:
  i = phi [ 0, entry ], [ j, loop ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %e) ]
  s.barrier.signal [ "convergencectrl"(token %h) ]
  s.barrier.wait [ "convergencectrl"(token %h) ]
  v = ds.bpermute 4, i [ "convergencectrl"(token %h) ]
  j = i + 1
  c = j < n
  br c, loop, exit
exit:
  s.barrier.init b, 2 [ "convergencectrl"(token %e) ]
  s.barrier.join b [ "convergencectrl"(token %e) ]
  s.barrier.signal.var b, 2 [ "convergencectrl"(token %e) ]
  wave.barrier [ "convergencectrl"(token %e) ]
  store v, q
  store v, t
}
"""

LOOPS = """
litmus loops
global x = 0
thread P0 {
  r = 0
  while r == 0 {
    r = load atomic x acquire
  }
}
kernel K() lanes 2 {
  s = 0
  for i in 0..3 {
    if i == lane.id {
      s = s + i
    } else {
      ret void
    }
  }
  store s, x
}
bound 3
exists (P0:r=1 /\\ all K:s=1 \\/ some K.0:i=undef /\\ K.0.0:s={0,1})
"""


def kernel(text: str) -> Kernel:
    return parse(text).kernels[-1]


@pytest.mark.parametrize("text", [LLVM, SHORT, TOKENS, LOOPS], ids=["llvm", "short", "tokens", "loops"])
def test_what_is_printed_is_read_as_the_same_kernels(text: str) -> None:
    test = parse(text)
    printed = print_test(test)
    assert parse(printed) == test
    assert print_test(parse(printed)) == printed


def test_memory_that_there_is_once_has_one_name() -> None:
    text = "litmus t\nkernel K() lanes 2 {\nlds t = 0\nprivate q\nr = load q\n}\nexists (K.0.t=1 /\\ K.0.0.1.q=2)"
    condition = "exists (t=1 /\\ K.0.0.1.q=2)"
    assert print_test(parse(text)).splitlines()[-1] == condition
    assert parse(text) == parse(text.replace("K.0.t", "t"))


def test_both_spellings_are_one_tree() -> None:
    assert kernel(LLVM) == kernel(SHORT)


def test_lanes_are_threads_at_places_of_their_own() -> None:
    found = lanes(kernel(LLVM))
    assert [lane.name for lane in found[:5]] == ["K.0.0.0", "K.0.0.1", "K.0.0.2", "K.0.0.3", "K.0.1.0"]
    assert len({lane.placement for lane in found}) == len(found) == 16
    assert found[13].ids(kernel(LLVM)) == {"workitem.id": 5, "workgroup.id": 1, "wave.id": 1, "lane.id": 1}


def test_short_forms_are_blocks() -> None:
    flow = control_flow(kernel(LOOPS))
    assert flow.successors == {
        "entry": ("for1",), "for1": ("for1.body", "for1.end"), "for1.body": ("if1.then", "if1.else"),
        "if1.then": ("if1.end",), "if1.else": (), "if1.end": ("for1",), "for1.end": (),
    }  # fmt: skip
    assert flow.predecessors["for1"] == ("entry", "if1.end")


def test_a_register_that_is_assigned_again_gets_a_phi_where_it_is_live() -> None:
    flow = single_assignment(kernel(LOOPS))
    phis = {block.name: len(block.phis) for block in flow.blocks if block.phis}
    assert phis == {"for1": 2}  # of i and s; the arm that ends leaves one assignment at if1.end
    names = [s.register for b in flow.blocks for s in (*b.phis, *b.statements) if hasattr(s, "register")]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("text", [LLVM, TOKENS, LOOPS], ids=["llvm", "tokens", "loops"])
def test_llvm_ir_has_the_graph_of_the_kernel(text: str) -> None:
    test = parse(text)
    made = module(test).text
    for one in test.kernels:
        for block in single_assignment(one).blocks:
            assert f"\n{block.name}:\n" in made
    if shutil.which("opt-22"):
        command = ["opt-22", "-passes=verify", "-disable-output", "-"]
        found = subprocess.run(command, input=made, capture_output=True, text=True, check=False)
        assert not found.stderr


def test_a_block_with_the_name_of_a_register_has_another_in_llvm_ir() -> None:
    text = """litmus names
kernel K(i32 m = 0) {
entry:
  r = m == 0
  br r, r, t1
r:
  br t1
t1:
  s = phi [ m, entry ], [ 7, r ]
  u = (s == m) ? 1 : 2
  switch u, m [ 1, r.block ]
m:
  br r.block
r.block:
  ret void
}
"""
    made = module(parse(text)).text
    for line in ("br i1 %r, label %r.block_, label %t1", "phi i32 [ %m, %entry ], [ 7, %r.block_ ]",
                 "switch i32 %u, label %m.block [ i32 1, label %r.block ]", "%t_2 = icmp eq i32 %s, %m"):  # fmt: skip
        assert line in made
    assert [line for line in made.splitlines() if re.fullmatch(r"[\w.]+:", line)] == [
        "entry:", "r.block_:", "t1:", "m.block:", "r.block:",
    ]  # fmt: skip
    if shutil.which("opt-22"):
        command = ["opt-22", "-passes=verify", "-disable-output", "-"]
        assert not subprocess.run(command, input=made, capture_output=True, text=True, check=False).stderr


WITHOUT_AN_EDGE = """global x = 0
kernel K {
entry:
  r = load x
  br r, side, join
side:
  br join
join:
  s = phi i32 [r, side]
  ret void
}
"""


def test_the_same_kernel_at_another_place_is_wrong_there() -> None:
    """Graphs are kept from one test to the next, and have the places of their texts."""
    lines = []
    for head in ("litmus a\n", "litmus b\n\n\n"):
        with pytest.raises(InputError) as raised:
            parse(head + WITHOUT_AN_EDGE)
        lines.append([d.span.line for d in raised.value.diagnostics])
    assert lines == [[10], [12]]
