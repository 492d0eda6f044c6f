// The page: what is shown (a view), and what of it changes when something is typed, chosen or answered.
import { Checker } from "./checker.js";
import { fragment, viewOf } from "./codec.js";
import { chooser } from "./chooser.js";
import { $, h, printed } from "./dom.js";
import { coloured, editor, languages, setText, show, textOf } from "./editor.js";
import { OWN, chips, switches } from "./models.js";
import { execution, grid } from "./outcomes.js";

const TABS = {
  outcomes: "Outcomes", explain: "Explanation", lower: "Machine code", ir: "LLVM IR", compare: "Compare",
  refine: "Refine", repair: "Repair",
};
const FIRST = "corpus/amdgpu/MP+st-rel.none+acq-ld.litmus";
const TYPING = 60; // Milliseconds without a key before the checker is asked.
const DEFAULTS = { tab: "outcomes", models: ["llvm", "amdgpu"], target: "gfx942" };

const fetched = fetch("catalogue.json");
const embedded = new URLSearchParams(location.search).has("embed");
document.documentElement.classList.toggle("embed", embedded);

const view = { text: "", after: "", cat: "", models: [], tab: "outcomes", target: DEFAULTS.target, outcome: "", under: "" };
const state = { opened: -1, link: [], restoring: true, panel: "text", shown: "", question: 0, pictures: 0, links: 0, remembered: 0 };

// ------------------------------------------------------------ the checker, which loads while the rest of the page does

const say = (text) => { $("status").textContent = text; };
const checker = new Checker("worker.js", (event) => {
  const progress = $("progress");
  if (event.loading !== undefined) {
    progress.hidden = !event.loading;
    if (event.share) progress.value = event.share;
    say(event.loading ? `Loading ${event.loading}…` : "");
    if (event.waiting !== undefined) $("cancel").hidden = !event.waiting;
  }
  if (event.ready) {
    say(`axmem ${event.ready} is ready`);
    document.documentElement.dataset.ready = event.ready;
  }
  if (event.busy) {
    clearTimeout(state.busy);
    state.busy = setTimeout(() => { $("cancel").hidden = false; say("Working…"); }, 300);
  }
  if (event.idle) {
    clearTimeout(state.busy);
    $("cancel").hidden = true;
    say(event.cancelled ? "Cancelled; the checker starts again" : `${Math.round(event.milliseconds)} ms`);
  }
  if (event.failed) {
    clearTimeout(state.busy);
    $("cancel").hidden = true;
    progress.hidden = true;
    say(`The checker failed: ${event.failed}`);
  }
});
const catalogue = await (await fetched).json();

const VIEW = { channel: "view" }; // Of what the page shows, the last question counts.
const seconds = () => Number($("seconds").value);
const base = () => ({
  text: view.text, after: view.after, cat: view.models.some((label) => label.startsWith(OWN)) ? view.cat : "",
  models: view.models, seconds: seconds(), target: view.target,
});

/** Ask; what is wrong is shown. Returns null if there is no answer, or the question is no longer the last one. */
async function ask(request, number) {
  const found = await checker.ask({ ...base(), ...request }, VIEW);
  if (found === null || number !== state.question) return null;
  if (found.diagnostics) {
    problems(found.diagnostics);
    return null;
  }
  problems((found.warnings ?? []).map((each) => ({ ...each, source: "test.litmus" })));
  if (!found.unknown && !found.fault) return found;
  answered(h("p", { class: "note" }, found.unknown ? `Unknown: ${found.unknown}` : `This is a fault of axmem and no answer: ${found.fault}`));
  return null;
}

// ------------------------------------------------------------ messages

/** Show messages of the checker, behind that about the link by which the reader came. */
function problems(messages) {
  const found = [...state.link, ...messages];
  const editors = { "test.litmus": text, "after.litmus": after, [OWN]: cat };
  for (const [name, each] of Object.entries(editors)) show(each, found.filter((d) => d.source === name));
  $("problems").hidden = !found.length;
  $("problems").classList.remove("stale");
  $("problems").replaceChildren(...found.map((each) => h("li", { class: each.severity }, h("pre", {}, each.text ?? `${each.severity}: line ${each.line}: ${each.message}`))));
}

