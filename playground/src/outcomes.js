// The grid of outcomes, and the execution behind one of them.
import { h, printed } from "./dom.js";
import { hovered } from "./edges.js";

const CELLS = {
  "*": ["★", "allowed, and the condition holds"],
  "+": ["✓", "allowed"],
  "-": ["–", "excluded"],
  "?": ["?", "not known"],
};

const HOVER = "Point at an edge, or press Tab in the picture: here stands what the edge is.";

/** Return the grid; `choose(row, model)` is called for the cell that is clicked. */
export function grid(found, chosen, choose) {
  const several = found.models.length > 1;
  const heads = found.models.map((model) => h("th", { scope: "col" },
    h("code", {}, model.label), h("br"),
    h("strong", { class: `v-${model.verdict}` }, model.verdict),
    model.flags.map((flag) => h("span", { class: "flag", title: `some execution has the flag '${flag}'` }, flag)),
    model.relation && model.relation !== "same" && h("small", {}, `${model.relation} than ${found.models[0].label}`.replace("incomparable than", "incomparable with").replace("unknown than", "not comparable with")),
  ));
  const rows = found.rows.map((row) => h("tr", { class: several && row.differs ? "differs" : null },
    row.values.map((value) => h("td", { class: "value" }, h("code", {}, value))),
    row.cells.map((cell, index) => {
      const [sign, words] = CELLS[cell];
      const model = found.models[index].label;
      const here = chosen.outcome === row.condition && chosen.under === model;
      return h("td", { class: "cell" }, h("button", {
        type: "button", class: cell === "-" ? "no" : cell === "?" ? "open" : "yes", "aria-pressed": String(here),
        title: `${model}: ${words}`, "aria-label": `${row.condition || "the outcome"} under ${model}: ${words}`,
        onclick: () => choose(row.condition, model),
      }, sign));
    })));
  return h("div", {},
    h("p", { class: "question" }, h("code", {}, found.question)),
    found.description && h("p", { class: "description" }, found.description),
    found.models.map((model) => notes(model)),
    h("div", { class: "wide" }, h("table", { class: "grid" },
      h("thead", {}, h("tr", {}, found.columns.map((name) => h("th", { scope: "col" }, h("code", {}, name))), heads)),
      h("tbody", {}, rows))),
    found.more > 0 && h("p", { class: "aside" }, `and ${found.more} more outcomes; axmem run --outcomes lists all`),
    h("p", { class: "legend" }, Object.values(CELLS).slice(0, 3).map(([sign, words]) => h("span", {}, `${sign} ${words}`)),
      several && h("span", { class: "differs" }, "the models differ")));
}

function* lines(model) {
  for (const reason of model.undefined) yield `${model.label}: undefined behaviour: ${reason}`;
  for (const reason of model.incomplete) yield `${model.label}: not complete: ${reason}`;
  for (const each of model.mismatches) {
    yield `${model.label}: line ${each.line} of the test expects ${each.expected}, and this is ${each.found}`;
  }
}

const notes = (model) => [...lines(model)].map((line) => h("p", { class: "note" }, line));

/** Return an explanation with its picture, whose relations can be chosen: `redraw(names)`. */
export function execution(found, redraw) {
  const picture = found.svg ? h("div", { class: "picture", role: "region", "aria-label": "Execution", tabindex: "0" }, ...printed(found.svg).childNodes) : null;
  const said = h("div", { class: "said", role: "status" }, HOVER);
  if (picture) hovered(picture, said, found.relations);
  const boxes = found.relations.map((each) => {
    const box = h("input", { type: "checkbox", checked: each.shown, value: each.name, onchange: () => redraw(names()) });
    const tip = [each.means, each.text, each.says, each.reference].filter(Boolean).join("\n");
    return h("label", { title: tip || null, class: `rel r-${each.name}` }, box, each.name);
  });
  const names = () => boxes.map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value);
  return h("section", { class: "execution", "aria-label": "Execution and explanation" },
    h("h2", {}, `${found.question} is ${found.answer} under ${found.model}`),
    found.reason && h("p", { class: "note" }, found.reason),
    boxes.length && h("fieldset", { class: "relations" }, h("legend", {}, "Relations"), boxes),
    picture,
    picture && said,
    printed(found.html, "prose"));
}
