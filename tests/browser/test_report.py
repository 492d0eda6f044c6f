"""A report in a headless Chromium: its search and filters, relations that are shown and hidden, and 10,000 tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from axmem.report.site import overview
from axmem.report.site.addresses import addresses_of
from axmem.report.site.frame import assets, framed
from axmem.report.site.overview import Overview
from tests.browser.sites import chromium, watched
from tests.browser.test_sites import SITES

REPORT = next((site for site in SITES if site.name == "report"), None)
pytestmark = pytest.mark.skipif(REPORT is None, reason="make test-page builds a report")
MANY = 10_000


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with chromium() as browser:
        wrong: list[str] = []
        yield watched(browser.new_page(viewport={"width": 1300, "height": 850}), wrong, "file:")
        assert not wrong


def opened(page: Any, name: str) -> None:
    """Open a page of the report from its file, as a reader does who has a folder and no server."""
    assert REPORT is not None
    page.goto((REPORT / name).as_uri())


def found(page: Any) -> list[str]:
    """Return the tests that are found."""
    names: list[str] = page.locator(".axmem-found tbody th").all_inner_texts()
    return names


def test_words_find_tests(page: Any) -> None:
    opened(page, "index.html")
    assert not page.is_visible(".axmem-found")
    page.fill(".axmem-find input", "tear")
    assert found(page) == ["axioms/Tear+mono"]
    assert page.inner_text(".axmem-found [role=status]") == "1 of 5 tests"
    page.reload()
    assert found(page) == ["axioms/Tear+mono"], "the address says what is looked for"
    page.fill(".axmem-find input", "<img src=x>")
    assert found(page) == []
    page.fill(".axmem-find input", "")
    assert not page.is_visible(".axmem-found")
    assert "#" not in page.url or "=" not in page.url


def test_filters_hold_together(page: Any) -> None:
    opened(page, "index.html")
    rows = page.evaluate("() => axmemTests.map((row) => [row[1], ...row[5]])")
    verdicts = sorted({row[1] for row in rows})
    seen = []
    for verdict in verdicts:
        page.select_option(".axmem-find label:has-text('llvm') >> nth=0 >> select", verdict)
        seen += found(page)
        assert found(page) == [row[0] for row in rows if row[1] == verdict]
        assert f"verdict.llvm={verdict}" in page.url
    assert sorted(seen) == sorted(row[0] for row in rows)
    page.fill(".axmem-find input", "no such test")
    assert found(page) == []
    page.fill(".axmem-find input", "")
    page.click(".axmem-found tbody th a >> nth=0")
    assert page.inner_text("h1") == seen[-1].rpartition("/")[2] or page.inner_text("h1") in seen[-1]


def test_relations_are_shown_and_hidden(page: Any) -> None:
    opened(page, "tests/axioms/SB+chain+sc.html")
    boxes = page.locator(".axmem-relations >> nth=0").locator("label")
    state = {each.inner_text().strip(): each.locator("input").is_checked() for each in boxes.all()}
    assert {"rf", "hb"} <= {*state}
    for name, shown in state.items():
        lines = page.locator("figure >> nth=0").locator(f"svg g.lines.r-{name}").first
        for wanted in (not shown, shown):
            boxes.locator(f"input >> nth={list(state).index(name)}").set_checked(wanted)
            assert lines.evaluate("each => getComputedStyle(each).display !== 'none'") == wanted, name


def test_a_suite_of_many_tests_is_searched(page: Any, tmp_path: Path) -> None:
    names = [f"family{number % 40}/T{number}" for number in range(MANY)]
    verdicts = ("never", "sometimes", "always")
    tests = tuple(
        {
            "key": key, "address": address, "name": "T", "file": key, "shows": f"</script> {number}",
            "condition": "exists (x=1)", "status": "ok", "errors": [], "targets": [],
            "models": [{
                "model": "llvm", "verdict": verdicts[number % 3], "status": "ok", "relation": "", "flags": [],
                "undefined": [], "incomplete": [], "outcomes": [], "core": [], "undef": [], "cites": [],
            }],
        }
        for number, (key, address) in enumerate(zip(names, addresses_of(names), strict=True))
    )  # fmt: skip
    suite = Overview("Many", ("llvm",), (), tests)
    texts = {**assets(()), "tests.js": overview.search_rows(suite)}
    documents = dict(overview.pages(suite))
    texts["index.html"] = framed(documents["index.html"], "index.html", ("llvm",), scripts=("tests.js", "site.js"))
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    page.goto((tmp_path / "index.html").as_uri())
    page.fill(".axmem-find input", "t99")
    expected = [name for name in names if "t99" in name.lower()]
    assert found(page) == expected[:100]
    page.click(".axmem-found button")
    assert found(page) == expected
    page.select_option(".axmem-find label:has-text('Family') select", "family7")
    assert found(page) == [name for name in expected if name.startswith("family7/")]
    assert page.inner_text(".axmem-found tbody td >> nth=0").startswith("</script>")
