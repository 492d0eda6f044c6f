"""Forty mistakes that people make on a command line: what is said leads to the mend, the error comes first."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from axmem.cli import main
from tests.paths import ROOT

MISTAKES = (
    ("axmem rnu MP.litmus", "did you mean 'run'"),
    ("axmem verfy MP.litmus --target gfx942", "did you mean 'verify'"),
    ("axmem update_checks MP.litmus", "did you mean 'fmt --lit'"),
    ("axmem Run MP.litmus", "did you mean 'run'"),
    ("axmem MP.litmus", "axmem run MP.litmus"),
    ("axmem ./MP.litmus --model llvm", "axmem run ./MP.litmus --model llvm"),
    ("axmem my.cat", "axmem check my.cat"),
    ("axmem @corpus", "axmem run @corpus"),
    ("axmem version", "here it is called '--version'"),
    ("axmem herd7 MP.litmus", "here it is called 'run'"),
    ("axmem test MP.litmus", "here it is called 'run'"),
    ("axmem compile MP.litmus", "here it is called 'lower'"),
    ("axmem why MP.litmus", "here it is called 'run --why'"),
    ("axmem draw MP.litmus", "here it is called 'run --draw'"),
    ("axmem format MP.litmus", "here it is called 'fmt'"),
    ("axmem kernel unifrom MP.litmus", "did you mean 'uniform'"),
    ("axmem kernel MP.litmus", "axmem kernel uniform MP.litmus"),
    ("axmem kernel --modle llvm uniform MP.litmus", "axmem kernel uniform --modle"),
    ("axmem docs x.litmus", "did you mean 'doc'"),
    ("axmem run --wyh MP.litmus", "did you mean '--why'"),
    ("axmem run --why --draw MP.litmus", "unknown option '--draw'"),
    ("axmem --model llvm run MP.litmus", "axmem run --model"),
    ("axmem --versoin", "did you mean '--version'"),
    ("axmem run", "for example: axmem run "),
    ("axmem refine --model", "expected one argument"),
    ("axmem run MP.litmus --modle llvm", "did you mean '--model'"),
    ("axmem run MP.litmus --models llvm", "did you mean '--model'"),
    ("axmem run MP.litmus --model=llvm --forma json", "did you mean '--format'"),
    ("axmem run MP.litmus --json", "here it is called --format json"),
    ("axmem run MP.litmus --format jsno", "hint: did you mean 'json'"),
    ("axmem run MP.litmus -model llvm", "here it is called --model"),
    ("axmem run MP.litmus -unroll 3", "here it is called --bound"),
    ("axmem run MP.litmus -m llvm", "unknown option '-m'"),
    ("axmem run MP.litmus --timeout ten", "'ten' is not a positive number of seconds"),
    ("axmem run MP.litmus --threads 4", "here it is called --jobs"),
    ("axmem run MP.litmus --model amdgup", "did you mean 'amdgpu'"),
    ("axmem run MP.litmus --model llvm,amdgup", "did you mean 'amdgpu'"),
    ("axmem run MP.litmus --variant vis.instence=literal", "did you mean 'vis.instance'"),
    ("axmem run MP2.litmus", "did you mean 'MP.litmus'"),
    ("axmem run MP.litmsu", "did you mean 'MP.litmus'"),
    ("axmem run tets/MP.litmus", "there is no directory 'tets'"),
    ("axmem run SB", "did you mean '@corpus/"),
    ("axmem run @corpsu", "did you mean '@corpus'"),
    ("axmem run @classic", "did you mean '@corpus/classic'"),
    ("axmem examples corpus/clasic", "did you mean '@corpus/classic'"),
    ("axmem lower MP.litmus --target mi300", "mi300 is gfx942"),
    ("axmem lower MP.litmus --target 'Radeon RX 7900 XTX'", "is gfx1100"),
    ("axmem lower MP.litmus --mcpu gfx942", "here it is called --target"),
    ("axmem lower MP.litmus --target gfx94", "did you mean 'gfx942'"),
    ("axmem generate --family MPP", "did you mean 'MP"),
)
"""A command line, and what its message must say to lead on."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(ROOT / "litmus" / "examples" / "two-stores.litmus", tmp_path / "MP.litmus")
    shutil.copy(ROOT / "litmus" / "examples" / "causal.cat", tmp_path / "my.cat")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Return the exit code of a command line, and what it says on the standard error."""
    try:
        code = main(shlex.split(line)[1:])
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, capsys.readouterr().err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("line", "mend"), MISTAKES)
def test_a_mistake_leads_to_its_mend(line: str, mend: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, error = said(line, capsys)
    assert code == 2
    first, *others = error.splitlines()
    assert ": error: " in first, "the error comes first"
    assert mend in error and "usage:" not in error
    assert len(others) <= 4, "a few lines, which nobody has to search"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("words", [["help"], ["help", "run"]])
def test_help_is_a_word_too(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: axmem" + (" run" if len(words) > 1 else ""))


@pytest.mark.usefixtures("here")
def test_what_looks_like_an_option_and_is_none_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    code, error = said("axmem run -j1 --timeout=5 MP.litmus -- -strange.litmus", capsys)
    assert code == 2 and error.startswith("-strange.litmus: error: no such file")


@pytest.mark.usefixtures("here")
def test_models_are_listed_with_commas_and_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    answers = []
    other = "amdgpu[vis.tags=po,vis.instance=literal]"
    for line in (f"--model llvm,{other}", f"--model llvm --model {other}"):
        main(["run", "MP.litmus", *line.split()])
        answers.append(capsys.readouterr().out.rsplit(",", 1)[0])
    assert answers[0] == answers[1] and "llvm" in answers[0]
