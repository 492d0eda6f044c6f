"""`axmem refine BEFORE AFTER --map-iterations`: kernels that were changed by hand, instance by instance.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main
from tests.drawn import in_full

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
    arguments = [
        "refine",
        str(before),
        str(after),
        "--map-iterations",
        entries,
        "--model",
        "llvm",
        "--bounded",
        "0",
        *options,
    ]
    return main(arguments)


@in_full
def test_an_unrolled_kernel_is_the_same(tmp_path: Path) -> None:
    assert refined(tmp_path, "arbq", MAP, "--context", "2") == 0


def test_a_read_that_goes_up_over_an_acquire_is_found(tmp_path: Path) -> None:
    """q goes up over b: it leaves what b acquires. Alone the kernel shows nothing of it."""
    assert refined(tmp_path, "arqb", MAP, "--context", "0") == 0
    assert refined(tmp_path, "arqb", MAP, "--context", "2") == 1


def test_a_wrong_map_is_no_match(tmp_path: Path) -> None:
    """With the two loads of D exchanged a context of two stores tells them apart."""
    assert refined(tmp_path, "arbq", "a = a[0]; b = a[1]; r = r[1]; q = r[0]", "--context", "1") == 1


@in_full
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


STORED = """litmus stored
global d = 0
kernel K() {
  r = load d
  store 1, d
}
"""


def changed(folder: Path, after: str, *options: str) -> int:
    (folder / "before.litmus").write_text(STORED, encoding="utf-8")
    (folder / "after.litmus").write_text(after, encoding="utf-8")
    tests = [str(folder / "before.litmus"), str(folder / "after.litmus")]
    return main(["refine", *tests, "--map-iterations", "r = r[]", "--model", "llvm", "--bounded", "0", *options])


@pytest.mark.parametrize(("value", "code"), [("1", 0), ("2", 1), ("undef", 1)])
def test_another_value_that_is_stored_is_another_outcome(value: str, code: int, tmp_path: Path) -> None:
    """Memory holds it at last, and others may read it."""
    after = STORED.replace("store 1", f"store {value}")
    assert changed(tmp_path, after) == code
    assert changed(tmp_path, after, "--context", "1") == code


@pytest.mark.parametrize("memory", ["d = 1", "d = 0, e = 0", "i64 d = 0"])
def test_memory_is_the_same_before_and_after(memory: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert changed(tmp_path, STORED.replace("d = 0", memory)) == 2
    assert "is not the same memory before and after the change" in capsys.readouterr().err
