"""Races are those of executions that the filter keeps."""

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
