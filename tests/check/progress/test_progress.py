"""Whether kernels end: verdicts derived by hand, under every model of progress, and what the command prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axmem.check.progress.answers import ProgressAnswer, progress
from axmem.check.progress.fairness import ExecutionEnding
from axmem.check.progress.models import Progress, Verdict
from axmem.cli import main
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest

LOCK = """
kernel K() SHAPE {
  ok = false
  while ~ok {
    old, ok = cmpxchg l, 0, 1 acquire monotonic
  }
  v = load x
  store v + 1, x
  store atomic 0, l release
}
"""
"""The critical section stands behind the loop."""

LOCK_INSIDE = """
kernel K() SHAPE {
  done = false
  while ~done {
    old, ok = cmpxchg l, 0, 1 acquire monotonic
    if ok {
      v = load x
      store v + 1, x
      store atomic 0, l release
      done = true
    }
  }
}
"""
"""The critical section stands in the loop: who fails comes back to the header together with who had the lock."""

TICKETS = """
kernel K() SHAPE {
  t = atomicrmw add x, 1 monotonic
  s = load atomic l acquire
  while s != t {
    s = load atomic l acquire
  }
  store atomic s + 1, l release
}
"""

FLAG = """
kernel K() SHAPE {
  if WHO == 0 {
    r = 0
    while r == 0 { 
      r = load atomic x acquire
    }
  } else {
    store atomic 1, x release
  }
}
"""
"""Who has the number 0 waits for the other."""

EVERYONE = """
kernel K() SHAPE {
  a = atomicrmw add x, 1 acq_rel
  r = 0
  while r < 2 {
    r = load atomic x acquire
  }
}
"""
"""A barrier between workgroups, or lanes: everyone waits until two have come."""

PUBLISH = """
kernel K() SHAPE {
entry:
  br label %loop
loop:
  %done = phi i1 [ false, %entry ], [ %d, %latch ]
  %w = load atomic i32, chain[workitem.id] acquire
  %r = icmp ne i32 %w, -1
  br i1 %r, label %publish, label %latch
publish:
  %n = add i32 %w, 1
  store atomic i32 %n, chain[workitem.id + 1] release
  br label %latch
latch:
  %d = phi i1 [ true, %publish ], [ false, %loop ]
  br i1 %d, label %exit, label %loop
exit:
  ret void
}
"""
"""Lane i waits for chain[i], then publishes chain[i + 1], inside the loop."""

SUNK = """
kernel K() SHAPE {
entry:
  br label %loop
loop:
  %w = load atomic i32, chain[workitem.id] acquire
  %r = icmp ne i32 %w, -1
  br i1 %r, label %exit, label %loop
exit:
  %n = add i32 %w, 1
  store atomic i32 %n, chain[workitem.id + 1] release
  ret void
}
"""
"""The same after `default<O3>`: the publish stands in the exit block of the loop."""

WEAK = """
kernel K() SHAPE {
  ok = false
  while ~ok {
    old, ok = cmpxchg weak x, 0, 1 monotonic monotonic
  }
}
"""

BALLOTS = """
kernel K() SHAPE {
  b = ballot true
  while b != 0 {
    r = load atomic x monotonic
    b = ballot r == 0
  }
}
thread P @ workgroup 0 {
  store atomic 1, x monotonic
}
"""
"""The lanes leave the loop together, when all have seen P's store; P is in the workgroup of the smallest number."""

WAITED_FOR = """
kernel K() SHAPE {
  if lane.id == 0 {
    br meet
  }
  br wait
wait:
  r = load atomic x acquire
  br r == 0, wait, meet
meet:
  b = ballot true
  store atomic 1, x release
}
"""
"""Lane 0 waits at the ballot, to which lane 1 can still come; lane 1 waits for the store behind it."""

ROUNDS = """
kernel K() SHAPE {
  for i in 0..2 {
    store workitem.id, x
    s.barrier
  }
}
"""

MISSING = """
kernel K() SHAPE {
  if WHO == 0 {
    s.barrier
  }
}
"""

FOR_EVER = """
kernel K() SHAPE {
  i = 0
  while i == 0 {
    j = i
  }
}
"""

