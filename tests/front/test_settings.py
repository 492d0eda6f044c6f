"""Settings of a project: what they add, what they leave alone, and what is wrong with them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from axmem.cli import main, parse_arguments
from axmem.front.settings import CLANG
from axmem.front.source import InputError

OWN = 'models = ["sc", "llvm"]\ntarget = "gfx90a"\ntimeout = 7\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "below" / "more").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "below" / "more")
    monkeypatch.delenv(CLANG, raising=False)
    return tmp_path


@pytest.mark.parametrize("shared", [False, True])
def test_settings_are_those_of_the_nearest_folder(project: Path, shared: bool) -> None:
    name, head = ("pyproject.toml", "[tool.axmem]\n") if shared else ("axmem.toml", "")
    (project / name).write_text(head + OWN, encoding="utf-8")
    read = parse_arguments(["run", "x.litmus"])
    assert (read.model, read.timeout) == (["sc", "llvm"], 7.0)
    assert parse_arguments(["verify", "x.litmus"]).target == "gfx90a"
    assert parse_arguments(["run", "--compare", "x.litmus"]).models == "sc,llvm"
    (project / "below" / "axmem.toml").write_text("timeout = 2", encoding="utf-8")
    nearer = parse_arguments(["run", "x.litmus"])
    assert (nearer.model, nearer.timeout) == ([], 2.0)


def test_the_command_line_wins(project: Path) -> None:
    (project / "axmem.toml").write_text(OWN, encoding="utf-8")
    assert parse_arguments(["run", "x.litmus", "--model", "amdgpu", "--timeout=3"]).model == ["amdgpu"]
    assert parse_arguments(["run", "x.litmus", "--timeout=3"]).timeout == 3.0
    assert parse_arguments(["doc", "table", "x.litmus", "--models", "rc11"]).models == "rc11"
    assert parse_arguments(["lower", "x.litmus", "--target", "gfx942"]).target == ["gfx942"]


def test_what_takes_one_model_or_another_kind_keeps_its_own(project: Path) -> None:
    (project / "axmem.toml").write_text(OWN, encoding="utf-8")
    assert parse_arguments(["verify", "x.litmus"]).model == "amdgpu"
    assert parse_arguments(["prove", "P2"]).model is None
    assert not parse_arguments(["kernel", "progress", "x.litmus"]).models
    assert parse_arguments(["doc", "report", "x.litmus", "-o", "site"]).target == []


def test_the_clang_is_one_of_the_environment_first(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "axmem.toml").write_text('clang = "clang-22 -O1"', encoding="utf-8")
    monkeypatch.setenv(CLANG, "")
    monkeypatch.delenv(CLANG)
    parse_arguments(["run", "x.litmus"])
    assert os.environ[CLANG] == "clang-22 -O1"
    monkeypatch.setenv(CLANG, "mine")
    parse_arguments(["run", "x.litmus"])
    assert os.environ[CLANG] == "mine"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('timeout = 1\nmodel = ["llvm"]\n', ":2:1: error: there is no setting 'model'|did you mean 'models'?"),
        ('models = "llvm"\n', ":1:1: error: 'models' is to be a list of names of models"),
        ("timeout = -1\n", ":1:1: error: 'timeout' is to be a number of seconds"),
        ("timeout = true\n", ":1:1: error: 'timeout' is to be a number of seconds"),
        ("\n[targets]\na = 1\n", ":2:2: error: there is no setting 'targets'|did you mean 'target'?"),
        ("models = [\n", ": error: this is no TOML: "),
    ],
)
def test_what_is_wrong_with_settings_is_told_at_its_place(
    text: str, said: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "axmem.toml").write_text(text, encoding="utf-8")
    assert main(["models"]) == 2
    errors = capsys.readouterr().err
    assert all(part in errors for part in said.split("|")) and "Traceback" not in errors
    with pytest.raises(SystemExit) as ended:
        main(["models", "--help"])
    assert ended.value.code == 0


def test_a_shared_file_that_is_not_about_axmem_is_let_alone(project: Path) -> None:
    (project / "pyproject.toml").write_text("# tool.axmem\n[tool", encoding="utf-8")
    assert parse_arguments(["run", "x.litmus"]).model == []
    (project / "pyproject.toml").write_text("[tool.axmem]\nnothing = 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="there is no setting"):
        parse_arguments(["run", "x.litmus"])


def test_a_file_of_settings_that_cannot_be_read_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for made in (lambda path: path.mkdir(), lambda path: path.write_bytes(b"# \xff")):
        path = project / "below" / "more" / "axmem.toml"
        made(path)
        assert main(["models"]) == 2
        assert "axmem.toml: error: cannot read this file: " in capsys.readouterr().err
        path.rmdir() if path.is_dir() else path.unlink()
    assert main(["models"]) == 0


def test_a_shared_file_may_have_anything(project: Path) -> None:
    (project / "pyproject.toml").write_text("tool = 1  # tool.axmem\n", encoding="utf-8")
    assert parse_arguments(["run", "x.litmus"]).model == []


def test_a_folder_of_work_that_is_gone_has_no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert parse_arguments(["run", "x.litmus"]).model == []
