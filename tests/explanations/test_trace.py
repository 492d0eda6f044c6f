"""`axmem run --stages`: what it prints, word for word, and that it is what the engines find.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axmem.check.results import outcomes
from axmem.cli import main
from axmem.encoder.engines import Engine
from axmem.encoder.symmetry import classes
from axmem.events.unroll import events_under
from axmem.explanations.trace import StageTable, trace
from axmem.formats.reading import parse_file
from axmem.model.library import load
from tests.drawn import some
from tests.golden import compare_command
from tests.paths import CORPUS, GOLDENS

FOLDER = GOLDENS / "trace"
CHOICES = "base/Undef+branch.litmus"
CUT = "classic/CoRR1+rmw.litmus"

CASES = {
    "sc": "trace classic/SB+mono+mono.litmus --model sc",
    "choices": f"trace {CHOICES} --stage events --stage executions --stage outcomes",
    "rules": "trace classic/CoRR1+rmw.litmus --stage circuit --only atomicity --only coherence-rr",
    "variant": "trace base/MP+rel+acq.litmus --variant vis.instance=literal --stage bounds --only vis --only lo",
    "json": f"trace {CHOICES} --model sc --format json --stage events",
    "error-test": "trace base/Nowhere.litmus",
    "error-model": "trace base/MP+rel+acq.litmus --model amdgup",
    "error-variant": "trace base/MP+rel+acq.litmus --variant vis=1",
}


@pytest.mark.parametrize("name", CASES)
def test_prints(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command prints what its golden file says (which `AXMEM_UPDATE_GOLDENS=1` writes anew)."""
    monkeypatch.chdir(CORPUS)
    compare_command(CASES[name], FOLDER / f"{name}.txt", capsys)


def test_no_golden_is_forgotten() -> None:
    assert {f.stem for f in FOLDER.glob("*.txt")} == set(CASES)


def tables(path: Path, model: str) -> dict[str, StageTable]:
    return {table.title: table for table in trace(parse_file(path), load(model)).tables}


@pytest.mark.parametrize("path", some(sorted(CORPUS.rglob("*.litmus"))[7::48], of=9), ids=lambda path: path.stem)
@pytest.mark.parametrize("model", ["llvm", "amdgpu", "sc"])
def test_a_trace_says_what_the_engine_does(path: Path, model: str) -> None:
    """Bounds enclose, parts add up, and there is an execution for each of the outcomes that are found."""
    found = tables(path, model)
    for _, must, may, undecided in found["bounds"].rows:
        assert isinstance(undecided, tuple) and isinstance(must, int)
        assert may == must + len(undecided)
    sizes = {row[0]: row[1] for row in found["circuit"].rows}
    assert sizes["asserted"] == sum(int(str(number)) for _, number in found["clauses"].rows)
    test = parse_file(path)
    result = outcomes(test, model, engine=Engine.Z3)
    if not classes(events_under(test, load(model))):  # Of threads that are alike the engine tries one order.
        assert sizes["with the gates"] == result.work.clauses
    states = [row[0] for row in found["executions"].rows]
    assert states == [row[0] for row in found["outcomes"].rows] == list(result.states())


def test_clauses_are_those_that_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """Each clause of a rule that is asked for is listed once."""
    arguments = ["trace", str(CORPUS / "classic/CoRR1+rmw.litmus"), "--only", "atomicity", "--format", "json"]
    assert main(arguments) == 0
    found = {table["title"]: table for table in json.loads(capsys.readouterr().out)["tables"]}
    assert found["clauses"]["rows"] == [["atomicity", len(found["clauses of atomicity"]["rows"])]]
    assert found["what the test fixes"]["rows"] == []


def test_a_cut_trace_is_unknown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """More values than the engine follows make the answer unknown."""
    monkeypatch.setattr("axmem.encoder.domains.LIMIT", 2)
    assert main(["trace", str(CORPUS / CHOICES), "--model", "sc", "--stage", "outcomes"]) == 0
    assert main(["trace", str(CORPUS / CUT), "--model", "sc", "--stage", "outcomes"]) == 3
    assert "a value's domain was cut" in capsys.readouterr().out
