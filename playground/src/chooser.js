// The dialog in which a test is chosen: by its name, or by words of its text.
import { $, h } from "./dom.js";

const GROUPS = { corpus: "Corpus", examples: "Examples of the documents", findings: "Findings" };

/** Let the button open the dialog; `choose(text)` is called with the text of the test. */
export function chooser(tests, choose) {
  const dialog = $("chooser");
  const draw = () => {
    const words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = Object.entries(tests).filter(([name, text]) => {
      const all = `${name}\n${text}`.toLowerCase();
      return words.every((word) => all.includes(word));
    });
    const folders = Map.groupBy(kept, ([name]) => name.slice(0, name.lastIndexOf("/")));
    $("list").replaceChildren(...[...folders].map(([folder, found]) => h("section", {},
      h("h3", {}, title(folder)),
      h("ul", {}, found.map(([name, text]) => h("li", {}, h("button", {
        type: "button", onclick: () => { dialog.close(); choose(text); },
      }, name.slice(folder.length + 1))))))));
    if (!kept.length) $("list").replaceChildren(h("p", {}, "No test has these words."));
  };
  $("filter").addEventListener("input", draw);
  $("open").addEventListener("click", () => { draw(); dialog.showModal(); $("filter").focus(); });
}

function title(folder) {
  const [first, ...rest] = folder.split("/");
  return [GROUPS[first] ?? first, ...rest].join(": ");
}
