"""What no test makes again of results/ is what it would be made of today, and has not been changed by hand."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from axmem.front.output import MARK
from axmem.front.source import Source
from axmem.model.library import text
from axmem.refinement.contexts import Counterexample
from axmem.refinement.theorems import THEOREMS
from axmem.report.theorems import COLUMNS, file_name, programs
from tests import origins
from tests.origins import MAKERS, TARGETS, VERSIONS, committed, file_digest
from tests.paths import RESULTS, ROOT
from tests.repository.test_results import OTHERS

BESIDE = ("theorems/", "theorems.csv", "optimizations/", "transforms/")
"""What is written with a file that has a line, and is compared with that file below."""


def test_what_was_made_is_current() -> None:
    """If this fails, make the files again: `make mutants`, `make theorems` or `make necessity`."""
    # What was never made has no line; what has one must be there.
    rows = [row for maker in MAKERS.values() for row in maker()]
    known = [row for row in rows if row[0] in committed() or (RESULTS / row[0]).exists()]
    today = {path: {"file": file_digest(path), **parts} for path, parts in known}
    assert committed() == today


def test_every_file_is_made_again_or_has_a_line() -> None:
    files = {path.relative_to(RESULTS).as_posix() for path in RESULTS.rglob("*") if path.is_file()}
    lines = {path for path in files if path.startswith(OTHERS) and not path.startswith(BESIDE)}
    assert lines == {*committed(), origins.FILE.name}


def test_the_targets_are_those_of_the_makefile() -> None:
    assert f"VERIFIED := {' '.join(TARGETS)}\n" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_a_file_that_was_made_from_something_else_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lines = {path: line for path, line in committed().items() if path in ("mutants.md", "replacements.md")}
    monkeypatch.setattr(origins, "FILE", tmp_path / "origins.txt")
    assert origins.main(["mutants", "--", sys.executable, "-c", "raise SystemExit(1)"]) == 1
    assert committed() == {}
    assert origins.main(["mutants", "--", sys.executable, "-c", ""]) == 0
    assert committed() == lines and len(lines) == 2
    monkeypatch.setitem(VERSIONS, "engine", "another")
    assert dict(MAKERS["mutants"]())["mutants.md"]["engine"] != committed()["mutants.md"]["engine"]


def test_comments_of_a_model_do_not_count_and_its_words_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def digest(old: str, new: str) -> str:
        whole = text("llvm").text
        assert old in whole
        changed = Source("llvm.cat", whole.replace(old, new))
        origins.digest_of_text.cache_clear()
        with monkeypatch.context() as patched:
            patched.setattr(origins, "text", lambda name: changed if name == "llvm" else text(name))
            return origins.digest_of_text("llvm")

    first = "\nlet "
    same = digest(first, first)
    assert digest(first, "\n(* a remark *)\n\nlet ") == same
    assert digest("let hidden ", "let  hidden ") == same
    assert digest("let hidden ", "let hidden- ") != same
    origins.digest_of_text.cache_clear()


def test_the_theorems_files_say_the_same() -> None:
    """The tables are of one run: the CSV and the programs are those of the JSON."""
    records = json.loads((RESULTS / "theorems.json").read_text(encoding="utf-8"))["theorems"]
    with (RESULTS / "theorems.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert rows == [{column: str(record[column]) for column in COLUMNS} for record in records]
    keyed = {theorem.key: theorem for theorem in THEOREMS}
    programs_shown = {
        f"{file_name(keyed[record['theorem']])}{side}.litmus": f"; {MARK}theorems`.\n{shown}"
        for record in records
        if record["counterexample"]
        for side, shown in programs(Counterexample(**record["counterexample"]))
    }
    assert programs_shown == {path.name: path.read_text(encoding="utf-8") for path in (RESULTS / "theorems").iterdir()}
