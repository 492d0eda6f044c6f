"""`axmem kernel transform` says which promises of parallel accesses a changed LoopID has lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main

TEXT = """litmus lost
global <8 x i32> a
kernel K() {
entry:
  br h
h:
  i = phi [ 0, entry ], [ j, h ]
  store i, a[i], !llvm.access.group !4, !llvm.mem.parallel_loop_access !0
  j = i + 1
  c = j < 4
  br c, h, e, !llvm.loop !0
e:
  ret void
}
!0 = distinct !{!0, !{!"llvm.loop.parallel_accesses", !4}}
!4 = distinct !{}
"""


def test_the_old_form_names_a_loop_that_is_no_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A vectorized loop has the attribute `isvectorized`, so another LoopID, and lists the group as before."""
    path = tmp_path / "lost.litmus"
    path.write_text(TEXT)
    assert main(["transform", str(path), "--apply", "vectorize(h, 2)"]) == 0
    said = capsys.readouterr().err
    assert said.startswith(
        f"{path}:8:3: warning: afterwards !llvm.mem.parallel_loop_access names !0, and no loop around this access has"
    )
    assert said.count("warning") == 1
    path.write_text(TEXT.replace(", !llvm.mem.parallel_loop_access !0", ""))
    assert main(["transform", str(path), "--apply", "vectorize(h, 2)"]) == 0
    assert capsys.readouterr().err == ""
