"""The pages have a budget of words, so that they do not grow unseen.

What goes in: every page of docs/, and README.md. Each page is of one section; no section or page may have more
words than the tables say. Who needs more cuts something else of the section, or raises its number and says why.
Sentences and cells of tables have their own bounds.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.documents.pages import without_blocks
from tests.documents.test_questions import sentences
from tests.paths import ROOT

SECTIONS = {
    "start": 4_000, "tasks": 13_000, "reference": 17_000, "open readings": 4_000, "internals": 3_300,
    "glossary": 1_000, "findings": 17_200,
}  # fmt: skip
"""The most words of each section."""
WHOLE = 42_280
"""The most words of all sections but the findings."""
BUDGET = {
    "start": {
        "README": 600, "docs/README": 435, "docs/getting-started": 500, "docs/tour": 500, "docs/may-my-pass": 815,
        "docs/kernel-authors": 475, "docs/specification-authors": 380, "docs/researchers": 320,
    },
    "tasks": {
        "docs/refine docs/rules": 1_600, "docs/passes": 640, "docs/verify": 2_600, "docs/codegen": 610,
        "docs/explain docs/repair docs/diff": 2_050, "docs/generate": 710, "docs/progress": 1_310,
        "docs/transform": 1_200, "docs/prove": 1_000, "docs/ci": 730, "docs/editors docs/playground": 640,
    },
    "reference": {
        "docs/language": 3_110, "docs/models": 2_070, "docs/models/amdgpu docs/models/llvm": 3_890,
        "docs/models/vocabulary": 1_130, "docs/other-forms docs/cat-dialects": 2_440, "docs/llvm-ir": 1_800,
        "docs/api": 820, "docs/commands": 1_790,
    },
    "open readings": {"docs/references": 4_000},
    "internals": {"docs/design docs/engine": 3_300},
    "glossary": {"docs/glossary": 1_000},
    "findings": {"docs/findings/* docs/findings/fixed/*": 17_200},
}  # fmt: skip
"""For each section its pages, and the most words that these may have together."""
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
    found = [name for parts in BUDGET.values() for patterns in parts for name in part(patterns)]
    assert sorted(found) == sorted(PAGES) and list(BUDGET) == list(SECTIONS)


def counted(section: str) -> dict[str, int]:
    """Return the words of each page of a section."""
    return {name: words(PAGES[name]) for patterns in BUDGET[section] for name in part(patterns)}


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_keeps_its_budget(section: str) -> None:
    found = counted(section)
    assert sum(found.values()) <= SECTIONS[section], found
    for patterns, most in BUDGET[section].items():
        assert sum(found[name] for name in part(patterns)) <= most, patterns


def test_all_pages_keep_their_budget() -> None:
    assert sum(sum(counted(section).values()) for section in SECTIONS if section != "findings") <= WHOLE


def prose(text: str) -> int:
    """Return the number of words outside blocks."""
    return len(without_blocks(text).split())


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
