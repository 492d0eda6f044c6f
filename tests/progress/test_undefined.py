"""Progress of modules of LLVM IR: flags that make poison, and promises of parameters that are broken.

What is expected follows from the texts: poison where an addition overflows; undefined behaviour where somebody writes
what another reads through a `noalias` parameter, or the other way round.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main

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
