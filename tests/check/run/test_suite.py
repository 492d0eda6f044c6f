"""Suites: order, length, executors, verdicts alone, workers that die, limits, both engines.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import ctypes
import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from axmem.check.judging import Answer, Question, Report, report_of
from axmem.check.limits import ran_out_of_memory
from axmem.check.run import suite
from axmem.check.run.batch import AHEAD
from axmem.check.run.jobs import Job, Workers
from axmem.check.run.pool import worker_pool
from axmem.check.run.workers import cores
from axmem.cli import main
from axmem.encoder.limits import TIME_LIMIT
from axmem.encoder.solve import Limits
from axmem.front.typing import override
from tests.drawn import in_full, some
from tests.paths import CORPUS, INPUTS, PATIENCE, ROOT

MODEL = str(INPUTS / "two.cat")
TESTS = [(f.name, f.read_text(encoding="utf-8")) for f in sorted(INPUTS.glob("[A-Z]*.litmus"))]
TEXTS = dict(TESTS)

LOCKED = """\
litmus Locked
global x = 0
{threads}
exists (P0:r0=1)
"""
ADDERS = LOCKED.format(
    threads="\n".join(
        f"thread P{i} {{\n  r0 = atomicrmw add x, 1 monotonic\n  r1 = atomicrmw add x, 1 monotonic\n}}"
        for i in range(5)
    )
)


def jobs(**options: Any) -> list[Question]:
    return [Question(name, text, (MODEL,), **options) for name, text in TESTS]


def gist(report: Report) -> tuple[Any, ...]:
    """Return what a report says, without the cost of finding it."""
    answers = [(a.result.texts, a.result.verdict, a.result.flags, a.checks, a.status, a.satisfying, a.neighbours)
               for a in report.answers]  # fmt: skip
    return report.name, report.diagnostics, report.lost, answers


@pytest.fixture(scope="module")
def expected() -> list[tuple[Any, ...]]:
    """The reports of all tests, made here one after another."""
    return [gist(r) for r in suite.reports(jobs())]


def test_the_tests_differ(expected: list[tuple[Any, ...]]) -> None:
    assert [name for name, *_ in expected] == [name for name, _ in TESTS]
    assert {a[4] for *_, answers in expected for a in answers} == {"ok", "mismatch", "unchecked"}


def test_threads_give_the_same(expected: list[tuple[Any, ...]]) -> None:
    with ThreadPoolExecutor(3) as executor:
        assert [gist(r) for r in suite.reports(jobs(), Workers(executor))] == expected


def test_processes_give_the_same(expected: list[tuple[Any, ...]]) -> None:
    with ProcessPoolExecutor(2) as executor:
        assert [gist(r) for r in suite.reports(jobs(), Workers(executor))] == expected


class Eager(Executor):
    """Works at once, on what has been through pickle, and in no other way like the executors of the library."""

    @override
    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        sent = pickle.loads(pickle.dumps((function, arguments, named)))
        future.set_result(pickle.loads(pickle.dumps(sent[0](*sent[1], **sent[2]))))
        return future


def test_any_executor_will_do(expected: list[tuple[Any, ...]]) -> None:
    assert [gist(r) for r in suite.reports(jobs(), Workers(Eager()))] == expected


class Hurried(Eager):
    """Begins no second job in a call."""

    @override
    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        return super().submit(function, arguments[0], -1.0)


@pytest.mark.parametrize("executor", [Eager(), Hurried()])
def test_jobs_of_one_call_give_the_same(expected: list[tuple[Any, ...]], executor: Executor) -> None:
    sizes: list[int] = []
    submit = executor.submit

    def noting(function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        sizes.append(len(arguments[0]))
        return submit(function, *arguments)

    executor.submit = noting  # type: ignore[method-assign,assignment]
    assert [gist(r) for r in suite.reports(jobs(), Workers(executor, at_once=16))] == expected
    assert max(sizes) > 1


def test_brute_force_gives_the_same(expected: list[tuple[Any, ...]]) -> None:
    assert [gist(r) for r in suite.reports(jobs(engine="oracle"))] == expected


def test_reports_come_as_soon_as_they_can() -> None:
    reports = suite.reports([*jobs()[:1], Question("late", ADDERS, ("sc",))])
    assert next(reports).name == TESTS[0][0]
    reports.close()  # type: ignore[attr-defined]


def test_a_long_suite_is_taken_piece_by_piece() -> None:
    taken = 0

    def endless() -> Iterator[Question]:
        nonlocal taken
        while True:
            taken += 1
            yield Question(f"{taken}", TEXTS["SB.litmus"], (MODEL,))

    reports = suite.reports(endless(), Workers(Eager()))
    assert [next(reports).name for _ in range(5)] == ["1", "2", "3", "4", "5"]
    assert taken == 5
    with ThreadPoolExecutor(1) as executor:
        waiting = suite.reports(endless(), Workers(executor))
        for index in range(taken + 1, taken + 4):
            assert next(waiting).name == str(index)
            assert taken <= index + AHEAD
        waiting.close()  # type: ignore[attr-defined]


@in_full
def test_the_memory_of_a_long_suite_is_that_of_a_short_one(tmp_path: Path) -> None:
    text = TEXTS["SB.litmus"]
    for index in range(300):
        (tmp_path / f"{index}.litmus").write_text(text.replace("y", f"y{index}"), encoding="utf-8")
    (tmp_path / "short.list").write_text("".join(f"{i}.litmus\n" for i in range(100)), encoding="utf-8")

    def kilobytes(path: str) -> int:
        program = (
            "import resource, sys; from axmem.cli import main; "
            "code = main(['run', sys.argv[1], '--model', 'sc', '--run', sys.argv[2], '-o', '/dev/null']); "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss); sys.exit(code)"
        )
        command = [sys.executable, "-c", program, path, str(tmp_path / f"run{len(path)}")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        return int(done.stdout)

    short = kilobytes(f"@{tmp_path / 'short.list'}")
    assert kilobytes(str(tmp_path)) < short + 1300


# ---------------------------------------------------------------- verdicts without all outcomes


def answers(name: str, *columns: str, model: str = MODEL) -> list[Answer]:
    return list(only(Question(name, TEXTS[f"{name}.litmus"], (model,), columns=columns)).answers)


@pytest.mark.parametrize("columns", [(), ("P0:r0",), ("P1:r0", "P0:r0")])
def test_verdicts_are_those_of_all_outcomes(columns: tuple[str, ...]) -> None:
    for name in ("SB", "Unexpected"):
        whole = report_of(Question(name, TEXTS[f"{name}.litmus"], (MODEL,))).answers
        known = tuple(c for c in columns if c in {column.name for column in whole[0].result.columns})
        assert [a.result.verdict for a in answers(name, *known)] == [a.result.verdict for a in whole]


def test_outcomes_are_projected() -> None:
    strong, weak = answers("SB", "P1:r0")
    assert strong.result.states() == weak.result.states() == ("P1:r0=0", "P1:r0=1")
    assert strong.satisfying == (None, None)
    strong, weak = answers("SB", "P0:r0", "P1:r0")
    assert strong.satisfying == (False, False, False)
    assert weak.satisfying == (True, False, False, False)


def test_an_outcome_set_is_checked_only_on_its_columns() -> None:
    for columns, status in (((), "unchecked"), (("P1:r0",), "unchecked"), (("P1:r0", "P0:r0"), "ok")):
        answer = answers("SB", *columns)[0]
        assert [(c.kind, c.status) for c in answer.checks] == [("verdict", "ok"), ("outcomes", status)]
        assert answer.status == "ok"


SET = "litmus S\nglobal x = 0\nthread P0 {{ r0 = load x monotonic }}\nexists (P0:r0=0)\noutcomes sc {{ {}\n}}\n"


@pytest.mark.parametrize(
    ("rows", "columns", "status"),
    [("P0:r0=0", None, "ok"), ("P0:r0=1", None, "mismatch"), ("P0:r0=1", ("P0:r0",), "mismatch"),
     ("P0:r0=1", (), "unchecked"), ("", None, "mismatch"), ("", (), "mismatch"), ("", ("P0:r0",), "mismatch")],
)  # fmt: skip
def test_outcome_sets_without_a_verdict(rows: str, columns: tuple[str, ...] | None, status: str) -> None:
    (answer,) = only(Question("S", SET.format(rows), ("sc",), columns=columns)).answers
    assert (answer.checks[0].status, answer.status) == (status, status)


def test_a_column_that_no_outcome_has() -> None:
    report = only(Question("SB", TEXTS["SB.litmus"], (MODEL,), columns=("P0:r9",)))
    assert [d.message for d in report.diagnostics] == ["outcomes do not show 'P0:r9'"]


def test_what_is_not_checked_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(INPUTS / "SB.litmus")
    line = next(i for i, text in enumerate(TEXTS["SB.litmus"].splitlines(), 1) if text.startswith("outcomes"))
    assert main(["run", path, "--model", MODEL, "--condition-only"]) == 0
    shown = capsys.readouterr().out
    assert f"    {path}:{line}: not checked: 3 outcomes (not all of its columns were asked for)\n" in shown
    assert "1 not checked" in shown
    assert main(["run", path, "--model", MODEL, "--project", "P0:r0", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [c["status"] for c in document["results"][0]["checks"]] == ["ok", "unchecked"]
    assert document["results"][0]["outcomes"][0] == {"values": {"P0:r0": 0}, "satisfies": None}
    assert (document["summary"]["checks"], document["summary"]["not_checked"]) == (2, 1)
    assert main(["run", path, "--model", MODEL, "--condition-only", "--format", "junit"]) == 0
    shown = capsys.readouterr().out
    assert f"<system-out>{path}:{line}: not checked: 3 outcomes" in shown
    assert 'skipped="0"' in shown


MANY_READS = """\
litmus SB13
global {names}
{threads}
exists ({all})
"""
SB13 = MANY_READS.format(
    names=", ".join(f"x{i} = 0" for i in range(13)),
    threads="\n".join(
        f"thread P{i} {{\n  store atomic 1, x{i} monotonic\n  r = load atomic x{(i + 1) % 13} monotonic\n}}"
        for i in range(13)
    ),
    all=" /\\ ".join(f"P{i}:r=0" for i in range(13)),
)


def test_many_outcomes_that_nobody_looks_at_are_not_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Monotonic operations order nothing, so that each of 13 reads may return either value."""
    report = only(Question("SB13", SB13, ("llvm",), verdicts=True))
    assert (report.answers[0].result.verdict, report.answers[0].result.outcomes) == ("sometimes", ())
    path = tmp_path / "SB13.litmus"
    path.write_text(SB13.replace("exists (", "exists ~("), encoding="utf-8")
    assert main(["run", str(path), "--model", "llvm", "--format", "junit"]) == 0
    assert main(["run", str(path), "--model", "llvm"]) == 0
    assert "SB13  llvm      sometimes  -\n" in capsys.readouterr().out