/**
 * Something that is asked about has changed: what the page shows is an answer to an earlier question. It is faint, says
 * so, and nothing in it can be chosen until an answer takes its place. What another tab has answered goes at once.
 */
function stale() {
  state.question += 1; // An answer that is still to come is one to an earlier question, too.
  document.body.dataset.state = "busy";
  if (state.shown !== view.tab) answered();
  else outdated(true);
  $("problems").classList.add("stale");
}

function outdated(whether) {
  $("view").classList.toggle("stale", whether);
  $("view").setAttribute("aria-busy", String(whether));
  for (const each of $("view").children) each.inert = whether;
}

function answered(...children) {
  state.shown = view.tab;
  $("view").replaceChildren(...children);
  outdated(false);
}

/** Show that there is nothing to ask about. */
function nothing(...children) {
  problems([]);
  answered(...children);
}

// ------------------------------------------------------------ views

const VIEWS = {
  async outcomes(number) {
    if (!view.models.length) return nothing(h("p", { class: "note" }, "Add a model."));
    const found = await ask({ ask: "outcomes" }, number);
    if (!found) return;
    const below = h("div", { id: "below" });
    const draw = () => grid(found, view, (outcome, under) => {
      Object.assign(view, { outcome, under });
      remember();
      $("view").replaceChildren(draw(), below);
      explained(below, number);
    });
    answered(draw(), below);
    document.documentElement.dataset.answered = String(performance.now());
    if (view.outcome && found.rows.some((row) => row.condition === view.outcome)) await explained(below, number);
  },
  async explain(number) {
    const request = { ask: "explain", under: explainedUnder() };
    const found = await ask(request, number);
    if (found) answered(picture(request, found));
  },
  async lower(number) {
    const found = await ask({ ask: "lower" }, number);
    if (found) answered(printed(found.html, "prose"));
  },
  async ir(number) {
    const found = await ask({ ask: "ir" }, number);
    if (found) answered(coloured(found.text, known["llvm-ir"]));
  },
  async compare(number) {
    const found = await ask({ ask: "compare" }, number);
    if (found) answered(printed(found.html, "prose"));
  },
  async refine(number) {
    if (!view.after.trim()) {
      return nothing(h("p", {}, "Write the changed program in the second editor, or begin with a copy of the test."),
        h("button", { type: "button", onclick: () => { setText(after, view.text); panel("after"); } }, "Copy the test"));
    }
    const found = await ask({ ask: "refine", closed: $("closed")?.checked ?? true }, number);
    if (found) answered(printed(found.html, "prose"));
  },
  async repair(number) {
    const found = await ask({ ask: "repair", outcome: view.outcome }, number);
    if (!found) return;
    const buttons = found.texts.map((each, index) =>
      h("button", { type: "button", onclick: () => setText(text, each) }, `Take repair ${index + 1}`));
    answered(printed(found.html, "prose"), h("p", { class: "buttons" }, buttons));
  },
};

const explainedUnder = () => (view.models.includes(view.under) ? view.under : view.models[0]);

/** Show the execution behind the chosen cell, unless another is chosen, or another question asked, in the meantime. */
async function explained(below, number) {
  const asked = ++state.pictures;
  document.body.dataset.state = "busy";
  below.replaceChildren(h("p", { class: "aside" }, "Finding the execution…"));
  const request = { ask: "picture", outcome: view.outcome, under: view.under };
  const found = await checker.ask({ ...base(), ...request }, VIEW);
  if (!found || number !== state.question || asked !== state.pictures) return;
  const wrong = found.unknown ?? found.fault ?? found.diagnostics?.map((each) => each.text).join("\n");
  below.replaceChildren(wrong ? h("p", { class: "note" }, wrong) : picture(request, found));
  document.body.dataset.state = "idle";
}

