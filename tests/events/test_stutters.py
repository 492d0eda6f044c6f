"""Iterations that change nothing are left out, exactly, and others are not; `make test-long` compares with more."""

from __future__ import annotations

import pytest

import axmem
from axmem.check.races import race
from axmem.check.selection import loaded
from axmem.encoder.solve import solve
from axmem.events.conventions import conventions
from axmem.events.unroll import event_graph
from axmem.front.records import replace
from axmem.litmus.parser import parse
from axmem.litmus.undef import UNDEF
from axmem.model.library import load
from tests.drawn import WHOLE, some

LOCK = """litmus lock
global lock = 0
global n = 0
kernel K() workgroups 2 {
entry:
  br label %take
take:
  %old = atomicrmw xchg lock, 1 syncscope("agent") acquire
  %taken = icmp ne i32 %old, 0
  br i1 %taken, label %take, label %locked
locked:
  %c = load n
  %next = add i32 %c, 1
  store %next, n
  store atomic 0, lock syncscope("agent") ORDER
  ret void
}
exists (n=2)
"""


@pytest.mark.parametrize(("order", "races"), [("release", False), ("monotonic", True)])
def test_a_lock_by_exchanges_is_decided(order: str, races: bool) -> None:
    found = race(parse(LOCK.replace("ORDER", order)), loaded("amdgpu"))
    assert (found.pair is not None) == races and not found.limits


BESIDE = """litmus beside
global <4 x i32> q = {0, 0, 0, 0}
global next = 1
kernel K() workgroups 2 {
entry:
  br label %take
take:
  %old = atomicrmw xchg q[0], 1 syncscope("agent") acquire
  %taken = icmp ne i32 %old, 0
  br i1 %taken, label %take, label %locked
locked:
  %at = atomicrmw add next, 1 syncscope("agent") monotonic
  store 7, q[%at]
  %sum = load q[3]
  store %sum, q[3]
  store atomic 0, q[0] syncscope("agent") ORDER
  ret void
}
exists (true)
"""


@pytest.mark.parametrize(("order", "races"), [("release", False), ("monotonic", True)])
def test_what_no_execution_accesses_is_not_in_the_way(order: str, races: bool) -> None:
    """The lock stands in an array, of which an element is written whose number is read: it is never the lock."""
    test = replace(parse(BESIDE.replace("ORDER", order)), bound=2)
    found = race(test, loaded("amdgpu"))
    assert (found.pair is not None) == races and not found.limits


HANDED = """litmus handed
global data = 0
global l = 1
global g = 0
kernel A {
entry:
  store 1, data
  br label %try
try:
  %old = atomicrmw xchg l, 1 syncscope("agent") acq_rel
  %taken = icmp ne i32 %old, 0
  br i1 %taken, label %try, label %done
done:
  ret void
}
thread B @ workgroup 1 {
  r0 = load atomic l syncscope("agent") acquire
  assume r0 == 1
  r1 = load data
  store atomic 1, g syncscope("agent") release
}
thread C @ workgroup 2 {
  r2 = load atomic g syncscope("agent") acquire
  assume r2 == 1
  store atomic 0, l syncscope("agent") release
}
exists (B:r1=1)
"""


def test_outcomes_that_a_failed_exchange_orders_are_not_left_out() -> None:
    """Who reads from a failed exchange that releases does not race: of outcomes such iterations are kept."""
    result = axmem.outcomes(parse(HANDED), load("amdgpu"))
    (column,) = [k for k, each in enumerate(result.columns) if each.name == "B:r1"]
    assert {(1,), (UNDEF,)} == {row[column] for row in result.outcomes}
    assert race(parse(HANDED), loaded("amdgpu")).pair is not None


@pytest.mark.parametrize("stored", some([0, 1, 5], of=3))
def test_outcomes_are_those_of_more_iterations(stored: int) -> None:
    """Somebody else stores to the lock, too: an exchange of 5 changes it, one of 1 does not."""
    beside = f'thread P {{\n  store atomic {stored}, lock syncscope("agent") monotonic\n}}\nexists'
    text = LOCK.replace("ORDER", "release").replace("exists", beside)
    test, model = parse(text), load("amdgpu")
    exact = replace(conventions(model), stutters=True)
    fewer, more = (3, 5) if WHOLE else (2, 3)
    short = solve(event_graph(replace(test, bound=fewer), exact), model)
    long = solve(event_graph(replace(test, bound=more)), model)
    assert short.outcomes and set(short.outcomes) == set(long.outcomes)


def test_a_lock_of_two_scopes_is_not_decided_so() -> None:
    """Where the release has another scope, updates that write what was there may stand between."""
    found = race(parse(LOCK.replace('syncscope("agent") ORDER', 'syncscope("workgroup") release')), loaded("amdgpu"))
    assert found.pair is not None or found.limits
