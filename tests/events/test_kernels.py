"""From kernels to events: outcomes derived by hand, both engines, awaits against bounds, random kernels.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from axmem.check.selection import loaded
from axmem.encoder.oracle import enumerate_outcomes
from axmem.encoder.solve import solve
from axmem.events.conventions import Conventions, conventions
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from tests.drawn import some
from tests.events.kernels import MODELS, graph_of, outcomes, shown

STORE_BUFFERING = """
litmus a-kernel-is-its-lanes
global x = 0, y = 0
kernel K() workgroups 2, lanes 1 {
  if workgroup.id == 0 {
    store atomic 1, x monotonic
    r = load atomic y monotonic
  } else {
    store atomic 1, y monotonic
    r = load atomic x monotonic
  }
}
"""

SPIN = """
litmus a-flag-that-is-awaited
global x = 0, f = 0
kernel K() workgroups 2, lanes 1 {
entry:
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %c = icmp eq i32 %g, 0
  br i1 %c, label %writer, label %loop
writer:
  store 1, x
  store atomic 1, f release
  ret void
loop:
  %r = load atomic f acquire
  %d = icmp eq i32 %r, 0
  br i1 %d, label %loop, label %done
done:
  %v = load x
  ret void
}
"""

LOCK = """
litmus a-lock
global l = 0, x = 0
kernel K() workgroups 2, lanes 1 {
  ok = false
  while ~ok {
    old, ok = cmpxchg l, 0, 1 acquire monotonic
  }
  v = load x
  store v + 1, x
  store atomic 0, l release
}
"""

COUNTING = """
litmus a-loop-that-counts
global x = 0
thread P0 {
  s = 0
  r = 0
  while r < 2 {
    r = load atomic x monotonic
    s = s + 1
  }
}
thread P1 {
  store atomic 1, x monotonic
  store atomic 2, x monotonic
}
bound 2
observe P0:s
"""

CONSTANT = """
litmus constants-count-no-iterations
kernel K() lanes 2 {
  private p
  s = 0
  for i in 0..6 {
    if i == lane.id {
      s = s + 10
    }
    s = s + i
  }
  store s, p
  q = load p
}
"""

CROSS = """
litmus lanes-that-are-here
kernel K(i32 n in {0, 2}) lanes 4 {
  v = lane.id * 10
  if lane.id >= n {
    f = readfirstlane v
    b = ballot lane.id != 3
    s = wave.reduce.add v
    m = wave.reduce.umax v
    l = readlane v, 1
    p = ds.bpermute (lane.id << 2) ^ 4, v
  }
}
observe K.0.0:f, K.0.0:b, K.0.0:s, K.0.0:m, K.0.0:l, K.0.0:p
"""

DIVERGED = """
litmus iterations-are-apart
kernel K() lanes 3 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %b = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  %j = add i32 %i, 1
  %c = icmp ult i32 %i, lane.id
  br i1 %c, label %loop, label %exit
exit:
  %e = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  ret void
}
observe K.0.0:b, K.0.0:e, K.0.0:i
"""

OWN = """
litmus memory-that-there-is-more-than-once
kernel K() workgroups 2, lanes 2 {
  lds t = 0
  private q = 0
  store workgroup.id * 2 + lane.id, q
  m = atomicrmw add t, lane.id + 1 monotonic
}
observe K.0.t, K.1.t, K.0.0.1.q, K.1.0.0.q
exists (K.0.t=3 /\\ K.1.0.1.q=3)
"""

LEAVING = """
litmus a-branch-that-leaves-on-one-side
global x = 0
kernel K() workgroups 2, lanes 1 {
entry:
  %r = load atomic x monotonic
  switch i32 %r, label %both [ i32 0, label %zero i32 1, label %both ]
zero:
  store atomic 1, x monotonic
  br label %last
both:
  %s = phi i32 [ 5, %entry ], [ 5, %entry ]
  ret void
last:
  %t = load atomic x monotonic
  ret void
}
"""

INNER = """
litmus a-value-that-an-inner-branch-computes
global x = 0, y = 0
kernel K(i32 n in {0, 1, 2}) {
entry:
  store n, x
  a = load x
  br a == 1, last, more
more:
  b = load x
  br b == 2, done, inner
inner:
  c = load x
  br c == 0, one, two
one:
  br last
two:
  br last
last:
  r = phi [5, entry], [6, one], [7, two]
  store r, y
  ret void
done:
  ret void
}
observe y
"""

IRREDUCIBLE = """
litmus a-cycle-with-two-entries
global x = 0
kernel K(i32 n in {0, 1}) lanes 2 {
entry:
  %o = icmp eq i32 %n, 0
  br i1 %o, label %A, label %B
A:
  %a = phi i32 [ 0, %entry ], [ %b1, %B ]
  %a1 = add i32 %a, 1
  %ca = icmp ult i32 %a1, 3
  br i1 %ca, label %B, label %exit
B:
  %b = phi i32 [ 10, %entry ], [ %a1, %A ]
  %b1 = add i32 %b, 1
  %cb = icmp ult i32 %b1, 3
  br i1 %cb, label %A, label %exit
exit:
  %e = phi i32 [ %a1, %A ], [ %b1, %B ]
  ret void
}
observe K.0.0:e
"""


def test_a_kernel_is_the_threads_that_its_lanes_are() -> None:
    """Store buffering: under sc one of the two sees the other's store; monotonic accesses let both miss it."""
    pairs = {f"K.0.0.0:r={a}  K.1.0.0:r={b}" for a in (0, 1) for b in (0, 1)}
    assert outcomes(STORE_BUFFERING, "llvm") == pairs
    assert outcomes(STORE_BUFFERING, "sc") == pairs - {"K.0.0.0:r=0  K.1.0.0:r=0"}


