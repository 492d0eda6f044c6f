"""A model under which a test has no execution at all answers nothing: every command says so, and none passes.

The models are our own: one forbids every read-modify-write, as one does that counts both halves for one event of
program order; one forbids everything. A filter that keeps no outcome is another matter: there are executions.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import axmem
from axmem.check.decide import decide
from axmem.check.expectations import checks, status
from axmem.cli import main
from axmem.encoder.engines import Engine
from axmem.encoder.limits import NO_EXECUTION
from axmem.model.library import load

NO_UPDATES = '"no read-modify-write has an execution"\nacyclic po | (rmw ; si) as no-updates\n'
NOTHING = '"nothing has an execution"\nempty id as nothing\n'
INCREMENT = """litmus increment
global x = 0
thread P0 { r0 = atomicrmw add x, 1 monotonic }
exists (P0:r0=0)
"""
SAID = "no execution is consistent"


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "no-updates.cat"
    path.write_text(NO_UPDATES, encoding="utf-8")
    return str(path)


@pytest.fixture
def test_file(tmp_path: Path) -> str:
    path = tmp_path / "increment.litmus"
    path.write_text(INCREMENT, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("engine", list(Engine))
def test_every_engine_finds_that_there_is_none(engine: Engine, model: str) -> None:
    found = axmem.outcomes(axmem.parse(INCREMENT), model, engine=engine)
    assert (found.outcomes, found.verdict, found.incomplete) == ((), "unknown", (NO_EXECUTION,))
    assert not found.consistent and not found.complete


def test_the_verdict_alone_finds_it_too(model: str) -> None:
    found = decide(axmem.parse(INCREMENT), model)
    assert (found.verdict, found.incomplete) == ("unknown", (NO_EXECUTION,))


@pytest.mark.parametrize("alone", [False, True])
def test_a_filter_that_keeps_nothing_is_not_meant(alone: bool) -> None:
    test = axmem.parse(INCREMENT.replace("exists", "filter (x=2)\nexists"))
    found = (decide if alone else axmem.outcomes)(test, "sc")
    assert (found.verdict, found.consistent) == ("never", True)


def test_a_filter_hides_no_lack_of_executions(model: str) -> None:
    test = axmem.parse(INCREMENT.replace("exists", "filter (x=2)\nexists"))
    for found in (decide(test, model), axmem.outcomes(test, model)):
        assert (found.verdict, found.consistent) == ("unknown", False)


@pytest.mark.parametrize(
    ("expected", "state"),
    [
        ("expect M never", "mismatch"),
        ("expect M unknown", "mismatch"),
        ("expect M possible", "mismatch"),
        ("", "unknown"),
        ("outcomes M {}", "ok"),
        ("expect M never, of true", "ok"),
    ],
)
def test_no_expectation_is_met_but_that_there_are_no_outcomes(expected: str, state: str, model: str) -> None:
    name = "no-updates"
    text = INCREMENT.replace("P0:r0=0", "true") if "of true" in expected else INCREMENT
    test = axmem.parse(text + expected.replace("M", name).removesuffix(", of true"))
    chosen = load(model)
    result = axmem.outcomes(test, chosen)
    assert status(result, checks(test, chosen, result)) == state


COMMANDS = [
    ["run", "TEST", "--model", "M"],
    ["run", "TEST", "--model", "M", "--condition-only"],
    ["run", "TEST", "--model", "M", "--format", "json"],
    ["run", "TEST", "--model", "M", "--format", "junit"],
    ["compare", "TEST", "--models", "sc,M"],
    ["explain", "TEST", "--model", "M"],
    ["explain", "TEST", "--model", "M", "--format", "json"],
    ["refine", "TEST", "TEST", "--closed", "--model", "M"],
    ["verify", "TEST", "--target", "gfx942", "--model", "M"],
    ["trace", "TEST", "--model", "M"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_says_so(
    command: list[str], test_file: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is that of an unknown answer: nothing was found out."""
    said = [word.replace("TEST", test_file) if word == "TEST" else word.replace("M", model) for word in command]
    assert main(said) == 3
    assert SAID in capsys.readouterr().out


def test_a_table_says_so(test_file: str, model: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["table", test_file, "--models", f"sc,{model}", "--format", "json"])
    assert SAID in capsys.readouterr().out


def test_a_test_case_of_continuous_integration_is_an_error(
    test_file: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown answer is skipped there; a model without executions is wrong, or the test is."""
    main(["run", test_file, "--model", model, "--format", "junit"])
    assert '<error type="inconsistent"' in capsys.readouterr().out


def test_an_explanation_names_the_rules(test_file: str, model: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["explain", test_file, "--model", model, "--format", "json"])
    (found,) = json.loads(capsys.readouterr().out)["explanations"]
    assert (found["answer"], found["reason"], found["broken"]) == ("unknown", SAID, ["no-updates"])
    assert [rule["name"] for rule in found["core"]] == ["no-updates"]


def test_a_model_that_forbids_everything(tmp_path: Path) -> None:
    path = tmp_path / "nothing.cat"
    path.write_text(NOTHING, encoding="utf-8")
    test = axmem.parse("litmus one\nglobal x = 0\nthread P0 { store 1, x }\nexists (x=1)\n")
    assert not axmem.outcomes(test, str(path)).consistent
