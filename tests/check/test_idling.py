"""Verdicts of loops that wait without a bound rest on iterations that change something; outcomes are those of all."""

from __future__ import annotations

import pytest

from axmem.check.decide import decide, without_idling
from axmem.check.judging import Question, report_of
from axmem.check.results import outcomes
from axmem.front.records import replace
from axmem.litmus.parser import parse
from axmem.model.library import load
from tests.drawn import some
from tests.events.test_taken_back import drawn

LOCK = """litmus lock
global l = 0, n = 0
global <2 x i32> seen = {9, 9}
kernel K() workgroups 2 {
entry:
  br label %wait
wait:
  %held = load atomic l syncscope("agent") monotonic
  %free = icmp eq i32 %held, 0
  br i1 %free, label %take, label %wait
take:
  %old = atomicrmw xchg l, 1 syncscope("agent") ORDER
  %taken = icmp ne i32 %old, 0
  br i1 %taken, label %wait, label %locked
locked:
  %c = load n
  %next = add i32 %c, 1
  store %next, n
  store %c, seen[%workgroup.id]
  store atomic FREE, l syncscope("agent") RELEASE
  ret void
}
forall (seen[0]!=seen[1])
"""


def lock(order: str = "acquire", release: str = "release", asked: str = "seen[0]!=seen[1]", free: int = 0) -> str:
    """Return a lock that tests before it takes, with a question."""
    text = LOCK.replace("ORDER", order).replace("RELEASE", release).replace("FREE", str(free))
    return text.replace("seen[0]!=seen[1]", asked).replace("%workgroup.id", "workgroup.id")


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (lock(), "always"),
        (lock("monotonic"), "sometimes"),
        (lock(release="monotonic"), "sometimes"),
        (lock(asked="n=2"), "always"),
        (lock(asked="n=1"), "never"),
    ],
)
def test_a_lock_that_tests_first_is_decided(text: str, known: str) -> None:
    (answer,) = report_of(Question("lock", text, ("amdgpu",), verdicts=True)).answers
    assert answer.result.verdict == known


def test_a_reader_of_all_outcomes_gets_the_verdict_too() -> None:
    (answer,) = report_of(Question("lock", lock(), ("amdgpu",), bound=2)).answers
    assert answer.result.verdict == "always" and answer.result.incomplete


@pytest.mark.parametrize("asked", ["n=undef", "K.0.0.0:old=0"])
def test_what_need_not_hold_of_others_is_not_asked(asked: str) -> None:
    """That something is undef, and what registers hold that may be of an iteration that is left out."""
    assert without_idling(parse(lock(asked=asked)), load("amdgpu")) is None


def test_other_models_are_asked_as_before() -> None:
    test = parse(lock())
    assert without_idling(test, load("amdgpu")) is not None
    assert without_idling(test, load("amdgpu", {"undef.exists": "literal"})) is None
    assert without_idling(test, load("amdgpu", {"hb.acyclic": "unordered"})) is None
    assert without_idling(test, load("vulkan", {"races": "none"})) is None
    assert without_idling(test, load("opencl")) is None


def test_a_lock_that_is_kept_has_no_two_owners() -> None:
    """Nobody gives it back: every execution that ends has one workgroup too many, so none does."""
    found = decide(replace(parse(lock(free=1)), bound=2), "amdgpu")
    assert found.verdict == "unknown" and not found.positive and not found.negative


@pytest.mark.parametrize("seed", some(range(100), of=25))
def test_no_outcome_of_more_iterations_says_otherwise(seed: int) -> None:
    test, model = replace(parse(drawn(seed)), bound=2), load("amdgpu")
    known, whole = without_idling(test, model), outcomes(test, model)
    if known is not None:
        assert (known.positive > 0, known.negative > 0) == (whole.positive > 0, whole.negative > 0)


TAKEN_BACK = """litmus back
global l = 1
global seen = 9
kernel K() {
entry:
  br label %take
take:
  %old = atomicrmw add l, 1 syncscope("agent") monotonic
  %busy = icmp ne i32 %old, 0
  br i1 %busy, label %back, label %in
back:
  %b = atomicrmw sub l, 1 syncscope("agent") monotonic
  br label %take
in:
  ret void
}
thread P @ workgroup 1 {
  a = load atomic l syncscope("agent") monotonic
  store a, seen
  store atomic 0, l syncscope("agent") monotonic
}
exists (seen=2)
"""


def test_what_others_see_of_an_iteration_is_not_left_out() -> None:
    assert without_idling(parse(TAKEN_BACK), load("amdgpu")) is None
    assert decide(TAKEN_BACK, "amdgpu").verdict == "sometimes"