@pytest.mark.parametrize("name", MODELS)
def test_a_loop_that_waits_has_its_last_iteration(name: str) -> None:
    """Who has left the loop has read the flag that was released after x was written."""
    assert outcomes(SPIN, name) == {"K.1.0.0:r=1  K.1.0.0:v=1"}


@pytest.mark.parametrize("name", ["llvm", "sc"])
def test_a_lock_lets_one_in_after_the_other(name: str) -> None:
    graph = graph_of(parse(LOCK), MODELS[name])
    assert not graph.beyond
    got = "K.{0}.0.0:old=0  K.{0}.0.0:ok=1  K.{0}.0.0:v={1}"
    expected = {f"{got.format(0, a)}  {got.format(1, 1 - a)}" for a in (0, 1)}
    assert shown(graph, solve(graph, MODELS[name]).outcomes) == expected


@pytest.mark.parametrize("text", some([pytest.param(SPIN, id="spin"), pytest.param(LOCK, id="lock")], of=2))
@pytest.mark.parametrize("name", some(["amdgpu", "llvm"], of=2))
def test_a_loop_that_waits_has_the_outcomes_of_more_iterations(text: str, name: str) -> None:
    test, model = parse(text), MODELS[name]
    exact = solve(graph_of(test, model), model)
    assert not exact.incomplete
    for bound in (2, 3) if name == "llvm" else (2,):
        cut = solve(graph_of(replace(test, bound=bound), model, awaits=False), model)
        assert cut.incomplete and cut.outcomes == exact.outcomes


def test_what_goes_beyond_the_bound_is_said() -> None:
    """The first test of r is of a constant, so that two more executions of the header are within the bound."""
    test = parse(COUNTING)
    solved = solve(graph_of(test, MODELS["sc"]), MODELS["sc"])
    assert [str(reason) for reason in solved.incomplete] == ["loop 'while1' of P0 goes on beyond 2 iterations"]
    assert outcomes(COUNTING, "sc") == {"P0:r=2  P0:s=1", "P0:r=2  P0:s=2"}
    assert outcomes(COUNTING.replace("bound 2", "bound 3"), "sc") == {f"P0:r=2  P0:s={n}" for n in (1, 2, 3)}


def test_final_values_are_of_the_instance_that_is_named() -> None:
    """Both lanes of each workgroup add to its own memory, 1 and 2; the first to come reads 0.

    Brute force takes minutes here; both engines are asked about one workgroup in the corpus (`Lds+of-a-workgroup`).
    """
    first, second = [f"K.{g}.0.0:m={{0}}  K.{g}.0.1:m={{1}}" for g in (0, 1)]
    rows = {f"{first.format(a, b)}  {second.format(c, d)}" for a, b in ((0, 1), (2, 0)) for c, d in ((0, 1), (2, 0))}
    end = "  K.0.t=3  K.1.t=3  K.0.0.1.q=1  K.1.0.0.q=2  K.1.0.1.q=3"
    graph = graph_of(parse(OWN), MODELS["llvm"])
    assert shown(graph, solve(graph, MODELS["llvm"]).outcomes) == {row + end for row in rows}


def test_iterations_that_constants_decide_are_not_bounded() -> None:
    """0 + … + 5 = 15, and 10 once for each lane's own number."""
    assert outcomes(CONSTANT, "llvm") == {"K.0.0.0:q=25  K.0.0.1:q=25"}


