"""Paths of the command line: what is read, in which order, and what is said about the rest."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from axmem.front.inputs import read_inputs


def names(*paths: object, **options: object) -> list[str]:
    texts, diagnostics = read_inputs([str(p) for p in paths], **options)  # type: ignore[arg-type]
    assert not diagnostics, [str(d) for d in diagnostics]
    return [Path(t.name).name for t in texts]


def messages(*paths: object) -> list[str]:
    return [str(d) for d in read_inputs([str(p) for p in paths])[1]]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with tests, another one inside, and a file that is none."""
    (tmp_path / "inner").mkdir()
    for name in ("b.litmus", "a.litmus", "inner/c.litmus", "notes.txt", "m.cat"):
        (tmp_path / name).write_text(name)
    return tmp_path


def test_a_directory_is_read_sorted_at_every_depth(tree: Path) -> None:
    assert names(tree) == ["a.litmus", "b.litmus", "c.litmus"]


def test_other_suffixes(tree: Path) -> None:
    assert names(tree, suffixes=(".litmus", ".cat")) == ["a.litmus", "b.litmus", "c.litmus", "m.cat"]


def test_a_named_file_is_read_whatever_its_suffix_and_only_once(tree: Path) -> None:
    assert names(tree / "notes.txt", tree, tree / "inner" / ".." / "a.litmus") == [
        "notes.txt",
        "a.litmus",
        "b.litmus",
        "c.litmus",
    ]


def test_a_list_is_relative_to_itself_and_may_name_lists_and_directories(tree: Path) -> None:
    (tree / "inner" / "some.list").write_text("# first\n../b.litmus ; remark\n@more.list\n", encoding="utf-8")
    (tree / "inner" / "more.list").write_text(".\n", encoding="utf-8")
    assert names(f"@{tree}/inner/some.list") == ["b.litmus", "c.litmus"]


def test_the_standard_input_is_read_once() -> None:
    texts, _ = read_inputs(["-", "-"], stdin=io.BytesIO(b"\xef\xbb\xbflitmus x"))
    assert [(t.name, t.text) for t in texts] == [("<stdin>", "litmus x")]


def test_missing_and_dangling(tree: Path) -> None:
    (tree / "dangling.litmus").symlink_to("nothing")
    assert messages(tree / "qqqq.litmus") == [f"{tree}/qqqq.litmus: error: no such file"]
    assert messages(tree) == [f"{tree}/dangling.litmus: error: the file that this link names does not exist"]


def test_links_in_a_circle(tree: Path) -> None:
    (tree / "one.litmus").symlink_to("two.litmus")
    (tree / "two.litmus").symlink_to("one.litmus")
    (tree / "inner" / "up").symlink_to(tree)
    found = messages(tree)
    assert len(found) == 3
    assert found[0] == f"{tree}/inner/up: error: this link leads back to a directory that it stands in"
    assert all("cannot read this file" in m for m in found[1:])


def test_the_good_files_of_a_bad_list_are_read(tree: Path) -> None:
    (tree / "list").write_bytes(b"a.litmus\nnone\n\xff\n")
    assert messages(f"@{tree}/list") == [f"{tree}/list: error: this file is not UTF-8 (byte 14)"]
    (tree / "list").write_text("a.litmus\n  none\n", encoding="utf-8")
    texts, diagnostics = read_inputs([f"@{tree}/list"])
    assert [Path(t.name).name for t in texts] == ["a.litmus"]
    assert str(diagnostics[0]).startswith(f"{tree}/list:2:3: error: {tree}/none: no such file\n")


def test_lists_in_a_circle(tree: Path) -> None:
    (tree / "one").write_text("@two\na.litmus\n", encoding="utf-8")
    (tree / "two").write_text("@one\n", encoding="utf-8")
    texts, diagnostics = read_inputs([f"@{tree}/one"])
    assert [Path(t.name).name for t in texts] == ["a.litmus"]
    assert [d.message for d in diagnostics] == [f"{tree}/one: this list names itself"]


def test_not_utf8_a_null_byte_and_a_device(tree: Path) -> None:
    (tree / "bad.litmus").write_bytes(b"litmus \xff")
    assert messages(tree) == [f"{tree}/bad.litmus: error: this file is not UTF-8 (byte 7)"]
    assert "cannot read this file" in messages("a\0b")[0]


def test_a_directory_without_tests(tmp_path: Path) -> None:
    assert messages(tmp_path) == [f"{tmp_path}: error: no *.litmus file in this directory"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable(tree: Path) -> None:
    (tree / "a.litmus").chmod(0)
    (tree / "inner").chmod(0)
    try:
        found = messages(tree)
    finally:
        (tree / "inner").chmod(0o755)
    assert [m.split(": error: ")[1] for m in found] == [
        "cannot read this file: Permission denied",
        "cannot read this directory: Permission denied",
    ]