HALVES = """
kernel K() SHAPE {
  s.barrier.signal -1
  if wave.id == 0 {
    r = 0
    while r == 0 {
      r = load atomic l acquire
    }
    s.barrier.wait -1
  } else {
    s.barrier.wait -1
    store atomic 1, l release
  }
}
"""
"""Wave 0 waits for what wave 1 stores behind the barrier, between its own halves."""

MET = HALVES.replace("  s.barrier.signal -1\n", "", 1).replace("s.barrier.wait -1", "s.barrier")
"""With the whole barrier wave 1 waits for wave 0, and stands at another one besides."""

HALF_ROUNDS = """
kernel K() SHAPE {
  s.barrier.signal -1
  i = 0
  while i == 0 {
    s.barrier.wait -1
    j = i
    s.barrier.signal -1
  }
}
"""
"""Each wait is for the signal of the iteration before."""

NAMED = """
kernel K() SHAPE {
  lds barrier b
  s.barrier.init b, COUNT
  s.barrier
  s.barrier.join b
  i = 0
  while i != 3 {
    s.barrier.signal.var b, 0
    s.barrier.wait 1
    STEP
  }
}
"""

LEFT = """
kernel K() SHAPE {
  lds barrier b
  s.barrier.init b, 2
  s.barrier
  s.barrier.join b
  if wave.id == 1 {
    s.barrier.leave
  } else {
    for i in 0..3 {
      s.barrier.signal.var b, 0
      s.barrier.wait 1
    }
  }
}
"""
"""Who has left counts as if it signalled in each phase."""

FIRST = """
kernel K() SHAPE {
  f = s.barrier.signal.isfirst -1
  if f == IS {
    store atomic 1, l release
  } else {
    r = 0
    while r == 0 {
      r = load atomic l acquire
    }
  }
  s.barrier.wait -1
}
"""

MODELS = ("fair", "wave", "obe", "hsa", "hsa-obe", "lobe", "unfair")
WAVE, GROUPS = "lanes 2", "workgroups 2"
NONE, ALL = set[str](), set(MODELS)
FAIR = ALL - {"unfair"}

