"""SARIF 2.1.0: the documents satisfy the schema of what is written, and say where and how grave.

The schema in docs/schema/ is a part of the standard's own; its sentences on messages, regions and URIs are tested here.
The documents of `RUNS` were also held once against the standard's whole schema, and shown to Microsoft's validator
(Sarif.Multitool 5.7.0), which finds no errors in them; it advises to give a whole file a region, the tool a page.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from axmem.check.judging import Report
from axmem.cli import main
from axmem.front.source import mistake
from axmem.report.problems import Problem, ProblemKind
from axmem.report.sarif import Output, sarif
from axmem.report.summary import Summary
from tests.commands.test_schemas import parts, validator
from tests.paths import INPUTS

RUNS = (
    "run . Nowhere.litmus --model two.cat",
    "run Unexpected.litmus --model two.cat --max-outcomes 1",
    "run SB.litmus --model two.cat --condition-only",
    "run SB.litmus --model two.cat",
    "check . two.cat",
    "check Nowhere.litmus",
)


def told(arguments: str, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return the one run of the document that a command prints, which satisfies the schema."""
    code = main([*arguments.split(), "--format", "sarif"])
    document = json.loads(capsys.readouterr().out)
    assert [*validator("sarif").iter_errors(document)] == []
    (run,) = document["runs"]
    assert run["invocations"][0]["exitCode"] == code
    conforms(run)
    return run


def conforms(run: Any) -> None:
    """Hold a run to what the standard says and a schema cannot: sections 3.19, 3.27, 3.30 and 3.4 of it."""
    driver = run["tool"]["driver"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(set(rules)) == len(rules) and re.fullmatch(r"\d+\.\d+\.\d+([-+].+)?", driver["semanticVersion"])
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        uri, region = place["artifactLocation"]["uri"], place.get("region", {"startLine": 1})
        assert urlsplit(uri).scheme in ("", "file") and not set(uri) & set(" \\<>") and unquote(uri) != ""
        assert region["startLine"] >= 1 and region.get("endColumn", 2) > region.get("startColumn", 1) >= 1
        assert not set(result["message"]["text"].replace("{{", "").replace("}}", "")) & set("{}")


@pytest.mark.parametrize("arguments", RUNS)
def test_every_key_is_in_the_schema(
    arguments: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(INPUTS)
    run = told(arguments, capsys)
    document = json.loads(sarif([], 0)) | {"runs": [run]}
    for where, part in parts(document):
        part["another"] = 0
        assert not validator("sarif").is_valid(document), f"one key more at {where}"
        del part["another"]


def test_results_have_places_and_what_is_no_file_is_a_notification(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(INPUTS)
    run = told("run . Nowhere.litmus --model two.cat", capsys)
    places = [
        (r["ruleId"], r["level"], p["artifactLocation"]["uri"], p.get("region"))
        for r in run["results"]
        for p in [r["locations"][0]["physicalLocation"]]
    ]
    assert places == [
        ("input", "error", "Broken.litmus", {"startLine": 6, "startColumn": 13, "endColumn": 14}),
        ("verdict", "error", "Wrong.litmus", {"startLine": 17}),
        ("outcomes", "error", "Wrong.litmus", {"startLine": 19}),
        ("input", "error", "latin1.litmus", None),
    ]
    (invocation,) = run["invocations"]
    (notification,) = invocation["toolConfigurationNotifications"]
    assert notification["message"]["text"] == "Nowhere.litmus: no such file"
    assert not invocation["executionSuccessful"]


def test_a_mismatch_is_a_successful_execution(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(INPUTS)
    run = told("run Wrong.litmus --model two.cat", capsys)
    assert run["invocations"][0]["executionSuccessful"] and run["invocations"][0]["exitCode"] == 1
    assert told("run SB.litmus --model two.cat", capsys)["results"] == []


def test_warnings_are_warnings(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(INPUTS)
    (unread,) = told("check Long.litmus Undefined.litmus two.cat", capsys)["results"]
    assert (unread["ruleId"], unread["level"]) == ("doubtful", "warning")
    assert "\nhint: " in unread["message"]["text"]


def test_braces_are_doubled_and_names_are_uris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `{` begins a placeholder of a message (3.11.5), a blank is not in a URI, an absolute path is a `file:` URI."""
    monkeypatch.chdir(tmp_path)
    Path("a b%.litmus").touch()
    found = [
        Problem(ProblemKind.OUTCOMES, "P0:v={0,1}", name) for name in ("a b%.litmus", str(tmp_path / "a b%.litmus"))
    ]
    (run,) = json.loads(sarif(found, 1))["runs"]
    uris = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]]
    assert uris == ["a%20b%25.litmus", f"file://{tmp_path}/a%20b%25.litmus"]
    assert run["results"][0]["message"]["text"] == "P0:v={{0,1}}"


def test_what_was_left_is_said() -> None:
    form = Output()
    form.report(Report("<stdin>", diagnostics=mistake("<stdin>", "wrong").diagnostics))
    form.report(Report("<stdin>", lost="the worker died"))
    summary = Summary(errors=1, not_run=2)
    document = json.loads(form.begin() + form.end(summary))
    assert [*validator("sarif").iter_errors(document)] == []
    (invocation,) = document["runs"][0]["invocations"]
    said = [n["message"]["text"] for n in invocation["toolConfigurationNotifications"]]
    assert said == ["<stdin>: wrong", "<stdin>: unknown: the worker died"]
    assert [n["message"]["text"] for n in invocation["toolExecutionNotifications"]] == ["2 tests were not run"]


def test_the_schema_enumerates_the_kinds() -> None:
    schema = validator("sarif").schema
    assert isinstance(schema, dict)
    assert schema["$defs"]["rule"]["enum"] == [kind.word for kind in ProblemKind]
    assert set(schema["$defs"]["level"]["enum"]) == {kind.level for kind in ProblemKind}
