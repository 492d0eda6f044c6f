"""The parts of the page, each as a reader uses it.

They are: words that are coloured and completed, models and their readings, cat text of the reader's own, edges of a
picture, two programs side by side, the tests to choose from, what the policy forbids.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import axmem
from axmem.model.library import load
from axmem.playground.answers import answer
from axmem.playground.link import View, fragment
from tests.browser.sites import chromium, served
from tests.paths import CORPUS
from tests.playground.page import FOLDER, Tried, answered, put, rows, shown

pytestmark = pytest.mark.skipif(not FOLDER, reason="make test-page builds the page")

MP = (CORPUS / "amdgpu" / "MP+st-rel.none+acq-ld.litmus").read_text(encoding="utf-8")
RACY = """litmus racy

global x = 0

thread P0 {
  store 1, x
}

thread P1 {
  r0 = load x
}

exists (P1:r0=1)
"""
MODEL = """"own"
acyclic po | rf | co | fr as sc
"""
BLOCKED = """
async elsewhere => {
  // What the browser's driver runs at first is free of the policy.
  await new Promise((resolve) => setTimeout(resolve));
  const found = [];
  document.addEventListener("securitypolicyviolation", (event) => found.push(event.effectiveDirective));
  const script = document.createElement("script");
  script.textContent = "window.ran = true";
  document.body.append(script);
  const link = document.createElement("a");
  link.setAttribute("onclick", "window.ran = true");
  document.body.append(link);
  link.click();
  try { window.eval("window.ran = true"); } catch { found.push("eval"); }
  try { await fetch(elsewhere); found.push("FETCHED"); } catch { found.push("fetch"); }
  const other = document.createElement("script");
  other.src = elsewhere + "main.js";
  document.body.append(other);
  const picture = new Image();
  picture.src = elsewhere + "icon.svg";
  const frame = document.createElement("iframe");
  frame.src = elsewhere;
  document.body.append(frame);
  await new Promise((resolve) => setTimeout(resolve, 300));
  return { ran: window.ran ?? false, found };
}
"""
IN_WORKER = """
async elsewhere => {
  const text = `
    const found = [];
    try { eval("1"); found.push("EVALUATED"); } catch { found.push("eval"); }
    fetch(${JSON.stringify(elsewhere)}).then(() => found.push("FETCHED"), () => found.push("fetch"))
      .then(() => postMessage(found));
  `;
  try {
    const worker = new Worker(URL.createObjectURL(new Blob([text])));
    return await new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = () => resolve(["no worker"]);
    });
  } catch {
    return ["no worker"];
  }
}
"""


@pytest.fixture(scope="module")
def tried() -> Iterator[Tried]:
    with served(FOLDER) as address, chromium() as browser:
        yield Tried(browser, address)


@pytest.fixture(autouse=True)
def nothing_wrong(tried: Tried) -> Iterator[None]:
    tried.wrong.clear()
    yield
    assert not tried.wrong


def test_words_are_completed(tried: Tried) -> None:
    page = tried.page
    put(page, "litmus small\n\nglobal x = 0\n\nthread P0 {\n  ")
    page.keyboard.type("fen")
    page.wait_for_selector(".cm-tooltip-autocomplete >> text=fence")
    page.wait_for_timeout(100)  # A completion that has just appeared is not taken by Enter.
    page.keyboard.press("Enter")
    assert page.inner_text("#panel-text .cm-content").rstrip().endswith("fence")


def test_words_of_each_language_are_coloured(tried: Tried) -> None:
    page = tried.page
    shown(page, fragment(View(MP, ("llvm",))))
    assert {"litmus", "thread"} <= coloured(page, "#panel-text", "keyword")
    assert {"store", "load"} <= coloured(page, "#panel-text", "operation")
    module = answer({"ask": "ir", "text": MP})["text"]
    shown(page, fragment(View(module, ("llvm",))))
    assert rows(page), "a module is a test, too"
    for where in ("#panel-text", "#view pre.code"):
        assert {"define", "global"} <= coloured(page, where, "keyword")
        assert {"store", "load", "ret"} <= coloured(page, where, "operation")
        assert {"i32", "void"} <= coloured(page, where, "type")
        page.click("#views [data-tab=ir]")
        answered(page)
    assert page.text_content("#view pre.code") == module
    page.click("#tab-cat")
    page.wait_for_selector("#panel-cat .t-keyword")
    assert "let" in coloured(page, "#panel-cat", "keyword")


def coloured(page: Any, where: str, kind: str) -> set[str]:
    """Return the words of a place that are coloured as a kind."""
    return set(page.eval_on_selector_all(f"{where} .t-{kind}", "found => found.map(each => each.textContent)"))


def test_readings_are_switches_that_say_what_they_decide(tried: Tried) -> None:
    page = tried.page
    shown(page, fragment(View(MP, ("amdgpu",))))
    page.click("#models .chip button >> text=readings")
    variants = {v.name: v for v in load("amdgpu").variants}
    labels = page.locator("#readings label")
    assert labels.count() == len(variants)
    for label in labels.all():
        variant = variants[label.locator("code").inner_text()]
        assert label.locator("small").inner_text() == variant.text
        assert [*variant.values] == label.locator("option").evaluate_all("found => found.map(each => each.value)")
    page.select_option("#readings label:has(code:text-is('vis.instance')) select", "literal")
    answered(page)
    assert page.inner_text("table.grid th >> nth=2").startswith("amdgpu[vis.instance=literal]")
    page.select_option("#models select", "llvm")
    answered(page)
    assert page.locator("#models .chip").count() == 2


def test_cat_text_of_the_reader_is_a_model(tried: Tried) -> None:
    page = tried.page
    shown(page, fragment(View(MP, ("llvm", "own.cat"), cat=MODEL)))
    grid = page.inner_text("table.grid")
    assert "own.cat" in grid
    page.click("#tab-cat")
    put(page, MODEL.replace("po | rf", "po | rg"), "cat")
    page.wait_for_selector("#problems .error")
    assert "own.cat:2:14: error" in page.inner_text("#problems")
    assert page.locator("#panel-cat .cm-lintRange-error").inner_text() == "rg"
    put(page, MODEL.replace("po | ", ""), "cat")
    assert page.inner_text("table.grid") != grid


def test_differences_and_races_are_marked(tried: Tried) -> None:
    page = tried.page
    shown(page, fragment(View(MP, ("llvm", "amdgpu"))))
    asked = answer({"ask": "outcomes", "text": MP, "models": ["llvm", "amdgpu"]})
    classes = page.eval_on_selector_all("table.grid tbody tr", "found => found.map(each => each.className)")
    marked = [each == "differs" for each in classes]
    assert marked == [row["differs"] for row in asked["rows"]] and any(marked) and not all(marked)
    shown(page, fragment(View(RACY, ("llvm",))))
    assert page.inner_text("table.grid .flag") == " ".join(axmem.outcomes(RACY, "llvm").flags) == "race"


def test_an_edge_says_its_definition_and_the_sentence(tried: Tried) -> None:
    page = tried.page
    shown(page, fragment(View(MP, ("llvm", "amdgpu"))))
    page.click("table.grid tbody tr:nth-child(3) td:last-child button")
    page.wait_for_selector(".picture svg .reach", state="attached")
    asked = {"ask": "picture", "text": MP, "under": "amdgpu", "outcome": "P1:r0=1 /\\ P1:r1=undef"}
    known = {each["name"]: each for each in answer(asked)["relations"]}
    drawn = page.locator(".picture path[data-relation]").evaluate_all(
        "found => found.map(each => [each.dataset.relation, each.getAttribute('d')])"
    )
    ways = {way: [relation for relation, other in drawn if other == way] for _, way in drawn}
    assert {"rf", "sw", "hb", "po", "lo"} <= {relation for relation, _ in drawn}
    reaches = page.locator(".picture .reach").all()
    assert len(reaches) == len(ways)
    for edge in reaches:
        edge.focus()
        said = page.inner_text(".said")
        for relation in ways[edge.get_attribute("d")]:
            assert known[relation]["means"] in edge.get_attribute("aria-label")
            assert all(known[relation][part] in said for part in ("means", "text", "says", "reference"))
    page.click(".rel.r-rf input")
    page.wait_for_selector(".picture svg .r-rf", state="detached")
    page.locator(".picture .reach").first.hover(force=True)
    assert "let" in page.inner_text(".said")


def test_two_programs_stand_side_by_side(tried: Tried) -> None:
    page = tried.page
    shown(page, fragment(View(RACY, ("llvm",))))
    page.click("#views [data-tab=refine]")
    page.click("#view button >> text=Copy the test")
    answered(page)
    one, other = (page.locator(f"#panel-{name}").bounding_box() for name in ("text", "after"))
    assert one["y"] == other["y"] and one["x"] + one["width"] <= other["x"] and min(one["width"], other["width"]) > 300
    assert "sound" in page.inner_text("#view")
    put(page, RACY.replace("store 1", "store 2"), "after")
    assert "unsound" in page.inner_text("#view")


def test_tests_are_chosen_by_words(tried: Tried) -> None:
    page = tried.page
    shown(page, fragment(View(RACY, ("llvm",))))
    page.click("#open")
    heads = " ".join(page.locator("#list h3").all_inner_texts())
    assert all(group in heads for group in ("Corpus: amdgpu", "Examples of the documents", "Findings"))
    page.fill("#filter", "amdgpu st-rel.none+acq-ld")
    page.click("#list button >> text='MP+st-rel.none+acq-ld.litmus'")
    answered(page)
    assert page.inner_text(".description") == axmem.parse(MP).description


def test_the_policy_forbids_what_is_inline_and_what_is_elsewhere(tried: Tried) -> None:
    page = tried.context.new_page()
    page.goto(tried.address)
    answered(page)
    with served(FOLDER) as elsewhere:
        found = page.evaluate(BLOCKED, elsewhere)
        worker = page.evaluate(IN_WORKER, elsewhere)
    page.close()
    assert found["ran"] is False
    directives = {"script-src-elem", "script-src-attr", "connect-src", "img-src", "eval", "fetch"}
    assert directives <= {*found["found"]} and "FETCHED" not in found["found"], found
    assert {"frame-src", "child-src", "default-src"} & {*found["found"]}, found
    assert worker == ["no worker"]
