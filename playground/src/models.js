// The models that are asked, as chips with their readings.
import { h } from "./dom.js";

export const OWN = "own.cat";

/** Return the name and the chosen readings of a label, `amdgpu[vis.instance=literal]`. */
export function parts(label) {
  const [, name, settings] = /^([^[]*)(?:\[(.*)\])?$/.exec(label) ?? [null, label, ""];
  return { name, chosen: new Map((settings ?? "").split(",").filter(Boolean).map((each) => each.split("="))) };
}

export function labelOf(name, chosen) {
  const settings = [...chosen].map(([reading, value]) => `${reading}=${value}`).join(",");
  return settings ? `${name}[${settings}]` : name;
}

/** Return the chips; `change(labels)` is called with the models that are to be asked. */
export function chips(labels, known, opened, change, open) {
  const add = h("select", { "aria-label": "Add a model", onchange: (event) => change([...labels, event.target.value]) },
    h("option", { value: "" }, "+ model"),
    known.map((model) => h("option", { value: model.name }, `${model.name}: ${model.title}`)),
    h("option", { value: OWN }, `${OWN}: the text of the tab Cat model`));
  return [
    ...labels.map((label, index) => {
      const { name } = parts(label);
      const readings = known.find((model) => model.name === name)?.readings ?? [];
      return h("span", { class: "chip" },
        h("code", {}, label),
        readings.length > 0 && h("button", {
          type: "button", "aria-expanded": String(opened === index), "aria-controls": "readings",
          onclick: () => open(opened === index ? -1 : index),
        }, "readings"),
        h("button", {
          type: "button", "aria-label": `Remove ${label}`, onclick: () => change(labels.filter((_, k) => k !== index)),
        }, "×"));
    }),
    add,
  ];
}

/** Return the switches of a model; `change(label)` is called with the label of the readings that are chosen. */
export function switches(label, known, change) {
  const { name, chosen } = parts(label);
  const model = known.find((each) => each.name === name);
  return (model?.readings ?? []).map((reading) => {
    const select = h("select", {
      onchange: (event) => {
        const value = event.target.value;
        if (value === reading.default) chosen.delete(reading.name);
        else chosen.set(reading.name, value);
        change(labelOf(name, chosen));
      },
    }, reading.values.map((value) => h("option", {
      value, selected: (chosen.get(reading.name) ?? reading.default) === value,
    }, value === reading.default ? `${value} (default)` : value)));
    return h("label", {}, h("code", {}, reading.name), select, h("small", {}, reading.decides));
  });
}
