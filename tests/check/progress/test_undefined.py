"""Progress of modules of LLVM IR: flags that make poison, and promises of parameters that are broken.

What is expected follows from the texts: poison where an addition overflows; undefined behaviour where somebody writes
what another reads through a `noalias` parameter, or the other way round.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axmem.check.progress.answers import guarded, progress
from axmem.check.progress.models import Progress, Verdict
from axmem.cli import main
from axmem.commands.pages.progress import lines
from axmem.formats.reading import parse
from tests.check.test_noalias import HANDED, OF_HANDED

SHAPE = "2 workgroups × 1 wave × 1 lane"
ENDLESS = (Progress.OBE, Progress.UNFAIR)
"""Under which the second workgroup may wait for the first, which never begins."""

COUNTED = """; axmem: kernel @k(@x) workgroups 1
@x = addrspace(1) global [4 x i32] zeroinitializer
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %n = add FLAGS i32 %g, NUMBER
  %at = zext nneg i32 %n to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %at
  store i32 1, ptr addrspace(1) %q, align 4
  %c = icmp slt i32 %n, 2
  br i1 %c, label %x, label %w
w:
  br label %w
x:
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
"""


@pytest.mark.parametrize(
    ("flags", "number", "verdict"),
    [("nsw", "1", "ends"), ("nsw", "2", "does not end"), ("", "1", "ends"), ("nuw nsw", "-1", "does not end")],
)
def test_flags_that_make_poison_are_followed(
    flags: str, number: str, verdict: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is poison is undef, and an access through it undefined behaviour; -1 is not nneg."""
    path = tmp_path / "k.ll"
    path.write_text(COUNTED.replace("FLAGS", flags).replace("NUMBER", number))
    assert main(["progress", str(path)]) == (verdict != "ends")
    said = capsys.readouterr().out
    assert f" {verdict} under fair" in said
    assert ("undef address" in said) == (number == "-1")
    assert main(["uniform", str(path)]) == 0


@pytest.mark.parametrize("model", Progress)
def test_a_broken_promise_is_said_before_anything_else(model: Progress) -> None:
    test = parse(HANDED, "scan.ll")
    (answer,) = guarded(test, progress(test, [model]))
    assert answer.races is not None and set(answer.races.undefined) == set(OF_HANDED)
    first, second, third, *_ = lines(test, answer)
    assert {first, second} == {f"scan (scan: {SHAPE}) has undefined behaviour: {each}" for each in OF_HANDED}
    assert third.startswith(f"scan (scan: {SHAPE}) does not end under {model.value}: an execution ")
    assert answer.verdict is Verdict.ENDLESS
    # Who need not end without it has his schedule.
    assert (answer.schedule is not None) == (model in ENDLESS)


def test_without_the_promise_it_ends() -> None:
    """The control: release and acquire order what is handed over."""
    test = parse(HANDED.replace("noalias ", ""), "scan.ll")
    (answer,) = guarded(test, progress(test, [Progress.FAIR]))
    assert answer.verdict is Verdict.ENDS and answer.races is not None
    assert (answer.races.pair, answer.races.undefined) == (None, ())


def test_the_command_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scan.ll"
    path.write_text(HANDED)
    for options in ([], ["--memory", "amdgpu"]):
        assert main(["progress", str(path), *options, "--format", "json"]) == 1
        (answer,) = json.loads(capsys.readouterr().out)["answers"]
        said = answer["undefined"] if options else answer["races"]["undefined"]
        assert answer["verdict"] == "does not end" and set(said) == set(OF_HANDED)
