"""Run directories: what is found again and what is not, damage, kills, two runs at once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from axmem.check import judging
from axmem.check.judging import KnownFinding, ModelFinding, Question, Report, report_of
from axmem.check.run import fingerprint, suite
from axmem.check.run.findings import finding_of, finding_record
from axmem.check.run.jobs import Job
from axmem.check.run.known_results import Answers
from axmem.check.run.store import AnswerStore, MalformedEntry, entry_of, entry_text
from axmem.cli import main
from axmem.encoder.limits import MEMORY_LIMIT, TIME_LIMIT, Reason, solver_stopped
from axmem.encoder.solve import Limits
from axmem.report.json import lines
from tests.drawn import in_full, some
from tests.kill_and_resume import differences
from tests.paths import INPUTS, PATIENCE, ROOT

MODEL = str(INPUTS / "two.cat")
TEXTS = {f.stem: f.read_text(encoding="utf-8") for f in sorted(INPUTS.glob("[A-Z]*.litmus"))}
ADDERS = "litmus Adders\nglobal x = 0\n" + "".join(
    f"thread P{i} {{\n  r0 = atomicrmw add x, 1 monotonic\n  r1 = atomicrmw add x, 1 monotonic\n}}\n" for i in range(5)
) + "exists (P0:r0=1)\n"  # fmt: skip


def job(name: str, **options: Any) -> Question:
    return Question(f"{name}.litmus", TEXTS.get(name, ADDERS), **{"models": (MODEL,), **options})


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the name of every test and model that is worked out."""
    names: list[str] = []
    work = judging._finding

    def noted(job: Question, test: Any, reference: str, model: Any, deadline: Any) -> ModelFinding:
        names.append(f"{test.name} {model.name}")
        return work(job, test, reference, model, deadline)

    monkeypatch.setattr(judging, "_finding", noted)
    return names


def run(folder: Path, *jobs: Question, megabytes: int | None = None, notes: list[str] | None = None) -> list[Report]:
    """Run jobs in this process with a directory, which also gets its file of results."""
    note = (notes if notes is not None else []).append
    store = AnswerStore(str(folder), note)
    with store.locked(), store.whole("results.jsonl") as write:
        reports = list(suite.reports(jobs, memory=Answers(store, megabytes)))
        for report in reports:
            write("".join(f"{line}\n" for line in lines(report)))
    return reports


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("answers/??/*.json"))


def gist(reports: list[Report]) -> list[Any]:
    return [(r.name, r.test, r.diagnostics, [replace(a, key="") for a in r.answers]) for r in reports]


# ---------------------------------------------------------------- what is found again


@pytest.mark.parametrize("options", [{}, {"robust": True}, {"engine": "oracle"}, {"columns": ()}])
def test_everything_is_found_again(tmp_path: Path, judged: list[str], options: dict[str, Any]) -> None:
    jobs = [job(name, **options) for name in TEXTS]
    first = run(tmp_path, *jobs)
    written = (tmp_path / "results.jsonl").read_bytes()
    assert len(judged) == len(entries(tmp_path)) >= 5
    judged.clear()
    second = run(tmp_path, *jobs)
    assert judged == []
    assert gist(first) == gist(second)
    assert (tmp_path / "results.jsonl").read_bytes() == written


def test_results_are_what_a_run_without_a_directory_says(tmp_path: Path) -> None:
    jobs = [job(name) for name in TEXTS]
    run(tmp_path, *jobs)
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    plain = [report_of(j) for j in jobs]
    assert [line["file"] for line in lines if "verdict" in line] == [r.name for r in plain for _ in r.answers]
    assert [line["verdict"] for line in lines if "verdict" in line] == [
        a.result.verdict for r in plain for a in r.answers
    ]
    assert [line["file"] for line in lines if "errors" in line] == [r.name for r in plain if r.diagnostics]
    assert not any("work" in line for line in lines)


