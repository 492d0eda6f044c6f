"""What a counterexample says of events: every letter stands in the listing of the functions or of the context."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.explanations.explanation import explain
from axmem.formats.reading import parse
from axmem.report.listing_of_change import letters_of
from axmem.report.sentences import forbidden

LETTER = re.compile(r"(?<![\w@%])([A-Z]\d*)(?![\w])")
COPY = """define void @src(ptr noalias %d, ptr noalias %s) {
  call void @llvm.memset.p0.i64(ptr align 4 %d, i8 0, i64 4, i1 BEFORE)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %d, ptr align 4 %s, i64 4, i1 false)
  ret void
}
define void @tgt(ptr noalias %d, ptr noalias %s) {
AFTER
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
SET = "  call void @llvm.memset.p0.i64(ptr align 4 %d, i8 0, i64 4, i1 false)"
MOVE = "  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %d, ptr align 4 %s, i64 4, i1 false)"
FENCE = """litmus Fence
global x = 0, y = 0
thread F { A: store atomic 1, y monotonic
  B: fence seq_cst
  C: r0 = load atomic x monotonic
  D: fence acquire
}
thread C0 { E: store atomic 3, x seq_cst
  G: store atomic 4, y seq_cst
}
exists (F:r0=0 /\\ x=3 /\\ y=1)
"""
"""What a load before an acquire fence keeps a function from, in a context of two stores."""


def printed(text: str, context: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """Return what is listed of a counterexample, and what is said of it."""
    path = folder / "change.ll"
    path.write_text(text, encoding="utf-8")
    main(["refine", str(path), "--model", "llvm", "--context", str(context)])
    listed, _, said = capsys.readouterr().out.rpartition("\n  + ")
    assert said
    return listed, said


@pytest.mark.parametrize(
    ("text", "context"),
    [
        (COPY.replace("BEFORE", "true").replace("AFTER", MOVE), 0),
        (COPY.replace("BEFORE", "false").replace("AFTER", SET), 1),
        (COPY.replace("BEFORE", "false").replace("AFTER", f"{MOVE}\n{SET}"), 1),
    ],
)
def test_every_letter_is_in_the_listing(
    text: str, context: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed, said = printed(text, context, tmp_path, capsys)
    assert set(LETTER.findall(said)) <= set(LETTER.findall(listed))


def test_the_deciding_rule_is_named_and_not_a_trivial_candidate() -> None:
    """That the final value would be one that is overwritten is no reason, where the order of seq_cst is."""
    said = forbidden(explain(parse(FENCE), "llvm"))
    assert said.startswith("A —po→ B —po→ C —fr→ E —po→ G —mo→ A; sequential-consistency: ")


def test_the_letters_of_a_line() -> None:
    assert letters_of(["A"]) == "A"
    assert letters_of(["A", "B", ""]) == "A,B"
    assert letters_of(["A", "B", "C", "D"]) == "A-D"
