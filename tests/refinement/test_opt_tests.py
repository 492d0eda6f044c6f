"""`axmem refine --opt-tests`: functions before and after what RUN lines of opt do to them.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
import stat
import sys
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import Any

import pytest

from axmem.check.run.jobs import Workers
from axmem.cli import main
from axmem.formats.ir.pairs import function_pairs
from axmem.formats.opt_lines import opt_runs
from axmem.front.source import Source
from axmem.front.typing import override
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.functions import JudgedPair, judged_pair
from axmem.refinement.judging import Judgement
from axmem.refinement.kept_findings import store_of
from axmem.refinement.opt_tests import Answer, Asked, answers, files
from tests.drawn import in_full

FAKE = f"""#!{sys.executable}
import sys
text = sys.stdin.read()
if "--version" in sys.argv:
    text = "LLVM version 99"
elif "-passes=fail" in sys.argv:
    sys.exit("opt: error: no such pass")
elif "-passes=swap" in sys.argv:
    text = text.replace("side BEFORE", "side AFTER")
side = "AFTER" if "side AFTER" in text else "BEFORE"
lines = text.split("\\n")
sys.stdout.write("\\n".join(line for line in lines if "only " not in line or "only " + side in line))
"""
"""An opt that keeps of the lines with `only` those of one side."""
MODULE = """; RUN: opt -passes=swap -S %s | FileCheck %s
; RUN: opt < %s -passes=swap -S 2>&1 | FileCheck %s
; RUN: opt -passes=fail -S %s | FileCheck %s
; RUN: llc < %s
; side BEFORE
define void @wrong(ptr %p) {
  store atomic i32 1, ptr %p release, align 4   ; only BEFORE
  fence seq_cst
  ret void
}
define void @right(ptr %p) {
  store i32 1, ptr %p   ; only BEFORE
  store i32 2, ptr %p
  fence seq_cst
  ret void
}
define void @same(ptr %p) {
  store volatile i32 1, ptr %p
  ret void
}
define void @refused(ptr %p) {
  store atomic i128 1, ptr %p release, align 16   ; only BEFORE
  store atomic i24 1, ptr %p release, align 4   ; only AFTER
  ret void
}
define void @plain(ptr %p) {
  store i32 1, ptr %p   ; only BEFORE
  ret void
}
"""


@pytest.fixture
def llvm(tmp_path: Path) -> tuple[str, str]:
    """Return a directory of one test, and an opt."""
    opt = tmp_path / "opt"
    opt.write_text(FAKE)
    opt.chmod(opt.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "atomic.ll").write_text(MODULE)
    return str(tmp_path / "tests"), str(opt)


def refine(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["refine", *words])
    return code, capsys.readouterr().out


def test_functions_are_judged_by_what_opt_makes_of_them(
    llvm: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Both runs of one pass leave a function alike, so that it is judged once; what is kept is not judged again."""
    folder, opt = llvm
    words = ("--opt-tests", folder, "--opt", opt, "--context", "1", "--run", str(tmp_path / "kept"), "--format")
    code, out = refine(capsys, *words, "json")
    found = json.loads(out)["refinements"]
    answers = {each["function"]: each for each in found if "function" in each}
    assert {name: each["verdict"] for name, each in answers.items()} == {
        "wrong": "unsound", "right": "sound", "same": "unchanged", "refused": "refused",
    }  # fmt: skip
    assert (code, len(answers["wrong"]["runs"]), answers["wrong"]["context"]) == (1, 2, 0)
    assert "i24" in answers["refused"]["reasons"][0]
    assert [each["reason"] for each in found if "function" not in each] == ["opt: error: no such pass"]
    assert refine(capsys, *words, "json") == (code, out)
    code, page = refine(capsys, *words, "markdown")
    assert "| 4 | functions |" in page and "| `atomic.ll` @wrong | `opt -passes=swap` | llvm |" in page


