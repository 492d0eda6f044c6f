"""Iterations that change nothing are left out, exactly, and others are not."""

from __future__ import annotations

import pytest

import axmem
from axmem.check.races import race
from axmem.check.selection import loaded
from axmem.litmus.parser import parse

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


def test_its_outcomes_are_those_of_every_iteration() -> None:
    result = axmem.outcomes(parse(LOCK.replace("ORDER", "release")), "amdgpu")
    assert result.verdict == "always"


STAMP = """litmus stamp
global lock = 0
kernel K() workgroups 2 {
entry:
  br label %take
take:
  %old = atomicrmw xchg lock, 3 monotonic
  %again = icmp eq i32 %old, 5
  br i1 %again, label %take, label %done
done:
  ret void
}
thread P {
  store atomic 5, lock monotonic
}
exists (lock=VALUE)
"""


@pytest.mark.parametrize(("value", "verdict"), [(5, "sometimes"), (3, "sometimes"), (0, "never")])
def test_an_update_that_writes_something_else_counts(value: int, verdict: str) -> None:
    """Whoever reads 5 writes 3 and tries again: at last there is 3, or 5 where it is stored after all."""
    assert axmem.outcomes(parse(STAMP.replace("VALUE", str(value))), "amdgpu").verdict == verdict



def test_a_lock_of_two_scopes_is_not_decided_so() -> None:
    """Where the release has another scope, updates that write what was there may stand between."""
    found = race(parse(LOCK.replace('syncscope("agent") ORDER', 'syncscope("workgroup") release')), loaded("amdgpu"))
    assert found.pair is not None or found.limits
