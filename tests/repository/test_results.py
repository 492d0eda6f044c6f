"""What is committed in results/ is what the corpus and the models give today."""

from __future__ import annotations

import shutil
from pathlib import Path

from axmem.cli import main
from axmem.codegen.targets import NEWEST_LLVM
from axmem.commands.pages.loop_profiles import write_page
from axmem.commands.pages.lowering_tables import write_pages
from axmem.commands.pages.results_pages import write_results
from tests.drawn import in_full
from tests.paths import CORPUS, CORPUS_TESTS, RESULTS

OTHERS = (
    "mutants.md", "replacements.md", "optimizations", "theorems", "transforms", "verdicts/", "necessity/", "strategy/",
    "savings/", "needs/", "origins.txt", "code-mutants.md", "peers.md", "known.md", "opt-tests.md", "passes.md",
    "refusals.md", "usage.md", "sources.md",
)  # fmt: skip
"""What takes too long to be made again here: what it was made from is compared (tests/repository/test_origins.py)."""


def texts(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


@in_full
def test_results_are_current(tmp_path: Path) -> None:
    """If this fails because a test or a model changed, run `make tables` and read what changes in results/."""
    write_results(CORPUS, tmp_path)
    write_pages(tmp_path, NEWEST_LLVM)
    write_page(tmp_path)
    made = texts(tmp_path)
    committed = {path: text for path, text in texts(RESULTS).items() if not path.startswith(OTHERS)}
    assert sorted(made) == sorted(committed)
    for path, text in made.items():
        assert text == committed[path], f"results/{path} is not current: run make tables"


def test_no_expectation_of_the_corpus_fails() -> None:
    for path, text in texts(RESULTS).items():
        assert "**expected" not in text, path


def test_every_test_has_its_section() -> None:
    pages = texts(RESULTS)
    for path in CORPUS_TESTS:
        page = pages[f"families/{path.parent.relative_to(CORPUS).as_posix().replace('/', '-')}.md"]
        assert f"\n## {path.stem}\n" in page.replace("\\_", "_")


def small_corpus(folder: Path) -> Path:
    corpus = folder / "corpus"
    for family, name in (("base", "MP+rel+acq"), ("amdgpu", "MP+st-rel.none+acq-ld")):
        (corpus / family).mkdir(parents=True)
        shutil.copy(CORPUS / family / f"{name}.litmus", corpus / family)
    return corpus


def test_a_family_that_is_no_more_has_no_page(tmp_path: Path) -> None:
    corpus, results = small_corpus(tmp_path), tmp_path / "results"
    write_results(corpus, results)
    assert (results / "families" / "base.md").is_file()
    shutil.rmtree(corpus / "base")
    assert main(["table", str(corpus), "--results", str(results)]) == 0
    assert sorted(p.name for p in (results / "families").iterdir()) == ["amdgpu.md"]


def test_a_page_says_where_an_expectation_fails(tmp_path: Path) -> None:
    corpus, results = small_corpus(tmp_path), tmp_path / "results"
    test = corpus / "amdgpu" / "MP+st-rel.none+acq-ld.litmus"
    text = test.read_text(encoding="utf-8")
    test.write_text(text.replace("expect llvm   never", "expect llvm   always"), encoding="utf-8")
    write_results(corpus, results)
    page = (results / "families" / "amdgpu.md").read_text(encoding="utf-8")
    assert "| `llvm` | never (**expected always**) |" in page
    assert "| `1` | `undef` | no | yes |" in page


def test_one_family_of_the_corpus_alone(tmp_path: Path) -> None:
    """A directory without subdirectories is a family with the directory's name."""
    write_results(small_corpus(tmp_path) / "base", tmp_path / "results")
    assert sorted(p.name for p in (tmp_path / "results" / "families").iterdir()) == ["base.md"]