def test_cross_lane_operations_are_of_the_lanes_that_are_here() -> None:
    """With n=2 the lanes 2 and 3 are here: 20 comes first, the sum is 50, and lane 1, which is read, is not here."""
    everyone = (
        "K:n=0  K.0.0:f={0,0,0,0}  K.0.0:b={7,7,7,7}  K.0.0:s={60,60,60,60}  K.0.0:m={30,30,30,30}  "
        "K.0.0:l={10,10,10,10}  K.0.0:p={10,0,30,20}"
    )
    upper = (
        "K:n=2  K.0.0:f={0,0,20,20}  K.0.0:b={0,0,4,4}  K.0.0:s={0,0,50,50}  K.0.0:m={0,0,30,30}  "
        "K.0.0:l={0,0,undef,undef}  K.0.0:p={0,0,30,20}"
    )
    assert outcomes(CROSS, "llvm") == {everyone, upper}


def test_lanes_in_one_iteration_are_together() -> None:
    """Lane n executes the loop n+1 times: its last ballot is of the lanes from n on; all meet at the exit."""
    assert outcomes(DIVERGED, "llvm") == {"K.0.0:b={7,6,4}  K.0.0:e={7,7,7}  K.0.0:i={0,1,2}"}


@pytest.mark.parametrize("name", ["llvm", "sc"])
def test_paths_that_meet_only_in_part_are_reached_by_a_choice(name: str) -> None:
    """Who reads 0 stores 1 and reads 1; who reads 1 has s=5. Both read 0, or one reads what the other has stored."""
    row = "K.0.0.0:r={}  K.0.0.0:t={}  K.1.0.0:r={}  K.1.0.0:t={}"
    assert outcomes(LEAVING, name) == {row.format(*v) for v in ((0, 1, 0, 1), (0, 1, 1, 0), (1, 0, 0, 1))}


@pytest.mark.parametrize("name", MODELS)
def test_a_value_is_computed_only_on_paths_that_come_to_it(name: str) -> None:
    """What is stored may come from a branch on a read that a path past the store does not make."""
    row = "K:n={}  K.0.0.0:a={}  K.0.0.0:b={}  K.0.0.0:c=0  y={}"
    assert outcomes(INNER, name) == {row.format(*v) for v in ((0, 0, 0, 6), (1, 1, 0, 5), (2, 2, 2, 0))}


def test_a_cycle_may_have_two_entries() -> None:
    """From A: 1, 2, then 3 leaves at A. From B: 11 leaves at once."""
    assert outcomes(IRREDUCIBLE, "llvm") == {"K:n=0  K.0.0:e={3,3}", "K:n=1  K.0.0:e={11,11}"}


THIN_AIR = """
litmus a-value-that-goes-across-lanes
global x = 0, y = 0
kernel K() lanes 2 {
  r = 0
  if lane.id == 0 {
    r = load atomic x monotonic
  }
  v = readfirstlane r
  if lane.id == 1 {
    store atomic v, y monotonic
  }
}
thread P {
  s = load atomic y monotonic
  store atomic s, x monotonic
}
"""


def test_no_value_comes_from_thin_air_through_another_lane() -> None:
    """Lane 1 stores what lane 0 has read, and P gives that back to lane 0: nothing else than 0 was ever written."""
    assert outcomes(THIN_AIR, "llvm") == {"P:s=0  K.0.0.0:r=0"}
    assert outcomes(THIN_AIR, "sc") == {"P:s=0  K.0.0.0:r=0"}
    test, model = parse(THIN_AIR), loaded(ModelChoice("llvm", (("ota", "any"),)))
    assert len(solve(graph_of(test, model), model).outcomes) > 1


# ---------------------------------------------------------------- barriers

RING = """
litmus each-lane-reads-what-its-neighbour-wrote
kernel K() wavefronts 2, lanes 2 {
  lds <4 x i32> t
  store workitem.id, t[workitem.id]
  FENCE release
  s.barrier
  FENCE acquire
  v = load t[(workitem.id + 1) & 3]
}
"""

LEADER = """
litmus the-leader-acquires-and-broadcasts
global x = 0, f = 0
kernel K() workgroups 2, lanes 2 {
  if workgroup.id == 0 {
    if lane.id == 0 {
      store 1, x
      store atomic 1, f release
    }
    ret void
  }
  r = 0
  if lane.id == 0 {
    r = load atomic f acquire
  }
  s = readfirstlane r
  AROUND
  if s == 1 {
    v = load x
  }
}
"""

PARTING = """
litmus not-everyone-comes
kernel K(i32 n in {VALUES}) wavefronts 2, lanes 2 {
  if LANE == n {
    s.barrier
  } else {
    OTHER
  }
}
"""


@pytest.mark.parametrize("name", ["llvm", "amdgpu"])
def test_fences_around_a_barrier_order_what_a_bare_one_does_not(name: str) -> None:
    """A release fence, the barrier, an acquire fence: every store of the workgroup is before every load."""
    fenced = RING.replace("FENCE", 'fence syncscope("workgroup")')
    bare = RING.replace("FENCE release", "").replace("FENCE acquire", "")
    row = "K.0.0.0:v={}  K.0.0.1:v={}  K.0.1.0:v={}  K.0.1.1:v={}"
    assert outcomes(fenced, name) == {row.format(1, 2, 3, 0)}
    assert outcomes(bare, name) == {row.format(*["undef"] * 4)}