@pytest.mark.parametrize("many", [-1, 1 << 12])
@pytest.mark.parametrize("asked", [{}, {"robust": True}, {"limits": Limits(outcomes=1)}, {"engine": "table"}])
def test_reports_without_outcomes_say_the_same(
    asked: dict[str, Any], many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("axmem.check.decide.MANY", many)
    for whole, short in zip(jobs(**asked), jobs(**asked, verdicts=True), strict=True):
        said, left = gist(report_of(whole)), gist(report_of(short))
        assert said[:3] == left[:3]
        for one, other in zip(said[3], left[3], strict=True):
            assert one[1:5] == other[1:5]
            # Where outcomes are checked, or counted, they are found.
            if asked or many > 0 or any(check.kind == "outcomes" for check in one[3]):
                assert one == other
            else:
                assert other[0] == ()


def test_a_test_of_which_nothing_is_checked_is_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "S.litmus"
    path.write_text(SET.format("P0:r0=0"), encoding="utf-8")
    main(["run", str(path), "--condition-only", "--format", "junit"])
    shown = capsys.readouterr().out
    assert f'<skipped type="unchecked" message="not checked">{path}:5: not checked: 1 outcome ' in shown


@pytest.mark.parametrize(
    "options",
    [
        ["--condition-only", "--engine", "oracle"],
        ["--project", "x", "--engine", "oracle"],
        ["--condition-only", "--format", "herd"],
        ["--project", "x", "--condition-only"],
    ],
)
def test_what_needs_all_outcomes(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(INPUTS / "SB.litmus"), *options]) == 2
    other = " ".join(options[-2:]) if options[-1] in ("herd", "oracle") else options[-1]
    assert f"{options[0]} does not go with {other}: " in capsys.readouterr().err


