"""Split and named barriers, and operations with tokens: outcomes and undefined behaviour derived by hand."""

from __future__ import annotations

import pytest

from axmem.front.source import InputError
from tests.events.kernels import outcomes, undefined

SPLIT = """
litmus each-lane-reads-what-the-other-wrote
kernel K() wavefronts 2, lanes 1 {
  lds <2 x i32> t
  store workitem.id, t[workitem.id]
  fence syncscope("workgroup") release
  s.barrier.signal
  store 7, t[workitem.id]
  s.barrier.wait
  fence syncscope("workgroup") acquire
  v = load t[workitem.id ^ 1]
}
"""

NAMED = """
litmus two-producers-and-a-consumer
kernel K() wavefronts 3, lanes 1 {
  lds barrier b
  lds <2 x i32> t
  if wave.id == 0 {
    s.barrier.init b, COUNT
  }
  s.barrier
  if wave.id < 2 {
    store wave.id + 1, t[wave.id]
    fence syncscope("workgroup") release
    s.barrier.signal.var b, 0
  } else {
    JOIN
    s.barrier.signal.var b, 0
    s.barrier.wait 1
    fence syncscope("workgroup") acquire
    r = load t[0]
    s = load t[1]
  }
}
"""


@pytest.mark.parametrize("name", ["llvm", "amdgpu", "sc"])
def test_a_split_barrier_orders_what_comes_before_its_signal(name: str) -> None:
    """The store between the halves races with the other's load; without it each reads what the other has written."""
    row = "K.0.0.0:v={}  K.0.1.0:v={}"
    quiet = SPLIT.replace("  store 7, t[workitem.id]\n", "")
    assert outcomes(quiet, name) == {row.format(1, 0)}
    if name != "sc":
        assert outcomes(SPLIT, name) == {row.format("undef", "undef")}


ORDERS = {
    "a wait without a signal": ("s.barrier.wait", {"barrier-missing"}),
    "a signal without a wait": ("s.barrier.signal", set()),
    "two signals before a wait": ("s.barrier.signal\ns.barrier.signal\ns.barrier.wait", {"barrier-mismatch"}),
    "a whole barrier between the halves": ("s.barrier.signal\ns.barrier\ns.barrier.wait", {"barrier-mismatch"}),
    "a second wait": ("s.barrier.signal\ns.barrier.wait\ns.barrier.wait", {"barrier-missing"}),
    "two phases": ("s.barrier.signal\ns.barrier.wait\ns.barrier.signal\ns.barrier.wait", set()),
    "one wave signals elsewhere": (
        "if wave.id == 0 {\ns.barrier.signal\n} else {\ns.barrier.signal\n}\ns.barrier.wait", {"barrier-mismatch"},
    ),
    "one wave signals never": ("if wave.id == 0 {\ns.barrier.signal\ns.barrier.wait\n}", {"barrier-missing"}),
    "one wave waits never": ("s.barrier.signal\nif wave.id == 0 {\ns.barrier.wait\n}", set()),
    "one lane waits": ("s.barrier.signal\nif lane.id == 0 {\ns.barrier.wait\n}", {"barrier-wave-divergent"}),
    "waits in two places": (
        "s.barrier.signal\nif wave.id == 0 {\ns.barrier.wait\n} else {\ns.barrier.wait\n}", set(),
    ),
    "a wait after one of two signals": (
        "if n == 0 {\ns.barrier.signal\n} else {\ns.barrier.signal\n}\ns.barrier.wait", set(),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "reasons"), ORDERS.values(), ids=list(ORDERS))
def test_the_halves_of_a_barrier_alternate(body: str, reasons: set[str]) -> None:
    text = f"litmus t\nkernel K(i32 n in {{0, 1}}) wavefronts 2, lanes 2 {{\n{body}\n}}\n"
    assert undefined(text) == reasons


def test_one_wave_is_the_first_to_signal() -> None:
    text = """
litmus first
kernel K() wavefronts 2, lanes 1 {
  r = s.barrier.signal.isfirst
  s.barrier.wait
}
observe K.0.0:r, K.0.1:r
"""
    assert outcomes(text, "llvm") == {"K.0.0:r={1}  K.0.1:r={0}", "K.0.0:r={0}  K.0.1:r={1}"}


@pytest.mark.parametrize("name", ["llvm", "amdgpu"])
def test_a_consumer_reads_what_two_producers_wrote(name: str) -> None:
    text = NAMED.replace("COUNT", "3").replace("JOIN", "s.barrier.join b")
    assert outcomes(text, name) == {"K.0.2.0:r=1  K.0.2.0:s=2"}


@pytest.mark.parametrize(
    ("count", "join", "reasons"),
    [
        ("3", "s.barrier.join b", set()),
        ("4", "s.barrier.join b", {"barrier-missing"}),
        ("3", "", {"barrier-not-joined"}),
    ],
)
def test_a_named_barrier_has_its_members(count: str, join: str, reasons: set[str]) -> None:
    assert undefined(NAMED.replace("COUNT", count).replace("JOIN", join)) == reasons


