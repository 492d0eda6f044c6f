"""The pages have a budget of words, so that they do not grow unseen.

What goes in: every page of docs/, and README.md. Each page is of one part of the table; a part may not have more words
than the table says. Who needs more cuts something else of the part, or raises its number and says why. Sentences and
cells of tables have their own bounds.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.documents.test_questions import sentences
from tests.paths import ROOT

BUDGET = {
    "first pages": ("README docs/README docs/getting-started docs/tour docs/kernel-authors docs/researchers", 3_250),
    "for LLVM engineers and authors of specifications": ("docs/may-my-pass docs/specification-authors", 1_750),
    "changes of programs": ("docs/refine docs/rules docs/passes", 2_450),
    "machine code": ("docs/verify docs/codegen", 3_500),
    "explain, repair, diff": ("docs/explain docs/repair docs/diff", 2_200),
    "tests from cycles": ("docs/generate", 780),
    "lanes": ("docs/progress", 1_500),
    "loops": ("docs/transform", 1_500),
    "proofs": ("docs/prove", 1_000),
    "suites, CI, pytest, lit": ("docs/ci", 800),
    "tools": ("docs/editors docs/playground docs/api", 1_550),
    "commands": ("docs/commands", 2_150),
    "the test language": ("docs/language", 3_500),
    "models": ("docs/models", 2_500),
    "made from models": ("docs/models/*", 5_250),
    "other forms": ("docs/other-forms docs/cat-dialects", 2_700),
    "LLVM IR": ("docs/llvm-ir", 2_050),
    "open readings": ("docs/references", 4_450),
    "internals": ("docs/design docs/engine", 4_000),
    "glossary": ("docs/glossary", 1_000),
    "findings": ("docs/findings/* docs/findings/fixed/*", 16_600),
}  # fmt: skip
"""For each part its pages, and the most words that these may have together."""
SENTENCE, AVERAGE, CELL = 38, 25, 40
"""The most words of a sentence, of the sentences of a page on average, of a cell of a table."""
FINDING = 400
"""The most words of a finding, outside its blocks."""
INDEX = {"docs/findings/README", "docs/findings/fixed/README"}
FOUND = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
PAGES = {str(page.relative_to(ROOT).with_suffix("")): page for page in FOUND}


def part(patterns: str) -> set[str]:
    """Return the pages that patterns name; `*` stands for no folder."""
    pairs = [(name, each) for name in PAGES for each in patterns.split() if name.count("/") == each.count("/")]
    return {name for name, each in pairs if fnmatch(name, each)}


def words(page: Path) -> int:
    return len(page.read_text(encoding="utf-8").split())


def test_every_page_is_of_one_part() -> None:
    found = [name for patterns, _ in BUDGET.values() for name in part(patterns)]
    assert sorted(found) == sorted(PAGES)


@pytest.mark.parametrize("title", BUDGET)
def test_a_part_keeps_its_budget(title: str) -> None:
    patterns, most = BUDGET[title]
    counted = {name: words(PAGES[name]) for name in part(patterns)}
    assert sum(counted.values()) <= most, counted


def prose(text: str) -> int:
    """Return the number of words outside blocks."""
    return len(re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL).split())


@pytest.mark.parametrize("name", sorted(part("docs/findings/* docs/findings/fixed/*") - INDEX))
def test_a_finding_is_short(name: str) -> None:
    assert prose(PAGES[name].read_text(encoding="utf-8")) <= FINDING


def test_blocks_are_no_prose() -> None:
    assert prose("four words stand here\n\n```\nand none here\n```\n") == 4


def long_cells(text: str) -> list[str]:
    """Return the cells of tables that have too many words."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [cell for line in lines for cell in re.split(r" (?<!\\)\| ", line.strip("|")) if len(cell.split()) > CELL]


@pytest.mark.parametrize(
    "name", sorted(name for name in PAGES if "findings" not in name and "docs/models/" not in name)
)
def test_sentences_and_cells_are_short(name: str) -> None:
    found = sentences(PAGES[name])
    assert [each for each in found if len(each.split()) > SENTENCE] == []
    assert sum(len(each.split()) for each in found) <= AVERAGE * len(found)
    assert long_cells(PAGES[name].read_text(encoding="utf-8")) == []


def test_a_long_sentence_or_cell_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n{'word ' * 39}end.\n", encoding="utf-8")
    assert [len(each.split()) > SENTENCE for each in sentences(page)] == [True]
    assert len(long_cells(f"| a | {'word ' * 41}| b |\n| c | {'word ' * 40}| d |\n")) == 1


def test_a_page_with_more_words_breaks_the_budget(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n\nfour words stand here\n", encoding="utf-8")
    assert words(page) == 7
