"""The checker of the built page answers as axmem does here: tests of the corpus, by tables or by Z3.

`make try-pages` asks it about every twelfth, `make test-long` about all.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from axmem.encoder.solve import TOO_MANY
from axmem.playground.answers import answer
from tests.browser.sites import PATIENCE, chromium, served
from tests.drawn import WHOLE, some
from tests.paths import CORPUS_TESTS
from tests.playground.page import FOLDER

pytestmark = pytest.mark.skipif(not FOLDER, reason="make test-page builds the page")

ASKED = some(CORPUS_TESTS, of=12)
BY_Z3 = 30 if WHOLE else 8

ASK = """
async ([address, requests, patience]) => {
  const worker = new Worker(address, { type: "module" });
  const found = [];
  const waiting = [];
  const ask = (id) => worker.postMessage({ id, request: requests[id] });
  let left = requests.length;
  await new Promise((resolve, reject) => {
    // A question that came before Z3 is given back, and asked again when Z3 is there, as the page does.
    worker.onmessage = ({ data }) => {
      if (data.failed ?? data.missing) reject(new Error(data.failed ?? data.missing));
      if (data.ready) requests.forEach((_, id) => ask(id));
      if (data.needs) waiting.push(data.id);
      if (data.got) waiting.splice(0).forEach(ask);
      if (!data.answer) return;
      found[data.id] = data.answer;
      left -= 1;
      if (!left) resolve();
    };
    worker.onerror = (event) => reject(new Error(event.message));
    setTimeout(() => reject(new Error(`${left} questions have no answer`)), patience);
  });
  worker.terminate();
  return found;
}
"""


def test_the_corpus_has_the_native_outcomes() -> None:
    by_tables: list[tuple[dict[str, Any], dict[str, Any]]] = []
    by_z3: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for path in ASKED:
        request = {"ask": "outcomes", "text": path.read_text(encoding="utf-8"), "engine": "table", "seconds": 100}
        found = answer(request)
        (by_z3 if str(TOO_MANY) in str(found) else by_tables).append((request, found))
    # Tables do not answer so many of the corpus as are to be tried: Z3 is asked about some others, too.
    more = random.Random(31).sample(by_tables, BY_Z3 - len(by_z3))
    of_z3 = [{**request, "engine": "auto"} for request, _ in by_z3] + [
        {**request, "engine": "z3"} for request, _ in more
    ]
    asked = [*by_tables, *((request, answer(request)) for request in of_z3)]
    assert len(by_tables) > 0.9 * len(ASKED) and len(by_z3) > 1
    with served(FOLDER) as address, chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{address}icon.svg")
        found = page.evaluate(ASK, ["worker.js", [request for request, _ in asked], PATIENCE])
    for (request, native), there in zip(asked, found, strict=True):
        assert there == json.loads(json.dumps(native)), str(request)[:80]