# ---------------------------------------------------------------- workers that die


def dying(function: Callable[[list[Job[Any, Any]], float], Any], jobs: list[Job[Any, Any]], seconds: float) -> Any:
    """Work, unless a job is deadly to the worker."""
    if any(job.name.startswith("deadly") for job in jobs):
        os._exit(9)
    return function(jobs, seconds)


class Mortal(ProcessPoolExecutor):
    """Worker processes that some jobs kill."""

    @override
    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        return super().submit(dying, function, *arguments, **named)


@pytest.mark.parametrize(
    ("deadly", "number", "at_once"),
    [({0}, 8, 1), ({3}, 8, 1), ({1, 2}, 8, 1), ({0, 5, 7}, 8, 1), ({*range(8)}, 8, 1), ({0, 3}, 8, 16), ({70}, 80, 4)],
)
def test_a_worker_that_dies_costs_its_own_test_alone(deadly: set[int], number: int, at_once: int) -> None:
    some = [Question(f"{'deadly' if i in deadly else 'test'}{i}", TEXTS["SB.litmus"], (MODEL,)) for i in range(number)]
    made: list[Executor] = []

    def renew(workers: int) -> Executor:
        made.append(Mortal(workers))
        return made[-1]

    try:
        reports = list(suite.reports(some, Workers(renew(2), 2, renew, at_once)))
    finally:
        for executor in made:
            executor.shutdown()
    assert [r.name for r in reports] == [j.name for j in some]
    assert [i for i, r in enumerate(reports) if r.lost == "the worker died"] == sorted(deadly)
    assert all(len(r.answers) == 2 for i, r in enumerate(reports) if i not in deadly)


