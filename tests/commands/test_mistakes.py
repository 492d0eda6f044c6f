"""Mistakes that people make on a command line: what is said leads to the mend, the error comes first."""

from __future__ import annotations

import re
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
    ("axmem help rnu", "did you mean 'run'"),
    ("axmem list", "here it is called 'examples'"),
    ("axmem diy7 PodWR", "here it is called 'generate'"),
    ("axmem kernel", "uniform, conv, progress"),
    ("axmem kernel nosense MP.litmus", "one of uniform, conv, progress"),
    ("axmem doc tables MP.litmus", "did you mean 'table'"),
    ("axmem run my.cat", "axmem check FILE.cat"),
    ("axmem run empty.litmus", "this file is empty; a test begins with 'litmus NAME'"),
    ("axmem run binary.litmus", "this file is not UTF-8"),
    ("axmem run folder", "no *.litmus file in this directory"),
    ("axmem run '*.lit'", "a directory stands for all tests in it"),
    ("axmem run mp.litmus", "did you mean 'MP.litmus'"),
    ("axmem run https://example.org/MP.litmus", "save it as one"),
    ("axmem run MP.litmus --model llvm amdgpu", "--model amdgpu"),
    ("axmem run llvm MP.litmus", "--model llvm"),
    ("axmem run MP.litmus gfx942", "--target gfx942"),
    ("axmem run MP.litmus --model x86", "the model is 'tso'"),
    ("axmem run MP.litmus --model gfx942", "the model is 'amdgpu'"),
    ("axmem run MP.litmus --model my", "--model my.cat"),
    ("axmem run MP.litmus --model my.cta", "did you mean 'my.cat'"),
    ("axmem run MP.litmus --model amdgpu[vis.instance=literl]", "known: fixed, literal"),
    ("axmem run MP.litmus --variant vis.instance", "a variant is set by NAME=VALUE"),
    ("axmem run MP.litmus --timeout 5m", "hint: write 300"),
    ("axmem run MP.litmus --memory 4G", "hint: write 4096"),
    ("axmem run MP.litmus -o nofolder/out.txt", "there is no directory 'nofolder'"),
    ("axmem run MP.litmus -o MP.litmus", "name another file"),
    ("axmem run MP.litmus --target gfx942", "it is an option of axmem lower, verify"),
    ("axmem run MP.litmus --quiet", "> /dev/null"),
    ("axmem run MP.litmus --verbose", "axmem -v"),
    ("axmem run MP.litmus --no-color", "here it is called --color never"),
    ("axmem run MP.litmus --compare --models llvm", "--models llvm,amdgpu"),
    ("axmem run MP.litmus --from herd7", "did you mean 'herd-c'"),
    ("axmem explain MP.litmus --outcom P0:r0=1", "did you mean '--outcome'"),
    ("axmem fmt MP.litmus --to c", "here it is called 'herd-c'"),
    ("axmem fmt -w MP.litmus", "here it is called --in-place"),
    ("axmem doc page MP.litmus --format md", "here it is called 'markdown'"),
    ("axmem lower MP.litmus --to llvm-ir", "it is an option of axmem fmt"),
    ("axmem lower MP.litmus --target sm_80", "axmem run --model ptx"),
    ("axmem lower MP.litmus", "--target gfx942"),
    ("axmem verify MP.litmus --target gfx942 --llc llc-99", "such as llc-22"),
    ("axmem refine MP.litmus", "axmem refine BEFORE.litmus AFTER.litmus"),
    ("axmem refine --passes gvn", "it is an option of axmem passes"),
    ("axmem passes gvn", "axmem passes --passes instcombine --all"),
    ("axmem kernel uniform queue.ll --function nosuch", "there are weight, push, pop"),
    ("axmem models amdgpu llvm", "for example: axmem models"),
    ("axmem diff llvm", "for example: axmem diff llvm"),
    ("axmem generate", "for example: axmem generate 'Rel.ag Rfe"),
    ("axmem prove nosuch", "axmem prove --list"),
    ("axmem examples nosuch", "axmem examples lists what comes with axmem"),
)
"""A command line, and what its message must say to lead on."""
SETTINGS = (
    ("axmem.toml", "timeot = 3", "axmem.toml:1:1: error: there is no setting 'timeot'", "did you mean 'timeout'"),
    ("pyproject.toml", "[tool.axmem]\nmodel = ['llvm']", "pyproject.toml:2:1: error: ", "did you mean 'models'"),
    ("axmem.toml", "models = ['llmv']", "axmem.toml:1:1: error: unknown model 'llmv'", "did you mean 'llvm'"),
    ("axmem.toml", "timeout = '5m'", "axmem.toml:1:1: error: ", "'timeout' is to be a number of seconds"),
    ("axmem.toml", "models = 'llvm'", "axmem.toml:1:1: error: ", "'models' is to be a list of names of models"),
)
"""A file of settings, its text, how the message begins, and what it must say to lead on."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(ROOT / "litmus" / "examples" / "two-stores.litmus", tmp_path / "MP.litmus")
    shutil.copy(ROOT / "litmus" / "examples" / "causal.cat", tmp_path / "my.cat")
    shutil.copy(ROOT / "litmus" / "examples" / "queue.ll", tmp_path / "queue.ll")
    (tmp_path / "empty.litmus").touch()
    (tmp_path / "binary.litmus").write_bytes(b"\x7fELF\xff\xfe")
    (tmp_path / "folder").mkdir()
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
    first, *others = [line for line in error.splitlines() if not re.match(r"\d+ (test|file)s?, ", line)]
    assert ": error: " in first, "the error comes first"
    assert mend in error and "usage:" not in error
    assert len(others) <= 4, "a few lines, which nobody has to search"


@pytest.mark.parametrize(("name", "text", "begun", "mend"), SETTINGS)
def test_a_mistake_in_settings_is_shown_there(
    name: str, text: str, begun: str, mend: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / name).write_text(f"{text}\n", encoding="utf-8")
    code, error = said("axmem run MP.litmus", capsys)
    assert code == 2 and error.startswith(begun) and mend in error


@pytest.mark.usefixtures("here")
def test_a_source_without_its_clang_leads_to_one(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "k.hip").write_text("__global__ void k(int *x) { *x = 1; }\n", encoding="utf-8")
    monkeypatch.setenv("AXMEM_CLANG", "clang-99")
    code, error = said("axmem run k.hip", capsys)
    assert code == 2 and "such as clang-22" in error


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
