"""The built page while Z3 comes, which here takes until a test lets it: every question is answered, or waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from axmem.playground.link import View, fragment
from tests.browser.sites import PATIENCE, Gate, chromium, served, watched
from tests.paths import CORPUS
from tests.playground.page import FOLDER, answered, rows, shown

pytestmark = pytest.mark.skipif(not FOLDER, reason="make test-page builds the page")

TEXT = (CORPUS / "amdgpu" / "MP+st-rel.none+acq-ld.litmus").read_text(encoding="utf-8")
VIEW = View(TEXT, ("llvm", "amdgpu"), after=TEXT.replace("release", "monotonic"))
NEEDING = ("explain", "refine", "repair", "compare")
"""The tabs whose answers need Z3."""
OTHERS = ("lower", "ir", "outcomes")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def gate() -> Gate:
    return Gate("wheels/z3")


@pytest.fixture
def page(browser: Any, gate: Gate) -> Iterator[Any]:
    """The page, whose Python is ready, and whose Z3 is half there."""
    wrong: list[str] = []
    with served(FOLDER, gate) as address:
        # The service worker would ask for all files once more.
        context = browser.new_context(viewport={"width": 1300, "height": 850}, service_workers="block")
        page = watched(context.new_page(), wrong, address)
        page.goto(address)
        answered(page)
        shown(page, fragment(VIEW))
        yield page
        context.close()
    assert not [each for each in wrong if "ERR_" not in each and "wheels/z3" not in each]


def clicked(page: Any, tab: str) -> None:
    page.click(f"#views [data-tab={tab}]")


def whole(page: Any) -> None:
    """Hold the page to an answer that is one."""
    answered(page)
    assert page.locator(".execution, #view .prose > *, #view pre.code, #view table.grid").count()
    assert not page.locator("#view .note, #view.stale").count()


def test_every_tab_is_asked_while_z3_comes(page: Any, gate: Gate) -> None:
    assert gate.reached.wait(PATIENCE / 1000)  # The page has begun to load it, for nobody.
    for tab in (*NEEDING, *OTHERS):
        clicked(page, tab)
        assert page.locator(f"#views [data-tab={tab}][aria-selected=true]").count()
    whole(page)  # The last needs no Z3, and waits for none.
    for tab in OTHERS:
        clicked(page, tab)
        whole(page)
    for tab in NEEDING:
        clicked(page, tab)
        page.wait_for_selector("#status:has-text('Loading Z3')")
        assert not page.inner_text("#view")
    gate.opened.set()
    whole(page)
    for tab in (*NEEDING, *OTHERS):
        clicked(page, tab)
        whole(page)


def test_a_cell_is_chosen_while_z3_comes(page: Any, gate: Gate) -> None:
    page.click("table.grid tbody tr:nth-child(3) td:last-child button")
    page.wait_for_selector("#status:has-text('Loading Z3')")
    assert len(rows(page)) == 3, "the grid stays"
    gate.opened.set()
    page.wait_for_selector(".execution .picture svg")


def test_cancel_ends_a_question_that_waits_for_z3(page: Any, gate: Gate) -> None:
    clicked(page, "explain")
    page.wait_for_selector("#status:has-text('Loading Z3')")
    page.click("#cancel")
    page.wait_for_selector("#view .note:has-text('Unknown: cancelled')")
    clicked(page, "lower")
    whole(page)
    gate.opened.set()
    clicked(page, "explain")
    whole(page)
    assert gate.asked == 1, "the download went on"


def test_a_download_that_breaks_off_is_tried_again(page: Any, gate: Gate) -> None:
    gate.breaks = True
    clicked(page, "explain")
    page.wait_for_selector("#view .note:has-text('Z3 could not be loaded')")
    gate.breaks = False
    gate.opened.set()
    clicked(page, "lower")
    whole(page)
    clicked(page, "explain")
    whole(page)


BREAKS = "self.addEventListener('message', (e) => { e.stopImmediatePropagation(); throw new Error('broken'); });\n"
"""What makes a worker fail at the first question that it is asked."""


@pytest.mark.parametrize("broken", [1, 99])
def test_what_a_worker_that_fails_was_asked_is_asked_once_more(browser: Any, broken: int) -> None:
    """The control: where all workers fail, that is said."""
    started: list[str] = []

    def passed_on(route: Any) -> None:
        response = route.fetch()
        started.append(route.request.url)
        route.fulfill(response=response, body=BREAKS * (len(started) <= broken) + response.text())

    with served(FOLDER) as address:
        context = browser.new_context(viewport={"width": 1300, "height": 850}, service_workers="block")
        context.route("**/worker.js", passed_on)
        page = watched(context.new_page(), [], address)
        page.goto(address)
        answered(page)
        assert len(started) == 2
        fault = "This is a fault of axmem" in page.inner_text("#view")
        assert fault if broken > 1 else rows(page) and not fault
        context.close()
