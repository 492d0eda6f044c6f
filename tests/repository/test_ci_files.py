"""The hooks for pre-commit and the workflow for GitHub Actions: what they run does what their pages say."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from axmem.cli import main
from tests.commands.test_schemas import validator
from tests.paths import PATIENCE, ROOT

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
HOOKS: list[dict[str, str]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / "docs" / "github-actions.yml").read_text(encoding="utf-8"))
TEST = """litmus A

global x = 0

thread P0 {
  store 1, x
}

exists (x=1)

expect llvm always
"""


# ---------------------------------------------------------------- pre-commit


def hook(name: str, folder: Path) -> int:
    """Run a hook as pre-commit does, on the files of a folder that it wants, from there; return the exit code."""
    (found,) = [each for each in HOOKS if each["id"] == name]
    files = [path.name for path in sorted(folder.iterdir()) if re.search(found["files"], path.name)]
    program, *arguments = shlex.split(found["entry"])
    assert program == "axmem" and found["language"] == "python"
    return main([*arguments, *files])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "A.litmus").write_text(TEST, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no test\n", encoding="utf-8")
    return tmp_path


def test_the_page_names_the_hooks() -> None:
    (example,) = re.findall(r"^```yaml\n(repos.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    named = yaml.safe_load(example)["repos"][0]["hooks"]
    assert [each["id"] for each in named] == [each["id"] for each in HOOKS] == ["axmem-fmt", "axmem-check"]


def test_the_formatting_hook_changes_what_is_not_canonical(folder: Path) -> None:
    assert hook("axmem-fmt", folder) == 0
    assert (folder / "A.litmus").read_text(encoding="utf-8") == TEST
    (folder / "B.litmus").write_text(TEST.replace("\n\n", "\n"), encoding="utf-8")
    assert hook("axmem-fmt", folder) == 0
    assert (folder / "B.litmus").read_text(encoding="utf-8") == TEST


def test_the_formatting_hook_drops_no_comments(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TEST.replace("thread", "; why\nthread")
    (folder / "A.litmus").write_text(text, encoding="utf-8")
    assert hook("axmem-fmt", folder) == 2
    assert (folder / "A.litmus").read_text(encoding="utf-8") == text
    assert "A.litmus:5:1: error: this file has 1 line with comments" in capsys.readouterr().err


def test_the_checking_hook_finds_errors_of_tests_and_models(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "good.cat").write_text('"good"\nacyclic po | rf as one\n', encoding="utf-8")
    assert hook("axmem-check", folder) == 0
    read = "good.cat: read in the dialect axmem, as nothing says another"
    assert capsys.readouterr().out == f"{read}\n2 files, 0 errors, 0 warnings\n"
    (folder / "bad.cat").write_text('"bad"\nacyclic po | rg as one\n', encoding="utf-8")
    (folder / "A.litmus").write_text(TEST.replace("store", "stroe"), encoding="utf-8")
    assert hook("axmem-check", folder) == 2
    said = capsys.readouterr().err
    assert "A.litmus:6:3: error: " in said and "bad.cat:2:14: error: unknown name `rg`" in said


# ---------------------------------------------------------------- GitHub Actions


def steps() -> list[dict[str, Any]]:
    (job,) = WORKFLOW["jobs"].values()
    found: list[dict[str, Any]] = job["steps"]
    return found


def run(folder: Path) -> tuple[list[str], str]:
    """Run the steps of the workflow as a runner does; return the names of those that fail, and what they print."""
    failed: list[str] = []
    said = ""
    for step in steps():
        wanted = {"always()": True, "failure()": bool(failed)}.get(step.get("if", ""), not failed)
        if "run" not in step or not wanted:
            continue
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=folder, env={**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        failed += [step["name"]] if done.returncode else []
        said += done.stdout
    return failed, said


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with tests where the workflow wants them, and what it calls: for `pip` what notes its arguments."""
    (tmp_path / "tests" / "litmus").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    options = "[pytest]\naddopts = -p no:axmem -p axmem.commands.pytest_plugin\n"
    (tmp_path / "pytest.ini").write_text(options, encoding="utf-8")
    (tmp_path / "tests" / "litmus" / "A.litmus").write_text(TEST, encoding="utf-8")
    python = f"PYTHONPATH={ROOT} exec {sys.executable} -m"
    for name, line in (("axmem", f"{python} axmem"), ("pytest", f"{python} pytest"), ("pip", "echo > installed")):
        script = tmp_path / "bin" / name
        script.write_text(f'#!/bin/sh\n{line} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    return tmp_path


SAID = """1 file, 0 errors, 0 warnings
1 test, 1 check, 0 mismatches, 0 unknown, 0 errors, # s
axmem: 1 answers were in .axmem
"""


def test_every_step_of_the_workflow_passes(checkout: Path) -> None:
    failed, said = run(checkout)
    assert (failed, re.sub(r"[\d.]+ s$", "# s", said, flags=re.MULTILINE)) == ([], SAID)
    installed = (checkout / "installed").read_text(encoding="utf-8").split()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"[>=]", requirement)[0] for requirement in project["optional-dependencies"]["test"]}
    assert installed[:2] == ["install", "axmem"] and set(installed[2:]) <= names
    document = json.loads((checkout / "axmem.sarif").read_text(encoding="utf-8"))
    assert [*validator("sarif").iter_errors(document)] == [] and document["runs"][0]["results"] == []


def test_a_failure_is_annotated_explained_and_uploaded(checkout: Path) -> None:
    file = checkout / "tests" / "litmus" / "A.litmus"
    file.write_text(TEST.replace("always", "never"), encoding="utf-8")
    failed, said = run(checkout)
    assert len(failed) == 3
    assert "::error file=tests/litmus/A.litmus,line=11::A under llvm: expected never, found always\n" in said
    assert "$ axmem run --why tests/litmus/A.litmus --model llvm\nA  llvm  allowed: x=1\n" in said
    (result,) = json.loads((checkout / "axmem.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "tests/litmus/A.litmus"}, "region": {"startLine": 11}}
    (upload,) = [step for step in steps() if "upload-sarif" in step.get("uses", "")]
    assert upload["with"]["sarif_file"] == "axmem.sarif"