def test_what_the_leader_of_a_wave_acquires_is_ordered_for_itself_alone() -> None:
    """Convergence orders nothing: lane 1 reads x unordered, unless fences stand around a wave barrier."""
    row = "K.1.0.0:r={}  K.1.0.0:v={}  K.1.0.1:v={}"
    around = 'fence syncscope("wavefront") release\n  wave.barrier\n  fence syncscope("wavefront") acquire'
    assert outcomes(LEADER.replace("AROUND", ""), "llvm") == {row.format(0, 0, 0), row.format(1, 1, "undef")}
    assert outcomes(LEADER.replace("AROUND", around), "llvm") == {row.format(0, 0, 0), row.format(1, 1, 1)}


@pytest.mark.parametrize(
    ("values", "lane", "other", "reasons"),
    [
        ("0", "0", "", set()),
        ("0", "lane.id", "", {"barrier-wave-divergent"}),
        ("0", "lane.id", "s.barrier", {"barrier-wave-divergent"}),
        ("0", "wave.id", "", {"barrier-missing"}),
        ("0", "wave.id", "s.barrier", {"barrier-mismatch"}),
        ("0, 2", "(workgroup.id << 1)", "s.barrier", set()),
    ],
)
def test_every_lane_of_a_workgroup_comes_to_one_barrier(values: str, lane: str, other: str, reasons: set[str]) -> None:
    """The lanes that come to another barrier, or to none, leave those that wait at this one."""
    text = PARTING.replace("VALUES", values).replace("LANE", lane).replace("OTHER", other)
    model = MODELS["llvm"]
    graph = graph_of(parse(text), model)
    assert solve(graph, model).undefined == enumerate_outcomes(graph, model).undefined == reasons


PASSED = """
litmus the-address-that-a-kernel-is-given
global x = 0, y = 7
global ptr p = null
global ptr q = &x
kernel K(ptr addrspace(1) %a = &y) workgroups 1, lanes 1 {
  lds t = 3
  lds ptr s
  store atomic ptr %a, p monotonic
  store &t, s
  u = load s
  v = load i32 u
}
thread P1 {
  r0 = load atomic ptr p monotonic
  if r0 != null {
    r1 = load i32 r0
  }
}
"""


def test_the_address_of_a_parameter_and_of_memory_of_a_kernel_may_be_loaded() -> None:
    graph = graph_of(parse(PASSED), MODELS["llvm"])
    found = solve(graph, MODELS["llvm"])
    assert not found.undefined and found.outcomes == enumerate_outcomes(graph, MODELS["llvm"]).outcomes
    assert {(row[1], row[3]) for row in found.outcomes} == {((0,), (3,)), ((7,), (3,))}


OWN_BY_ARGUMENT = """
litmus lds-that-is-an-argument
kernel K(ptr addrspace(3) %p in {&t, &s.dotted}) workgroups 2 {
  lds t = 3, s.dotted = 5
  a = atomicrmw add p, 1 syncscope("workgroup") monotonic
}
"""
DOTTED = """
litmus private-memory-with-a-dot-in-its-name
kernel K(ptr addrspace(5) %p = &a.b) lanes 2 {
  private a.b
  store lane.id, a.b
  q = load p
}
"""


def test_an_argument_is_the_address_of_the_workgroups_own_instance() -> None:
    """language.md: LDS is "one per workgroup"; so each of two workgroups finds what its own instance held at first."""
    assert outcomes(OWN_BY_ARGUMENT, "llvm") == {
        f"K:p=&K.0.{name}  K.0.0.0:a={value}  K.1.0.0:a={value}" for name, value in (("t", 3), ("s.dotted", 5))
    }


def test_memory_with_a_dot_in_its_name_has_an_instance_for_each_lane() -> None:
    assert outcomes(DOTTED, "llvm") == {"K.0.0.0:q=0  K.0.0.1:q=1"}


def test_conventions_are_those_of_the_models() -> None:
    assert conventions(MODELS["llvm"]) == Conventions()


NESTED = """
litmus constants-decide-very-many-iterations
kernel K() {
  for i in 0..100 {
    for j in 0..100 {
      for k in 0..100 {
        s = k
      }
    }
  }
}
observe K.0.0:s
"""


def test_what_constants_decide_is_left_before_it_takes_all_memory() -> None:
    """Each loop has fewer iterations than a header is executed at most, but the innermost one a million."""
    (cut, *_) = graph_of(parse(NESTED), MODELS["llvm"]).beyond
    assert cut.reason.endswith("of K goes on beyond 4,096 executed blocks")