def test_without_new_workers_the_rest_is_lost() -> None:
    some = [Question("deadly", "", ()), *jobs()]
    with Mortal(1) as executor:
        reports = list(suite.reports(some, Workers(executor)))
    assert [r.name for r in reports] == [j.name for j in some]
    assert all(r.lost == "the worker died" for r in reports)


def test_no_worker_remains() -> None:
    with worker_pool() as pool:
        list(suite.reports(jobs(), Workers(pool.executor(2), 2, pool.executor)))
        assert pool.processes()
    assert not pool.processes()
    with pytest.raises(KeyboardInterrupt), worker_pool() as pool:
        some = [Question("long", ADDERS, ("amdgpu",))] * 3
        reports = suite.reports(some, Workers(pool.executor(2), 2, pool.executor))
        raise KeyboardInterrupt
    assert not pool.processes()
    del reports


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="how processes fare is read from /proc")
def test_workers_of_a_killed_process_end() -> None:
    program = (
        "import time; from axmem.check.run.pool import worker_pool\n"
        "with worker_pool() as pool:\n"
        "    executor = pool.executor(2)\n"
        "    futures = [executor.submit(time.sleep, 600) for _ in range(2)]\n"
        "    print(*(p.pid for p in pool.processes()), flush=True)\n"
        "    time.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    workers = [int(pid) for pid in process.stdout.readline().split()]
    assert len(workers) == 2
    assert all(map(alive, workers))
    process.kill()
    process.wait()
    process.stdout.close()
    until = time.monotonic() + PATIENCE
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(map(alive, workers))


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that nobody waits for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_there_is_a_core() -> None:
    assert cores() >= 1


# ---------------------------------------------------------------- limits and mistakes


def only(job: Question) -> Report:
    """Return the report of a job, which is plain data."""
    return pickle.loads(pickle.dumps(report_of(job)))  # type: ignore[no-any-return]


@pytest.mark.parametrize("engine", ["auto", "z3", "oracle"])
def test_the_time_limit(engine: str) -> None:
    answer = only(Question("adders", ADDERS, ("amdgpu",), limits=Limits(seconds=0.05), engine=engine)).answers[0]
    assert (answer.result.verdict, answer.status) == ("unknown", "unknown")
    assert answer.result.incomplete == (TIME_LIMIT,)


def test_after_a_limit_the_next_test_is_answered() -> None:
    limited = Question("adders", ADDERS, ("amdgpu",), limits=Limits(seconds=0.05))
    reports = list(suite.reports([limited, Question(*TESTS[2], models=(MODEL,)), limited]))
    assert [len(r.answers) for r in reports] == [1, len(reports[1].answers), 1]
    assert reports[1].answers[0].result.complete


def test_the_limit_of_outcomes() -> None:
    answer = only(Question("SB", TEXTS["SB.litmus"], (MODEL,), limits=Limits(outcomes=2))).answers[0]
    assert len(answer.result.outcomes) == 2
    assert answer.status == "unknown"


def hungry(megabytes: int) -> int:
    """Take memory piece by piece, without writing to it; return how many megabytes there were."""
    pieces: list[bytes] = []
    try:
        while len(pieces) < megabytes:
            pieces.append(bytes(1 << 20))
    except MemoryError:
        pass
    return len(pieces)


MEMORY_OF_A_WORKER = """
from axmem.check.run import suite
from axmem.check.run.jobs import Workers
from axmem.check.run.pool import worker_pool
from tests.check.run.test_suite import hungry, jobs

with worker_pool(megabytes=256) as pool:
    executor = pool.executor(1)
    # Room for a job; what the heap of a worker has free when it is forked comes on top.
    assert executor.submit(hungry, 3000).result() < 1000
    assert next(suite.reports(jobs()[2:3], Workers(executor))).answers
with worker_pool() as pool:
    assert pool.executor(1).submit(hungry, 3000).result() == 3000
"""


KEPT: list[bytes] = []


def keeping(megabytes: int) -> int:
    """Keep so many megabytes for good, and return the number of this process."""
    KEPT.extend(bytes(1 << 20) for _ in range(megabytes))
    return os.getpid()


def spending_all() -> None:
    """Spend memory in the smallest pieces, in a block whose handler is reached by an index that is no small integer."""
    lines = (
        "with suppress(KeyError):",
        *["    x = 1"] * 300,
        "    for i in range(len(held)):",
        "        held[i] = i + 1000",
    )
    exec("\n".join(lines), {"suppress": suppress, "held": [None] * 8_000_000})


MEMORY_TO_THE_LAST_BYTE = """
from axmem.check.run.pool import worker_pool
from tests.check.run.test_suite import spending_all

with worker_pool(megabytes=128) as pool:
    assert isinstance(pool.executor(1).submit(spending_all).exception(), MemoryError)
"""


def test_a_worker_that_spent_its_last_byte_raises() -> None:
    # CPython would look for room for a handler's index for ever.
    subprocess.run([sys.executable, "-c", MEMORY_TO_THE_LAST_BYTE], cwd=ROOT, check=True, timeout=PATIENCE)


MEMORY_IS_SPENT = """
from axmem.check.run.jobs import Job, Workers, answers
from axmem.check.run.pool import worker_pool
from tests.check.run.test_suite import keeping

with worker_pool(megabytes=128) as pool:
    workers = Workers(pool.executor(1), 1, pool.executor)
    jobs = [Job(str(number), size, keeping) for number, size in enumerate((1, 1, 110, 200, 1))]
    found = list(answers(jobs, workers))
assert found[0].answer == found[1].answer == found[2].answer not in (None, found[4].answer), found
assert found[3].lost == "the memory limit was reached" and found[4].answer, found
"""


def test_a_worker_whose_memory_is_spent_is_replaced() -> None:
    subprocess.run([sys.executable, "-c", MEMORY_IS_SPENT], cwd=ROOT, check=True, timeout=PATIENCE)


@pytest.mark.parametrize(
    ("asked", "said"),
    some([
        ("run --model amdgpu", "MP+rel+acq  amdgpu    never      ok"),
        ("verify --target gfx942", "2 tests: 1 sound, 1 unknown"),
    ], of=2),
)
def test_what_needs_more_memory_is_unknown_and_the_rest_goes_on(asked: str, said: str, tmp_path: Path) -> None:
    text = (CORPUS / "base" / "MP+rel+acq.litmus").read_text(encoding="utf-8")
    (tmp_path / "a.litmus").write_text(text + "\n" * 20_000_000, encoding="utf-8")
    (tmp_path / "b.litmus").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "axmem", *asked.split(), "a.litmus", "b.litmus", "--memory", "96"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert said in done.stdout, done.stdout + done.stderr
    assert "the memory limit was reached" in done.stdout + done.stderr


def test_the_memory_of_a_worker_is_limited() -> None:
    # In a process of its own: the heap of one that has run many tests may have gigabytes free.
    subprocess.run([sys.executable, "-c", MEMORY_OF_A_WORKER], cwd=ROOT, check=True, timeout=PATIENCE)


def test_what_runs_out_of_memory_is_unknown() -> None:
    assert ran_out_of_memory(MemoryError())
    assert ran_out_of_memory(RuntimeError("b'out of memory'"))
    assert not ran_out_of_memory(RuntimeError("another matter"))
    with worker_pool(megabytes=64) as pool:
        assert pool.executor(1).submit(ran_out_of_memory, SystemError()).result()


def test_a_limited_worker_ends_when_an_exception_was_lost() -> None:
    with worker_pool(megabytes=64) as pool, pytest.raises(BrokenExecutor):
        pool.executor(1).submit(lose_exception).result()


def lose_exception() -> int:
    """Raise in a place where nobody can catch it, as in a callback of the solver."""
    ctypes.CFUNCTYPE(None)(int_of_nothing)()
    return 1


def int_of_nothing() -> None:
    int("")


def test_mistakes_are_reports() -> None:
    assert [d.message for d in only(Question("f", "litmus L\nfoo\n")).diagnostics]
    unknown = only(Question("SB", TEXTS["SB.litmus"], ("amdgup",)))
    assert unknown.diagnostics[0].message == "unknown model 'amdgup'"
    assert not unknown.answers


def test_a_mistake_that_every_model_finds_is_told_once() -> None:
    text = "litmus L\nglobal x = 0\nthread P0 {\n  r0 = 3\n  r1 = load x[r0]\n}\nexists (P0:r1=0)\n"
    report = only(Question("far.litmus", text, ("sc", "llvm")))
    assert len(report.diagnostics) == 1
    assert report.diagnostics[0].source.name == "far.litmus"


# ---------------------------------------------------------------- neighbours


def neighbours(text: str, *models: str, **options: Any) -> list[Any]:
    report = only(Question("t", text, models, robust=True, **options))
    assert not report.diagnostics
    return [a.neighbours for a in report.answers]


def test_neighbours_of_a_small_model() -> None:
    text = TEXTS["SB.litmus"]
    strong, weak = neighbours(text, MODEL)
    assert [(n.variant, n.value, n.verdict, n.same_verdict, n.same_outcomes) for n in strong] == [
        ("order", "weak", "sometimes", False, False)
    ]
    assert [(n.variant, n.value, n.verdict) for n in weak] == [("order", "strong", "never")]


def test_neighbours_that_decide_how_outcomes_are_judged() -> None:
    text = "litmus U\nglobal x\nthread P0 { r0 = load x }\nexists (P0:r0=1)\n"
    (found,) = neighbours(text, "llvm")
    judged = {n.value: n.verdict for n in found if n.variant == "undef.exists"}
    assert judged == {"literal": "never", "freeze": "sometimes"}
    assert {n.value for n in found if n.variant == "undef.branch"} == {"fork"}


@in_full
def test_every_neighbour_is_a_value_that_is_not_chosen() -> None:
    text = TEXTS["SB.litmus"]
    (found,) = neighbours(text, "llvm[coh=langref]")
    assert ("coh", "cxx") in {(n.variant, n.value) for n in found}
    assert ("coh", "langref") not in {(n.variant, n.value) for n in found}
    assert all(not n.error for n in found)
