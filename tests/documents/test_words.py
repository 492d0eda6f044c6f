"""The pages have a budget of words, so that they do not grow unseen.

What goes in: every page of docs/, and README.md. Each page is of one part of the table; a part may not have more words
than the table says. Who needs more cuts something else of the part, or raises its number and says why.
"""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.paths import ROOT

BUDGET = {
    "first pages": ("README docs/README docs/getting-started docs/tour docs/kernel-authors docs/researchers", 4_200),
    "for LLVM engineers and authors of specifications": ("docs/may-my-pass docs/specification-authors", 1_900),
    "changes of programs": ("docs/refine docs/rules docs/passes", 2_900),
    "machine code": ("docs/verify docs/codegen", 3_700),
    "explain, repair, diff": ("docs/explain docs/repair docs/diff", 2_200),
    "tests from cycles": ("docs/generate", 1_050),
    "lanes": ("docs/progress", 1_500),
    "loops": ("docs/transform", 1_500),
    "proofs": ("docs/prove", 2_500),
    "suites, CI, pytest, lit": ("docs/ci", 800),
    "tools": ("docs/editors docs/playground docs/api", 2_200),
    "commands": ("docs/commands", 4_200),
    "the test language": ("docs/language", 3_500),
    "models": ("docs/models", 2_500),
    "dialects of cat": ("docs/cat-dialects", 1_300),
    "made from models": ("docs/models/*", 5_500),
    "other forms": ("docs/other-forms", 2_500),
    "LLVM IR": ("docs/llvm-ir", 2_100),
    "open readings": ("docs/references", 5_000),
    "internals": ("docs/design docs/engine", 4_000),
    "glossary": ("docs/glossary", 1_400),
    "findings": ("docs/findings/* docs/findings/fixed/*", 17_300),
}  # fmt: skip
"""For each part its pages, and the most words that these may have together."""
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


def test_a_page_with_more_words_breaks_the_budget(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n\nfour words stand here\n", encoding="utf-8")
    assert words(page) == 7