CASES = {
    # Who holds the lock waits behind the loop for the lane that spins, which may still come there.
    "lock of lanes": (LOCK, WAVE, FAIR - {"wave"}),
    "lock of lanes, inside": (LOCK_INSIDE, WAVE, FAIR),
    # Workgroup 1 has the lock, and only workgroup 0 is sure of its turns.
    "lock of workgroups": (LOCK, GROUPS, FAIR - {"hsa"}),
    "lock of workgroups, inside": (LOCK_INSIDE, GROUPS, FAIR - {"hsa"}),
    "tickets of lanes": (TICKETS, WAVE, FAIR - {"wave"}),
    # Who has a ticket has begun; but workgroup 1 may have the first.
    "tickets of workgroups": (TICKETS, GROUPS, FAIR - {"hsa"}),
    # Lane 0 may spin first, and nothing says that the wave turns to lane 1 then.
    "flag in a wave": (FLAG.replace("WHO", "lane.id"), WAVE, FAIR - {"wave"}),
    # Workgroup 1, which sets the flag, may never begin.
    "flag from the second workgroup": (FLAG.replace("WHO", "workgroup.id"), GROUPS, {"fair", "wave"}),
    # Workgroup 0 sets the flag: it is the smallest one that has not ended, and smaller than any that has begun.
    "flag from the first workgroup": (
        FLAG.replace("WHO", "(workgroup.id ^ 1)"), GROUPS, {"fair", "wave", "hsa", "hsa-obe", "lobe"}
    ),
    "flag between waves": (FLAG.replace("WHO", "wave.id"), "wavefronts 2", FAIR),
    # Workgroup 0 waits for workgroup 1, which may never begin.
    "barrier between workgroups": (EVERYONE, GROUPS, {"fair", "wave"}),
    # Both lanes have added before the loop, where they wait for each other.
    "barrier between lanes": (EVERYONE, WAVE, FAIR),
    "publish": (PUBLISH, WAVE, FAIR),
    "publish, three lanes": (PUBLISH, "lanes 3", FAIR),
    # Lane 0 has left the loop and waits before its exit for lane 1, which waits for what is published there.
    "publish, sunk": (SUNK, WAVE, FAIR - {"wave"}),
    "publish, sunk, waves": (SUNK, "wavefronts 2", FAIR),
    # Without reason it fails finitely often, and nobody else takes the place.
    "weak cmpxchg": (WEAK, "", ALL),
    "ballots": (BALLOTS, WAVE, FAIR - {"obe"}),
    "ballot that is waited for": (WAITED_FOR, WAVE, NONE),
    "rounds": (ROUNDS, "wavefronts 2, lanes 2", ALL),
    "barrier in one wave": (MISSING.replace("WHO", "wave.id"), "wavefronts 2, lanes 2", NONE),
    "barrier in one lane": (MISSING.replace("WHO", "lane.id"), WAVE, NONE),
    "for ever": (FOR_EVER, WAVE, NONE),
    "halves of a barrier": (HALVES, "wavefronts 2, lanes 2", FAIR),
    "the whole barrier": (MET, "wavefronts 2, lanes 2", NONE),
    "halves in rounds": (ROUNDS.replace("s.barrier", "s.barrier.signal -1\n r = load x\n s.barrier.wait -1"),
                         "wavefronts 2, lanes 2", ALL),
    # Counts of iterations are those since the lane that is behind, the signals' too: there are few states.
    "halves for ever": (HALF_ROUNDS, "wavefronts 2, lanes 2", NONE),
    "named barrier in rounds": (NAMED.replace("COUNT", "2").replace("STEP", "i = i + 1"), "wavefronts 2, lanes 2", ALL),
    # What is forgotten of old phases lets the loop come back to its state.
    "named barrier for ever": (NAMED.replace("COUNT", "2").replace("STEP", ""), "wavefronts 2, lanes 2", NONE),
    # Two of three signals come: both waves wait for ever.
    "named barrier that waits": (NAMED.replace("COUNT", "3").replace("STEP", "i = i + 1"), "wavefronts 2", NONE),
    "named barrier that is left": (LEFT, "wavefronts 2", ALL),
    # Of the waves that come exactly one is the first.
    "the first at a barrier": (FIRST.replace("IS", "true"), "wavefronts 2, lanes 2", FAIR),
    "the second at a barrier": (FIRST.replace("IS", "false"), "wavefronts 2", FAIR),
    "alone at a barrier": (FIRST.replace("IS", "false"), "wavefronts 1", NONE),
    "halves once": (HALF_ROUNDS.replace("j = i", "i = 1"), "wavefronts 2, lanes 2", ALL),
}  # fmt: skip


def launched(body: str, shape: str) -> LitmusTest:
    memory = "global l = 0, x = 0, <4 x i32> chain = {0, -1, -1, -1}"
    return parse(f"litmus k\n{memory}\n{body.replace('SHAPE', shape)}")


def answers(body: str, shape: str) -> dict[str, ProgressAnswer]:
    return {answer.model.value: answer for answer in progress(launched(body, shape), Progress)}


@pytest.mark.parametrize("name", CASES)
def test_who_ends(name: str) -> None:
    body, shape, ending = CASES[name]
    found = answers(body, shape)
    assert {model for model, answer in found.items() if answer.verdict is Verdict.ENDS} == ending
    assert {model for model, answer in found.items() if answer.verdict is Verdict.ENDLESS} == ALL - ending


def test_the_models_are_all_there_are() -> None:
    assert tuple(model.value for model in Progress) == MODELS


def test_a_schedule_says_who_waits_for_whom() -> None:
    """Lane 0 stands before the exit of the loop, in which lane 1 reads -1 for ever."""
    schedule = answers(SUNK, WAVE)["wave"].schedule
    assert schedule is not None and schedule.ending is ExecutionEnding.CYCLE
    assert schedule.left == (("K.0.0.0", "waits before exit: K.0.0.1 can still come there"),)
    assert {lane for step in schedule.cycle for lane in step.lanes} == {"K.0.0.1"}
    assert any(step.note == "chain[1] is 4294967295" for step in schedule.cycle)


