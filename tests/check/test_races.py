"""Races are those of executions that the filter keeps, and writes that race where nobody reads are told apart."""

from __future__ import annotations

import pytest

from axmem.check.races import race
from axmem.check.selection import loaded
from axmem.litmus.parser import parse

MESSAGE = """litmus message
global data = 0
global flag = 0
global seen = 0
thread P {
  store 1, data
  store atomic 1, flag ORDER
}
thread Q {
  f = load atomic flag acquire
  store f, seen
  d = load data
}
filter (FILTER)
exists (true)
"""


@pytest.mark.parametrize(("order", "kept", "races"), [
    ("release", "Q:f=1", False), ("release", "seen=1", False), ("release", "Q:f=0", True), ("release", "true", True),
    ("monotonic", "Q:f=1", True), ("monotonic", "seen=1", True), ("release", "seen=2", False),
])  # fmt: skip
@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
def test_a_race_is_one_of_an_execution_that_the_filter_keeps(order: str, kept: str, races: bool, model: str) -> None:
    found = race(parse(MESSAGE.replace("ORDER", order).replace("FILTER", kept)), loaded(model))
    assert (found.pair is not None) == races and not found.limits


WRITES = """litmus writes
global x = 0
global f = 0
thread P {
  store 1, x
  store atomic 1, f ORDER
}
thread Q {
  r = load atomic f acquire
  assume r == 1
  store 2, x
  MORE
}
exists (true)
"""


@pytest.mark.parametrize(("order", "more", "read", "unread"), [
    ("release", "", False, False), ("monotonic", "", False, True), ("monotonic", "s = load x", True, False),
    ("release", "s = load x", False, False),
])  # fmt: skip
@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
def test_writes_that_race_where_nobody_reads_are_told_apart(
    order: str, more: str, read: bool, unread: bool, model: str
) -> None:
    found = race(parse(WRITES.replace("ORDER", order).replace("MORE", more)), loaded(model))
    assert (found.pair is not None, found.unread is not None) == (read, unread) and not found.limits
    if found.unread is not None:
        assert {each.operation for each in found.unread} == {"store 1, x", "store 2, x"}