def test_what_differs_is_run(tmp_path: Path, judged: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    cat = tmp_path / "two.cat"
    cat.write_text(Path(MODEL).read_text(encoding="utf-8"), encoding="utf-8")
    base = job("Unexpected", models=(str(cat),))

    def worked_out(changed: Question) -> bool:
        judged.clear()
        run(tmp_path / "run", changed)
        return bool(judged)

    assert worked_out(base)
    assert not worked_out(base)
    assert not worked_out(replace(base, name="another.litmus"))
    assert worked_out(replace(base, text=base.text.replace("P0:r0=0", "P0:r0=1")))
    assert worked_out(replace(base, models=("sc",)))
    assert worked_out(replace(base, models=(f"{cat}[order=weak]",)))
    assert not worked_out(replace(base, variants=(("order", "weak"),)))
    assert worked_out(replace(base, columns=()))
    assert worked_out(replace(base, columns=("P0:r0",)))
    assert worked_out(replace(base, robust=True))
    assert worked_out(replace(base, engine="oracle"))
    cat.write_text(f"{cat.read_text(encoding='utf-8')}\n(* nothing *)\n", encoding="utf-8")
    assert not worked_out(base)
    cat.write_text(f"{cat.read_text(encoding='utf-8')}\nempty rf as no-reads\n", encoding="utf-8")
    assert worked_out(base)
    monkeypatch.setattr("axmem.check.run.known_results.program_digest", lambda: "another program")
    assert worked_out(base)


def test_an_included_model_is_part_of_the_model(tmp_path: Path, judged: list[str]) -> None:
    part, cat = tmp_path / "part.cat", tmp_path / "whole.cat"
    part.write_text("let before = po\n", encoding="utf-8")
    cat.write_text('"whole"\ninclude "part.cat"\nacyclic before | rf | co | fr as order\n', encoding="utf-8")
    one = job("SB", models=(str(cat),))
    assert run(tmp_path / "run", one)[0].answers[0].result.verdict == "never"
    part.write_text("let before = po & loc\n", encoding="utf-8")
    assert run(tmp_path / "run", one)[0].answers[0].result.verdict == "sometimes"
    assert len(judged) == 2


def test_the_program_has_one_digest() -> None:
    assert fingerprint.program_digest() == fingerprint.program_digest.__wrapped__()
    assert len(fingerprint.program_digest()) == 64


# ---------------------------------------------------------------- limits


def test_what_a_limit_cut_is_run_again_when_the_limit_is_raised(tmp_path: Path, judged: list[str]) -> None:
    def cut(limits: Limits) -> bool:
        return bool(run(tmp_path, job("SB", models=("llvm",), limits=limits))[0].answers[0].result.incomplete)

    assert cut(Limits(outcomes=2))
    assert cut(Limits(outcomes=2))
    assert cut(Limits(outcomes=1))
    assert len(judged) == 1
    assert cut(Limits(outcomes=3))
    assert not cut(Limits())
    assert not cut(Limits(outcomes=2, seconds=0.001))
    assert len(judged) == 3


def test_what_time_cut_is_kept_under_the_same_limit(tmp_path: Path, judged: list[str]) -> None:
    for seconds in (0.05, 0.05, 0.04, 0.06):
        report = run(tmp_path, job("Adders", models=("amdgpu",), limits=Limits(seconds=seconds)))[0]
        assert report.answers[0].result.incomplete == (TIME_LIMIT,)
    assert len(judged) == 2


def asking(name: str) -> Job[Question, Report]:
    return Job(name, job(name), report_of)


def kept_in(folder: Path, megabytes: int | None) -> Answers:
    return Answers(AnswerStore(str(folder)).make(), megabytes)


def unanswered(reason: Reason, key: str = "ab") -> Report:
    report = report_of(replace(job("Unexpected"), known=(KnownFinding(key, None),)))
    answer = report.answers[0]
    cut = replace(answer.result, verdict="unknown", outcomes=(), incomplete=(reason,))
    return replace(report, answers=(replace(answer, result=cut),))


@pytest.mark.parametrize(
    ("reason", "megabytes", "kept"),
    [(MEMORY_LIMIT, 64, True), (MEMORY_LIMIT, None, False), (solver_stopped(RuntimeError("a bug")), None, False)],
)  # fmt: skip
def test_what_may_not_happen_again_is_not_kept(
    tmp_path: Path, reason: Reason, megabytes: int | None, kept: bool
) -> None:
    kept_in(tmp_path, megabytes).keep(asking("Unexpected"), unanswered(reason))
    assert bool(entries(tmp_path)) is kept


@pytest.mark.parametrize(("megabytes", "found"), [(64, True), (32, True), (65, False), (None, False)])
def test_the_memory_limit_may_be_raised(tmp_path: Path, megabytes: int | None, found: bool) -> None:
    asked = kept_in(tmp_path, 64).recalled(asking("Unexpected"))
    kept_in(tmp_path, 64).keep(asked, unanswered(MEMORY_LIMIT, asked.question.known[0].key))
    assert kept_in(tmp_path, megabytes).recalled(asking("Unexpected")).known is found


# ---------------------------------------------------------------- damage


def finding(name: str, **options: Any) -> ModelFinding:
    answer = report_of(job(name, **options)).answers[0]
    return ModelFinding(answer.result, answer.neighbours)


@pytest.mark.parametrize("name", ["SB", "Vector", "Undefined"])
@pytest.mark.parametrize("robust", [False, True])
def test_entries_read_back(name: str, robust: bool) -> None:
    made = finding(name, robust=robust)
    limits = {"seconds": 2.5, "outcomes": 7, "megabytes": None}
    record, cut_by = entry_of(entry_text("key", finding_record(made), limits).encode(), "key")
    assert (finding_of(record), cut_by) == (made, limits)


def test_a_damaged_entry_is_no_entry() -> None:
    content = entry_text("key", finding_record(finding("SB"))).encode()
    written = entry_of(content, "key")
    for end in range(0, len(content) - 1, 7):
        with pytest.raises(MalformedEntry):
            entry_of(content[:end], "key")
    for place in range(0, len(content) - 1, 5):
        other = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        # Two long numerals may be the same number of seconds: then it reads as what was written.
        with suppress(MalformedEntry):
            assert entry_of(other, "key") == written
    for other in (b"[]", b"null", b"\xff", b'{"sum": 1}', b'{"sum": "", "entry": 3}', b"[" * 100_000):
        with pytest.raises(MalformedEntry):
            entry_of(other, "key")
    with pytest.raises(MalformedEntry):
        entry_of(content, "another key")


@pytest.mark.parametrize("damage", [b"", b'{"sum"', b"\0" * 100])
def test_damage_is_noted_and_mended(tmp_path: Path, judged: list[str], damage: bytes) -> None:
    run(tmp_path, job("SB"), job("Unexpected"))
    written = (tmp_path / "results.jsonl").read_bytes()
    victim = entries(tmp_path)[0]
    victim.write_bytes(damage)
    judged.clear()
    notes: list[str] = []
    run(tmp_path, job("SB"), job("Unexpected"), notes=notes)
    assert notes == [f"{victim}: this answer is damaged; its test is run again"]
    assert len(judged) == 1
    assert (tmp_path / "results.jsonl").read_bytes() == written
    run(tmp_path, job("SB"), job("Unexpected"), notes=notes)
    assert len(judged) == len(notes) == 1


def test_parts_of_killed_runs_are_removed_when_no_other_runs(tmp_path: Path) -> None:
    store = AnswerStore(str(tmp_path))
    with store.locked():
        part = tmp_path / "parts" / "left"
        part.touch()
        with store.locked():
            assert part.exists()
    with store.locked():
        assert not part.exists()


def test_a_directory_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["run", str(INPUTS / "SB.litmus"), "--model", MODEL, "--run", str(tmp_path / "file")]) == 2
    assert "file: error: cannot keep results here: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "entries"),
    some([
        (f"run {INPUTS / 'SB.litmus'} --model llvm --model sc", 2),
        ("theorems P1-literal --events 2", 2),
        ("diff llvm llvm[coh=langref] --brief --events 2", 1),
    ], of=2),
)
def test_a_directory_is_named_from_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, entries: int
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert main([*arguments.split(), "--run", "some/where"]) in (0, 1)
        assert len([path for path in (tmp_path / "some/where/answers").rglob("*") if path.is_file()]) >= entries
    assert [path.name for path in tmp_path.iterdir()] == ["some"]


