"""Models that were kept are those that are elaborated; what was written by nobody of us, or not to its end, is none."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from axmem.front import records
from axmem.front.typing import override
from axmem.model import disk_cache, library
from axmem.model.model import Model

CHOICES: tuple[tuple[str, dict[str, str]], ...] = (
    ("llvm", {}), ("amdgpu", {"vis.instance": "literal"}), ("vulkan", {}),
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory for what is kept, and nothing that this process remembers."""
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path / "cache"))
    library._named.cache_clear()
    return tmp_path / "cache"


def entries(folder: Path) -> list[Path]:
    return sorted(folder.rglob(f"*{disk_cache.SUFFIX}"))


def said(model: Model) -> list[object]:
    return [getattr(model, f.name) for f in fields(model)]


@pytest.mark.parametrize(("name", "variants"), CHOICES, ids=lambda value: str(value))
def test_a_kept_model_is_the_one_elaborated(name: str, variants: dict[str, str], folder: Path) -> None:
    made = library.load(name, variants)
    assert len(entries(folder)) == 1
    library._named.cache_clear()
    again = library.load(name, variants)
    assert again is not made and said(again) == said(made)
    assert [level is other for level, other in zip(again.levels, made.levels, strict=True)] == [True] * len(made.levels)
    assert again.reached == made.reached


def test_nothing_is_kept_where_the_variable_is_empty(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(disk_cache.VARIABLE, "")
    library.load("llvm")
    assert disk_cache.directory() is None and not folder.exists()


def test_the_directory_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(disk_cache.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", os.path.abspath("elsewhere"))
    assert disk_cache.directory() == Path(os.path.abspath("elsewhere"), "axmem")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert disk_cache.directory() is None


class Evil:
    @override
    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return (os.system, ("echo this must not run",))


def sealed(body: bytes) -> bytes:
    return disk_cache._digest([body]).encode() + body


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b"nonsense",
        sealed(b""),
        sealed(pickle.dumps(((), Evil()))),
        sealed(pickle.dumps(((), 1))),
        sealed(pickle.dumps((("thread", "system"), Path("x")))),
        sealed(pickle.dumps(1)),
    ],
    ids=["empty", "nonsense", "no pickle", "a call", "a number", "a path", "no pair"],
)
def test_what_is_no_entry_counts_as_absent(entry: bytes, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = library.load("llvm")
    (path,) = entries(folder)
    whole = path.read_bytes()
    path.write_bytes(entry)
    assert disk_cache.recalled("llvm", ()) is None
    library._named.cache_clear()
    assert said(library.load("llvm")) == said(made)
    assert path.read_bytes() == whole and "must not" not in capfd.readouterr().out


def test_a_damaged_entry_counts_as_absent(folder: Path) -> None:
    library.load("llvm")
    (path,) = entries(folder)
    whole = path.read_bytes()
    for place in (0, 40, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert disk_cache.recalled("llvm", ()) is None
    path.write_bytes(whole[:-9])
    assert disk_cache.recalled("llvm", ()) is None


def test_what_cannot_be_written_is_not_kept(folder: Path) -> None:
    folder.write_text("a file")
    assert library.load("llvm").name == "llvm" and folder.read_text() == "a file"


def test_another_state_of_the_program_has_its_own_entries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library.load("llvm")
    monkeypatch.setattr(disk_cache, "_program", lambda: "another")
    assert disk_cache.recalled("llvm", ()) is None
    (old,) = folder.glob("models-*")
    long_ago = old.stat().st_mtime - (disk_cache.DAYS + 1) * 86_400
    os.utime(old, (long_ago, long_ago))
    disk_cache.keep("llvm", (), library.load("llvm"))
    assert [path.name for path in folder.iterdir()] == ["models-another"]


def test_no_directory_grows_without_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "MOST", 2)
    model = library.load("llvm")
    for number in range(4):
        disk_cache.keep("llvm", (("number", str(number)),), model)
    assert len(entries(folder)) == 2


def test_a_former_name_of_a_variant_is_told_each_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library.load("amdgpu", {"vis.v1": "literal"})
    assert not entries(folder)


def test_parts_are_all_records_of_models() -> None:
    """A class that models come to be made of has to be named, or none is kept any more."""
    reached, open_ = set[type](), [value for name in ("llvm", "ptx") for value in said(library.load(name))]
    while open_:
        value = open_.pop()
        if records.names_of(value):
            reached.add(type(value))
            open_ += [getattr(value, name) for name in records.names_of(value)]
        elif isinstance(value, tuple):
            open_ += value
    assert reached <= set(disk_cache._PARTS.values())
