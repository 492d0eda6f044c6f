"""`axmem refine BEFORE AFTER --map-iterations`: kernels that were changed by hand, instance by instance."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main

LOOP = """litmus before
global [4 x i32] D = 0
global F = 0
kernel K() {
entry:
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %n, %h ]
  %a = load atomic i32, F acquire
  %r = load atomic i32, D[%i] monotonic
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, 2
  br i1 %c, label %h, label %exit
exit:
  ret void
}
"""
BY_HAND = """litmus after
global [4 x i32] D = 0
global F = 0
kernel K() {{
{0}
}}
"""
SAME = ("a", "r", "b", "q")
LINES = {
    "a": "a = load atomic i32, F acquire",
    "b": "b = load atomic i32, F acquire",
    "r": "r = load atomic i32, D[0] monotonic",
    "q": "q = load atomic i32, D[1] monotonic",
}
MAP = "a = a[0]; b = a[1]; r = r[0]; q = r[2 * 1 - 1]"


def refined(folder: Path, order: str, entries: str, *options: str) -> int:
    before, after = folder / "before.litmus", folder / "after.litmus"
    before.write_text(LOOP, encoding="utf-8")
    after.write_text(BY_HAND.format("\n".join(LINES[k] for k in order)), encoding="utf-8")
    arguments = ["refine", str(before), str(after), "--map-iterations", entries, "--model", "llvm", *options]
    return main(arguments)


def test_an_unrolled_kernel_is_the_same(tmp_path: Path) -> None:
    assert refined(tmp_path, "arbq", MAP, "--context", "2") == 0


def test_a_read_that_goes_up_over_an_acquire_is_found(tmp_path: Path) -> None:
    """q goes up over b: it leaves what b acquires. Alone the kernel shows nothing of it."""
    assert refined(tmp_path, "arqb", MAP) == 0
    assert refined(tmp_path, "arqb", MAP, "--context", "2") == 1


def test_a_wrong_map_is_no_match(tmp_path: Path) -> None:
    """With the two loads of D exchanged a context of two stores tells them apart."""
    assert refined(tmp_path, "arbq", "a = a[0]; b = a[1]; r = r[1]; q = r[0]", "--context", "1") == 1


def test_a_map_may_be_a_file(tmp_path: Path) -> None:
    entries = tmp_path / "map"
    entries.write_text("# copies\n" + MAP.replace("; ", "\n") + "\n", encoding="utf-8")
    assert refined(tmp_path, "arbq", str(entries), "--context", "1") == 0


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("r = x[0]", "the kernel before the change has no register 'x'"),
        ("x = r[0]", "the kernel after the change has no register 'x'"),
        ("r = r", "'r' stands in 1 loops, and 0 iterations are given"),
        ("r = r[k]", "the kernel after the change has no register 'k'"),
        ("r = r[iteration(h)]", "the kernel after the change has no loop 'h'"),
        ("r = r[1 +]", "'1 +' is no number of an iteration"),
        ("r [0] = r", "a map of iterations is written AFTER = BEFORE[ITERATION, …]"),
        ("J: r = r[0]", "no kernel 'J' in both tests"),
    ],
)
def test_bad_maps(tmp_path: Path, entries: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refined(tmp_path, "arbq", entries) == 2
    assert said in capsys.readouterr().err
