"""What no test makes again of results/ has not been changed by hand, and says at its head what it is older than."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from axmem.commands.pages.theorems import COLUMNS, file_name, programs
from axmem.front.output import MARK
from axmem.front.source import Source
from axmem.litmus.syntax import ModelChoice
from axmem.model.library import text
from axmem.refinement.bounded_check import Counterexample
from axmem.refinement.theorems import THEOREMS
from tests import digests, origins
from tests.origins import MAKERS, TARGETS, VERSIONS, committed, file_digest, head, stale, unmarked
from tests.paths import RESULTS, ROOT
from tests.repository.test_results import OTHERS

BESIDE = ("theorems/", "theorems.csv", "optimizations/", "transforms/")
"""What is written with a file that has a line, and is compared with that file below."""
OF_CODE = "code-mutants.md"
"""What is made from the program's own source, which is no origin."""


def test_no_page_was_changed_by_hand() -> None:
    assert {path: parts["file"] for path, parts in committed().items()} == {p: file_digest(p) for p in committed()}


def test_a_page_says_what_it_is_older_than() -> None:
    """If this fails, run `make stale`, which takes seconds."""
    found = stale()
    for path in committed():
        page = (RESULTS / path).read_text(encoding="utf-8")
        said = head(path, found[path]) if path in found else ""
        assert (said in page) if said else page == unmarked(page), f"results/{path}: run make stale"


def test_every_file_that_can_be_made_has_a_line() -> None:
    rows = {path for maker in MAKERS.values() for path, _ in maker()}
    assert {path for path in rows if (RESULTS / path).exists()} == set(committed())


def test_a_stale_page_is_marked_once_and_a_current_one_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("", "verdicts"):
        (tmp_path / folder).mkdir(exist_ok=True)
    known, verdicts, cells = "<!-- Generated -->\n# Known\n", "MP.wg  sound\n", "{}\n"
    pages = {"known.md": known, "verdicts/gfx942.txt": verdicts, "transforms.json": cells}
    for path, page in pages.items():
        (tmp_path / path).write_text(page, encoding="utf-8")
    monkeypatch.setattr(origins, "RESULTS", tmp_path)
    monkeypatch.setattr(origins, "FILE", tmp_path / "origins.txt")
    origins.FILE.write_text("".join(f"{path} file={digests.short(pages[path])} llvm=0\n" for path in pages))
    monkeypatch.setattr(origins, "MAKERS", {"all": lambda: [(path, {"llvm": "1"}) for path in pages]})
    for _ in range(2):
        assert origins.main(["stale", "--refuse"]) == 1
        assert "make known (45 minutes): known.md; other llvm\n" in capsys.readouterr().out
        said = "Made from an older llvm: `make known` makes it anew (45 minutes).\n"
        assert (tmp_path / "known.md").read_text() == f"<!-- Generated -->\n> {said}\n# Known\n"
        assert (tmp_path / "verdicts" / "gfx942.txt").read_text().splitlines()[1] == "MP.wg  sound"
        assert (tmp_path / "transforms.json").read_text() == "{}\n"
        assert all(file_digest(path) == digests.short(page) for path, page in pages.items())
    monkeypatch.setattr(origins, "MAKERS", {"all": lambda: [(path, {"llvm": "0"}) for path in pages]})
    assert origins.main(["stale", "--refuse"]) == 0
    assert {path: (tmp_path / path).read_text() for path in pages} == pages


def test_every_file_is_made_again_or_has_a_line() -> None:
    files = {path.relative_to(RESULTS).as_posix() for path in RESULTS.rglob("*") if path.is_file()}
    lines = {path for path in files if path.startswith(OTHERS) and not path.startswith((*BESIDE, OF_CODE))}
    assert lines == {*committed(), origins.FILE.name}


def test_the_targets_are_those_of_the_makefile() -> None:
    assert f"VERIFIED := {' '.join(TARGETS)}\n" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_a_file_that_was_made_from_something_else_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for path in ("mutants.md", "replacements.md"):
        shutil.copy(RESULTS / path, tmp_path)
    monkeypatch.setattr(origins, "RESULTS", tmp_path)
    monkeypatch.setattr(origins, "FILE", tmp_path / "origins.txt")
    assert origins.main(["mutants", "--", sys.executable, "-c", "raise SystemExit(1)"]) == 1
    assert committed() == {}
    assert origins.main(["mutants", "--", sys.executable, "-c", ""]) == 0
    assert set(committed()) == {"mutants.md", "replacements.md"} and not stale()
    assert all(origins.OLDER not in (tmp_path / path).read_text(encoding="utf-8") for path in committed())
    monkeypatch.setitem(VERSIONS, "engine", "another")
    assert dict(MAKERS["mutants"]())["mutants.md"]["engine"] != committed()["mutants.md"]["engine"]


def test_comments_of_a_model_do_not_count_and_its_words_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def digest(old: str, new: str) -> str:
        whole = text("llvm").text
        assert old in whole
        changed = Source("llvm.cat", whole.replace(old, new))
        digests.digest_of_text.cache_clear()
        with monkeypatch.context() as patched:
            patched.setattr(digests, "text", lambda name: changed if name == "llvm" else text(name))
            return digests.digest_of_text("llvm")

    first = "\nlet "
    same = digest(first, first)
    assert digest(first, "\n(* a remark *)\n\nlet ") == same
    assert digest("let hidden ", "let  hidden ") == same
    assert digest("let hidden ", "let hidden- ") != same
    digests.digest_of_text.cache_clear()


def test_what_a_model_is_called_inside_does_not_count_and_what_it_says_does() -> None:
    whole = '"m"\nlet a = po & loc\nlet b = a | rf\nacyclic b as one\n'
    renamed = whole.replace("let a", "let c").replace("= a |", "= c |").replace("po & loc", "loc & po")

    def digest(text: str, name: str, folder: Path) -> str:
        (folder / f"{name}.cat").write_text(text, encoding="utf-8")
        return digests.digest_of_model(ModelChoice(str(folder / f"{name}.cat")))

    with TemporaryDirectory() as folder:
        same = digest(whole, "one", Path(folder))
        assert digest(renamed, "two", Path(folder)) == same
        assert digest(whole.replace("| rf", "| co"), "three", Path(folder)) != same
        assert digest(whole.replace("acyclic", "irreflexive"), "four", Path(folder)) != same


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
