from __future__ import annotations

from random import Random

import pytest

from axmem.convergence.cycles import hierarchies, llvm_hierarchy
from axmem.convergence.kernels import function_of
from axmem.convergence.uniformity import DivergenceCause, Rules, sound, uniformity
from axmem.litmus.parser import parse
from tests.convergence.concrete import refuted
from tests.convergence.kernels import EXIT_PHI, ORDER, SIBLING, divergent, function, written
from tests.convergence.programs import OWN, kernel_text, random_program

ARGUMENTS = [{"a": a, "b": b} for a in range(2) for b in range(3)]


def test_data_flow_and_joins() -> None:
    # Lanes part on their number and meet at j: what they bring differs, a phi of one constant does not.
    body = """\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp eq i32 %tid, 0
  %k = add i32 %n, %m
  br i1 %c, label %a, label %b
a:
  %a0 = add i32 %k, 1
  br label %j
b:
  br label %j
j:
  %u = phi i32 [ %a0, %a ], [ %k, %b ]
  %same = phi i32 [ 7, %a ], [ 7, %b ]
  %maybe = phi i32 [ 7, %a ], [ undef, %b ]
  %w = add i32 %u, 1
  ret void
"""
    assert divergent(body) == divergent(body, None) == "->entry c u w"


def test_sources_of_divergence() -> None:
    # Atomics give each lane another old value; a load from a uniform address one value, atomic or not; what a
    # cross-lane operation makes of a divergent value is uniform, what arithmetic makes of it is not.
    body = """\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %b = load i32, ptr addrspace(1) %p
  %c = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %a)
  %s = add i32 %a, %b
  %own = load i32, ptr addrspace(1) %p[%tid]
  %yes = icmp eq i32 %tid, 1
  %v = call i64 @llvm.amdgcn.ballot.i64(i1 %yes)
  ret void
"""
    assert divergent(body) == "a own s yes"


def test_temporal_divergence() -> None:
    # The counter is the same in every iteration; lanes leave in different ones and carry different counts out.
    body = """\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i1, %h ]
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i1, %tid
  br i1 %c, label %h, label %x
x:
  %after = add i32 %i, 5
  %other = add i32 %n, 5
  ret void
"""
    assert divergent(body) == "->h after c"
    found = uniformity(of := function(body), llvm_hierarchy(of.graph))
    assert [cycle.header for cycle in found.exits] == ["h"]
    (reason,) = (r for place, r in found.values.items() if place.block == "x")
    assert (reason.cause, reason.name) == (DivergenceCause.OUTSIDE, "h")


def test_an_exit_phi_of_constants_is_called_uniform() -> None:
    # With m = 1, lane 1 leaves at l in iteration 0 with 2 and lane 3 at h in iteration 1 with 1; x is in no cycle, so
    # both are converged there.
    assert divergent(EXIT_PHI) == "->l c"
    assert divergent(EXIT_PHI, Rules.EXITS_JOIN) == divergent(EXIT_PHI, None) == "->l c u"


def test_the_order_of_a_uniform_branch_decides() -> None:
    # B visited first: cycle B around A alone, reducible, so that what joins at A is A's own iteration: p1 uniform.
    # A visited first: one cycle with header A, in which the hierarchy decides who converges: all of it is divergent.
    back = ORDER.replace("label %A, label %B\nA:", "label %B, label %A\nA:")
    assert divergent(ORDER) == "->A cd"
    assert divergent(back) == "->A ->B cb cd p1"
    assert divergent(ORDER, Rules.EXITS_JOIN) == "->A cd"
    assert divergent(ORDER, header="A") == divergent(back)
    assert divergent(ORDER, None) == divergent(back, None) == divergent(back)


def test_leaving_into_another_cycle_hides_the_outer_one() -> None:
    # Lane t enters s with i = t, so v is t + 100 there; all first entries into s are converged.
    # With exits as joins s is one, which makes its phi divergent, needlessly: what is wrong is v alone.
    assert divergent(SIBLING) == "->g d"
    assert divergent(SIBLING, Rules.EXITS_JOIN) == "->g ->s d q q1 w"
    assert divergent(SIBLING, None) == "->g d v"


def test_joins_behind_several_blocks_are_found() -> None:
    # Regression of an early stop (llvm-project #137277): both arms have several blocks before they meet.
    body = """\
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp eq i32 %tid, 0
  br i1 %c, label %a0, label %b0
a0:
  br label %a1
a1:
  br label %a2
a2:
  br label %j
b0:
  br label %b1
b1:
  br label %b2
b2:
  br label %j
j:
  %u = phi i32 [ 1, %a2 ], [ 2, %b2 ]
  br i1 %c, label %k, label %l
k:
  br label %l
l:
  %w = phi i32 [ %n, %j ], [ %m, %k ]
  ret void
"""
    assert divergent(body) == "->entry ->j c u w"


def test_tokens_change_nothing() -> None:
    # In the extended part of a region the document has no temporal divergence; LLVM 22 reports it all the same.
    body = """\
entry:
  %t = call token @llvm.experimental.convergence.anchor()
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i1, %h ]
  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i1, %tid
  br i1 %c, label %h, label %x
x:
  %after = add i32 %i, 5
  call void @conv() [ "convergencectrl"(token %l) ]
  ret void
"""
    assert divergent(body) == "->h after c"


@pytest.mark.parametrize("seed", range(3))
def test_what_the_sound_rules_call_uniform_is(seed: int) -> None:
    random = Random(seed)
    for _ in range(25):
        observed(random, 7)


def observed(random: Random, most: int) -> set[str]:
    """Hold the sound rules against what happens in a random kernel; return where LLVM's are wrong: `own`, `other`."""
    program = random_program(random, most)
    of = program.function
    found = hierarchies(of.graph)
    said, llvm = sound(of, found), uniformity(of, found.found[0])
    assert set(llvm.values) <= set(said.values)
    wrong = set()
    for hierarchy in found.found:
        differ = refuted(program, hierarchy.all_headers(), ARGUMENTS) - {OWN}
        assert differ <= set(written(of, said).split()), program.body
        if not differ <= set(written(of, llvm).split()):
            wrong.add("own" if hierarchy == found.found[0] else "other")
    return wrong


def test_a_kernel_is_the_function_that_it_was_written_from() -> None:
    random = Random(4)
    for _ in range(40):
        program = random_program(random)
        (kernel,) = parse(kernel_text(program)).kernels
        of = function_of(kernel)
        assert of.graph == program.graph
        own = uniformity(of, llvm_hierarchy(of.graph))
        assert written(of, own) == written(program.function, uniformity(program.function, llvm_hierarchy(of.graph)))