def test_who_has_no_turn_is_named() -> None:
    """Under hsa workgroup 0 spins, and workgroup 1, which holds the lock, is not sure of a turn."""
    schedule = answers(LOCK, GROUPS)["hsa"].schedule
    assert schedule is not None
    assert schedule.left == (("K.1.0.0", "could step, and has no turn"),)
    first = answers(EVERYONE, GROUPS)["lobe"].schedule
    assert first is not None and first.left == (("K.1.0.0", "never begins"),)


def test_undefined_behaviour_need_not_end() -> None:
    schedule = answers(MISSING.replace("WHO", "wave.id"), "wavefronts 2, lanes 2")["fair"].schedule
    assert schedule is not None
    assert (schedule.ending, schedule.reason) == (ExecutionEnding.UNDEFINED, "barrier-missing")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("s.barrier.wait -1", "barrier-missing"),
        ("s.barrier.signal -1\n s.barrier.signal -1", "barrier-mismatch"),
        ("s.barrier.signal -1\n s.barrier", "barrier-mismatch"),
        ("if wave.id == 0 {\n s.barrier.signal -1\n }", "barrier-missing"),
        ("if wave.id == 0 {\n s.barrier.signal -1\n s.barrier.wait -1\n }", "barrier-missing"),
        ("if wave.id == 0 {\n s.barrier.signal -1\n } else {\n s.barrier.signal -1\n }", "barrier-mismatch"),
        ("if wave.id == 0 {\n s.barrier.signal -1\n s.barrier.wait -1\n } else {\n s.barrier\n }", "barrier-mismatch"),
        ("if lane.id == 0 {\n s.barrier.signal -1\n }", "barrier-wave-divergent"),
        ("s.barrier.signal -1\n if lane.id == 0 {\n s.barrier.wait -1\n }", "barrier-wave-divergent"),
    ],
)
def test_what_is_wrong_with_halves_of_a_barrier(body: str, reason: str) -> None:
    """As executions have it, whatever waves do first."""
    schedule = answers(f"kernel K() SHAPE {{\n {body}\n}}", "wavefronts 2, lanes 2")["fair"].schedule
    assert schedule is not None
    assert (schedule.ending, schedule.reason) == (ExecutionEnding.UNDEFINED, reason)


NAMED_FAULTS = [
    ("s.barrier.join b", "barrier-uninitialized"),
    # Wave 1 may join first: nothing makes it wait for wave 0.
    ("if wave.id == 0 {\n s.barrier.init b, 2\n }\n s.barrier.join b", "barrier-uninitialized"),
    # That wave 1 has read what wave 0 stored after it orders memory, not barriers.
    ("if wave.id == 0 {\n s.barrier.init b, 2\n store atomic 1, l release\n } else {\n r = 0\n while r == 0 {\n"
     " r = load atomic l acquire\n }\n s.barrier.join b\n }", "barrier-uninitialized"),
    ("s.barrier.init b, 2\n s.barrier\n s.barrier.signal.var b, 0\n s.barrier.wait 1", "barrier-not-joined"),
    # Wave 0 signals for its second phase, and wave 1 may not have signalled for the first.
    ("s.barrier.init b, 2\n s.barrier\n s.barrier.signal.var b, 0\n s.barrier.signal.var b, 0", "barrier-mismatch"),
    ("s.barrier.init b, 2\n s.barrier\n if lane.id == 0 {\n s.barrier.join b\n }", "barrier-wave-divergent"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "reason"), NAMED_FAULTS)
def test_what_is_wrong_with_a_named_barrier(body: str, reason: str) -> None:
    found = answers(f"kernel K() SHAPE {{\n lds barrier b\n {body}\n}}", "wavefronts 2, lanes 2")["fair"].schedule
    assert found is not None
    assert (found.ending, found.reason) == (ExecutionEnding.UNDEFINED, reason)


def test_who_signals_and_does_not_wait_keeps_nobody() -> None:
    """Wave 0 ends after its signal: wave 1 goes on with it, in whichever order."""
    body = "kernel K() SHAPE {\n s.barrier.signal -1\n if wave.id == 1 {\n s.barrier.wait -1\n }\n}"
    assert all(answer.verdict is Verdict.ENDS for answer in answers(body, "wavefronts 2, lanes 2").values())


