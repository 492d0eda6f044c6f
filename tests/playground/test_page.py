"""The built page in a headless Chromium. `make test-page` builds the page and runs this; elsewhere it is skipped.

What is held: the page answers what is typed, draws hostile texts as texts, keeps its links, is ended by Cancel,
loads nothing from elsewhere, works offline, has no error on its console, and none that axe-core calls serious.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from axmem.playground.link import TABS, View, fragment, view_of
from tests.browser.sites import ALL, COLOURS, SIDEWAYS, WIDTHS, chromium, served, violations, watched
from tests.paths import CORPUS
from tests.playground.page import FOLDER, Tried, answered, put, rows, shown

pytestmark = pytest.mark.skipif(not FOLDER, reason="make test-page builds the page")

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
SMALL = """litmus small

global x = 0

thread P0 {
  store atomic 1, x monotonic
}

thread P1 {
  r0 = load atomic x monotonic
}

exists (P1:r0=1)
"""
OTHER = SMALL.replace("small", "other")
UPDATES = "".join(f"  r{k} = atomicrmw add x, 1 seq_cst\n" for k in range(2))
HEAVY = "litmus heavy\n\nglobal x = 0\n\n" + "".join(f"thread P{k} {{\n{UPDATES}}}\n\n" for k in range(8))
HEAVY += "exists (x=0)\n"

PASTE = """
text => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
  document.querySelector("#panel-text .cm-content").dispatchEvent(event);
}
"""


# A change of the limit lets the page ask again and pack its view; then a link is followed at once.
FOLLOW = """
hash => {
  document.body.dataset.state = "busy";
  document.querySelector("#seconds").dispatchEvent(new Event("change"));
  location.hash = hash;
}
"""


@pytest.fixture(scope="module")
def tried() -> Iterator[Tried]:
    """One page for all tests, loaded once; what went wrong on it fails the last test that it happened in."""
    with served(FOLDER) as address, chromium() as browser:
        yield Tried(browser, address)


@pytest.fixture(autouse=True)
def nothing_wrong(tried: Tried) -> Iterator[None]:
    """Hold every test to a console without errors."""
    tried.wrong.clear()
    yield
    assert not tried.wrong


def test_a_test_that_is_typed_has_outcomes(tried: Tried) -> None:
    put(tried.page, SMALL)
    assert rows(tried.page) == ["0 ✓ ✓", "1 ★ ★"]
    put(tried.page, SMALL.replace("store", "stor"))
    tried.page.wait_for_selector("#problems .error")
    assert "test.litmus:6:3: error: 'stor' begins no statement" in tried.page.inner_text("#problems")
    assert tried.page.locator("#panel-text .cm-lintRange-error").inner_text() == "stor"


def test_an_outcome_has_a_picture_and_an_excluded_one_a_core(tried: Tried) -> None:
    page = tried.page
    shown(page, fragment(View(corpus("amdgpu/MP+st-rel.none+acq-ld"), ("llvm", "amdgpu"))))
    page.click("table.grid tbody tr:nth-child(3) td:last-child button")
    page.wait_for_selector(".picture svg .r-rf", state="attached")
    assert "is allowed under amdgpu" in page.inner_text(".execution h2")
    page.click(".rel.r-rf input")
    page.wait_for_selector(".picture svg .r-rf", state="detached")
    page.click("table.grid tbody tr:nth-child(2) td:last-child button")
    page.wait_for_selector("text=is forbidden under amdgpu")
    assert "Excluded by" in page.inner_text(".execution")
    assert view_of(re.sub(".*#", "#", page.url)).under == "amdgpu"


@pytest.mark.parametrize("tab", ["explain", "lower", "ir", "compare", "repair"])
def test_each_tab_answers(tried: Tried, tab: str) -> None:
    shown(tried.page, fragment(View(corpus("amdgpu/MP+st-rel.none+acq-ld"), ("llvm", "amdgpu"))))
    tried.page.click(f"#views [data-tab={tab}]")
    answered(tried.page)
    assert tried.page.locator(".execution, #view .prose > *, #view pre.code").count()
    assert tried.page.locator(f"#views [data-tab={tab}][aria-selected=true]").count()
    assert not tried.page.locator("#view .note").count()


def test_a_changed_program_is_refined(tried: Tried) -> None:
    text = corpus("base/MP+rel+acq")
    view = View(text, ("llvm",), tab="refine", after=text.replace("release", "monotonic"))
    shown(tried.page, fragment(view))
    assert "unsound if no other thread runs" in tried.page.inner_text("#view")


def corpus(name: str) -> str:
    return (CORPUS / f"{name}.litmus").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", [SMALL, SMALL + f"; {HOSTILE} é ∀ 𝛂\n", "", HOSTILE])
def test_links_of_the_page_and_of_axmem_are_the_same(tried: Tried, text: str) -> None:
    view = View(text, ("sc", "amdgpu[vis.instance=literal]"), tab="lower", target="gfx1100")
    shown(tried.page, fragment(view))
    there = view_of(re.sub(".*#", "#", tried.page.url))
    assert there == view or (not text and there.text)
    put(tried.page, OTHER)
    assert view_of(re.sub(".*#", "#", tried.page.url)) == View(OTHER, view.models, tab="lower", target="gfx1100")


RUBBISH = ("#1AAAA", "#2x", f"#{HOSTILE}", "#1" + "A" * 100_000, fragment(View(" " * 999_999)) + "x")


@pytest.mark.parametrize("rubbish", RUBBISH)
def test_rubbish_in_a_link_is_refused(tried: Tried, rubbish: str) -> None:
    shown(tried.page, rubbish)
    assert "this is no link of the playground" in tried.page.inner_text("#problems")


def test_hostile_texts_are_shown_as_texts(tried: Tried) -> None:
    page = tried.page
    page.on("dialog", lambda dialog: tried.wrong.append(f"dialog: {dialog.message}"))
    hostile = SMALL.replace("\n\nglobal", f'\n"{HOSTILE}"\n\nglobal', 1)
    for tab in ("outcomes", "explain", "lower", "compare", "repair"):
        shown(page, fragment(View(hostile, ("llvm", "amdgpu"), tab=tab)))
        assert not page.locator("#view script, #view img, #problems script, #problems img").count()
    shown(page, fragment(View(hostile, ("llvm",))))
    assert page.inner_text(".description") == HOSTILE
    put(page, HOSTILE)
    assert page.locator("#problems .error").count()


def test_ten_megabytes_are_refused(tried: Tried) -> None:
    page = tried.page
    page.evaluate(PASTE, "x" * 10_000_000)
    page.wait_for_selector("#problems >> text=more than 1,000,000 characters")


def test_the_time_limit_ends_a_question(tried: Tried) -> None:
    page = tried.page
    page.select_option("#seconds", "1")
    page.evaluate("hash => { location.hash = hash; }", fragment(View(HEAVY, ("amdgpu",))))
    page.wait_for_selector("#view .note:has-text('the time limit was reached')")
    put(page, SMALL)
    assert rows(page) == ["0 ✓", "1 ★"]
    page.select_option("#seconds", "20")


def test_what_is_typed_ends_a_question_that_takes_long(tried: Tried) -> None:
    """The limit of time is longer than this test would wait."""
    page = tried.page
    page.select_option("#seconds", "300")
    page.evaluate("hash => { location.hash = hash; }", fragment(View(HEAVY, ("amdgpu",))))
    page.wait_for_selector("#cancel", state="visible")
    put(page, SMALL)
    assert rows(page) == ["0 ✓", "1 ★"]
    page.select_option("#seconds", "20")


def test_a_link_that_is_followed_stands_while_the_page_writes_its_own(tried: Tried) -> None:
    """The page packs its view in the background; a link that is followed meanwhile is not written over."""
    page = tried.page
    for text in 10 * [SMALL, OTHER]:
        page.evaluate(FOLLOW, fragment(View(text, ("llvm",))))
        answered(page)
        assert view_of(re.sub(".*#", "#", page.url)).text == text
        assert page.inner_text("#panel-text .cm-line >> nth=0") == text.splitlines()[0]


def test_cancel_ends_a_question_and_the_page_goes_on(tried: Tried) -> None:
    page = tried.page
    page.evaluate("hash => { location.hash = hash; }", fragment(View(HEAVY, ("amdgpu",))))
    page.click("#cancel")
    page.wait_for_selector("#view .note:has-text('Unknown: cancelled')")
    put(page, SMALL)
    assert rows(page) == ["0 ✓", "1 ★"]


def test_what_is_copied_is_what_axmem_writes(tried: Tried) -> None:
    page = tried.page
    shown(page, fragment(View(SMALL, ("llvm",))))
    for form, begins in (("link", "http"), ("markdown", "```"), ("lit", "; RUN: axmem run"), ("embed", "<iframe src=")):
        page.click("#share")
        page.click(f"[data-copy={form}]")
        page.wait_for_function(
            "begins => (document.documentElement.dataset.copied ?? '').startsWith(begins)", arg=begins
        )


def test_an_embedded_page_has_no_menus(tried: Tried) -> None:
    page = watched(tried.context.new_page(), tried.wrong, tried.address)
    page.goto(f"{tried.address}?embed{fragment(View(SMALL, ('llvm',)))}")
    answered(page)
    assert not page.is_visible("header") and page.is_visible("#whole")
    assert view_of(re.sub(".*#", "#", page.get_attribute("#whole", "href"))).text == SMALL
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(tried: Tried, scheme: str) -> None:
    page = tried.page
    page.emulate_media(color_scheme=scheme)
    states = {"outcomes": None, "lower": None, "repair": None, "dialog": "#open"}
    for tab, click in states.items():
        view = View(corpus("amdgpu/MP+st-rel.none+acq-ld"), ("llvm", "amdgpu"), tab="outcomes" if click else tab)
        shown(page, fragment(view))
        if click:
            page.click(click)
        elif tab == "outcomes":
            page.click("table.grid tbody tr:nth-child(3) td:last-child button")
            page.wait_for_selector(".picture svg")
            page.click("#models .chip button")
        found = violations(page, COLOURS if scheme == "dark" else ALL)
        assert not found, (tab, found)
        page.keyboard.press("Escape")
    page.emulate_media(color_scheme="light")


@pytest.mark.parametrize("tab", TABS)
def test_nothing_runs_off_the_edge_of_a_phone(tried: Tried, tab: str) -> None:
    """Neither the page nor a table, a picture or a text in it moves sideways, with a long name of a model."""
    page = tried.page
    text = corpus("amdgpu/MP+st-rel.none+acq-ld")
    models = ("llvm", "amdgpu[vis.instance=literal]", "sc")
    page.set_viewport_size({"width": WIDTHS[1], "height": 844})
    shown(page, fragment(View(text, models, tab=tab, after=text.replace("release", "monotonic"))))
    if tab == "outcomes":
        page.click("table.grid tbody tr:nth-child(3) td:nth-child(4) button")
        page.wait_for_selector(".picture svg")
    width, moved = page.evaluate(SIDEWAYS, "table, svg, pre")
    page.set_viewport_size({"width": WIDTHS[0], "height": 850})
    assert width <= WIDTHS[1] and not moved


def test_no_link_is_dead(tried: Tried) -> None:
    text = (Path(FOLDER) / "sw.js").read_text(encoding="utf-8")
    files = json.loads(re.search(r"FILES = (\[.*?\]);", text)[1])  # type: ignore[index]
    page = (Path(FOLDER) / "index.html").read_text(encoding="utf-8")
    for name in [*files, *re.findall(r'(?:src|href)="([^"]+)"', page)]:
        response = tried.context.request.get(tried.address + name)
        assert response.status == 200, name


def test_the_page_works_offline(tried: Tried) -> None:
    page = tried.page
    page.goto(f"{tried.address}?{fragment(View(SMALL, ('llvm',)))}")
    page.evaluate("() => navigator.serviceWorker.ready.then(() => null)")
    tried.context.set_offline(True)
    try:
        page.reload()
        answered(page)
        assert rows(page) == ["0 ✓", "1 ★"]
    finally:
        tried.context.set_offline(False)
