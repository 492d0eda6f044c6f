"""Suites on a Dask cluster: the same reports as here, whoever dies, and mistakes that are told."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, cast

import distributed
import pytest

from axmem.check.judging import Question, Report, report_of
from axmem.check.run import cluster as clusters
from axmem.check.run import suite
from axmem.check.run.cluster import cluster
from axmem.check.run.jobs import Job, Workers, answers
from axmem.check.run.known_results import Answers
from axmem.check.run.store import AnswerStore
from axmem.cli import main
from tests.long.suite import small_tests
from tests.paths import INPUTS, PATIENCE

QUIET: dict[str, Any] = {"protocol": "tcp", "dashboard_address": ":0"}
MODEL = str(INPUTS / "two.cat")


@pytest.fixture(scope="module", autouse=True)
def patient() -> Iterator[None]:
    """Wait for processes as long as a loaded machine takes to start them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(clusters, "PATIENCE", PATIENCE)
        yield


@pytest.fixture(scope="module")
def local(patient: None) -> Iterator[Workers]:
    with cluster("local:2") as made:
        yield made


def client_of(workers: Workers) -> Any:
    """Return Dask's client of a cluster."""
    return cast(Any, workers.executor).client


def living(client: Any) -> set[int]:
    """Wait until two workers answer, the dead being noticed and replaced; return their processes."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = list(client.run(os.getpid, on_error="return").values())
        if len(found) == 2 and all(isinstance(process, int) for process in found):
            return set(found)
        time.sleep(0.05)
    raise AssertionError("the workers that died were not replaced")


@pytest.fixture(scope="module")
def address(local: Workers) -> str:
    """The address of the cluster's scheduler, as of one that others have started."""
    return str(client_of(local).scheduler.address)


def jobs(number: int) -> list[Question]:
    """Return tests none of which is another."""
    texts = [generated.text for generated in islice(small_tests(), number)]
    return [Question(f"{i}.litmus", text, ("amdgpu",)) for i, text in enumerate(texts)]


def gist(report: Report) -> tuple[Any, ...]:
    """Return what a report says, without the cost of finding it."""
    answers = [(a.result.texts, a.result.verdict, a.result.flags, a.checks, a.status) for a in report.answers]
    return report.name, report.diagnostics, report.lost, answers


def test_no_test_is_lost_with_a_worker_or_counted_twice(local: Workers) -> None:
    client = client_of(local)
    some = jobs(16)
    expected = [gist(r) for r in suite.reports(some)]
    workers = client.run(os.getpid)
    assert local.number == len(workers) == 2
    found = []
    for index, report in enumerate(suite.reports(some, local)):
        found.append(gist(report))
        if index == 5:
            os.kill(next(iter(workers.values())), signal.SIGKILL)
    assert found == expected
    assert [name for name, *_ in found] == [j.name for j in some]
    assert living(client) != set(workers.values())


def test_a_test_that_kills_its_workers_costs_itself_alone(local: Workers) -> None:
    client = client_of(local)
    client.run_on_scheduler(allow_no_failure)
    some = jobs(6)
    asked = [replace(some[0], name="deadly"), *some[1:]]
    done = list(answers((Job(q.name, q, deadly) for q in asked), local))
    living(client)
    assert [d.name for d in done] == ["deadly", *(q.name for q in some[1:])]
    assert done[0].lost.startswith("the worker died: KilledWorker: ")
    assert [d.answer is not None and bool(d.answer.answers) for d in done[1:]] == [True] * 5


def allow_no_failure(dask_scheduler: Any) -> None:
    """Let a test that was at a worker which died not be tried again."""
    dask_scheduler.allowed_failures = 0


def deadly(question: Question) -> Report:
    """Work, unless the question is deadly to the worker."""
    if question.name == "deadly":
        os._exit(9)
    return report_of(question)


def test_answers_go_to_the_run_directory(local: Workers, tmp_path: Path) -> None:
    some = jobs(6)
    memory = Answers(AnswerStore(str(tmp_path)).make())
    first = [gist(r) for r in suite.reports(some, local, memory)]
    assert len(list(tmp_path.glob("answers/*/*.json"))) == 6
    memory = Answers(AnswerStore(str(tmp_path)))
    assert [gist(r) for r in suite.reports(some, memory=memory)] == first
    assert memory.reused == 6


def test_the_command_prints_the_same(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", str(INPUTS / "SB.litmus"), str(INPUTS / "Wrong.litmus"), "--model", MODEL, "--outcomes"]
    shown = []
    for further in ([], ["--scheduler", address]):
        code = main([*arguments, *further])
        out, err = capsys.readouterr()
        shown.append((code, out.splitlines()[:-1], err))
    assert shown[0] == shown[1]
    assert shown[0][0] == 1


def test_a_scheduler_that_goes_costs_what_is_not_done() -> None:
    with (
        distributed.LocalCluster(n_workers=1, processes=False, **QUIET) as made,
        cluster(made.scheduler_address) as found,
    ):
        reports = suite.reports(jobs(200), found)
        assert next(reports).answers
        # Of a connection that is refused Dask would print tracebacks.
        parts = [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
        assert "distributed.client" in parts
        assert not [name for name in parts if logging.getLogger(name).isEnabledFor(logging.ERROR)]
        made.close()
        rest = list(reports)
    assert len(rest) == 199
    assert {r.not_run for r in rest} <= {"", "the scheduler was lost"}
    assert rest[-1].not_run == "the scheduler was lost" and not any(r.lost for r in rest)


def refused(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["run", str(INPUTS / "SB.litmus"), "--model", MODEL, *options]) == 2
    _, err = capsys.readouterr()
    assert "Traceback" not in err
    return err


def test_nobody_answers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "PATIENCE", 0.5)
    assert "error: no scheduler answers here: " in refused(capsys, "--scheduler", "tcp://127.0.0.1:9")
    assert "error: no scheduler answers here: " in refused(capsys, "--scheduler", "tcp://nowhere")


def test_nobody_works(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = distributed.Client.wait_for_workers
    monkeypatch.setattr(
        distributed.Client, "wait_for_workers", lambda client, number, timeout: waiting(client, number, timeout=0.1)
    )
    with distributed.LocalCluster(n_workers=0, processes=False, **QUIET) as made:
        assert "error: the scheduler has no workers" in refused(capsys, "--scheduler", made.scheduler_address)


def test_workers_of_another_version(
    address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "__version__", "0.0.0")
    assert "and this is axmem 0.0.0" in refused(capsys, "--scheduler", address)


def test_without_the_package(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = refused(capsys, "--scheduler", "local:2")
    assert "error: the package 'distributed' is not installed" in said
    assert "hint: pip install 'axmem[cluster]'" in said


@pytest.mark.parametrize("text", ["local", "local:0", "local:-1", "localhost:8786", "tcp://", "http://x:1"])
def test_what_is_no_scheduler(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "error: a scheduler is given as tcp://HOST:PORT, or local:N" in refused(capsys, "--scheduler", text)


@pytest.mark.parametrize("options", [["-j", "2"], ["--memory", "100"]])
def test_options_of_other_workers(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert f"error: --scheduler does not go with {options[0]}: " in refused(capsys, "--scheduler", "local:2", *options)
