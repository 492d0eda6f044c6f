"""A release: the address of axmem, which is said once, and the GitHub Action, whose steps run as on a runner."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands.test_schemas import validator
from tests.paths import PATIENCE, ROOT
from tests.release.home import FILES, home, texts, with_home
from tests.repository.test_ci_files import TEST, checkout

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
HERE = "https://github.com/somebody/axmem"

repository = checkout
"""A folder with a test in `tests/litmus`, and with what stands for axmem and pip."""


def test_every_file_says_the_one_address_or_none() -> None:
    now = texts()
    assert with_home(now, home(now)) == now, "run python -m tests.release.home"
    there = with_home(now, HERE)
    assert all(HERE in there[name] for name in FILES) and with_home(there, HERE) == there
    assert with_home(there, "") == now
    urls = tomllib.loads(there["pyproject.toml"])["project"]["urls"]
    assert urls["Source"] == HERE and urls["Issues"] == f"{HERE}/issues" and len(urls) == 5
    assert yaml.safe_load(there["CITATION.cff"])["repository-code"] == HERE
    assert json.loads(there["editors/vscode/package.json"])["repository"]["url"] == f"{HERE}.git"
    assert "- uses: somebody/axmem@v0.1.0\n" in there["docs/ci.md"] and f"- repo: {HERE} #" in there["docs/ci.md"]
    assert "- uses: ./path/to/axmem # v0.1.0\n" in with_home(there, "https://host.net/a/axmem")["docs/ci.md"]
    for wrong in ("http://a.b/c/d", "https://a.b", "axmem", HERE + "/ x"):
        with pytest.raises(ValueError, match="HOST/OWNER/NAME"):
            with_home(now, wrong)


def test_no_page_and_no_metadata_names_a_placeholder() -> None:
    said = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CITATION.cff", "pyproject.toml", "action.yml")]
    said += [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.yml"), ROOT / ".pre-commit-hooks.yaml"]
    assert [path.name for path in said if re.search(r"example\.(org|com|net)", path.read_text(encoding="utf-8"))] == []


def given(inputs: dict[str, str], text: str) -> str:
    """Return a text with its expressions evaluated, of the kinds that the action has."""

    known = {"github.action_path": "."} | {f"inputs.{name}": found for name, found in inputs.items()}

    def value(match: re.Match[str]) -> str:
        for part in match[1].split(" || "):
            found = known[part]
            if found:
                return found
        return ""

    return re.sub(r"\$\{\{ ([^}]*) \}\}", value, text)


def run(folder: Path, **named: str) -> tuple[list[str], str]:
    """Run the steps of the action as a runner does; return the names of those that fail, and what they print."""
    inputs = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()} | named
    failed: list[str] = []
    said = ""
    for step in ACTION["runs"]["steps"]:
        condition = step.get("if")
        assert condition in (None, "${{ always() && inputs.sarif != '' }}")
        if "run" not in step or (failed and condition is None) or (condition and not inputs["sarif"]):
            continue
        assert step["shell"] == "bash" and "${{" not in step["run"], "values go into the environment, not into scripts"
        environment = {name: given(inputs, value) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]], cwd=folder,
            env={**os.environ, **environment, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        failed += [step["name"]] if done.returncode else []
        said += done.stdout
    return failed, said


def test_the_action_annotates_what_is_wrong_and_writes_it_for_code_scanning(repository: Path) -> None:
    (repository / "bin" / "python").write_text('#!/bin/sh\necho "$@" > installed\n', encoding="utf-8")
    (repository / "bin" / "python").chmod(0o755)
    odd = repository / "more $(touch broken) tests"
    odd.mkdir()
    (odd / "B.litmus").write_text(TEST.replace("litmus A", "litmus B").replace("always", "never"), encoding="utf-8")
    (repository / "a.cat").write_text('"a"\nacyclic po as x\n', encoding="utf-8")
    paths = f"tests/litmus\n\na.cat\n{odd.name}\n"
    failed, said = run(repository, paths=paths, options="--model llvm --timeout 60", sarif="axmem.sarif")
    assert failed == ["Expectations"], said
    assert f"::error file={odd.name}/B.litmus,line=11::B under llvm: expected never, found always\n" in said
    installed = (repository / "installed").read_text(encoding="utf-8").split()
    assert installed[:3] == ["-m", "pip", "install"] and installed[-1] == "."
    document = json.loads((repository / "axmem.sarif").read_text(encoding="utf-8"))
    assert [*validator("sarif").iter_errors(document)] == [] and len(document["runs"][0]["results"]) == 1
    assert not (repository / "broken").exists()


def test_the_page_shows_the_action_with_inputs_that_it_has() -> None:
    (example,) = re.findall(r"^```yaml\n( *- uses: .*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (step,) = yaml.safe_load(example)
    assert set(step["with"]) <= set(ACTION["inputs"])
    required = {name for name, each in ACTION["inputs"].items() if each.get("required")}
    assert required <= set(step["with"])
    assert all(each["description"] for each in ACTION["inputs"].values())
