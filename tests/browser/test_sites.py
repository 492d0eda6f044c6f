"""Built sites in a headless Chromium: no error, no dead link, nothing from elsewhere, nothing serious for axe-core.

`make test-page` builds the sites and runs this. AXMEM_SITES names their folders; without it only the search for dead
links is tried.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.browser.links import dead_links
from tests.browser.sites import ALL, COLOURS, FORM, SIDEWAYS, WIDTHS, chromium, served, violations, watched
from tests.drawn import WHOLE

SITES = [Path(name).resolve() for name in os.environ.get("AXMEM_SITES", "").split(os.pathsep) if name]
APART = "playground"
"""A folder of a site that has tests of its own."""
MOST = 50 if WHOLE else 1
"""So many pages of a kind are opened, more with AXMEM_TEST_LONG; they lie in one folder and those below it."""
KIND = 2
"""So many folders of an address say what kind a page is of."""
LONGEST = 110_000
"""A page of more bytes is a long table that was generated: a shorter one of its kind is given to axe-core."""
ON_A_SCREEN = {WIDTHS[0]: "table, svg"}
EVERYWHERE = {WIDTHS[0]: "table, svg", WIDTHS[1]: "table, svg, pre"}
"""What moves sideways nowhere at a width: the tables of the documentation may on a phone."""
built = pytest.mark.parametrize("site", SITES, ids=lambda path: path.name)


def pages_of(site: Path) -> list[str]:
    """Return the addresses of a site's pages in it; of a kind with many pages some, at even distances."""
    kinds: dict[tuple[str, ...], list[str]] = {}
    for path in sorted(site.rglob("*.html")):
        found = path.relative_to(site)
        if found.parts[0] != APART:
            kinds.setdefault(found.parts[:-1][:KIND], []).append(found.as_posix())
    return [name for names in kinds.values() for name in names[:: -(-len(names) // MOST)]]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@built
def test_no_link_is_dead(site: Path) -> None:
    assert not [*dead_links(site)]


@built
def test_no_page_has_an_error_or_something_that_is_serious(browser: Any, site: Path) -> None:
    wrong: list[str] = []
    found: dict[str, list[str]] = {}
    kinds: set[tuple[str, ...]] = set()
    with served(str(site)) as address:
        context = browser.new_context(viewport={"width": 1300, "height": 850})
        page = watched(context.new_page(), wrong, address)
        for name in pages_of(site):
            page.goto(address + name)
            # Pages of a kind have one form, and style sheets the colours: one is measured, on each ground.
            kind = Path(name).parts[:-1][:KIND]
            first = kind not in kinds
            kinds.add(kind)
            found[name] = [*wrong]
            wrong.clear()
            found[name] += wide(page, ON_A_SCREEN if site.name == "site" else EVERYWHERE)
            if (site / name).stat().st_size <= LONGEST:
                found[name] += violations(page, ALL if first else FORM)
            if first:
                page.emulate_media(color_scheme="dark")
                found[name] += violations(page, COLOURS)
                page.emulate_media(color_scheme="light")
        context.close()
    assert not {name: each for name, each in found.items() if each}


def wide(page: Any, asked: Mapping[int, str]) -> list[str]:
    """Return what a page has no room for: that it moves sideways, or what is `asked` about at a width."""
    found = []
    for width in WIDTHS[::-1]:
        page.set_viewport_size({"width": width, "height": 850})
        whole, moved = page.evaluate(SIDEWAYS, asked.get(width, "no"))
        if whole > width:
            found.append(f"{whole} pixels wide on a screen of {width}")
        found += [f"a {each} moves sideways at {width}" for each in moved]
    return found


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text(
        '<p id="here"><a href="a/b.html#x">b</a> <a href="#here">c</a>', encoding="utf-8"
    )
    (tmp_path / "a" / "b.html").write_text(
        '<p id="x"><a href="../">up</a><a href="../#there">d</a><img src="c.png"><a href="https://example.org">e</a>',
        encoding="utf-8",
    )
    assert [*dead_links(tmp_path)] == ["a/b.html: ../#there: no such place", "a/b.html: c.png: no such file"]
