"""Screenshots of the page, to be looked at: `make screenshots` builds the page and writes them into a folder.

What comes out: a picture of each view on a light ground, on a dark one, and on a phone; twelve executions.
"""

from __future__ import annotations

import sys
from pathlib import Path

from axmem.playground.link import TABS, View, fragment
from tests.browser import executions
from tests.browser.sites import chromium, served, watched
from tests.paths import CORPUS
from tests.playground.page import FOLDER, answered, shown

SCREENS = {"light": (1300, 850), "dark": (1300, 850), "phone": (390, 844)}
TEST = CORPUS / "amdgpu" / "MP+st-rel.none+acq-ld.litmus"


def main(into: Path) -> None:
    """Write the pictures."""
    into.mkdir(parents=True, exist_ok=True)
    text = TEST.read_text(encoding="utf-8")
    after = text.replace("release", "monotonic")
    with served(FOLDER) as address, chromium() as browser:
        for name, (width, height) in SCREENS.items():
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme="dark" if name == "dark" else "light"
            )
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
        executions.screenshots(browser, into)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
