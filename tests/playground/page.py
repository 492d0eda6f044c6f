"""The built page as tests use it: what it shows, and when it has answered.

What goes in: the folder that `make playground` wrote, as AXMEM_PAGE. What comes out: a page that shows what is wanted.
"""

from __future__ import annotations

import os
from typing import Any

from tests.browser.sites import watched

FOLDER = os.environ.get("AXMEM_PAGE", "")
SHOW = """
hash => {
  document.body.dataset.state = "busy";
  if (location.hash === hash) dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = hash;
}
"""


class Tried:
    """The page, its address, and what went wrong on it."""

    def __init__(self, browser: Any, address: str) -> None:
        self.address = address
        self.wrong: list[str] = []
        self.context = browser.new_context(viewport={"width": 1300, "height": 850})
        self.page = watched(self.context.new_page(), self.wrong, address)
        self.page.goto(address)
        answered(self.page)


def rows(page: Any) -> list[str]:
    """Return the rows of the grid, as they are read."""
    found = page.eval_on_selector_all("table.grid tbody tr", "rows => rows.map(row => row.innerText)")
    return [" ".join(text.split()) for text in found]


def shown(page: Any, fragment: str) -> None:
    """Let a page that is loaded show a link, and wait until it has answered."""
    page.evaluate(SHOW, fragment)
    answered(page)


def answered(page: Any) -> None:
    """Wait until the page has answered what it shows."""
    page.wait_for_selector("body[data-state=idle]", state="attached")


def put(page: Any, text: str, editor: str = "text") -> None:
    """Put a text into an editor, as a reader would, by replacing what is there, and wait for the answer."""
    page.click(f"#panel-{editor} .cm-content")
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)
    answered(page)
