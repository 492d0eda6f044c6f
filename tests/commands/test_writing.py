"""What commands write: whole or not at all, never over what is not theirs, and one line where the system refuses.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TextIO

import pytest

from axmem.cli import main
from axmem.front.output import MARK, write_tree
from axmem.front.source import OutputError
from tests.drawn import in_full
from tests.paths import CORPUS, INPUTS, PATIENCE, ROOT

TEST = CORPUS / "base" / "MP+rel+acq.litmus"
SB = INPUTS / "SB.litmus"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def family(tmp_path: Path) -> str:
    """A directory with one test."""
    folder = tmp_path / "base"
    folder.mkdir()
    (folder / TEST.name).write_bytes(TEST.read_bytes())
    return str(folder)


# ---------------------------------------------------------------- files of others


@pytest.mark.parametrize("name", ["README.md", "outcomes.csv", "families/base.md"])
def test_results_do_not_replace_a_file_that_was_not_generated(
    name: str, family: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results"
    (results / name).parent.mkdir(parents=True)
    (results / name).write_text("mine", encoding="utf-8")
    assert main(["table", family, "--results", str(results)]) == 2
    assert contents(results) == {name: b"mine"}
    assert capsys.readouterr().err == (
        f"{results / name}: error: axmem did not write this file\n  hint: --force replaces them\n"
    )
    assert main(["table", family, "--results", str(results), "--force"]) == 0
    assert contents(results)[name] != b"mine"


def test_results_remove_only_pages_that_were_generated(family: str, tmp_path: Path) -> None:
    families = tmp_path / "results" / "families"
    families.mkdir(parents=True)
    (families / "notes.md").write_text("# Mine\n", encoding="utf-8")
    (families / "old.md").write_text(f"<!-- {MARK}tables`; … -->\n", encoding="utf-8")
    for _ in range(2):
        assert main(["table", family, "--results", str(tmp_path / "results")]) == 0
        assert sorted(contents(families)) == ["base.md", "notes.md"]


@in_full
def test_the_pages_of_the_lowering_and_of_theorems_do_not_either(tmp_path: Path) -> None:
    (tmp_path / "lowering").mkdir()
    (tmp_path / "optimizations").mkdir()
    mine = {"lowering/README.md": b"mine", "optimizations.md": b"mine", "optimizations/mine.litmus": b"mine"}
    for name, text in mine.items():
        (tmp_path / name).write_bytes(text)
    assert main(["table", "--lowering", "--results", str(tmp_path)]) == 2
    from axmem.commands.pages.theorems import write_results

    with pytest.raises(OutputError):
        write_results(str(tmp_path), [], {"md": f"<!-- {MARK}optimizations` -->"}, "optimizations")
    assert contents(tmp_path) == mine
    write_results(str(tmp_path), [], {"md": f"<!-- {MARK}optimizations` -->"}, "optimizations", force=True)
    assert contents(tmp_path)["optimizations/mine.litmus"] == b"mine"


def test_what_is_read_is_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test, listed, other = tmp_path / "a.litmus", tmp_path / "list", tmp_path / "b.litmus"
    test.write_bytes(TEST.read_bytes())
    other.write_bytes(b"mine")
    listed.write_text("a.litmus\n", encoding="utf-8")
    before = contents(tmp_path)
    for asked in ([str(test), "-o", str(test)], [f"@{listed}", "-o", str(listed)], [str(test), "-o", str(other)]):
        assert main(["run", *asked]) == 2
    assert main(["graph", str(test), "-o", str(test)]) == 2
    assert contents(tmp_path) == before
    module = tmp_path / "m.ll"
    module.write_text("define void @f(ptr %p) {\n  store i32 1, ptr %p\n  ret void\n}\n", encoding="utf-8")
    before = contents(tmp_path)
    assert main(["lower", str(module), "--target", "gfx942", "-o", str(module)]) == 2
    assert contents(tmp_path) == before
    assert capsys.readouterr().err.count("would be replaced by what is found") == 5


def test_pictures_do_not_replace_files_unless_forced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "MP+rel+acq.llvm.svg").write_text("mine", encoding="utf-8")
    asked = ["graph", str(TEST), "--model", "llvm", "-o", f"{tmp_path}/"]
    assert main(asked) == 2
    assert contents(tmp_path) == {"MP+rel+acq.llvm.svg": b"mine"}
    assert "this file is there already" in capsys.readouterr().err
    assert main([*asked, "--force"]) == 0
    assert b"<svg" in contents(tmp_path)["MP+rel+acq.llvm.svg"]


@pytest.mark.parametrize("name", ["parts/mine", "answers/mine", "results.jsonl", "lock"])
def test_a_directory_of_something_else_keeps_no_answers(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine", encoding="utf-8")
    assert main(["run", str(SB), "--model", "sc", "--run", str(tmp_path)]) == 2
    assert contents(tmp_path) == {name: b"mine"}


def test_other_files_beside_answers_stay(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine", encoding="utf-8")
    for _ in range(2):
        assert main(["run", str(SB), "--model", "sc", "--run", str(tmp_path)]) == 0
    assert contents(tmp_path)["notes"] == b"mine"


# ---------------------------------------------------------------- whole or not at all


def test_a_directory_gets_all_files_or_none(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old", encoding="utf-8")
    (tmp_path / "b").mkdir()
    with pytest.raises(OutputError):
        write_tree({"a": "new", "b": "new"}, str(tmp_path))
    assert contents(tmp_path) == {"a": b"old"}
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes; no byte code is cached, which would be cut off."""
    before, caching = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = caching


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("run {test} --run kept", "kept: error: cannot keep results here: File too large\n"),
        ("run {test} --format json -o log", "log: error: cannot write this file: File too large\n"),
        ("table {folder} --results pages", ": error: cannot write this file: File too large\n"),
        ("generate --family all -o suite", ": error: cannot write this file: File too large\n"),
        ("fmt -i test.litmus", "test.litmus: error: cannot write this file: File too large\n"),
        ("theorems P2 --events 1 --run kept", "kept: error: cannot write here: File too large\n"),
        ("diff llvm llvm[coh=langref] --run kept --brief --events 2", "kept: error: "),
    ],
)
def test_a_full_disk_is_one_line(
    arguments: str,
    named: str,
    family: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "test.litmus").write_text((INPUTS / "SB.litmus").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "log").write_text("old", encoding="utf-8")
    before = contents(tmp_path)
    monkeypatch.chdir(tmp_path)
    with full_disk():
        code = main(arguments.format(test=TEST, folder=family).split())
    said = capsys.readouterr().err
    assert code == 2 and named in said and said.count("\n") == 1
    after = contents(tmp_path)
    assert {name: after[name] for name in before} == before
    # Answers are added to a .jsonl line by line, and a line that is not whole counts for nothing.
    assert not [n for n, text in after.items() if n not in before and text and not n.endswith(".jsonl")]


