"""An answer says which launch it is of, and says of no program with a data race that it ends.

The trials: no kernel that hangs is said to end; and every atomic access of every test of progress made plain, volatile
or narrower changes the answers, or qualifies them.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from axmem.check import races
from axmem.check.progress.answers import guarded, progress
from axmem.check.progress.checkup import checkup
from axmem.check.progress.models import Progress, Verdict
from axmem.check.races import RaceSearch, race
from axmem.cli import main
from axmem.events.unroll import event_graph
from axmem.formats.reading import parse
from axmem.front.records import replace
from axmem.litmus.launch import lanes
from axmem.litmus.syntax import LitmusTest
from axmem.model.library import load
from tests.check.progress.hanging import HANGING, module
from tests.check.progress.test_progress import CASES, FLAG, launched
from tests.drawn import some

PLAIN_SPIN = """litmus k
global x = 0
kernel K() workgroups 2 {
  %a = atomicrmw add x, 1 syncscope("agent") release
  br label %w
w:
  %v = load x
  %d = icmp uge i32 %v, 2
  br i1 %d, label %out, label %w
out:
  ret void
}
"""
NARROW_SPIN = PLAIN_SPIN.replace("%v = load x", '%v = load atomic x syncscope("workgroup") acquire')


@pytest.mark.parametrize("name", HANGING)
def test_no_kernel_that_hangs_is_said_to_end(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The kernel stays one, in a launch that is guessed and named on the first line."""
    source, made = tmp_path / "k.ll", str(tmp_path / "k.litmus")
    source.write_text(module(HANGING[name]))
    assert main(["extract", str(source), "-o", made]) == 0
    assert main(["progress", made, "--model", HANGING[name].model]) != 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert re.match(
        r"k \(k: [12] workgroups? × [12] waves? × [12] lanes?\) (does not end under|has a data race by) ", first
    )
    assert not any(" ends under " in line for line in rest)


def test_one_lane_is_said_to_be_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Alone it takes the lock."""
    source, made = tmp_path / "k.ll", str(tmp_path / "k.litmus")
    source.write_text(module(HANGING["spin lock"]))
    assert main(["extract", str(source), "--function", "k(@lock, @count)", "-o", made]) == 0
    assert main(["progress", made, "--model", "wave"]) == 0
    one = "k (k: 1 workgroup × 1 wave × 1 lane, one lane alone) ends under wave"
    assert capsys.readouterr().out.startswith(one)


@pytest.mark.parametrize(("text", "other"), [(PLAIN_SPIN, "v = load x"), (NARROW_SPIN, "v = load atomic x")])
def test_a_race_is_said_first(text: str, other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.litmus"
    path.write_text(text)
    assert main(["progress", str(path)]) == 3
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("k (K: 2 workgroups × 1 wave × 1 lane) has a data race by amdgpu: K.0.0.0's 'a = atomicrmw")
    assert f"(line 4) and K.1.0.0's '{other}" in first and first.endswith("(line 7)")
    assert " unknown under fair; " in second and second.endswith("--memory amdgpu asks")
    assert main(["progress", str(path), "--memory", "amdgpu"]) == 1
    assert capsys.readouterr().out.splitlines()[1].startswith("  data race: K.0.0.0's ")
    assert main(["progress", str(path), "--format", "json"]) == 3
    (answer,) = json.loads(capsys.readouterr().out)["answers"]
    assert [access["line"] for access in answer["races"]["pair"]] == [4, 7]


def test_races_that_were_not_ruled_out_are_named() -> None:
    """In two iterations there is none."""
    test = launched(CASES["ballots"][0], "lanes 2")
    (answer,) = guarded(test, progress(test, [Progress.FAIR]))
    assert answer.verdict is Verdict.ENDS and answer.races is not None and answer.races.pair is None
    assert answer.races.limits == ("loop 'while1' of K goes on beyond 2 iterations",)


@pytest.mark.parametrize(("pair", "kept"), [(None, 2), (("one", "other"), 4)])
def test_what_is_known_of_few_iterations_is_kept_where_more_take_too_long(
    pair: object, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless more iterations have a fault."""

    def asked(test: LitmusTest, *_: object) -> RaceSearch:
        why = "the time limit was reached" if test.bound == 4 else f"goes on beyond {test.bound} iterations"
        return RaceSearch("amdgpu", pair=pair if test.bound == 4 else None, limits=(why,))  # type: ignore[arg-type]

    monkeypatch.setattr("axmem.check.progress.checkup.race", asked)
    races = checkup(launched(CASES["ballots"][0], "lanes 2")).races
    assert races.limits == (("goes on beyond 2 iterations",) if kept == 2 else ("the time limit was reached",))
    assert races.pair is pair


# ---------------------------------------------------------------- every atomic made less

