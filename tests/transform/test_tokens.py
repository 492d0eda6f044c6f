"""Kernels with convergence tokens, transformed: the block of a heart stays; errors in an output are shown there."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main
from axmem.convergence.kernels import checked
from axmem.litmus.parser import parse
from axmem.transform import rewrite
from tests.transform.tokens import compared

ANCHORED = """\
litmus heart
global <4 x i64> x = 0
kernel K() lanes 2 {
entry:
  %t = call token @llvm.experimental.convergence.anchor()
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %j, %h ]
  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %b = call i64 @llvm.amdgcn.ballot.i64(i1 true) [ "convergencectrl"(token %l) ]
  store i64 %b, x[%i]
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, 4
  br i1 %c, label %h, label %x, !llvm.loop !0
x:
  ret void
}
!0 = distinct !{!0, !{!"llvm.loop.unroll.full"}}
exists (x[0]=3)
"""
WAYS = [("--apply", "unroll(h)"), ("--metadata", "--pipeline", "unroll-full")]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("between", ["", "  br label %pre\npre:\n"])
def test_the_block_of_a_heart_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], way: tuple[str, ...], between: str
) -> None:
    """[ConvergentOperations]: no convergent operation stands before the heart in its block; LLVM 22 keeps the block."""
    path = tmp_path / "t.litmus"
    text = ANCHORED.replace("  br label %h\nh:", f"{between}  br label %h\nh:", 1)
    path.write_text(text.replace("%entry ],", "%pre ],") if between else text)
    assert main(["transform", str(path), *way]) == 0
    after = parse(capsys.readouterr().out, "after")
    (kernel,) = after.kernels
    assert checked(kernel, after)
    assert main(["transform", str(path), *way, "--check", "--events", "0", "--model", "llvm"]) == 0


def test_an_error_in_an_output_points_into_the_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rewrite, "_is_heart", lambda statement: False)
    path = tmp_path / "t.litmus"
    path.write_text(ANCHORED)
    for more in ((), ("--check", "--events", "0", "--model", "llvm")):
        assert main(["transform", str(path), "--apply", "unroll(h)", *more]) == 2
        message = capsys.readouterr().err
        assert "t.litmus after unroll(h):8:3: error: Loop intrinsic cannot be preceded" in message


def test_an_error_in_the_input_points_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.litmus"
    path.write_text(ANCHORED.replace(' [ "convergencectrl"(token %l) ]', ""))
    assert main(["transform", str(path), "--apply", "unroll(h)"]) == 2
    assert "t.litmus:10:" in capsys.readouterr().err


def test_random_kernels_with_tokens() -> None:
    """`make oracle` takes more, and has LLVM's verifier look at them."""
    found = [compared(seed) for seed in range(60)]
    assert sum(len(each.done) for each in found) > 60
    assert [word for each in found for word in each.wrong] == []