def test_a_named_barrier_is_initialised_before_everything_else() -> None:
    text = NAMED.replace("COUNT", "3").replace("JOIN", "s.barrier.join b").replace("  s.barrier\n", "")
    assert undefined(text) == {"barrier-uninitialized"}
    too_early = text.replace("  if wave.id == 0 {", "  s.barrier\n  if wave.id == 0 {")
    assert undefined(too_early) == {"barrier-uninitialized"}


def test_what_is_not_known_of_named_barriers_is_refused() -> None:
    """A third arrival, where two are expected, may be of the first phase or of the second."""
    text = NAMED.replace("COUNT", "2").replace("JOIN", "s.barrier.join b")
    with pytest.raises(InputError, match="more waves may arrive at"):
        undefined(text)


REFUSED = {
    "the cluster's barrier": ("s.barrier.signal -3", "of the workgroup's barrier, -1, alone"),
    "a wait for no barrier": ("s.barrier.wait 0", "knows no barrier 0"),
    "a count that is read": ("r = load x\ns.barrier.init b, r", "with a constant alone"),
    "a barrier that is initialised twice": ("s.barrier.init b, 1\ns.barrier.init b, 1", "of a barrier once"),
    "a count that a signal changes": ("s.barrier.init b, 1\ns.barrier.signal.var b, 2", "expects 2, where 1 are"),
    "a join on one of two paths": (
        "r = load x\nif r == 0 {\ns.barrier.join b\n}\ns.barrier.wait 1", "depends on the path",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "message"), REFUSED.values(), ids=list(REFUSED))