_ATOMIC = re.compile(r"(?P<what>load|store) atomic (?P<rest>.*?)(?P<ordering> (?:monotonic|acquire|release))\b")
_MODIFIED = re.compile(
    r"(?P<what>atomicrmw|cmpxchg)(?P<rest>.*?)(?P<ordering>(?: (?:monotonic|acquire|release|acq_rel))+)$"
)
LESS = ("plain", "volatile", "narrower")
SLOW = {"lock of lanes, inside", "lock of workgroups, inside", "named barrier for ever", "publish, three lanes"}


def _less(name: str) -> Iterator[tuple[str, str]]:
    """Yield the ways in which one atomic access of a test is made less, with the text."""
    body = CASES[name][0]
    lines = body.split("\n")
    for number, line in enumerate(lines):
        for way in LESS:
            kind = _ATOMIC.search(line)
            found = kind or (_MODIFIED.search(line) if way == "narrower" else None)
            if found is None:
                continue
            narrow = f"{found['what']} atomic" if kind else found["what"]
            made = {
                "plain": f"{found['what']} {found['rest']}",
                "volatile": f"{found['what']} volatile {found['rest']}",
                "narrower": f'{narrow} {found["rest"].strip()} syncscope("singlethread"){found["ordering"]}',
            }[way]
            changed = line[: found.start()] + made.strip() + line[found.end() :]
            yield f"{name}, line {number}, {way}", "\n".join((*lines[:number], changed, *lines[number + 1 :]))


ALL_LESS = {key: (name, body) for name in CASES if name not in SLOW for key, body in _less(name)}


CHANGED = sorted((*ALL_LESS, *CASES))


@pytest.mark.parametrize("key", some(CHANGED, of=16))
def test_iterations_that_change_nothing_hide_no_race(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is ruled out without them is not found with them, in as many iterations and in one more."""
    name, body = ALL_LESS.get(key, (key, CASES.get(key, ("",))[0]))
    test, model = launched(body, CASES[name][1]), load("amdgpu")
    without = race(replace(test, bound=2), model)
    if without.pair is not None or without.limits:
        return
    whole = event_graph
    monkeypatch.setattr(races, "event_graph", lambda asked, of: whole(asked, replace(of, stutters=False, hidden=False)))
    assert [race(replace(test, bound=bound), model, 20.0).pair for bound in (2, 3)] == [None, None]


def _said(test: LitmusTest) -> list[tuple[Verdict, bool]]:
    found = guarded(test, progress(test, Progress))
    return [(a.verdict, a.races is not None and bool(a.races.pair or a.races.limits)) for a in found]


@pytest.mark.parametrize("key", some(sorted(ALL_LESS), of=16))
def test_an_atomic_access_made_less_changes_or_qualifies_the_answers(key: str) -> None:
    name, body = ALL_LESS[key]
    shape = CASES[name][1]
    test, before = launched(body, shape), launched(CASES[name][0], shape)
    if sum(len(lanes(kernel)) for kernel in test.kernels) + len(test.threads) == 1:
        return  # Nobody else is there to race with.
    now, then = _said(test), _said(before)
    if all(verdict is not Verdict.ENDS for verdict, _ in then):
        return  # Nothing was said to end.
    assert now != then
    assert all(verdict is not Verdict.ENDS or doubted for verdict, doubted in now), now


def test_the_flag_of_the_page_is_no_race() -> None:
    """The control: release and acquire order what is handed over."""
    test = launched(FLAG.replace("WHO", "wave.id"), "wavefronts 2")
    (answer,) = guarded(test, progress(test, [Progress.FAIR]))
    assert answer.verdict is Verdict.ENDS and answer.races is not None
    assert (answer.races.pair, answer.races.limits) == (None, ())


TRAPPED = """; axmem: launch put<<<1, 1>>>(data, flag); get<<<1, 1>>>(data, flag)
define amdgpu_kernel void @put(ptr addrspace(1) %data, ptr addrspace(1) %flag) {
  store atomic i32 1, ptr addrspace(1) %data monotonic, align 4
  store atomic i32 1, ptr addrspace(1) %flag ORDER, align 4
  ret void
}
define amdgpu_kernel void @get(ptr addrspace(1) %data, ptr addrspace(1) %flag) {
  %f = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %d = load atomic i32, ptr addrspace(1) %data monotonic, align 4
  %late = icmp ult i32 %d, %f
  br i1 %late, label %trap, label %end
trap:
  call void @llvm.trap()
  unreachable
end:
  ret void
}
declare void @llvm.trap()
"""


@pytest.mark.parametrize(("order", "faults"), [("release", ()), ("monotonic", ("`unreachable` is reached",))])
def test_what_no_sequentially_consistent_execution_reaches_is_a_fault(order: str, faults: tuple[str, ...]) -> None:
    found = checkup(parse(TRAPPED.replace("ORDER", order), "m.ll"))
    assert found.races.pair is None and found.races.faults == faults and found.at_fault == bool(faults)
    assert all(each.verdict is Verdict.ENDS for each in found.ends)
