"""How long the playground takes: to the first outcomes, cold and warm, and from a key to the outcomes.

`AXMEM_PAGE=build/playground python -m benchmarks.page`, after `make playground` and `make .venv/.page`. What comes out:
milliseconds, the median of several loads and keys with the least and the most, and the load of the machine. *Cold* is a
browser that never saw the page; *warm* is the next visit, when the service worker has its files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from statistics import median
from typing import Any

from axmem.playground.link import View, fragment
from tests.browser.sites import chromium, served
from tests.playground.page import FOLDER, answered, shown

LOADS, KEYS = 5, 20
PATIENCE = 300_000
TEST = """litmus MP

global x = 0
global f = 0

thread P0 {
  store 1, x
  store atomic 1, f release
}

thread P1 {
  r0 = load atomic f acquire
  r1 = load x
}

exists (P1:r0=1 /\\ P1:r1=0)
"""
FIRST = "() => Number(document.documentElement.dataset.answered)"
KEY = """
() => addEventListener("keydown", () => { window.pressed = performance.now(); }, { capture: true })
"""
TAKEN = "() => Number(document.documentElement.dataset.answered) - window.pressed"


def first_outcomes(page: Any) -> float:
    """Return the milliseconds from the beginning of a visit to the first grid."""
    page.wait_for_function("() => document.documentElement.dataset.answered", timeout=PATIENCE)
    answered(page)
    return float(page.evaluate(FIRST))


def loads(browser: Any, address: str) -> tuple[list[float], list[float]]:
    """Return the milliseconds of cold visits and of warm ones."""
    cold, warm = [], []
    for _ in range(LOADS):
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        cold.append(first_outcomes(page))
        page.evaluate("() => navigator.serviceWorker.ready.then(() => null)")
        page.reload()
        warm.append(first_outcomes(page))
        context.close()
    return cold, warm


def keys(browser: Any, address: str) -> list[float]:
    """Return the milliseconds from a key to the outcomes of a test of four events, under two models."""
    page = browser.new_context().new_page()
    page.goto(address)
    answered(page)
    shown(page, fragment(View(TEST, ("llvm", "amdgpu"))))
    page.evaluate(KEY)
    page.click("#panel-text .cm-content")
    page.keyboard.press("Control+Home")
    page.keyboard.press("End")
    taken = []
    for _ in range(KEYS):
        page.keyboard.press("a")
        answered(page)
        taken.append(float(page.evaluate(TAKEN)))
    return taken


def printed(name: str, found: Sequence[float]) -> None:
    print(f"{name:34} {median(found):7.0f} ms   ({min(found):.0f} to {max(found):.0f}, {len(found)} times)")


def main() -> None:
    with served(FOLDER) as address, chromium() as browser:
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        cold, warm = loads(browser, address)
        printed("cold, to the first outcomes", cold)
        printed("warm, to the first outcomes", warm)
        printed("a key, to the outcomes of 4 events", keys(browser, address))
        print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