/** Return an explanation with its picture, which is drawn anew with the relations that are chosen. */
function picture(request, found) {
  const again = { ...base(), ...request };
  let drawing = 0;
  const made = execution(found, async (relations) => {
    const number = ++drawing;
    const drawn = await checker.ask({ ...again, relations }, { channel: "redraw" });
    if (!drawn || number !== drawing) return;
    const instead = h("p", { class: "note" }, drawn.unknown ?? drawn.fault ?? "There is nothing to draw");
    made.querySelector(".picture").replaceChildren(...(drawn.svg ? printed(drawn.svg).childNodes : [instead]));
  });
  return made;
}

function refresh() {
  stale();
  const number = state.question;
  models();
  options();
  remember();
  VIEWS[view.tab](number).finally(() => { if (number === state.question) document.body.dataset.state = "idle"; });
}

// ------------------------------------------------------------ what is chosen

function models() {
  const labels = view.models;
  const change = (found) => { view.models = found.filter(Boolean); state.opened = -1; refresh(); };
  $("models").replaceChildren(...chips(labels, catalogue.models, state.opened, change, (index) => { state.opened = index; models(); }));
  $("readings").hidden = state.opened < 0;
  if (state.opened >= 0) {
    const at = state.opened;
    $("readings").replaceChildren(...switches(labels[at], catalogue.models, (label) => { view.models = labels.with(at, label); refresh(); }));
  }
}

/** Return a menu of the options; `chosen(value)` is called with the one that is chosen. */
function menuOf(id, label, values, now, chosen) {
  return h("label", {}, `${label} `, h("select", {
    id, onchange: (event) => { chosen(event.target.value); refresh(); },
  }, values.map((value) => h("option", { value, selected: value === now }, value))));
}

function options() {
  const wanted = [];
  if (["lower", "repair"].includes(view.tab)) {
    wanted.push(menuOf("target", "Target", catalogue.targets, view.target, (value) => { view.target = value; }));
  }
  if (view.tab === "explain" && view.models.length > 1) {
    wanted.push(menuOf("under", "Under", view.models, explainedUnder(), (value) => { view.under = value; }));
  }
  if (view.tab === "refine") {
    const closed = $("closed")?.checked ?? true;
    wanted.push(h("label", {}, h("input", { type: "checkbox", id: "closed", checked: closed, onchange: () => refresh() }), "the two programs alone (otherwise every context up to a bound, which takes long here)"));
  }
  $("options").hidden = !wanted.length;
  $("options").replaceChildren(...wanted);
  for (const each of $("views").children) each.setAttribute("aria-selected", String(each.dataset.tab === view.tab));
}

/** Show a text; where changed programs are compared, the test and the changed program stand side by side. */
function panel(name) {
  state.panel = name;
  const beside = view.tab === "refine" && name !== "cat";
  document.querySelector("main").classList.toggle("beside", beside);
  for (const each of ["text", "after", "cat"]) {
    $(`panel-${each}`).hidden = each !== name && !(beside && each !== "cat");
    $(`tab-${each}`).setAttribute("aria-selected", String(each === name));
  }
}

/** Write the view into the address, unless a link was followed or another view shown while it was packed. */
async function remember() {
  if (state.restoring) return;
  const number = ++state.remembered;
  const before = location.hash;
  const found = await fragment(view, DEFAULTS);
  if (state.restoring || number !== state.remembered || location.hash !== before) return;
  history.replaceState(null, "", found);
  $("whole").href = `./${found}`;
}

// ------------------------------------------------------------ the editors

const known = languages(catalogue);
const typed = () => {
  Object.assign(view, { text: textOf(text), after: textOf(after), cat: textOf(cat) });
  stale(); // Also where a link is being read, which other texts will follow.
  if (state.restoring) return;
  state.link = [];
  clearTimeout(state.typing);
  state.typing = setTimeout(refresh, TYPING);
};
const text = editor($("panel-text"), "litmus", known, "Test", typed);
const after = editor($("panel-after"), "litmus", known, "Changed program", typed);
const cat = editor($("panel-cat"), "cat", known, "Cat model", typed);

