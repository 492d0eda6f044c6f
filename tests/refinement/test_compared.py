"""What is compared of a change: what is returned, memory at last, every register, and nothing that is not executed.

Each case is a pair that a closed program, or one of a few operations more, tells apart, or that nobody can.
`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from axmem.cli import main
from tests.drawn import in_full, some

HEAD = "litmus {}\nglobal x = 0, y = 0, f = 0\nthread P0 @ agent 0, workgroup 0 {{\n{}\n}}\nexists (true)\n"


def refined(folder: Path, before: str, after: str, *options: str) -> int:
    """Return the exit code of `axmem refine` on two threads, whose statements are separated by semicolons."""
    paths = []
    for name, body in (("before", before), ("after", after)):
        paths.append(str(folder / f"{name}.litmus"))
        Path(paths[-1]).write_text(HEAD.format(name, body.replace("; ", "\n")), encoding="utf-8")
    return main(["refine", *paths, *options, *BOUNDED * ("--context" in options)])


IN_CONTEXT = ("--context",)
BOUNDED = ("--bounded", "0")
"""No counterexample is as good as sound here, however small the contexts are."""
CLOSED = ("--closed",)
SOUND, UNSOUND = 0, 1


IN_CONTEXTS = [
    # What stays in memory at last is compared, whether or not a store comes or goes.
    ("store 1, x; store 2, x", "store 2, x; store 1, x", 0, UNSOUND),
    ("store 1, x; store 2, x", "store 2, x", 1, SOUND),
    # Registers that hold one read before and two after: a store between the two tells.
    ("a = load atomic x monotonic; b = a", "a = load atomic x monotonic; b = load atomic x monotonic", 1, UNSOUND),
    ("a = load atomic x monotonic; b = load atomic x monotonic", "a = load atomic x monotonic; b = a", 1, SOUND),
    # A load that becomes a number: a store in its own thread before it tells.
    ("a = load x", "a = 5", 1, UNSOUND),
    ("a = load atomic x monotonic", "a = 0", 1, UNSOUND),
    # What is computed of the same reads is the same; of others it is not.
    ("a = load x; c = a + 1; store c, y", "a = load x; c = a + 1; store c, y", 1, SOUND),
    ("a = load x; c = a + 1; store c, y", "a = load x; c = a + 2; store c, y", 1, UNSOUND),
    ("a = load x; c = a + 1; store c, y", "a = load x; c = 1 + a; store a, y", 0, UNSOUND),
    ("a = load x; store a, y; b = load y", "a = load x; store a, y; b = a", 1, SOUND),
    # Operations that go; two fences, which access nothing.
    ("a = atomicrmw add x, 1 monotonic", "b = 0", 0, UNSOUND),
    ("fence seq_cst; fence seq_cst", "fence seq_cst", 1, SOUND),
    ("fence seq_cst", "fence acquire", 1, UNSOUND),
]


@pytest.mark.parametrize(("case", "model"), some([*product(IN_CONTEXTS, ("llvm", "amdgpu"))], of=9))
def test_in_contexts(case: tuple[str, str, int, int], model: str, tmp_path: Path) -> None:
    before, after, context, code = case
    assert refined(tmp_path, before, after, *IN_CONTEXT, str(context), "--model", model) == code


@in_full
def test_a_value_that_depends_on_a_read_is_asked_about_in_the_whole_space(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who acquires the flag sees what was stored before: a store of a computed number leaves what is released."""
    first = 'a = load y; c = a + 1; store c, x; store atomic 1, f syncscope("agent") release'
    second = 'a = load y; c = a + 1; store atomic 1, f syncscope("agent") release; store c, x'
    assert refined(tmp_path, first, first, *IN_CONTEXT, "2") == SOUND
    assert refined(tmp_path, first, second, *IN_CONTEXT, "2", "--model", "amdgpu") == UNSOUND
    out = capsys.readouterr().out
    assert "unsound in a context of 2 operations" in out
    assert refined(tmp_path, second, first, *IN_CONTEXT, "1") == SOUND
    assert "if contexts have none" not in capsys.readouterr().out


def test_a_row_behind_a_branch_is_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "c = load atomic f monotonic; if c == 1 {; {0}store 1, x; {1}}"
    first, second = (text.replace("{0}", a).replace("{1}", b) for a, b in (("store 2, y; ", ""), ("", "store 2, y; ")))
    assert refined(tmp_path, first, second, *IN_CONTEXT, "1", "--model", "llvm") == SOUND
    line = capsys.readouterr().out.splitlines()[0]
    assert (
        line.startswith("before -> after  llvm  if contexts have none of dependencies") and ": sound in every" in line
    )


SPECULATED = "c = load atomic f monotonic; if c == 1 {; a = load x; r = a; }"


