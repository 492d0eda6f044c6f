"""The built page under random orders of clicks and edits: `make test-page` tries some, its long form 300.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from axmem.playground.link import View, fragment
from tests.browser.sites import chromium, served, watched
from tests.drawn import parts
from tests.playground import orders
from tests.playground.page import FOLDER, answered, shown

pytestmark = pytest.mark.skipif(not FOLDER, reason="make test-page builds the page")

ORDERS, PART = 300, 2
FORGETFUL = """
() => {
  const { toggle } = DOMTokenList.prototype;
  DOMTokenList.prototype.toggle = function (name, force) { return name !== "stale" && toggle.call(this, name, force); };
}
"""


@pytest.fixture(scope="module")
def pages() -> Iterator[tuple[Any, Any, list[str]]]:
    wrong: list[str] = []
    with served(FOLDER) as address, chromium() as browser:
        both = []
        for _ in range(2):
            page = watched(browser.new_context(viewport={"width": 1300, "height": 850}).new_page(), wrong, address)
            page.goto(address)
            answered(page)
            both.append(page)
        yield both[0], both[1], wrong


@pytest.mark.parametrize("part", parts(ORDERS // PART, of=ORDERS // PART))
def test_what_is_shown_answers_what_is_asked(pages: tuple[Any, Any, list[str]], part: int) -> None:
    page, other, wrong = pages
    assert [found for seed in range(part * PART, (part + 1) * PART) for found in orders.tried(page, other, seed)] == []
    assert not wrong


def test_a_page_that_shows_old_answers_is_found(pages: tuple[Any, Any, list[str]]) -> None:
    """The control: the same page, which does not say that an answer is an earlier one."""
    page, _, _ = pages
    alpha, bravo = (orders.TEXTS[word] for word in orders.WORDS[:2])
    shown(page, fragment(View(alpha, ("llvm",))))
    edit = [[["edit", bravo, 0]], [*orders.WORDS]]
    assert not page.evaluate(orders.DRIVER, edit)
    answered(page)
    shown(page, fragment(View(alpha, ("llvm",))))
    page.evaluate(FORGETFUL)
    assert "#view speaks of alpha" in page.evaluate(orders.DRIVER, edit)[0]