def run(asked: str, folder: Path, stdout: TextIO | int = subprocess.PIPE, closed: int | None = None) -> tuple[int, str]:
    """Run a command in a process, one of whose streams may be closed; return its exit code and what it complains of."""
    done = subprocess.run(
        [sys.executable, "-m", "axmem", *asked.split()], cwd=folder, stdout=stdout, stderr=subprocess.PIPE, text=True,
        preexec_fn=None if closed is None else partial(os.close, closed), timeout=PATIENCE, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return done.returncode, done.stderr


def test_streams_that_are_closed(tmp_path: Path) -> None:
    assert run("check -", tmp_path, closed=0) == (2, "<stdin>: error: cannot read here: it is closed\n")
    assert run(f"check {TEST}", tmp_path, closed=1) == (2, "<stdout>: error: cannot write here: it is closed\n")
    assert run(f"convert {TEST} -o kept", tmp_path, closed=1) == (0, "")
    assert run("check nothing", tmp_path, closed=2) == (2, "")
    assert "@x = " in (tmp_path / "kept").read_text(encoding="utf-8")


@pytest.mark.parametrize("asked", ["--help", f"check {TEST}"])
def test_the_standard_output_is_full(asked: str, tmp_path: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        found = run(asked, tmp_path, full)
    assert found == (2, "<stdout>: error: cannot write here: No space left on device\n")


@pytest.mark.parametrize("target", ["folder", "folder/", "test.litmus/", "no/such", "/dev/full"])
def test_an_output_that_is_no_file(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "test.litmus").write_bytes(SB.read_bytes())
    assert main(["run", str(SB), "--model", "sc", "-o", target]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{target}: error: cannot write ") and said.count("\n") == 1
    assert sorted(os.listdir(tmp_path)) == ["folder", "test.litmus"]


def test_an_offset_that_is_no_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assembly = tmp_path / "a.s"
    lines = ("P0:", "  s_endpgm", ".amdgpu_metadata", "amdhsa.kernels:", "  - .args:", "      - .offset: zero",
             "    .name: P0", ".end_amdgpu_metadata", "")  # fmt: skip
    assembly.write_text("\n".join(lines), encoding="utf-8")
    assert main(["verify", str(TEST), "--target", "gfx942", "--asm", str(assembly)]) == 2
    said = capsys.readouterr().err
    assert f"{assembly}:6:7: error: the offset of an argument is a number of bytes\n" in said