def test_what_is_not_known_of_barriers_is_refused(body: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        undefined(f"litmus t\nglobal x = 0\nkernel K() lanes 1 {{\nlds barrier b\n{body}\n}}\n")


RING = """
litmus a-ring-of-two-slots
kernel K() wavefronts 2, lanes 1 {
  lds barrier full, empty
  lds t
  s.barrier.init full, 2
  s.barrier.init empty, 2
  s.barrier
  if wave.id == 0 {
    s.barrier.join empty
    for i in 0..2 {
      store i + 1, t
      fence syncscope("workgroup") release
      s.barrier.signal.var full, 0
      EMPTY
      fence syncscope("workgroup") acquire
    }
  } else {
    s = 0
    for i in 0..2 {
      s.barrier.join full
      s.barrier.signal.var full, 0
      s.barrier.wait 1
      fence syncscope("workgroup") acquire
      r = load t
      s = s * 10 + r
      fence syncscope("workgroup") release
      s.barrier.signal.var empty, 0
    }
  }
}
observe K.0.1.0:s
"""
WAITING = "s.barrier.signal.var empty, 0\n      s.barrier.wait 1"


@pytest.mark.parametrize("name", ["llvm", "sc"])
def test_a_producer_waits_for_the_slot_to_be_empty(name: str) -> None:
    """The producer arrives at `full` again after the consumer has emptied the slot, for which it waits at `empty`."""
    text = RING.replace("EMPTY", WAITING)
    assert outcomes(text, name) == {"K.0.1.0:r=2  K.0.1.0:s=12"}
    assert undefined(text) == set()


def test_a_producer_that_does_not_wait_arrives_too_early() -> None:
    text = RING.replace("EMPTY", "").replace("s.barrier.signal.var empty, 0", "")
    assert "barrier-mismatch" in undefined(text)


def test_who_leaves_is_expected_no_longer() -> None:
    """Wave 0 leaves after one phase; in the second wave 1 is alone."""
    body = """
litmus leaving
kernel K() wavefronts 2, lanes 1 {
  lds barrier b
  s.barrier.init b, 2
  s.barrier
  s.barrier.join b
  s.barrier.signal.var b, 0
  s.barrier.wait 1
  if wave.id == 0 {
    LEAVE
  } else {
    s.barrier.signal.var b, 0
    s.barrier.wait 1
  }
}
"""
    assert undefined(body.replace("LEAVE", "s.barrier.leave")) == set()
    assert undefined(body.replace("LEAVE", "")) == {"barrier-missing"}


def test_two_waves_that_wait_for_each_other_wait_for_ever() -> None:
    text = """
litmus crossed
kernel K() wavefronts 2, lanes 1 {
  lds barrier a, b
  s.barrier.init a, 2
  s.barrier.init b, 2
  s.barrier
  if wave.id == 0 {
    s.barrier.join a
    s.barrier.signal.var a, 0
    s.barrier.wait 1
    s.barrier.signal.var b, 0
  } else {
    s.barrier.join b
    s.barrier.signal.var b, 0
    s.barrier.wait 1
    s.barrier.signal.var a, 0
  }
}
"""
    assert undefined(text) == {"barrier-missing"}


# ---------------------------------------------------------------- tokens

EXITING = """
litmus a-value-of-each-iteration-s-exit
kernel K() lanes 3 {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %j = add i32 %i, 1
  %n = and i32 lane.id, 2
  %c = icmp ult i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  %b = call i64 @llvm.amdgcn.ballot.i64(i1 true) [ "convergencectrl"(token %TOKEN) ]
  ret void
}
observe K.0.0:b
"""

ANCHORED = """
litmus an-anchor-s-lanes-are-divided-in-any-way
kernel K() lanes 3 {
  BRANCH
  %a = call token @llvm.experimental.convergence.anchor()
  %b = call i64 @llvm.amdgcn.ballot.i64(i1 true) [ "convergencectrl"(token %a) ]
  END
}
observe K.0.0:b
"""


def test_lanes_are_together_that_left_a_loop_in_one_iteration() -> None:
    """Lanes 0 and 1 leave in the first iteration, lane 2 in the third; by the entry's token they all are together."""
    assert outcomes(EXITING.replace("TOKEN", "h"), "llvm") == {"K.0.0:b={3,3,4}"}
    assert outcomes(EXITING.replace("TOKEN", "t"), "llvm") == {"K.0.0:b={7,7,7}"}


def test_an_anchor_divides_its_lanes_in_every_way() -> None:
    partitions = ["7,7,7", "3,3,4", "5,2,5", "1,6,6", "1,2,4"]
    text = ANCHORED.replace("BRANCH", "").replace("END", "")
    assert outcomes(text, "llvm") == {f"K.0.0:b={{{values}}}" for values in partitions}


def test_an_anchor_divides_the_lanes_that_come() -> None:
    text = ANCHORED.replace("BRANCH", "%b = zext i32 0 to i64\n if lane.id != 1 {").replace("END", "}")
    assert outcomes(text, "llvm") == {"K.0.0:b={5,0,5}", "K.0.0:b={1,0,4}"}


NESTED = """
litmus an-anchor-in-the-region-of-another
kernel K() lanes 2 {
  %a = call token @llvm.experimental.convergence.anchor()
  %b = call token @llvm.experimental.convergence.anchor()
  %r = call i64 @llvm.amdgcn.ballot.i64(i1 true) [ "convergencectrl"(token %b) ]
  %s = call i64 @llvm.amdgcn.ballot.i64(i1 true) [ "convergencectrl"(token %a) ]
}
observe K.0.0:r, K.0.0:s
"""


def test_an_anchor_divides_what_the_one_around_it_has_divided() -> None:
    """Lanes that are apart at a are apart at b, too."""
    assert outcomes(NESTED, "llvm") == {f"K.0.0:r={r}  K.0.0:s={s}" for r, s in (
        ("{3,3}", "{3,3}"), ("{1,2}", "{3,3}"), ("{1,2}", "{1,2}")
    )}  # fmt: skip


def test_a_barrier_of_an_anchor_s_lanes_orders_them_alone() -> None:
    text = """
litmus published-in-the-wave
global x = 0
kernel K() lanes 2 {
  if lane.id == 0 {
    store 1, x
  }
  fence syncscope("wavefront") release
  %a = call token @llvm.experimental.convergence.anchor()
  call void @llvm.amdgcn.wave.barrier() [ "convergencectrl"(token %a) ]
  fence syncscope("wavefront") acquire
  r = load x
}
"""
    assert outcomes(text, "llvm") == {"K.0.0.0:r=1  K.0.0.1:r=1", "K.0.0.0:r=1  K.0.0.1:r=undef"}


def test_an_anchor_of_many_lanes_is_refused() -> None:
    with pytest.raises(InputError, match="in at most 3,000 ways; here there are 4,140"):
        outcomes(ANCHORED.replace("lanes 3", "lanes 8").replace("BRANCH", "").replace("END", ""), "llvm")


def test_an_anchor_of_six_lanes_has_the_classes_of_each_lane() -> None:
    text = """
litmus six
kernel K() lanes 6 {
  %a = call token @llvm.experimental.convergence.anchor()
  %b = call i64 @llvm.amdgcn.ballot.i64(i1 true) [ "convergencectrl"(token %a) ]
  ok = b != 63
}
observe K.0.0.0:b
"""
    # Lane 0 may be with any of the five others: 32 classes.
    assert len({row.split()[0] for row in outcomes(text, "llvm")}) == 32


def test_a_workgroup_s_barrier_with_an_anchor_s_token_is_refused() -> None:
    text = ANCHORED.replace("BRANCH", "").replace(
        "END", 'call void @llvm.amdgcn.s.barrier() [ "convergencectrl"(token %a) ]'
    )
    with pytest.raises(InputError, match="with a token of an anchor"):
        outcomes(text, "llvm")
