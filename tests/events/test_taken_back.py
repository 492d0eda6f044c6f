"""Updates that an iteration takes back are left out where nobody notices; `make test-long` compares with more."""

from __future__ import annotations

import random

import pytest

from axmem.check.races import race
from axmem.check.selection import loaded
from axmem.encoder.solve import solve
from axmem.events.conventions import conventions
from axmem.events.unroll import event_graph
from axmem.front.records import replace
from axmem.litmus.parser import parse
from axmem.model.library import load
from tests.drawn import some

LOCK = """litmus readers
global lock = 0
global data = 0
kernel writer {
entry:
  br label %try
try:
  %0 = cmpxchg lock, 0, 1024 syncscope("agent") acquire monotonic
  br %0[1], taken, try
taken:
  store 1, data
  %2 = atomicrmw add lock, -1024 syncscope("agent") ORDER
  ret void
}
kernel reader workgroups 2 {
entry:
  br label %try
try:
  %0 = atomicrmw add lock, 1 syncscope("agent") acquire
  %1 = icmp sgt %0, 511
  br %1, back, in
back:
  %2 = atomicrmw add lock, TAKEN syncscope("agent") monotonic
  br label %try
in:
  %3 = load data
  %4 = atomicrmw add lock, -1 syncscope("agent") release
  ret void
}
exists (true)
"""


@pytest.mark.parametrize(("order", "races"), [("release", False), ("monotonic", True)])
def test_a_lock_of_readers_is_decided(order: str, races: bool) -> None:
    found = race(replace(parse(LOCK.replace("ORDER", order).replace("TAKEN", "-1")), bound=1), loaded("amdgpu"))
    assert (found.pair is not None) == races and not found.limits


def test_what_is_not_all_taken_back_has_no_bound() -> None:
    found = race(replace(parse(LOCK.replace("ORDER", "release").replace("TAKEN", "-2")), bound=2), loaded("amdgpu"))
    assert found.pair is None and found.limits


NOTICED = """litmus noticed
global lock = 512
global data = 0
kernel reader {
entry:
  br label %try
try:
  %0 = atomicrmw add lock, 1 syncscope("agent") monotonic
  %1 = icmp sgt %0, 511
  br %1, back, in
back:
  %2 = atomicrmw add lock, -1 syncscope("agent") monotonic
  br label %try
in:
  ret void
}
thread A @ workgroup 1 {
  r0 = load atomic lock syncscope("agent") monotonic
  r1 = icmp eq r0, SEEN
  if r1 {
    store 1, data
  }
  store atomic 0, lock syncscope("agent") monotonic
}
thread B @ workgroup 2 {
  r2 = load data
}
exists (true)
"""


@pytest.mark.parametrize(("seen", "races"), [(513, True), (514, False)])
def test_who_notices_is_looked_at(seen: int, races: bool) -> None:
    """A race that is there only where somebody sees a count that is taken back."""
    found = race(replace(parse(NOTICED.replace("SEEN", str(seen))), bound=2), loaded("amdgpu"))
    assert (found.pair is not None) == races


def drawn(seed: int) -> str:
    """Return a kernel that updates a word and takes that back until it reads little, beside two threads."""
    draw = random.Random(seed)
    there = draw.choice([("add", 1, "add", -1), ("or", 4, "and", -5), ("xor", 2, "xor", 2), ("add", 2, "sub", 2)])
    order = ["monotonic", "acquire", "release", "acq_rel"]

    def other(name: str) -> str:
        ways = (
            f'{name} = load atomic w syncscope("agent") {draw.choice(order[:2])}',
            f"{name} = atomicrmw {draw.choice(['add', 'or', 'xchg'])} w, {draw.choice([1, 3, 8])}"
            f' syncscope("agent") {draw.choice(order)}',
            f'store atomic {draw.choice([0, 4, 9])}, w syncscope("agent") release',
            f'{name} = cmpxchg w, {draw.choice([0, 8, 9])}, 1 syncscope("agent") acq_rel monotonic',
        )
        return draw.choice(ways)

    threads = "".join(
        f'thread {name} @ workgroup {number} {{\n  r{number} = load atomic w syncscope("agent") monotonic\n'
        f"  {other(f'q{number}')}\n  store r{number}, seen[{number}]\n}}\n"
        for number, name in ((1, "A"), (2, "B"))
    )
    return f"""litmus drawn
global w = {draw.choice([0, 8, 9])}
global <4 x i32> seen = {{0, 0, 0, 0}}
kernel K {{
entry:
  br label %try
try:
  %0 = atomicrmw {there[0]} w, {there[1]} syncscope("agent") {draw.choice(order)}
  %1 = icmp sgt %0, 7
  br %1, back, in
back:
  %2 = atomicrmw {there[2]} w, {there[3]} syncscope("agent") {draw.choice(order)}
  br label %try
in:
  ret void
}}
{threads}exists (seen[1]=0 /\\ seen[2]=0 /\\ w=0)
"""


@pytest.mark.parametrize("seed", some(range(60), of=6))
def test_what_memory_holds_is_that_of_all_iterations(seed: int) -> None:
    test, model = replace(parse(drawn(seed)), bound=2), load("amdgpu")
    exact = replace(conventions(model), stutters=True, hidden=True)
    found = [solve(event_graph(test, decided), model).outcomes for decided in (exact, conventions(model))]
    left, every = ({row[-3:] for row in outcomes} for outcomes in found)
    assert left == every
