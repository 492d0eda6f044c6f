"""Iterations that change nothing are left out, exactly, and others are not."""

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
from axmem.model.library import load

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


@pytest.mark.parametrize(("order", "verdict"), [("release", "always"), ("monotonic", "sometimes")])
def test_what_is_asked_of_a_lock_by_exchanges_is_decided(order: str, verdict: str) -> None:
    """In four iterations it is not, if those that fail are kept: somebody may fail more often."""
    test, model = parse(LOCK.replace("ORDER", order)), load("amdgpu")
    result = axmem.outcomes(test, model)
    assert result.verdict == verdict and not result.incomplete
    kept = solve(event_graph(test, conventions(model)), model)
    assert kept.incomplete and {row[-2:] for row in kept.outcomes} <= {
        row[-2:] for row in solve(event_graph(test, replace(conventions(model), stutters=True)), model).outcomes
    }


@pytest.mark.parametrize("stored", [0, 1, 5])
def test_outcomes_are_those_of_more_iterations(stored: int) -> None:
    """Somebody else stores to the lock, too: an exchange of 5 changes it, one of 1 does not."""
    beside = f'thread P {{\n  store atomic {stored}, lock syncscope("agent") monotonic\n}}\nexists'
    text = LOCK.replace("ORDER", "release").replace("exists", beside)
    test, model = parse(text), load("amdgpu")
    exact = replace(conventions(model), stutters=True)
    short = solve(event_graph(replace(test, bound=3), exact), model)
    long = solve(event_graph(replace(test, bound=5)), model)
    assert short.outcomes and set(short.outcomes) == set(long.outcomes)


def test_a_lock_of_two_scopes_is_not_decided_so() -> None:
    """Where the release has another scope, updates that write what was there may stand between."""
    found = race(parse(LOCK.replace('syncscope("agent") ORDER', 'syncscope("workgroup") release')), loaded("amdgpu"))
    assert found.pair is not None or found.limits