def test_a_limit_of_states_makes_it_unknown() -> None:
    """A number that grows has more states than anybody looks at; no state comes again."""
    growing = "kernel K() {\n  i = 0\n  while true {\n    i = i + 1\n    store i, x\n  }\n}"
    (answer,) = progress(launched(growing, ""), [Progress.FAIR], 100)
    assert answer.verdict is Verdict.UNKNOWN and answer.schedule is None
    (late,) = progress(launched(growing, ""), [Progress.FAIR], seconds=0.0)
    assert late.verdict is Verdict.UNKNOWN and late.states == 1
    ends = launched("kernel K() {\n  store 1, x\n}", "")
    assert [each.verdict for each in progress(ends, [Progress.FAIR], seconds=0.0)] == [Verdict.UNKNOWN]
    assert [each.verdict for each in progress(ends, [Progress.FAIR])] == [Verdict.ENDS]


def test_arguments_are_all_tried() -> None:
    body = "kernel K(i32 %n in {1, 0}) {\n  while %n == 0 {\n    r = load x\n  }\n}"
    (answer,) = progress(launched(body, ""), [Progress.FAIR])
    assert answer.verdict is Verdict.ENDLESS


def test_an_argument_is_the_address_of_the_workgroups_own_memory() -> None:
    """The second to add to one location would wait for ever; of two workgroups each has its own."""
    body = """kernel K(ptr addrspace(3) %p = &t) workgroups 2 {
  lds t = 0
  a = atomicrmw add p, 1 syncscope("workgroup") monotonic
  while a == 1 {
    r = load x
  }
}"""
    (answer,) = progress(launched(body, ""), [Progress.FAIR])
    assert answer.verdict is Verdict.ENDS
    (answer,) = progress(launched(body.replace("workgroups 2", "lanes 2"), ""), [Progress.FAIR])
    assert answer.verdict is Verdict.ENDLESS


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("s.barrier.signal 1", "does not know 's.barrier.signal' of a named barrier yet"),
        (
            "s.barrier.wait 0",
            "does not know 's.barrier.wait' of a barrier whose number is no constant, or that there is",
        ),
        ("lds barrier b\n s.barrier.init b, 1\n s.barrier.init b, 1", "'s.barrier.init' of a barrier but once"),
        ("lds barrier b\n for i in 0..2 {\n s.barrier.init b, 1\n }", "'s.barrier.init' of a barrier but once"),
        (
            "lds barrier b\n s.barrier.init b, 1\n s.barrier.signal.var b, 2",
            "that changes how many signals are expected",
        ),
        (
            "lds barrier b\n s.barrier.init b, 1\n s.barrier.join b\n s.barrier.leave\n s.barrier.signal.var b, 0",
            "more waves may arrive at 'b' in a phase than are expected",
        ),
        ("%t = call token @llvm.experimental.convergence.anchor()", "does not know convergence tokens yet"),
    ],
)
def test_what_is_not_known_is_refused(
    line: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.litmus"
    path.write_text(f"litmus k\nkernel K() {{\n  {line}\n}}\n")
    assert main(["progress", str(path)]) == 2
    assert message in capsys.readouterr().err


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.litmus"
    path.write_text(f"litmus k\nglobal l = 0, x = 0\n{LOCK.replace('SHAPE', WAVE)}")
    assert main(["progress", str(path)]) == 0
    assert capsys.readouterr().out == (
        "k (K: 1 workgroup × 1 wave × 2 lanes) ends under fair; sequentially consistent, 27 states\n"
    )
    assert main(["progress", str(path), "--model", "unfair", "--states", "3"]) == 3
    assert "there are more states than --states allows" in capsys.readouterr().out
    assert main(["progress", str(path), "--model", "fair", "--model", "wave", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["answers"]
    assert [(a["model"], a["verdict"]) for a in found] == [("fair", "ends"), ("wave", "does not end")]
    assert found[1]["schedule"]["ending"] == "cycle"
    assert [step["lanes"] for step in found[1]["schedule"]["cycle"]] == [["K.0.0.1"]] * 3
    assert main(["progress", str(path), "--model", "wave", "--format", "svg"]) == 1
    drawn = capsys.readouterr().out
    assert drawn.startswith("<svg") and "and again, for ever" in drawn
