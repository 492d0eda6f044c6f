"""Screenshots of all pages, to be looked at: `make screenshots` builds the pages and writes them into a folder.

What comes out: a picture of each view of the playground, and of each kind of page of the site and of a report, on a
light ground, on a dark one, and on a phone; twelve executions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from axmem.playground.link import TABS, View, fragment
from tests.browser import executions
from tests.browser.sites import chromium, served, watched
from tests.browser.test_sites import SITES
from tests.paths import CORPUS
from tests.playground.page import FOLDER, answered, shown

SCREENS = {"light": (1300, 850), "dark": (1300, 850), "phone": (390, 844)}
KINDS = {
    "site": ("README", "docs/may-my-pass", "docs/models/amdgpu", "docs/language", "results/outcomes",
             "results/families/base"),
    "report": ("index", "families/axioms", "tests/axioms/Tear+mono", "models/amdgpu", "rules/amdgpu/happens-before"),
}  # fmt: skip
"""A page of each kind, by the names of the folders in AXMEM_SITES."""
TEST = CORPUS / "amdgpu" / "MP+st-rel.none+acq-ld.litmus"


def main(into: Path) -> None:
    """Write the pictures."""
    into.mkdir(parents=True, exist_ok=True)
    text = TEST.read_text(encoding="utf-8")
    after = text.replace("release", "monotonic")
    with served(FOLDER) as address, chromium() as browser:
        for name, context in contexts(browser):
            page = watched(context.new_page(), [], address)
            page.goto(address)
            answered(page)
            for tab in TABS:
                view = View(text, ("llvm", "amdgpu"), tab=tab, after=after if tab == "refine" else "", target="gfx942")
                shown(page, fragment(view))
                if tab == "outcomes":
                    page.click("table.grid tbody tr:nth-child(3) td:last-child button")
                    page.wait_for_selector(".picture svg")
                page.screenshot(path=str(into / f"{name}-{tab}.png"), full_page=name == "phone")
            context.close()
        for site in SITES:
            pages_of(browser, site, into)
        executions.screenshots(browser, into)


def pages_of(browser: Any, site: Path, into: Path) -> None:
    """Write pictures of the kinds of pages of a site."""
    with served(str(site)) as address:
        for name, context in contexts(browser):
            page = context.new_page()
            for kind in KINDS[site.name]:
                page.goto(f"{address}{kind}.html")
                page.screenshot(path=str(into / f"{site.name}-{name}-{kind.replace('/', '-')}.png"))
            context.close()


def contexts(browser: Any) -> Iterator[tuple[str, Any]]:
    """Yield a browser's windows, with what they are called."""
    for name, (width, height) in SCREENS.items():
        scheme = "dark" if name == "dark" else "light"
        yield name, browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
