"""The pages of docs/findings have one form, which a maintainer can follow with LLVM alone.

What they say of LLVM is checked by `python -m tests.findings`; here, that they say it, and in which order.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.findings.issues import TO_FILE, issue
from tests.findings.pages import FINDINGS, RIGHT, VERSIONS, WRONG, files, pages, repro, sections
from tests.paths import ROOT

PAGES = dict(pages())
FAULTS = sorted(page for page, text in PAGES.items() if repro(page, text) is not None)
OURS = "With axmem"
FAULT = ["Versions", "Command", "IR", "Expected", "Actual", "Why", "Cause", "Upstream", OURS]
DOCUMENT = ["Versions", "Program", "Expected", "Actual", "Why", "Mend", "Upstream", OURS]
"""The sections of a page on a fault of LLVM, and of one on a document."""
LINES, IR_LINES = 120, 40
OPEN = r"\*\*(Not found|Open)\.?\*\*"
CLOSED = r"\*\*(Mended|Duplicate)\.?\*\*"
CITED = (ROOT / "tests" / "repository" / "cited.txt").read_text(encoding="utf-8").splitlines()
"""The sections of the references that are known."""


@pytest.mark.parametrize("page", sorted(PAGES))
def test_a_page_has_the_sections_of_its_kind_in_order(page: str) -> None:
    text = PAGES[page]
    assert re.match(r"# (\[[\w -]+\])+ [A-Z`!]\S* .*[^.]\n\n", text), "a title as an issue's: [Component] What is wrong"
    assert list(sections(text)) in (FAULT, DOCUMENT)
    assert text.count("\n") <= LINES
    assert "axmem" not in text[: text.index(f"## {OURS}")]
    assert "$ axmem" in sections(text)[OURS]


@pytest.mark.parametrize("page", sorted(PAGES))
def test_a_page_quotes_what_decides(page: str) -> None:
    why = sections(PAGES[page])["Why"]
    assert re.search(r"^> \S", why, re.MULTILINE), "the deciding sentence"
    sources = re.findall(r'^\[([\w-]+)\] ("[^"]+")', why, re.MULTILINE)
    assert sources, "below it its document and section"
    assert all(f"[{key}] {section}" in CITED for key, section in sources), sources


@pytest.mark.parametrize("page", sorted(PAGES))
def test_a_page_says_what_is_known_upstream(page: str) -> None:
    upstream = sections(PAGES[page])["Upstream"].strip()
    assert re.match(CLOSED if page.startswith("fixed/") else OPEN, upstream)
    assert re.search(r"\(looked up 20\d\d-\d\d-\d\d\)", upstream)
    assert re.search(r"#\d{4,}", upstream) or "**Not found" in upstream


@pytest.mark.parametrize("page", FAULTS)
def test_a_fault_is_repeated_from_plain_files(page: str) -> None:
    text, found = PAGES[page], repro(page, PAGES[page])
    assert found is not None
    assert set(found.versions) == set(VERSIONS.values()) and set(found.versions.values()) <= {WRONG, RIGHT}
    assert WRONG in found.versions.values()
    for version in found.versions:
        assert found.right[version] != found.wrong[version]
    used = re.findall(r"docs/findings/(\S+)", found.command)
    assert used and all((FINDINGS / name).exists() for name in used)
    lines = [line for line in (FINDINGS / used[0]).read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) <= IR_LINES
    assert f"\n{(FINDINGS / used[0]).read_text(encoding='utf-8')}```\n" in sections(text)["IR"]


@pytest.mark.parametrize("page", sorted(PAGES))
def test_every_file_beside_a_page_is_named_on_it(page: str) -> None:
    assert all(path.name in PAGES[page] for path in files(page))
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", PAGES[page])
    assert all(((FINDINGS / page).parent / link).exists() for link in links if "://" not in link)


def test_no_file_is_without_a_page() -> None:
    beside = [path for folder in (FINDINGS, FINDINGS / "fixed") for path in folder.iterdir() if path.is_file()]
    names = {str(path.relative_to(FINDINGS)).partition(".")[0] for path in beside}
    assert names - {"README", "fixed/README"} == set(PAGES)


def test_the_index_ranks_every_page() -> None:
    for folder in (FINDINGS, FINDINGS / "fixed"):
        linked = re.findall(r"\]\(([\w-]+)\.md\)", (folder / "README.md").read_text(encoding="utf-8"))
        assert sorted(linked) == sorted(Path(page).name for page in PAGES if (FINDINGS / page).parent == folder)


@pytest.mark.parametrize("page", FAULTS)
def test_the_index_says_of_versions_what_the_page_says(page: str) -> None:
    index = ((FINDINGS / page).parent / "README.md").read_text(encoding="utf-8")
    (row,) = re.findall(
        rf"^\| \[.*\]\({re.escape(Path(page).name)}\.md\).*\| ([a-z ]+) \| ([a-z ]+) \|$", index, re.MULTILINE
    )
    found = repro(page, PAGES[page])
    assert found is not None and row == (found.versions["22"], found.versions["24"])


@pytest.mark.parametrize("page", TO_FILE)
def test_an_issue_to_file_says_all_and_nothing_of_this_project(page: str) -> None:
    text = issue(page, PAGES[page])
    assert "axmem" not in text and "](" not in text and "docs/" not in text
    assert "## Related\n" in text and "CHECK" in text and len(text) > len(PAGES[page]) / 2
    assert len(TO_FILE) == 3