def test_tests_are_written_with_what_is_known_above_each_function(
    llvm: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Also in their own place, as often as one likes."""
    folder, opt = llvm
    test = Path(folder, "atomic.ll")
    for target in (tmp_path / "there", folder):
        for _ in range(2):
            refine(capsys, "--opt-tests", folder, "--opt", opt, "--context", "1", "--annotate", str(target))
            lines = Path(target, "atomic.ll").read_text().split("\n")
            above = [each for each in lines if each.startswith("; AXMEM-REFINE:")]
            assert "; AXMEM-REFINE: llvm: sound in every context (opt -passes=swap)" in above
            assert lines[lines.index(above[-1]) + 1].startswith("define void @refused")
            assert [each for each in lines if each not in above] == MODULE.split("\n") and len(set(above)) == len(above)
    assert test.read_text() != MODULE
    (tmp_path / "file").write_text("")
    assert main(["refine", "--opt-tests", folder, "--opt", opt, "--annotate", str(tmp_path / "file")]) == 2
    assert "--annotate" in capsys.readouterr().err


def test_a_line_for_each_change_and_tables(llvm: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    folder, opt = llvm
    _, out = refine(capsys, "--opt-tests", folder, "--opt", opt, "--context", "1", "--every")
    lines = out.split("\n")
    assert "atomic.ll:11: @right  llvm  sound in every context" in lines
    assert "atomic.ll:26: @plain  llvm  unsound in a context of 0 operations" in lines
    assert "  5  functions" in lines and "  4  read, before and after every run" in lines


@in_full
def test_workers_give_the_same_answers_in_the_same_order(
    llvm: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What either keeps the other does not ask again, and keeps to the byte."""
    folder, opt = llvm
    words = ("--opt-tests", folder, "--opt", opt, "--context", "1")
    alone = refine(capsys, *words)
    kept = tmp_path / "kept"
    assert refine(capsys, *words, "--jobs", "2", "--run", str(kept)) == alone
    entries = {path: path.read_text() for path in kept.glob("answers/*/*.json")}
    assert len(entries) == 3, "an answer that is refused is kept, too"
    assert refine(capsys, *words, "--run", str(kept)) == alone
    assert {path: path.read_text() for path in kept.glob("answers/*/*.json")} == entries


def test_an_interrupted_run_keeps_what_it_has(llvm: tuple[str, str], tmp_path: Path) -> None:
    folder, opt = llvm
    store = store_of(str(tmp_path / "kept"))
    asked = Asked(opt, (ModelChoice("llvm"),), 0, None)
    coming = answers(files([folder]), asked, store=store)
    assert next(each for each in coming if isinstance(each, Answer) and each.model).function == "wrong"
    del coming
    assert len([*tmp_path.glob("kept/answers/*/*.json")]) == 1


def test_a_function_whose_worker_dies_is_unknown(llvm: tuple[str, str]) -> None:
    folder, opt = llvm
    asked = Asked(opt, (ModelChoice("llvm"),), 0, None)
    found = list(answers(files([folder]), asked, Workers(Gone(), 1)))
    verdicts = {each.function: (each.verdict, each.model, each.reasons) for each in found if isinstance(each, Answer)}
    lost = "unknown", "llvm", ("the worker died",)
    assert verdicts == {"wrong": lost, "right": lost, "refused": lost, "same": ("unchanged", "", ())}


class Gone(Executor):
    """Workers all of which die."""

    @override
    def submit(self, *_: object, **__: object) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor())
        return future


@pytest.mark.parametrize(("triple", "models"), [("", ["llvm"]), ("x86_64-unknown-linux-gnu", ["llvm"]),
                                                ("amdgcn-amd-amdhsa", ["llvm", "amdgpu"])])  # fmt: skip
def test_the_models_are_those_of_the_triple(
    triple: str, models: list[str], llvm: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, opt = llvm
    Path(folder, "atomic.ll").write_text(f'target triple = "{triple}"\n{MODULE}')
    monkeypatch.setattr("axmem.refinement.timed.judged_pair", unknown)
    asked = Asked(opt, (), 0, None)
    found = [each for each in answers(files([folder]), asked) if isinstance(each, Answer)]
    assert [each.model for each in found if each.function == "right"] == models


def unknown(*_: object) -> JudgedPair:
    return JudgedPair(Judgement("f", "f", "", "unknown"))


@pytest.mark.parametrize(("words", "message"), [
    (["--opt-tests", "/no/such/folder", "--opt", sys.executable], "there is no such directory"),
    (["--opt-tests", ".", "--opt", "/no/opt"], "there is no program '/no/opt'"),
    (["a.litmus", "b.litmus", "--format", "markdown"], "--format is of --opt-tests here"),
    (["a.litmus", "b.litmus", "--run", "kept"], "--run is of --opt-tests here"),
])  # fmt: skip
def test_what_is_wrong_with_the_options_is_said(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["refine", *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("line", "shown"), [
    ("opt -passes=dse -S %s | FileCheck %s", "opt -passes=dse"),
    ("opt < %s -passes='gvn,dse' -S -o - 2>&1 | FileCheck %s", "opt -passes=gvn,dse"),
    ("opt -S -passes=a %s | opt -S -passes=b | FileCheck %s", "opt -passes=a | opt -passes=b"),
    ("opt -passes=dse %s -o %t", "a run of opt that reads or writes other files"),
    ("opt -passes=dse -disable-output %s", "a run of opt that writes no module"),
    ("not opt %s", "a run of another program"), ("llc %s | opt -S", "a run of another program"),
])  # fmt: skip
def test_run_lines_of_opt(line: str, shown: str) -> None:
    found, others = opt_runs(Source("t.ll", f"; RUN: {line}\n"))
    assert [*(each.shown for each in found), *others] == [shown]


@pytest.mark.parametrize(("seconds", "reason"), [(0.0, "the time is over: 0 s"), (60.0, "internal error: TypeError")])
def test_what_goes_wrong_in_one_function_does_not_end_the_run(
    seconds: float, reason: str, llvm: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What fails when its time is over is late: exceptions out of the blue may make anything fail."""

    def failing(*_: object) -> None:
        raise TypeError("x")

    monkeypatch.setattr("axmem.refinement.timed.judged_pair", failing)
    folder, opt = llvm
    asked = Asked(opt, (ModelChoice("llvm"),), 0, seconds)
    found = [each for each in answers(files([folder]), asked) if isinstance(each, Answer) and each.model]
    assert {each.function for each in found} == {"wrong", "right", "refused"}
    assert all(each.verdict == "unknown" and each.reasons[0].startswith(reason) for each in found)


def test_a_pair_of_which_neither_answer_would_count_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("axmem.refinement.functions.judged")
    text = """declare void @g()
define void @src(ptr %p) {
  store atomic i32 1, ptr %p release, align 4
  ret void
}
define void @tgt(ptr %p) {
  call void @g()
  ret void
}
"""
    (pair,) = function_pairs(Source("t.ll", text))
    found = judged_pair(pair, ModelChoice("llvm")).judgement
    assert (found.verdict, found.reasons) == ("unknown", ("calls of @g() are others, or another number",))
