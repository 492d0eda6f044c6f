"""CONTRIBUTING's recipe for a variant of a model, followed: one file of `readings/`, and its name in `@readings`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.model import disk_cache, library
from tests.paths import ROOT

READING = """"Whether a later write hides an earlier one"

(* No document leaves this open. *)

(** @variant hid.made = *later | nothing : whether a later write hides an earlier one *)

if "hid.made=nothing"
  (** [LangRef] "Memory Model for Concurrent Operations": nothing is hidden *)
  override let hidden = 0
end
"""
PASSING = """litmus Passing
global i32 data = 0
global i32 flag = 0
thread P0 {
  store 1, data
  store atomic 1, flag release
}
thread P1 {
  r0 = load atomic flag acquire
  r1 = load data
}
exists (P1:r0=1 /\\ P1:r1=0)
expect llvm never
expect llvm[hid.made=nothing] sometimes "the initial write is not hidden"
"""
CACHES = (library.files, library.names, library.readings, library.reading, library.text, library._named, library._load)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Add the variant to a copy of the models' texts."""
    folder = tmp_path / "model"
    (folder / "readings").mkdir(parents=True)
    for path in (*ROOT.glob("model/*.cat"), *ROOT.glob("model/readings/*.cat")):
        shutil.copy(path, folder / path.relative_to(ROOT / "model"))
    (folder / "readings" / "hid.made.cat").write_text(READING, encoding="utf-8")
    text = (folder / "llvm.cat").read_text(encoding="utf-8")
    named = text.replace("@readings vol.llvm", "@readings hid.made vol.llvm")
    assert named != text
    (folder / "llvm.cat").write_text(named, encoding="utf-8")
    monkeypatch.setattr(library, "_HERE", folder)
    monkeypatch.setattr(disk_cache, "recalled", lambda *_: None)
    monkeypatch.setattr(disk_cache, "keep", lambda *_: None)
    _forget()
    yield
    _forget()


def _forget() -> None:
    for cache in CACHES:
        cache.cache_clear()


@pytest.mark.usefixtures("made")
def test_a_variant_is_a_file_and_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "Passing.litmus"
    path.write_text(PASSING, encoding="utf-8")
    assert main(["run", str(path)]) == 0, capsys.readouterr()
    printed = capsys.readouterr().out
    assert "llvm[hid.made=nothing]" in printed
    assert "0 mismatches" in printed

    assert main(["models", "llvm[hid.made=nothing]", "--diff"]) == 0
    difference = capsys.readouterr().out
    assert "+let hidden = 0" in difference.replace("+  let", "+let")
    assert [line for line in difference.splitlines() if line.startswith("-let")]

    assert main(["models", "llvm", "--variants"]) == 0
    assert "hid.made" in capsys.readouterr().out


@pytest.mark.usefixtures("made")
def test_a_value_that_the_variant_lacks_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "Passing.litmus"
    path.write_text(PASSING, encoding="utf-8")
    assert main(["run", str(path), "--model", "llvm[hid.made=all]"]) == 2
    assert "later" in capsys.readouterr().err