@pytest.mark.parametrize("options", some([CLOSED, (*IN_CONTEXT, "1")], of=2), ids=" ".join)
def test_a_register_of_an_arm_that_is_not_taken_is_nobodys(options: tuple[str, ...], tmp_path: Path) -> None:
    """A load may be executed where it was not: what it reads there nobody uses."""
    after = "c = load atomic f monotonic; a = load x; if c == 1 {; r = a; }"
    assert refined(tmp_path, SPECULATED, after, *options) == SOUND
    assert refined(tmp_path, SPECULATED, after.replace("a = load", "r = 1; a = load"), *options) == SOUND
    assert refined(tmp_path, SPECULATED.replace("if", "r = 0; if"), f"r = 1; {SPECULATED}", *options) == UNSOUND


FUNCTION = """; axmem: thread P0 = @f()
@x = protected addrspace(1) global i32 0, align 4
define i32 @f() {
  %a = load atomic i32, ptr addrspace(1) @x monotonic, align 4
  ret i32 %a
}
"""


@pytest.mark.parametrize(("returned", "code"), [("%a", SOUND), ("0", UNSOUND), ("7", UNSOUND)])
def test_what_a_function_returns_is_compared(returned: str, code: int, tmp_path: Path) -> None:
    """0 is what the load may return, unless its thread has stored something else before."""
    text = FUNCTION.replace("%a", "%b") if returned == "0" else FUNCTION
    paths = [tmp_path / "before.ll", tmp_path / "after.ll"]
    paths[0].write_text(FUNCTION, encoding="utf-8")
    paths[1].write_text(text.replace("ret i32 %b" if returned == "0" else "ret i32 %a", f"ret i32 {returned}"), "utf-8")
    assert main(["refine", *map(str, paths), *IN_CONTEXT, "1", *BOUNDED]) == code


@pytest.mark.parametrize("options", [CLOSED, (*IN_CONTEXT, "1")], ids=["closed", "in contexts"])
def test_a_result_that_is_gone_is_refused(
    options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / "before.ll", tmp_path / "after.ll"]
    paths[0].write_text(FUNCTION, encoding="utf-8")
    paths[1].write_text(FUNCTION.replace("i32 @f", "void @f").replace("ret i32 %a", "ret void"), encoding="utf-8")
    assert main(["refine", *map(str, paths), *options]) == 2
    assert "compared" in capsys.readouterr().err


def test_memory_that_only_one_test_writes_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = tmp_path / "a.litmus", tmp_path / "b.litmus"
    before.write_text(HEAD.format("a", "store 1, x\nstore 1, y"), encoding="utf-8")
    after.write_text(HEAD.format("b", "store 1, x").replace(", y = 0", ""), encoding="utf-8")
    assert main(["refine", str(before), str(after), "--closed"]) == 2
    assert "nothing in 'b' stands for y, memory that is written" in capsys.readouterr().err


def test_a_closed_comparison_names_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A load moves up over an acquire: nobody else runs, so that nothing can be seen of it. In contexts it is."""
    before, after = "a = load atomic f acquire; b = load x", "b = load x; a = load atomic f acquire"
    assert refined(tmp_path, before, after, *CLOSED) == SOUND
    assert capsys.readouterr().out.startswith("before -> after  amdgpu  sound if no other thread runs\n")
    assert refined(tmp_path, before, after, *IN_CONTEXT, "2") == UNSOUND


WIDE = """; axmem: thread P0 = @f()
@w = protected addrspace(1) global i64 0, align 8
define void @f() {{
{}  ret void
}}
"""
W = "ptr addrspace(1) @w"
UPPER = "ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @w, i64 {})"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A byte that is stored becomes four that are loaded and stored: another's byte is lost.
        (
            f"  store i8 1, {W}, align 8\n",
            f"  %o = load i32, {W}, align 8\n  %m = and i32 %o, -256\n  %v = or i32 %m, 1\n"
            f"  store i32 %v, {W}, align 8\n",
        ),
        # An atomic store becomes two halves: who reads it whole sees them apart.
        (
            f"  store atomic i64 8589934593, {W} unordered, align 8\n",
            f"  store i32 1, {W}, align 8\n  store i32 2, {UPPER.format(4)}, align 4\n",
        ),
    ],
    ids=["widened", "split"],
)
def test_accesses_of_other_sizes(before: str, after: str, tmp_path: Path) -> None:
    paths = []
    for name, body in (("before", before), ("after", after)):
        paths.append(str(tmp_path / f"{name}.ll"))
        Path(paths[-1]).write_text(WIDE.format(body), encoding="utf-8")
    assert main(["refine", *paths, *IN_CONTEXT, "1", "--model", "llvm"]) == UNSOUND


def test_contexts_are_of_one_hierarchy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "litmus t\nlevels thread cta gpu system\nglobal x = 0\nthread P0 { r = load x }\nexists (true)\n"
    path = tmp_path / "t.litmus"
    path.write_text(text.replace("{ r", "{\nr").replace("x }", "x\n}"), encoding="utf-8")
    assert main(["refine", str(path), str(path), *IN_CONTEXT, "1", "--model", "sc"]) == 2
    assert "contexts stand in AMDGPU's hierarchy, and this test has another" in capsys.readouterr().err