async function catShown() {
  if (textOf(cat)) return;
  const name = view.models.find((label) => !label.startsWith(OWN)) ?? "amdgpu";
  const link = state.links;
  const found = await checker.ask({ ask: "model", name });
  if (found?.text && !textOf(cat) && link === state.links) {
    setText(cat, found.text);
    if (!view.models.includes(OWN)) { view.models = [...view.models, OWN]; refresh(); }
  }
}

// ------------------------------------------------------------ the beginning

for (const name of catalogue.tabs) {
  $("views").append(h("button", {
    type: "button", role: "tab", "data-tab": name, "aria-selected": "false", "aria-controls": "view",
    onclick: () => { view.tab = name; panel(state.panel); refresh(); },
  }, TABS[name]));
}
for (const name of ["text", "after", "cat"]) {
  $(`tab-${name}`).addEventListener("click", () => { panel(name); if (name === "cat") catShown(); });
}
for (const list of document.querySelectorAll("[role=tablist]")) {
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = [...list.children];
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });
}
$("cancel").addEventListener("click", () => checker.cancel());
$("seconds").addEventListener("change", refresh);
chooser(catalogue.tests, (found) => {
  Object.assign(view, { outcome: "", under: "" });
  panel("text");
  setText(text, found);
});

const menu = $("share-menu");
const opened = (open) => { menu.hidden = !open; $("share").setAttribute("aria-expanded", String(open)); };
$("share").addEventListener("click", () => { opened(menu.hidden); if (!menu.hidden) menu.firstElementChild.focus(); });
menu.addEventListener("keydown", (event) => {
  const items = [...menu.children];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
  if (event.key === "Escape") { opened(false); $("share").focus(); }
});
menu.addEventListener("click", async ({ target }) => {
  const form = target.dataset.copy;
  if (!form) return;
  opened(false);
  const here = new URL(await fragment(view, DEFAULTS), location.href.split(/[?#]/)[0]).href;
  let copied = here;
  if (form === "embed") copied = `<iframe src="${here.replace("#", "?embed#")}" width="900" height="480" title="axmem"></iframe>`;
  if (form === "markdown" || form === "lit") {
    const found = await checker.ask({ ...base(), ask: "export", form, link: here });
    if (!found?.text) return say("There is nothing to copy: the test has no answer");
    copied = found.text;
  }
  try {
    await navigator.clipboard.writeText(copied);
    say("Copied");
  } catch {
    answered(h("p", {}, "This browser does not let the page copy; here it is:"), h("pre", { class: "code", tabindex: "0" }, h("code", {}, copied)));
  }
  document.documentElement.dataset.copied = copied;
});

async function restored() {
  const hash = location.hash;
  state.restoring = true;
  state.links += 1;
  clearTimeout(state.typing);
  stale(); // What was asked before has no part in this view.
  state.link = [];
  let found = {};
  if (hash.length > 1) {
    try {
      found = await viewOf(hash, catalogue.longest, catalogue.tabs);
    } catch (error) {
      const words = `link: error: this is no link of the playground\n  hint: ${error.message}`;
      state.link = [{ severity: "error", source: "link", line: 0, text: words }];
    }
  }
  if (location.hash !== hash) return; // A later link is being read: `hashchange` has said so, or will.
  const models = found.models ?? DEFAULTS.models;
  Object.assign(view, { tab: "outcomes", outcome: "", under: "", target: DEFAULTS.target, ...found, models });
  setText(text, found.text ?? catalogue.tests[FIRST]);
  setText(after, found.after ?? "");
  setText(cat, found.cat ?? "");
  typed();
  state.restoring = false;
  panel("text");
  refresh();
}

window.addEventListener("hashchange", restored);
await restored();
if ("serviceWorker" in navigator && !embedded) navigator.serviceWorker.register("sw.js").catch(() => {});
