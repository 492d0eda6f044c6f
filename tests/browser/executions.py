"""Twelve pictures of executions, of one thread to eight, as a browser draws them: screenshots, and what overlaps.

What goes in: tests of the corpus, and a test of eight threads and thirty events. What comes out: SVG documents, and the
boxes of their texts, which the browser measures. `make screenshots` writes the pictures.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from axmem.explanations.explanation import explain
from axmem.formats.reading import parse, parse_file
from axmem.report.explanation import execution
from axmem.report.pictures.execution_svg import as_svg
from tests.paths import CORPUS
from tests.report.test_pictures import EIGHT

DRAWN = (
    "amdgpu/Own+load.vis", "base/MP+rel+acq", "amdgpu/MP+st-rel.none+acq-ld", "base/SB+sc+sc",
    "amdgpu/Chain+acquire-fence",
    "convergence/All+lanes", "base/IRIW+sc", "amdgpu/Chain+av-av-vis-vis", "orders/CoWW+scopes",
    "amdgpu/Pass+load-visible.ag",
    "amdgpu/Beyond+make.available.ag",
)  # fmt: skip
LAST = "eight threads"
NAMES = (*DRAWN, LAST)
CLOSE = 1.0
"""Pixels by which the boxes of two texts may meet: a box is as high as the highest character of its font."""
BOXES = """
() => [...document.querySelectorAll("svg text")].map((text) => {
  const { x, y, width, height } = text.getBoundingClientRect();
  return [text.textContent, x, y, width, height];
})
"""


@cache
def drawn(name: str) -> str:
    """Return the picture of a test's answer under `amdgpu`."""
    test = parse(EIGHT, "eight") if name == LAST else parse_file(CORPUS / f"{name}.litmus")
    found = explain(test, "amdgpu").exhibit
    assert found is not None, name
    return as_svg(execution(found))


def put(page: Any, name: str) -> None:
    """Let a page show a picture alone."""
    page.set_content(f"<!doctype html><html lang=en><title>picture</title><body style='margin:0'>{drawn(name)}")


def overlapping(page: Any) -> list[str]:
    """Return the pairs of texts that overlap on a page with a picture, and the texts that are not wholly in it."""
    boxes = page.evaluate(BOXES)
    whole = page.eval_on_selector("svg", "svg => [svg.clientWidth, svg.clientHeight]")
    found = [
        f"{text!r} is cut off"
        for text, x, y, width, height in boxes
        if x < 0 or y < 0 or x + width > whole[0] or y + height > whole[1]
    ]
    for (one, x, y, width, height), (other, left, top, wide, high) in combinations(boxes, 2):
        across = min(x + width, left + wide) - max(x, left)
        down = min(y + height, top + high) - max(y, top)
        if across > CLOSE and down > CLOSE:
            found.append(f"{one!r} and {other!r} overlap by {across:.1f} and {down:.1f}")
    return found


def screenshots(browser: Any, into: Path) -> None:
    """Write the pictures on a light ground and on a dark one."""
    for scheme in ("light", "dark"):
        context = browser.new_context(viewport={"width": 1300, "height": 850}, color_scheme=scheme)
        page = context.new_page()
        for name in NAMES:
            put(page, name)
            path = into / f"execution-{name.replace('/', '-').replace(' ', '-')}-{scheme}.png"
            page.locator("svg").screenshot(path=str(path))
        context.close()