def test_an_answer_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def sabotaged(self: Answers, job: Job[Question, Report]) -> Job[Question, Report]:
        for folder in (tmp_path / "run" / "answers").iterdir():
            folder.rmdir()
        known = (KnownFinding("ab", None), KnownFinding("cd", None))
        return replace(job, question=replace(job.question, known=known))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Answers, "recalled", sabotaged)
        code = main(["run", str(INPUTS / "SB.litmus"), "--model", MODEL, "--run", str(tmp_path / "run")])
    assert code == 2
    assert "cannot keep results here: No such file or directory" in capsys.readouterr().err
    assert list((tmp_path / "run" / "parts").iterdir()) == []


# ---------------------------------------------------------------- processes


def test_killed_runs_are_resumed(tmp_path: Path) -> None:
    assert list(differences(tmp_path, tests=24, kills=3, jobs=2, seed=7)) == []


def test_the_comparison_notices_what_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests import kill_and_resume

    finished = kill_and_resume.finished

    def forgetful(process: subprocess.Popen[bytes]) -> int:
        if str(tmp_path / "broken") in process.args:  # type: ignore[operator]
            process.kill()
            process.wait()
            (victim, *_) = (tmp_path / "broken").glob("answers/*/*.json")
            victim.unlink()
            process = kill_and_resume.started(tmp_path / "suite", tmp_path / "broken", 1)
        return finished(process)

    monkeypatch.setattr(kill_and_resume, "finished", forgetful)
    monkeypatch.setattr(kill_and_resume, "killed_again_and_again", lambda suite, broken, *_: begun(suite, broken))

    def begun(suite: Path, broken: Path) -> list[str]:
        assert finished(kill_and_resume.started(suite, broken, 1)) in (0, 1)
        return []

    (found,) = kill_and_resume.differences(tmp_path, tests=3, kills=1, jobs=1, seed=1)
    assert found.endswith(" was written again")


