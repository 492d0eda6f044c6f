"use strict";
// What the pages of a report do besides being read: pictures show and hide relations, the overview finds tests.
// Texts of tests become text nodes and never markup.

const SHOWN = 100;

function made(name, properties = {}, ...inside) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...inside);
  return element;
}

// ---------------------------------------------------------------- pictures

function relationsOf(picture) {
  const names = new Map();
  for (const group of picture.querySelectorAll("g.lines")) {
    const name = [...group.classList].find((each) => each.startsWith("r-"));
    if (name && !group.parentElement.classList.contains("hidden") && !names.has(name)) {
      names.set(name, !group.classList.contains("hidden"));
    }
  }
  return names;
}

function addRelations(figure) {
  const picture = figure.querySelector("svg.axmem");
  const names = picture ? relationsOf(picture) : new Map();
  if (!names.size) return;
  const choices = made("div", { className: "axmem-relations", role: "group", ariaLabel: "Relations in the picture" });
  for (const [name, shown] of [...names].sort()) {
    const box = made("input", { type: "checkbox", checked: shown });
    box.addEventListener("change", () => {
      for (const group of picture.querySelectorAll(`g.${CSS.escape(name)}, g.key-${CSS.escape(name)}`)) {
        group.classList.toggle("hidden", !box.checked);
      }
    });
    choices.append(made("label", {}, box, ` ${name.slice(2)}`));
  }
  figure.before(choices);
}

// ---------------------------------------------------------------- what scrolls is reached by keys

function reachable() {
  for (const each of document.querySelectorAll("pre, figure, .axmem-wide")) {
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
    else each.removeAttribute("tabindex");
  }
}

// ---------------------------------------------------------------- the overview

const [ADDRESS, KEY, SHOWS, CONDITION, STATUS, VERDICTS, RELATIONS, TARGETS, CHANGED, RULES] = Array(10).keys();

function familyOf(row) {
  return row[KEY].includes("/") ? row[KEY].slice(0, row[KEY].lastIndexOf("/")) : ".";
}

function filters() {
  const every = (values) => [...new Set(values)].filter(Boolean).sort();
  const found = [
    { name: "family", label: "Family", values: every(axmemTests.map(familyOf)), holds: (row, v) => familyOf(row) === v },
    { name: "status", label: "Status", values: every(axmemTests.map((row) => row[STATUS])), holds: (row, v) => row[STATUS] === v },
  ];
  axmemSite.models.forEach((model, at) => {
    found.push({ name: `verdict.${model}`, label: model, values: every(axmemTests.map((row) => row[VERDICTS][at])), holds: (row, v) => row[VERDICTS][at] === v });
    if (at) {
      found.push({ name: `against.${model}`, label: `${model} against ${axmemSite.models[0]}`, values: every(axmemTests.map((row) => row[RELATIONS][at])), holds: (row, v) => row[RELATIONS][at] === v });
    }
  });
  axmemSite.targets.forEach((target, at) => {
    found.push({ name: `target.${target}`, label: target, values: every(axmemTests.map((row) => row[TARGETS][at])), holds: (row, v) => row[TARGETS][at] === v });
  });
  if (axmemSite.compared) {
    found.push({ name: "changed", label: "Against the older run", values: ["changed", "same"], holds: (row, v) => (row[CHANGED] === 1) === (v === "changed") });
  }
  return found;
}

function matches(row, words) {
  const text = [row[KEY], row[SHOWS], row[CONDITION], row[RULES]].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

function rowOf(row) {
  const verdict = (word) => made("td", {}, made("strong", { className: word }, word));
  return made(
    "tr", {},
    made("th", { scope: "row" }, made("a", { href: row[ADDRESS] }, row[KEY])),
    made("td", {}, row[SHOWS]),
    made("td", {}, made("code", {}, row[CONDITION])),
    ...row[VERDICTS].map(verdict),
  );
}

function overview() {
  const heading = document.getElementById("find");
  if (!heading) return;
  const asked = new URLSearchParams(location.hash.slice(1));
  const form = made("form", { className: "axmem-find", role: "search" });
  const search = made("input", { type: "search", value: asked.get("q") || "", autocomplete: "off" });
  form.append(made("label", {}, "Words", search));
  const chosen = filters().map((filter) => {
    const select = made("select", {}, made("option", { value: "" }, "any"), ...filter.values.map((value) => made("option", { value }, value)));
    select.value = filter.values.includes(asked.get(filter.name)) ? asked.get(filter.name) : "";
    form.append(made("label", {}, filter.label, select));
    return { ...filter, select };
  });
  const count = made("p", { role: "status" });
  const body = made("tbody");
  const heads = ["Test", "What it shows", "Condition", ...axmemSite.models].map((head) => made("th", { scope: "col" }, head));
  const table = made("table", { className: "axmem" }, made("thead", {}, made("tr", {}, ...heads)), body);
  const more = made("button", { type: "button" }, "Show more");
  const found = made("div", { className: "axmem-found" }, count, made("div", { className: "axmem-wide" }, table), more);
  let rows = [];
  let shown = 0;

  function show() {
    body.append(...rows.slice(shown, shown + SHOWN).map(rowOf));
    shown = Math.min(rows.length, shown + SHOWN);
    count.textContent = `${rows.length} of ${axmemTests.length} tests`;
    more.hidden = shown >= rows.length;
    reachable();
  }

  function find() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = chosen.filter((filter) => filter.select.value);
    const said = new URLSearchParams();
    if (search.value) said.set("q", search.value);
    for (const filter of wanted) said.set(filter.name, filter.select.value);
    const quiet = !words.length && !wanted.length;
    history.replaceState(null, "", said.size || location.hash.includes("=") ? `#${said}` : location.href);
    rows = quiet ? [] : axmemTests.filter((row) => wanted.every((f) => f.holds(row, f.select.value)) && matches(row, words));
    body.replaceChildren();
    shown = 0;
    found.hidden = quiet;
    show();
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", find);
  more.addEventListener("click", show);
  heading.nextElementSibling.replaceWith(form, found);
  find();
}

document.querySelectorAll("figure").forEach(addRelations);
if (typeof axmemTests !== "undefined") overview();
addEventListener("resize", reachable);
reachable();
