"""Random orders of clicks and edits on the built page: what it shows answers what stands beside it, at every moment.

What goes in: a page, and a seed. What comes out: what was wrong. Each text of the trial has a word of its own, which
names its locations and registers: an answer that is not faint may have no word of another text. At the end the page
shows what a page shows that is opened by the link alone. The orders are drawn before they are run; the waits between
two acts differ, so that answers come in between.
"""

from __future__ import annotations

import random
from functools import partial
from typing import Any

from axmem.playground.link import TABS, View, fragment
from tests.playground.page import answered, shown

TEXT = """litmus {0}

global {0}_data = 0
global {0}_flag = 0

thread P0 @ agent 0 {{
  store 1, {0}_data
  store atomic 1, {0}_flag {1}
}}

thread P1 @ agent 0 {{
  r_{0} = load atomic {0}_flag acquire
  s_{0} = load {0}_data
}}

exists (P1:r_{0}=1 /\\ P1:s_{0}=0)
"""
WORDS = ("alpha", "bravo", "delta")
FAULTY = "oscar"
"""The word of a text that cannot be read."""
TEXTS = {
    **{word: TEXT.format(word, "release" if word == "alpha" else "monotonic") for word in WORDS},
    FAULTY: TEXT.format(FAULTY, "release").replace("store 1", "stor 1"),
    "blank": " ",
}
MODELS = ("llvm", "amdgpu", "sc")
ACTS = ("edit", "edit", "tab", "tab", "cell", "model", "limit", "link", "relation", "cancel")
LENGTH = 8
DRIVER = """
async ([acts, words]) => {
  const $ = (selector) => document.querySelector(selector);
  const wrong = [];
  const look = (when) => {
    const text = ["text", "after"].map((name) => $(`#panel-${name} .cm-content`).textContent).join(" ");
    const others = words.filter((word) => !text.includes(`litmus ${word}`));
    for (const id of ["#view", "#problems"]) {
      const said = $(id).hidden || $(id).classList.contains("stale") ? "" : $(id).textContent;
      const found = others.filter((word) => said.includes(word));
      if (found.length) wrong.push(`${when}: ${id} speaks of ${found} beside ${text.slice(0, 12)}`);
      if (/fault of axmem/.test(said)) wrong.push(`${when}: ${said.slice(0, 200)}`);
    }
  };
  const watcher = new MutationObserver(() => look("later"));
  watcher.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["class"] });
  const usable = (each) => each && !each.closest("[inert], [hidden]");
  const put = (text) => {
    const content = $("#panel-text .cm-content");
    const all = { key: "a", keyCode: 65, ctrlKey: true, bubbles: true, cancelable: true };
    content.focus();
    content.dispatchEvent(new KeyboardEvent("keydown", all));
    const data = new DataTransfer();
    data.setData("text/plain", text);
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  };
  const click = (selector, number) => {
    const all = [...document.querySelectorAll(selector)].filter(usable);
    if (all.length) all[number % all.length].click();
  };
  const act = {
    edit: (text) => put(text),
    tab: (name) => click(`#views [data-tab=${name}]`, 0),
    cell: (number) => click("table.grid .cell button", number),
    model: (number) => {
      // A link without models means the two that are asked at first.
      const chosen = document.querySelectorAll("#models .chip").length;
      if (number % 2 && chosen > 1) return click("#models .chip button[aria-label]", number);
      const select = $("#models select");
      select.value = ["llvm", "amdgpu", "sc"][number % 3];
      select.dispatchEvent(new Event("change"));
    },
    limit: () => $("#seconds").dispatchEvent(new Event("change")),
    link: (hash) => { location.hash = hash; },
    relation: (number) => click("#view .rel input", number),
    cancel: () => click("#cancel", 0),
  };
  for (const [name, value, wait] of acts) {
    act[name](value);
    look(name);
    await new Promise((resolve) => setTimeout(resolve, wait));
    look(`${name}, and a while`);
  }
  watcher.disconnect();
  return wrong;
}
"""
STATE = """
() => ({
  hash: location.hash,
  problems: document.querySelector("#problems").innerText,
  // What is faint answers an earlier question, of which a link knows nothing.
  view: [...document.querySelectorAll("#view:not(.stale) > *")].map((each) => {
    const copy = each.cloneNode(true);
    // What is chosen and drawn of an execution stands in no link.
    for (const part of copy.querySelectorAll(".picture, .relations, .said")) part.remove();
    return copy.outerHTML;
  }).join("\\n"),
})
"""


def order(seed: int) -> list[tuple[str, object, int]]:
    """Return the acts of a seed: what is done, with what, and how many milliseconds are waited then."""
    rng = random.Random(seed)
    values = {
        "edit": lambda: rng.choice([*TEXTS.values()]),
        "tab": lambda: rng.choice(TABS),
        "link": lambda: fragment(_view(rng)),
    }
    names = ["link", *(rng.choice(ACTS) for _ in range(LENGTH))]
    return [(name, values.get(name, partial(rng.randrange, 60))(), rng.choice((0, 0, 30, 90, 400))) for name in names]


def _view(rng: random.Random) -> View:
    text, after = (TEXTS[rng.choice(WORDS)] for _ in range(2))
    models = tuple(rng.sample(MODELS, rng.randint(1, 2)))
    return View(text, models, tab=rng.choice(TABS), after=after if text.split()[1] == after.split()[1] else text)


def tried(page: Any, other: Any, seed: int) -> list[str]:
    """Run the order of a seed on a page; `other` is a page that shows links alone. Return what was wrong."""
    wrong: list[str] = page.evaluate(DRIVER, [order(seed), [*WORDS, FAULTY]])
    # A question that was ended is asked again; then the page is idle for good.
    page.evaluate("() => document.querySelector('#seconds').dispatchEvent(new Event('change'))")
    answered(page)
    here = page.evaluate(STATE)
    shown(other, here["hash"])
    there = other.evaluate(STATE)
    for part in ("view", "problems"):
        if here[part] != there[part]:
            wrong.append(f"{part} is {here[part][:300]!r}, and is {there[part][:300]!r} where the link is opened")
    return [f"order {seed}: {each}" for each in wrong]
