"""What LLVM 22 made of a sample of loops with metadata, which is kept in a file, against our cases."""

from __future__ import annotations

import json
import lzma

import pytest

from tests.loopmd import FILE, __main__
from tests.loopmd.compare import from_record
from tests.loopmd.llvm import loops

RECORD = json.loads(lzma.decompress(FILE.read_bytes()))


@pytest.mark.parametrize("number", range(len(RECORD["blocks"])))
def test_recorded_loops(number: int) -> None:
    assert from_record(RECORD["blocks"][number]) == []


def test_the_sample_is_no_trifle() -> None:
    said = [each for block in RECORD["blocks"] for each in block["said"]]
    assert len(said) >= 150
    assert sum(len(each["warnings"]) for each in said) >= 50
    assert {word for each in said for words in each["done"] for word in words} >= {
        "unroll: full", "unroll: partial", "unroll: runtime", "vectorize: vectorized", "distribute", "jam",
    }  # fmt: skip


def test_what_is_different_is_said() -> None:
    block = dict(RECORD["blocks"][0])
    changed = [dict(each) for each in block["said"]]
    changed[0]["warnings"] = ["another warning"]
    block["said"] = changed
    (found,) = from_record(block)
    assert "warnings: LLVM ['another warning']" in found


def test_loops_are_read() -> None:
    text = """\
define void @f(i1 %c) {
entry:
  br label %h
h:                                                ; preds = %h, %entry
  br i1 %c, label %h, label %x, !llvm.loop !0
x:
  ret void
}
!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.unroll.count", i32 4}
!2 = !{!"llvm.loop.vectorize.followup_all", !3}
!3 = !{!"user", i1 true}
"""
    assert loops(text) == {"f": [("h", ["unroll.count=4", "vectorize.followup_all={user=1}"])]}


def test_without_llvm_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    assert __main__.main([]) == 2
    assert "install the Debian package llvm-22" in capsys.readouterr().err