@in_full
def test_two_runs_at_once(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "axmem",
        "run",
        str(ROOT / "litmus" / "corpus" / "barriers"),
        "--run",
        str(tmp_path / "both"),
    ]
    processes = [
        subprocess.Popen([*command, "-j", jobs], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for jobs in ("1", "2")
    ]
    shown = [process.communicate(timeout=PATIENCE)[0].decode().splitlines()[:-1] for process in processes]
    assert shown[0] == shown[1]
    assert len(shown[0]) > 10
    names = [path.stem for path in entries(tmp_path / "both")]
    assert all(entry_of(path.read_bytes(), path.stem) for path in entries(tmp_path / "both"))
    assert len(names) == len(set(names)) > 10
    assert list((tmp_path / "both" / "parts").iterdir()) == []


def test_the_command_says_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "run",
        str(INPUTS / "SB.litmus"),
        str(tmp_path / "none"),
        "--model",
        MODEL,
        "--run",
        str(tmp_path / "run"),
    ]
    assert main(arguments) == 2
    assert " answers were in " not in capsys.readouterr().err
    written = (tmp_path / "run" / "results.jsonl").read_text(encoding="utf-8")
    assert json.loads(written.splitlines()[0])["errors"][0]["message"] == "no such file"
    assert main(arguments) == 2
    assert f"axmem: 2 answers were in {tmp_path / 'run'}\n" in capsys.readouterr().err
    assert (tmp_path / "run" / "results.jsonl").read_text(encoding="utf-8") == written


def test_what_judges_a_test_is_part_of_the_program() -> None:
    """A reader that reads another test of a text gives other answers: an older one is not used again."""
    sources = [path for room in ("check", "formats") for path in (ROOT / "axmem" / room).rglob("*.py")]
    sources += [path for room in ("convergence", "events", "encoder") for path in (ROOT / room).rglob("*.py")]
    imported = {
        f"axmem.{room}" for path in sources for room in re.findall(r"^from axmem\.(\w+)", path.read_text(), re.M)
    }
    assert imported <= set(fingerprint.ROOMS)
