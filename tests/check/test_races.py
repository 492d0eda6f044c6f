"""Races are those of executions that the filter keeps, and writes that race where nobody reads are told apart."""

from __future__ import annotations

import pytest

from axmem.check.races import race
from axmem.check.selection import loaded
from axmem.events.conventions import Conventions
from axmem.events.unroll import event_graph
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


TABLE = """litmus table
global <2 x i32> row = {0, 1}
global <2 x i32> col = {INDICES}
global <2 x i32> sum = {0, 0}
thread P {
  a = load row[0]
  c = load col[a]
  s = load sum[c]
  store s + 1, sum[c]
}
thread Q {
  b = load row[1]
  d = load col[b]
  t = load sum[d]
  store t + 1, sum[d]
  MORE
}
exists (true)
"""


@pytest.mark.parametrize(("indices", "more", "races"), [
    ("0, 1", "", False), ("1, 1", "", True),
    # The controls: of memory that something writes, by its name or by a pointer, nothing is known.
    ("0, 1", "store atomic 0, col[0] monotonic", True), ("0, 1", "p = &col + 0\n  store atomic 0, p monotonic", True),
])  # fmt: skip
@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
def test_indices_that_nothing_writes_are_what_they_begin_with(
    indices: str, more: str, races: bool, model: str
) -> None:
    test = parse(TABLE.replace("INDICES", indices).replace("MORE", more))
    found = race(test, loaded(model))
    assert (found.pair is not None) == races and not found.limits
    choices = {known: len(event_graph(test, Conventions(settled=known)).choices) for known in (False, True)}
    assert choices[False] and (choices[True] == 0) == (not more)
