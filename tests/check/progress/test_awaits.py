"""Waiting for ever under memory models: verdicts derived by hand, and under `sc` those of the explorer."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from axmem.check.progress.answers import progress
from axmem.check.progress.awaits import waiting
from axmem.check.progress.models import Progress, Verdict
from axmem.check.selection import loaded
from axmem.cli import main
from axmem.formats.reading import parse, parse_file
from tests.check.progress.test_progress import CASES, MISSING, launched
from tests.paths import ROOT

SC = loaded("sc")
TOO_LATE = str(ROOT / "litmus" / "examples" / "seen-too-late.litmus")
MEETING = {name for name, (body, *_) in CASES.items() if "ballot" in body or "barrier" in body}
LONG = {"publish, three lanes", "lock of workgroups, inside"}


@pytest.mark.parametrize("name", sorted(CASES.keys() - MEETING - LONG))
def test_under_sc_it_is_as_the_explorer_says(name: str) -> None:
    """Loops that do more than wait are beyond the bound; the others are decided."""
    body, shape, ending = CASES[name]
    answer = waiting(launched(body, shape), SC)
    inside = "inside" in name or (name.startswith("publish") and "sunk" not in name)
    expected = Verdict.ENDS if "fair" in ending else Verdict.ENDLESS
    assert answer.verdict is (Verdict.UNKNOWN if inside else expected)


@pytest.mark.parametrize(
    ("orderings", "ends"), [(("release", "acquire"), {"sc"}), (("seq_cst", "seq_cst"), {"sc", "llvm"})]
)
def test_who_misses_the_other_s_store_waits(orderings: tuple[str, str], ends: set[str]) -> None:
    """Store buffering: both may miss the other's store, and nobody sets z, unless both are in the order of seq_cst."""
    text = Path(TOO_LATE).read_text(encoding="utf-8")
    for old, new in zip(("release", "acquire"), orderings, strict=True):
        text = text.replace(old, new)
    test = parse(text)
    found = {model: waiting(test, loaded(model)) for model in ("sc", "llvm")}
    assert {model for model, answer in found.items() if answer.verdict is Verdict.ENDS} == ends
    if "llvm" not in ends:
        assert found["llvm"].stuck == (("P0", "while1"), ("P1", "while1"))


def test_a_lane_that_has_ended_is_shown_with_what_it_has() -> None:
    waits = "thread P1 {\n  s = 0\n  while s == 0 {\n    s = load atomic x monotonic\n  }\n}"
    answer = waiting(parse(f"litmus k\nglobal x = 0\nthread P0 {{\n  r = load x\n}}\n{waits}"), SC)
    assert (answer.stuck, answer.outcome) == ((("P1", "while1"),), "P0:r=0")


def test_undefined_behaviour_need_not_end() -> None:
    answer = waiting(launched("kernel K() {\n  private q\n  r = load q\n  if r == 0 {\n    s = load q\n  }\n}", ""), SC)
    assert (answer.verdict, answer.undefined) == (Verdict.ENDLESS, ("branch on undef",))


def test_convergent_operations_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.litmus"
    path.write_text("litmus k\n" + MISSING.replace("WHO", "lane.id").replace("SHAPE", "lanes 2"))
    assert main(["progress", str(path), "--memory", "llvm"]) == 2
    assert "under a memory model, progress does not know 's.barrier' yet" in capsys.readouterr().err


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["progress", TOO_LATE, "--memory", "sc"]) == 0
    assert capsys.readouterr().out == "seen-too-late ends under fair and sc\n"
    assert main(["progress", TOO_LATE, "--memory", "llvm", "--format", "json"]) == 1
    (answer,) = json.loads(capsys.readouterr().out)["answers"]
    assert (answer["memory"], answer["verdict"]) == ("llvm", "does not end")
    assert [each["lane"] for each in answer["stuck"]] == ["P0", "P1"]
    assert main(["progress", TOO_LATE, "--memory", "llvm", "--model", "wave"]) == 2
    assert "with --memory there is one model of progress" in capsys.readouterr().err


def test_the_page_s_kernel_waits_under_llvm_alone() -> None:
    test = parse_file(TOO_LATE)
    (answer,) = progress(test, [Progress.FAIR])
    assert answer.verdict is Verdict.ENDS


# ---------------------------------------------------------------- random threads that wait


def waiting_threads(random: Random) -> str:
    """Return a test of threads that store, branch and wait for values."""
    threads = [
        f"thread P{number} {{\n" + "\n".join(_statement(random) for _ in range(random.randint(1, 3))) + "\n}"
        for number in range(random.randint(2, 3))
    ]
    return "\n".join(["litmus waits", "global x = 0, y = 0, l = 0", *threads])


def _statement(random: Random, depth: int = 1) -> str:
    place, value = random.choice("xy"), random.randrange(3)
    kind = random.randrange(6 if depth else 4)
    if kind < 2:
        return f"store atomic {value}, {place} monotonic"
    if kind == 2:
        test = random.choice(["!=", "=="])
        return f"s = {value if test == '==' else 9}\nwhile s {test} {value} {{\ns = load atomic {place} monotonic\n}}"
    if kind == 3:
        return "ok = false\nwhile ~ok {\nold, ok = cmpxchg l, 0, 1 monotonic monotonic\n}"
    if kind == 4:
        return "store atomic 0, l monotonic"
    return f"r = load atomic {place} monotonic\nif r == {value} {{\n{_statement(random, 0)}\n}}"


def test_random_threads_wait_as_the_explorer_says() -> None:
    random = Random(7)
    verdicts = []
    for _ in range(40):
        text = waiting_threads(random)
        (explored,) = progress(parse(text), [Progress.FAIR])
        assert waiting(parse(text), SC).verdict is explored.verdict, text
        verdicts.append(explored.verdict)
    assert {verdicts.count(verdict) > 10 for verdict in (Verdict.ENDS, Verdict.ENDLESS)} == {True}
