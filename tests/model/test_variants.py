"""Variants that have got another name answer to their former one, with a note, wherever a variant is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.check.selection import about_choices, loaded, parse_choice, selection
from axmem.cli import main
from axmem.front import notes
from axmem.litmus.parser import parse
from axmem.model import variants
from axmem.model.library import load, names
from axmem.model.model import Model

TEST = """litmus Two
global x = 0
thread P0 {
  store 1, x
}
expect amdgpu[vis.v1=literal] always
exists (x=1)
"""
NOTE = "axmem: note: the variant 'vis.v1' is now called 'vis.instance'; the next release will not know the old name\n"


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test be the first to be told."""
    monkeypatch.setattr(notes, "_said", set())


def written(folder: Path, text: str) -> Model:
    """Load a model of these lines."""
    path = folder / "own.cat"
    path.write_text(text, encoding="utf-8")
    return load(str(path))


@pytest.mark.parametrize(("old", "new"), variants.FORMER.items())
def test_every_former_name_stands_for_a_variant_of_ours(old: str, new: str) -> None:
    models = [load(name) for name in names()]
    declared = {v.name: v for m in models for v in m.variants}
    assert new in declared and old not in declared
    value = next(v for v in declared[new].values if v != declared[new].default)
    assert load("amdgpu", {old: value}).choice == load("amdgpu", {new: value}).choice


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "Two.litmus"
    path.write_text(TEST, encoding="utf-8")
    old = selection(["amdgpu"], ["vis.v1=literal"]).models(parse(TEST))
    new = selection(["amdgpu"], ["vis.instance=literal"]).models(parse(TEST))
    assert [c.label for c in old] == [c.label for c in new] == ["amdgpu[vis.instance=literal]"]
    assert loaded(parse_choice("amdgpu[vis.v1=literal]")).choice["vis.instance"] == "literal"
    assert capsys.readouterr().err == NOTE, "once, however often the name is used"
    assert main(["run", str(path), "--model", "amdgpu"]) == 0
    assert "vis.instance=literal" in capsys.readouterr().out


def test_in_an_expectation(capsys: pytest.CaptureFixture[str]) -> None:
    test = parse(TEST.replace("literal]", "literal, coh=langref]"))
    assert list(about_choices(test, {})) == []
    assert capsys.readouterr().err == NOTE


def test_in_a_file_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """(** @default vis.v1 = fixed *)
    include "amdgpu-doc.cat"
    let mine = (if "vis.v1=fixed" then po else 0)
    empty mine as shown
    """
    model = written(tmp_path, text)
    assert model.choice["vis.instance"] == "fixed", "the default of the outermost file counts"
    assert model.terms[next(a.term for a in model.axioms if a.name == "shown")].name == "po"
    assert capsys.readouterr().err == NOTE


def test_a_variant_of_ones_own_may_have_the_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """(** @variant vis.v1 = *yes | no : my own *)
    include "amdgpu.cat"
    empty (if "vis.v1=yes" then po else 0) as shown
    """
    model = written(tmp_path, text)
    assert (model.choice["vis.v1"], model.choice["vis.instance"]) == ("yes", "fixed")
    assert load(str(tmp_path / "own.cat"), {"vis.v1": "no"}).choice["vis.instance"] == "fixed"
    assert capsys.readouterr().err == ""
